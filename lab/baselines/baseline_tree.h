/*
 * The tree both rivals use: boxes over triangles, one triangle per leaf, children side by side,
 * built once by splitting boxes in the middle (van den Bergen 1997), refitted whole from the leaves
 * up.
 */
#ifndef LAB_BASELINES_BASELINE_TREE_H
#define LAB_BASELINES_BASELINE_TREE_H

#include "lab/harness/contest.h"

/* 32 bytes, two to a cache line. */
typedef struct baseline_node {
    float lower[3];
    uint32_t first; /* first child, always behind its parent; of a leaf: the triangle */
    float upper[3];
    uint32_t count; /* children; 0: a leaf */
} baseline_node;

typedef struct baseline_tree {
    baseline_node *nodes; /* the root is node 0 */
    const uint32_t *triangles;
    uint32_t node_count;
    uint32_t arity; /* 2 or 8 */
} baseline_tree;

/* Builds over the mesh's positions; borrows its triangles. False when there is no memory. */
bool baseline_tree_build(const gallery_mesh *mesh, uint32_t arity, baseline_tree *tree);
void baseline_tree_free(baseline_tree *tree);

/* One tree per body of a motion, over its start in the world or in the bodies' own frames. */
typedef struct baseline_forest {
    baseline_tree trees[BENCH_MAX_BODIES];
    uint32_t count;
} baseline_forest;

bool baseline_forest_build(const bench_motion *motion, bool local, uint32_t arity,
                           baseline_forest *forest);
void baseline_forest_free(baseline_forest *forest);

/* Recomputes every box from new positions. */
void baseline_tree_refit(baseline_tree *tree, const float *positions);

/* The longest side of a node's box: the larger one of two boxes is opened first. */
static inline float baseline_node_size(const baseline_node *node)
{
    float size = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        float side = node->upper[axis] - node->lower[axis];
        size = side > size ? side : size;
    }
    return size;
}

/* Pairs of nodes still to be opened, and pairs of triangles found. All grow and are kept. */
typedef struct baseline_scratch {
    uint64_t *stack; /* node of the first tree in the upper half */
    size_t stack_capacity;
    pliant_pair *pairs;
    size_t pair_count, pair_capacity;
    bench_range *ranges; /* the pairs by bodies */
    size_t range_count, range_capacity;
    bool out_of_memory;
} baseline_scratch;

void baseline_scratch_free(baseline_scratch *scratch);

/* Makes room for `extra` more than `used`; false, and out_of_memory set, when there is none. */
bool baseline_stack_reserve(baseline_scratch *scratch, size_t used, size_t extra);
bool baseline_pairs_reserve(baseline_scratch *scratch);

/* Notes that the pairs from `first` on are those of bodies a and b. */
bool baseline_close_range(baseline_scratch *scratch, uint32_t a, uint32_t b, size_t first);

/* Forgets what was found, and shows what was found. */
void baseline_scratch_clear(baseline_scratch *scratch);
void baseline_scratch_show(const baseline_scratch *scratch, bench_outcome *outcome);

/* The exact test on two triangles of two meshes in their current positions. */
bool baseline_triangles_touch(const uint32_t *triangles_a, const float *positions_a, uint32_t a,
                              const uint32_t *triangles_b, const float *positions_b, uint32_t b);

#endif
