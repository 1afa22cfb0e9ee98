/*
 * Eight and sixteen numbers side by side on top of base/simd/simd.h: as many registers as the
 * instruction set needs for them. Bounds of eight children are computed as two halves of eight:
 * centres and half sizes, or upper and lower sides.
 */
#ifndef PLI_BASE_SIMD_WIDE_H
#define PLI_BASE_SIMD_WIDE_H

#include "simd.h"

/* ------------------------------------------------------------ eight

   Half a register of 16 where there are such: on processors that do sixteen in two halves, sums of
   eight need no moving between the halves. */

#if defined(PLI_SIMD_AVX512)

typedef __m256 pli_eight;
typedef __mmask8 pli_eight_truth;

PLI_DEFINE_ARITHMETIC(pli_eight, float, _mm256_, _ps)

static inline pli_eight pli_eight_abs(pli_eight a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
static inline pli_eight_truth pli_eight_less(pli_eight a, pli_eight b)
{
    return _mm256_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
static inline unsigned pli_eight_bits(pli_eight_truth a)
{
    return a;
}
static inline pli_eight pli_eight_select(pli_eight_truth m, pli_eight a, pli_eight b)
{
    return _mm256_mask_mov_ps(b, m, a);
}

#else

enum { PLI_EIGHT_PARTS = 8 / PLI_LANES };

typedef struct pli_eight {
    pli_vf part[PLI_EIGHT_PARTS];
} pli_eight;

typedef struct pli_eight_truth {
    pli_vm part[PLI_EIGHT_PARTS];
} pli_eight_truth;

/* Every operation is a loop over the parts, which compilers unroll. */
#define PLI_EIGHT_EACH(type, name, parameters, value)                                              \
    static inline type name parameters                                                             \
    {                                                                                              \
        type result;                                                                               \
        for (int i = 0; i < PLI_EIGHT_PARTS; i++) {                                                \
            result.part[i] = value;                                                                \
        }                                                                                          \
        return result;                                                                             \
    }

PLI_EIGHT_EACH(pli_eight, pli_eight_set, (float x), pli_vf_set(x))
PLI_EIGHT_EACH(pli_eight, pli_eight_load, (const float *p), pli_vf_load(p + i * PLI_LANES))
PLI_EIGHT_EACH(pli_eight, pli_eight_add, (pli_eight a, pli_eight b),
               pli_vf_add(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_sub, (pli_eight a, pli_eight b),
               pli_vf_sub(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_mul, (pli_eight a, pli_eight b),
               pli_vf_mul(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_min, (pli_eight a, pli_eight b),
               pli_vf_min(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_max, (pli_eight a, pli_eight b),
               pli_vf_max(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_abs, (pli_eight a), pli_vf_abs(a.part[i]))
PLI_EIGHT_EACH(pli_eight_truth, pli_eight_less, (pli_eight a, pli_eight b),
               pli_vf_less(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_select, (pli_eight_truth m, pli_eight a, pli_eight b),
               pli_vf_select(m.part[i], a.part[i], b.part[i]))

static inline void pli_eight_store(float *p, pli_eight a)
{
    for (int i = 0; i < PLI_EIGHT_PARTS; i++) {
        pli_vf_store(p + i * PLI_LANES, a.part[i]);
    }
}

static inline unsigned pli_eight_bits(pli_eight_truth a)
{
    unsigned bits = 0;
    for (int i = 0; i < PLI_EIGHT_PARTS; i++) {
        bits |= pli_vm_bits(a.part[i]) << (i * PLI_LANES);
    }
    return bits;
}

#endif

/* sum + a b, rounded twice. */
static inline pli_eight pli_eight_add_product(pli_eight sum, pli_eight a, pli_eight b)
{
    return pli_eight_add(sum, pli_eight_mul(a, b));
}

/* ------------------------------------------------------------ sixteen */

enum { PLI_PARTS = 16 / PLI_LANES };

typedef struct pli_w {
    pli_vf part[PLI_PARTS];
} pli_w;

/* Every operation is a loop over the parts, which compilers unroll. */
#define PLI_W_EACH(name, parameters, value)                                                        \
    static inline pli_w name parameters                                                            \
    {                                                                                              \
        pli_w result;                                                                              \
        for (int i = 0; i < PLI_PARTS; i++) {                                                      \
            result.part[i] = value;                                                                \
        }                                                                                          \
        return result;                                                                             \
    }

PLI_W_EACH(pli_w_set, (float x), pli_vf_set(x))
PLI_W_EACH(pli_w_load, (const float *p), pli_vf_load(p + i * PLI_LANES))
PLI_W_EACH(pli_w_add, (pli_w a, pli_w b), pli_vf_add(a.part[i], b.part[i]))
PLI_W_EACH(pli_w_sub, (pli_w a, pli_w b), pli_vf_sub(a.part[i], b.part[i]))
PLI_W_EACH(pli_w_mul, (pli_w a, pli_w b), pli_vf_mul(a.part[i], b.part[i]))
PLI_W_EACH(pli_w_min, (pli_w a, pli_w b), pli_vf_min(a.part[i], b.part[i]))
PLI_W_EACH(pli_w_max, (pli_w a, pli_w b), pli_vf_max(a.part[i], b.part[i]))
PLI_W_EACH(pli_w_abs, (pli_w a), pli_vf_abs(a.part[i]))
/* Lane by lane: x < y ? a : b. */
PLI_W_EACH(pli_w_select_less, (pli_w x, pli_w y, pli_w a, pli_w b),
           pli_vf_select(pli_vf_less(x.part[i], y.part[i]), a.part[i], b.part[i]))

static inline void pli_w_store(float *p, pli_w a)
{
    for (int i = 0; i < PLI_PARTS; i++) {
        pli_vf_store(p + i * PLI_LANES, a.part[i]);
    }
}

/* Eight times the first number, then eight times the second. */
static inline pli_w pli_w_halves(float first, float second)
{
    pli_w result;
#if defined(PLI_SIMD_AVX512)
    result.part[0] = _mm512_insertf32x8(_mm512_set1_ps(first), _mm256_set1_ps(second), 1);
#else
    for (int i = 0; i < PLI_PARTS; i++) {
        result.part[i] = pli_vf_set(i < PLI_PARTS / 2 ? first : second);
    }
#endif
    return result;
}

/* (x | |x|): a number eight times, then its size. */
static inline pli_w pli_w_set_and_size(float x)
{
    pli_w result;
#if defined(PLI_SIMD_AVX512)
    __m512i keep = _mm512_inserti32x8(_mm512_set1_epi32(-1), _mm256_set1_epi32(INT32_MAX), 1);
    result.part[0] = _mm512_and_ps(_mm512_set1_ps(x), _mm512_castsi512_ps(keep));
#else
    pli_vf plain = pli_vf_set(x), size = pli_vf_abs(plain);
    for (int i = 0; i < PLI_PARTS; i++) {
        result.part[i] = i < PLI_PARTS / 2 ? plain : size;
    }
#endif
    return result;
}

/* (x | 0). */
static inline pli_w pli_w_first(float x)
{
    pli_w result;
#if defined(PLI_SIMD_AVX512)
    result.part[0] = _mm512_maskz_mov_ps(0xff, _mm512_set1_ps(x));
#else
    for (int i = 0; i < PLI_PARTS; i++) {
        result.part[i] = pli_vf_set(i < PLI_PARTS / 2 ? x : 0.0f);
    }
#endif
    return result;
}

/* (m | s) becomes (s + m | s - m). */
static inline pli_w pli_w_spread(pli_w a)
{
    pli_w result;
#if defined(PLI_SIMD_AVX512)
    __m512 middle = _mm512_shuffle_f32x4(a.part[0], a.part[0], 0x44);
    __m512 size = _mm512_shuffle_f32x4(a.part[0], a.part[0], 0xee);
    __m512i sign = _mm512_inserti32x8(_mm512_setzero_si512(), _mm256_set1_epi32(INT32_MIN), 1);
    result.part[0] = _mm512_add_ps(size, _mm512_xor_ps(middle, _mm512_castsi512_ps(sign)));
#else
    for (int i = 0; i < PLI_PARTS / 2; i++) {
        pli_vf middle = a.part[i], size = a.part[PLI_PARTS / 2 + i];
        result.part[i] = pli_vf_add(size, middle);
        result.part[PLI_PARTS / 2 + i] = pli_vf_sub(size, middle);
    }
#endif
    return result;
}

/* (c | e) becomes (c - e | c + e). */
static inline pli_w pli_w_sides(pli_w a)
{
    pli_w result;
#if defined(PLI_SIMD_AVX512)
    __m512 centre = _mm512_shuffle_f32x4(a.part[0], a.part[0], 0x44);
    __m512 size = _mm512_shuffle_f32x4(a.part[0], a.part[0], 0xee);
    __m512i sign = _mm512_zextsi256_si512(_mm256_set1_epi32(INT32_MIN));
    result.part[0] = _mm512_add_ps(centre, _mm512_xor_ps(size, _mm512_castsi512_ps(sign)));
#else
    for (int i = 0; i < PLI_PARTS / 2; i++) {
        pli_vf centre = a.part[i], size = a.part[PLI_PARTS / 2 + i];
        result.part[i] = pli_vf_sub(centre, size);
        result.part[PLI_PARTS / 2 + i] = pli_vf_add(centre, size);
    }
#endif
    return result;
}

/* (x | y) becomes (0 | x + y). */
static inline pli_w pli_w_sum_second(pli_w a)
{
    pli_w result;
#if defined(PLI_SIMD_AVX512)
    __m512 swapped = _mm512_shuffle_f32x4(a.part[0], a.part[0], 0x4e);
    result.part[0] = _mm512_maskz_add_ps(0xff00, swapped, a.part[0]);
#else
    for (int i = 0; i < PLI_PARTS / 2; i++) {
        result.part[i] = pli_vf_set(0.0f);
        result.part[PLI_PARTS / 2 + i] = pli_vf_add(a.part[i], a.part[PLI_PARTS / 2 + i]);
    }
#endif
    return result;
}

/* Stores the first eight numbers and the others at different places. */
static inline void pli_w_store_apart(float *first, float *second, pli_w a)
{
#if defined(PLI_SIMD_AVX512)
    _mm256_storeu_ps(first, _mm512_castps512_ps256(a.part[0]));
    _mm256_storeu_ps(second, _mm512_extractf32x8_ps(a.part[0], 1));
#else
    for (int i = 0; i < PLI_PARTS / 2; i++) {
        pli_vf_store(first + i * PLI_LANES, a.part[i]);
        pli_vf_store(second + i * PLI_LANES, a.part[PLI_PARTS / 2 + i]);
    }
#endif
}

/* Eight numbers, twice. */
static inline pli_w pli_w_load_twice(const float *p)
{
    pli_w result;
#if defined(PLI_SIMD_AVX512)
    result.part[0] = _mm512_broadcast_f32x8(_mm256_loadu_ps(p));
#else
    for (int i = 0; i < PLI_PARTS; i++) {
        result.part[i] = pli_vf_load(p + i * PLI_LANES % 8);
    }
#endif
    return result;
}

#endif
