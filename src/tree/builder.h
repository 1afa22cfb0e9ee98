/*
 * Building the tree top-down: a driver that makes nodes and clusters, and one splitter per
 * partition that says how a run of triangles falls into children. Items, one per triangle, are
 * permuted in place, so that every node, cluster and leaf is a run of them.
 */
#ifndef PLI_TREE_BUILDER_H
#define PLI_TREE_BUILDER_H

#include "base/array.h"
#include "mesh/mesh.h"
#include "tree/tree.h"

typedef struct pli_item {
    float midpoint[3]; /* mean of the corners */
    uint32_t triangle;
} pli_item;

/* A cluster as the driver leaves it: a run of items. */
typedef struct pli_item_run {
    uint32_t first, count;
} pli_item_run;

typedef struct pli_tree_builder pli_tree_builder;

/*
 * Splits items[run.first ...] into 2 to `arity` runs that follow each other, by permuting them.
 * Writes the size of each run and returns their number. The run holds more than a cluster can.
 */
typedef uint32_t (*pli_splitter)(pli_tree_builder *builder, pli_item_run run,
                                 uint32_t sizes[PLI_WIDTH]);

enum { PLI_TREE_ARRAYS = 4 };

struct pli_tree_builder {
    pliant_context *context;
    const pli_mesh *mesh;
    pliant_partition partition;
    uint32_t arity, leaf_size;
    uint32_t cluster_triangles;  /* arity * leaf_size */
    struct pli_patches *patches; /* connectivity.c */
    union {
        struct {
            PLI_ARRAY(pli_item) items, scratch; /* one per triangle; capacity for as many */
            /* What comes out; nodes have children, level and triangle_count. */
            PLI_ARRAY(pli_node) nodes;
            PLI_ARRAY(pli_item_run) clusters; /* in depth-first order */
        };
        pli_array arrays[PLI_TREE_ARRAYS];
    };
};

PLI_CHECK_ARRAYS(struct pli_tree_builder);

pliant_result pli_tree_build(pli_tree_builder *builder, pliant_context *context,
                             const pli_mesh *mesh, const pliant_shape_def *def);
void pli_tree_release(pli_tree_builder *builder);

/* The item of a triangle. */
pli_item pli_item_of(const pli_mesh *mesh, uint32_t triangle);

/* balanced.c */
uint32_t pli_split_balanced(pli_tree_builder *builder, pli_item_run run, uint32_t sizes[PLI_WIDTH]);

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
uint32_t pli_cut(pli_item *items, uint32_t count, pli_portions portions, uint32_t sizes[PLI_WIDTH]);

/* The axis along which the midpoints of `count` items spread most; the first such one. */
int pli_longest_axis(const pli_item *items, uint32_t count);

/* Puts the `rank` smallest items along an axis first; midpoints that are equal go by number. */
void pli_select_smallest(pli_item *items, uint32_t count, uint32_t rank, int axis);

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
