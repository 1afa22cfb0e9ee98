/*
 * Pliant: shapes. A shape is everything about a body that never changes: the mesh at rest, how it
 * deforms, the tree over its triangles and what bounds the tree's nodes. It is immutable, may be
 * shared by any number of bodies and threads, and is one contiguous block that can be written to a
 * file and read back.
 *
 * A shape without modes and transforms is *free*: its bodies are given by all their positions. Else
 * vertex k of a body is
 *
 *     x_k = sum_j w_kj T_j (p_k + sum_m q_m U_km)
 *
 * with the shape's rest positions p, displacement fields U ("modes") and weights w ("influences"),
 * and the body's coordinates q and affine transforms T. Bounds then follow from q and T alone, and
 * only the vertices of triangles that may touch are ever computed.
 */
#ifndef PLIANT_SHAPE_H
#define PLIANT_SHAPE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How triangles are grouped into a tree. No choice changes any answer. */
typedef enum pliant_partition {
    /* Cut along the longest axis, at one of the places that leave all clusters but the last full:
       where the boxes on both sides come out smallest. The default. */
    PLIANT_PARTITION_BALANCED = 0,
    /* Larsson & Akenine-Moller's initial-shape tree: split at the centre of the box. */
    PLIANT_PARTITION_SHAPE_CENTRE,
    /* The same, split at the mean of the triangles' midpoints. */
    PLIANT_PARTITION_SHAPE_MEAN,
    /* Larsson & Akenine-Moller's connectivity tree: every subtree is a connected patch of the
       mesh, whatever its shape at rest (separate components are grouped above their own trees). */
    PLIANT_PARTITION_CONNECTIVITY,
    /* Steinemann, Otaduy & Gross's tree: split at the median along the axis of largest spread of
       the midpoints, which need not be a coordinate axis. */
    PLIANT_PARTITION_COVARIANCE
} pliant_partition;

/* Whether the pieces of a mesh, which triangles with common vertices hold together, have trees of
   their own under a small tree that every body sorts anew as they move. No choice changes any
   answer. */
typedef enum pliant_islands {
    /* In shapes without modes and influences, whose pieces may go anywhere, where all boxes of the
       tree at rest together are larger by a quarter at most; by a twentieth where there are no
       more pieces than children of a node. The default. */
    PLIANT_ISLANDS_AUTO = 0,
    PLIANT_ISLANDS_NEVER,
    /* Wherever there are pieces. Those of less than a quarter of a cluster's triangles are grouped
       by place; where most of the mesh is such crumbs, and in shapes with proxies, which are parts
       of one tree, there are no islands all the same. */
    PLIANT_ISLANDS_ALWAYS
} pliant_islands;

/* What a node's children are bounded with, where bounds follow from modes. No choice changes any
   answer. Shapes with influences use boxes. */
typedef enum pliant_bound_kind {
    /* AFFINE up to 48 modes, node by node where that makes bounds smaller; BOX beyond, where AFFINE
       grows large. */
    PLIANT_BOUND_AUTO = 0,
    PLIANT_BOUND_BOX,    /* James & Pai's bounds per axis */
    PLIANT_BOUND_SPHERE, /* James & Pai's spheres */
    PLIANT_BOUND_AFFINE  /* boxes that shear with the modes, and a residual */
} pliant_bound_kind;

/* Where a bounding sphere is centred, and how modes are referred to it. */
typedef enum pliant_sphere_centre {
    PLIANT_SPHERE_MEAN = 0,  /* the mean of the vertices, and of each mode */
    PLIANT_SPHERE_MID_RANGE, /* the centre of the vertices' box */
    PLIANT_SPHERE_SMALLEST   /* the centre of the smallest enclosing sphere, for modes as well */
} pliant_sphere_centre;

/* The types of numbers in arrays that hold several; integers have no sign. */
typedef enum pliant_number {
    PLIANT_NUMBER_UINT8 = 0,
    PLIANT_NUMBER_UINT16,
    PLIANT_NUMBER_UINT32,
    PLIANT_NUMBER_FLOAT32
} pliant_number;

/* How vertices follow their joints. */
typedef enum pliant_skinning {
    PLIANT_SKINNING_LINEAR = 0, /* the sum above: transforms are blended as matrices */
    /* Refused: a vertex would be no convex combination of what its joints make of it, which bounds
       rest on. Evaluate the vertices and give them as the positions of a free body. */
    PLIANT_SKINNING_DUAL_QUATERNION
} pliant_skinning;

typedef struct pliant_shape_def {
    uint32_t tag;                /* set by pliant_shape_def_default() */
    const float *positions;      /* vertex positions at rest: x, y, z; copied */
    const uint32_t *triangles;   /* three vertex indices each; copied */
    const uint16_t *triangles16; /* the same with indices of 16 bits, in place of `triangles` */
    const uint16_t *groups;      /* optional: a group per triangle (material, part); copied */
    uint32_t vertex_count;       /* 1 to 2^31 - 1 */
    uint32_t triangle_count;     /* 1 to 2^30 */
    size_t position_stride;      /* bytes from vertex to vertex; 0: 12 */
    size_t triangle_stride;      /* bytes from triangle to triangle; 0: 12, or 6 with 16 bits */
    size_t group_stride;         /* bytes from group to group; 0: 2 */
    bool weld;                   /* default true: vertices at bit-equal rest positions (0 and -0 are
                                    equal) count as one for adjacency, closedness and neighbours,
                                    if their modes and influences are equal too */
    pliant_partition partition;  /* default PLIANT_PARTITION_BALANCED */
    uint32_t arity;              /* children per node, 2, 4 or 8; default 8 */
    uint32_t leaf_size;          /* triangles per leaf, 1 to 8; default 8. A cluster, the smallest
                                    unit that is refreshed, has up to `arity` leaves */
    pliant_islands islands;      /* default PLIANT_ISLANDS_AUTO */
    /* Modes: mode_count displacement fields, none by default. Dense: field m of vertex v is three
       numbers at v * mode_vertex_stride + m * mode_stride bytes. Sparse, if mode_offsets is set:
       field m is given for the vertices mode_vertices[i] only, i from mode_offsets[m] to before
       mode_offsets[m + 1], three numbers each at i * mode_vertex_stride; a vertex given twice is an
       error. All copied. */
    const float *modes;
    const uint32_t *mode_offsets;  /* NULL: dense; else mode_count + 1 entries */
    const uint32_t *mode_vertices; /* sparse: a vertex per entry */
    uint32_t mode_count;           /* at most 2^16 */
    size_t mode_vertex_stride;     /* 0: 12 */
    size_t mode_stride;            /* dense: 0: tightly packed */
    /* Transforms: joint_count of them, none by default. With 1 and no influences, the whole body
       moves by one transform. Influences say how much each joint moves each vertex: those of vertex
       v are influence_joints[i] and influence_weights[i], i from influence_offsets[v] to before
       influence_offsets[v + 1]. Weights must not be negative, nor their sums overflow: those of a
       vertex, and of each joint's largest, as they are kept. All copied; kept in the order of
       joints, weights of a joint given twice for a vertex added. */
    uint32_t joint_count;              /* at most 2^16 */
    const uint32_t *influence_offsets; /* NULL: no influences; else vertex_count + 1 entries */
    const uint32_t *influence_joints;
    const float *influence_weights;
    /* The same as engines have it, in place of influence_offsets: a table of slot_count joints and
       as many weights for every vertex, those of vertex v from v times the stride on. Weights of 8
       and 16 bits stand for w / 255 and w / 65535, rounded to float32. A slot of weight 0 is empty,
       whatever its joint is. All copied; the shape is the same as from lists of the other slots. */
    uint32_t slot_count;            /* per vertex, at most 2^16; 0 (the default): no table */
    pliant_number slot_joint_type;  /* default PLIANT_NUMBER_UINT16; or UINT8, UINT32 */
    pliant_number slot_weight_type; /* default PLIANT_NUMBER_FLOAT32; or UINT8, UINT16 */
    const void *slot_joints;
    const void *slot_weights;
    size_t slot_joint_stride;  /* bytes from vertex to vertex; 0: tightly packed */
    size_t slot_weight_stride; /* the same */
    pliant_skinning skinning;  /* default PLIANT_SKINNING_LINEAR, the only one there is */
    bool normalise_weights;    /* default true: divide by their sum, where it is not zero */
    pliant_bound_kind bound;   /* default PLIANT_BOUND_AUTO */
    pliant_sphere_centre sphere_centre; /* default PLIANT_SPHERE_MEAN */
    float error;              /* the mesh you mean lies within this distance of the vertices as
                                 they are before transforms; 0 by default. Bounds grow by it, and
                                 pliant_find_within() and proxies reach as much further, so that they
                                 miss no contact of that mesh */
    uint32_t proxy_triangles; /* 0 (the default): no proxies. Else nodes of at most this many
                                 triangles can stand for them in a collision; see
                                 pliant_collide_proxies() */
    void *user;               /* yours; pliant_shape_get_user() returns it */
} pliant_shape_def;

typedef struct pliant_shape pliant_shape;

PLIANT_DEFAULT(pliant_shape_def)

/*
 * Creates a shape. Errors name the first offender: a vertex that is not finite, a triangle that
 * uses a vertex outside the array, a count of zero or one that is too large. Degenerate and
 * duplicate triangles, unused vertices, open meshes and triangle soups are all legal.
 */
PLIANT_API pliant_result pliant_shape_create(pliant_context *context, const pliant_shape_def *def,
                                             pliant_shape **shape);

/* Destroys a shape. Bodies that use it keep it until they are destroyed. NULL is ignored. */
PLIANT_API void pliant_shape_destroy(pliant_shape *shape);

/* What is yours: not to be set while another thread reads it. It is no part of the block. */
PLIANT_API pliant_result pliant_shape_set_user(pliant_shape *shape, void *user);
PLIANT_API void *pliant_shape_get_user(const pliant_shape *shape);
PLIANT_API uint32_t pliant_shape_get_vertex_count(const pliant_shape *shape);
PLIANT_API uint32_t pliant_shape_get_triangle_count(const pliant_shape *shape);

PLIANT_API uint32_t pliant_shape_get_mode_count(const pliant_shape *shape);
PLIANT_API uint32_t pliant_shape_get_joint_count(const pliant_shape *shape);

/* The kind of bounds that the shape's bodies have; PLIANT_BOUND_BOX for free ones. */
PLIANT_API pliant_bound_kind pliant_shape_get_bound_kind(const pliant_shape *shape);

/* The three vertices of a triangle, in the caller's numbering and order. */
PLIANT_API pliant_result pliant_shape_get_triangle(const pliant_shape *shape, uint32_t triangle,
                                                   uint32_t vertices[3]);

/* The group of a triangle; 0 where the shape has no groups. */
PLIANT_API pliant_result pliant_shape_get_group(const pliant_shape *shape, uint32_t triangle,
                                                uint16_t *group);

/* Bytes the shape occupies in memory; its block is as large but for a few hundred bytes and four
   per inner node of the tree. A borrowed block does not count. */
PLIANT_API uint64_t pliant_shape_get_memory(const pliant_shape *shape);

/*
 * Whether the mesh is closed: every edge, after welding, is used by the same number of triangles in
 * each direction, and no triangle uses one vertex twice. Only closed bodies have an inside.
 */
PLIANT_API bool pliant_shape_is_closed(const pliant_shape *shape);

/*
 * The order in which the tree reads vertices: order[i] is the caller's index of the i-th vertex.
 * A caller who can choose the order of its vertices gains by using this one. `order` has room for
 * vertex_count entries.
 */
PLIANT_API pliant_result pliant_shape_get_vertex_order(const pliant_shape *shape, uint32_t *order);

/* What the mesh and its tree are like. */
typedef struct pliant_shape_quality {
    uint32_t node_count;                /* inner nodes */
    uint32_t cluster_count;             /* clusters of up to arity * leaf_size triangles */
    uint32_t levels;                    /* from the root's children down to single triangles */
    uint32_t component_count;           /* connected pieces of the mesh after welding */
    uint32_t welded_vertex_count;       /* distinct vertices after welding, unused ones included */
    uint32_t unused_vertex_count;       /* vertices that no triangle uses */
    uint32_t degenerate_triangle_count; /* triangles whose rest corners lie on one line, exactly */
    uint32_t
        duplicate_triangle_count; /* triangles with the same welded vertices as an earlier one */
    uint32_t open_edge_count;     /* welded edges that keep the mesh from being closed */
    uint32_t reserved;            /* 0 */
    double cluster_fill;          /* mean triangles per cluster over arity * leaf_size */
    double boundary_share;        /* vertices that clusters read in common, per vertex used */
    double area_ratio;            /* sum of the areas of all boxes at rest, over the root's */
} pliant_shape_quality;

PLIANT_API pliant_result pliant_shape_get_quality(const pliant_shape *shape,
                                                  pliant_shape_quality *quality);

/*
 * Proxies: parts of the tree that stand for their triangles as one side of a contact (proxy.h). A
 * shape has them if pliant_shape_def.proxy_triangles is not 0: the largest nodes, clusters or
 * leaves of its tree, below the root, of at most that many triangles, and leaves where even those
 * have more. The leaves of a tree are numbered, with gaps; a proxy is a range of them.
 */
typedef struct pliant_proxy {
    uint32_t id;     /* of a proxy: its first leaf. Of a triangle: its number */
    uint32_t leaves; /* how many numbers of leaves a proxy takes; 0: it is a triangle */
} pliant_proxy;

/*
 * All proxies of a shape, ascending. Call it with `proxies` NULL to learn their number; otherwise
 * there must be room for `capacity` of them, which must be enough.
 */
PLIANT_API pliant_result pliant_shape_get_proxies(const pliant_shape *shape, pliant_proxy *proxies,
                                                  uint32_t capacity, uint32_t *count);

/* The triangles of a proxy, or of one side of a coarse contact, in the order of the tree. NULL and
   `capacity` as above. */
PLIANT_API pliant_result pliant_shape_get_proxy_triangles(const pliant_shape *shape,
                                                          pliant_proxy proxy, uint32_t *triangles,
                                                          uint32_t capacity, uint32_t *count);

/* The vertex of a proxy, or of one side of a coarse contact, that lies nearest to the middle of its
   triangles at rest: one for a simulator to push at. */
PLIANT_API pliant_result pliant_shape_get_proxy_vertex(const pliant_shape *shape,
                                                       pliant_proxy proxy, uint32_t *vertex);

/*
 * What is torn of a body at once (pliant_body_tear()): triangles that are removed, and vertices
 * that are split. A vertex is split by making a copy of it and giving the copy to some of the
 * triangles around it. All zero: nothing. Arrays are only read during the call.
 */
typedef struct pliant_torn_corner {
    uint32_t triangle; /* the triangle whose corner goes to a copy: all of its corners at the vertex
                          that the copy is of */
    uint32_t vertex;   /* the copy: one of those that the same call makes */
} pliant_torn_corner;

typedef struct pliant_tear {
    const uint32_t *removed; /* triangles that are removed, each once; at least one must stay */
    uint32_t removed_count;
    const uint32_t *split; /* vertices that are copied: entry i is of a copy that gets */
    uint32_t split_count;  /* the number n + i, where the body had n vertices */
    const pliant_torn_corner *corners; /* corners that go to copies */
    uint32_t corner_count;
    const uint32_t *welded; /* NULL: each copy is welded with nothing; else split_count entries: the
                               lowest copy of this call that this one is welded with, itself if
                               there is none. Their originals must be welded: two sides of a seam */
    uint32_t added_count;   /* must be 0: triangles cannot be added yet */
} pliant_tear;

/*
 * Writes the shape as one block of bytes, the same for the same input on every machine of the same
 * byte order. Call it with buffer NULL to learn the size; otherwise `capacity` must be enough.
 */
PLIANT_API pliant_result pliant_shape_write(const pliant_shape *shape, void *buffer,
                                            uint64_t capacity, uint64_t *size);

/*
 * Makes a shape from a block that pliant_shape_write() produced. The block is copied and checked
 * whole, its quality found again: a truncated or altered one, or one of another version or byte
 * order, is refused with PLIANT_ERROR_DATA. One that was forged, checksum and all, is refused too
 * or gives a shape on which every query returns; its bounds may miss contacts. `data` needs no
 * alignment.
 */
PLIANT_API pliant_result pliant_shape_read(pliant_context *context, const void *data, uint64_t size,
                                           pliant_shape **shape);

/*
 * What a borrowed block is given back to, when the shape and all its bodies are gone: on the thread
 * that ended the last of them. It may be called once per shape, and must not use that shape.
 */
typedef void (*pliant_block_release)(void *user, const void *data, uint64_t size);

/*
 * The same without a copy: the block is checked as above, then used where it lies, a mapped file
 * for example, and only ever read. It must begin at a multiple of 64 bytes, else the call fails
 * with PLIANT_ERROR_ARGUMENT, and it must neither change nor go until `release` has been called,
 * which may be NULL. A call that fails borrows nothing and releases nothing.
 */
PLIANT_API pliant_result pliant_shape_borrow(pliant_context *context, const void *data,
                                             uint64_t size, pliant_block_release release,
                                             void *release_user, pliant_shape **shape);

/* Checks every invariant of the shape's block again, in time linear in its size. A shape in memory
   always passes; this is for tests and for hunting memory corruption. */
PLIANT_API pliant_result pliant_shape_validate(const pliant_shape *shape);

#ifdef __cplusplus
}
#endif

#endif
