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

/* Where a corner, an edge or a face is along every axis, at both ends. */
typedef struct lane_feature {
    lane_range side[2][3];
} lane_feature;

PLI_ALWAYS_INLINE lane_feature feature_of_corner(const lane_motion *t, int i)
{
    lane_feature feature;
    for (int k = 0; k < 6; k++) {
        feature.side[k / 3][k % 3] = range_of(t->at[k / 3][i].c[k % 3], t->at[k / 3][i].c[k % 3]);
    }
    return feature;
}

PLI_ALWAYS_INLINE lane_feature join_features(const lane_feature *a, const lane_feature *b)
{
    lane_feature feature = *a;
    for (int k = 0; k < 6; k++) {
        extend(&feature.side[k / 3][k % 3], b->side[k / 3][k % 3]);
    }
    return feature;
}

/* Where one feature is ahead of the other along an axis at both ends. */
PLI_ALWAYS_INLINE pli_vm keep_order(const lane_feature *a, const lane_feature *b)
{
    pli_vm apart = pli_vf_less(pli_vf_set(0.0f), pli_vf_set(0.0f));
    for (int k = 0; k < 3; k++) {
        pli_vm ahead = pli_vm_and(pli_vf_less(b->side[0][k].high, a->side[0][k].low),
                                  pli_vf_less(b->side[1][k].high, a->side[1][k].low));
        pli_vm behind = pli_vm_and(pli_vf_less(a->side[0][k].high, b->side[0][k].low),
                                   pli_vf_less(a->side[1][k].high, b->side[1][k].low));
        apart = pli_vm_or(apart, pli_vm_or(ahead, behind));
    }
    return apart;
}

PLI_ALWAYS_INLINE lane_feature face_of(const lane_motion *t)
{
    lane_feature a = feature_of_corner(t, 0), b = feature_of_corner(t, 1),
                 c = feature_of_corner(t, 2);
    b = join_features(&a, &b);
    return join_features(&b, &c);
}

static inline lanes3 add(lanes3 a, lanes3 b)
{
    lanes3 sum;
    for (int k = 0; k < 3; k++) {
        sum.c[k] = pli_vf_add(a.c[k], b.c[k]);
    }
    return sum;
}

/* u x v throughout the step: at its ends, and m. */
typedef struct lane_normal {
    lanes3 at[2], m;
} lane_normal;

PLI_ALWAYS_INLINE lane_normal moving_normal(const lanes3 u[2], const lanes3 v[2])
{
    lane_normal n = {{cross(u[0], v[0]), cross(u[1], v[1])},
                     add(cross(u[0], v[1]), cross(u[1], v[0]))};
    return n;
}

/* Between which numbers p_0 and p_3 are, and 3 p_1 and 3 p_2, of a point at w from the plane. */
typedef struct lane_height {
    lane_range ends, between;
} lane_height;

PLI_ALWAYS_INLINE lane_height height_over(const lane_normal *n, lanes3 w0, lanes3 w1)
{
    lane_height height = {
        range_of(dot(n->at[0], w0), dot(n->at[1], w1)),
        range_of(pli_vf_add(dot(n->m, w0), dot(n->at[0], w1)),
                 pli_vf_add(dot(n->m, w1), dot(n->at[1], w0))),
    };
    return height;
}

static inline pli_vm is_above(const lane_height *height, float bound)
{
    return pli_vm_and(pli_vf_less(pli_vf_set(bound), height->ends.low),
                      pli_vf_less(pli_vf_set(3.0f * bound), height->between.low));
}

static inline pli_vm is_below(const lane_height *height, float bound)
{
    return pli_vm_and(pli_vf_less(height->ends.high, pli_vf_set(-bound)),
                      pli_vf_less(height->between.high, pli_vf_set(-3.0f * bound)));
}

/* Of the plane of a triangle. */
PLI_ALWAYS_INLINE lane_normal normal_of(const lane_motion *t)
{
    lanes3 u[2], v[2];
    for (int end = 0; end < 2; end++) {
        u[end] = subtract(t->at[end][1], t->at[end][0]);
        v[end] = subtract(t->at[end][2], t->at[end][0]);
    }
    return moving_normal(u, v);
}

/* Of corner i of b over the plane of a. */
PLI_ALWAYS_INLINE lane_height corner_height(const lane_motion *a, const lane_normal *n,
                                            const lane_motion *b, int i)
{
    return height_over(n, subtract(b->at[0][i], a->at[0][0]), subtract(b->at[1][i], a->at[1][0]));
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
    lane_normal n = normal_of(a);
    lane_height all;
    for (int i = 0; i < 3; i++) {
        lane_height height = corner_height(a, &n, b, i);
        if (named) {
            leave_out(b->shared[i], &height.ends);
            leave_out(b->shared[i], &height.between);
        }
        if (i == 0) {
            all = height;
        } else {
            extend(&all.ends, height.ends);
            extend(&all.between, height.between);
        }
    }
    pli_vm apart = pli_vm_or(is_above(&all, bound), is_below(&all, bound));
    return named ? pli_vm_and_not(apart, all_shared(b)) : apart;
}

/* Bit i unless the pair in lane i is apart all the time. */
PLI_ALWAYS_INLINE unsigned test_lanes(const lane_motion *a, const lane_motion *b,
                                      const float bound[2], bool named)
{
    lane_feature face_a = face_of(a), face_b = face_of(b);
    pli_vm apart = keep_order(&face_a, &face_b);
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

PLI_ALWAYS_INLINE void fetch_pairs(const pli_swept_triangles *a, const uint8_t *slot_a,
                                   const pli_swept_triangles *b, const uint8_t *slot_b,
                                   uint32_t entries, bool named, lane_motion *motion_a,
                                   lane_motion *motion_b)
{
    PLI_LOAD_AGAIN();
    fetch_motion(a, entries, slot_a, motion_a);
    fetch_motion(b, entries, slot_b, motion_b);
    if (named) {
        find_shared(a, slot_a, b, slot_b, entries, motion_a, motion_b);
    }
}

static inline float extent_of(const pli_swept_triangles *t)
{
    return t->start.triangles.record->extent;
}

/* Beyond which the sign of (u x v) . w is certain, u and v being at most so long. */
static inline float bound_of(const pli_swept_triangles *a, const pli_swept_triangles *b, float u,
                             float v)
{
    return 64 * 0x1p-24f * (u * v * (extent_of(a) + extent_of(b))) + 0x1p-100f;
}

PLI_ALWAYS_INLINE uint64_t all_may_meet(const pli_swept_triangles *a, const uint8_t *slot_a,
                                        const pli_swept_triangles *b, const uint8_t *slot_b,
                                        uint32_t count, uint32_t entries, bool named)
{
    const float bound[2] = {bound_of(a, b, extent_of(a), extent_of(a)),
                            bound_of(a, b, extent_of(b), extent_of(b))};
    uint64_t open = 0;
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        lane_motion motion_a, motion_b;
        fetch_pairs(a, slot_a + i, b, slot_b + i, entries, named, &motion_a, &motion_b);
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

#include "query/opening_kernels.inl"
#include "query/parting_kernels.inl"

const pli_moving_kernels PLI_KERNELS_OF(moving) = {
    .may_meet = may_meet,
    .unparted = unparted,
    .open_features = open_features,
};
