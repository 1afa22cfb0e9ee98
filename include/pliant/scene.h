/*
 * Pliant: scenes. Many bodies at once: a broad phase finds which may touch, and the context's
 * workers find which triangles do. The answer and its order do not depend on the number of workers,
 * on who schedules them, or on the broad phase.
 */
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include "continuous.h"
#include "proxy.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pliant_scene pliant_scene;

/* How the pairs of bodies whose boxes meet are found. No choice changes any answer. */
typedef enum pliant_broad {
    PLIANT_BROAD_AUTO = 0,  /* by the number of bodies, and how they lie and move */
    PLIANT_BROAD_ALL_PAIRS, /* every pair of boxes: best for some tens of bodies */
    PLIANT_BROAD_SWEEP,     /* sweep and prune: sorted axes, re-sorted as bodies move */
    PLIANT_BROAD_GRID,      /* a uniform grid: for thousands of bodies of similar size */
    PLIANT_BROAD_SORT,      /* one axis, sorted anew each time: for hundreds to thousands */
    PLIANT_BROAD_TREE       /* a tree that is kept: for tens to many thousands that move a little */
} pliant_broad;

typedef struct pliant_scene_def {
    uint32_t tag;       /* set by pliant_scene_def_default() */
    pliant_broad broad; /* default PLIANT_BROAD_AUTO */
} pliant_scene_def;

PLIANT_DEFAULT(pliant_scene_def)

/* Creates an empty scene; `def` may be NULL for the defaults. */
PLIANT_API pliant_result pliant_scene_create(pliant_context *context, const pliant_scene_def *def,
                                             pliant_scene **scene);

/* Destroys a scene. Its bodies are not destroyed; they are in no scene afterwards. NULL is
   ignored. */
PLIANT_API void pliant_scene_destroy(pliant_scene *scene);

/*
 * Names a body within its scene. Indices are reused, the lowest free one first; the generation
 * tells a new body from one that was there before.
 */
typedef struct pliant_body_id {
    uint32_t index;
    uint32_t generation; /* never 0 */
} pliant_body_id;

/* How a body takes part. */
typedef struct pliant_member_def {
    uint32_t tag;      /* set by pliant_member_def_default() */
    uint64_t category; /* default 1 */
    uint64_t mask;     /* default all ones. Two bodies are compared if each one's category has a bit
                          in the other's mask */
    bool self;         /* also look at the body with itself; default false */
    bool is_static;    /* it is never compared with other static bodies; it may move all the same;
                          default false */
    void *user;        /* yours: answers name the body by its id and by this; default NULL */
    pliant_groups groups; /* contacts, distances, features and what meets in a step: only triangles
                             of these groups take part; bits NULL (the default): all of them. The
                             scene keeps a copy */
    bool proxies;       /* pliant_scene_collide_proxies(): it takes part as proxies, which its shape
                           must have, not with its triangles; default false */
    bool has_loose_box; /* default false */
    pliant_box loose_box; /* you vouch that every state of the body, and its shape's error, stays
                             inside this box, whose sides may be infinite as those of
                             pliant_overlap_box(). While it meets no other body's, the body is not
                             read at all, not even for its bounds; where the body is read and is not
                             inside, the call fails */
} pliant_member_def;

PLIANT_DEFAULT(pliant_member_def)

/*
 * Puts a body into the scene; `def` may be NULL for the defaults. A body can be in one scene at a
 * time. It stays yours: if you destroy it, the scene goes on without it.
 */
PLIANT_API pliant_result pliant_scene_add(pliant_scene *scene, pliant_body *body,
                                          const pliant_member_def *def, pliant_body_id *id);

/* Takes a body out. An id that names nobody (any more) is an error. */
PLIANT_API pliant_result pliant_scene_remove(pliant_scene *scene, pliant_body_id id);

/* Changes how a body takes part; `def` may be NULL for the defaults. */
PLIANT_API pliant_result pliant_scene_set_member(pliant_scene *scene, pliant_body_id id,
                                                 const pliant_member_def *def);

/* The body an id names, or NULL. */
PLIANT_API pliant_body *pliant_scene_get_body(const pliant_scene *scene, pliant_body_id id);

/* What the body was put in with, or pliant_scene_set_member() made of it. Its groups are the
   scene's copy, which lives until the next change of the member. */
PLIANT_API pliant_result pliant_scene_get_member(const pliant_scene *scene, pliant_body_id id,
                                                 pliant_member_def *def);

/* The user pointer of the body an id names; NULL if it names nobody. */
PLIANT_API void *pliant_scene_get_user(const pliant_scene *scene, pliant_body_id id);

/* The id of a body; false if it is not in this scene, and `id` is then left alone. */
PLIANT_API bool pliant_scene_find_id(const pliant_scene *scene, const pliant_body *body,
                                     pliant_body_id *id);

/*
 * Goes on to the body of the next higher index; false behind the last, and `id` is then left alone.
 * Generation 0 starts at the first:
 *     for (pliant_body_id id = {0}; pliant_scene_find_next(scene, &id);) { ... }
 * Bodies may come and go meanwhile, the one that `id` names too.
 */
PLIANT_API bool pliant_scene_find_next(const pliant_scene *scene, pliant_body_id *id);

/* How many bodies are in the scene. */
PLIANT_API uint32_t pliant_scene_get_body_count(const pliant_scene *scene);

/* A body of a scene, and what it is given. */
typedef struct pliant_scene_state {
    pliant_body_id body;
    pliant_state state;
} pliant_scene_state;

/*
 * Sets the states of `count` bodies of any kinds, each named once, as pliant_body_set_state() would
 * one after the other, but on all workers, and all or nothing: if one is refused, no state changes,
 * and the sentence names the first that is.
 */
PLIANT_API pliant_result pliant_scene_set_states(pliant_scene *scene,
                                                 const pliant_scene_state *states, uint32_t count);

/*
 * Whether two bodies are to be compared; called for pairs that pass category and mask and are not
 * both static, a before b in the order of indices, from the thread that called the scene. Until
 * that call ends, the scene answers nothing else, and what would change it or a body in it fails
 * with PLIANT_ERROR_STATE. If the filter destroys the scene or one of its bodies, they go when the
 * call ends, which then fails.
 */
typedef bool (*pliant_scene_filter)(void *user, pliant_body_id a, pliant_body_id b);

/* Two bodies that touch, or one that touches itself (a == b), and where their pairs are. */
typedef struct pliant_scene_pair {
    pliant_body_id a, b;   /* a.index <= b.index */
    void *user_a, *user_b; /* pliant_member_def.user of both */
    uint64_t first, count; /* of pliant_scene_contacts.pairs; count is at least 1 */
    bool complete;         /* false: its budget was spent, and there may be more */
} pliant_scene_pair;

/*
 * Receives all contacts of one pair of bodies, sorted; `bodies->first` is 0. Pairs of bodies come
 * ascending, from the thread that called the scene. Return false to stop. The arrays live until the
 * function returns; until the scene's call ends, the rules of pliant_scene_filter hold.
 */
typedef bool (*pliant_scene_callback)(void *user, const pliant_scene_pair *bodies,
                                      const pliant_contacts *contacts);

/* The same for what meets of one pair of bodies in a step, ascending by exact time. */
typedef bool (*pliant_scene_meetings_callback)(void *user, const pliant_scene_pair *bodies,
                                               const pliant_meetings *meetings);

/* Options of the queries of a scene. A call fails if an option that it does not use differs from
   its default. */
typedef struct pliant_scene_options {
    uint32_t tag;             /* set by pliant_scene_options_default() */
    pliant_collide_mode mode; /* per pair of bodies: all touching triangles (the default), or one;
                                 pliant_scene_collide() and pliant_scene_find_meetings() */
    pliant_neighbours neighbours; /* within bodies that have `self` set; pliant_scene_collide() */
    pliant_scene_filter filter;   /* default NULL: no filter */
    void *filter_user;
    /* Contacts, contacts of proxies, and what meets in a step: */
    uint64_t budget_nodes;        /* stop after this many pairs of nodes, for each pair of bodies;
                                     0 (the default): never. The same input stops at the same place,
                                     whatever the workers, which then do not share pairs of bodies.
                                     For sorting meetings see pliant_meeting_options */
    uint64_t budget_microseconds; /* stop after about this time, for all of them together, not
                                     counting bounds and the broad phase; 0 (the default): never */
    bool only_self; /* all but proxies: every body with itself, whatever its pliant_member_def, and
                       no others; default false */
    bool across_groups; /* pliant_scene_find_within(): of a body with itself, only triangles of
                           different groups; default false */
    bool first_in_all;  /* pliant_scene_collide(): only the lowest pair of bodies that touches, with
                           one pair of triangles; pliant_scene_find_meetings(): only the earliest
                           meeting; default false */
    /* What meets in a step only: */
    float distance; /* what comes that close meets, as in pliant_meeting_options; default 0 */
    /* pliant_scene_collide() only: */
    bool segments;    /* also compute what each pair of triangles has in common; default false */
    bool separations; /* also compute how to part each pair of triangles; default false */
    pliant_separation_side separation_side; /* default PLIANT_SEPARATION_SHORTEST */
    bool events; /* also find out what changed: see pliant_scene_get_events(); default false */
    pliant_scene_callback callback; /* if set, contacts go there and none are stored */
    /* pliant_scene_find_meetings() only: if set, meetings go there and none are stored */
    pliant_scene_meetings_callback meetings_callback;
    void *callback_user; /* of either */
} pliant_scene_options;

PLIANT_DEFAULT(pliant_scene_options)

/* The answer. Arrays belong to the scene and live until its next call. */
typedef struct pliant_scene_contacts {
    const pliant_scene_pair *bodies;      /* ascending by a.index, then b.index */
    uint32_t body_pair_count;             /* with a callback: pairs of bodies given to it */
    const pliant_pair *pairs;             /* per pair of bodies ascending by triangle */
    const pliant_segment *segments;       /* same order; NULL unless asked for */
    const pliant_separation *separations; /* the same */
    uint64_t count;                       /* with a callback: pairs given to it */
    const pliant_scene_pair *undecided;   /* pairs of bodies whose budget was spent before a contact
                                             was found, ascending; their count is 0 */
    uint32_t undecided_count;
    bool complete; /* false: some pair of bodies is undecided or not complete, or the callback
                      stopped; what is reported does touch, but there may be more */
} pliant_scene_contacts;

/*
 * Which triangles of which bodies touch, for all bodies of the scene in their current states. A
 * scene may be used by one thread at a time; its bodies by nobody else meanwhile. If the call
 * fails, the sentence names the body by its index. More than 4,294,901,759 pairs of bodies whose
 * boxes meet are PLIANT_ERROR_TOO_LARGE. With a callback `contacts` may be NULL.
 */
PLIANT_API pliant_result pliant_scene_collide(pliant_scene *scene,
                                              const pliant_scene_options *options,
                                              pliant_scene_contacts *contacts);

/* What happened to a pair of bodies between two calls. */
typedef enum pliant_touch {
    PLIANT_TOUCH_BEGAN = 0, /* they touch, and did not before */
    PLIANT_TOUCH_ONGOING,   /* they touch, and did before */
    PLIANT_TOUCH_ENDED      /* they touched before, and do not, or one of them has left */
} pliant_touch;

typedef struct pliant_scene_event {
    pliant_body_id a, b;   /* a.index <= b.index; equal: a body with itself */
    void *user_a, *user_b; /* pliant_member_def.user of both, when they last touched */
    pliant_touch touch;
} pliant_scene_event;

/*
 * Which pairs of bodies began, go on and ended touching between the latest two calls of
 * pliant_scene_collide() that asked for events and succeeded (before the first nobody touches);
 * ascending by a.index, then b.index. What filters leave out does not touch; a pair that the latest
 * call left undecided is as it was; docs/definition.md, D13, has the whole of it. The array belongs
 * to the scene and lives until the next such call; NULL if there are none. `count` may be NULL.
 */
PLIANT_API const pliant_scene_event *pliant_scene_get_events(const pliant_scene *scene,
                                                             uint32_t *count);

/* Contacts of proxies by pair of bodies. Arrays live until the next call. */
typedef struct pliant_scene_proxy_contacts {
    const pliant_scene_pair *bodies; /* ascending by a.index, then b.index; a differs from b */
    uint32_t body_pair_count;
    const pliant_proxy_contact *contacts; /* per pair of bodies ascending, as in
                                             pliant_collide_proxies() */
    uint64_t count;
    bool complete; /* false: a budget was spent, and some contacts are coarse */
} pliant_scene_proxy_contacts;

/*
 * The contacts of pliant_collide_proxies() for all pairs of bodies of the scene whose boxes meet
 * and which category, mask and filter let through; contacts of a body with itself are not looked
 * for. Whether a body takes part as proxies is up to its pliant_member_def. Wherever triangles of
 * two bodies touch there is a contact that covers them, with a spent budget too.
 */
PLIANT_API pliant_result pliant_scene_collide_proxies(pliant_scene *scene,
                                                      const pliant_scene_options *options,
                                                      pliant_scene_proxy_contacts *contacts);

/* What the latest question cost, of scene_query.h too; counts do not depend on the workers. */
typedef struct pliant_scene_stats {
    pliant_stats narrow;     /* over all pairs; seconds_update is the time for all bodies' bounds */
    uint32_t bodies_updated; /* whose bounds were asked for in a new state */
    uint32_t pairs_broad;    /* body pairs whose boxes meet */
    uint32_t pairs_narrow;   /* body pairs compared, after filters; bodies with `self` included */
    uint32_t pairs_touching; /* of these, or within the distance */
    double seconds_broad;
    double seconds_narrow;
    double seconds_collect; /* gathering and sorting the results */
} pliant_scene_stats;

PLIANT_API const pliant_scene_stats *pliant_scene_get_stats(const pliant_scene *scene);

/* Pairs of triangles within a distance, by pair of bodies. Arrays live until the next call. */
typedef struct pliant_scene_proximities {
    const pliant_scene_pair *bodies; /* ascending by a.index, then b.index */
    uint32_t body_pair_count;
    const pliant_proximity *pairs; /* per pair of bodies ascending by triangle */
    uint64_t count;
} pliant_scene_proximities;

/*
 * Which triangles of the scene are within a distance of each other: as in pliant_find_within() for
 * the pairs of bodies that category, mask and the filter of `options` (NULL for none) let through,
 * and as in pliant_find_within_self() for bodies that have `self` set.
 */
PLIANT_API pliant_result pliant_scene_find_within(pliant_scene *scene, float distance,
                                                  const pliant_scene_options *options,
                                                  pliant_scene_proximities *proximities);

/*
 * All bodies of the scene begin a step: pliant_body_begin_step() for each, or for none if that
 * fails.
 */
PLIANT_API pliant_result pliant_scene_begin_step(pliant_scene *scene);

/* Pairs of triangles that meet in the step, by pair of bodies. Arrays live until the next call. */
typedef struct pliant_scene_meetings {
    const pliant_scene_pair *bodies; /* ascending by a.index, then b.index */
    uint32_t body_pair_count;
    const pliant_pair *pairs; /* per pair of bodies ascending by exact time, then by a and b */
    const pliant_meeting *meetings;     /* the same order */
    uint64_t count;                     /* with a callback: meetings given to it */
    const pliant_scene_pair *undecided; /* as in pliant_scene_contacts */
    uint32_t undecided_count;
    bool complete; /* as there; false with first_in_all: there may be an earlier one */
} pliant_scene_meetings;

/*
 * Which triangles of the scene meet while its bodies move to their current states: as in
 * pliant_find_meetings() for the pairs of bodies that category, mask, is_static and the filter of
 * `options` (NULL for none) let through, and as in pliant_find_meetings_self() for bodies that have
 * `self` set; with a distance what comes that close. With PLIANT_COLLIDE_FIRST the earliest of each
 * pair of bodies, with first_in_all that of the whole scene, exactly; of several at the same time
 * the lowest bodies, then triangles. A loose box must hold the body at both ends of its step. With
 * a callback `meetings` may be NULL.
 */
PLIANT_API pliant_result pliant_scene_find_meetings(pliant_scene *scene,
                                                    const pliant_scene_options *options,
                                                    pliant_scene_meetings *meetings);

/* Until when nothing of a scene meets. */
typedef struct pliant_scene_free_time {
    pliant_body_id a, b;   /* of which bodies something meets first, a.index <= b.index; generations
                              0 if nothing meets */
    void *user_a, *user_b; /* pliant_member_def.user of both */
    pliant_free_time path; /* when, and what of them */
} pliant_scene_free_time;

/*
 * How far all bodies of the scene may move on their ways before anything meets: the first of
 * pliant_scene_find_meetings() with first_in_all, as pliant_find_free_time() gives it. Of `options`
 * (NULL for the defaults) filter, only_self, distance and the budgets count. What would meet later
 * than the earliest found so far is not looked for.
 */
PLIANT_API pliant_result pliant_scene_find_free_time(pliant_scene *scene,
                                                     const pliant_scene_options *options,
                                                     pliant_scene_free_time *found);

/* How far the bodies of a scene were advanced, and what kept them from going on. */
typedef struct pliant_scene_advance {
    float time;                  /* they are where they would be at this time, rounded to float32 */
    pliant_scene_free_time path; /* what meets first on the way that was asked for; if its `path` is
                                    not complete, as in pliant_advance */
} pliant_scene_advance;

/*
 * pliant_advance_bodies() for all bodies of the scene: those that may meet are those of
 * pliant_scene_find_free_time(), with the same options, but for bodies of which neither moves, and
 * for those that stand still and have `self` set. Budgets hold each time that a way is asked about.
 * Recordings have the states that come of it, not the call. On failure all bodies are as before.
 */
PLIANT_API pliant_result pliant_scene_advance_bodies(pliant_scene *scene,
                                                     const pliant_scene_options *options,
                                                     pliant_scene_advance *advance);

/* Features within a distance, by pair of bodies. Arrays live until the next call. */
typedef struct pliant_scene_features {
    const pliant_scene_pair *bodies; /* ascending by a.index, then b.index */
    uint32_t body_pair_count;
    const pliant_feature_pair *pairs; /* per pair of bodies ascending by kind, then a, then b */
    uint64_t count;
    pliant_scene_contacts crossings; /* triangles that touch, as pliant_scene_collide() gives them
                                        with its defaults, by pairs of bodies of their own */
} pliant_scene_features;

/*
 * Which vertices and faces and which edges of the scene are within a distance of each other: as in
 * pliant_find_features() for the pairs of bodies that category, mask and the filter of `options`
 * (NULL for none) let through, and as in pliant_find_features_self() for bodies that have `self`
 * set. What a solver with barriers or repulsions asks about all its bodies at once.
 */
PLIANT_API pliant_result pliant_scene_find_features(pliant_scene *scene, float distance,
                                                    const pliant_scene_options *options,
                                                    pliant_scene_features *features);

#ifdef __cplusplus
}
#endif

#endif
