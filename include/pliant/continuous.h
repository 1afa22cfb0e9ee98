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

/* The answer, or a batch of it. Arrays belong to the query and live until its next call; NULL if
 * nothing meets. */
typedef struct pliant_meetings {
    const pliant_pair *pairs;       /* ascending by exact time, then by a, then by b; see
                                       budget_nodes below if not complete */
    const pliant_meeting *meetings; /* the same order: when they meet, and what of them */
    uint64_t count;                 /* with a callback: meetings given to it */
    bool complete; /* false: a budget was spent or the callback stopped; what is listed does meet,
                      but there may be more, and earlier */
} pliant_meetings;

/* Receives a batch of what meets, in no order; else as pliant_pairs_callback. */
typedef bool (*pliant_meetings_callback)(void *user, const pliant_meetings *batch);

typedef struct pliant_meeting_options {
    uint32_t tag;             /* set by pliant_meeting_options_default() */
    pliant_collide_mode mode; /* default PLIANT_COLLIDE_ALL; FIRST: the earliest, exactly */
    pliant_groups groups_a;   /* only triangles of these groups of the first body; bits NULL (the
                                 default): all of them */
    pliant_groups groups_b;   /* the same for the second body. Within one body: one triangle of the
                                 pair in groups_a and the other in groups_b */
    uint64_t budget_nodes;    /* stop after this many pairs of nodes; 0 (the default): never.
                                 The same input stops at the same place. Sorting stops after as many
                                 exact comparisons of times: meetings from some place on are then in
                                 the order of time.low, and the answer is not complete */
    uint64_t budget_microseconds;      /* stop after about this time, sorting included; 0 (the
                                          default): never */
    pliant_meetings_callback callback; /* if set, meetings go there and none are stored */
    void *callback_user;
    float distance; /* what comes that close meets: 0 (the default) or more, finite. See D15 for how
                       a distance other than 0 is kept to, and pliant_moving_triangle_approach() for
                       kinds and times */
} pliant_meeting_options;

PLIANT_DEFAULT(pliant_meeting_options)

/*
 * Which triangles of two bodies meet at some time of the step, when, and what of them meets first:
 * exactly the pairs for which pliant_moving_triangle_meet() says so; with a distance every pair
 * that comes that close, and none of which pliant_moving_triangle_approach() says no. The bodies
 * must differ. `options` may be NULL; `meetings` may be NULL with a callback.
 */
PLIANT_API pliant_result pliant_find_meetings(pliant_query *query, pliant_body *a, pliant_body *b,
                                              const pliant_meeting_options *options,
                                              pliant_meetings *meetings);

/*
 * The same within one body: pairs that pliant_collide_self() reports with the default rule at time
 * 0 (PLIANT_MEETING_START) or at time 1 (PLIANT_MEETING_END, unless something met before), and
 * pairs of which a vertex and a face or two edges, without a welded vertex in common and apart at
 * time 0, meet. With a distance: pairs without a welded vertex in common that come that close, and
 * of the others those that meet or of which such features come that close.
 */
PLIANT_API pliant_result pliant_find_meetings_self(pliant_query *query, pliant_body *body,
                                                   const pliant_meeting_options *options,
                                                   pliant_meetings *meetings);

/* Until when nothing meets. */
typedef struct pliant_free_time {
    float time;   /* nothing meets from 0 up to this time, this time included: 1 if nothing meets in
                     the step, else the largest float32 below the first contact, exactly; with a
                     distance, below the time of the first meeting */
    bool touches; /* something touches, or is within the distance, at time 0; `time` is then 0 */
    bool complete;          /* false: a budget was spent. Nothing is known then: `time` is 0 */
    pliant_pair pair;       /* what meets first: these triangles, */
    pliant_meeting meeting; /* then and with these features; kind NONE if nothing meets */
} pliant_free_time;

/*
 * How far two bodies may move on their way before anything of them meets: the first of
 * pliant_find_meetings(), whatever mode and callback are in `options`, which may be NULL. The time
 * is one of the way in real numbers: where bodies are at that time, rounded to float32, they may
 * touch all the same, and did not move there in a straight line. pliant_advance_bodies() takes care
 * of that.
 */
PLIANT_API pliant_result pliant_find_free_time(pliant_query *query, pliant_body *a, pliant_body *b,
                                               const pliant_meeting_options *options,
                                               pliant_free_time *found);

/* The same within one body: the first of pliant_find_meetings_self(). */
PLIANT_API pliant_result pliant_find_free_time_self(pliant_query *query, pliant_body *body,
                                                    const pliant_meeting_options *options,
                                                    pliant_free_time *found);

typedef struct pliant_advance_options {
    uint32_t tag;                /* set by pliant_advance_options_default() */
    bool self;                   /* bodies that move may not meet themselves either; default true */
    const pliant_groups *groups; /* one set per body: only triangles of these groups take part;
                                    NULL (the default): all of them */
    uint64_t budget_nodes;       /* stop after this many pairs of nodes, for each pair of bodies
                                    each time it is asked about; 0 (the default): never */
    uint64_t budget_microseconds; /* stop after about this time; 0 (the default): never */
    float distance; /* what comes that close meets, as in pliant_meeting_options; default 0 */
} pliant_advance_options;

PLIANT_DEFAULT(pliant_advance_options)

/* How far bodies were advanced, and what kept them from going on. */
typedef struct pliant_advance {
    float time;            /* they are where they would be at this time, rounded to float32 */
    uint32_t a, b;         /* of which of the bodies something meets first; equal: of one */
    pliant_free_time path; /* what it is, on the way that was asked for; kind NONE if nothing. Not
                              `complete`: a budget was spent before a time above 0 was proved free;
                              `time` is then 0, and all that moved is at its start */
} pliant_advance;

/*
 * Advances bodies along their steps as far as nothing of them meets, for line searches: nothing
 * meets on the straight ways from the starts to the states that they then have, which is proved for
 * these states as they are rounded. The time is 1, and nothing changes, if nothing meets at all;
 * else it is at most path.time. It may be 0: all that moved is at its start, as it is if something
 * touches at time 0 (path.touches). The steps go on: their starts stay.
 *
 * All pairs of bodies count of which one moves. Bodies that move must be given by positions,
 * without transforms; they own their positions afterwards. Others may take part if they stand
 * still. Body numbers in the answer are indices into `bodies`; of equal times the first pair is
 * named. On failure all bodies are as before. `options` may be NULL.
 */
PLIANT_API pliant_result pliant_advance_bodies(pliant_query *query, pliant_body *const *bodies,
                                               uint32_t count,
                                               const pliant_advance_options *options,
                                               pliant_advance *advance);

#ifdef __cplusplus
}
#endif

#endif
