/*
 * The kernels that tell in float32 which of many pairs may be within a distance of each other, one
 * table per instruction set. What they drop is farther apart for certain; all tables drop the same.
 */
#ifndef PLI_QUERY_DISTANCE_KERNELS_H
#define PLI_QUERY_DISTANCE_KERNELS_H

#include "query/pair_kernels.h"

/*
 * A distance as the kernels want it. Differences of coordinates are multiplied by `scale`, a power
 * of two, so that none is above 1; `limit` is then more than the distance by what rounding can do,
 * and `limit_squared` more than its square.
 */
typedef struct pli_near_limit {
    float scale, limit, limit_squared;
} pli_near_limit;

/*
 * All take 1 to PLI_BATCH pairs and return bit i for pair i, unless it is too far apart. All
 * coordinates must be below 2^38 in magnitude. Pairs of features are words of four vertices, by
 * their numbers in the cluster, a byte each and from the lowest: a vertex of a and the corners of a
 * face of b, or the ends of an edge of a and of one of b; 16 words behind them are valid too.
 */
typedef struct pli_distance_kernels {
    uint64_t (*triangles_near)(const pli_slot_triangles *a, const uint8_t *slot_a,
                               const pli_slot_triangles *b, const uint8_t *slot_b, uint32_t count,
                               const pli_near_limit *limit);
    uint64_t (*vertices_near)(const pli_cluster_record *a, const pli_cluster_record *b,
                              const uint32_t *pairs, uint32_t count, const pli_near_limit *limit);
    uint64_t (*edges_near)(const pli_cluster_record *a, const pli_cluster_record *b,
                           const uint32_t *pairs, uint32_t count, const pli_near_limit *limit);
} pli_distance_kernels;

#endif
