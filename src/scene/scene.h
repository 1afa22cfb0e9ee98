/* The inside of a scene. */
#ifndef PLI_SCENE_SCENE_H
#define PLI_SCENE_SCENE_H

#include "pliant/recording.h"
#include "pliant/scene.h"
#include "pliant/volume.h"

#include "broad/broad.h"
#include "query/collision.h"
#include "query/proxies.h"
#include "scene/scene_question.h"

typedef struct pli_member {
    pliant_body *body; /* NULL in a free slot */
    pli_arena *arenas; /* one per worker; NULL with one worker */
    uint32_t generation;
    uint32_t named; /* 1 while a state of pliant_scene_set_states() is of it, or a start that
                       is made in this call */
    _Alignas(8) uint64_t box_state; /* the body's state that this box is of */
    uint64_t arena_state;           /* the body's state that the arenas are of */
    pliant_member_def def;
    /* The same of the body's sweep, in questions about a step; see scene_sweeps.c. */
    pli_arena *sweep_arenas; /* NULL until they are needed */
    uint64_t sweep_box_state, sweep_arena_state;
    bool in_swept; /* the broad phase of sweeps knows of the slot */
} pli_member;

typedef struct pli_recording pli_recording; /* recording.h */

enum { PLI_MOST_DONATED = 126 }; /* tasks at a time; see scene_narrow.c */

/* A worker's share of a stage. */
typedef struct pli_share {
    _Alignas(64) PLI_ATOMIC(uint32_t) next; /* of the numbers that it was given, up to the end */
    uint32_t end;
    char rest_of_line[56]; /* others take numbers there */
    /* Tasks that another donated while this worker was idle; only this one looks at the line. */
    _Alignas(64) PLI_ATOMIC(uint32_t) donated_count;
    uint32_t donated_pair;
    pli_task donated[PLI_MOST_DONATED];
} pli_share;

typedef PLI_ARRAY(pliant_scene_pair) pli_scene_answer;

enum { PLI_SCENE_ARRAYS = 16 };

struct pliant_scene {
    pli_host host; /* what its bodies know of it */
    pliant_context *context;
    pli_broad *broad;
    pli_broad *swept; /* the boxes of bodies throughout their steps; NULL until asked for */
    pliant_broad broad_asked;
    uint32_t slot_count;     /* slots ever used */
    uint32_t member_count;   /* bodies in them */
    uint32_t lowest_free;    /* no slot below is free */
    uint32_t loose_count;    /* bodies with a loose box, */
    uint32_t self_count;     /* that are compared with themselves, */
    uint32_t filtered_count; /* that are not compared with everybody, */
    uint32_t static_count;   /* that are not compared with each other, */
    uint32_t grouped_count;  /* that take part with some groups only, */
    uint32_t large_count;    /* whose updates are spread over the workers, */
    uint32_t open_count;     /* whose shapes are not closed, */
    uint32_t endless_count;  /* whose loose boxes have infinite sides */
    pliant_scene_stats stats;
    pli_recording *recording; /* NULL: it is not being recorded */
    uint32_t worker_count;
    pli_worker *workers;
    /* Members to be compared, a << 32 | b with a <= b, ascending: the broad phase's own list where
       nothing is left out or added, else that of pair_keys. */
    const uint64_t *pairs;
    uint32_t pair_count;
    pli_question_arrays asked;
    pli_collection found, features; /* triangles; features, which have lists of their own */
    union {
        struct {
            PLI_ARRAY(pli_member) members;          /* by slot */
            PLI_ARRAY(PLI_ATOMIC(uint8_t)) changed; /* that of the host */
            /* Scratch of pliant_scene_set_states(). */
            PLI_ARRAY(pli_next_state) next_states;
            /* Scratch of pliant_scene_collide(), and its answer. */
            PLI_ARRAY(pli_asking_worker) asking; /* one per worker */
            PLI_ARRAY(pli_share) shares;         /* the same */
            pli_indices slots;                   /* members to prepare */
            pli_keys pair_keys;
            pli_scene_answer answer;
            pli_keys over_budget; /* pairs whose budget was spent before a contact was found */
            PLI_ARRAY(pliant_scene_pair) undecided; /* the same for the caller */
            /* Touch events: pairs that touch in this call, events of the last one, and of this. */
            pli_keys touching;
            PLI_ARRAY(pliant_scene_event) events, new_events;
            /* Answers to the other questions. */
            pli_scene_answer feature_answer;
            PLI_ARRAY(pliant_scene_volume) volumes;
            PLI_ARRAY(pliant_body *) advanced; /* by slot */
        };
        pli_array arrays[PLI_SCENE_ARRAYS];
    };
};

PLI_CHECK_ARRAYS(struct pliant_scene);

/* What of a member is asked about, its body or the sweep of that, and its arenas. */
static inline pliant_body *pli_member_body(const pli_member *member, bool swept)
{
    return swept ? member->body->sweep : member->body;
}

static inline pli_arena *pli_member_arenas(const pli_member *member, bool swept)
{
    return swept ? member->sweep_arenas : member->arenas;
}

/* scene.c: bytes of a member's arenas; what a broad phase is to be of. */
size_t pli_scene_arenas_size(const pliant_scene *scene);
pli_broad_kind pli_scene_broad_kind(const pliant_scene *scene);

/* scene.c: where a body may be before its bounds are known: anywhere, or in its loose box. */
pliant_box pli_scene_first_box(const pliant_member_def *def);

/* The members of a pair. */
static inline uint32_t pli_pair_a(uint64_t pair)
{
    return (uint32_t)(pair >> 32);
}

static inline uint32_t pli_pair_b(uint64_t pair)
{
    return (uint32_t)pair;
}

/*
 * scene.c: a call begins, and ends as `result` says. In between filters may run: the caller's code,
 * which may come back to the scene and its bodies. What would change them is refused; those that
 * were destroyed go now, and the call fails. Answers are written only after that.
 */
pliant_result pli_scene_begin_call(pliant_scene *scene, const char *call);
pliant_result pli_scene_end_call(pliant_scene *scene, pliant_result result);

/* scene_collide.c: forgets pairs, results, failures and costs of the call before. */
void pli_scene_start_over(pliant_scene *scene);

/* scene_question.c: the box that a member's body is known to lie in: its own, or the loose one. */
pliant_box pli_scene_member_box(const pli_member *member);

/* scene_collide.c: the stages that all kinds of collisions have in common. Starts over: bounds,
   broad phase, filters; scene->pairs is then the work: of bodies whose boxes meet or, where
   `distance` is not NULL, are within that. */
pliant_result pli_scene_find_work(pliant_scene *scene, const pliant_scene_options *options,
                                  const float *distance);

/*
 * Distributes the numbers below `count` over the workers, for a stage in which each takes them with
 * pli_scene_take() until there are none. A worker begins with a range of its own, so that from step
 * to step it meets the same bodies and finds them in its cache; then it helps others with theirs.
 */
void pli_scene_distribute(pliant_scene *scene, uint32_t count);

/* Up to `portion` numbers from *first on; returns how many, 0 when all are taken. */
uint32_t pli_scene_take(pliant_scene *scene, uint32_t worker, uint32_t portion, uint32_t *first);

/* Adds what a worker refreshed of a body to its statistics, and where it matters to the body. */
void pli_scene_add_counts(pliant_scene *scene, uint32_t worker, pliant_body *body,
                          const pli_refresh_counts *made);

/* scene_narrow.c: a worker's run about two members will make records, and has made them. */
void pli_scene_set_arenas(pli_run *run, const pli_member *a, const pli_member *b, uint32_t worker);
void pli_scene_count_run(pliant_scene *scene, uint32_t worker, const pli_run *run);

/* How pairs are compared. */
typedef struct pli_scene_comparison {
    const pliant_collide_options *collide; /* NULL: not triangles that touch, */
    const pliant_meeting_options *meet;    /* but those that meet in the step; NULL: not these, */
    double limit;                          /* which do so no later than this; */
    double deadline;                       /* of both; 0: none. Else what is within the distance: */
    float distance;
    bool across_groups; /* of triangles of one body, only those of different groups */
    bool features;      /* not triangles, but features, with the triangles that touch */
} pli_scene_comparison;

/* scene_narrow.c: compares all pairs on all workers; results are in the workers' queries. Those
   within a distance are sorted run by run, in the column. */
pliant_result pli_scene_compare_pairs(pliant_scene *scene, const pli_scene_comparison *comparison);

/* The failure of the lowest pair, if there is one. */
pliant_result pli_scene_pair_failure(const pliant_scene *scene);

/* scene_collect.c: collects lists of what the workers found, in two stages, as `how` says (lists,
   columns and conversion), and names the pairs of bodies. */
pliant_result pli_scene_list_results(pliant_scene *scene, pli_collecting how, pli_collection *c);
pliant_result pli_scene_sort_results(pliant_scene *scene, pli_collecting how, pli_collection *c);
pliant_result pli_scene_collect(pliant_scene *scene, pli_collecting how, pli_collection *c,
                                pli_scene_answer *answer);
pliant_result pli_scene_name_parts(pliant_scene *scene, const pli_collection *c,
                                   pli_scene_answer *answer);

/* A pair of members, by the names that answers use. */
pliant_scene_pair pli_scene_name_pair(const pliant_scene *scene, uint64_t pair);

/* Adds up what all workers did. */
void pli_scene_add_worker_stats(pliant_scene *scene);

/* Completes the statistics of a narrow phase that began and ended at these times. */
void pli_scene_end_stats(pliant_scene *scene, uint64_t total, double began, double ended);

/* Forgets the failures of all workers. */
void pli_scene_forget_failures(pliant_scene *scene);

/* The worker with the lowest failure, or NULL. */
const pli_worker *pli_scene_first_failure(const pliant_scene *scene);

/* Returns the largest error of the shapes of members without loose boxes, in the world. */
float pli_scene_largest_error(const pliant_scene *scene, bool swept);

/* Lists the pairs of members to be compared, by a broad phase and filters, in scene->pairs;
   `distance` as in pli_scene_find_work(). */
pliant_result pli_scene_find_pairs(pliant_scene *scene, pli_broad *broad,
                                   const pliant_scene_options *options, const float *distance);

/* Prepares bodies with loose boxes that take part in a pair after all. */
pliant_result pli_scene_update_loose_bodies(pliant_scene *scene);

/* Brings the bounds of all bodies without a loose box up to date, and tells the broad phase. */
pliant_result pli_scene_update_boxes(pliant_scene *scene);

/* scene_large.c: whether a body is so large that workers share its update, and the update of all
   those without a loose box, or of their sweeps. */
bool pli_scene_is_large(const pliant_body *body);
pliant_result pli_scene_update_large_bodies(pliant_scene *scene, bool swept);

/* scene_pairs.c, for it: makes the arenas of a member or its sweep fresh if that has a new state;
   tells the broad phase where it is; the failure of the lowest body, if there is one. */
void pli_scene_open_arenas(const pliant_scene *scene, pli_member *member, bool swept);
void pli_scene_move_member(pliant_scene *scene, uint32_t slot, bool swept);
pliant_result pli_scene_body_failure(const pliant_scene *scene);

/* Boxes of a prepared body: of the root of its tree, and of its state alone, grown by an error. */
pliant_box pli_scene_body_box(const pliant_body *body);
pliant_box pli_scene_state_box(const pliant_body *body, float error);

/* Fails unless a prepared body, or its sweep, lies inside its loose box, if it has one. */
pliant_result pli_scene_check_loose_box(const pliant_scene *scene, uint32_t slot, bool swept);

/* scene_sweeps.c: the stages before the narrow phase of a question about a step, as
   pli_scene_find_work(): the sweeps of all bodies, and which may meet. */
pliant_result pli_scene_find_swept_work(pliant_scene *scene, const pliant_scene_options *options);

/* Whether two members are to be compared: not both are static, and category, mask and filter let
   them. */
bool pli_scene_may_touch(const pliant_scene *scene, const pliant_scene_options *options, uint32_t a,
                         uint32_t b);

/* scene_filter.c: the same for many pairs, without a filter of the caller's: those let through, and
   members with themselves, in ascending order in scene->pair_keys. */
pliant_result pli_scene_filter_many(pliant_scene *scene, const uint64_t *keys, size_t count);

/* Checks the options of a query; NULL: the defaults. */
pliant_result pli_scene_options_check(const pliant_scene_options *options,
                                      pliant_recorded_question query);

/* scene_members.c: the member an id names, or NULL; the second one then sets the error. */
pli_member *pli_scene_find_member(const pliant_scene *scene, pliant_body_id id);

/* scene_members.c: gives a member a definition, with a copy of its groups; without memory it keeps
   the one it has. The second lets go of the copy. */
pliant_result pli_scene_define_member(const pliant_scene *scene, pli_member *member,
                                      const pliant_member_def *def);
void pli_scene_release_groups(const pliant_scene *scene, pli_member *member);

/* scene_members.c: how two members are compared: `options`, or a copy with their groups. */
const pliant_collide_options *pli_scene_pair_options(const pliant_collide_options *options,
                                                     const pli_member *a, const pli_member *b,
                                                     pliant_collide_options *copy);
pli_member *pli_scene_member(const pliant_scene *scene, pliant_body_id id);

#endif
