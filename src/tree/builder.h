/*
 * Building the tree top-down: a driver that makes nodes and clusters, and one splitter per
 * partition that says how a run of triangles falls into children. Items, one per triangle, are
 * permuted in place, so that every node, cluster and leaf is a run of them. Subtrees of balanced
 * trees are made by workers side by side, and joined as one worker would have made them.
 */
#ifndef PLI_TREE_BUILDER_H
#define PLI_TREE_BUILDER_H

#include "base/array.h"
#include "mesh/mesh.h"
#include "tree/tree.h"

/* ------------------------------------------------------------ cutting, cut.c

   Runs of items are cut in two where that makes small boxes. Which items lie on which side of a
   cut, and in which order, follows from the items alone, however many workers share the work. */

typedef struct pli_item {
    union {
        struct {
            float midpoint[3]; /* mean of the corners */
            uint32_t triangle;
        };
        float four[4]; /* the same as one register; the last one is no number to compute with */
    };
} pli_item;

/* Items that follow each other: a node, a cluster or a leaf. */
typedef struct pli_item_run {
    uint32_t first, count;
} pli_item_run;

/* Where items are cut. */
typedef struct pli_cutter {
    pliant_context *context;  /* whose workers share the passes over large runs; NULL: none do */
    pli_item *items;          /* all items of the tree */
    pli_item *scratch;        /* as many */
    uint8_t *slice;           /* as many: where an item lies along the axis of the present cut */
    struct pli_slices *block; /* pli_cutter_blocks() of them, if workers share */
    pliant_result result;     /* not PLIANT_OK after a caller's scheduler failed */
} pli_cutter;

/* How many elements of `block` a cutter of so many items needs, and the bytes of one. */
uint32_t pli_cutter_blocks(uint32_t items);
size_t pli_cutter_block_size(void);

/* What a run is cut into: children of whole units, up to so many each. */
typedef struct pli_portions {
    uint64_t unit; /* in triangles */
    uint64_t most;
} pli_portions;

/*
 * Cuts a run of items into the fewest children there can be, which follow each other; only the last
 * unit may be short. Cuts once and then both sides, so that children that follow each other are
 * near each other. Writes the size of each child and returns their number.
 */
uint32_t pli_cut(pli_cutter *cutter, pli_item_run run, pli_portions portions,
                 uint32_t sizes[PLI_WIDTH]);

/* The axis along which the midpoints of `count` items spread most; the first such one. */
int pli_longest_axis(const pli_item *items, uint32_t count);

/* Puts the `rank` smallest items along an axis first; midpoints that are equal go by number. */
void pli_select_smallest(pli_item *items, uint32_t count, uint32_t rank, int axis);

/* ------------------------------------------------------------ building */

typedef struct pli_tree_builder pli_tree_builder;

/*
 * Splits items[run.first ...] into 2 to `arity` runs that follow each other, by permuting them.
 * Writes the size of each run and returns their number. The run holds more than a cluster can.
 */
typedef uint32_t (*pli_splitter)(pli_tree_builder *builder, pli_item_run run,
                                 uint32_t sizes[PLI_WIDTH]);

/* A subtree that is left to workers, and what became of it. */
typedef struct pli_subtree {
    pli_item_run run;
    uint32_t level;
    uint32_t first, capacity; /* in made_nodes, and in made_clusters */
    uint32_t node_count, cluster_count;
    uint32_t root; /* as a child of a node; numbers are its own */
} pli_subtree;

enum { PLI_TREE_ARRAYS = 12 };

struct pli_tree_builder {
    pliant_context *context;
    const pli_mesh *mesh;
    pliant_partition partition;
    pliant_islands asked_islands;
    uint32_t arity, leaf_size;
    uint32_t cluster_triangles;  /* arity * leaf_size */
    uint32_t subtree_triangles;  /* subtrees of at most so many are left to workers; 0: none are */
    struct pli_patches *patches; /* connectivity.c */
    pli_cutter cutter;           /* of the items below */
    union {
        struct {
            PLI_ARRAY(pli_item) items, scratch; /* one per triangle; capacity for as many */
            PLI_ARRAY(uint8_t) slices;          /* the cutter's, and its blocks */
            pli_array blocks;
            PLI_ARRAY(pli_subtree) subtrees; /* left to workers, in depth-first order, */
            PLI_ARRAY(pli_node) upper_nodes; /* the nodes above them, */
            PLI_ARRAY(pli_node) made_nodes;  /* and what they are made of */
            PLI_ARRAY(pli_item_run) made_clusters;
            /* What comes out; nodes have children, level and triangle_count. */
            PLI_ARRAY(pli_node) nodes;
            PLI_ARRAY(pli_item_run) clusters; /* in depth-first order */
            /* islands.c: a run of items for each, and in the order of the tree each one's middle,
               with its number in place of a triangle's. Empty: there are none. */
            PLI_ARRAY(pli_item_run) islands;
            PLI_ARRAY(pli_item) island_order;
        };
        pli_array arrays[PLI_TREE_ARRAYS];
    };
};

PLI_CHECK_ARRAYS(struct pli_tree_builder);

/* What a tree is asked to be like. */
typedef struct pli_tree_settings {
    pliant_partition partition;
    uint32_t arity, leaf_size;
    pliant_islands islands;
} pli_tree_settings;

/* Builds the tree of a mesh where it is cut, mesh->at. Connectivity needs the mesh's edges, other
   partitions its triangles and welds alone. */
pliant_result pli_tree_build(pli_tree_builder *builder, pliant_context *context,
                             const pli_mesh *mesh, const pli_tree_settings *settings);
void pli_tree_release(pli_tree_builder *builder);

/* The item of a triangle. */
pli_item pli_item_of(const pli_mesh *mesh, uint32_t triangle);

/* The balanced partition, also where others find no split. */
uint32_t pli_split_balanced(pli_tree_builder *builder, pli_item_run run, uint32_t sizes[PLI_WIDTH]);

/* islands.c: finds the islands of a mesh and puts the items of each side by side, in the order of
   the tree. None are found where the mesh is in one piece, or most of it in crumbs. */
pliant_result pli_islands_find(pli_tree_builder *builder);

/* islands.c: orders islands by place, so that each of the runs that pli_island_sizes() makes of
   them, and again of each run, lies together. */
void pli_sort_islands(pli_item *islands, uint32_t count, uint32_t arity);

/* covariance.c */
uint32_t pli_split_by_covariance(pli_tree_builder *builder, pli_item_run run,
                                 uint32_t sizes[PLI_WIDTH]);

/* initial_shape.c */
uint32_t pli_split_by_shape(pli_tree_builder *builder, pli_item_run run, uint32_t sizes[PLI_WIDTH]);

/* connectivity.c */
pliant_result pli_patches_create(pli_tree_builder *builder);
void pli_patches_release(pli_tree_builder *builder);
uint32_t pli_split_by_connectivity(pli_tree_builder *builder, pli_item_run run,
                                   uint32_t sizes[PLI_WIDTH]);

#endif
