/*
 * The inside of a scene over MPI. Each rank has a pliant_scene of its own with the bodies that it
 * has and with ghosts, copies of those of other ranks that it compares its own with.
 *
 * Every collective call goes in phases. What a rank does by itself may fail; it says so in the next
 * exchange of all ranks (pli_mpi_agree()), after which all of them go on or all give up. Nothing is
 * sent from rank to rank before the receiver has said that it has room for it.
 */
#ifndef PLI_MPI_SCENE_H
#define PLI_MPI_SCENE_H

#include "pliant/extend.h"
#include "pliant/mpi.h"

#include <mpi.h>

/* The magic numbers of definitions and options. */
enum {
    PLI_MAGIC_pliant_mpi_scene_def = 0x5070,
    PLI_MAGIC_pliant_mpi_options,
    PLI_MAGIC_pliant_mpi_select
};

#define PLI_MPI_TAG(type) PLIANT_TAG(PLI_MAGIC_##type, type)

#define PLI_MPI_NOBODY    UINT64_MAX

/* ------------------------------------------------------------------- memory */

/* Bytes that grow. */
typedef PLIANT_ARRAY(char) pli_mpi_bytes;

/* Room for `size` bytes in all; false, with the error, if there is none. What is there stays. */
bool pli_mpi_reserve(pliant_context *context, pli_mpi_bytes *bytes, size_t size);

/* Makes it `size` bytes, those that are new undefined; NULL, with the error, without memory. */
void *pli_mpi_resize(pliant_context *context, pli_mpi_bytes *bytes, size_t size);

/* So many more bytes at the end; NULL, with the error, without memory. */
void *pli_mpi_extend(pliant_context *context, pli_mpi_bytes *bytes, size_t more);

void pli_mpi_release(pliant_context *context, pli_mpi_bytes *bytes);

/* `count` elements of `size` bytes, for the calls above; SIZE_MAX if that is too much. */
size_t pli_mpi_bytes_of(uint64_t count, size_t size);

/* Numbers of 32 bits by keys of 64. */
typedef struct pli_mpi_map {
    pli_mpi_bytes entries; /* a power of two of them */
    size_t count;
} pli_mpi_map;

#define PLI_MPI_ABSENT UINT32_MAX

uint32_t pli_mpi_map_find(const pli_mpi_map *map, uint64_t key);

/* Room for so many more keys; false, with the error, without memory. */
bool pli_mpi_map_reserve(pliant_context *context, pli_mpi_map *map, size_t more);

/* There must be room. A key that is there gets another number. */
void pli_mpi_map_put(pli_mpi_map *map, uint64_t key, uint32_t number);
void pli_mpi_map_remove(pli_mpi_map *map, uint64_t key);

/* Spreads a number evenly over 64 bits. */
uint64_t pli_mpi_mix(uint64_t number);

/* Folds bytes into a running hash. */
uint64_t pli_mpi_hash(uint64_t hash, const void *bytes, size_t size);

/* Sorts keys, and the numbers that go with them, which may be NULL; stable. The scratch has room
   for all of both. */
void pli_mpi_sort(uint64_t *keys, uint32_t *numbers, size_t count, uint64_t *key_scratch,
                  uint32_t *number_scratch);

/* -------------------------------------------------------------- what it is of */

typedef struct pli_mpi_shape {
    uint64_t key, hash, size; /* of its block */
    const pliant_shape *shape;
    pliant_shape *received; /* from another rank: the scene destroys it; else NULL */
    pliant_body *keeper;    /* a body that keeps it alive, at rest */
} pli_mpi_shape;

/* How a body takes part, and what it is of: the same for many bodies, so that it is sent once. */
typedef struct pli_mpi_kind {
    uint64_t shape_key, category, mask;
    uint32_t flags; /* pli_mpi_kind_flags */
    uint32_t update, eager_levels, lazy_levels;
    uint32_t vertex_count, mode_count, joint_count;
    uint32_t group_count; /* groups that bits are there for */
    uint64_t *groups;     /* the kind's own; NULL: all groups */
} pli_mpi_kind;

enum pli_mpi_kind_flags {
    PLI_MPI_SELF = 1,
    PLI_MPI_STATIC = 2,
    PLI_MPI_LOOSE = 4,
    PLI_MPI_COHERENT = 8,
    PLI_MPI_GROUPS = 16,
    PLI_MPI_REBUILD = 32 /* its tree is built anew where that pays */
};

typedef struct pli_mpi_kinds {
    pli_mpi_bytes list; /* of pli_mpi_kind */
    uint32_t count;
} pli_mpi_kinds;

/* Which parts a state has besides coordinates and transforms. */
enum pli_mpi_state_flags { PLI_MPI_POSITIONS = 1, PLI_MPI_WORLD = 2 };

/* A body of this rank or a ghost, by its index in the rank's own scene. */
typedef struct pli_mpi_slot {
    uint64_t id;
    pliant_body *body;         /* NULL: nobody is here */
    const pliant_shape *shape; /* that it came with: another one now means that it was torn */
    pliant_body_id local;
    uint64_t weight;  /* own: work of the last questions */
    uint32_t kind;    /* of this rank's kinds, or of those of the peer that it is from */
    uint32_t pairs;   /* own: compared in the latest question; with ghosts twice */
    uint32_t ordinal; /* among all that are here, by id */
    int from;         /* ghosts: the rank that has the body; own: -1 */
    uint32_t seen;    /* ghosts: the latest question that needs it */
    uint32_t flags;   /* ghosts: pli_mpi_state_flags */
    uint32_t given;   /* own: the latest call that gave it a state; ghosts: place among them */
    bool fresh;       /* own: put in since ids were last looked at */
} pli_mpi_slot;

/* A box as it is sent. */
typedef struct pli_mpi_box {
    uint64_t id;
    pliant_box box;
    uint32_t kind, flags; /* pli_mpi_state_flags */
} pli_mpi_box;

/* What a rank says before boxes of bodies are exchanged. */
typedef struct pli_mpi_head {
    uint64_t result, id; /* of the failure; PLI_MPI_NOBODY: of no body */
    uint64_t work;
    pliant_box box; /* of all its bodies; lower above upper: it has none */
} pli_mpi_head;

/* What is known of another rank. */
typedef struct pli_mpi_peer {
    pli_mpi_kinds kinds; /* its kinds, as far as they were sent */
    uint32_t told;       /* how many of ours it knows */
    uint32_t known;      /* how many of `kinds` count: those of a question that failed do not */
} pli_mpi_peer;

/* A rank whose box meets ours, in one question. */
typedef struct pli_mpi_neighbour {
    int rank;
    uint64_t out_first, out_count; /* of boxes_out, and of the flags beside them */
    uint64_t in_first, in_count;
    uint64_t out_bytes, in_bytes; /* of the message under way */
} pli_mpi_neighbour;

typedef enum pli_mpi_call {
    PLI_MPI_SET_STATES = 1,
    PLI_MPI_COLLIDE,
    PLI_MPI_FIND_WITHIN,
    PLI_MPI_RAYCAST,
    PLI_MPI_RAYCAST_ANY,
    PLI_MPI_GATHER_CONTACTS,
    PLI_MPI_GATHER_PROXIMITIES,
    PLI_MPI_GATHER_EVENTS,
    PLI_MPI_BALANCE,
    PLI_MPI_DESTROY,
    PLI_MPI_CALLS
} pli_mpi_call;

/* What ranks tell each other beside whether they failed. */
enum pli_mpi_flags {
    PLI_MPI_NEW_IDS = 1,
    PLI_MPI_NEW_SHAPES = 2,
    PLI_MPI_REMOVALS = 4,
    PLI_MPI_NEEDS_SHAPES = 8
};

enum { PLI_MPI_BUFFERS = 45 };

struct pliant_mpi_scene {
    pliant_context *context;
    pliant_scene *local;
    pliant_query *query; /* for pairs that are asked about once more */
    MPI_Comm comm;
    int rank, size;
    pliant_mpi_owner owner;
    pliant_broad broad;
    /* The call under way. */
    pli_mpi_call call;
    bool ended;               /* a rank has destroyed it: there is nobody left to ask */
    uint64_t digest;          /* of the call and its options */
    uint32_t question, given; /* numbers of questions, and of calls that set states */
    char sentence[256];
    int tag; /* of the next messages */
    /* Answers that can be gathered. */
    pli_mpi_call answered; /* 0: none */
    pliant_mpi_contacts contacts;
    pliant_mpi_proximities proximities;
    uint64_t event_count;
    /* Bodies. */
    uint32_t flags; /* pli_mpi_flags of what is new since the last question */
    uint32_t own_count, ghost_count;
    bool ids_sorted;     /* `ids` is up to date */
    bool slots_sorted;   /* own bodies have ascending indices in the order of their ids */
    uint64_t last_id;    /* the highest so far of those in ascending indices, */
    uint32_t last_slot;  /* and its index */
    pli_mpi_map slot_of; /* by id: own and ghosts */
    pli_mpi_map shape_of;
    pli_mpi_map kind_of; /* by hash */
    pli_mpi_kinds kinds;
    pli_mpi_peer *peers;            /* by rank */
    pli_mpi_head *heads;            /* by rank */
    uint64_t *out_sizes, *in_sizes; /* by rank: bytes */
    MPI_Request *requests;          /* two per rank */
    size_t peers_size;              /* bytes of the block that these four share */
    uint32_t neighbour_count;
    uint64_t work; /* of the latest question about pairs, */
    bool counted;  /* if there was one */
    pliant_mpi_stats stats;
    union {
        struct {
            pli_mpi_bytes shapes;                   /* pli_mpi_shape */
            pli_mpi_bytes slots;                    /* pli_mpi_slot */
            pli_mpi_bytes ids;                      /* uint64_t, of own bodies */
            pli_mpi_bytes ghosts;                   /* uint32_t: slots */
            pli_mpi_bytes removals, pending, found; /* uint64_t: ids to be removed; flags */
            pli_mpi_bytes names; /* pliant_body_id of own bodies by ascending id */
            pli_mpi_bytes boxes; /* pliant_box, likewise */
            pli_mpi_bytes neighbours;
            pli_mpi_bytes boxes_out, boxes_in;    /* pli_mpi_box */
            pli_mpi_bytes send_flags, take_flags; /* uint8_t beside them: it is a ghost */
            pli_mpi_bytes sweep[2];               /* scratch of looking for pairs */
            pli_mpi_bytes sort_keys, sort_scratch, numbers, number_scratch;
            pli_mpi_bytes out, in;               /* messages */
            pli_mpi_bytes states_out, states_in; /* of ghosts */
            pli_mpi_bytes block;                 /* a shape's */
            pli_mpi_bytes wanted;                /* shapes */
            pli_mpi_bytes states;                /* pliant_scene_state */
            pli_mpi_bytes old;                   /* states to go back to */
            /* Answers. */
            pli_mpi_bytes pair_list, pairs, segments, separations, proximity_list;
            pli_mpi_bytes all_pairs, all_triangles, all_segments, all_separations;
            pli_mpi_bytes touching, touched, events, new_events, all_events;
            pli_mpi_bytes hits;
            pli_mpi_bytes moves;
            pli_mpi_bytes spare;
        };
        pli_mpi_bytes buffers[PLI_MPI_BUFFERS];
    };
};

_Static_assert(offsetof(pliant_mpi_scene, spare) ==
                   offsetof(pliant_mpi_scene, buffers) +
                       (PLI_MPI_BUFFERS - 1) * sizeof(pli_mpi_bytes),
               "buffers are as many as have names");

static inline pli_mpi_slot *pli_mpi_slot_at(const pliant_mpi_scene *scene, uint32_t slot)
{
    return (pli_mpi_slot *)(void *)scene->slots.data + slot;
}

static inline pli_mpi_shape *pli_mpi_shape_at(const pliant_mpi_scene *scene, uint32_t number)
{
    return (pli_mpi_shape *)(void *)scene->shapes.data + number;
}

static inline pli_mpi_kind *pli_mpi_kind_at(const pli_mpi_kinds *kinds, uint32_t number)
{
    return (pli_mpi_kind *)(void *)kinds->list.data + number;
}

static inline pli_mpi_neighbour *pli_mpi_neighbour_at(const pliant_mpi_scene *scene, uint32_t i)
{
    return (pli_mpi_neighbour *)(void *)scene->neighbours.data + i;
}

/* The kind of a body of this rank or of a ghost. */
static inline const pli_mpi_kind *pli_mpi_kind_of(const pliant_mpi_scene *scene,
                                                  const pli_mpi_slot *slot)
{
    return pli_mpi_kind_at(slot->from < 0 ? &scene->kinds : &scene->peers[slot->from].kinds,
                           slot->kind);
}

/* -------------------------------------------------------- together (collective.c) */

/* How a part of a call that a rank does by itself ended. */
typedef struct pli_mpi_outcome {
    pliant_result result;
    uint64_t id; /* the body that it is about, or PLI_MPI_NOBODY */
} pli_mpi_outcome;

#define PLI_MPI_FINE ((pli_mpi_outcome){PLIANT_OK, PLI_MPI_NOBODY})

/* Keeps the sentence of the last failed call, which goes to all ranks. */
void pli_mpi_keep_sentence(pliant_mpi_scene *scene, uint64_t id);

/* A failure with the sentence of the last failed call. */
static inline pli_mpi_outcome pli_mpi_failure(pliant_mpi_scene *scene, pliant_result result,
                                              uint64_t id)
{
    pli_mpi_keep_sentence(scene, id);
    return (pli_mpi_outcome){result, id};
}

/* A failure of the rank's own scene, whose sentence names a body by its index. */
pli_mpi_outcome pli_mpi_fail_local(pliant_mpi_scene *scene, pliant_result result);

/* All ranks learn whether one failed, and all flags. Returns what the call returns if one did, with
   the same sentence everywhere. `flags` may be NULL. */
pliant_result pli_mpi_hear_all(pliant_mpi_scene *scene, pli_mpi_outcome outcome, uint32_t *flags);

/* The same; whatever it heard, a rank that failed does not go on. */
static inline pliant_result pli_mpi_agree(pliant_mpi_scene *scene, pli_mpi_outcome outcome,
                                          uint32_t *flags)
{
    pliant_result heard = pli_mpi_hear_all(scene, outcome, flags);
    return heard != PLIANT_OK ? heard : outcome.result;
}

/* Which call the ranks are in, with options of which digest. */
void pli_mpi_open_call(pliant_mpi_scene *scene, pli_mpi_call call, uint64_t digest);

/* A call begins: the same on all ranks, with options of the same digest. */
static inline pliant_result pli_mpi_begin(pliant_mpi_scene *scene, pli_mpi_call call,
                                          uint64_t digest, pli_mpi_outcome outcome, uint32_t *flags)
{
    if (scene->ended) {
        pliant_fail(PLIANT_ERROR_STATE, "another rank has destroyed the scene");
        return PLIANT_ERROR_STATE;
    }
    pli_mpi_open_call(scene, call, digest);
    return pli_mpi_agree(scene, outcome, flags);
}

/* After all ranks saw a failure in scene->heads or by pli_mpi_agree(): which one it is. */
pliant_result pli_mpi_settle(pliant_mpi_scene *scene, pli_mpi_outcome outcome);

/* Everybody's scene->heads from their own. */
void pli_mpi_share_heads(pliant_mpi_scene *scene, const pli_mpi_head *own);

/*
 * Each rank sends bytes to each other: those for rank r are scene->out_sizes[r] bytes of `out`, in
 * the order of ranks. What came is then in `in`, scene->in_sizes[r] bytes from each. A rank whose
 * outcome is a failure sends nothing. Fails on all ranks or on none.
 */
pliant_result pli_mpi_deal(pliant_mpi_scene *scene, pli_mpi_outcome outcome,
                           const pli_mpi_bytes *out, pli_mpi_bytes *in);

/* Starts to send and to receive; then waits for all that was started. */
void pli_mpi_send(pliant_mpi_scene *scene, int *started, int rank, const void *data, uint64_t size);
void pli_mpi_receive(pliant_mpi_scene *scene, int *started, int rank, void *data, uint64_t size);
void pli_mpi_wait(pliant_mpi_scene *scene, int started);

/* Sums of numbers over all ranks, in place; and whether any rank has a flag. */
void pli_mpi_add_up(pliant_mpi_scene *scene, uint64_t *numbers, int count);
void pli_mpi_join_flags(pliant_mpi_scene *scene, uint8_t *flags, int count);

/* ---------------------------------------------------------------- bodies (members.c) */

/* Own ids in ascending order; false, with the error, without memory. */
bool pli_mpi_sort_ids(pliant_mpi_scene *scene);

/* Puts a body into the rank's scene and the slots, as its own (from -1) or as a ghost. On failure
   the body is destroyed. */
pliant_result pli_mpi_enter(pliant_mpi_scene *scene, uint64_t id, pliant_body *body,
                            const pliant_member_def *def, int from, uint32_t kind, uint32_t *slot);

/* PLIANT_OK, or the failure of a body that was torn: others have no way to know its triangles. */
pliant_result pli_mpi_check_whole(const pli_mpi_slot *slot);

/* Takes it out and destroys it. */
void pli_mpi_leave(pliant_mpi_scene *scene, uint32_t slot);

/* Takes out all ghosts that a question does not need. */
void pli_mpi_drop_ghosts(pliant_mpi_scene *scene, uint32_t question);

/* How the body of a slot takes part; groups are those of the kind. */
pliant_member_def pli_mpi_member_def(const pli_mpi_kind *kind, const pliant_box *loose_box);

/* A new body of a kind whose shape is here. */
pliant_result pli_mpi_make_body(pliant_mpi_scene *scene, const pli_mpi_kind *kind,
                                pliant_body **body);

/* The box that a body vouched for; NULL if its kind has none. */
const pliant_box *pli_mpi_loose_box(const pliant_mpi_scene *scene, const pli_mpi_slot *slot,
                                    pliant_member_def *def);

/* ------------------------------------------------------------------ kinds (kinds.c) */

/* The number of the kind that a body is of, which is listed if it is new; PLI_MPI_ABSENT, with the
   error, without memory. */
uint32_t pli_mpi_find_kind(pliant_mpi_scene *scene, const pli_mpi_kind *kind);

/* Kinds as they are sent: from number `first` on, and back into a list from number `known` on. */
bool pli_mpi_write_kinds(pliant_mpi_scene *scene, uint32_t first, pli_mpi_bytes *out);
bool pli_mpi_read_kinds(pliant_mpi_scene *scene, const char *bytes, uint64_t size,
                        pli_mpi_kinds *kinds, uint32_t known);
void pli_mpi_free_kinds(pliant_context *context, pli_mpi_kinds *kinds);

/* ---------------------------------------------------------------- shapes (shapes.c) */

/* A rank that has a shape which is missing here. */
typedef struct pli_mpi_want {
    uint64_t key;
    int from;
} pli_mpi_want;

/* Notes that a shape is missing, in scene->wanted; false, with the error, without memory. */
bool pli_mpi_want_shape(pliant_mpi_scene *scene, uint64_t key, int from);

/* All ranks get what they want. */
pliant_result pli_mpi_fetch_shapes(pliant_mpi_scene *scene);

/* ---------------------------------------------------------------- states (states.c) */

uint32_t pli_mpi_state_flags_of(const pliant_body *body);
uint64_t pli_mpi_state_bytes(const pli_mpi_kind *kind, uint32_t flags);
void pli_mpi_write_state(const pliant_body *body, char *out);

/* The state that bytes say, which it points into. */
pliant_state pli_mpi_read_state(const pli_mpi_kind *kind, uint32_t flags, const char *bytes);

/* -------------------------------------------------------------------- parts of questions */

/* check.c: what has come and gone since the last question: removals, ids, shapes. */
pliant_result pli_mpi_check_new(pliant_mpi_scene *scene, uint32_t flags);

/* neighbours.c: the boxes of own bodies, by ascending id, and of all ranks. */
pliant_result pli_mpi_share_boxes(pliant_mpi_scene *scene);

/* Which bodies are needed where, of those within a distance: neighbours, boxes, flags. */
pliant_result pli_mpi_find_ghosts(pliant_mpi_scene *scene, float distance);

/* Whether a pair is compared by `rank`, of the two that have its bodies. */
bool pli_mpi_owns(const pliant_mpi_scene *scene, int rank, uint64_t own_id, int other_rank,
                  uint64_t other_id);

/* join.c: marks which of the boxes that were sent to a neighbour, and which of those that came from
   it, are of bodies that travel; false, with the error, without memory. */
bool pli_mpi_join(pliant_mpi_scene *scene, const pli_mpi_neighbour *one, uint8_t *send,
                  uint8_t *take, float distance);

/* ghosts.c: makes states ready to be sent, and room for those that come; then trades and takes them
   in. */
pli_mpi_outcome pli_mpi_write_ghosts(pliant_mpi_scene *scene);
pli_mpi_outcome pli_mpi_trade_ghosts(pliant_mpi_scene *scene);

/* answer.c: the answer of the rank's scene by ids. */
pli_mpi_outcome pli_mpi_number_slots(pliant_mpi_scene *scene);
pli_mpi_outcome pli_mpi_name_contacts(pliant_mpi_scene *scene, const pliant_scene_options *options,
                                      const pliant_scene_contacts *contacts);
pli_mpi_outcome pli_mpi_name_proximities(pliant_mpi_scene *scene, float distance,
                                         const pliant_scene_proximities *proximities);

/* events.c: works out the events of the answer; they count once they are kept. */
pliant_result pli_mpi_find_events(pliant_mpi_scene *scene, pli_mpi_outcome outcome);
void pli_mpi_keep_events(pliant_mpi_scene *scene);

/* Sorts pairs of ids by a, then b, in place. */
bool pli_mpi_sort_pairs(pliant_mpi_scene *scene, uint64_t *pairs, size_t count);

/* work.c: counts what the latest question of the rank's scene cost, for its bodies. */
uint64_t pli_mpi_count_work(const pliant_scene_stats *stats);
void pli_mpi_spread_work(pliant_mpi_scene *scene);

/* hilbert.c: how far along the curve a cell of 2^16 cells along each axis is: 48 bits. */
uint64_t pli_mpi_hilbert(const uint32_t cell[3]);

#endif
