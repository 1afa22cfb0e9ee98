/*
 * Pliant: continuous detection. What meets while bodies move from one state to the next, so that
 * nothing thin or fast passes through unseen (definition D9).
 *
 * A step begins with pliant_body_begin_step(): the body's current state becomes the start of the
 * step, and the states set from then on are its end. In between every vertex moves along a straight
 * line at constant speed: that is what changing coordinates alone gives, or transforms that are
 * interpolated entry by entry. Joints that turn far do not move that way: subdivide such a step.
 * A body that has begun no step stands still.
 */
#ifndef PLIANT_CONTINUOUS_H
#define PLIANT_CONTINUOUS_H

#include "moving.h"
#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pliant_meeting_options {
    uint32_t tag;             /* set by pliant_meeting_options_default() */
    pliant_collide_mode mode; /* default PLIANT_COLLIDE_ALL; FIRST: the earliest, exactly */
    pliant_groups groups_a;   /* only triangles of these groups of the first body; bits NULL (the
                                 default): all of them */
    pliant_groups groups_b;   /* the same for the second body. Within one body: one triangle of the
                                 pair in groups_a and the other in groups_b */
    uint64_t budget_nodes;    /* stop after this many pairs of nodes; 0 (the default): never.
                                 The same input stops at the same place */
    uint64_t budget_microseconds; /* stop after about this time; 0 (the default): never */
} pliant_meeting_options;

PLIANT_API pliant_meeting_options pliant_meeting_options_default(void);

/* The answer. Arrays belong to the query and live until its next call; NULL if nothing meets. */
typedef struct pliant_meetings {
    const pliant_pair *pairs;       /* ascending by exact time, then by a, then by b */
    const pliant_meeting *meetings; /* the same order: when they meet, and what of them */
    uint64_t count;
    bool complete; /* false: a budget was spent; what is listed does meet, but there may be more,
                      and earlier */
} pliant_meetings;

/*
 * Which triangles of two bodies meet at some time of the step, when, and what of them meets first:
 * exactly the pairs for which pliant_moving_triangle_meet() says so. The bodies must differ.
 * `options` may be NULL.
 */
PLIANT_API pliant_result pliant_find_meetings(pliant_query *query, pliant_body *a, pliant_body *b,
                                              const pliant_meeting_options *options,
                                              pliant_meetings *meetings);

/*
 * The same within one body: pairs that pliant_collide_self() reports with the default rule at time
 * 0 (PLIANT_MEETING_START) or at time 1 (PLIANT_MEETING_END, unless something met before), and
 * pairs of which a vertex and a face or two edges, without a welded vertex in common and apart at
 * time 0, meet.
 */
PLIANT_API pliant_result pliant_find_meetings_self(pliant_query *query, pliant_body *body,
                                                   const pliant_meeting_options *options,
                                                   pliant_meetings *meetings);

#ifdef __cplusplus
}
#endif

#endif
