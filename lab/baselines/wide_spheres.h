/*
 * Layered spheres updated with wide registers: nodes are numbered level by level, so that the
 * children of a run of nodes are a run too, and many spheres are merged at once. The tree, the
 * spheres and the walk are those of sphere_tree.h.
 */
#ifndef LAB_BASELINES_WIDE_SPHERES_H
#define LAB_BASELINES_WIDE_SPHERES_H

#include "baseline_tree.h"
#include "pliant/base.h"

/* x, y, z and the radius. */
typedef struct baseline_sphere {
    float centre[3], radius;
} baseline_sphere;

/* The j-th inner node has children 1 + 2 j and 2 + 2 j. */
typedef struct wide_order {
    uint32_t *inner, *leaves; /* nodes, ascending */
    uint32_t *corners;        /* per leaf: three vertices */
    uint32_t *levels;         /* the first inner node of each level, by its place in `inner` */
    uint32_t inner_count, leaf_count, level_count;
    void (*update)(const struct wide_order *order, const float *positions,
                   baseline_sphere *spheres);
} wide_order;

/* Numbers a binary tree's nodes anew. False when there is no memory. */
bool wide_order_create(baseline_tree *tree, pliant_isa cap, wide_order *order);
void wide_order_free(wide_order *order);

/* One function per instruction set. */
void wide_update_plain(const wide_order *order, const float *positions, baseline_sphere *spheres);
void wide_update_avx2(const wide_order *order, const float *positions, baseline_sphere *spheres);
void wide_update_avx512(const wide_order *order, const float *positions, baseline_sphere *spheres);

#endif
