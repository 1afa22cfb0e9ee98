/* Signed distances on their way: one call, and the stretches of points that workers take. */
#ifndef PLI_QUERY_DISTANCE_STRETCH_H
#define PLI_QUERY_DISTANCE_STRETCH_H

#include "pliant/distance.h"

#include "query/point_kernels.h"
#include "query/run.h"

#include <math.h>

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
    bool moderate;         /* the body is (query/point_kernels.h) */
    const uint64_t *order; /* moderate points in the order they are taken: numbers in the lower */
    uint64_t ordered;      /* half; how many these are */
    pliant_signed_distance *answers;
} pli_distance_call;

static inline const float *pli_distance_point(const pli_distance_call *q, uint64_t i)
{
    return (const float *)(const void *)(q->points + i * q->stride);
}

/* Whether the vector kernels take a point of the call. */
static inline bool pli_distance_is_moderate(const pli_distance_call *q, const float point[3])
{
    return q->moderate && fabsf(point[0]) < PLI_POINT_MODERATE &&
           fabsf(point[1]) < PLI_POINT_MODERATE && fabsf(point[2]) < PLI_POINT_MODERATE;
}

/* Answers stretch number `index` of a pli_distance_call, by worker number `worker`, which notes a
   failure. */
void pli_distance_stretch(void *call, uint32_t index, uint32_t worker);

/* Answers the points that are not moderate, one after the other. */
pliant_result pli_distances_plainly(const pli_distance_call *q, pli_run *run);

#endif
