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
 * at which they hold is 0, 1 or a root of one of the polynomials that they are made of.
 *
 * A point that moves from a to b is at (1 - t) (a + u b) with u = t / (1 - t), so the signs of a
 * homogeneous polynomial of points at t < 1 are those of a polynomial of u, whose coefficients are
 * made of a and b alone; at t = 1 they are those of its highest coefficient. Nor do signs change if
 * an axis is scaled, or u. So a has a unit of its own along each axis, and b that times
 * 2^shift: numbers that are large at one end and tiny at the other one need few bits.
 */
#ifndef PLI_GEOMETRY_MOVING_EXACT_H
#define PLI_GEOMETRY_MOVING_EXACT_H

#include "exact_time.h"

/* Four moving points: x[i][0] and x[i][1] are where point i is at times 0 and 1. */
typedef struct pli_moving_points {
    const float *x[4][2];
    bool edges; /* points 0 and 1 are the ends of an edge, 2 and 3 those of another; else 0 is the
                   vertex, and 1, 2, 3 are the corners of the face */
} pli_moving_points;

/* Whether they meet, and when first. */
bool pli_moving_find_exact(const pli_moving_points *points, pli_exact_time *time);

/* The first time of features that meet, which lies between two times in [0, 1]. */
void pli_moving_find_between(const pli_moving_points *points, double low, double high,
                             pli_exact_time *time);

#endif
