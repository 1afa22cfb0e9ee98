/* From a mesh and its tree to the block of a shape. */
#ifndef PLI_SHAPE_LAYOUT_H
#define PLI_SHAPE_LAYOUT_H

#include "shape/tree_builder.h"

/* Makes the block, complete but for the tree's area ratio and the checksum. */
pliant_result pli_lay_out(const pli_mesh *mesh, const pli_tree_builder *tree,
                          pli_block_header **block);

#endif
