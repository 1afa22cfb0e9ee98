/*
 * Pliant: bodies. A body is a shape plus its current state. Setting the state computes no bound:
 * bounds are refreshed when a query asks for them, and which strategy does it never changes an
 * answer.
 *
 * A body may be used by one thread at a time, unless it has been prepared (pliant_body_prepare()).
 * Bodies of one shape are independent of each other.
 */
#ifndef PLIANT_BODY_H
#define PLIANT_BODY_H

#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When bounds are refreshed (Larsson & Akenine-Moller 2001; Steinemann, Otaduy & Gross 2007). */
typedef enum pliant_update {
    PLIANT_UPDATE_AUTO = 0,  /* free bodies: HYBRID, with as many eager levels as the last states
                                suggest; reduced and rigid ones: TOP_DOWN; blended ones: FRONT */
    PLIANT_UPDATE_BOTTOM_UP, /* every node, before the first query of a step */
    PLIANT_UPDATE_TOP_DOWN,  /* each node by itself, only when a query asks for it */
    PLIANT_UPDATE_HYBRID,    /* the upper levels before the first query, the lower ones on demand */
    PLIANT_UPDATE_FRONT      /* the nodes that queries opened in the last state before the first
                                query, the others on demand */
} pliant_update;

/* Whether a body's tree is built anew where its bounds have grown: triangles that have moved away
   from each other lie far apart in it. No choice changes any answer. */
typedef enum pliant_rebuild {
    /* The tree is the shape's for ever, and shared by all its bodies. The default: a body of its
       own tree takes the memory of another shape, and few motions make trees decay. */
    PLIANT_REBUILD_NEVER = 0,
    /* When the work that the grown bounds have caused in the last states comes to what a new tree
       costs, one is built for the state then set, and taken into use with the state after. That is
       decided by counts, so that the same calls do the same with any number of workers. What is
       built belongs to the body; pliant_body_get_shape() stays as it is. Without memory for it the
       old tree stays in use. Bodies with modes gain little: what the modes move apart is bounded
       loosely together, wherever it is cut. Shapes with proxies, which are parts of one tree, are
       refused. */
    PLIANT_REBUILD_AUTO
} pliant_rebuild;

typedef struct pliant_body_def {
    uint32_t tag;          /* set by pliant_body_def_default() */
    pliant_update update;  /* default PLIANT_UPDATE_AUTO */
    uint32_t eager_levels; /* HYBRID: levels below the root refreshed before the first query;
                              default 0: half the tree's levels (AUTO begins with those, or with
                              fewer where an untouched body would otherwise hold 4 KiB or more) */
    uint32_t lazy_levels;  /* TOP_DOWN and HYBRID: levels refreshed at once where a query meets a
                              stale node; 1 or more, default 1 */
    bool coherent;         /* bodies with modes: nodes remember their bounds from state to state and
                              widen them by how far the coordinates went, which takes one operation
                              per bound instead of one per mode; default false */
    pliant_rebuild rebuild; /* default PLIANT_REBUILD_NEVER */
    void *user;             /* yours; pliant_body_get_user() returns it */
} pliant_body_def;

typedef struct pliant_body pliant_body;

PLIANT_DEFAULT(pliant_body_def)

/* Creates a body in the rest state of its shape; `def` may be NULL for the defaults. */
PLIANT_API pliant_result pliant_body_create(const pliant_shape *shape, const pliant_body_def *def,
                                            pliant_body **body);

/* Destroys a body. A scene that it is in lets it go, and its id there is stale. NULL is ignored. */
PLIANT_API void pliant_body_destroy(pliant_body *body);

/* What is yours: not to be set while another thread reads it. */
PLIANT_API pliant_result pliant_body_set_user(pliant_body *body, void *user);
PLIANT_API void *pliant_body_get_user(const pliant_body *body);
PLIANT_API const pliant_shape *pliant_body_get_shape(const pliant_body *body);

/* Changes how the body is updated, from its next state on; fields as in pliant_body_def. */
PLIANT_API pliant_result pliant_body_set_update(pliant_body *body, pliant_update update,
                                                uint32_t eager_levels, uint32_t lazy_levels);

/*
 * Sets the coordinates q of a body with modes: `count` must be the shape's number of modes. They
 * are 0 at first. Setting computes no vertex and no bound, but refuses numbers that are not finite
 * and states whose vertices could overflow; the previous state stays then.
 */
PLIANT_API pliant_result pliant_body_set_coordinates(pliant_body *body, const float *coordinates,
                                                     uint32_t count);

/*
 * Sets the transforms T of a body: `count` must be the shape's number of joints. A transform is 12
 * numbers, the rows of (A | t), `stride` bytes apart (0: 48). All are the identity at first. Any
 * affine transform will do: scales, shears and reflections too. Errors as above.
 */
PLIANT_API pliant_result pliant_body_set_transforms(pliant_body *body, const float *transforms,
                                                    uint32_t count, size_t stride);

/*
 * The same from 4 x 4 matrices that lie by columns, as graphics interfaces and glTF have them,
 * `stride` bytes apart (0: 64): number 4 i + k is row k of column i. The last row must be 0 0 0 1.
 */
PLIANT_API pliant_result pliant_body_set_matrices(pliant_body *body, const float *matrices,
                                                  uint32_t count, size_t stride);

/*
 * Sets the world transform W of a body of any kind: the last step to each of its vertices, by which
 * a character is placed. Whatever is set later keeps it; NULL takes it away. `rows` are those of
 * (A | t), 12 numbers. Any affine transform will do but a singular one. Refused are numbers that
 * are not finite and those that could take a vertex beyond 2^127, also by calls that set the rest
 * of the state later. A free body's positions are all read once by this call, and from then on by
 * pliant_body_share_positions().
 */
PLIANT_API pliant_result pliant_body_set_world(pliant_body *body, const float *rows);

/* The same from a matrix as pliant_body_set_matrices() takes them. */
PLIANT_API pliant_result pliant_body_set_world_matrix(pliant_body *body, const float *matrix);

/*
 * Copies new positions of all vertices, in the shape's vertex order, `stride` bytes apart (0: 12),
 * and checks them: if one is not finite, the error names it and the previous state stays. The shape
 * must have no modes and no influences; its one transform, if it has one, moves these positions,
 * and positions and transforms that could take a vertex beyond 2^127, before or after it, are
 * refused by whichever call sets the second of the two.
 */
PLIANT_API pliant_result pliant_body_set_positions(pliant_body *body, const float *positions,
                                                   size_t stride);

/*
 * Borrows positions instead: nothing is copied and nothing read now. The array must stay unchanged
 * until the next set or share, or the body's end; changed values need another call. A non-finite
 * value is found by the query that reads it: that query fails whole, and the body has no valid
 * state until the next set or share. A shape with a transform needs to know how large the positions
 * are: there they are all read once by this call, which refuses what pliant_body_set_positions()
 * refuses; so does one under a world transform.
 */
PLIANT_API pliant_result pliant_body_share_positions(pliant_body *body, const float *positions,
                                                     size_t stride);

/*
 * All that a body may be given at once. What is NULL stays as it is; at least one must be there.
 * Strides are in bytes, 0 for numbers side by side.
 */
typedef struct pliant_state {
    const float *positions;    /* of all vertices, as for pliant_body_set_positions() or, if */
    size_t position_stride;    /* shares_positions is set, pliant_body_share_positions() */
    bool shares_positions;     /* default false */
    uint32_t coordinate_count; /* the shape's number of modes */
    const float *coordinates;  /* as for pliant_body_set_coordinates() */
    const float *transforms;   /* as for pliant_body_set_transforms() */
    size_t transform_stride;
    uint32_t transform_count; /* the shape's number of joints */
    const float *world;       /* as for pliant_body_set_world() */
} pliant_state;

/*
 * Sets a whole state: all of it or, if that fails, nothing. It is judged as a whole, so that
 * coordinates may be large where the transforms that come with them are small.
 */
PLIANT_API pliant_result pliant_body_set_state(pliant_body *body, const pliant_state *state);

/*
 * What the body is given by at present, as pliant_body_set_state() takes it, to put another body of
 * the same shape into the same state: pointers to the body's own numbers, which live until its
 * state is set again. What it does not have is NULL: a free body that was given nothing so far has
 * no positions.
 */
PLIANT_API pliant_result pliant_body_get_state(const pliant_body *body, pliant_state *state);

/*
 * The current state becomes the start of a step, for the questions of continuous.h. Borrowed
 * positions must then stay as they are until the next step begins, or this one is given up. Costs
 * no bound and at most a copy of the coordinates and transforms. The start is kept until the next
 * call of either function.
 */
PLIANT_API pliant_result pliant_body_begin_step(pliant_body *body);

/* Forgets the start of the step: the body stands still in its current state. */
PLIANT_API pliant_result pliant_body_end_step(pliant_body *body);

/*
 * Tears a free body: its triangles and vertices change as `tear` says, all of it or, if that fails,
 * nothing. Numbers of triangles and vertices stay; those of removed triangles are never used again,
 * and copies of vertices come behind all others. A copy is where its original is, at rest and in
 * the current state, until the next state is set, which has positions for it too; it is welded with
 * nothing unless `tear` says so, so that both sides of a fresh tear touch. Neighbours, features,
 * contours, closedness and proxies follow, and every question is answered as about a shape that was
 * made anew of what is left. The cost goes by what is torn, but for the first time, which copies
 * the shape; a tear of nothing does only that.
 *
 * From the first time on the body has a shape of its own, which pliant_body_get_shape() returns: it
 * changes with the body, may be asked for anything but written or validated
 * (PLIANT_ERROR_STATE), and where other bodies are made of it, they keep it as it is.
 * A step is given up, as by pliant_body_end_step(). Shared positions are copied. A tree that is
 * being built (PLIANT_REBUILD_AUTO) is finished and taken into use first. Refused are bodies
 * whose shapes have modes or joints (PLIANT_ERROR_ARGUMENT), bodies in a scene that is being
 * recorded and bodies without a valid state (PLIANT_ERROR_STATE).
 */
PLIANT_API pliant_result pliant_body_tear(pliant_body *body, const pliant_tear *tear);

/*
 * A box that holds all vertices that triangles use. It depends on the mesh and the current state
 * alone: not on the tree, the update strategy, the kind of bound, the instruction set, earlier
 * states or earlier queries. It is the smallest box for bodies that are given by positions. For
 * other bodies it follows from boxes around parts of the mesh, up to 64 per transform, and costs
 * the same for meshes of every size (definition D7).
 */
typedef struct pliant_box {
    float lower[3], upper[3];
} pliant_box;

PLIANT_API pliant_result pliant_body_get_bounds(pliant_body *body, pliant_box *box);

/*
 * Refreshes every bound of the current state at once. Until the state is set again queries only
 * read the body, so that several threads, each with a query of its own, may ask about it at the
 * same time.
 */
PLIANT_API pliant_result pliant_body_prepare(pliant_body *body);

/*
 * The current positions of `count` vertices: those listed, or the first `count` if `vertices` is
 * NULL. These are the very values that queries see. `positions` has room for 3 * count floats.
 */
PLIANT_API pliant_result pliant_body_evaluate(const pliant_body *body, const uint32_t *vertices,
                                              uint32_t count, float *positions);

/*
 * What a body's tree is like in its current state. Sizes of bounds are the lengths of their sides
 * together. For bodies that are bounded by modes or joints growth contains how much looser those
 * bounds are than the smallest boxes, and is above 1 at rest.
 */
typedef struct pliant_body_quality {
    uint64_t nodes;     /* whose children's bounds were made in this state, as far as they are
                           measured: those above islands are not */
    double growth;      /* the sizes of these bounds over what they were when the tree was cut; 1
                           where none was made */
    double body_growth; /* the size of the body's own bounds over what it was then; 1 where these
                           were not made yet */
    double decay;       /* growth over body_growth where that is more than 1: how much larger bounds
                           are than if everything had grown alike. From 1.5 on AUTO sees a loss */
    uint64_t rebuilds;  /* how often a new tree was taken into use since the body was made */
    uint64_t sorts;     /* how often the tree above its islands was sorted anew */
} pliant_body_quality;

PLIANT_API pliant_result pliant_body_get_quality(const pliant_body *body,
                                                 pliant_body_quality *quality);

/* Bytes the body holds. */
typedef struct pliant_body_memory {
    uint64_t positions; /* its copy of the positions, if it has one */
    uint64_t bounds;    /* everything else: itself and the pages of refreshed nodes */
} pliant_body_memory;

PLIANT_API pliant_body_memory pliant_body_get_memory(const pliant_body *body);

#ifdef __cplusplus
}
#endif

#endif
