/*
 * The kernels that compare pairs, for the instruction set that base/simd/simd.h was told to use.
 *
 * The triangle test is the one of geometry/triangle_overlap.c in float32 with a bound on its error:
 * what it decides is decided rightly, and what it cannot decide goes to exact arithmetic.
 *
 * The bound. Let e = 2^-24. geometry/orient.h derives, for the grouping used here, that a
 * determinant A and its permanent P, both computed with relative errors e per operation, satisfy
 *     |determinant - A| <= e |A| + (7e + 29e^2) P
 * unless an operation underflows or overflows. P need not be computed: the boxes of two triangles
 * that are tested meet, so no coordinate of two of their corners differs by more than R, the sum of
 * the longest sides of triangles in the two clusters. Differences are rounded, so |u|, |v|, |w| <=
 * R(1 + e), a product of two is at most R^2 (1 + e)^3, and P, a sum of six products of three, is at
 * most 6 R^3 (1 + e)^8. Underflow adds at most 2^-150 to each product: the six products in the
 * normal n give 2^-149 per component, which |w| < 2^39 multiplies, and three more products follow:
 * less than 3 (2^-149 2^39 + 2^-150) < 2^-107 in all. So the sign of A is right if |A| > 48 e R^3 +
 * 2^-100, where 48 = 6 x 8 and 8 covers 7, the powers of (1 + e), and the rounding of R and of this
 * bound, while 2^-100 covers underflow. Coordinates below 2^38 keep everything finite: R^3 < 2^120.
 */
#include "query/pair_kernels.h"

#include "base/simd/simd.h"
#include "query/lane_names.h"

#include <float.h>
#include <math.h>

/* ---------------------------------------------------------------- boxes */

/* Where the pairs of slots that meet are listed. */
typedef struct candidate_list {
    uint8_t *slot_a, *slot_b;
    uint32_t count;
} candidate_list;

#if defined(PLI_SIMD_AVX2) || defined(PLI_SIMD_AVX512)
/* Eight lanes do here: masks of 16 were measured slower. */
static inline uint64_t boxes_meet(const float *a, size_t stride_a, const float *b, size_t stride_b)
{
    __m256 column[6];
    for (size_t k = 0; k < 6; k++) {
        column[k] = _mm256_loadu_ps(b + k * stride_b);
    }
    uint64_t mask = 0;
    for (size_t i = 0; i < 8; i++) {
        __m256 meets[3];
        for (size_t k = 0; k < 3; k++) {
            __m256 low = _mm256_broadcast_ss(a + k * stride_a + i);
            __m256 high = _mm256_broadcast_ss(a + (3 + k) * stride_a + i);
            meets[k] = _mm256_and_ps(_mm256_cmp_ps(low, column[3 + k], _CMP_LE_OQ),
                                     _mm256_cmp_ps(column[k], high, _CMP_LE_OQ));
        }
        __m256 all = _mm256_and_ps(meets[0], _mm256_and_ps(meets[1], meets[2]));
        mask |= (uint64_t)(unsigned)_mm256_movemask_ps(all) << (8 * i);
    }
    return mask;
}
#elif defined(PLI_SIMD_BASELINE)
static inline uint64_t boxes_meet(const float *a, size_t stride_a, const float *b, size_t stride_b)
{
    uint64_t mask = 0;
    for (size_t half = 0; half < 8; half += 4) {
        pli_f4 column[6];
        for (size_t k = 0; k < 6; k++) {
            column[k] = pli_f4_loadu(b + k * stride_b + half);
        }
        for (size_t i = 0; i < 8; i++) {
            pli_m4 meets[3];
            for (size_t k = 0; k < 3; k++) {
                pli_f4 low = pli_f4_set1(a[k * stride_a + i]);
                pli_f4 high = pli_f4_set1(a[(3 + k) * stride_a + i]);
                meets[k] = pli_m4_and(pli_f4_less_equal(low, column[3 + k]),
                                      pli_f4_less_equal(column[k], high));
            }
            pli_m4 all = pli_m4_and(meets[0], pli_m4_and(meets[1], meets[2]));
            mask |= (uint64_t)pli_m4_movemask(all) << (8 * i + half);
        }
    }
    return mask;
}
#else
#include "query/plain_box_kernels.inl"
#endif

/* ----------------------------------------------------- one against eight */

#include "base/simd/simd_wide.h"

static unsigned box_meets(const pli_boxes *one, uint32_t lane, const pli_boxes *boxes)
{
    unsigned apart = 0;
    for (int k = 0; k < 3; k++) {
        pli_eight lower = pli_eight_set(one->side[k][lane]),
                  upper = pli_eight_set(one->side[3 + k][lane]);
        apart |= pli_eight_bits(pli_eight_less(pli_eight_load(boxes->side[3 + k]), lower));
        apart |= pli_eight_bits(pli_eight_less(upper, pli_eight_load(boxes->side[k])));
    }
    return ~apart & 0xff;
}

#include "query/sphere_kernels.inl"

/* ------------------------------------------------------------ triangles */

/* A sign in every lane, as far as it is certain. */
typedef struct lane_sign {
    pli_vm positive, negative;
} lane_sign;

/* The sign of the determinant n . w, certain beyond +-bound. */
static inline lane_sign sign_of(lanes3 n, lanes3 w, pli_vf bound)
{
    pli_vf value = dot(n, w);
    lane_sign sign = {pli_vf_less(bound, value),
                      pli_vf_less(value, pli_vf_sub(pli_vf_set(0.0f), bound))};
    return sign;
}

/* orient3d(p, q, P, Q). */
static inline pli_vf edge_value(lanes3 p, lanes3 q, lanes3 other_p, lanes3 other_q)
{
    return dot(cross(subtract(q, p), subtract(other_p, p)), subtract(other_q, p));
}

/* Beyond which the sign of a determinant is certain. */
static inline float bound_of(const pli_slot_triangles *a, const pli_slot_triangles *b)
{
    float r = a->record->extent + b->record->extent;
    return 48 * 0x1p-24f * (r * r * r) + 0x1p-100f;
}

#if defined(PLI_SIMD_PLAIN)
#include "query/plain_triangle_kernels.inl"
#else

/* On which sides of a plane the corners of a triangle lie. */
typedef struct lane_sides {
    pli_vs below[3];
    pli_vs certain; /* all three are */
} lane_sides;

static inline lane_sides sides(const lanes3 points[3], const lanes3 t[3], pli_vf bound)
{
    lane_sides s;
    pli_vs beyond[3];
    lanes3 n = cross(subtract(t[1], t[0]), subtract(t[2], t[0]));
    for (int i = 0; i < 3; i++) {
        pli_vf value = dot(n, subtract(points[i], t[0]));
        s.below[i] = pli_vs_negative(value);
        beyond[i] = pli_vs_negative(pli_vf_sub(bound, pli_vf_abs(value)));
    }
    s.certain = pli_vs_and_3(beyond[0], beyond[1], beyond[2]);
    return s;
}

/* All strictly on one side, for certain. */
static inline pli_vs one_side(const lane_sides *s)
{
    return pli_vs_and_not(s->certain, pli_vs_unlike(s->below[0], s->below[1], s->below[2]));
}

/*
 * Puts the corner that lies alone on its side of the other's plane first, the others behind it in
 * order. Returns where that corner is above: where most are below.
 */
static inline pli_vm order_corners(const lanes3 t[3], const lane_sides *s, lanes3 ordered[3])
{
    const pli_vm lone[2] = {pli_vs_mask(pli_vs_lone(s->below[0], s->below[1], s->below[2])),
                            pli_vs_mask(pli_vs_lone(s->below[1], s->below[2], s->below[0]))};
    turn_to(lone, t, ordered);
    return pli_vs_mask(pli_vs_most(s->below[0], s->below[1], s->below[2]));
}

static inline void exchange_where(pli_vm m, lanes3 *a, lanes3 *b)
{
    lanes3 first = choose(m, *b, *a);
    *b = choose(m, *a, *b);
    *a = first;
}

/* One register of pairs, given that all are there. */
PLI_ALWAYS_INLINE pli_verdicts test_lanes(const lanes3 a[3], const lanes3 b[3], pli_vf bound)
{
    pli_verdicts verdicts = {0, 0};
    const unsigned every = (unsigned)(((uint64_t)1 << PLI_LANES) - 1);
    lane_sides side_a = sides(a, b, bound), side_b = sides(b, a, bound);
    pli_vs apart = pli_vs_or(one_side(&side_a), one_side(&side_b));
    unsigned open = every & ~pli_vm_bits(pli_vs_mask(apart));
    if (open == 0) {
        return verdicts;
    }
    lanes3 p[3], q[3];
    pli_vm above_a = order_corners(a, &side_a, p), above_b = order_corners(b, &side_b, q);
    /* Turning a triangle over puts the other's lone corner above it. */
    exchange_where(above_b, &p[2], &p[1]);
    exchange_where(above_a, &q[2], &q[1]);
    pli_vf first = edge_value(p[0], p[2], q[0], q[2]);
    pli_vf second = edge_value(p[0], p[1], q[0], q[1]);
    pli_vs touch = pli_vs_and(pli_vs_negative(pli_vf_add(first, bound)),
                              pli_vs_negative(pli_vf_sub(bound, second)));
    pli_vs clear = pli_vs_or(pli_vs_negative(pli_vf_sub(bound, first)),
                             pli_vs_negative(pli_vf_add(second, bound)));
    pli_vs decided = pli_vs_and_3(side_a.certain, side_b.certain, pli_vs_or(touch, clear));
    verdicts.touch = open & pli_vm_bits(pli_vs_mask(pli_vs_and(decided, touch)));
    verdicts.unsure = open & ~pli_vm_bits(pli_vs_mask(decided));
    return verdicts;
}

/* Inlined with `entries` known, so that it is not asked again for every look-up. */
static inline pli_verdicts test_all(const pli_slot_triangles *a, const uint8_t *slot_a,
                                    const pli_slot_triangles *b, const uint8_t *slot_b,
                                    uint32_t count, uint32_t entries)
{
    pli_verdicts verdicts = {0, 0};
    pli_vf bound = pli_vf_set(bound_of(a, b));
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        lanes3 corner_a[3], corner_b[3];
        PLI_LOAD_AGAIN();
        fetch_corners(a, entries, slot_a + i, corner_a);
        fetch_corners(b, entries, slot_b + i, corner_b);
        pli_verdicts here = test_lanes(corner_a, corner_b, bound);
        verdicts.touch |= here.touch << i;
        verdicts.unsure |= here.unsure << i;
    }
    verdicts.touch = cut(verdicts.touch, count);
    verdicts.unsure = cut(verdicts.unsure, count);
    return verdicts;
}

static pli_verdicts test_triangles(const pli_slot_triangles *a, const uint8_t *slot_a,
                                   const pli_slot_triangles *b, const uint8_t *slot_b,
                                   uint32_t count)
{
#define CALL(entries) test_all(a, slot_a, b, slot_b, count, entries)
    return WITH_ENTRIES(most_vertices(a->record, b->record), CALL);
#undef CALL
}

#endif

#include "query/neighbour_kernels.inl"
#include "query/packing_kernels.inl"

/* Bits 8 i + j with i < j, and with i == j. */
#define UPPER_TRIANGLE UINT64_C(0x0080c0e0f0f8fcfe)
#define DIAGONAL       UINT64_C(0x8040201008040201)

#if !defined(PLI_SIMD_PLAIN)
/* Adds the pairs of slots of two leaves, which begin at slots i and j, whose boxes meet; with
   `each_once`, where the leaves are the same, a slot is paired with those behind it only. */
static inline void list_leaf_candidates(const pli_cluster_record *a, uint32_t i,
                                        const pli_cluster_record *b, uint32_t j, bool each_once,
                                        candidate_list *found)
{
    uint64_t mask = boxes_meet(a->data + i, a->slots, b->data + j, b->slots);
    mask &= each_once ? UPPER_TRIANGLE : UINT64_MAX;
    found->count += pli_list_bits(mask, (uint8_t)i, (uint8_t)j, found->slot_a + found->count,
                                  found->slot_b + found->count);
}
#endif

static uint32_t list_candidates(const pli_cluster_record *a, const pli_cluster_record *b,
                                uint8_t *slot_a, uint8_t *slot_b)
{
    bool same = a == b;
    uint64_t leaves = boxes_meet(a->leaf_box.side[0], PLI_WIDTH, b->leaf_box.side[0], PLI_WIDTH);
    leaves &= same ? UPPER_TRIANGLE | DIAGONAL : UINT64_MAX;
    candidate_list found = {slot_a, slot_b, 0};
    for (; leaves != 0; leaves &= leaves - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(leaves);
        uint32_t i = bit & ~7u, j = 8 * (bit & 7);
        list_leaf_candidates(a, i, b, j, same && i == j, &found);
    }
    /* What lies behind is looked up by wide kernels, and must be slots. */
    memset(slot_a + found.count, 0, 16);
    memset(slot_b + found.count, 0, 16);
    return found.count;
}

const pli_pair_kernels PLI_KERNELS_OF(pair) = {
    .boxes_meet = boxes_meet,
    .box_meets = box_meets,
    .spheres_meet = spheres_meet,
    .sphere_meets = sphere_meets,
    .list_candidates = list_candidates,
    .test_triangles = test_triangles,
    .separate_neighbours = separate_neighbours,
    .pack_pairs = pack_pairs,
};
