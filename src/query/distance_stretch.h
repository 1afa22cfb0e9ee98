/* Signed distances on their way: one call, and the stretches of points that workers take. */
#ifndef PLI_QUERY_DISTANCE_STRETCH_H
#define PLI_QUERY_DISTANCE_STRETCH_H

#include "pliant/distance.h"

#include "query/nearest.h"
#include "query/query.h"

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
    pli_worker *scratch;       /* its arrays hold the order of the points */
    pli_point_worker *workers; /* of one body's query */
    pli_team *team;            /* their failures */
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

/* distances.c: fails for wrong arguments: stride, count, distance, points. */
pliant_result pli_points_check(const pli_distance_call *q);

/* distances.c: puts the moderate points in order, in arrays of the query. */
pliant_result pli_distance_order(pli_distance_call *q);

/* distances.c: how the sides of a body's points are told; fails for an open one that is to have an
   inside. */
pliant_result pli_distance_choose_side(const pliant_body *body, pliant_side_rule rule,
                                       pli_side_method *side);

/* distances.c: whether the vector kernels take a prepared body. */
bool pli_distance_is_body_moderate(const pliant_body *body);

/* A ball that does not meet the surface, with the winding number of its points. */
typedef struct pli_empty_ball {
    double centre[3], radius;
    int32_t winding;
} pli_empty_ball;

enum { PLI_EMPTY_BALLS = 8 }; /* remembered for the next points */

/* The normal at a place of the surface, or at the edge from there to `end`. */
typedef struct pli_known_normal {
    bool edge;
    float at[3], end[3];
    double normal[3];
} pli_known_normal;

/* Points that one worker takes one after the other, and what the last ones say about the next. */
typedef struct pli_stretch {
    const pli_distance_call *q;
    pli_descent walk;
    pli_nearest nearest;
    pli_empty_ball balls[PLI_EMPTY_BALLS];
    uint32_t ball_count, next_ball;
    bool has_normal;
    pli_known_normal normal; /* of the feature that the last point was closest to */
} pli_stretch;

/* Begins a stretch of points about the body of a run. */
void pli_stretch_start(pli_stretch *s, const pli_distance_call *q, pli_run *run);

/* Everything about one point. */
pliant_result pli_stretch_answer(pli_stretch *s, const float point[3],
                                 pliant_signed_distance *answer);

/* Answers stretch number `index` of a pli_distance_call, by worker number `worker`, which notes a
   failure. */
void pli_distance_stretch(void *call, uint32_t index, uint32_t worker);

/* Answers the points that are not moderate, one after the other. */
pliant_result pli_distances_plainly(const pli_distance_call *q);

#endif
