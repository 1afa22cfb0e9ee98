/*
 * The inside of a body: its state, and the records of what queries have asked for in that state.
 */
#ifndef PLI_BODY_BODY_H
#define PLI_BODY_BODY_H

#include "pliant/body.h"

#include "base/error.h"
#include "bounds/bounds.h"

/* What refreshing has cost since the body was created. */
typedef struct pli_refresh_counts {
    uint64_t nodes, clusters, vertices;
    /* Because queries met them stale: vertices read to bound nodes, and clusters. */
    uint64_t vertices_on_demand, clusters_on_demand;
    /* The sides of the bounds of all these nodes' children together, now and when the tree was cut
       (pliant_shape.cut_sizes). Whole numbers, so that it does not matter in which order workers
       add them. */
    uint64_t measured, sizes, cut_sizes; /* how many nodes; both sums */
} pli_refresh_counts;

/* Where one worker cuts records from, and where it counts them. */
typedef struct pli_arena {
    char *next, *end;
    pli_refresh_counts *counts;
    uint32_t worker; /* whose pages it takes */
} pli_arena;

/* What a body knows of the scene that it is in: scenes are a layer above. */
typedef struct pli_host {
    pli_use use;
    PLI_ATOMIC(bool) builds; /* a body of it wants its tree built */
    bool bodies_doomed; /* some of its bodies are to be destroyed when the call under way ends */
    PLI_ATOMIC(uint8_t) * changed; /* by slot: 1 since the body has another state */
    bool recorded;                 /* what is done to it is being recorded */
    void (*let_go)(struct pli_host *host, pliant_body *body); /* the body is being destroyed */
    /* The body is about to have another shape (-1), and has it (+1). */
    void (*count)(struct pli_host *host, const pliant_body *body, int change);
} pli_host;

struct pliant_body {
    pli_node_record root; /* lane 0: the root as a child: the whole body's box, and its record */
    const pliant_shape *shape;
    const pli_node *nodes; /* of the tree that walks see: the shape's, or those of its islands as
                              they lie in this state, once the root has a record */
    pliant_context *context;
    void *user;
    pli_host *host;             /* the scene it is in, or NULL, */
    uint32_t slot;              /* and its index there */
    uint32_t id;                /* within its context */
    uint64_t state;             /* counts states */
    PLI_ATOMIC(uint32_t) calls; /* under way about it that run the caller's code */
    uint32_t eager_levels, lazy_levels;
    uint32_t eager_asked;    /* eager_levels as asked for; 0: the default */
    pliant_update asked;     /* the update strategy that was asked for */
    pliant_update update;    /* the one in use: never AUTO */
    bool automatic;          /* AUTO was asked for: eager_levels follows what is read on demand */
    bool ready;              /* the box above and what the strategy does eagerly are done */
    PLI_ATOMIC(bool) valid;  /* false after a non-finite borrowed position was met */
    bool by_positions;       /* given by positions; else by the pose below */
    uint32_t front_clusters; /* FRONT: clusters refreshed before the first query of this state */
    bool broad_contact;      /* FRONT: much of the body was refreshed in the last state */
    bool doomed;             /* to be destroyed when the calls under way end */
    bool coherent;           /* nodes remember; see pliant_body_def */
    bool whole_bounded;   /* the box above was bounded by itself, not made of the root's record */
    bool root_was_opened; /* the root had a record in the last state */
    PLI_ATOMIC(uint8_t) * opened; /* FRONT: per node, then per cluster, bit 0: a query opened it in
                                 this state; the bits above: in the states before */
    const pli_vertex_kernels *kernels;
    pli_positions positions;
    float *copy;          /* buffer of pliant_body_set_positions(), NULL before its first call */
    size_t copy_capacity; /* in vertices: the shape's, or more after tears */
    /* Bodies whose shape has modes or transforms: */
    const pli_model_kernels *model_kernels;
    pli_pose pose;
    float *spare_coordinates, *spare_transforms; /* what the next state is tried in */
    float *pose_block;                           /* holds these and the pose's */
    float *world_block;        /* NULL before the first world transform; see state.c */
    pli_path path;             /* how far the coordinates have gone */
    pli_local_memory **memory; /* per node, NULL until it is first refreshed; coherent ones only */
    /* Records come first from a block that holds just the eager part (so that a body nobody touches
       stays small), then from pages of the context's pool. Workers of a scene have arenas of their
       own, in the same pages. */
    pli_arena arena;
    char *eager_block;
    size_t eager_size; /* of the records that have room in it */
    PLI_ATOMIC(pli_page *) pages;
    PLI_ATOMIC(uint64_t) page_count;
    pli_refresh_counts counts, counts_before; /* in all, and when this state was set */
    /* Steps (step.c): */
    pliant_body *start; /* a body in the state that the step began with; NULL: it stands still */
    pliant_body
        *sweep; /* a body whose bounds hold this one throughout the step; NULL until asked */
    pliant_body *ends[2];   /* of a sweep: the bodies that it goes from and to; else NULL */
    uint64_t end_states[2]; /* of a sweep: their states that its records are of */
    /* Trees that follow the state: */
    const pliant_shape *given;   /* the shape that the body was made of: the one in use, unless that
                                    was derived from it */
    struct pli_islands *islands; /* islands.c; NULL until they are first needed */
    struct pli_rebuild *rebuild; /* rebuild.c; NULL: the tree is never built anew */
};

/* Whether bounds follow from the shape's coefficients. */
static inline bool pli_body_has_coefficients(const pliant_body *body)
{
    return !body->by_positions && pli_shape_has_coefficients(body->shape);
}

/* Whether spheres follow the records of the body's nodes; none follow body->root. */
static inline bool pli_body_has_spheres(const pliant_body *body)
{
    return pli_body_has_coefficients(body) &&
           body->shape->block->model.coefficient_kind == PLI_COEFFICIENTS_SPHERE;
}

/* Whether the body is the sweep of another one through its step. */
static inline bool pli_body_is_sweep(const pliant_body *body)
{
    return body->ends[1] != NULL;
}

/* Whether bounds are those of blends of transforms. */
static inline bool pli_body_is_blended(const pliant_body *body)
{
    return pli_body_has_coefficients(body) &&
           body->shape->block->model.coefficient_kind == PLI_COEFFICIENTS_BLEND;
}

/* The one transform of the shape that moves positions, or NULL. The world transform follows it. */
static inline const float *pli_body_own_transform(const pliant_body *body)
{
    const pli_model *model = &body->shape->block->model;
    return model->joint_count > 0 && !model->has_influences ? body->pose.transforms : NULL;
}

/* Where the mark of a node or cluster stands in body->opened. */
static inline size_t pli_body_mark_place(const pliant_body *body, uint32_t child)
{
    bool cluster = (child & PLI_CLUSTER_BIT) != 0;
    return (child & ~PLI_CLUSTER_BIT) + (cluster ? (size_t)body->shape->node_count : 0);
}

/* Bytes of a node's record. */
static inline size_t pli_body_node_size(const pliant_body *body)
{
    return sizeof(pli_node_record) + (pli_body_has_spheres(body) ? sizeof(pli_spheres) : 0);
}

static inline pli_spheres *pli_record_spheres(pli_node_record *record)
{
    return (pli_spheres *)(void *)(record + 1);
}

/* Whether a call is under way about the body or its scene, which runs the caller's code. */
static inline bool pli_body_is_busy(const pliant_body *body)
{
    return atomic_load_explicit(&body->calls, memory_order_relaxed) > 0 ||
           (body->host != NULL && pli_use_is_busy(&body->host->use));
}

/* Bytes of body->opened, a mark per node and cluster. */
static inline size_t pli_body_marks_size(const pliant_shape *shape)
{
    return (size_t)shape->node_count + shape->cluster_count;
}

/* body.c: marks for a body of that shape, none of them set; NULL when there is no memory. */
PLI_ATOMIC(uint8_t) * pli_body_create_marks(const pliant_shape *shape);

/* body.c: releases a body that is in nobody's use. */
void pli_body_free(pliant_body *body);

/* step.c: a body whose bounds hold `body` throughout its step, up to date; *sweep belongs to it. */
pliant_result pli_body_get_sweep(pliant_body *body, pliant_body **sweep);

/* step.c: everything about beginning a step that can fail, then the rest; and giving up a start,
   one that was prepared in vain too. */
pliant_result pli_body_prepare_step(pliant_body *body);
void pli_body_start_step(pliant_body *body);
void pli_body_drop_start(pliant_body *body);

/* step.c: what a body holds for its step. */
uint64_t pli_body_step_memory(const pliant_body *body);

/* body.c: fails if that is so. */
pliant_result pli_body_check_idle(const pliant_body *body, const char *call);

/* body.c: such a call about the body begins or ends. */
void pli_body_begin_call(pliant_body *body);
void pli_body_end_call(pliant_body *body);

/* body.c: chooses the strategy by what was asked for and how the body is given. */
void pli_body_adopt_update(pliant_body *body);

/* state.c: the current position of a vertex, and those of many: the ones listed, or the first
   `count` if `vertices` is NULL. */
void pli_body_vertex(const pliant_body *body, uint32_t vertex, float position[3]);
void pli_body_vertices(const pliant_body *body, const uint32_t *vertices, uint32_t count,
                       float *positions);

/* Positions of all vertices of a shape, `stride` bytes apart. */
static inline pli_positions pli_view_positions(const pliant_shape *shape, const float *first,
                                               size_t stride)
{
    return (pli_positions){first, stride, shape->vertex_count - 1};
}

/* Bytes of body->copy. */
static inline size_t pli_body_copy_size(const pliant_body *body)
{
    return 3 * body->copy_capacity * sizeof(float);
}

/* state.c: makes it, for all vertices of the shape, unless it is there. */
pliant_result pli_body_create_copy(pliant_body *body);

/* pose_state.c: checks the transforms of a pose that is tried, and measures it. */
pliant_result pli_body_measure_transforms(const pliant_body *body, pli_pose *pose);

/* pose_state.c: the rows of matrix `index`, which lies by columns; fails unless its last row is
   that of an affine one. */
pliant_result pli_rows_of_matrix(const float *matrix, uint32_t index, float rows[12]);

/* pose_state.c: whether three rows are linearly dependent, exactly. */
bool pli_transform_is_singular(const float *rows);

/* pose_state.c: the index of the first number that is not finite, or their count. */
size_t pli_first_not_finite(const float *numbers, size_t count);

/* state.c: bytes of world_block. */
size_t pli_body_world_size(const pliant_body *body);

/* pose_state.c: the pose of a new body, and what it needs to be released. */
pliant_result pli_body_create_pose(pliant_body *body);
void pli_body_release_pose(pliant_body *body);
uint64_t pli_body_pose_memory(const pliant_body *body);

/* pose_state.c: what the nodes of a coherent body of that shape remember, nothing yet; NULL when
   there is no memory. And the end of all that a body's do. */
pli_local_memory **pli_body_create_memories(const pliant_shape *shape);
void pli_body_release_memories(pliant_body *body);

/*
 * pose_state.c: try a part of a new state. The part is checked, and *pose, which begins as the
 * body's, follows; once all parts are tried it is still to be placed and measured. Nothing of the
 * body's state changes before a part is adopted, which cannot fail.
 */
pliant_result pli_body_try_coordinates(const pliant_body *body, const float *coordinates,
                                       uint32_t count, pli_pose *pose);
pliant_result pli_body_try_transforms(const pliant_body *body, const float *transforms,
                                      uint32_t count, size_t stride, pli_pose *pose);
void pli_body_adopt_pose(pliant_body *body, const pli_pose *pose);

/* state.c: a new state that was tried as a whole, and what makes it the body's. Trying another one
   first takes its place. */
typedef struct pli_next_state {
    pli_pose pose;
    pli_positions positions;
} pli_next_state;
pliant_result pli_body_try_state(pliant_body *body, const pliant_state *state,
                                 pli_next_state *next);
void pli_body_adopt_state(pliant_body *body, const pliant_state *state, const pli_next_state *next);

/* islands.c: what islands are sorted in. */
void pli_islands_release(pliant_body *body);
uint64_t pli_islands_memory(const pliant_body *body);
uint64_t pli_islands_sorts(const pliant_body *body); /* how often they were sorted anew */

/*
 * rebuild.c: the body goes on with another shape of the same model, which becomes its own (one
 * user), and with its start and sweep does so too: all records are dropped, marks and memories of
 * nodes as well. On failure nothing has changed, and the shape stays the caller's.
 */
pliant_result pli_body_replace_shape(pliant_body *body, pliant_shape *shape);

/* rebuild.c: the same for the start of a step or a sweep, which may be NULL: they have the shape in
   use as their own. */
void pli_body_follow_shape(pliant_body *body, const pliant_shape *shape);

/* rebuild.c: a body that may be built anew, or not; what it holds; and the end of that. */
pliant_result pli_body_create_rebuild(pliant_body *body, pliant_rebuild rebuild);
uint64_t pli_body_rebuild_memory(const pliant_body *body);
void pli_body_release_rebuild(pliant_body *body);

/* rebuild.c: takes a tree that is being built into use, where there is one: before the mesh that it
   is of changes. Whoever tears in every state gets new trees all the same. */
void pli_body_end_rebuild(pliant_body *body);

/* rebuild.c: a body that may be built anew is, after its next state, whatever was lost so far. */
void pli_body_ask_rebuild(pliant_body *body);

/* rebuild.c: adds up what the state that ends has cost, before its records are dropped. */
void pli_body_end_state(pliant_body *body);

/* rebuild.c: after a new state was set: takes the tree that was built for the last one, and decides
   whether another is to be built. */
void pli_body_follow_state(pliant_body *body);

/* rebuild.c: builds the tree that was decided on, if it is not there yet; a worker may do so while
   others ask about the body. */
bool pli_body_wants_build(const pliant_body *body);
void pli_body_build(pliant_body *body);

/* rebuild.c: so many pairs of nodes were compared in a question about the body. Threads that ask
   about a prepared one do so at the same time. */
void pli_body_count_tests(pliant_body *body, uint64_t tests);

/* refresh.c: drops all records: the state has changed. */
void pli_body_forget(pliant_body *body);

/* refresh.c: cuts a record of `size` bytes, a multiple of 64; NULL when there is no memory. */
void *pli_body_allocate_record(pliant_body *body, pli_arena *arena, size_t size);

/* refresh.c: gives the eager block back, in which no record may lie any more. */
void pli_body_release_eager_block(pliant_body *body);

/* refresh.c: bytes that records are cut from. */
uint64_t pli_body_record_memory(const pliant_body *body);

#endif
