/*
 * Spheres against eight others in float32, for walks that compare in double what they report
 * (docs/soundness.md, S7); part of pair_kernels.c.
 *
 * With u = 2^-24, the squared distance comes out larger than it is by a factor of (1 + u)^5 at
 * most, and the square of the sum of radii smaller by (1 - u)^7 at most: so a factor of 1 + 2^-20
 * on it covers both, and what underflows is worth less than the smallest normal number. Where both
 * overflow, the spheres are kept.
 */
/* Eight spheres in registers, their radii widened. */
typedef struct sphere_lanes {
    pli_eight centre[3], radius;
} sphere_lanes;

static inline sphere_lanes load_spheres(const pli_spheres *spheres, float more)
{
    sphere_lanes lanes;
    for (int k = 0; k < 3; k++) {
        lanes.centre[k] = pli_eight_load(spheres->centre[k]);
    }
    lanes.radius = pli_eight_add(pli_eight_load(spheres->radius), pli_eight_set(more));
    return lanes;
}

/* Bit j: a sphere and lane j are apart. */
static inline unsigned lanes_apart(float x, float y, float z, float radius,
                                   const sphere_lanes *lanes)
{
    const float centre[3] = {x, y, z};
    pli_eight square = pli_eight_set(0.0f),
              sum = pli_eight_add(pli_eight_set(radius), lanes->radius);
    for (int k = 0; k < 3; k++) {
        pli_eight d = pli_eight_sub(pli_eight_set(centre[k]), lanes->centre[k]);
        square = k == 0 ? pli_eight_mul(d, d) : pli_eight_add(square, pli_eight_mul(d, d));
    }
    pli_eight limit = pli_eight_mul(pli_eight_mul(sum, sum), pli_eight_set(1.0f + 0x1p-20f));
    limit = pli_eight_add(limit, pli_eight_set(FLT_MIN));
    return pli_eight_bits(pli_eight_less(limit, square));
}

static uint64_t spheres_meet(const pli_spheres *a, const pli_spheres *b, float more)
{
    sphere_lanes lanes = load_spheres(b, more);
    uint64_t apart = 0;
    for (int i = 0; i < PLI_WIDTH; i++) {
        apart |= (uint64_t)lanes_apart(a->centre[0][i], a->centre[1][i], a->centre[2][i],
                                       a->radius[i], &lanes)
                 << (PLI_WIDTH * i);
    }
    return ~apart;
}

static unsigned sphere_meets(const float centre[3], float radius, const pli_spheres *b, float more)
{
    sphere_lanes lanes = load_spheres(b, more);
    return ~lanes_apart(centre[0], centre[1], centre[2], radius, &lanes) & 0xff;
}
