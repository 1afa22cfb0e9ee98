/*
 * Small triangles in lanes: their edge functions, and their depths over pixels.
 *
 * A triangle is turned so that its corners run counter-clockwise on the grid. Edge k lies opposite
 * corner k; its function E_k is positive on the inner side and, divided by the area, the weight of
 * corner k in the depth of a point. A point on an edge counts as inside if it would be after moving
 * it by (e, e^2), e vanishing: so two triangles that share an edge, wherever their third corners
 * lie, count every point of the edge once in all, or twice, or not at all, just as the winding
 * number of the moved point wants it.
 *
 * A square around a pixel's centre is touched if no edge and no side of the triangle's box shuts
 * all of it out. There the triangle's depth is that of its plane at the centre, give or take the
 * slope times half the square, and within the depths of its corners.
 */
#ifndef PLI_VOLUME_RASTER_LANES_H
#define PLI_VOLUME_RASTER_LANES_H

#include "volume/raster_kernels.h"

#include "base/simd/simd4.h"
#include "base/simd/simd_int.h"

/* PLI_LANES triangles, turned counter-clockwise. */
typedef struct lanes_triangles {
    pli_vn side[2][3];
    pli_vf depth[3];
    pli_vn area;                     /* twice the area, at least 0 */
    pli_vn facing;                   /* 1: the normal points along the rays */
    pli_vn corner[2], width, height; /* the pixels to look at: first column and row, how many */
    pli_vn number;                   /* the caller's */
    pli_vn slot;                     /* as in interval_pixel */
} lanes_triangles;

/* An edge function over those pixels. */
typedef struct lanes_edges {
    pli_vn value[3];    /* at the current pixel's centre */
    pli_vn next[3];     /* to the next pixel of a row */
    pli_vn next_row[3]; /* from the last pixel of a row to the first of the next */
    pli_vn bias[3];     /* values at least this are inside */
    pli_vn margin[3];   /* how far below 0 a value may be in a square that is touched */
    pli_vn du[3], dv[3];
} lanes_edges;

static inline pli_vn least_of(const pli_vn a[3])
{
    return pli_vn_min(pli_vn_min(a[0], a[1]), a[2]);
}

static inline pli_vn greatest_of(const pli_vn a[3])
{
    return pli_vn_max(pli_vn_max(a[0], a[1]), a[2]);
}

/*
 * Loads triangles and finds the pixels to look at: those whose squares the triangle's box touches,
 * or, without intervals of depths, those whose centres it holds. Returns which lanes have any, and
 * in *small which of these can be filled here.
 */
static inline pli_vm load_triangles(const pli_cluster *cluster, const uint8_t *corners,
                                    const pli_snapped *snapped, const pli_raster_target *target,
                                    uint32_t first, lanes_triangles *t, pli_vm *small)
{
    pli_vn index[3];
    for (uint32_t c = 0; c < 3; c++) {
        index[c] = pli_vn_from_bytes(corners + (size_t)c * cluster->slot_count + first);
        t->side[0][c] = pli_vn_gather(snapped->side[0], cluster->vertex_count, index[c]);
        t->side[1][c] = pli_vn_gather(snapped->side[1], cluster->vertex_count, index[c]);
    }
    pli_vm any = pli_vm_from_bits((unsigned)(cluster->live >> first) & ((1u << PLI_LANES) - 1));
    pli_vm narrow = any;
    pli_vn count[2], pixels = pli_vn_set(1), one = pli_vn_set(1);
    pli_vn grow_low = pli_vn_set(target->intervals ? -1 : PLI_PIXEL_STEPS / 2 - 1);
    pli_vn grow_high = pli_vn_set(target->intervals ? 1 : -PLI_PIXEL_STEPS / 2);
    for (uint32_t k = 0; k < 2; k++) {
        pli_vn low = least_of(t->side[k]), high = greatest_of(t->side[k]);
        pli_vn from = pli_vn_pixel(pli_vn_add(low, grow_low));
        pli_vn to = pli_vn_pixel(pli_vn_add(high, grow_high));
        /* Who is small must not depend on which part of the image is being filled. */
        pli_vn side = pli_vn_add(pli_vn_sub(pli_vn_pixel(high), pli_vn_pixel(low)), one);
        pixels = pli_vn_mul(pixels, side);
        narrow =
            pli_vm_and(narrow, pli_vn_greater(pli_vn_set(PLI_SMALL_EXTENT), pli_vn_sub(high, low)));
        from = pli_vn_max(from, pli_vn_set(target->first[k]));
        to = pli_vn_min(to, pli_vn_set(target->last[k]));
        any = pli_vm_and_not(any, pli_vn_greater(from, to));
        t->corner[k] = from;
        count[k] = pli_vn_add(pli_vn_sub(to, from), one);
    }
    t->width = count[0];
    t->height = count[1];
    if (pli_vm_bits(any) != 0) {
        for (uint32_t c = 0; c < 3; c++) {
            t->depth[c] = pli_vf_gather(snapped->depth, cluster->vertex_count, index[c]);
        }
        pli_vf least = pli_vf_min(pli_vf_min(t->depth[0], t->depth[1]), t->depth[2]);
        pli_vf greatest = pli_vf_max(pli_vf_max(t->depth[0], t->depth[1]), t->depth[2]);
        any = pli_vm_and_not(any, pli_vf_less(greatest, pli_vf_set(target->depth[0])));
        any = pli_vm_and_not(any, pli_vf_less(pli_vf_set(target->depth[1]), least));
    }
    *small = pli_vm_and_not(pli_vm_and(any, narrow),
                            pli_vn_greater(pixels, pli_vn_set(PLI_SMALL_PIXELS)));
    return any;
}

static inline void swap_lanes(pli_vm m, pli_vn *a, pli_vn *b)
{
    pli_vn x = *a;
    *a = pli_vn_select(m, *b, x);
    *b = pli_vn_select(m, x, *b);
}

/* Turns triangles counter-clockwise. */
static inline void turn(lanes_triangles *t)
{
    pli_vn du1 = pli_vn_sub(t->side[0][1], t->side[0][0]);
    pli_vn du2 = pli_vn_sub(t->side[0][2], t->side[0][0]);
    pli_vn dv1 = pli_vn_sub(t->side[1][1], t->side[1][0]);
    pli_vn dv2 = pli_vn_sub(t->side[1][2], t->side[1][0]);
    pli_vn area = pli_vn_sub(pli_vn_mul(du1, dv2), pli_vn_mul(du2, dv1));
    pli_vn zero = pli_vn_set(0);
    pli_vm clockwise = pli_vn_greater(zero, area);
    swap_lanes(clockwise, &t->side[0][1], &t->side[0][2]);
    swap_lanes(clockwise, &t->side[1][1], &t->side[1][2]);
    pli_vf depth = t->depth[1];
    t->depth[1] = pli_vf_select(clockwise, t->depth[2], depth);
    t->depth[2] = pli_vf_select(clockwise, depth, t->depth[2]);
    t->area = pli_vn_max(area, pli_vn_sub(zero, area));
    t->facing = pli_vn_select(clockwise, zero, pli_vn_set(1));
}

static inline pli_vn magnitude(pli_vn a)
{
    return pli_vn_max(a, pli_vn_sub(pli_vn_set(0), a));
}

static inline void set_edges(const lanes_triangles *t, lanes_edges *e)
{
    pli_vn zero = pli_vn_set(0), half = pli_vn_set(PLI_PIXEL_STEPS / 2);
    pli_vn pu = pli_vn_add(pli_vn_times_pixel(t->corner[0]), half);
    pli_vn pv = pli_vn_add(pli_vn_times_pixel(t->corner[1]), half);
    pli_vn last = pli_vn_sub(t->width, pli_vn_set(1));
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t a = (k + 1) % 3, b = (k + 2) % 3;
        pli_vn du = e->du[k] = pli_vn_sub(t->side[0][b], t->side[0][a]);
        pli_vn dv = e->dv[k] = pli_vn_sub(t->side[1][b], t->side[1][a]);
        e->value[k] = pli_vn_sub(pli_vn_mul(du, pli_vn_sub(pv, t->side[1][a])),
                                 pli_vn_mul(dv, pli_vn_sub(pu, t->side[0][a])));
        pli_vn across = pli_vn_times_pixel(dv);
        e->next[k] = pli_vn_sub(zero, across);
        e->next_row[k] = pli_vn_add(pli_vn_times_pixel(du), pli_vn_mul(across, last));
        /* dv < 0, or dv = 0 and du > 0: points of the edge are inside. */
        pli_vn level = pli_vn_select(pli_vn_greater(du, zero), zero, pli_vn_set(1));
        level = pli_vn_select(pli_vn_greater(zero, dv), zero, level);
        e->bias[k] = pli_vn_select(pli_vn_greater(dv, zero), pli_vn_set(1), level);
        e->margin[k] =
            pli_vn_mul(pli_vn_add(magnitude(du), magnitude(dv)), pli_vn_set(PLI_SQUARE_STEPS));
    }
}

/* How depths follow from edge functions, and how they vary over a square. */
typedef struct lanes_depths {
    pli_vf rise[2];         /* of corners 1 and 2 over corner 0 */
    pli_vf weight;          /* 1 over the area; 0 for triangles seen from the side */
    pli_vf least, greatest; /* of the corners */
    pli_vf margin, spread;
    pli_vf slope[2], slope_doubt; /* across columns and rows; how far these may be off */
} lanes_depths;

/*
 * What rounding may do to the slope of a plane, and to its depth away from the triangle: terms that
 * cancel are as large as the sides of the triangle times the rise of its corners, over the area.
 * That only matters for slivers. A slope is off by 8 roundings of these terms at most: of a rise, a
 * product, a sum, the area, its inverse, one more product, and the doubt itself being taken off; 16
 * are allowed for. Returns the doubt about depths.
 */
static inline pli_vf set_doubt(const lanes_edges *e, lanes_depths *d)
{
    pli_vf side[3];
    for (uint32_t k = 0; k < 3; k++) {
        side[k] = pli_vf_from_vn(e->margin[k]);
    }
    pli_vf reach = pli_vf_add(pli_vf_add(side[0], side[1]),
                              pli_vf_add(side[2], pli_vf_set(512.0f * PLI_SQUARE_STEPS)));
    pli_vf terms = pli_vf_add(pli_vf_mul(side[1], pli_vf_abs(d->rise[0])),
                              pli_vf_mul(side[2], pli_vf_abs(d->rise[1])));
    terms = pli_vf_mul(terms, d->weight);
    /* 2^-60 stands for numbers too small to be rounded in proportion. */
    d->slope_doubt =
        pli_vf_add(pli_vf_mul(d->margin, pli_vf_set(PLI_SLOPE_MARGIN)),
                   pli_vf_add(pli_vf_mul(terms, pli_vf_set(0x1p-20f / PLI_SQUARE_STEPS)),
                              pli_vf_set(0x1p-60f)));
    const float share = 0x1p-21f / (PLI_SQUARE_STEPS * PLI_SQUARE_STEPS);
    return pli_vf_mul(terms, pli_vf_mul(reach, pli_vf_set(share)));
}

static inline void set_depths(const lanes_triangles *t, const lanes_edges *e, bool intervals,
                              lanes_depths *d)
{
    pli_vm flat = pli_vn_greater(pli_vn_set(1), t->area);
    pli_vf area = pli_vf_from_vn(pli_vn_max(t->area, pli_vn_set(1)));
    d->weight = pli_vf_select(flat, pli_vf_set(0.0f), pli_vf_div(pli_vf_set(1.0f), area));
    d->rise[0] = pli_vf_sub(t->depth[1], t->depth[0]);
    d->rise[1] = pli_vf_sub(t->depth[2], t->depth[0]);
    d->least = pli_vf_min(pli_vf_min(t->depth[0], t->depth[1]), t->depth[2]);
    d->greatest = pli_vf_max(pli_vf_max(t->depth[0], t->depth[1]), t->depth[2]);
    d->margin = d->spread = pli_vf_set(0.0f);
    if (!intervals) {
        return;
    }
    pli_vf far = pli_vf_max(pli_vf_abs(d->least), pli_vf_abs(d->greatest));
    d->margin = pli_vf_mul(far, pli_vf_set(PLI_DEPTH_MARGIN));
    pli_vf along_u = pli_vf_add(pli_vf_mul(pli_vf_from_vn(e->dv[1]), d->rise[0]),
                                pli_vf_mul(pli_vf_from_vn(e->dv[2]), d->rise[1]));
    pli_vf along_v = pli_vf_add(pli_vf_mul(pli_vf_from_vn(e->du[1]), d->rise[0]),
                                pli_vf_mul(pli_vf_from_vn(e->du[2]), d->rise[1]));
    pli_vf slope = pli_vf_mul(pli_vf_add(pli_vf_abs(along_u), pli_vf_abs(along_v)), d->weight);
    d->spread = pli_vf_add(pli_vf_mul(slope, pli_vf_set(PLI_SQUARE_STEPS)), d->margin);
    d->spread = pli_vf_add(d->spread, set_doubt(e, d));
    d->slope[0] = pli_vf_mul(pli_vf_sub(pli_vf_set(0.0f), along_u), d->weight);
    d->slope[1] = pli_vf_mul(along_v, d->weight);
    /* The depth of a triangle seen from the side is anything that its corners allow. */
    pli_vf any = pli_vf_set(0x1p60f);
    d->spread = pli_vf_select(flat, any, d->spread);
    d->slope_doubt = pli_vf_select(flat, any, d->slope_doubt);
}

/* Keeps the slopes of all lanes for whoever reads the touched squares. */
static inline void keep_slopes(const lanes_depths *d, uint32_t first, pli_raster_target *target)
{
    float lanes[4][PLI_LANES];
    for (uint32_t k = 0; k < 2; k++) {
        pli_vf_store(lanes[k], pli_vf_sub(d->slope[k], d->slope_doubt));
        pli_vf upper = pli_vf_add(d->slope[k], d->slope_doubt);
        pli_vf_store(lanes[2 + k], pli_vf_sub(pli_vf_set(0.0f), upper));
    }
    for (uint32_t i = 0; i + 4 <= PLI_LANES; i += 4) {
        pli_four_transpose(lanes[0] + i, PLI_LANES, target->slopes[first + i].bound);
    }
    for (uint32_t k = 0; k < 4 && PLI_LANES < 4; k++) {
        target->slopes[first].bound[k] = lanes[k][0];
    }
}

/* The depth of the triangles' planes at the current pixels. */
static inline pli_vf plane_depth(const lanes_triangles *t, const lanes_edges *e,
                                 const lanes_depths *d)
{
    pli_vf sum = pli_vf_add(pli_vf_mul(pli_vf_from_vn(e->value[1]), d->rise[0]),
                            pli_vf_mul(pli_vf_from_vn(e->value[2]), d->rise[1]));
    return pli_vf_add(t->depth[0], pli_vf_mul(sum, d->weight));
}

/* A depth from 0 to 1 in steps, rounded down. */
static inline pli_vn depth_steps(pli_vf depth)
{
    pli_vf clamped = pli_vf_min(pli_vf_max(depth, pli_vf_set(0.0f)), pli_vf_set(1.0f));
    return pli_vn_from_vf(pli_vf_mul(clamped, pli_vf_set((float)PLI_DEPTH_STEPS)));
}

static inline pli_vn twice_or(pli_vn a, pli_vn bit)
{
    return pli_vn_add(pli_vn_add(a, a), bit);
}

static inline void put_crossings(const lanes_triangles *t, const lanes_depths *d, pli_vf depth,
                                 pli_vn pixel, pli_vm which, pli_raster_target *target)
{
    depth = pli_vf_min(pli_vf_max(depth, d->least), d->greatest);
    pli_vn_pack(target->pixel + target->count, which, pixel);
    pli_vn_pack(target->word + target->count, which, twice_or(depth_steps(depth), t->facing));
    pli_vn_pack(target->triangle + target->count, which, t->number);
    target->count += (size_t)__builtin_popcount(pli_vm_bits(which));
}

static inline void put_intervals(const lanes_triangles *t, const lanes_edges *e,
                                 const lanes_depths *d, pli_vf depth, pli_vn pixel, pli_vm active,
                                 pli_raster_target *target)
{
    pli_vn zero = pli_vn_set(0);
    pli_vm flat = pli_vn_greater(pli_vn_set(1), t->area);
    for (uint32_t k = 0; k < 3; k++) {
        pli_vn beyond = pli_vn_sub(zero, e->margin[k]);
        active = pli_vm_and_not(active, pli_vn_greater(beyond, e->value[k]));
        active =
            pli_vm_and_not(active, pli_vm_and(flat, pli_vn_greater(e->value[k], e->margin[k])));
    }
    pli_vf low = pli_vf_max(pli_vf_sub(depth, d->spread), pli_vf_sub(d->least, d->margin));
    pli_vf high = pli_vf_min(pli_vf_add(depth, d->spread), pli_vf_add(d->greatest, d->margin));
    active = pli_vm_and_not(active, pli_vf_less(high, pli_vf_set(0.0f)));
    active = pli_vm_and_not(active, pli_vf_less(pli_vf_set(1.0f), low));
    unsigned bits = pli_vm_bits(active);
    if (bits == 0) {
        return;
    }
    pli_vn along = t->facing, against = pli_vn_sub(pli_vn_set(1), along);
    against = pli_vn_select(flat, pli_vn_set(1), against);
    pli_vn upper = pli_vn_add(depth_steps(high), pli_vn_set(1));
    upper = pli_vn_min(upper, pli_vn_set(PLI_DEPTH_STEPS));
    pli_vn_pack(target->interval_pixel + target->interval_count, active,
                pli_vn_add(pixel, t->slot));
    pli_vn_pack(target->interval_lower + target->interval_count, active,
                twice_or(depth_steps(low), along));
    pli_vn_pack(target->interval_upper + target->interval_count, active, twice_or(upper, against));
    target->interval_count += (uint32_t)__builtin_popcount(bits);
}

#endif
