/*
 * Spheres that follow the affine part of a deformation, to show what that is worth: the library has
 * boxes of this kind (src/model/coefficients_affine.c), the paper has neither. On a set of vertices
 * with centre c and radius R at rest, field m is a_m + B_m (p - c) + r_m. Then
 *
 *     R' = |I + sum_m q_m B_m| R + sum_m |q_m| max |r_m|,
 *
 * with the spectral norm, holds all of them about c + sum_m q_m a_m: parts that only turn do not
 * grow, where the sum of what each mode does makes them.
 */
#ifndef LAB_HARNESS_AFFINE_SPHERES_H
#define LAB_HARNESS_AFFINE_SPHERES_H

#include <stdbool.h>
#include <stdint.h>

/* What is known of one mode on a set of vertices. */
typedef struct affine_mode {
    double gradient[3][3]; /* B */
    double residual;       /* the largest |r| */
} affine_mode;

/* Vertices whose affine parts are looked for. */
typedef struct affine_set {
    const float *rest; /* positions of all vertices */
    const uint32_t *vertices;
    uint32_t count;
    double centre[3];
} affine_set;

/* Fits a field, three numbers per vertex of the whole body. Whatever the fit, the residual is
   measured from it, so that the bound holds. */
void affine_mode_fit(const affine_set *set, const float *field, affine_mode *mode);

/* R' for `count` modes with their coordinates. */
double affine_radius(const affine_mode *modes, const float *coordinates, uint32_t count,
                     double radius);

#endif
