/*
 * The triangles of two clusters whose boxes are within a distance: where pliant_find_within() and
 * pliant_find_features() begin.
 *
 * A pair is reported if its computed distance is at most d (docs/definition.md, D5). The gap of its
 * boxes along an axis is then at most d (1 + 2^-48) (docs/soundness.md, S13).
 * Boxes grow by d+, the next float after d, in float32, rounded to nearest: a lower side x meets an
 * upper side h, itself a float, if x - d+ <= h. Because rounding is monotone, fl(x - d+) <= h
 * follows. For the same reason a grown box holds every grown box of what it holds.
 */
#ifndef PLI_QUERY_NEAR_CLUSTERS_H
#define PLI_QUERY_NEAR_CLUSTERS_H

#include "query/distance_kernels.h"
#include "query/walk.h"

typedef struct pli_near {
    float distance; /* reported pairs are within this: the caller's and both bodies' errors */
    const pli_distance_kernels *kernels;  /* NULL: coordinates are too large for them */
    pli_cluster_record *grown;            /* in worker->grown */
    const pli_cluster_record *grown_from; /* what it was made of */
} pli_near;

/* Checks a distance that was asked for. */
pliant_result pli_distance_check(float distance);

/* The distance within which meshes that are off by these errors may be that close. */
float pli_distance_with_errors(float distance, float error_a, float error_b);

/* Begins a walk within a distance, to which the bodies' errors are added: sets its growth. */
void pli_near_begin(pli_near *near, pli_walk *walk, float distance);

/* Chooses kernels and how far apart spheres may be, once the bodies are prepared. */
void pli_near_prepared(pli_near *near, pli_walk *walk);

/*
 * Lists the pairs of slots whose boxes, one of them grown, meet; of a cluster with itself each pair
 * of different slots once. 16 bytes behind them are valid slots.
 */
pliant_result pli_near_list(pli_near *near, pli_walk *walk, pli_cluster_view a, pli_cluster_view b,
                            uint8_t slot_a[PLI_CANDIDATES], uint8_t slot_b[PLI_CANDIDATES],
                            uint32_t *count);

/* The reach of the walk's distance for pairs of such triangles. */
pli_near_limit pli_near_limit_of(const pli_walk *walk, pli_cluster_view a, pli_cluster_view b);

/* Takes pairs of triangles that are certainly too far apart out of a list, which keeps its order;
   returns how many are left. */
uint32_t pli_near_filter(const pli_near *near, const pli_near_limit *limit, pli_cluster_view a,
                         uint8_t *slot_a, pli_cluster_view b, uint8_t *slot_b, uint32_t count);

/* The bits of `count` pairs. */
static inline uint64_t pli_first_bits(uint32_t count)
{
    return UINT64_MAX >> (PLI_BATCH - count);
}

#endif
