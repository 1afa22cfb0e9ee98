/* Bounds straight from vertex positions, for free bodies. All functions are exact: no margin. */
#ifndef PLI_BOUNDS_FROM_VERTICES_H
#define PLI_BOUNDS_FROM_VERTICES_H

#include "bounds/record.h"

/* Positions as the caller keeps them. */
typedef struct pli_positions {
    const float *first;
    size_t stride; /* bytes */
} pli_positions;

static inline const float *pli_position(pli_positions positions, uint32_t vertex)
{
    return (const float *)(const void *)((const char *)positions.first + vertex * positions.stride);
}

/*
 * Each of these returns false if it met a coordinate that is not finite; what it wrote is then
 * void.
 */

/* The box of one child of a node, from the child's vertices, into lane `lane`. */
bool pli_bound_child_from_vertices(const pliant_shape *shape, uint32_t child,
                                   pli_positions positions, pli_boxes *boxes, uint32_t lane);

/* A whole cluster: vertices, triangle boxes and leaf boxes. */
bool pli_refresh_cluster_from_vertices(const pliant_shape *shape, uint32_t cluster,
                                       pli_positions positions, pli_cluster_record *record);

/* How many vertices the first of these reads for a child. */
uint32_t pli_child_vertex_count(const pliant_shape *shape, uint32_t child);

/* Makes all lanes empty. */
void pli_boxes_clear(pli_boxes *boxes);

/* The box around all lanes of `from`, into lane `lane` of `to`. Exact. */
void pli_boxes_merge(const pli_boxes *from, pli_boxes *to, uint32_t lane);

#endif
