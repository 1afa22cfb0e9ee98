/*
 * Bounds of vertices that are convex combinations of transforms, by the methods that Steinemann,
 * Otaduy & Gross 2007 measure theirs against, and by theirs as they print it. All are plain C in
 * double; none is used by the library.
 */
#ifndef LAB_BASELINES_BLEND_BOUNDS_H
#define LAB_BASELINES_BLEND_BOUNDS_H

#include "gallery/gallery.h"

/* The body whose vertices are bounded. Borrowed. */
typedef struct blend_source {
    const gallery_model *model;
    const float *rest;
    const double (*points)[3]; /* the nodes at rest, for accumulation; NULL: not used */
} blend_source;

/* What is known beforehand of a set of vertices. Nodes that move none of them are left out. */
typedef struct blend_patch {
    uint32_t vertex_count, joint_count;
    double lower[3], upper[3]; /* their box at rest */
    double sums[2];            /* the least and the greatest sum of weights */
    uint32_t *joints;
    double *low, *high; /* per node: the range of its weights */
    /* For accumulation: the sphere around their mean; per node, the mean of w and of w (p - X), and
       how far a vertex is from it. */
    double centre[3], radius;
    double *mean, *spread;
    double (*arm)[3], (*arm_spread)[3]; /* per axis */
    double *arm_reach;                  /* as the length of a vector */
    /* Scratch: */
    uint32_t *slots, *having;
    double *sides;
} blend_patch;

/* Room for a patch of a body of so many nodes. False without memory; free it in any case. */
bool blend_patch_allocate(uint32_t node_count, blend_patch *patch);
void blend_patch_free(blend_patch *patch);

/* Measures the vertices listed, or the first `count` if there is no list. */
void blend_patch_measure(const blend_source *source, const uint32_t *vertices, uint32_t count,
                         blend_patch *patch);

typedef struct blend_box {
    double lower[3], upper[3];
} blend_box;

typedef enum blend_rule {
    BLEND_TWO_LARGEST, /* Steinemann, Otaduy & Gross 2007, equation 11 */
    BLEND_EXACT,       /* the maximum: weight is handed out to the largest first */
    BLEND_ALL_CORNERS, /* Kavan & Zara 2005: the n (n - 1) corners of the limited weights */
    BLEND_ALL_OF_W,    /* a box around all transformed boxes */
    BLEND_RULES
} blend_rule;

/* Bounds the vertices of a patch under transforms, the rows of (A | t) of all nodes of the body. */
void blend_bound(blend_patch *patch, blend_rule rule, const float *transforms, blend_box *box);

/* How accumulation measures what a node adds. */
typedef enum blend_norm {
    BLEND_COMPONENTS, /* each of 12 numbers by itself, as if they were coordinates of modes */
    BLEND_VECTORS     /* displacements by their length, gradients by the lengths of their columns or
                         of the whole, whichever adds less */
} blend_norm;

/* Adams et al. 2005: displacements and their gradients per node, the deviations of which all add
   up, as in James & Pai 2004. Returns the radius of a sphere. */
double blend_accumulate(const blend_source *source, const blend_patch *patch, blend_norm norm,
                        const float *transforms, double centre[3]);

/* Half of a box's diagonal, which the paper calls its radius. */
double blend_box_radius(const blend_box *box);

#endif
