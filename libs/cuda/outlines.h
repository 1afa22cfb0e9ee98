/*
 * What two clusters are compared by: the boxes of their triangles that meet the other cluster, side
 * by side in the warp's scratch. Vertices and their names are brought there first, all at once;
 * boxes are made of them, and take their place.
 *
 * These boxes are in half precision, magnified where both clusters are: each coordinate by the same
 * map, subtraction, product and rounding, of which none ever turns the order of two numbers round.
 * So boxes that meet still do, and few others.
 */
#ifndef PLI_CUDA_OUTLINES_H
#define PLI_CUDA_OUTLINES_H

#include "decide.h"
#include "kernel_fans.h"

PLI_DEVICE float pli_lesser(float x, float y)
{
    return x < y ? x : y;
}

PLI_DEVICE float pli_greater(float x, float y)
{
    return x > y ? x : y;
}

PLI_DEVICE bool pli_limits_meet(const float low_a[3], const float high_a[3], const float low_b[3],
                                const float high_b[3])
{
    return (low_a[0] <= high_b[0]) & (low_b[0] <= high_a[0]) & (low_a[1] <= high_b[1]) &
           (low_b[1] <= high_a[1]) & (low_a[2] <= high_b[2]) & (low_b[2] <= high_a[2]);
}

/* Two clusters, or one. */
typedef struct pli_cuda_sides {
    pli_cuda_site site[2];
    pli_cuda_box box[2];
    const uint32_t *names[2]; /* of their vertices; NULL where they do not matter */
    uint32_t flags;           /* of names that count */
    int count;
} pli_cuda_sides;

/* What a lane holds of two clusters: triangles lane and lane + 32 of the first, then of the other;
   those that meet the other cluster's box are kept. */
typedef struct pli_cuda_held {
    uint32_t corners[4];
    float lower[4][3], upper[4][3];
    uint32_t kept; /* a bit for each */
} pli_cuda_held;

/* How many triangles of each side are kept. */
typedef struct pli_cuda_kept {
    uint32_t count[2];
    bool settled; /* all names of one side are, so that it matters only whether one is shared */
} pli_cuda_kept;

/* Brings vertices and their names to the scratch, and corners to lanes, all at once. */
PLI_DEVICE void pli_load_sides(const pli_cuda_step *s, const pli_cuda_warp *warp,
                               const pli_cuda_sides *sides, pli_cuda_scratch *scratch,
                               pli_cuda_held *held)
{
    PLI_LANES(warp)
    PLI_UNROLL
    for (int k = 0; k < 2; k++) {
        const pli_cuda_site *site = &sides->site[k];
        uint32_t stride = k < sides->count ? site->stride : 0;
        uint32_t triangles = k < sides->count ? site->triangle_count : 0;
        const pli_cuda_four *vertices =
            (const pli_cuda_four *)(s->vertices + (uint64_t)site->place * PLI_CUDA_UNIT);
        const pli_cuda_four *names = (const pli_cuda_four *)sides->names[k];
        PLI_UNROLL
        for (uint32_t h = 0; h < 2; h++) {
            uint32_t slot = lane + h * PLI_CUDA_LANES;
            PLI_AT(held).corners[2 * k + (int)h] = slot < triangles ? site->corners[slot] : 0;
        }
        for (uint32_t i = lane; i < 3 * stride / 4; i += PLI_CUDA_LANES) {
            pli_copy_four(&scratch->triangles.four_vertices[k][i], &vertices[i]);
        }
        for (uint32_t i = lane; names != NULL && i < stride / 4; i += PLI_CUDA_LANES) {
            pli_copy_four(&scratch->triangles.four_names[k][i], &names[i]);
        }
    }
    pli_await_copies();
    PLI_END
}

/* The box of a triangle whose cluster's vertices are in the scratch. */
PLI_DEVICE void pli_outline_triangle(const float *vertices, uint32_t stride, uint32_t corners,
                                     float lower[3], float upper[3])
{
    PLI_UNROLL
    for (uint32_t k = 0; k < 3; k++) {
        const float *axis = vertices + k * stride;
        float x = axis[corners & 255u], y = axis[corners >> 8 & 255u];
        float z = axis[corners >> 16 & 255u];
        lower[k] = pli_lesser(x, pli_lesser(y, z));
        upper[k] = pli_greater(x, pli_greater(y, z));
    }
}

/* Boxes of a lane's triangles, and which of them are kept. */
PLI_DEVICE void pli_outline_sides(const pli_cuda_warp *warp, const pli_cuda_sides *sides,
                                  const pli_cuda_scratch *scratch, pli_cuda_held *held)
{
    PLI_LANES(warp)
    PLI_AT(held).kept = 0;
    PLI_UNROLL
    for (int g = 0; g < 4; g++) {
        int k = g / 2;
        uint32_t slot = lane + (uint32_t)(g % 2) * PLI_CUDA_LANES;
        if (k < sides->count && slot < sides->site[k].triangle_count) {
            const pli_cuda_box *other = &sides->box[1 - k]; /* its own where there is one */
            float *lower = PLI_AT(held).lower[g], *upper = PLI_AT(held).upper[g];
            pli_outline_triangle(scratch->triangles.vertices[k], sides->site[k].stride,
                                 PLI_AT(held).corners[g], lower, upper);
            PLI_AT(held).kept |= (uint32_t)pli_limits_meet(lower, upper, other->lower, other->upper)
                                 << g;
        }
    }
    PLI_END
}

/* Where both clusters are, and by what it is magnified. */
typedef struct pli_cuda_lens {
    float origin[3], power[3];
} pli_cuda_lens;

/* The power of two that makes a positive number one from 1 to 2. */
PLI_DEVICE float pli_power_below(float x)
{
    return pli_float_of_bits((254 << 23) - (pli_bits_of(x) & (255 << 23)));
}

PLI_DEVICE pli_cuda_lens pli_lens_of(const pli_cuda_box *a, const pli_cuda_box *b)
{
    pli_cuda_lens lens;
    PLI_UNROLL
    for (int k = 0; k < 3; k++) {
        float low = pli_greater(a->lower[k], b->lower[k]);
        float width = pli_lesser(a->upper[k], b->upper[k]) - low;
        lens.origin[k] = low;
        lens.power[k] = pli_power_below(pli_greater(0x1p-100f, pli_lesser(width, 0x1p100f)));
    }
    return lens;
}

/* Writes one triangle into the scratch, where vertices were. */
PLI_DEVICE void pli_write_outline(pli_cuda_scratch *scratch, int side, uint32_t at, uint32_t slot,
                                  const pli_cuda_lens *lens, const float lower[3],
                                  const float upper[3])
{
    pli_cuda_outline outline;
    PLI_UNROLL
    for (int k = 0; k < 3; k++) {
        float low = (lower[k] - lens->origin[k]) * lens->power[k];
        float high = (upper[k] - lens->origin[k]) * lens->power[k];
        outline.axis[k] = pli_two_halves(high, -low);
    }
    outline.slot = slot;
    scratch->triangles.outline[side][at] = outline;
}

/* Writes names of its vertices; whether not all of them are settled. */
PLI_DEVICE bool pli_write_names(pli_cuda_scratch *scratch, int side, uint32_t at, uint32_t corners,
                                uint32_t flags)
{
    const uint32_t *names = scratch->triangles.names[side];
    uint32_t x = names[corners & 255u] & flags, y = names[corners >> 8 & 255u] & flags;
    uint32_t z = names[corners >> 16 & 255u] & flags;
    scratch->triangles.used[side][0][at] = x;
    scratch->triangles.used[side][1][at] = y;
    scratch->triangles.used[side][2][at] = z;
    return (x & y & z & PLI_CUDA_SETTLED) == 0;
}

/* Puts what is kept side by side into the scratch. */
PLI_DEVICE pli_cuda_kept pli_keep_sides(const pli_cuda_warp *warp, const pli_cuda_sides *sides,
                                        pli_cuda_scratch *scratch, const pli_cuda_held *held)
{
    pli_cuda_kept kept = {{0, 0}, false};
    uint32_t unsettled[2] = {0, 0};
    pli_cuda_lens lens = pli_lens_of(&sides->box[0], &sides->box[1]);
    PLI_UNROLL
    for (int g = 0; g < 4; g++) {
        PLI_VARIES(uint32_t, bit);
        PLI_LANES(warp)
        PLI_OF(bit) = PLI_AT(held).kept >> g & 1u;
        PLI_END
        uint32_t lanes = pli_ballot(PLI_REF(bit)), before = kept.count[g / 2];
        PLI_LANES(warp)
        if (PLI_OF(bit) != 0) {
            uint32_t at = before + pli_lower_lanes(lanes, lane);
            uint32_t slot = lane + (uint32_t)(g % 2) * PLI_CUDA_LANES;
            pli_write_outline(scratch, g / 2, at, slot, &lens, PLI_AT(held).lower[g],
                              PLI_AT(held).upper[g]);
            PLI_OF(bit) =
                sides->names[0] != NULL &&
                pli_write_names(scratch, g / 2, at, PLI_AT(held).corners[g], sides->flags);
        }
        PLI_END
        kept.count[g / 2] += pli_count_bits(lanes);
        unsettled[g / 2] |= pli_ballot(PLI_REF(bit));
    }
    kept.settled = unsettled[0] == 0 || (sides->count > 1 && unsettled[1] == 0);
    return kept;
}

#endif
