/*
 * Eight spheres against eight, in float32; part of pair_kernels.inl.
 *
 * With u = 2^-24, the squared distance comes out larger than it is by a factor of (1 + u)^5 at
 * most, and the square of the sum of radii smaller by (1 - u)^7 at most: so a factor of 1 + 2^-20
 * on it covers both, and what underflows is worth less than the smallest normal number. Where both
 * overflow, the spheres are kept.
 */
#include "base/simd16.h"

/* Whether pairs of spheres are apart, 16 at a time: `reach` is the sum of radii. */
static inline unsigned lanes_apart(const pli_w a[3], const pli_w b[3], pli_w reach)
{
    pli_w square = pli_w_set(0.0f);
    for (int k = 0; k < 3; k++) {
        pli_w d = pli_w_sub(a[k], b[k]);
        square = k == 0 ? pli_w_mul(d, d) : pli_w_add(square, pli_w_mul(d, d));
    }
    pli_w limit = pli_w_mul(pli_w_mul(reach, reach), pli_w_set(1.0f + 0x1p-20f));
    limit = pli_w_add(limit, pli_w_set(FLT_MIN));
    unsigned bits = 0;
    for (int i = 0; i < PLI_PARTS; i++) {
        bits |= pli_vm_bits(pli_vf_less(limit.part[i], square.part[i])) << (i * PLI_LANES);
    }
    return bits;
}

/* The centres of eight spheres, twice; returns their radii, with `more` on them. */
static inline pli_w load_spheres(const pli_spheres *spheres, float more, pli_w centre[3])
{
    for (int k = 0; k < 3; k++) {
        centre[k] = pli_w_load_twice(spheres->centre[k]);
    }
    return pli_w_add(pli_w_load_twice(spheres->radius), pli_w_set(more));
}

static uint64_t spheres_meet(const pli_spheres *a, const pli_spheres *b, float more)
{
    pli_w centre[3], reach = load_spheres(b, more, centre);
    uint64_t apart = 0;
    for (int i = 0; i < PLI_WIDTH; i += 2) {
        pli_w own[3], radius = pli_w_halves(a->radius[i], a->radius[i + 1]);
        for (int k = 0; k < 3; k++) {
            own[k] = pli_w_halves(a->centre[k][i], a->centre[k][i + 1]);
        }
        apart |= (uint64_t)lanes_apart(own, centre, pli_w_add(radius, reach)) << (PLI_WIDTH * i);
    }
    return ~apart;
}

static unsigned sphere_meets(const float centre[3], float radius, const pli_spheres *b, float more)
{
    pli_w own[3], other[3], reach = load_spheres(b, more, other);
    for (int k = 0; k < 3; k++) {
        own[k] = pli_w_set(centre[k]);
    }
    return ~lanes_apart(own, other, pli_w_add(pli_w_set(radius), reach)) & 0xff;
}
