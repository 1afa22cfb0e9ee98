/*
 * Whether two moving features meet, and when: the last tier, exact for all input (definition D9).
 *
 * Four points move along straight lines, each at constant speed, from time 0 to time 1. They are a
 * vertex and the corners of a face, or the ends of two edges. Let p(t) be the cubic that is 0 where
 * the four lie in one plane. The features meet at t iff p(t) = 0 and, seen along each of the three
 * axes, the point lies in the closed triangle or the closed segments meet: along an axis that the
 * normal of a plane through the four is not perpendicular to, projection is injective on it.
 *
 * Seen along an axis, a point lies in a closed triangle iff it is on no two opposite sides of the
 * three edges and in the triangle's box; closed segments meet iff neither lies strictly on one side
 * of the other and their boxes meet. That holds for degenerate ones as well. So all that is asked
 * for are signs of polynomials of degree 1 and 2 at the roots of p (root.h).
 *
 * Where p is 0 throughout, the four move in one plane. The conditions are closed, so the first time
 * at which they hold is 0, or a root of one of the polynomials that they are made of.
 */
#ifndef PLI_GEOMETRY_MOVING_EXACT_H
#define PLI_GEOMETRY_MOVING_EXACT_H

#include "root.h"

/* Four moving points: x[i][0] and x[i][1] are where point i is at times 0 and 1. */
typedef struct pli_moving_points {
    const float *x[4][2];
    bool edges; /* points 0 and 1 are the ends of an edge, 2 and 3 those of another; else 0 is the
                   vertex, and 1, 2, 3 are the corners of the face */
} pli_moving_points;

/* Whether they meet; the first time is then a root of a polynomial. */
bool pli_moving_find_exact(const pli_moving_points *points, pli_roots *roots, int *root);

/* Doubles around a root in [0, 1]: at most 2^-40 apart, and equal only where the root is one. */
void pli_root_enclose(const pli_roots *roots, int root, double *low, double *high);

/* The largest float32 below a root; `low` is below it, `high` is not below `low`. All three are in
   [0, 1]. */
float pli_root_float_below(const pli_roots *roots, int root, float low, float high);

#endif
