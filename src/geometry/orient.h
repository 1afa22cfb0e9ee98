/*
 * Based on: Jonathan Richard Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast
 * Robust Geometric Predicates", 1997: the error bounds of the first tier. Where that tier cannot
 * decide we compute in integers instead of expansions, because float32 coordinates allow it.
 *
 * The sign of a determinant is decided in tiers:
 *   1. double arithmetic with a bound on its error (here, inline);
 *   2. two equal points give 0; coordinates that fit 41 bits of a common unit go through __int128;
 *   3. wide integers.
 * Tiers 2 and 3 are out of line and count as a fallback.
 *
 * The bound of tier 1. Let e = 2^-53. Each rounded operation satisfies x = (1 + h) fl(x), |h| <= e,
 * unless it underflows or overflows. Neither happens: float32 values are multiples of 2^-149 below
 * 2^128, so are their differences even after rounding (a difference below 2^-96 is exact), products
 * of three of those are 0 or in [2^-447, 2^387], and doubles are normal in [2^-1022, 2^1024).
 *
 * With u = b - a, v = c - a, w = d - a the terms of the determinant are, in our grouping,
 *     n_i = u_j v_k - u_k v_j,     A = (n_0 w_0 + n_1 w_1) + n_2 w_2,
 * and the permanent P is computed alike from magnitudes with + for -:
 *     M_i = |u_j v_k| + |u_k v_j|,     P = (M_0 |w_0| + M_1 |w_1|) + M_2 |w_2|.
 * Rounding is monotone, so every computed term is at most its computed counterpart in P.
 *   - A product u_j v_k is off by a factor (1 + h)^3, so n_i is off by at most
 *     e |n_i| + (3e + 3e^2 + e^3)(1 + e) M_i <= (4e + 7e^2) M_i.
 *   - n_i w_i adds a difference and a product: off by at most (6e + 16e^2) of the computed M_i
 * |w_i|.
 *   - The first sum adds e P, the last one e |A|; the three terms together are at most (1 + e)^2 P.
 * Hence |determinant - A| <= e |A| + (7e + 29e^2) P: the sign of A is right when
 * |A| > (7e + 37e^2) P, which follows from |A| > fl(B P) for B = (7 + 56e) e, a double.
 *
 * In two dimensions A = u_0 v_1 - u_1 v_0 and P = |u_0 v_1| + |u_1 v_0|: off by at most
 * e |A| + (3e + 3e^2 + e^3)(1 + e) P, and B = (3 + 16e) e will do.
 */
#ifndef PLI_GEOMETRY_ORIENT_H
#define PLI_GEOMETRY_ORIENT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "vec3.h"

#define PLI_EPSILON        0x1p-53
#define PLI_ORIENT3D_BOUND ((7.0 + 56.0 * PLI_EPSILON) * PLI_EPSILON)
#define PLI_ORIENT2D_BOUND ((3.0 + 16.0 * PLI_EPSILON) * PLI_EPSILON)

/* The tiers behind the filters, right for all input. `fallbacks` counts calls, or is NULL. */
int pli_orient3d_exact(const float a[3], const float b[3], const float c[3], const float d[3],
                       uint64_t *fallbacks);
int pli_orient2d_exact(const float a[3], const float b[3], const float c[3], int axis,
                       uint64_t *fallbacks);

/* The determinants themselves, within a relative error of 2^-30, and 0 only when they are 0. */
double pli_orient3d_value(const float a[3], const float b[3], const float c[3], const float d[3]);
double pli_orient2d_value(const float a[3], const float b[3], const float c[3], int axis);

/* The plane of a triangle, prepared for the signs of several points: n and M as above. */
typedef struct pli_plane {
    double normal[3];
    double magnitude[3];
    const float *corner[3];
} pli_plane;

/* A determinant and its permanent, as computed. */
typedef struct pli_estimate {
    double value;
    double permanent;
} pli_estimate;

static inline void pli_plane_set(pli_plane *plane, const float a[3], const float b[3],
                                 const float c[3])
{
    double u[3];
    double v[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = (double)b[i] - (double)a[i];
        v[i] = (double)c[i] - (double)a[i];
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        int k = (i + 2) % 3;
        double plus = u[j] * v[k];
        double minus = u[k] * v[j];
        plane->normal[i] = plus - minus;
        plane->magnitude[i] = fabs(plus) + fabs(minus);
    }
    plane->corner[0] = a;
    plane->corner[1] = b;
    plane->corner[2] = c;
}

static inline pli_estimate pli_plane_estimate(const pli_plane *plane, const float d[3])
{
    double term[3];
    double size[3];
    for (int i = 0; i < 3; ++i) {
        double w = (double)d[i] - (double)plane->corner[0][i];
        term[i] = plane->normal[i] * w;
        size[i] = plane->magnitude[i] * fabs(w);
    }
    return (pli_estimate){(term[0] + term[1]) + term[2], (size[0] + size[1]) + size[2]};
}

/* The side of the plane that d lies on: the sign of orient3d(corners, d). */
static inline int pli_plane_side(const pli_plane *plane, const float d[3], uint64_t *fallbacks)
{
    pli_estimate s = pli_plane_estimate(plane, d);
    double bound = PLI_ORIENT3D_BOUND * s.permanent;
    if (fabs(s.value) > bound) {
        return s.value > 0.0 ? 1 : -1;
    }
    if (s.permanent == 0.0) {
        return 0; /* no term is left, and none was rounded to zero */
    }
    return pli_orient3d_exact(plane->corner[0], plane->corner[1], plane->corner[2], d, fallbacks);
}

/* The sign of |b-a, c-a, d-a|: positive when d lies where (b-a) x (c-a) points to. */
static inline int pli_orient3d(const float a[3], const float b[3], const float c[3],
                               const float d[3], uint64_t *fallbacks)
{
    pli_plane plane;
    pli_plane_set(&plane, a, b, c);
    return pli_plane_side(&plane, d, fallbacks);
}

static inline pli_estimate pli_orient2d_estimate(const float a[3], const float b[3],
                                                 const float c[3], int axis)
{
    int j = pli_next_axis(axis);
    int k = pli_next_axis(j);
    double plus = ((double)b[j] - (double)a[j]) * ((double)c[k] - (double)a[k]);
    double minus = ((double)b[k] - (double)a[k]) * ((double)c[j] - (double)a[j]);
    return (pli_estimate){plus - minus, fabs(plus) + fabs(minus)};
}

/* The sign of component `axis` of (b-a) x (c-a): the orientation of the triangle seen along it. */
static inline int pli_orient2d(const float a[3], const float b[3], const float c[3], int axis,
                               uint64_t *fallbacks)
{
    pli_estimate s = pli_orient2d_estimate(a, b, c, axis);
    double bound = PLI_ORIENT2D_BOUND * s.permanent;
    if (fabs(s.value) > bound) {
        return s.value > 0.0 ? 1 : -1;
    }
    if (s.permanent == 0.0) {
        return 0;
    }
    return pli_orient2d_exact(a, b, c, axis, fallbacks);
}

/* Whether three points lie on one straight line. */
static inline bool pli_collinear(const float a[3], const float b[3], const float c[3],
                                 uint64_t *fallbacks)
{
    return pli_orient2d(a, b, c, 0, fallbacks) == 0 && pli_orient2d(a, b, c, 1, fallbacks) == 0 &&
           pli_orient2d(a, b, c, 2, fallbacks) == 0;
}

#endif
