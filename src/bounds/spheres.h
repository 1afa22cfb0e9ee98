/*
 * Spheres of node records against each other, in double (docs/soundness.md, S7): the sum of three
 * squares and the square of a sum are each off by less than a factor of 1 + 8v, so that spheres
 * that are rejected are apart.
 */
#ifndef PLI_BOUNDS_SPHERES_H
#define PLI_BOUNDS_SPHERES_H

#include "bounds/model_kernels.h"

/* Whether two spheres may be within `more` of each other. */
static inline bool pli_spheres_meet(const pli_spheres *a, uint32_t i, const pli_spheres *b,
                                    uint32_t j, double more)
{
    double square = 0.0, sum = (double)a->radius[i] + (double)b->radius[j] + more;
    for (int k = 0; k < 3; k++) {
        double d = (double)a->centre[k][i] - (double)b->centre[k][j];
        square += d * d;
    }
    return !(square > sum * sum * (1.0 + 0x1p-49));
}

/* Drops the bits 8 i + j of a mask whose spheres a[i] and b[j] are not within `more`. */
static inline uint64_t pli_spheres_filter(uint64_t mask, const pli_spheres *a, const pli_spheres *b,
                                          double more)
{
    uint64_t kept = mask;
    for (; mask != 0; mask &= mask - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask);
        if (!pli_spheres_meet(a, bit / PLI_WIDTH, b, bit % PLI_WIDTH, more)) {
            kept &= ~(UINT64_C(1) << bit);
        }
    }
    return kept;
}

#endif
