/*
 * What never changes of a body in Steinemann, Otaduy & Gross's method: a binary tree over its
 * triangles, split at the median along the longest axis of their covariance, one triangle per leaf,
 * and for every inner node the box at rest and the ranges of the weights of the nodes of the
 * simulation ("joints" here) that move its vertices.
 */
#ifndef LAB_BASELINES_STEINEMANN_H
#define LAB_BASELINES_STEINEMANN_H

#include "baseline_tree.h"

/* A joint that moves vertices of a node: the least and the greatest weight it has there. */
typedef struct steinemann_range {
    uint32_t joint;
    float low, high;
} steinemann_range;

/* An inner node at rest. */
typedef struct steinemann_rest {
    float centre[3], half[3];
    float left[2]; /* least and greatest sum of weights, less the sum of all least weights */
    uint32_t first_range, range_count;
} steinemann_rest;

typedef struct steinemann_shape {
    const gallery_model *model;
    const float *positions; /* at rest */
    baseline_tree tree;     /* topology; its boxes are not used */
    steinemann_rest *rest;  /* per node; of leaves undefined */
    steinemann_range *ranges;
    uint32_t vertex_count;
    float reach[3]; /* no vertex at rest lies farther from the origin along an axis */
} steinemann_shape;

/* Borrows all it is given. False when there is no memory; free it in any case. */
bool steinemann_shape_create(const gallery_mesh *mesh, const gallery_model *model,
                             const float *positions, steinemann_shape *shape);
void steinemann_shape_free(steinemann_shape *shape);

/*
 * The paper's bound (its equation 11) of an inner node under transforms, the rows of (A | t) of all
 * joints; `size` per axis bounds |A| |p| + |t| over all joints and all vertices at rest.
 */
void steinemann_bound(const steinemann_shape *shape, uint32_t node, const float *transforms,
                      const float size[3], float lower[3], float upper[3]);

#endif
