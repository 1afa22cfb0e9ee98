/* From a mesh, its tree and how it deforms to the block of a shape. */
#ifndef PLI_SHAPE_LAYOUT_H
#define PLI_SHAPE_LAYOUT_H

#include "shape/shape.h"
#include "tree/builder.h"

/* Makes the block, complete but for the tree's area ratio and the checksum, of a mesh that knows
   its features. What the tree has as scratch is used. */
pliant_result pli_lay_out(const pli_mesh *mesh, const pli_tree_builder *tree,
                          pli_block_header **block);

/* shape.c: a shape of a mesh, complete but for the checksum; its tree is cut at mesh->at. */
pliant_result pli_shape_build(const pli_mesh *mesh, const pli_tree_settings *settings,
                              pliant_shape **shape);

/* model_layout.c: a block with everything that the shape's has, and the model besides. The shape
   keeps its own. */
pliant_result pli_lay_out_model(const pli_mesh *mesh, const pliant_shape *shape,
                                pli_block_header **block);

#endif
