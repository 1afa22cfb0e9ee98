/* Signed distances on their way: one call, and the stretches of points that workers take. */
#ifndef PLI_QUERY_DISTANCE_STRETCH_H
#define PLI_QUERY_DISTANCE_STRETCH_H

#include "pliant/distance.h"

#include "query/run.h"

enum { PLI_POINTS_PER_STRETCH = 512 };

/* How the side of a point is found. */
typedef enum pli_side_method {
    PLI_SIDE_NONE,    /* it was not asked for */
    PLI_SIDE_WINDING, /* by winding numbers; the surface is certainly closed */
    PLI_SIDE_CHECKED, /* the same where the surface may have come apart */
    PLI_SIDE_SURFACE
} pli_side_method;

/* One call on its way. */
typedef struct pli_distance_call {
    pliant_query *query;
    pliant_body *body;
    const char *points;
    size_t stride;
    uint64_t count;
    float max_distance;
    pli_side_method side;
    bool alone;            /* one worker does it all */
    const uint64_t *order; /* points in the order they are taken: number in the lower half */
    pliant_signed_distance *answers;
} pli_distance_call;

static inline const float *pli_distance_point(const pli_distance_call *q, uint64_t i)
{
    return (const float *)(const void *)(q->points + i * q->stride);
}

/* Answers stretch number `index` of a pli_distance_call, by worker number `worker`, which notes a
   failure. Points and body must be moderate (query/point_kernels.h). */
void pli_distance_stretch(void *call, uint32_t index, uint32_t worker);

/* Answers all points one after the other, whatever their coordinates. */
pliant_result pli_distances_plainly(const pli_distance_call *q, pli_run *run);

#endif
