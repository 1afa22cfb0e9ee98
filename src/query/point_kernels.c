/*
 * The kernels of questions about points, for the instruction set that base/simd/simd.h was told to
 * use. They work in float32 and only ever say that something is too far away.
 *
 * Boxes. With e = 2^-24, a difference of two floats is off by a factor 1 + h, |h| <= e, and never
 * underflows; its square by (1 + h)^3, and two sums add two more factors: less than 1 + 6e in all.
 * Squares that underflow are off by 2^-150 each.
 *
 * Triangles. Let w_i be the corners seen from the point. For any vector d whatever, the triangle
 * lies beyond the plane d.x = min d.w_i, so its distance is at least min d.w_i / |d|. A d that
 * points to the closest point of the triangle makes that the distance itself; one that rounding, or
 * a thin triangle, has bent only makes it smaller. Two are tried and the larger result taken: the
 * normal, which is right where the closest point is inside of the triangle, and the direction to
 * the closest point of the three edges.
 * The rounding of the result. Differences w are off by a factor 1 + h, products and two sums add
 * four more: d.w is off by less than 5e |d| M, where M is the largest sum of |w_ik| over the axes
 * k, and by 2^-148 where products underflow. |d|^2 is off by less than a factor 1 + 4e if it is
 * above 2^-100, so its root by 1 + 3e, and the quotient q by one more. Hence the distance is at
 * least q (1 - 4e) - 5e M - 2^-148 / |d|, and q (1 - 2^-20) - 2^-20 M - 2^-90, with 16e = 2^-20, is
 * less than that with all its own roundings. Coordinates below 2^38 keep all of it finite but for
 * |n|^2, and n.w / infinity is 0, which says nothing wrong.
 */
#include "query/point_kernels.h"

#include "base/simd/simd_wide.h"
#include "base/simd/simd_double.h"
#include "base/simd/simd_int.h"
#include "bounds/cluster_points.h"
#include "bounds/boxes.h"

PLI_ALWAYS_INLINE unsigned near_eight(const float *side, size_t stride, const float lower[3],
                                      const float upper[3], float limit, float squared[PLI_WIDTH])
{
    pli_eight sum = pli_eight_set(0.0f), zero = sum;
    for (size_t k = 0; k < 3; k++) {
        pli_eight below = pli_eight_sub(pli_eight_load(side + k * stride), pli_eight_set(upper[k]));
        pli_eight above =
            pli_eight_sub(pli_eight_set(lower[k]), pli_eight_load(side + (3 + k) * stride));
        pli_eight gap = pli_eight_max(pli_eight_max(below, above), zero);
        sum = pli_eight_add_product(sum, gap, gap);
    }
    pli_eight_store(squared, sum);
    return ~pli_eight_bits(pli_eight_less(pli_eight_set(limit), sum)) & 0xff;
}

static unsigned near_boxes(const float *side, size_t stride, const float lower[3],
                           const float upper[3], float limit, float squared[PLI_WIDTH])
{
    return near_eight(side, stride, lower, upper, limit, squared);
}

static unsigned line_boxes(const float *side, size_t stride, const pli_axis_line *line)
{
    unsigned apart = 0;
    for (int k = 0; k < 3; k++) {
        const float *lower = side + (size_t)k * stride, *upper = side + (size_t)(3 + k) * stride;
        pli_eight x = pli_eight_set(line->point[k]);
        if (k != line->axis || line->ahead < 0) {
            apart |= pli_eight_bits(pli_eight_less(x, pli_eight_load(lower)));
        }
        if (k != line->axis || line->ahead > 0) {
            apart |= pli_eight_bits(pli_eight_less(pli_eight_load(upper), x));
        }
    }
    /* An empty box is met by nothing that is finite across the line. */
    return ~apart & 0xff;
}

/* Cuts down the parameters between which a ray is inside of boxes, by one axis. */
PLI_ALWAYS_INLINE void cut_by_axis(const float *lower, const float *upper, double origin,
                                   double inverse, pli_vd *enter, pli_vd *leave)
{
    pli_vd o = pli_vd_set(origin), by = pli_vd_set(inverse);
    pli_vd low = pli_vd_of_floats(lower), high = pli_vd_of_floats(upper);
    if (inverse == 0.0) { /* it is between the sides for all parameters, or for none */
        pli_vdm between = pli_vdm_and(pli_vd_less_equal(low, o), pli_vd_less_equal(o, high));
        *leave = pli_vd_select(between, *leave, pli_vd_set(-1.0));
        return;
    }
    pli_vd front = inverse > 0.0 ? low : high, back = inverse > 0.0 ? high : low;
    *enter = pli_vd_max(pli_vd_mul(pli_vd_sub(front, o), by), *enter);
    *leave = pli_vd_min(pli_vd_mul(pli_vd_sub(back, o), by), *leave);
}

static unsigned ray_boxes(const float *side, size_t stride, const pli_ray_lines *ray,
                          double near[PLI_WIDTH])
{
    unsigned mask = 0;
    for (unsigned j = 0; j < PLI_WIDTH; j += PLI_DOUBLES) {
        pli_vd enter = pli_vd_set(0.0), leave = pli_vd_set(ray->limit);
        for (size_t k = 0; k < 3; k++) {
            const float *lower = side + k * stride + j, *upper = side + (3 + k) * stride + j;
            cut_by_axis(lower, upper, ray->origin[k], ray->inverse[k], &enter, &leave);
        }
        pli_vd_store(near + j, enter);
        pli_vd widened = pli_vd_mul(leave, pli_vd_set(PLI_RAY_WIDENED));
        mask |= pli_vdm_bits(pli_vd_less_equal(enter, widened)) << j;
    }
    return mask;
}

/* A vector in every lane. */
typedef struct point_lanes {
    pli_vf c[3];
} point_lanes;

static inline point_lanes subtract(point_lanes a, point_lanes b)
{
    point_lanes d;
    for (int k = 0; k < 3; k++) {
        d.c[k] = pli_vf_sub(a.c[k], b.c[k]);
    }
    return d;
}

static inline point_lanes cross(point_lanes u, point_lanes v)
{
    point_lanes n;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n.c[i] = pli_vf_sub(pli_vf_mul(u.c[j], v.c[k]), pli_vf_mul(u.c[k], v.c[j]));
    }
    return n;
}

static inline pli_vf dot(point_lanes a, point_lanes b)
{
    return pli_vf_add(pli_vf_add(pli_vf_mul(a.c[0], b.c[0]), pli_vf_mul(a.c[1], b.c[1])),
                      pli_vf_mul(a.c[2], b.c[2]));
}

static inline point_lanes choose(pli_vm m, point_lanes a, point_lanes b)
{
    point_lanes r;
    for (int k = 0; k < 3; k++) {
        r.c[k] = pli_vf_select(m, a.c[k], b.c[k]);
    }
    return r;
}

/* The point of the segment from a to b closest to the origin, or one near it. */
static inline point_lanes closest_on_edge(point_lanes a, point_lanes b)
{
    point_lanes along = subtract(b, a), r;
    pli_vf t = pli_vf_div(pli_vf_sub(pli_vf_set(0.0f), dot(a, along)), dot(along, along));
    t = pli_vf_max(pli_vf_min(t, pli_vf_set(1.0f)), pli_vf_set(0.0f)); /* 0 / 0 becomes 1 */
    for (int k = 0; k < 3; k++) {
        r.c[k] = pli_vf_add(a.c[k], pli_vf_mul(t, along.c[k]));
    }
    return r;
}

static inline point_lanes closest_on_edges(const point_lanes w[3])
{
    point_lanes best = closest_on_edge(w[0], w[1]);
    pli_vf least = dot(best, best);
    for (int i = 1; i < 3; i++) {
        point_lanes other = closest_on_edge(w[i], w[(i + 1) % 3]);
        pli_vf squared = dot(other, other);
        pli_vm nearer = pli_vf_less(squared, least);
        best = choose(nearer, other, best);
        least = pli_vf_select(nearer, squared, least);
    }
    return best;
}

/* The least of d.w_i, or 0, and |d|^2; both 0 and 1 where d is too short for the bound. */
typedef struct along {
    pli_vf least, squared;
} along;

static inline along least_along(point_lanes d, const point_lanes w[3], pli_vf sign)
{
    pli_vf zero = pli_vf_set(0.0f), squared = dot(d, d);
    pli_vm long_enough = pli_vf_less(pli_vf_set(0x1p-100f), squared);
    pli_vf least = pli_vf_mul(sign, dot(d, w[0]));
    least = pli_vf_min(least, pli_vf_mul(sign, dot(d, w[1])));
    least = pli_vf_min(least, pli_vf_mul(sign, dot(d, w[2])));
    along a = {pli_vf_select(long_enough, pli_vf_max(least, zero), zero),
               pli_vf_select(long_enough, squared, pli_vf_set(1.0f))};
    return a;
}

/* The larger quotient of two: which one it is may be mistaken, both are bounds. */
static inline pli_vf larger(along a, along b)
{
    pli_vf left = pli_vf_mul(pli_vf_mul(a.least, a.least), b.squared);
    pli_vf right = pli_vf_mul(pli_vf_mul(b.least, b.least), a.squared);
    pli_vm second = pli_vf_less(left, right);
    pli_vf least = pli_vf_select(second, b.least, a.least);
    return pli_vf_div(least, pli_vf_sqrt(pli_vf_select(second, b.squared, a.squared)));
}

static inline pli_vf size_of(point_lanes a)
{
    return pli_vf_add(pli_vf_add(pli_vf_abs(a.c[0]), pli_vf_abs(a.c[1])), pli_vf_abs(a.c[2]));
}

static inline pli_vf beyond_lanes(const point_lanes w[3])
{
    pli_vf one = pli_vf_set(1.0f), zero = pli_vf_set(0.0f);
    point_lanes normal = cross(subtract(w[1], w[0]), subtract(w[2], w[0]));
    pli_vm behind = pli_vf_less(dot(normal, w[0]), zero);
    pli_vf sign = pli_vf_select(behind, pli_vf_set(-1.0f), one);
    pli_vf far = larger(least_along(normal, w, sign), least_along(closest_on_edges(w), w, one));
    pli_vf size = pli_vf_max(pli_vf_max(size_of(w[0]), size_of(w[1])), size_of(w[2]));
    pli_vf error =
        pli_vf_add(pli_vf_mul(pli_vf_add(far, size), pli_vf_set(0x1p-20f)), pli_vf_set(0x1p-90f));
    return pli_vf_max(pli_vf_sub(far, error), zero);
}

static void triangles_beyond(const pli_slot_triangles *triangles, const uint8_t *slots,
                             uint32_t count, const float point[3], float *beyond)
{
    const pli_cluster_record *record = triangles->record;
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        point_lanes w[3];
        for (size_t c = 0; c < 3; c++) {
            pli_vi index = pli_vi_look_up(triangles->corners + c * record->slots, slots + i);
            pli_fetch_points(record->data + 6 * (size_t)record->slots, record->stride,
                             record->stride, index, w[c].c);
            for (int k = 0; k < 3; k++) {
                w[c].c[k] = pli_vf_sub(w[c].c[k], pli_vf_set(point[k]));
            }
        }
        pli_vf_store(beyond + i, beyond_lanes(w));
    }
}

/* Bit i: the box of slot i is near, in leaves that are. With wide registers all slots are looked
   at, which takes less time than going from leaf to leaf. */
static inline uint64_t slots_within(const pli_cluster_record *record, const float point[3],
                                    float limit)
{
    float squared[PLI_WIDTH];
    unsigned leaves = near_eight(record->leaf_box.side[0], PLI_WIDTH, point, point, limit, squared);
    uint64_t mask = 0;
#if defined(PLI_SIMD_AVX2) || defined(PLI_SIMD_AVX512)
    pli_vf most = pli_vf_set(limit), zero = pli_vf_set(0.0f);
    for (uint32_t i = 0; i < record->slots && leaves != 0; i += PLI_LANES) {
        pli_vf sum = zero;
        for (size_t k = 0; k < 3; k++) {
            const float *lower = record->data + k * record->slots + i;
            pli_vf x = pli_vf_set(point[k]);
            pli_vf below = pli_vf_sub(pli_vf_load(lower), x);
            pli_vf above = pli_vf_sub(x, pli_vf_load(lower + 3 * (size_t)record->slots));
            pli_vf gap = pli_vf_max(pli_vf_max(below, above), zero);
            sum = pli_vf_add(sum, pli_vf_mul(gap, gap));
        }
        mask |= (uint64_t)pli_vm_bits(pli_vf_less(most, sum)) << i;
    }
    return ~mask & pli_spread_lanes(leaves, 0xff);
#else
    for (; leaves != 0; leaves &= leaves - 1) {
        uint32_t first = PLI_WIDTH * (uint32_t)__builtin_ctz(leaves);
        uint64_t here =
            near_eight(record->data + first, record->slots, point, point, limit, squared);
        mask |= here << first;
    }
    return mask;
#endif
}

/* Writes the numbers of the bits that are set, and 16 zeros or more behind them. */
static inline uint32_t list_slots(uint64_t mask, uint8_t slots[PLI_POINT_SLOTS])
{
#if defined(PLI_SIMD_AVX512)
    const __m512i eights = _mm512_set1_epi64(0x0706050403020100);
    const __m512i bases = _mm512_setr_epi64(
        0, 0x0808080808080808, 0x1010101010101010, 0x1818181818181818, 0x2020202020202020,
        0x2828282828282828, 0x3030303030303030, 0x3838383838383838);
    __m512i numbers = _mm512_add_epi8(eights, bases);
    _mm512_storeu_si512(slots, _mm512_maskz_compress_epi8(mask, numbers));
    memset(slots + PLI_CLUSTER_SLOTS, 0, 16);
    return (uint32_t)__builtin_popcountll(mask);
#else
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        slots[count++] = (uint8_t)__builtin_ctzll(mask);
    }
    memset(slots + count, 0, 16);
    return count;
#endif
}

static uint32_t near_slots(const pli_slot_triangles *triangles, const float point[3], float limit,
                           uint8_t *slots, float *beyond)
{
    uint64_t mask = slots_within(triangles->record, point, limit);
    if (mask == 0) {
        return 0;
    }
    uint32_t count = list_slots(mask, slots);
    triangles_beyond(triangles, slots, count, point, beyond);
    return count;
}

const pli_point_kernels PLI_KERNELS_OF(point) = {
    .near_boxes = near_boxes,
    .line_boxes = line_boxes,
    .ray_boxes = ray_boxes,
    .near_slots = near_slots,
};
