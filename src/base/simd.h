/*
 * A thin wrapper over SIMD, so that every kernel is written once. A kernel's source (*.inl) is
 * included by one small file per instruction set, which defines one of
 *
 *   PLI_SIMD_PLAIN     one lane of plain C: the twin that all others are compared with
 *   PLI_SIMD_BASELINE  4 lanes, SSE2, which every x86-64 has
 *   PLI_SIMD_AVX2      8 lanes
 *   PLI_SIMD_AVX512    16 lanes, AVX-512 F, VL, BW, DQ, VBMI, VBMI2
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

/* The greatest of all lanes. */
static inline float pli_vf_greatest(pli_vf a)
{
    float lanes[PLI_LANES];
    pli_vf_store(lanes, a);
    float greatest = lanes[0];
    for (int i = 1; i < PLI_LANES; i++) {
        greatest = lanes[i] > greatest ? lanes[i] : greatest;
    }
    return greatest;
}

/*
 * pli_vi: a small index per lane. Lane i is table[index[i]], from a table of up to 64 bytes; 64
 * bytes may be read there and 16 at the index.
 */
#if defined(PLI_SIMD_AVX512)
typedef __m512i pli_vi;

static inline pli_vi pli_vi_load(const uint8_t *index)
{
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)index));
}
static inline pli_vi pli_vi_look_up(const uint8_t *table, const uint8_t *index)
{
    __m512i which = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)index));
    __m512i found = _mm512_permutexvar_epi8(which, _mm512_loadu_si512(table));
    return _mm512_cvtepu8_epi32(_mm512_castsi512_si128(found));
}
#else
typedef struct pli_vi {
    uint8_t lane[PLI_LANES];
} pli_vi;

static inline pli_vi pli_vi_load(const uint8_t *index)
{
    pli_vi a;
    memcpy(a.lane, index, PLI_LANES);
    return a;
}
static inline pli_vi pli_vi_look_up(const uint8_t *table, const uint8_t *index)
{
    pli_vi a;
    for (int i = 0; i < PLI_LANES; i++) {
        a.lane[i] = table[index[i]];
    }
    return a;
}
#endif

/*
 * Lane i is table[index[i]]. The table has `entries` entries; if they are no more than 64, all 64
 * may be read.
 */
static inline pli_vf pli_vf_look_up(const float *table, uint32_t entries, pli_vi index)
{
#if defined(PLI_SIMD_AVX512)
    if (entries > 64) {
        return _mm512_i32gather_ps(index, table, 4);
    }
    /* Registers hold the whole table: permutes instead of gathers. */
    __m512 low = _mm512_permutex2var_ps(_mm512_loadu_ps(table), index, _mm512_loadu_ps(table + 16));
    __m512 high =
        _mm512_permutex2var_ps(_mm512_loadu_ps(table + 32), index, _mm512_loadu_ps(table + 48));
    return _mm512_mask_mov_ps(low, _mm512_test_epi32_mask(index, _mm512_set1_epi32(32)), high);
#elif defined(PLI_SIMD_AVX2)
    (void)entries;
    const uint8_t *i = index.lane;
    return _mm256_setr_ps(table[i[0]], table[i[1]], table[i[2]], table[i[3]], table[i[4]],
                          table[i[5]], table[i[6]], table[i[7]]);
#elif defined(PLI_SIMD_BASELINE)
    (void)entries;
    const uint8_t *i = index.lane;
    return _mm_setr_ps(table[i[0]], table[i[1]], table[i[2]], table[i[3]]);
#else
    (void)entries;
    return table[index.lane[0]];
#endif
}

/*
 * Writes the rows and columns of the set bits of an 8 x 8 mask, bit 8 r + c, in ascending order,
 * each with a base added, and returns how many there are. Up to 64 bytes are written at each place.
 */
static inline unsigned pli_list_bits(uint64_t mask, uint8_t row_base, uint8_t column_base,
                                     uint8_t *rows, uint8_t *columns)
{
#if defined(PLI_SIMD_AVX512)
    __m512i eight = _mm512_set1_epi64(0x0706050403020100);
    __m512i row = _mm512_setr_epi64(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303,
                                    0x0404040404040404, 0x0505050505050505, 0x0606060606060606,
                                    0x0707070707070707);
    row = _mm512_add_epi8(row, _mm512_set1_epi8((char)row_base));
    eight = _mm512_add_epi8(eight, _mm512_set1_epi8((char)column_base));
    _mm512_storeu_si512(rows, _mm512_maskz_compress_epi8(mask, row));
    _mm512_storeu_si512(columns, _mm512_maskz_compress_epi8(mask, eight));
    return (unsigned)__builtin_popcountll(mask);
#else
    unsigned count = 0;
    for (; mask != 0; mask &= mask - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(mask);
        rows[count] = (uint8_t)(row_base + bit / 8);
        columns[count++] = (uint8_t)(column_base + bit % 8);
    }
    return count;
#endif
}

/*
 * pli_vp: PLI_POINTS points side by side, each x, y, z and a fourth lane that means nothing.
 */

#if defined(PLI_SIMD_BASELINE) || defined(PLI_SIMD_AVX2) || defined(PLI_SIMD_AVX512)

/* Loads one point: 16 bytes, or 12 and not one more. */
static inline __m128 pli_point_load(const float *p)
{
    return _mm_loadu_ps(p);
}
static inline __m128 pli_point_load_last(const float *p)
{
    return _mm_setr_ps(p[0], p[1], p[2], 0.0f);
}
typedef __m128 pli_point;

/* Stores the point and a fourth number that means nothing. */
static inline void pli_point_store(float p[4], pli_point a)
{
    _mm_storeu_ps(p, a);
}

/* Four points become runs of four x, y and z. */
static inline void pli_points_spread(const pli_point p[4], float *x, float *y, float *z)
{
    __m128 a = p[0], b = p[1], c = p[2], d = p[3];
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(x, a);
    _mm_storeu_ps(y, b);
    _mm_storeu_ps(z, c);
}

#else

typedef struct pli_point {
    float lane[3];
} pli_point;

static inline pli_point pli_point_load_last(const float *p)
{
    pli_point a = {{p[0], p[1], p[2]}};
    return a;
}
static inline pli_point pli_point_load(const float *p)
{
    return pli_point_load_last(p);
}
static inline void pli_point_store(float p[4], pli_point a)
{
    memcpy(p, a.lane, sizeof a.lane);
}
static inline void pli_points_spread(const pli_point p[4], float *x, float *y, float *z)
{
    for (int i = 0; i < 4; i++) {
        x[i] = p[i].lane[0];
        y[i] = p[i].lane[1];
        z[i] = p[i].lane[2];
    }
}

#endif

#if defined(PLI_SIMD_AVX512)

enum { PLI_POINTS = 4 };
typedef __m512 pli_vp;

static inline pli_vp pli_vp_join(const pli_point p[PLI_POINTS])
{
    __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(p[0]), p[1], 1);
    __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256(p[2]), p[3], 1);
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
static inline pli_vp pli_vp_halves(pli_vp a) /* the upper half in the lower's place */
{
    return _mm512_shuffle_f32x4(a, a, 0x4e);
}
static inline pli_vp pli_vp_quarters(pli_vp a) /* the second quarter in the first one's place */
{
    return _mm512_shuffle_f32x4(a, a, 0xb1);
}
static inline pli_point pli_vp_first(pli_vp a)
{
    return _mm512_castps512_ps128(a);
}
#define PLI_VP_OPERATION(name) _mm512_##name##_ps

#elif defined(PLI_SIMD_AVX2)

enum { PLI_POINTS = 2 };
typedef __m256 pli_vp;

static inline pli_vp pli_vp_join(const pli_point p[PLI_POINTS])
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(p[0]), p[1], 1);
}
static inline pli_vp pli_vp_halves(pli_vp a)
{
    return _mm256_permute2f128_ps(a, a, 1);
}
static inline pli_vp pli_vp_quarters(pli_vp a)
{
    return a;
}
static inline pli_point pli_vp_first(pli_vp a)
{
    return _mm256_castps256_ps128(a);
}
#define PLI_VP_OPERATION(name) _mm256_##name##_ps

#elif defined(PLI_SIMD_BASELINE)

enum { PLI_POINTS = 1 };
typedef __m128 pli_vp;

static inline pli_vp pli_vp_join(const pli_point p[PLI_POINTS])
{
    return p[0];
}
static inline pli_vp pli_vp_halves(pli_vp a)
{
    return a;
}
static inline pli_vp pli_vp_quarters(pli_vp a)
{
    return a;
}
static inline pli_point pli_vp_first(pli_vp a)
{
    return a;
}
#define PLI_VP_OPERATION(name) _mm_##name##_ps

#endif

#ifdef PLI_VP_OPERATION
static inline pli_vp pli_vp_set(float x)
{
    return PLI_VP_OPERATION(set1)(x);
}
static inline pli_vp pli_vp_min(pli_vp a, pli_vp b)
{
    return PLI_VP_OPERATION(min)(a, b);
}
static inline pli_vp pli_vp_max(pli_vp a, pli_vp b)
{
    return PLI_VP_OPERATION(max)(a, b);
}
static inline pli_vp pli_vp_add(pli_vp a, pli_vp b)
{
    return PLI_VP_OPERATION(add)(a, b);
}
#undef PLI_VP_OPERATION
#else

enum { PLI_POINTS = 1 };
typedef pli_point pli_vp;

static inline pli_vp pli_vp_join(const pli_point p[PLI_POINTS])
{
    return p[0];
}
static inline pli_vp pli_vp_halves(pli_vp a)
{
    return a;
}
static inline pli_vp pli_vp_quarters(pli_vp a)
{
    return a;
}
static inline pli_point pli_vp_first(pli_vp a)
{
    return a;
}
static inline pli_vp pli_vp_set(float x)
{
    pli_vp a = {{x, x, x}};
    return a;
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

#endif

#endif
