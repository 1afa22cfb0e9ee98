/*
 * A tree over the boxes of bodies, kept from step to step. Based on the dynamic trees of physics
 * engines (G. van den Bergen, "Efficient Collision Detection of Complex Deformable Models using
 * AABB Trees", 1997, for refitting; E. Catto, "Dynamic Bounding Volume Hierarchies", 2019, for
 * insertion and fat boxes; T. Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees,
 * and k-d Trees", 2012, for building).
 *
 * A leaf has a *fat* box, a body's box with some slack: while a body stays inside of its fat box
 * nothing in the tree changes. A body that has left it gets a new one in the same place of the
 * tree, or another place if it has gone far. Counts alone decide when the tree is built anew: when
 * many bodies left their fat boxes at once, when bodies have left some times since it was built,
 * and when a branch is too deep. So the tree follows from the calls that were made.
 *
 * What walks find does not depend on the tree: the last comparison is with a body's own box.
 */
#ifndef PLI_BROAD_TREE_H
#define PLI_BROAD_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"

/* ------------------------------------------------------------ boxes as integers */

/*
 * A box whose sides are integers in the order of the floats they stand for: comparing them neither
 * knows -0 from 0 nor depends on how the caller's thread treats denormals.
 */
typedef struct pli_ordered_box {
    uint32_t lower[3], upper[3];
} pli_ordered_box;

/* No float maps to these values: a box that overlaps nothing, for slots without a body. */
#define PLI_EMPTY_BOX ((pli_ordered_box){{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {0, 0, 0}})

static inline uint32_t pli_order_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (bits == 0x80000000u) {
        bits = 0;
    }
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

static inline float pli_ordered_float(uint32_t ordered)
{
    uint32_t bits = ordered >> 31 != 0 ? ordered & 0x7fffffffu : ~ordered;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline bool pli_ordered_box_is_empty(const pli_ordered_box *box)
{
    return box->lower[0] > box->upper[0];
}

/* Without branches: in a broad phase the outcome of one axis is anybody's guess. */
static inline bool pli_ordered_boxes_overlap(const pli_ordered_box *a, const pli_ordered_box *b)
{
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) &
           (a->lower[1] <= b->upper[1]) & (b->lower[1] <= a->upper[1]) &
           (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

/* ------------------------------------------------------------ the tree */

/* Children lie side by side in pairs; the root is node 0, and node 1 is not used. */
typedef struct pli_body_tree_node {
    float lower[3], upper[3];
    uint32_t below; /* of an inner node, the pair of its children; of a leaf, PLI_BODY_TREE_LEAF |
                       slot */
    uint32_t above; /* the node whose child this is */
} pli_body_tree_node;

#define PLI_BODY_TREE_LEAF ((uint32_t)1 << 31)
#define PLI_BODY_TREE_NONE UINT32_MAX

/* No leaf has so many nodes above it when the tree is up to date. Building makes at most 62 levels
   by the bits of codes and 31 by halving what has equal ones. */
enum { PLI_BODY_TREE_DEPTH = 128 };

enum { PLI_BODY_TREE_ARRAYS = 14 };

typedef struct pli_body_tree {
    uint32_t leaf_count;
    uint32_t pair_count;  /* pairs of nodes ever used since the tree was built */
    uint32_t free_pair;   /* the first that is free, then by `below`; or PLI_BODY_TREE_NONE */
    uint64_t left_count;  /* bodies that left their fat boxes, since the pairs were asked for */
    uint64_t changes;     /* of fat boxes since the tree was built */
    uint32_t depth;       /* no leaf has more nodes above it */
    bool pairs_are_known; /* `candidates` are right for all slots without a bit in `stale` */
    double distance;      /* of the search under way; see tree_pairs.c */
    union {
        struct {
            PLI_ARRAY(pli_body_tree_node) nodes;
            pli_indices leaves;              /* by slot, its node, or PLI_BODY_TREE_NONE */
            PLI_ARRAY(pli_ordered_box) fats; /* by slot; empty where there is no leaf */
            pli_keys left;                   /* by slot, a bit: the body left its fat box */
            pli_keys stale;                  /* by slot, a bit: the fat box is a new one */
            pli_keys candidates;             /* pairs of slots whose fat boxes overlap, ascending */
            /* Scratch. */
            pli_keys codes, code_scratch, slots, slot_scratch;
            pli_keys fresh, merged, tasks;
            pli_keys near; /* the answer of pli_broad_pairs_within() */
        };
        pli_array arrays[PLI_BODY_TREE_ARRAYS];
    };
} pli_body_tree;

static inline bool pli_body_tree_is_leaf(const pli_body_tree_node *node)
{
    return (node->below & PLI_BODY_TREE_LEAF) != 0;
}

static inline uint32_t pli_body_tree_slot(const pli_body_tree_node *leaf)
{
    return leaf->below & ~PLI_BODY_TREE_LEAF;
}

static inline uint32_t pli_body_tree_child(const pli_body_tree_node *node)
{
    return 2 * node->below;
}

/* Without branches, like the comparison of ordered boxes. */
static inline bool pli_body_tree_nodes_meet(const pli_body_tree_node *a,
                                            const pli_body_tree_node *b)
{
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) &
           (a->lower[1] <= b->upper[1]) & (b->lower[1] <= a->upper[1]) &
           (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

/* A node's box becomes the one around two others, which may include itself; true if it changed. */
static inline bool pli_body_tree_wrap(pli_body_tree_node *node, const pli_body_tree_node *a,
                                      const pli_body_tree_node *b)
{
    bool changed = false;
    for (int axis = 0; axis < 3; axis++) {
        float lower = a->lower[axis] < b->lower[axis] ? a->lower[axis] : b->lower[axis];
        float upper = a->upper[axis] > b->upper[axis] ? a->upper[axis] : b->upper[axis];
        changed |= (lower != node->lower[axis]) | (upper != node->upper[axis]);
        node->lower[axis] = lower;
        node->upper[axis] = upper;
    }
    return changed;
}

#ifdef PLI_DEBUG
bool pli_body_tree_is_valid(const pli_body_tree *tree, const pli_ordered_box *boxes,
                            uint32_t slot_count);
#endif

#endif
