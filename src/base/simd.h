/*
 * A thin wrapper over SIMD, so that every kernel is written once. A kernel's source (*.inl) is
 * included by one small file per instruction set, which defines one of
 *
 *   PLI_SIMD_PLAIN     one lane of plain C: the twin that all others are compared with
 *   PLI_SIMD_BASELINE  4 lanes, SSE2, which every x86-64 has
 *   PLI_SIMD_AVX2      8 lanes
 *   PLI_SIMD_AVX512    16 lanes, AVX-512 F, VL, BW, DQ
 *
 * All operations round once, like their plain twins; minimum and maximum return the second operand
 * where the operands are equal or unordered, as `a < b ? a : b` does. So all sets give the same
 * bits.
 */
#ifndef PLI_BASE_SIMD_H
#define PLI_BASE_SIMD_H

#include <stdint.h>
#include <string.h>

#if defined(PLI_SIMD_BASELINE) || defined(PLI_SIMD_AVX2) || defined(PLI_SIMD_AVX512)
#include <immintrin.h>
#endif

/* pli_vf: lanes of float. pli_vm: a truth value per lane. */

#if defined(PLI_SIMD_AVX512)

enum { PLI_LANES = 16 };
typedef __m512 pli_vf;
typedef __mmask16 pli_vm;

static inline pli_vf pli_vf_set(float x)
{
    return _mm512_set1_ps(x);
}
static inline pli_vf pli_vf_load(const float *p)
{
    return _mm512_loadu_ps(p);
}
static inline void pli_vf_store(float *p, pli_vf a)
{
    _mm512_storeu_ps(p, a);
}
static inline pli_vf pli_vf_add(pli_vf a, pli_vf b)
{
    return _mm512_add_ps(a, b);
}
static inline pli_vf pli_vf_sub(pli_vf a, pli_vf b)
{
    return _mm512_sub_ps(a, b);
}
static inline pli_vf pli_vf_mul(pli_vf a, pli_vf b)
{
    return _mm512_mul_ps(a, b);
}
static inline pli_vf pli_vf_min(pli_vf a, pli_vf b)
{
    return _mm512_min_ps(a, b);
}
static inline pli_vf pli_vf_max(pli_vf a, pli_vf b)
{
    return _mm512_max_ps(a, b);
}
static inline pli_vf pli_vf_abs(pli_vf a)
{
    return _mm512_abs_ps(a);
}
static inline pli_vm pli_vf_less(pli_vf a, pli_vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
static inline pli_vm pli_vm_and(pli_vm a, pli_vm b)
{
    return (pli_vm)(a & b);
}
static inline pli_vm pli_vm_or(pli_vm a, pli_vm b)
{
    return (pli_vm)(a | b);
}
static inline pli_vm pli_vm_xor(pli_vm a, pli_vm b)
{
    return (pli_vm)(a ^ b);
}
static inline pli_vm pli_vm_and_not(pli_vm a, pli_vm b)
{
    return (pli_vm)(a & ~b);
}
static inline unsigned pli_vm_bits(pli_vm a)
{
    return a;
}
/* Lane by lane: m ? a : b. */
static inline pli_vf pli_vf_select(pli_vm m, pli_vf a, pli_vf b)
{
    return _mm512_mask_mov_ps(b, m, a);
}

#elif defined(PLI_SIMD_AVX2)

enum { PLI_LANES = 8 };
typedef __m256 pli_vf;
typedef __m256 pli_vm;

static inline pli_vf pli_vf_set(float x)
{
    return _mm256_set1_ps(x);
}
static inline pli_vf pli_vf_load(const float *p)
{
    return _mm256_loadu_ps(p);
}
static inline void pli_vf_store(float *p, pli_vf a)
{
    _mm256_storeu_ps(p, a);
}
static inline pli_vf pli_vf_add(pli_vf a, pli_vf b)
{
    return _mm256_add_ps(a, b);
}
static inline pli_vf pli_vf_sub(pli_vf a, pli_vf b)
{
    return _mm256_sub_ps(a, b);
}
static inline pli_vf pli_vf_mul(pli_vf a, pli_vf b)
{
    return _mm256_mul_ps(a, b);
}
static inline pli_vf pli_vf_min(pli_vf a, pli_vf b)
{
    return _mm256_min_ps(a, b);
}
static inline pli_vf pli_vf_max(pli_vf a, pli_vf b)
{
    return _mm256_max_ps(a, b);
}
static inline pli_vf pli_vf_abs(pli_vf a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
static inline pli_vm pli_vf_less(pli_vf a, pli_vf b)
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
static inline pli_vm pli_vm_and(pli_vm a, pli_vm b)
{
    return _mm256_and_ps(a, b);
}
static inline pli_vm pli_vm_or(pli_vm a, pli_vm b)
{
    return _mm256_or_ps(a, b);
}
static inline pli_vm pli_vm_xor(pli_vm a, pli_vm b)
{
    return _mm256_xor_ps(a, b);
}
static inline pli_vm pli_vm_and_not(pli_vm a, pli_vm b)
{
    return _mm256_andnot_ps(b, a);
}
static inline unsigned pli_vm_bits(pli_vm a)
{
    return (unsigned)_mm256_movemask_ps(a);
}
static inline pli_vf pli_vf_select(pli_vm m, pli_vf a, pli_vf b)
{
    return _mm256_blendv_ps(b, a, m);
}

#elif defined(PLI_SIMD_BASELINE)

enum { PLI_LANES = 4 };
typedef __m128 pli_vf;
typedef __m128 pli_vm;

static inline pli_vf pli_vf_set(float x)
{
    return _mm_set1_ps(x);
}
static inline pli_vf pli_vf_load(const float *p)
{
    return _mm_loadu_ps(p);
}
static inline void pli_vf_store(float *p, pli_vf a)
{
    _mm_storeu_ps(p, a);
}
static inline pli_vf pli_vf_add(pli_vf a, pli_vf b)
{
    return _mm_add_ps(a, b);
}
static inline pli_vf pli_vf_sub(pli_vf a, pli_vf b)
{
    return _mm_sub_ps(a, b);
}
static inline pli_vf pli_vf_mul(pli_vf a, pli_vf b)
{
    return _mm_mul_ps(a, b);
}
static inline pli_vf pli_vf_min(pli_vf a, pli_vf b)
{
    return _mm_min_ps(a, b);
}
static inline pli_vf pli_vf_max(pli_vf a, pli_vf b)
{
    return _mm_max_ps(a, b);
}
static inline pli_vf pli_vf_abs(pli_vf a)
{
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}
static inline pli_vm pli_vf_less(pli_vf a, pli_vf b)
{
    return _mm_cmplt_ps(a, b);
}
static inline pli_vm pli_vm_and(pli_vm a, pli_vm b)
{
    return _mm_and_ps(a, b);
}
static inline pli_vm pli_vm_or(pli_vm a, pli_vm b)
{
    return _mm_or_ps(a, b);
}
static inline pli_vm pli_vm_xor(pli_vm a, pli_vm b)
{
    return _mm_xor_ps(a, b);
}
static inline pli_vm pli_vm_and_not(pli_vm a, pli_vm b)
{
    return _mm_andnot_ps(b, a);
}
static inline unsigned pli_vm_bits(pli_vm a)
{
    return (unsigned)_mm_movemask_ps(a);
}
static inline pli_vf pli_vf_select(pli_vm m, pli_vf a, pli_vf b)
{
    return _mm_or_ps(_mm_and_ps(m, a), _mm_andnot_ps(m, b));
}

#else /* PLI_SIMD_PLAIN */

enum { PLI_LANES = 1 };
typedef float pli_vf;
typedef unsigned pli_vm;

static inline pli_vf pli_vf_set(float x)
{
    return x;
}
static inline pli_vf pli_vf_load(const float *p)
{
    return *p;
}
static inline void pli_vf_store(float *p, pli_vf a)
{
    *p = a;
}
static inline pli_vf pli_vf_add(pli_vf a, pli_vf b)
{
    return a + b;
}
static inline pli_vf pli_vf_sub(pli_vf a, pli_vf b)
{
    return a - b;
}
static inline pli_vf pli_vf_mul(pli_vf a, pli_vf b)
{
    return a * b;
}
static inline pli_vf pli_vf_min(pli_vf a, pli_vf b)
{
    return a < b ? a : b;
}
static inline pli_vf pli_vf_max(pli_vf a, pli_vf b)
{
    return a > b ? a : b;
}
static inline pli_vf pli_vf_abs(pli_vf a)
{
    return a < 0.0f ? -a : a;
}
static inline pli_vm pli_vf_less(pli_vf a, pli_vf b)
{
    return a < b;
}
static inline pli_vm pli_vm_and(pli_vm a, pli_vm b)
{
    return a & b;
}
static inline pli_vm pli_vm_or(pli_vm a, pli_vm b)
{
    return a | b;
}
static inline pli_vm pli_vm_xor(pli_vm a, pli_vm b)
{
    return a ^ b;
}
static inline pli_vm pli_vm_and_not(pli_vm a, pli_vm b)
{
    return a & ~b;
}
static inline unsigned pli_vm_bits(pli_vm a)
{
    return a;
}
static inline pli_vf pli_vf_select(pli_vm m, pli_vf a, pli_vf b)
{
    return m ? a : b;
}

#endif

/*
 * Lane i is table[index[i]]. The table has `entries` entries and may be read up to 64 of them; the
 * index has PLI_LANES bytes, padded to 16.
 */
static inline pli_vf pli_vf_look_up(const float *table, uint32_t entries, const uint8_t *index)
{
#if defined(PLI_SIMD_AVX512)
    __m512i wide = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)index));
    if (entries > 64) {
        return _mm512_i32gather_ps(wide, table, 4);
    }
    /* Registers hold the whole table: permutes instead of gathers. */
    __m512 low = _mm512_permutex2var_ps(_mm512_loadu_ps(table), wide, _mm512_loadu_ps(table + 16));
    if (entries <= 32) {
        return low;
    }
    __m512 high =
        _mm512_permutex2var_ps(_mm512_loadu_ps(table + 32), wide, _mm512_loadu_ps(table + 48));
    return _mm512_mask_mov_ps(low, _mm512_test_epi32_mask(wide, _mm512_set1_epi32(32)), high);
#elif defined(PLI_SIMD_AVX2)
    (void)entries;
    return _mm256_setr_ps(table[index[0]], table[index[1]], table[index[2]], table[index[3]],
                          table[index[4]], table[index[5]], table[index[6]], table[index[7]]);
#elif defined(PLI_SIMD_BASELINE)
    (void)entries;
    return _mm_setr_ps(table[index[0]], table[index[1]], table[index[2]], table[index[3]]);
#else
    (void)entries;
    return table[index[0]];
#endif
}

/* pli_vp: one point, x, y, z and a fourth lane that means nothing. */

#if defined(PLI_SIMD_BASELINE) || defined(PLI_SIMD_AVX2) || defined(PLI_SIMD_AVX512)

typedef __m128 pli_vp;

static inline pli_vp pli_vp_set(float x)
{
    return _mm_set1_ps(x);
}
/* Reads 16 bytes. */
static inline pli_vp pli_vp_load(const float *p)
{
    return _mm_loadu_ps(p);
}
/* Reads 12 bytes and not one more. */
static inline pli_vp pli_vp_load_last(const float *p)
{
    return _mm_setr_ps(p[0], p[1], p[2], 0.0f);
}
static inline void pli_vp_store(float *p, pli_vp a) /* three floats */
{
    float lanes[4];
    _mm_storeu_ps(lanes, a);
    memcpy(p, lanes, 3 * sizeof *p);
}
static inline pli_vp pli_vp_min(pli_vp a, pli_vp b)
{
    return _mm_min_ps(a, b);
}
static inline pli_vp pli_vp_max(pli_vp a, pli_vp b)
{
    return _mm_max_ps(a, b);
}
static inline pli_vp pli_vp_add(pli_vp a, pli_vp b)
{
    return _mm_add_ps(a, b);
}
/* Four points become runs of four x, y and z. */
static inline void pli_vp_spread(pli_vp a, pli_vp b, pli_vp c, pli_vp d, float *x, float *y,
                                 float *z)
{
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(x, a);
    _mm_storeu_ps(y, b);
    _mm_storeu_ps(z, c);
}

#else

typedef struct pli_vp {
    float lane[3];
} pli_vp;

static inline pli_vp pli_vp_set(float x)
{
    pli_vp a = {{x, x, x}};
    return a;
}
static inline pli_vp pli_vp_load_last(const float *p)
{
    pli_vp a = {{p[0], p[1], p[2]}};
    return a;
}
static inline pli_vp pli_vp_load(const float *p)
{
    return pli_vp_load_last(p);
}
static inline void pli_vp_store(float *p, pli_vp a)
{
    memcpy(p, a.lane, sizeof a.lane);
}
static inline pli_vp pli_vp_min(pli_vp a, pli_vp b)
{
    for (int k = 0; k < 3; k++) {
        a.lane[k] = pli_vf_min(a.lane[k], b.lane[k]);
    }
    return a;
}
static inline pli_vp pli_vp_max(pli_vp a, pli_vp b)
{
    for (int k = 0; k < 3; k++) {
        a.lane[k] = pli_vf_max(a.lane[k], b.lane[k]);
    }
    return a;
}
static inline pli_vp pli_vp_add(pli_vp a, pli_vp b)
{
    for (int k = 0; k < 3; k++) {
        a.lane[k] += b.lane[k];
    }
    return a;
}
static inline void pli_vp_spread(pli_vp a, pli_vp b, pli_vp c, pli_vp d, float *x, float *y,
                                 float *z)
{
    const pli_vp *const points[4] = {&a, &b, &c, &d};
    for (int i = 0; i < 4; i++) {
        x[i] = points[i]->lane[0];
        y[i] = points[i]->lane[1];
        z[i] = points[i]->lane[2];
    }
}

#endif

#endif
