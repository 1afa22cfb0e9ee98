/*
 * The tree over a mesh's triangles. Inner nodes have up to eight children; a child is another node
 * or a cluster. A cluster is the bottom two levels of the tree in one piece: up to eight leaves of
 * up to eight triangles, whose distinct vertices (192 at most) are numbered locally, so that a
 * corner is one byte. Clusters are numbered in the order in which a depth-first walk meets them,
 * and nodes come before their children.
 *
 * Vertices. Each vertex that a triangle uses is owned by the first cluster that uses it, and
 * vertex_order lists vertices by owner. Hence the vertices of a subtree are one range of
 * vertex_order plus a short list of extras, those owned by clusters before the subtree. No node
 * needs a vertex list of its own, which is the memory drawback Larsson & Akenine-Moller name.
 *
 * Islands. Where a mesh falls into pieces, each may have a subtree of its own, an island. The nodes
 * above islands are top nodes, and only these: a child of a top node is a top node or an island.
 * Bodies sort their islands under top nodes anew as the pieces move (body/islands.c); how many top
 * nodes that takes follows from the number of islands (pli_island_sizes()).
 */
#ifndef PLI_TREE_TREE_H
#define PLI_TREE_TREE_H

#include <stdint.h>

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
    uint32_t is_top; /* 1: it lies above islands, 0: in one, or there are none */
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
 * How `count` islands under one top node, 2 or more, are shared out: the sizes of its children, as
 * equal as can be, of which one of 1 is an island and others are top nodes. Returns their number.
 */
uint32_t pli_island_sizes(uint32_t count, uint32_t arity, uint32_t sizes[PLI_WIDTH]);

/* How many top nodes that many islands take, one or more. */
uint32_t pli_count_top_nodes(uint32_t count, uint32_t arity);

/* A finished tree. */
typedef struct pli_tree {
    const pli_node *nodes;
    const pli_cluster *clusters;
    const uint32_t *vertex_order, *node_extras, *cluster_vertices;
    const uint8_t *slot_corners;
    uint32_t node_count, cluster_count;
} pli_tree;

#endif
