/*
 * Eight spheres against eight, in float32; part of pair_kernels.inl.
 *
 * With u = 2^-24, the squared distance comes out larger than it is by a factor of (1 + u)^5 at
 * most, and the square of the sum of radii smaller by (1 - u)^7 at most: so a factor of 1 + 2^-20
 * on it covers both, and what underflows is worth less than the smallest normal number. Where both
 * overflow, the spheres are kept.
 */
#include "base/simd16.h"

/* Bits i: whether a number is below another. */
static inline unsigned bits_below(pli_w x, pli_w y)
{
    unsigned bits = 0;
    for (int i = 0; i < PLI_PARTS; i++) {
        bits |= pli_vm_bits(pli_vf_less(x.part[i], y.part[i])) << (i * PLI_LANES);
    }
    return bits;
}

static uint64_t spheres_meet(const pli_spheres *a, const pli_spheres *b, float more)
{
    pli_w centre[3], reach = pli_w_add(pli_w_load_twice(b->radius), pli_w_set(more));
    for (int k = 0; k < 3; k++) {
        centre[k] = pli_w_load_twice(b->centre[k]);
    }
    uint64_t apart = 0;
    for (int i = 0; i < PLI_WIDTH; i += 2) {
        pli_w square = pli_w_set(0.0f);
        for (int k = 0; k < 3; k++) {
            pli_w d = pli_w_sub(pli_w_halves(a->centre[k][i], a->centre[k][i + 1]), centre[k]);
            square = k == 0 ? pli_w_mul(d, d) : pli_w_add(square, pli_w_mul(d, d));
        }
        pli_w sum = pli_w_add(pli_w_halves(a->radius[i], a->radius[i + 1]), reach);
        pli_w limit = pli_w_add(pli_w_mul(pli_w_mul(sum, sum), pli_w_set(1.0f + 0x1p-20f)),
                                pli_w_set(FLT_MIN));
        apart |= (uint64_t)bits_below(limit, square) << (PLI_WIDTH * i);
    }
    return ~apart;
}
