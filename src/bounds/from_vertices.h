/* Bounds straight from vertex positions, for free bodies. All functions are exact: no margin. */
#ifndef PLI_BOUNDS_FROM_VERTICES_H
#define PLI_BOUNDS_FROM_VERTICES_H

#include "bounds/model_kernels.h"
#include "bounds/vertex_kernels.h"

/*
 * The box of one child of a node, from the child's vertices, into lane `lane`. False if it met a
 * coordinate that is not finite; what it wrote is then void.
 */
bool pli_bound_child_from_vertices(const pli_vertex_kernels *kernels, const pliant_shape *shape,
                                   uint32_t child, pli_positions positions, pli_boxes *boxes,
                                   uint32_t lane);

/* A whole cluster: vertices, moved by the transforms that are not NULL, triangle boxes and leaf
   boxes. False as above. */
bool pli_refresh_cluster_from_vertices(const pli_vertex_kernels *kernels, const pliant_shape *shape,
                                       uint32_t cluster, pli_positions positions,
                                       const float *transform, const float *world,
                                       const pli_model_kernels *model_kernels,
                                       pli_cluster_record *record);

/* How many vertices the first of these reads for a child. */
uint32_t pli_child_vertex_count(const pliant_shape *shape, uint32_t child);

/* Makes all lanes empty. */
void pli_boxes_clear(pli_boxes *boxes);

/* The box around all lanes of `from`, into lane `lane` of `to`. Exact. */
void pli_boxes_merge(const pli_boxes *from, pli_boxes *to, uint32_t lane);

#endif
