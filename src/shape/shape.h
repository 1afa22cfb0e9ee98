/*
 * The inside of a shape: one contiguous block of plain arrays behind a header, addressed by
 * offsets, so that it can be written, read back, mapped and shared as it is. Nothing in it ever
 * changes. Its parts: the mesh at rest, the tree (tree/tree.h), and for shapes that deform by modes
 * or transforms what these need (model/model.h).
 */
#ifndef PLI_SHAPE_SHAPE_H
#define PLI_SHAPE_SHAPE_H

#include "pliant/shape.h"

#include "base/atomic.h"
#include "base/context.h"
#include "mesh/fields.h"
#include "model/model.h"

/* The arrays of a block, in the order in which they lie there. */
typedef enum pli_section {
    PLI_SECTION_POSITIONS,        /* float[3 * vertices], the caller's order */
    PLI_SECTION_TRIANGLES,        /* uint32[3 * triangles], the caller's order */
    PLI_SECTION_GROUPS,           /* uint16[triangles], or empty */
    PLI_SECTION_WELDED,           /* uint32[vertices]: the lowest vertex welded with this one */
    PLI_SECTION_NODES,            /* pli_node[] */
    PLI_SECTION_CLUSTERS,         /* pli_cluster[] */
    PLI_SECTION_VERTEX_ORDER,     /* uint32[vertices]: tree order -> caller's; unused ones last */
    PLI_SECTION_NODE_EXTRAS,      /* uint32[]: caller's vertices */
    PLI_SECTION_CLUSTER_VERTICES, /* uint32[]: caller's vertices, padded per cluster */
    PLI_SECTION_SLOT_TRIANGLES, /* uint32[slots]: caller's triangle; holes repeat their leaf's last
                                 */
    PLI_SECTION_SLOT_CORNERS,   /* uint8[3 * slots]: per cluster, corner 0 of all its slots, then
                                   corner 1, then corner 2; numbers of the cluster's vertices */
    PLI_SECTION_SLOT_FEATURES,  /* uint8[slots]: pli_owned_features of the triangle; 0 in holes */
    /* Empty for free shapes: */
    PLI_SECTION_SKIN_BLOCKS,        /* pli_skin_block[] */
    PLI_SECTION_SKIN_BLOCK_MODES,   /* uint32[] */
    PLI_SECTION_SKIN_BLOCK_JOINTS,  /* uint32[] */
    PLI_SECTION_SKIN_BLOCK_VALUES,  /* float[] */
    PLI_SECTION_VERTEX_PLACE,       /* uint32[vertices]: the caller's -> tree order */
    PLI_SECTION_COEFFICIENTS,       /* pli_coefficients[] */
    PLI_SECTION_COEFFICIENT_MODES,  /* uint32[] */
    PLI_SECTION_COEFFICIENT_JOINTS, /* uint32[] */
    PLI_SECTION_COEFFICIENT_VALUES, /* float[] */
    PLI_SECTION_REACH, /* float[1 + modes]: the largest |coordinate| of p and of each U_m */
    PLI_SECTION_COUNT
} pli_section;

/* Readable bytes behind the last section, for wide loads of corners. */
enum { PLI_BLOCK_SLACK = 64 };

typedef struct pli_block_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t size;     /* of the whole block */
    uint64_t checksum; /* of everything behind this field */
    uint32_t partition, arity, leaf_size;
    uint32_t is_closed;
    uint32_t islands; /* pliant_islands, as asked for */
    uint32_t reserved;
    pliant_shape_quality quality;
    pli_model model;
    uint64_t count[PLI_SECTION_COUNT]; /* elements */
    uint64_t offset[PLI_SECTION_COUNT];
} pli_block_header;

/* The mark of a removed triangle, in place of its corners, and of what is not there. */
#define PLI_NO_NUMBER UINT32_MAX

struct pli_mesh;
struct pli_tree_builder;
struct pli_tree_settings;
typedef struct pli_tearing pli_tearing;

struct pliant_shape {
    pliant_context *context;
    void *user;
    PLI_ATOMIC(uint64_t) users; /* bodies, and the caller until it destroys the shape */
    bool borrows;               /* the block is the caller's, and goes back to him by this: */
    pliant_block_release release;
    void *release_user;
    pli_block_header *block; /* of one that can be torn: no more than its header */
    pli_tearing *tearing;    /* NULL unless it is the own shape of a body that can be torn */
    uint32_t vertex_count, triangle_count, node_count, cluster_count;
    bool in_tree_order;    /* the caller's vertex order is the tree's: ranges need no list */
    uint32_t top_count;    /* top nodes, and */
    uint32_t island_count; /* what lies below them; both 0 where there are no islands */
    /* How large bounds were when the tree was cut: per node, the sides of all its children's boxes
       together, in units of which PLI_CUT_UNITS make the sides of the whole. */
    uint32_t *cut_sizes;
    double cut_scale; /* such units per length; 0: the whole was a point, and nothing is measured */
    /* Into the block: */
    const float *positions;
    const uint32_t *triangles;
    const uint16_t *groups; /* NULL if there are none */
    const uint32_t *welded;
    const pli_node *nodes;
    const pli_cluster *clusters;
    const uint32_t *vertex_order;
    const uint32_t *node_extras;
    const uint32_t *cluster_vertices;
    const uint32_t *slot_triangles;
    const uint8_t *slot_corners;
    const uint8_t *slot_features;
    /* NULL where the shape has no such: */
    const pli_skin_block *skin_blocks;
    const uint32_t *skin_block_modes, *skin_block_joints;
    const float *skin_block_values;
    const uint32_t *vertex_place;
    const pli_coefficients *coefficients;
    const uint32_t *coefficient_modes, *coefficient_joints;
    const float *coefficient_values;
    const float *reach;
};

/* Whether a triangle was not removed. */
static inline bool pli_shape_has_triangle(const pliant_shape *shape, uint32_t triangle)
{
    return shape->triangles[3 * (size_t)triangle] != PLI_NO_NUMBER;
}

/* A body of the shape begins to live, or has ended: with the last user the shape is gone. Counting
   is not part of what const speaks of. */
void pli_shape_join(const pliant_shape *shape);
void pli_shape_leave(const pliant_shape *shape);

/* The shape's tree. */
static inline pli_tree pli_shape_tree(const pliant_shape *shape)
{
    return (pli_tree){.nodes = shape->nodes,
                      .clusters = shape->clusters,
                      .vertex_order = shape->vertex_order,
                      .node_extras = shape->node_extras,
                      .cluster_vertices = shape->cluster_vertices,
                      .slot_corners = shape->slot_corners,
                      .node_count = shape->node_count,
                      .cluster_count = shape->cluster_count};
}

/* Whether bodies of the shape are bounded by coefficients, unless they are given by positions. */
static inline bool pli_shape_has_coefficients(const pliant_shape *shape)
{
    return shape->block->model.coefficient_kind != PLI_COEFFICIENTS_NONE;
}

/* How many elements of coefficients bound the children of a node or the leaves of a cluster; those
   behind them, of joints, bound the whole. */
static inline uint64_t pli_shape_bounded_count(const pliant_shape *shape)
{
    bool proxies = shape->block->model.proxy_triangles > 0;
    return shape->node_count + (proxies ? (uint64_t)shape->cluster_count : 0);
}

/* layout.c: makes the block, complete but for the tree's area ratio and the checksum, of a mesh
   that knows its features. What the tree has as scratch is used. */
pliant_result pli_lay_out(const struct pli_mesh *mesh, const struct pli_tree_builder *tree,
                          pli_block_header **block);

/* layout.c: a block with everything that the shape's has, and the model besides. The shape keeps
   its own. */
pliant_result pli_lay_out_model(const struct pli_mesh *mesh, const pliant_shape *shape,
                                pli_block_header **block);

/* layout.c: the kind of coefficients that a model gets. */
pli_coefficient_kind pli_choose_coefficients(const pli_model *model);

/* Bytes of one element of a section. */
size_t pli_section_element_size(pli_section section);

/*
 * Allocates a block whose sections have the counts given, with header fields size, count and offset
 * filled in and all else zero.
 */
pliant_result pli_block_allocate(pliant_context *context, const uint64_t count[PLI_SECTION_COUNT],
                                 pli_block_header **block);

/* The start of a section. */
void *pli_block_section(pli_block_header *block, pli_section section);

/* Computes the checksum of a block's contents and stores it. */
void pli_block_seal(pli_block_header *block);

/* Makes the shape object over a block, which it owns from then on (on failure too) unless it
   borrows it. */
pliant_result pli_shape_from_block(pliant_context *context, pli_block_header *block, bool borrows,
                                   pliant_shape **shape);

/* shape.c: a shape of a mesh, complete but for the checksum; its tree is cut at mesh->at. */
pliant_result pli_shape_build(const struct pli_mesh *mesh, const struct pli_tree_settings *settings,
                              pliant_shape **shape);

/* quality.c: fills in the figures about the tree, from the tree alone. */
void pli_shape_measure_tree(const pliant_shape *shape, pliant_shape_quality *quality);

/* quality.c: measures how large bounds are at the positions, 3 numbers per vertex, that the tree
   was cut at. */
enum { PLI_CUT_UNITS = 1 << 20 };
pliant_result pli_shape_measure_cut(pliant_shape *shape, const float *positions);

/*
 * derive.c: a shape of the same mesh, with the same numbers, welds, groups, rest positions and
 * model, whose tree is cut at other positions, 3 finite numbers per vertex. A connectivity tree
 * becomes a balanced one: cut by connectivity it would come out as it was. The shape has one user,
 * the caller, and no checksum: it is never written.
 */
pliant_result pli_shape_derive(const pliant_shape *shape, const float *positions,
                               pliant_shape **derived);

/* Checks that the counts of a header agree, before anything behind it is read. */
pliant_result pli_block_check_counts(const pli_block_header *block);

/* Checks all of a shape's invariants except the checksum. */
pliant_result pli_shape_check(const pliant_shape *shape);

/* model_check.c: the part of it about skin blocks and coefficients; the tree has been checked. */
pliant_result pli_model_check(const pliant_shape *shape);

/* ------------------------------------------------------------ proxies

   Which parts of a tree are proxies, and how they are numbered; see pliant/shape.h. */

/* Triangles below a child of a node. */
static inline uint32_t pli_child_triangles(const pliant_shape *shape, uint32_t child)
{
    return child & PLI_CLUSTER_BIT ? shape->clusters[child & ~PLI_CLUSTER_BIT].triangle_count
                                   : shape->nodes[child].triangle_count;
}

/* Bit l: leaf l of a cluster holds triangles. */
static inline unsigned pli_cluster_leaves(const pli_cluster *cluster)
{
    unsigned used = 0;
    for (uint32_t leaf = 0; leaf < PLI_WIDTH; leaf++) {
        used |= (unsigned)((cluster->live >> (PLI_WIDTH * leaf) & 0xff) != 0) << leaf;
    }
    return used;
}

/* One leaf of a cluster, as one side of a contact. */
pliant_proxy pli_proxy_of_leaf(const pliant_shape *shape, uint32_t cluster, uint32_t leaf);

/* A child of a node, or the root, node 0, as one side of a contact. */
pliant_proxy pli_proxy_of_child(const pliant_shape *shape, uint32_t child);

/* Fails if a body of the shape cannot take part as proxies; `who` names it in the message. */
pliant_result pli_check_proxies(const pliant_shape *shape, const char *who);

#endif
