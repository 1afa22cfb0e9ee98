/*
 * The kernels that compare pairs, for the instruction set that base/simd.h was told to use.
 *
 * The triangle test is the one of geometry/triangle_overlap.c in float32 with a bound on its error:
 * what it decides is decided rightly, and what it cannot decide goes to exact arithmetic.
 *
 * The bound. Let e = 2^-24. geometry/orient.h derives, for the grouping used here, that a
 * determinant A and its permanent P, both computed with relative errors e per operation, satisfy
 *     |determinant - A| <= e |A| + (7e + 29e^2) P
 * unless an operation underflows or overflows. Overflow makes P infinite or A not a number, and no
 * comparison below then holds. Underflow adds at most 2^-150 to each product: the six products in
 * the normal n give 2^-149 per component, these are multiplied by |w| < 2^39 (coordinates are below
 * 2^38), and three more products follow: less than 3 (2^-149 2^39 + 2^-150) < 2^-107 in all, and P
 * errs by as little. So the sign of A is right if |A| > 8 e P + 2^-100: 8 covers 7, the squares of
 * e, the rounding of this very comparison, and 2^-100 what underflow does.
 */
#include "query/pair_kernels.h"

#include "base/simd.h"

#include <math.h>

/* ---------------------------------------------------------------- boxes */

#if defined(PLI_SIMD_AVX512)
/* Two rows at once: a[i] against all of b in the lower half, a[i + 1] in the upper. */
static uint64_t boxes_meet(const float *a, size_t stride_a, const float *b, size_t stride_b)
{
    const __m512i spread = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    __m512 row[6], column[6];
    for (int k = 0; k < 6; k++) {
        row[k] = _mm512_castps256_ps512(_mm256_loadu_ps(a + (size_t)k * stride_a));
        __m256 eight = _mm256_loadu_ps(b + (size_t)k * stride_b);
        column[k] = _mm512_insertf32x8(_mm512_castps256_ps512(eight), eight, 1);
    }
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++) {
        __m512i pick = _mm512_add_epi32(spread, _mm512_set1_epi32(2 * i));
        __mmask16 meets = 0xffff;
        for (int k = 0; k < 3; k++) {
            __m512 low = _mm512_permutexvar_ps(pick, row[k]);
            __m512 high = _mm512_permutexvar_ps(pick, row[3 + k]);
            meets = _mm512_mask_cmp_ps_mask(meets, low, column[3 + k], _CMP_LE_OQ);
            meets = _mm512_mask_cmp_ps_mask(meets, column[k], high, _CMP_LE_OQ);
        }
        mask |= (uint64_t)meets << (16 * i);
    }
    return mask;
}
#elif defined(PLI_SIMD_AVX2)
static uint64_t boxes_meet(const float *a, size_t stride_a, const float *b, size_t stride_b)
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
static uint64_t boxes_meet(const float *a, size_t stride_a, const float *b, size_t stride_b)
{
    uint64_t mask = 0;
    for (size_t half = 0; half < 8; half += 4) {
        __m128 column[6];
        for (size_t k = 0; k < 6; k++) {
            column[k] = _mm_loadu_ps(b + k * stride_b + half);
        }
        for (size_t i = 0; i < 8; i++) {
            __m128 meets[3];
            for (size_t k = 0; k < 3; k++) {
                __m128 low = _mm_set1_ps(a[k * stride_a + i]);
                __m128 high = _mm_set1_ps(a[(3 + k) * stride_a + i]);
                meets[k] =
                    _mm_and_ps(_mm_cmple_ps(low, column[3 + k]), _mm_cmple_ps(column[k], high));
            }
            __m128 all = _mm_and_ps(meets[0], _mm_and_ps(meets[1], meets[2]));
            mask |= (uint64_t)(unsigned)_mm_movemask_ps(all) << (8 * i + half);
        }
    }
    return mask;
}
#else
static uint64_t boxes_meet(const float *a, size_t stride_a, const float *b, size_t stride_b)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < PLI_WIDTH; i++) {
        unsigned row = 0;
        for (size_t j = 0; j < PLI_WIDTH; j++) {
            unsigned meets = 1;
            for (size_t k = 0; k < 3; k++) {
                meets &= a[k * stride_a + i] <= b[(3 + k) * stride_b + j];
                meets &= b[k * stride_b + j] <= a[(3 + k) * stride_a + i];
            }
            row |= meets << j;
        }
        mask |= (uint64_t)row << (PLI_WIDTH * i);
    }
    return mask;
}
#endif

/* ------------------------------------------------------------ triangles */

/* A point, or a difference of two, in every lane. */
typedef struct lanes3 {
    pli_vf c[3];
} lanes3;

/* A sign in every lane, as far as it is certain. */
typedef struct lane_sign {
    pli_vm positive, negative;
} lane_sign;

/* A cross product n and the sums M of the magnitudes of its terms. */
typedef struct lane_normal {
    lanes3 n, magnitude;
} lane_normal;

static inline lanes3 subtract(lanes3 a, lanes3 b)
{
    lanes3 d;
    for (int k = 0; k < 3; k++) {
        d.c[k] = pli_vf_sub(a.c[k], b.c[k]);
    }
    return d;
}

static inline lane_normal cross(lanes3 u, lanes3 v)
{
    lane_normal r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        pli_vf plus = pli_vf_mul(u.c[j], v.c[k]), minus = pli_vf_mul(u.c[k], v.c[j]);
        r.n.c[i] = pli_vf_sub(plus, minus);
        r.magnitude.c[i] = pli_vf_add(pli_vf_abs(plus), pli_vf_abs(minus));
    }
    return r;
}

/* The sign of the determinant n . w. */
static inline lane_sign sign_of(const lane_normal *normal, lanes3 w)
{
    pli_vf term[3], size[3];
    for (int k = 0; k < 3; k++) {
        term[k] = pli_vf_mul(normal->n.c[k], w.c[k]);
        size[k] = pli_vf_mul(normal->magnitude.c[k], pli_vf_abs(w.c[k]));
    }
    pli_vf value = pli_vf_add(pli_vf_add(term[0], term[1]), term[2]);
    pli_vf permanent = pli_vf_add(pli_vf_add(size[0], size[1]), size[2]);
    pli_vf bound = pli_vf_add(pli_vf_mul(permanent, pli_vf_set(0x1p-21f)), pli_vf_set(0x1p-100f));
    lane_sign sign = {pli_vf_less(bound, value),
                      pli_vf_less(value, pli_vf_sub(pli_vf_set(0.0f), bound))};
    return sign;
}

/* The signs of three points against the plane of t. */
static inline void sides(const lanes3 points[3], const lanes3 t[3], lane_sign side[3])
{
    lane_normal normal = cross(subtract(t[1], t[0]), subtract(t[2], t[0]));
    for (int i = 0; i < 3; i++) {
        side[i] = sign_of(&normal, subtract(points[i], t[0]));
    }
}

/* All strictly on one side, for certain. */
static inline pli_vm one_side(const lane_sign s[3])
{
    return pli_vm_or(pli_vm_and(s[0].positive, pli_vm_and(s[1].positive, s[2].positive)),
                     pli_vm_and(s[0].negative, pli_vm_and(s[1].negative, s[2].negative)));
}

static inline pli_vm all_certain(const lane_sign s[3])
{
    pli_vm certain = pli_vm_or(s[0].positive, s[0].negative);
    for (int i = 1; i < 3; i++) {
        certain = pli_vm_and(certain, pli_vm_or(s[i].positive, s[i].negative));
    }
    return certain;
}

static inline lanes3 choose(pli_vm m, lanes3 a, lanes3 b)
{
    lanes3 r;
    for (int k = 0; k < 3; k++) {
        r.c[k] = pli_vf_select(m, a.c[k], b.c[k]);
    }
    return r;
}

/*
 * Puts the corner that lies alone on its side of the other's plane first, the others behind it in
 * order. Returns where that corner is above.
 */
static inline pli_vm order_corners(const lanes3 t[3], const lane_sign s[3], lanes3 ordered[3])
{
    pli_vm differ01 = pli_vm_xor(s[0].positive, s[1].positive);
    pli_vm lone0 = pli_vm_and(differ01, pli_vm_xor(s[0].positive, s[2].positive));
    pli_vm lone1 = pli_vm_and(differ01, pli_vm_xor(s[1].positive, s[2].positive));
    for (int i = 0; i < 3; i++) {
        ordered[i] = choose(lone0, t[i], choose(lone1, t[(i + 1) % 3], t[(i + 2) % 3]));
    }
    pli_vm others =
        pli_vm_or(pli_vm_and(lone1, s[1].positive), pli_vm_and_not(s[2].positive, lone1));
    return pli_vm_or(pli_vm_and(lone0, s[0].positive), pli_vm_and_not(others, lone0));
}

static inline void exchange_where(pli_vm m, lanes3 *a, lanes3 *b)
{
    lanes3 first = choose(m, *b, *a);
    *b = choose(m, *a, *b);
    *a = first;
}

/* orient3d(p, q, P, Q). */
static inline lane_sign edge_sign(lanes3 p, lanes3 q, lanes3 other_p, lanes3 other_q)
{
    lane_normal normal = cross(subtract(q, p), subtract(other_p, p));
    return sign_of(&normal, subtract(other_q, p));
}

/* One register of pairs, given that all are there. */
static inline pli_verdicts test_lanes(const lanes3 a[3], const lanes3 b[3])
{
    pli_verdicts verdicts = {0, 0};
    const unsigned every = (unsigned)(((uint64_t)1 << PLI_LANES) - 1);
    lane_sign side_a[3], side_b[3];
    sides(a, b, side_a);
    pli_vm apart = one_side(side_a);
    if (pli_vm_bits(apart) == every) {
        return verdicts;
    }
    sides(b, a, side_b);
    apart = pli_vm_or(apart, one_side(side_b));
    unsigned open = every & ~pli_vm_bits(apart);
    if (open == 0) {
        return verdicts;
    }
    lanes3 p[3], q[3];
    pli_vm above_a = order_corners(a, side_a, p), above_b = order_corners(b, side_b, q);
    /* Turning a triangle over puts the other's lone corner above it. */
    exchange_where(above_b, &p[2], &p[1]);
    exchange_where(above_a, &q[2], &q[1]);
    lane_sign first = edge_sign(p[0], p[2], q[0], q[2]);
    lane_sign second = edge_sign(p[0], p[1], q[0], q[1]);
    pli_vm certain = pli_vm_and(all_certain(side_a), all_certain(side_b));
    pli_vm touch = pli_vm_and(first.negative, second.positive);
    pli_vm clear = pli_vm_or(first.positive, second.negative);
    verdicts.touch = open & pli_vm_bits(pli_vm_and(certain, touch));
    verdicts.unsure = open & ~pli_vm_bits(pli_vm_and(certain, pli_vm_or(touch, clear)));
    return verdicts;
}

static inline void fetch_corners(const pli_slot_triangles *t, const uint8_t *slot, lanes3 corner[3])
{
    for (int c = 0; c < 3; c++) {
        uint8_t index[16];
        for (int i = 0; i < PLI_LANES; i++) {
            index[i] = t->corner[c][slot[i]];
        }
        for (int k = 0; k < 3; k++) {
            corner[c].c[k] = pli_vf_look_up(t->coordinate[k], t->entries, index);
        }
    }
}

static pli_verdicts test_triangles(const pli_slot_triangles *a, uint8_t *slot_a,
                                   const pli_slot_triangles *b, uint8_t *slot_b, uint32_t count)
{
    pli_verdicts verdicts = {0, 0};
    memset(slot_a + count, slot_a[0], PLI_LANES);
    memset(slot_b + count, slot_b[0], PLI_LANES);
    for (uint32_t i = 0; i < count; i += PLI_LANES) {
        lanes3 corner_a[3], corner_b[3];
        fetch_corners(a, slot_a + i, corner_a);
        fetch_corners(b, slot_b + i, corner_b);
        pli_verdicts here = test_lanes(corner_a, corner_b);
        verdicts.touch |= here.touch << i;
        verdicts.unsure |= here.unsure << i;
    }
    uint64_t asked = count == PLI_BATCH ? UINT64_MAX : ((uint64_t)1 << count) - 1;
    verdicts.touch &= asked;
    verdicts.unsure &= asked;
    return verdicts;
}

const pli_pair_kernels PLI_PAIR_KERNELS = {
    .boxes_meet = boxes_meet,
    .test_triangles = test_triangles,
};
