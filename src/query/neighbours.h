/* The rule for triangles of one mesh that share vertices (docs/definition.md, D4). */
#ifndef PLI_QUERY_NEIGHBOURS_H
#define PLI_QUERY_NEIGHBOURS_H

#include "query/collision.h"

/*
 * Whether two triangles of one body, now at these corners, are to be reported as touching.
 */
bool pli_touch_self(const pliant_shape *shape, uint32_t triangle_a, uint32_t triangle_b,
                    const float corner_a[3][3], const float corner_b[3][3], pliant_neighbours rule,
                    uint64_t *fallbacks);

/* The pairs of features of two triangles of one mesh, of PLI_ALL_FEATURE_PAIRS, that have no welded
   vertex in common. */
uint32_t pli_unshared_features(const pliant_shape *shape, uint32_t triangle_a, uint32_t triangle_b);

/*
 * Takes candidates that share a vertex out of a list of *count pairs of slots, and reports those
 * that touch by the rule. The list keeps its order, and valid slots behind it.
 */
pliant_result pli_settle_neighbours(pli_collision *collision, pli_cluster_view a, uint8_t *slot_a,
                                    pli_cluster_view b, uint8_t *slot_b, uint32_t *count);

/* Whether vertices are welded, so that names of vertices are not their numbers. */
static inline bool pli_shape_has_seams(const pliant_shape *shape)
{
    return shape->block->quality.welded_vertex_count != shape->vertex_count;
}

/* Names of a cluster's vertices: those that are welded have the same. */
const uint32_t *pli_name_vertices(pli_cluster_view view, bool seams,
                                  uint32_t welded[3 * PLI_CLUSTER_SLOTS]);

/* Takes candidates of one body that share a vertex out of a list; returns how many are left. The
   list keeps its order, and valid slots behind it. `neighbours`, unless NULL, receives the others.
 */
uint32_t pli_part_neighbours(const pli_pair_kernels *kernels, pli_cluster_view a, uint8_t *slot_a,
                             pli_cluster_view b, uint8_t *slot_b, uint32_t count,
                             pli_neighbour_pairs *neighbours);

#endif
