/*
 * A scene as a container: members, their bounds in states and over steps, and the pairs of bodies
 * that may touch. It knows no query; the state of queries is behind a pointer.
 */
#ifndef PLI_SCENE_SCENE_H
#define PLI_SCENE_SCENE_H

#include "pliant/recording.h"
#include "pliant/scene.h"

#include "base/team.h"
#include "body/refresh.h"
#include "bounds/boxes.h"
#include "broad/broad.h"

/* A member in queries about states, or about steps, for which its body's sweep stands. */
typedef struct pli_presence {
    _Alignas(8) uint64_t box_state; /* state of the body or sweep that the broad phase knows */
    uint64_t arena_state;           /* state of the body or sweep that the arenas are of */
    pli_arena *arenas; /* one per worker; NULL with one worker, and for steps until needed */
    bool in_broad;     /* the broad phase knows of the slot */
} pli_presence;

typedef struct pli_member {
    pliant_body *body;    /* NULL in a free slot */
    pli_presence over[2]; /* states, steps */
    uint32_t generation;
    uint32_t named; /* 1 while the member is on a list of members within a call */
    pliant_member_def def;
} pli_member;

/* Costs of one worker in updates. */
typedef struct pli_update_costs {
    pliant_stats stats;
    uint32_t bodies_updated;
} pli_update_costs;

typedef struct pli_recording pli_recording;         /* recording.h */
typedef struct pli_scene_queries pli_scene_queries; /* query/scene_queries.h */

enum { PLI_SCENE_ARRAYS = 7 };

struct pliant_scene {
    pli_host host; /* the part of the scene that its bodies can access */
    pliant_context *context;
    pli_broad *broad[2]; /* over states, over steps; the second is NULL until needed */
    pliant_broad broad_asked;
    uint32_t slot_count;     /* slots ever used */
    uint32_t member_count;   /* slots with bodies */
    uint32_t lowest_free;    /* no slot below is free */
    uint32_t loose_count;    /* members with a declared box */
    uint32_t self_count;     /* members tested for self-collision */
    uint32_t filtered_count; /* members with a category or mask that can exclude pairs */
    uint32_t static_count;   /* members that are not compared with each other */
    uint32_t grouped_count;  /* members that take part with some groups only */
    uint32_t large_count;    /* members whose updates are spread over the workers */
    uint32_t open_count;     /* members whose shape is not closed */
    uint32_t endless_count;  /* members whose declared box has infinite sides */
    pliant_scene_stats stats;
    pli_recording *recording; /* NULL: it is not being recorded */
    uint32_t worker_count;
    pli_team team;
    /* Members to be compared, a << 32 | b with a <= b, ascending: the broad phase's own list where
       nothing is left out or added, else that of pair_keys. */
    const uint64_t *pairs;
    uint32_t pair_count;
    pli_scene_queries *queries; /* NULL until the first query, which sets the function below */
    void (*release_queries)(pliant_scene *scene);
    union {
        struct {
            PLI_ARRAY(pli_member) members;          /* by slot */
            PLI_ARRAY(PLI_ATOMIC(uint8_t)) changed; /* that of the host */
            PLI_ARRAY(pli_update_costs) costs;      /* by worker */
            PLI_ARRAY(pli_next_state) next_states;  /* of pliant_scene_set_states() */
            pli_indices slots;                      /* members to prepare */
            pli_keys pair_keys;
            PLI_ARRAY(pliant_body *) bodies; /* by slot, of pliant_scene_advance_bodies() */
        };
        pli_array arrays[PLI_SCENE_ARRAYS];
    };
};

PLI_CHECK_ARRAYS(struct pliant_scene);

/* The body of a member, or its sweep. */
static inline pliant_body *pli_member_body(const pli_member *member, bool over_step)
{
    return over_step ? member->body->sweep : member->body;
}

/* The arena of a worker in a member's body or sweep; NULL: the body's own. */
static inline pli_arena *pli_member_arena(const pli_member *member, bool over_step, uint32_t worker)
{
    pli_arena *arenas = member->over[over_step].arenas;
    return arenas != NULL ? &arenas[worker] : NULL;
}

/* The members of a pair. */
static inline uint32_t pli_pair_a(uint64_t pair)
{
    return (uint32_t)(pair >> 32);
}

static inline uint32_t pli_pair_b(uint64_t pair)
{
    return (uint32_t)pair;
}

/* ---------------------------------------------------------------- scene.c */

/* Bytes of a member's arenas; the kind of broad phase. */
size_t pli_scene_arenas_size(const pliant_scene *scene);
pli_broad_kind pli_scene_broad_kind(const pliant_scene *scene);

/* Returns where a body may be before its bounds are known: anywhere, or in its declared box. */
pliant_box pli_scene_first_box(const pliant_member_def *def);

/*
 * Begins a call; ends one as `result` says. In between filters may run: the caller's code, which
 * may come back to the scene and its bodies. Calls that would change them fail. Bodies that were
 * destroyed go at the end, and the call fails. Results are written only after that.
 */
pliant_result pli_scene_begin_call(pliant_scene *scene, const char *call);
pliant_result pli_scene_end_call(pliant_scene *scene, pliant_result result);

/*
 * Checks a box that a caller gave under a name. Sides may be infinite: such a box goes on without
 * end. NaN, a lower side above the upper one, and a box beyond all numbers are refused.
 */
pliant_result pli_box_check(const pliant_box *box, const char *name);

/* Returns true if a declared box has infinite sides. */
bool pli_scene_is_endless(const pliant_member_def *def);

/* -------------------------------------------------------- scene_members.c */

/* The member of an id, or NULL; the second one then sets the error. */
pli_member *pli_scene_find_member(const pliant_scene *scene, pliant_body_id id);
pli_member *pli_scene_member(const pliant_scene *scene, pliant_body_id id);

/* The id of a slot's body. */
pliant_body_id pli_scene_id(const pliant_scene *scene, uint32_t slot);

/* Gives a member a definition, with a copy of its groups; without memory it keeps the one it has.
   The second frees the copy. */
pliant_result pli_scene_define_member(const pliant_scene *scene, pli_member *member,
                                      const pliant_member_def *def);
void pli_scene_release_groups(const pliant_scene *scene, pli_member *member);

/* --------------------------------------------------------------- bounds.c */

/* Forgets pairs, failures, statistics and costs of updates. */
void pli_scene_start_over(pliant_scene *scene);

/* Returns true if a body is so large that workers share its update. */
bool pli_scene_is_large(const pliant_body *body);

/* Brings the bounds of all bodies without a declared box, or of their sweeps, up to date, and moves
   them in the broad phase. */
pliant_result pli_scene_update(pliant_scene *scene, bool over_step);

/* The same for bodies with declared boxes that take part in a pair; fails unless they lie inside.
 */
pliant_result pli_scene_update_loose(pliant_scene *scene, bool over_step);

/* The same for one body in a state, by one worker. */
pliant_result pli_scene_read_loose(pliant_scene *scene, uint32_t slot, uint32_t worker);

/* Returns the largest error of the shapes of members without declared boxes, in the world. */
float pli_scene_largest_error(const pliant_scene *scene, bool over_step);

/* Boxes: of the root of a prepared body's tree; of its state alone, grown by an error; the known
   box of a member, its own or the declared one. */
pliant_box pli_scene_body_box(const pliant_body *body);
pliant_box pli_scene_state_box(const pliant_body *body, float error);
pliant_box pli_scene_member_box(const pli_member *member);

/* Adds costs of one worker: what it refreshed of a body, and where the body needs it to the body.
 */
void pli_scene_add_counts(pliant_scene *scene, uint32_t worker, pliant_body *body,
                          const pli_refresh_counts *made);

/* Returns the failure of the lowest body, if any. */
pliant_result pli_scene_body_failure(const pliant_scene *scene);

/* Adds up costs of updates of all workers. */
void pli_scene_add_update_stats(pliant_scene *scene);

/* Adds the counts of one worker. */
void pli_stats_add(pliant_stats *total, const pliant_stats *stats);

/* ---------------------------------------------------------------- pairs.c */

/* Lists the pairs of members to be compared, by a broad phase and filters, in scene->pairs: of
   bodies or sweeps whose boxes meet or, if `distance` is not NULL, are within that. */
pliant_result pli_scene_find_pairs(pliant_scene *scene, bool over_step,
                                   const pliant_scene_options *options, const float *distance);

/* Returns the failure of the lowest pair, if any. */
pliant_result pli_scene_pair_failure(const pliant_scene *scene);

#endif
