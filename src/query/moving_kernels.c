/*
 * Which moving triangles never meet, in float32, for the instruction set that base/simd/simd.h was
 * told to use.
 *
 * Vertices move along straight lines, so what is ahead along an axis at both ends of the step is
 * ahead all the time. And with n(t) = u x v the moving normal of a triangle, which has a corner at
 * o, the height n . w of a point at o + w is a cubic of time: triangles stay apart if the heights
 * of all corners of one keep one sign, which a polynomial does if its Bernstein coefficients do.
 * These are, with u0 and u1 for u at both ends and so on,
 *     p_0 = (u0 x v0) . w0                     3 p_1 = m . w0 + (u0 x v0) . w1
 *     p_3 = (u1 x v1) . w1                     3 p_2 = m . w1 + (u1 x v1) . w0
 * where m = u0 x v1 + u1 x v0.
 *
 * Triangles a and b of one body may share vertices, whose heights over the plane of a are 0. If all
 * other corners of b, one at least, keep one sign, a is no segment at any time, and b meets its
 * plane in no more than what is shared: a corner or an edge of a. No other corner of a lies in
 * that, nor does an edge of a meet it that has no vertex of it. So nothing meets beyond what is
 * shared.
 *
 * The bound. Let e = 2^-24. The swept boxes of a pair that is tested meet, so a component of u and
 * v is at most r, the longest side of a swept triangle of the plane's cluster, and one of w at most
 * R, the sum of both clusters' r. So p_0 and p_3 are sums of 6 products of at most r^2 R, and 3 p_1
 * and 3 p_2 sums of 18. On its way into the sum each of the factors of a product is rounded once, a
 * product of two and one of three once; then come the differences and sums: three in p_0 (one in
 * the normal, two in the dot product), five in 3 p_1 (two in m, two in the dot product, one for
 * both dot products). That makes 8 and 10 roundings at most, so that p_0 is off by at most
 * 6 ((1 + e)^8 - 1) r^2 R < 49 e r^2 R and 3 p_1 by 18 ((1 + e)^10 - 1) r^2 R < 181 e r^2 R. 64 e
 * r^2 R bounds the one and thrice that the other, and leaves more room than the roundings of r, R
 * and of the bound itself need. Underflow adds at most 2^-150 to each product: 4 x 2^-150 to a
 * component of m, half of that to one of the normals, which |w| < 2^40 multiplies, and six more
 * products: less than 3 (2^-148 + 2^-149) 2^40 + 6 x 2^-150 < 2^-105; 2^-100 covers that.
 * Coordinates below 2^38 keep everything finite: 18 r^2 R < 2^123.
 */
#include "query/moving_kernels.h"

#include "query/lane_names.h"

/* Triangles at both ends of the step, and which of their corners the others have too. */
typedef struct lane_motion {
    lanes3 at[2][3];
    pli_vm shared[3];
} lane_motion;

static inline unsigned not_in(pli_vm lanes)
{
    return ~pli_vm_bits(lanes) & (unsigned)(((uint64_t)1 << PLI_LANES) - 1);
}

static inline pli_vf least(const lanes3 t[3], int k)
{
    return pli_vf_min(pli_vf_min(t[0].c[k], t[1].c[k]), t[2].c[k]);
}

static inline pli_vf most(const lanes3 t[3], int k)
{
    return pli_vf_max(pli_vf_max(t[0].c[k], t[1].c[k]), t[2].c[k]);
}

/* Where one triangle is ahead of the other along an axis at both ends. */
PLI_ALWAYS_INLINE pli_vm keep_order(const lane_motion *a, const lane_motion *b)
{
    pli_vm apart = pli_vf_less(pli_vf_set(0.0f), pli_vf_set(0.0f));
    for (int k = 0; k < 3; k++) {
        pli_vm a_first = pli_vm_and(pli_vf_less(most(a->at[0], k), least(b->at[0], k)),
                                    pli_vf_less(most(a->at[1], k), least(b->at[1], k)));
        pli_vm b_first = pli_vm_and(pli_vf_less(most(b->at[0], k), least(a->at[0], k)),
                                    pli_vf_less(most(b->at[1], k), least(a->at[1], k)));
        apart = pli_vm_or(apart, pli_vm_or(a_first, b_first));
    }
    return apart;
}

/* Between which values numbers are. */
typedef struct lane_range {
    pli_vf low, high;
} lane_range;

static inline lane_range range_of(pli_vf a, pli_vf b)
{
    lane_range range = {pli_vf_min(a, b), pli_vf_max(a, b)};
    return range;
}

static inline void extend(lane_range *range, lane_range other)
{
    range->low = pli_vf_min(range->low, other.low);
    range->high = pli_vf_max(range->high, other.high);
}

static inline pli_vf add_dots(lanes3 m, lanes3 w, lanes3 n, lanes3 x)
{
    return pli_vf_add(dot(m, w), dot(n, x));
}

/* What is shared says nothing of where the rest is. */
static inline void leave_out(pli_vm lanes, lane_range *range)
{
    range->low = pli_vf_select(lanes, pli_vf_set(INFINITY), range->low);
    range->high = pli_vf_select(lanes, pli_vf_set(-INFINITY), range->high);
}

static inline pli_vm all_shared(const lane_motion *t)
{
    return pli_vm_and(t->shared[0], pli_vm_and(t->shared[1], t->shared[2]));
}

/* Where all corners of b stay on one side of the moving plane of a, for certain; with `named`, all
   that are not shared. */
PLI_ALWAYS_INLINE pli_vm stay_beside(const lane_motion *a, const lane_motion *b, float bound,
                                     bool named)
{
    lanes3 u[2], v[2], m;
    for (int end = 0; end < 2; end++) {
        u[end] = subtract(a->at[end][1], a->at[end][0]);
        v[end] = subtract(a->at[end][2], a->at[end][0]);
    }
    lanes3 n0 = cross(u[0], v[0]), n1 = cross(u[1], v[1]);
    lanes3 first = cross(u[0], v[1]), second = cross(u[1], v[0]);
    for (int k = 0; k < 3; k++) {
        m.c[k] = pli_vf_add(first.c[k], second.c[k]);
    }
    lane_range ends, between; /* of p_0 and p_3, of 3 p_1 and 3 p_2 */
    for (int i = 0; i < 3; i++) {
        lanes3 w0 = subtract(b->at[0][i], a->at[0][0]), w1 = subtract(b->at[1][i], a->at[1][0]);
        lane_range outer = range_of(dot(n0, w0), dot(n1, w1));
        lane_range inner = range_of(add_dots(m, w0, n0, w1), add_dots(m, w1, n1, w0));
        if (named) {
            leave_out(b->shared[i], &outer);
            leave_out(b->shared[i], &inner);
        }
        if (i == 0) {
            ends = outer;
            between = inner;
        } else {
            extend(&ends, outer);
            extend(&between, inner);
        }
    }
    pli_vf beyond = pli_vf_set(bound), thrice = pli_vf_set(3.0f * bound);
    pli_vf below = pli_vf_set(-bound), thrice_below = pli_vf_set(-3.0f * bound);
    pli_vm apart = pli_vm_or(
        pli_vm_and(pli_vf_less(beyond, ends.low), pli_vf_less(thrice, between.low)),
        pli_vm_and(pli_vf_less(ends.high, below), pli_vf_less(between.high, thrice_below)));
    return named ? pli_vm_and_not(apart, all_shared(b)) : apart;
}

/* Bit i unless the pair in lane i is apart all the time. */
PLI_ALWAYS_INLINE unsigned test_lanes(const lane_motion *a, const lane_motion *b,
                                      const float bound[2], bool named)
{
    pli_vm apart = keep_order(a, b);
    if (not_in(apart) != 0) {
        apart = pli_vm_or(apart, stay_beside(a, b, bound[0], named));
    }
    if (not_in(apart) != 0) {
        apart = pli_vm_or(apart, stay_beside(b, a, bound[1], named));
    }
    return not_in(apart);
}

PLI_ALWAYS_INLINE void fetch_motion(const pli_swept_triangles *t, uint32_t entries,
                                    const uint8_t *slot, lane_motion *motion)
{
    fetch_corners(&t->start.triangles, entries, slot, motion->at[0]);
    fetch_corners(&t->end, entries, slot, motion->at[1]);
}

static inline pli_vm is_one_of(name_lanes name, const name_lanes names[3])
{
    return pli_vm_or(names_equal(name, names[0]),
                     pli_vm_or(names_equal(name, names[1]), names_equal(name, names[2])));
}

/* Which corners have names of the other triangle's. */
PLI_ALWAYS_INLINE void find_shared(const pli_swept_triangles *a, const uint8_t *slot_a,
                                   const pli_swept_triangles *b, const uint8_t *slot_b,
                                   uint32_t entries, lane_motion *motion_a, lane_motion *motion_b)
{
    name_lanes name_a[3], name_b[3];
    fetch_corner_names(&a->start, entries, slot_a, name_a);
    fetch_corner_names(&b->start, entries, slot_b, name_b);
    for (int i = 0; i < 3; i++) {
        motion_a->shared[i] = is_one_of(name_a[i], name_b);
        motion_b->shared[i] = is_one_of(name_b[i], name_a);
    }
}

static inline float extent_of(const pli_swept_triangles *t)
{
    return t->start.triangles.record->extent;
}

PLI_ALWAYS_INLINE uint64_t all_may_meet(const pli_swept_triangles *a, const uint8_t *slot_a,
                                        const pli_swept_triangles *b, const uint8_t *slot_b,
                                        uint32_t count, uint32_t entries, bool named)
{
    float r[2] = {extent_of(a), extent_of(b)}, sum = r[0] + r[1];
    const float bound[2] = {64 * 0x1p-24f * (r[0] * r[0] * sum) + 0x1p-100f,
                            64 * 0x1p-24f * (r[1] * r[1] * sum) + 0x1p-100f};
    uint64_t open = 0;
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        lane_motion motion_a, motion_b;
        PLI_LOAD_AGAIN();
        fetch_motion(a, entries, slot_a + i, &motion_a);
        fetch_motion(b, entries, slot_b + i, &motion_b);
        if (named) {
            find_shared(a, slot_a + i, b, slot_b + i, entries, &motion_a, &motion_b);
        }
        open |= (uint64_t)test_lanes(&motion_a, &motion_b, bound, named) << i;
    }
    return cut(open, count);
}

static uint64_t may_meet(const pli_swept_triangles *a, const uint8_t *slot_a,
                         const pli_swept_triangles *b, const uint8_t *slot_b, uint32_t count)
{
#define STRANGERS(entries) all_may_meet(a, slot_a, b, slot_b, count, entries, false)
#define NAMED(entries)     all_may_meet(a, slot_a, b, slot_b, count, entries, true)
    uint32_t vertices = most_vertices(a->end.record, b->end.record);
    return a->start.names == NULL ? WITH_ENTRIES(vertices, STRANGERS)
                                  : WITH_ENTRIES(vertices, NAMED);
#undef STRANGERS
#undef NAMED
}

const pli_moving_kernels PLI_KERNELS_OF(moving) = {
    .may_meet = may_meet,
};
