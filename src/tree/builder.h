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
#include "tree/cut.h"

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

/* area.c: the areas of all boxes of a tree, one below the other, over the root's: what a walk has
   to test. */
double pli_tree_area(const pli_tree_builder *builder);

/* The item of a triangle. */
pli_item pli_item_of(const pli_mesh *mesh, uint32_t triangle);

/* builder.c: builds the subtree over a run; *child is what a node says of it. */
pliant_result pli_tree_build_run(pli_tree_builder *builder, pli_item_run run, uint32_t level,
                                 uint32_t *child);

/* subtrees.c: chooses which subtrees are left to workers; whether this one is; leaves it to them,
   which makes *child the number of a subtree; and makes them all. */
void pli_subtrees_begin(pli_tree_builder *builder);
static inline bool pli_subtree_is_left(const pli_tree_builder *builder, pli_item_run run,
                                       uint32_t level)
{
    return run.count <= builder->subtree_triangles && level > 0;
}
pliant_result pli_subtree_leave(pli_tree_builder *builder, pli_item_run run, uint32_t level,
                                uint32_t *child);
pliant_result pli_subtrees_end(pli_tree_builder *builder);

/* balanced.c */
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
