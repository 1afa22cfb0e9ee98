/* Two moving features, a vertex and a face or two edges: whether they meet, and when (D9). */
#ifndef PLI_GEOMETRY_MOVING_FEATURES_H
#define PLI_GEOMETRY_MOVING_FEATURES_H

#include <math.h>

#include "moving_exact.h"
#include "pliant/moving.h"

/* Whether they meet. With `time` not NULL: when they first do. `fallbacks` counts calls of the
   exact tier, or is NULL. */
bool pli_moving_meet(const pli_moving_points *points, pliant_meeting_time *time,
                     uint64_t *fallbacks);

/* Whether one feature is ahead of the other along an axis at both ends, hence all the time. */
bool pli_moving_keep_order(const pli_moving_points *points);

/* pli_moving_meet() without asking that first, for features that meet at `limit` or before. Of
   those that meet later, it may or may not say so. */
bool pli_moving_meet_until(const pli_moving_points *points, double limit, pliant_meeting_time *time,
                           uint64_t *fallbacks);

/* The largest float32 before the first time, which is not 0, of features that meet at `time`. */
float pli_moving_float_before(const pli_moving_points *points, const pliant_meeting_time *time);

/* The sign of the first time of a minus that of b, exactly. Both meet, at these times. */
int pli_moving_compare(const pli_moving_points *a, const pliant_meeting_time *time_a,
                       const pli_moving_points *b, const pliant_meeting_time *time_b);

/* ------------------------------------------------------------ polynomials */

/*
 * Polynomials of time in Bernstein form, in double: differences of moving points, products of them,
 * and the determinants that tell the side of a moving plane. A polynomial lies between the least
 * and the largest of its coefficients.
 *
 * Errors, with e = 2^-53. Differences of float32 values are off by a factor of 1 + e, products of
 * two by three such. Let M be the sum of all products that a coefficient is made of, each
 * coordinate taken at its largest magnitude over both ends. Then a Bernstein coefficient of a
 * component of n, half a sum of four products at most, is off by at most 6e M; one of p, a third of
 * sums of these times differences, over three axes, by at most 14e M; the sum of all three n by at
 * most 8e M. A halving by de Casteljau's rule takes three means in a row, each off by e M at most.
 * So after 24 halvings nothing is off by more than 90e M, and 2^-46 M = 128e M is a bound for all
 * of them that the rounding of M itself does not endanger.
 */
#define PLI_BERNSTEIN_ERROR 0x1p-46

/* Differences at both ends. */
typedef struct pli_moving_difference {
    double at[2][3];
    double most[3]; /* magnitude over both ends */
} pli_moving_difference;

/* Point p seen from point q, both given at both ends. Written in place: a copy of what was just
   stored in parts waits until it has left for memory. */
static inline void pli_moving_subtract(const float p0[3], const float p1[3], const float q0[3],
                                       const float q1[3], pli_moving_difference *d)
{
    for (int k = 0; k < 3; ++k) {
        d->at[0][k] = (double)p0[k] - (double)q0[k];
        d->at[1][k] = (double)p1[k] - (double)q1[k];
        double first = fabs(d->at[0][k]), last = fabs(d->at[1][k]);
        d->most[k] = first > last ? first : last; /* fmax() would be a call */
    }
}

/* A component of a x b; returns the sum of products that bounds it. */
static inline double pli_moving_cross(const pli_moving_difference *a,
                                      const pli_moving_difference *b, int axis, double r[3])
{
    int k = (axis + 1) % 3, l = (axis + 2) % 3;
    const double *a0 = a->at[0], *a1 = a->at[1], *b0 = b->at[0], *b1 = b->at[1];
    r[0] = a0[k] * b0[l] - a0[l] * b0[k];
    r[1] = 0.5 * ((a0[k] * b1[l] - a0[l] * b1[k]) + (a1[k] * b0[l] - a1[l] * b0[k]));
    r[2] = a1[k] * b1[l] - a1[l] * b1[k];
    return a->most[k] * b->most[l] + a->most[l] * b->most[k];
}

/* p += n w along one axis. */
static inline void pli_moving_add_product(double p[4], const double n[3], double w0, double w1)
{
    const double third = 1.0 / 3.0;
    p[0] += n[0] * w0;
    p[1] += third * (2.0 * n[1] * w0 + n[0] * w1);
    p[2] += third * (2.0 * n[1] * w1 + n[2] * w0);
    p[3] += n[2] * w1;
}

/* 1 or -1 if all coefficients have that sign for certain, else 0. */
static inline int pli_certain_sign(const double *c, int count, double error)
{
    double low = c[0], high = c[0];
    for (int i = 1; i < count; ++i) {
        low = c[i] < low ? c[i] : low;
        high = c[i] > high ? c[i] : high;
    }
    return (low > error) - (high < -error);
}

#endif
