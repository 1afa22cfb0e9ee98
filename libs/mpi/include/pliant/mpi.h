/*
 * Pliant: scenes over many processes, by MPI, in a library of its own (libpliant_mpi). Bodies are
 * spread over the processes of a communicator, its ranks; what touches across ranks is found from
 * states alone: a body that is needed elsewhere travels as its coordinates and transforms, and only
 * a free one as its positions. Shapes travel once, when a rank first needs one.
 *
 * Answers are those of one process with all bodies in one pliant_scene, whose indices go by
 * ascending id: they depend neither on the number of ranks nor on who has which body.
 *
 * A call that is said to be collective is made by all ranks, with the same options, in the same
 * order; where one rank calls another function, or with other options, all ranks fail with
 * PLIANT_ERROR_ARGUMENT. It fails on all ranks or on none: with the error of the lowest body that
 * has one, whose sentence names it by its id and its rank, and without memory on one rank all of
 * them return PLIANT_ERROR_OUT_OF_MEMORY. Nothing has changed then. The other calls are about this
 * rank alone.
 *
 * One thread of a rank calls a scene at a time; MPI_THREAD_FUNNELED is enough where that is the
 * main thread. The workers of the context never call MPI. Errors of MPI itself end the program, as
 * is its default.
 */
#ifndef PLIANT_MPI_H
#define PLIANT_MPI_H

#include "pliant/scene_query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pliant_mpi_scene pliant_mpi_scene;

/* Which rank compares two bodies that are on different ones. No choice changes any answer. */
typedef enum pliant_mpi_owner {
    PLIANT_MPI_OWNER_LOWER_ID = 0, /* that of the lower id */
    PLIANT_MPI_OWNER_LESS_LOADED   /* either, more often the one that had less work in the latest
                                      question */
} pliant_mpi_owner;

typedef struct pliant_mpi_scene_def {
    uint32_t tag;           /* set by pliant_mpi_scene_def_default() */
    int communicator;       /* MPI_Comm_c2f() of an intracommunicator, which must be set; the scene
                               uses a duplicate of it */
    pliant_mpi_owner owner; /* default PLIANT_MPI_OWNER_LOWER_ID */
    pliant_broad broad;     /* of each rank; may differ from rank to rank; default AUTO */
} pliant_mpi_scene_def;

PLIANT_DEFAULT(pliant_mpi_scene_def)

/*
 * Creates an empty scene. Collective. Ranks that run another version of the library, have another
 * byte order or another `owner` are found here: PLIANT_ERROR_ARGUMENT. MPI must be initialised.
 */
PLIANT_API pliant_result pliant_mpi_scene_create(pliant_context *context,
                                                 const pliant_mpi_scene_def *def,
                                                 pliant_mpi_scene **scene);

/*
 * Destroys a scene and its bodies. Collective, and due before MPI_Finalize(). NULL is ignored.
 * Where one rank destroys a scene while another makes a different call, that call fails, and the
 * other rank, whose later calls fail with PLIANT_ERROR_STATE, can only destroy it as well.
 */
PLIANT_API void pliant_mpi_scene_destroy(pliant_mpi_scene *scene);

/*
 * Makes a shape known under a key, to this rank. The scene keeps it alive. The same key must mean
 * the same shape on every rank that gives it one: collective questions fail with
 * PLIANT_ERROR_ARGUMENT where blocks differ. A key that this rank has already is an error, even
 * where its shape came from another rank.
 */
PLIANT_API pliant_result pliant_mpi_scene_add_shape(pliant_mpi_scene *scene, uint64_t key,
                                                    const pliant_shape *shape);

/* The shape that this rank has by a key, given or sent from another rank; NULL if it has none. */
PLIANT_API const pliant_shape *pliant_mpi_scene_get_shape(const pliant_mpi_scene *scene,
                                                          uint64_t key);

/*
 * Puts a body onto this rank: a new one of the shape with that key, in its rest state. `id` names
 * it on all ranks and decides the order of answers; no other body may have it, which the next
 * collective question finds out. UINT64_MAX is none. `body` and `member` may be NULL for the
 * defaults; their `user` and `proxies` mean nothing here.
 */
PLIANT_API pliant_result pliant_mpi_scene_add(pliant_mpi_scene *scene, uint64_t id,
                                              uint64_t shape_key, const pliant_body_def *body,
                                              const pliant_member_def *member);

/*
 * Takes a body out. On the rank that has it it is gone at once; else the next collective question
 * takes it out first, and fails if nobody has it: that id is then forgotten, and the others are
 * asked for again. It is the body of the last question that is taken out; one that was put in by
 * the same id since, on any rank, stays.
 */
PLIANT_API pliant_result pliant_mpi_scene_remove(pliant_mpi_scene *scene, uint64_t id);

/* Changes how a body of this rank takes part; `member` may be NULL for the defaults. */
PLIANT_API pliant_result pliant_mpi_scene_set_member(pliant_mpi_scene *scene, uint64_t id,
                                                     const pliant_member_def *member);

/* A body of this rank, and what it is given. */
typedef struct pliant_mpi_state {
    uint64_t id;
    pliant_state state;
} pliant_mpi_state;

/*
 * Sets the states of `count` bodies of this rank, each named once, as pliant_scene_set_states()
 * does. Collective: each rank gives those that it has, and if one is refused anywhere no state
 * changes. `count` may be 0 and `states` NULL.
 */
PLIANT_API pliant_result pliant_mpi_scene_set_states(pliant_mpi_scene *scene,
                                                     const pliant_mpi_state *states,
                                                     uint32_t count);

/* The ids of the bodies on this rank, ascending. The array lives until bodies come, go or move.
   NULL if there are none or there is no memory; `count` (which may be NULL) is then 0. */
PLIANT_API const uint64_t *pliant_mpi_scene_get_ids(pliant_mpi_scene *scene, uint32_t *count);

/* A body of this rank, to read from; NULL if it is not here. Its state is set through the scene.
   One that is torn makes the next collective call fail with PLIANT_ERROR_STATE until it is taken
   out: what it lost, other ranks could not know. */
PLIANT_API pliant_body *pliant_mpi_scene_get_body(const pliant_mpi_scene *scene, uint64_t id);

/* ---------------------------------------------------------------- questions */

/* Whether two bodies are to be compared, a < b; the same function on all ranks. What it may do is
   what a pliant_scene_filter may. */
typedef bool (*pliant_mpi_filter)(void *user, uint64_t a, uint64_t b);

/* What is asked, as in pliant_scene_options. */
typedef struct pliant_mpi_options {
    uint32_t tag;             /* set by pliant_mpi_options_default() */
    pliant_collide_mode mode; /* per pair of bodies: all touching triangles (the default), or one.
                                 Which one it is may depend on the ranks */
    pliant_neighbours neighbours;           /* within bodies that have `self` set */
    bool segments;                          /* default false */
    bool separations;                       /* default false */
    pliant_separation_side separation_side; /* default PLIANT_SEPARATION_SHORTEST */
    bool events;                            /* default false */
    pliant_mpi_filter filter;               /* default NULL: no filter */
    void *filter_user;
} pliant_mpi_options;

PLIANT_DEFAULT(pliant_mpi_options)

/* Two bodies of which something was found, or one with itself (a == b). */
typedef struct pliant_mpi_pair {
    uint64_t a, b;         /* ids, a <= b */
    uint64_t first, count; /* of the answer's pairs; count is at least 1 */
} pliant_mpi_pair;

/* What touches, of the pairs of bodies that this rank compared; gathered, of all. Arrays belong to
   the scene and live until its next call, but for the gather of this answer. */
typedef struct pliant_mpi_contacts {
    const pliant_mpi_pair *bodies; /* ascending by a, then b */
    uint64_t body_pair_count;
    const pliant_pair *pairs;             /* per pair of bodies ascending by triangle */
    const pliant_segment *segments;       /* same order; NULL unless asked for */
    const pliant_separation *separations; /* the same */
    uint64_t count;
} pliant_mpi_contacts;

/*
 * Which triangles of which bodies touch: pliant_scene_collide() over all ranks. Collective. Each
 * pair of bodies is in the answer of exactly one rank.
 */
PLIANT_API pliant_result pliant_mpi_scene_collide(pliant_mpi_scene *scene,
                                                  const pliant_mpi_options *options,
                                                  pliant_mpi_contacts *contacts);

/* Triangles within a distance, as above. */
typedef struct pliant_mpi_proximities {
    const pliant_mpi_pair *bodies; /* ascending by a, then b */
    uint64_t body_pair_count;
    const pliant_proximity *pairs; /* per pair of bodies ascending by triangle */
    uint64_t count;
} pliant_mpi_proximities;

/* Which triangles are within a distance: pliant_scene_find_within() over all ranks; of `options`
   the filter counts. Collective. */
PLIANT_API pliant_result pliant_mpi_scene_find_within(pliant_mpi_scene *scene, float distance,
                                                      const pliant_mpi_options *options,
                                                      pliant_mpi_proximities *proximities);

/* What happened to a pair of bodies between two calls; a body is known by its id alone. */
typedef struct pliant_mpi_event {
    uint64_t a, b; /* a <= b */
    pliant_touch touch;
} pliant_mpi_event;

/*
 * Which pairs of bodies began, go on and ended touching between the latest two calls of
 * pliant_mpi_scene_collide() that asked for events and succeeded: those that this rank keeps
 * account of, each pair on one rank, the same one in every call, which need not have compared it.
 * Ascending by a, then b. A body that left and came back in between is the same. The array lives
 * until the next such call; NULL if there are none. `count` may be NULL.
 */
PLIANT_API const pliant_mpi_event *pliant_mpi_scene_get_events(const pliant_mpi_scene *scene,
                                                               uint64_t *count);

/* Brings the latest answer of pliant_mpi_scene_collide() together on rank 0: the very list of one
   process, but for mode FIRST, where the triangles are those that the ranks found. On the other
   ranks `all` is empty. Collective. PLIANT_ERROR_STATE if the latest question was another. */
PLIANT_API pliant_result pliant_mpi_scene_gather_contacts(pliant_mpi_scene *scene,
                                                          pliant_mpi_contacts *all);

/* The same for pliant_mpi_scene_find_within(). */
PLIANT_API pliant_result pliant_mpi_scene_gather_proximities(pliant_mpi_scene *scene,
                                                             pliant_mpi_proximities *all);

/* The same for all events. `events` receives NULL if there are none; on the other ranks too. The
   array lives until the scene's next call. */
PLIANT_API pliant_result pliant_mpi_scene_gather_events(pliant_mpi_scene *scene,
                                                        const pliant_mpi_event **events,
                                                        uint64_t *count);

/* Where a ray meets a body of any rank. */
typedef struct pliant_mpi_ray_hit {
    uint64_t body; /* UINT64_MAX: the ray meets nobody */
    pliant_ray_hit hit;
} pliant_mpi_ray_hit;

/* Which bodies a ray is cast at; the same on all ranks. Questions take NULL for every body. */
typedef struct pliant_mpi_select {
    uint32_t tag;      /* set by pliant_mpi_select_default() */
    uint64_t category; /* as in pliant_scene_select; default 1 */
    uint64_t mask;     /* default all ones */
} pliant_mpi_select;

PLIANT_DEFAULT(pliant_mpi_select)

/*
 * The first triangle along each of `count` rays of this rank: pliant_scene_raycast() over all
 * ranks. Collective; each rank asks about rays of its own, as many as it likes, and they are sent
 * to the ranks that they can meet. `hits` has room for `count`.
 */
PLIANT_API pliant_result pliant_mpi_scene_raycast(pliant_mpi_scene *scene, const pliant_ray *rays,
                                                  uint64_t count, const pliant_mpi_select *select,
                                                  pliant_mpi_ray_hit *hits);

/* Whether each of `count` rays of this rank meets any body. Collective, as above. */
PLIANT_API pliant_result pliant_mpi_scene_raycast_any(pliant_mpi_scene *scene,
                                                      const pliant_ray *rays, uint64_t count,
                                                      const pliant_mpi_select *select,
                                                      bool *blocked);

/* ------------------------------------------------------------------ balance */

/* A body that went from one rank to another. */
typedef struct pliant_mpi_move {
    uint64_t id;
    uint32_t from, to; /* ranks; one of them is this one */
} pliant_mpi_move;

typedef struct pliant_mpi_balance {
    double imbalance;             /* before: the most work of a rank over the mean, less 1 */
    const pliant_mpi_move *moves; /* of this rank, ascending by id; NULL if there are none. The
                                     array belongs to the scene and lives until its next call */
    uint32_t move_count;
} pliant_mpi_balance;

/*
 * Spreads the bodies anew where the work of the latest question, which is counted and not timed, is
 * uneven: by more than `most` (0 or more; 0.1: one rank has 10 % more than the mean). Bodies are
 * put in the order of a Hilbert curve through their boxes' centres, which is cut where the work of
 * the last questions comes out even; those that change ranks travel with their states. Collective;
 * the same `most` on all ranks. `balance` may be NULL.
 */
PLIANT_API pliant_result pliant_mpi_scene_balance(pliant_mpi_scene *scene, double most,
                                                  pliant_mpi_balance *balance);

/* What the latest question cost this rank. Bytes are those that it sent. */
typedef struct pliant_mpi_stats {
    uint32_t bodies;       /* on this rank */
    uint32_t neighbours;   /* ranks whose boxes meet this one's */
    uint32_t ghosts;       /* bodies of others that this rank was sent */
    uint32_t ghosts_sent;  /* its own to others; one to two ranks counts twice */
    uint64_t boxes_sent;   /* boxes of its own bodies, 40 bytes each, to neighbours they may meet */
    uint64_t bytes_boxes;  /* and how bodies take part, which is sent once */
    uint64_t bytes_states; /* of ghosts sent: 4 per coordinate, 48 per transform, 12 per vertex */
    uint64_t bytes_shapes; /* blocks that others needed */
    uint64_t bytes_other;  /* rays, hits, events, ids; what moved in a balance */
    uint64_t messages;     /* point to point */
    uint64_t collectives;  /* of all ranks */
    uint64_t work;         /* counted; about nanoseconds of one worker */
    double imbalance;      /* the most work of a rank over the mean, less 1; of all ranks, as of the
                              question before */
    double seconds_bounds; /* of own bodies */
    double seconds_wait;   /* for other ranks, and for what they send */
    double seconds_pairs;  /* which bodies are needed where */
    double seconds_ghosts; /* taking them in */
    double seconds_local;  /* the question to this rank's own scene */
    double seconds_answer; /* bringing its answer into the order of ids */
    pliant_scene_stats local; /* of that question */
} pliant_mpi_stats;

PLIANT_API const pliant_mpi_stats *pliant_mpi_scene_get_stats(const pliant_mpi_scene *scene);

/* The version of this library and the MPI that it was built with: "0.1.0 (Open MPI 4.1.4)". Never
   NULL. */
PLIANT_API const char *pliant_mpi_version(void);

#ifdef __cplusplus
}
#endif

#endif
