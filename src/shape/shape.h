/*
 * The inside of a shape: one contiguous block of plain arrays behind a header, addressed by
 * offsets, so that it can be written, read back, mapped and shared as it is. Nothing in it ever
 * changes.
 *
 * The tree. Inner nodes have up to eight children; a child is another node or a cluster. A cluster
 * is the bottom two levels of the tree in one piece: up to eight leaves of up to eight triangles,
 * whose distinct vertices (192 at most) are numbered locally, so that a corner is one byte.
 * Clusters are numbered in the order in which a depth-first walk meets them, and nodes come before
 * their children.
 *
 * Vertices. Each vertex that a triangle uses is owned by the first cluster that uses it, and
 * vertex_order lists vertices by owner. Hence the vertices of a subtree are one range of
 * vertex_order plus a short list of extras, those owned by clusters before the subtree. No node
 * needs a vertex list of its own, which is the memory drawback Larsson & Akenine-Moller name.
 */
#ifndef PLI_SHAPE_SHAPE_H
#define PLI_SHAPE_SHAPE_H

#include "pliant/shape.h"

#include "base/context.h"

#include <stdatomic.h>

enum {
    PLI_WIDTH = 8,          /* children of a node, leaves of a cluster, triangles of a leaf */
    PLI_CLUSTER_SLOTS = 64, /* triangles a cluster has room for */
    PLI_MAX_LEVELS = 128    /* no tree is deeper, so that walking one may recurse on small stacks */
};

/* Marks a child of a node as a cluster; the other bits are its number. */
#define PLI_CLUSTER_BIT 0x80000000u

/* The vertices below a node: a range of vertex_order and a range of node_extras. */
typedef struct pli_vertex_span {
    uint32_t first, count;
    uint32_t extra_first, extra_count;
} pli_vertex_span;

typedef struct pli_node {
    uint32_t child[PLI_WIDTH]; /* entries at and beyond child_count are 0 */
    uint32_t child_count;
    uint32_t level; /* 0: the root */
    uint32_t triangle_count;
    uint32_t reserved;
    pli_vertex_span vertices;
} pli_node;

/*
 * Leaf l of a cluster owns slots 8 l to 8 l + 7; `live` says which of them hold triangles. A
 * cluster's slots start at a multiple of 16 and fill it up to one, so that wide loads stay inside.
 */
typedef struct pli_cluster {
    uint64_t live;          /* bit s: slot s holds a triangle */
    uint32_t first_slot;    /* of slot_triangles; three times that of slot_corners */
    uint32_t first_vertex;  /* of cluster_vertices: owned ones first, then extras */
    uint32_t first_owned;   /* of vertex_order */
    uint8_t vertex_count;   /* distinct vertices, 1 to 192 */
    uint8_t owned_count;    /* how many of them it owns */
    uint8_t slot_count;     /* slots in use, holes included, rounded up to a multiple of 16 */
    uint8_t triangle_count; /* 1 to 64 */
    uint32_t reserved[2];
} pli_cluster;

/* A cluster's vertex list is padded by repeating its last entry, so that wide loads stay inside. */
static inline uint32_t pli_padded_count(uint32_t vertex_count)
{
    return (vertex_count + 15) / 16 * 16;
}

/*
 * Shapes with modes or influences keep what vertices are evaluated from in patches: patch c belongs
 * to cluster c and has its vertices in their order, padded in the same way; patches behind those
 * hold vertices that no triangle uses. Its values are float rest[3][n], then a field[3][n] for each
 * of the modes that are not zero all over the patch, then weight[n] for each of the nodes that move
 * any of its vertices, n being the padded count.
 */
typedef struct pli_patch {
    uint64_t first_value;             /* of patch_values; a multiple of 16 */
    uint32_t first_mode, mode_count;  /* of patch_modes, ascending */
    uint32_t first_node, node_count;  /* of patch_nodes, ascending */
    uint32_t first_place;             /* of vertex_order: its own vertices, listed first */
    uint16_t own_count, vertex_count; /* vertices it owns, and vertices it has */
} pli_patch;

enum { PLI_PATCH_VERTICES = 64 }; /* of patches without a cluster */

/*
 * Shapes with modes or transforms have rows of coefficients, from which the bounds of eight
 * children side by side follow (bounds/from_modes.h, bounds/from_blend.h). Row n belongs to node n;
 * rows behind those belong to clusters and bound their leaves, if the shape has proxies.
 */
typedef struct pli_row {
    uint64_t first_value;            /* of row_values; a multiple of 16 */
    uint32_t first_mode, mode_count; /* of row_modes: the modes that matter there, ascending */
    uint32_t first_node, node_count; /* of row_nodes: the nodes that matter there, ascending */
    uint32_t kind;                   /* pli_row_kind: the model's, or BOX among AFFINE rows */
    uint32_t reserved;
} pli_row;

/* What the values of a row are. Runs of 16 are two halves of a number per child each. */
typedef enum pli_row_kind {
    PLI_ROW_NONE,   /* free shapes */
    PLI_ROW_BOX,    /* (centre | half size) per axis; the same for each mode; growth per axis */
    PLI_ROW_SPHERE, /* (centre x | centre y), (centre z | radius); the same for each mode; growth */
    PLI_ROW_AFFINE, /* (centre | residual) per axis, frame, half sizes along the frame; (constant |
                       residual) per axis and gradient for each mode; growth per axis;
                       in rows without modes as BOX too, for both hold there */
    PLI_ROW_BLEND   /* as BOX without growth, then the sums of weights (least | greatest), the sums
                       of what follows (least | greatest), for each node the weights (least |
                       greatest), and each node's share in all of them, filled up with zeros */
} pli_row_kind;

enum {
    PLI_HALVES = 2 * PLI_WIDTH,    /* a run of 16 */
    PLI_ROW_AXES = 3 * PLI_HALVES, /* (centre | half size) of three axes */
    PLI_ROW_FRAME = 3 * 32,        /* three rows of three columns of 8 and 8 zeros */
    PLI_ROW_COLUMNS = 32           /* three columns of 8 and 8 zeros */
};

/*
 * Where rest positions, or a mode that is not at zero, reach this far, bounds are not computed:
 * they hold everything. Below, no value of a row is larger than PLI_ROW_REACH times what it belongs
 * to reaches (model_check.c), so that nothing computed from it in float32 overflows; from there on,
 * values of rows are finite and mean nothing.
 */
#define PLI_FAR_OUT 0x1p100f
enum { PLI_ROW_REACH = 64 };

/* Numbers in a row. */
uint64_t pli_row_size(pli_row_kind kind, uint64_t mode_count, uint64_t node_count);

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
    /* Empty for free shapes: */
    PLI_SECTION_PATCHES,      /* pli_patch[] */
    PLI_SECTION_PATCH_MODES,  /* uint32[] */
    PLI_SECTION_PATCH_NODES,  /* uint32[] */
    PLI_SECTION_PATCH_VALUES, /* float[] */
    PLI_SECTION_VERTEX_PLACE, /* uint32[vertices]: the caller's -> tree order */
    PLI_SECTION_ROWS,         /* pli_row[] */
    PLI_SECTION_ROW_MODES,    /* uint32[] */
    PLI_SECTION_ROW_NODES,    /* uint32[] */
    PLI_SECTION_ROW_VALUES,   /* float[] */
    PLI_SECTION_REACH,        /* float[1 + modes]: the largest |coordinate| of p and of each U_m */
    PLI_SECTION_COUNT
} pli_section;

/* Readable bytes behind the last section, for wide loads of corners. */
enum { PLI_BLOCK_SLACK = 64 };

/* How a shape deforms, but for its arrays. All zero for free shapes. */
typedef struct pli_model {
    uint32_t mode_count, node_count;
    uint32_t has_influences;    /* 0 or 1 */
    uint32_t vertex_influences; /* the most that one vertex has */
    uint32_t row_kind;          /* pli_row_kind: of the rows, or of most of them */
    uint32_t proxy_triangles;
    float error;
    float weight_sums[2]; /* the least and the greatest over all vertices; 1 without influences */
    uint32_t reserved[3];
} pli_model;

typedef struct pli_block_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t size;     /* of the whole block */
    uint64_t checksum; /* of everything behind this field */
    uint32_t partition, arity, leaf_size;
    uint32_t is_closed;
    pliant_shape_quality quality;
    pli_model model;
    uint64_t count[PLI_SECTION_COUNT]; /* elements */
    uint64_t offset[PLI_SECTION_COUNT];
} pli_block_header;

struct pliant_shape {
    pliant_context *context;
    void *user;
    _Atomic uint64_t users; /* bodies, and the caller until it destroys the shape */
    pli_block_header *block;
    uint32_t vertex_count, triangle_count, node_count, cluster_count;
    bool in_tree_order; /* the caller's vertex order is the tree's: ranges need no list */
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
    /* NULL where the shape has no such: */
    const pli_patch *patches;
    const uint32_t *patch_modes, *patch_nodes;
    const float *patch_values;
    const uint32_t *vertex_place;
    const pli_row *rows;
    const uint32_t *row_modes, *row_nodes;
    const float *row_values;
    const float *reach;
};

/* A body of the shape begins to live, or has ended: with the last user the shape is gone. Counting
   is not part of what const speaks of. */
void pli_shape_join(const pliant_shape *shape);
void pli_shape_leave(const pliant_shape *shape);

/* Whether bodies of the shape are bounded by rows, unless they are given by positions. */
static inline bool pli_shape_has_rows(const pliant_shape *shape)
{
    return shape->block->model.row_kind != PLI_ROW_NONE;
}

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

/* Makes the shape object over a block, which it owns from then on (on failure too). */
pliant_result pli_shape_from_block(pliant_context *context, pli_block_header *block,
                                   pliant_shape **shape);

/* quality.c: fills in the figures about the tree, from the tree alone. */
void pli_shape_measure_tree(const pliant_shape *shape, pliant_shape_quality *quality);

/* Checks that the counts of a header agree, before anything behind it is read. */
pliant_result pli_block_check_counts(const pli_block_header *block);

/* Checks all of a shape's invariants except the checksum. */
pliant_result pli_shape_check(const pliant_shape *shape);

/* model_check.c: the part of it about patches and rows; the tree has been checked. */
pliant_result pli_model_check(const pliant_shape *shape);

#endif
