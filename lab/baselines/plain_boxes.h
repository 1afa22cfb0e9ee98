/* Boxes of the plain tree in registers of four floats; the fourth is not used. */
#ifndef LAB_BASELINES_PLAIN_BOXES_H
#define LAB_BASELINES_PLAIN_BOXES_H

#include <string.h>

#include "plain_tree.h"
#include "base/simd/simd4.h"

#if defined(PLI_SIMD4_NAME)
typedef pli_f4 plain_four;
#define plain_load  pli_f4_loadu
#define plain_store pli_f4_storeu
#define plain_min   pli_f4_min
#define plain_max   pli_f4_max

/* Returns true if a is above b on an axis, or c above d. */
static inline bool plain_is_above(plain_four a, plain_four b, plain_four c, plain_four d)
{
    return (pli_m4_movemask(pli_m4_or(pli_f4_less(b, a), pli_f4_less(d, c))) & 7) != 0;
}
#else
typedef struct plain_four {
    float x[4];
} plain_four;

static inline plain_four plain_load(const float *from)
{
    plain_four loaded;
    memcpy(loaded.x, from, sizeof loaded.x);
    return loaded;
}

static inline void plain_store(float *to, plain_four stored)
{
    memcpy(to, stored.x, sizeof stored.x);
}

static inline plain_four plain_min(plain_four a, plain_four b)
{
    for (int k = 0; k < 4; k++) {
        a.x[k] = a.x[k] < b.x[k] ? a.x[k] : b.x[k];
    }
    return a;
}

static inline plain_four plain_max(plain_four a, plain_four b)
{
    for (int k = 0; k < 4; k++) {
        a.x[k] = a.x[k] > b.x[k] ? a.x[k] : b.x[k];
    }
    return a;
}

static inline bool plain_is_above(plain_four a, plain_four b, plain_four c, plain_four d)
{
    return a.x[0] > b.x[0] || a.x[1] > b.x[1] || a.x[2] > b.x[2] || c.x[0] > d.x[0] ||
           c.x[1] > d.x[1] || c.x[2] > d.x[2];
}
#endif

typedef struct plain_box {
    plain_four lower, upper;
} plain_box;

static inline plain_box plain_union(plain_box a, plain_box b)
{
    return (plain_box){plain_min(a.lower, b.lower), plain_max(a.upper, b.upper)};
}

static inline plain_box plain_node_box(const plain_node *node)
{
    return (plain_box){plain_load(node->lower), plain_load(node->upper)};
}

static inline bool plain_boxes_meet(plain_box a, plain_box b)
{
    return !plain_is_above(a.lower, b.upper, b.lower, a.upper);
}

static inline plain_box plain_triangle_box(const plain_tree *tree, uint32_t triangle)
{
    const uint32_t *corner = tree->corners + 3 * (size_t)triangle;
    plain_four p = plain_load(tree->points + 4 * (size_t)corner[0]);
    plain_four q = plain_load(tree->points + 4 * (size_t)corner[1]);
    plain_four r = plain_load(tree->points + 4 * (size_t)corner[2]);
    return (plain_box){plain_min(p, plain_min(q, r)), plain_max(p, plain_max(q, r))};
}

#endif
