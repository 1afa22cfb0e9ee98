/* One walk of pliant_find_within() or pliant_find_within_self(), or a part of one in a scene. */
#ifndef PLI_QUERY_WITHIN_H
#define PLI_QUERY_WITHIN_H

#include "geometry/nearest_kernels.h"
#include "query/near_clusters.h"

/* Pairs of triangles that wait for a kernel, which measures several at once. */
typedef struct pli_waiting_triangles {
    uint32_t count;
    uint32_t a[PLI_MEASURED_AT_ONCE], b[PLI_MEASURED_AT_ONCE]; /* the caller's numbers */
    pli_measured_triangles corners;
} pli_waiting_triangles;

typedef struct pli_within {
    pli_walk walk; /* the first member, as every walk's; grown by what was asked for and both
                      bodies' errors */
    const pliant_within_options *options;
    bool grouped; /* not all groups are asked for */
    pli_near near;
    const pli_nearest_kernels *nearest;
    pli_waiting_triangles waiting; /* none from one pair of clusters to the next */
} pli_within;

/* Sets up a walk; what it finds goes to the query's keys and its column of proximities. `options`
   may be NULL. pli_near_prepared() must follow once the bodies are prepared. */
void pli_within_init(pli_within *within, pli_worker *worker, pliant_body *a, pliant_body *b,
                     float distance, const pliant_within_options *options);

#endif
