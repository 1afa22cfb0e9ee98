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

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(PLI_SIMD_BASELINE) || defined(PLI_SIMD_AVX2) || defined(PLI_SIMD_AVX512)
#include <immintrin.h>
#endif

/* Inlined wherever it is called: for functions on many registers, which a call would pass through
   memory. */
#if defined(__GNUC__)
#define PLI_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define PLI_ALWAYS_INLINE static inline
#endif

/* pli_vf: lanes of float. pli_vm: a truth value per lane. */

#if defined(PLI_SIMD_AVX512)

#define PLI_VF_OPERATION(name) _mm512_##name##_ps
enum { PLI_LANES = 16 };
typedef __m512 pli_vf;
typedef __mmask16 pli_vm;

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

#define PLI_VF_OPERATION(name) _mm256_##name##_ps
enum { PLI_LANES = 8 };
typedef __m256 pli_vf;
typedef __m256 pli_vm;

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

#define PLI_VF_OPERATION(name) _mm_##name##_ps
enum { PLI_LANES = 4 };
typedef __m128 pli_vf;
typedef __m128 pli_vm;

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

#ifdef PLI_VF_OPERATION
static inline pli_vf pli_vf_set(float x)
{
    return PLI_VF_OPERATION(set1)(x);
}
static inline pli_vf pli_vf_load(const float *p)
{
    return PLI_VF_OPERATION(loadu)(p);
}
static inline void pli_vf_store(float *p, pli_vf a)
{
    PLI_VF_OPERATION(storeu)(p, a);
}
static inline pli_vf pli_vf_add(pli_vf a, pli_vf b)
{
    return PLI_VF_OPERATION(add)(a, b);
}
static inline pli_vf pli_vf_sub(pli_vf a, pli_vf b)
{
    return PLI_VF_OPERATION(sub)(a, b);
}
static inline pli_vf pli_vf_mul(pli_vf a, pli_vf b)
{
    return PLI_VF_OPERATION(mul)(a, b);
}
static inline pli_vf pli_vf_min(pli_vf a, pli_vf b)
{
    return PLI_VF_OPERATION(min)(a, b);
}
static inline pli_vf pli_vf_max(pli_vf a, pli_vf b)
{
    return PLI_VF_OPERATION(max)(a, b);
}
#undef PLI_VF_OPERATION
#endif

#if defined(PLI_SIMD_BASELINE) || defined(PLI_SIMD_AVX2) || defined(PLI_SIMD_AVX512)
static inline float pli_greatest_of_four(__m128 a)
{
    __m128 two = _mm_max_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}
#endif

/* The greatest of all lanes, none of which may be NaN: halves against each other. */
static inline float pli_vf_greatest(pli_vf a)
{
#if defined(PLI_SIMD_AVX512)
    __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    return pli_greatest_of_four(four);
#elif defined(PLI_SIMD_AVX2)
    return pli_greatest_of_four(_mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1)));
#elif defined(PLI_SIMD_BASELINE)
    return pli_greatest_of_four(a);
#else
    return a;
#endif
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

typedef __m128 pli_point;

/* Loads one point: 12 bytes if it is the last of its array, else 16. (Masked loads, which would do
   for both, keep some processors from fetching what follows ahead of time.) */
static inline pli_point pli_point_load(const float *p, bool is_last)
{
    return __builtin_expect(is_last, 0) ? _mm_setr_ps(p[0], p[1], p[2], 0.0f) : _mm_loadu_ps(p);
}

/* Four points become four x, four y and four z. */
static inline void pli_points_transpose(const pli_point p[4], __m128 out[3])
{
    __m128 ab_xy = _mm_unpacklo_ps(p[0], p[1]), cd_xy = _mm_unpacklo_ps(p[2], p[3]);
    __m128 ab_z = _mm_unpackhi_ps(p[0], p[1]), cd_z = _mm_unpackhi_ps(p[2], p[3]);
    out[0] = _mm_movelh_ps(ab_xy, cd_xy);
    out[1] = _mm_movehl_ps(cd_xy, ab_xy);
    out[2] = _mm_movelh_ps(ab_z, cd_z);
}

/* Stores the point and a fourth number that means nothing. */
static inline void pli_point_store(float p[4], pli_point a)
{
    _mm_storeu_ps(p, a);
}

#else

typedef struct pli_point {
    float lane[3];
} pli_point;

static inline pli_point pli_point_load(const float *p, bool is_last)
{
    (void)is_last;
    pli_point a = {{p[0], p[1], p[2]}};
    return a;
}
static inline void pli_point_store(float p[4], pli_point a)
{
    memcpy(p, a.lane, sizeof a.lane);
}
#endif

/* 16 lanes were measured slower here than 8: joining four points costs more than it saves. */
#if defined(PLI_SIMD_AVX2) || defined(PLI_SIMD_AVX512)

enum { PLI_POINTS = 2 };
typedef __m256 pli_vp;

static inline pli_vp pli_vp_join(const pli_point p[PLI_POINTS])
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(p[0]), p[1], 1);
}
/* The two points exchanged, where there are two. */
static inline pli_vp pli_vp_exchange(pli_vp a)
{
    return _mm256_permute2f128_ps(a, a, 1);
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
static inline pli_vp pli_vp_exchange(pli_vp a)
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
static inline pli_vp pli_vp_exchange(pli_vp a)
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

/*
 * The vertices of a refreshed cluster are kept as its kernels like them: in 16-lane registers
 * look-ups are permutes, which want all x, then all y, then all z, `stride` floats apart; elsewhere
 * points are loaded whole and transposed, so they lie one after the other, four floats each.
 */
#if defined(PLI_SIMD_AVX512)
enum { PLI_VERTEX_STEP = 1 };
#define PLI_AXIS_STEP(stride) (stride)
#else
enum { PLI_VERTEX_STEP = 4 };
#define PLI_AXIS_STEP(stride) 1
#endif

/* Stores points i to i + 3. */
static inline void pli_put_points(float *vertices, uint32_t stride, uint32_t i,
                                  const pli_point points[4])
{
#if defined(PLI_SIMD_AVX512)
    __m128 axis[3];
    pli_points_transpose(points, axis);
    for (size_t k = 0; k < 3; k++) {
        _mm_storeu_ps(vertices + k * stride + i, axis[k]);
    }
#else
    (void)stride;
    for (size_t j = 0; j < 4; j++) {
        pli_point_store(vertices + 4 * (i + j), points[j]);
    }
#endif
}

#if defined(PLI_SIMD_AVX512)
/* Lane i is table[index[i]], of 64 entries. */
static inline __m512 pli_look_up_64(const float *table, __m512i index)
{
    __m512 low = _mm512_permutex2var_ps(_mm512_loadu_ps(table), index, _mm512_loadu_ps(table + 16));
    __m512 high =
        _mm512_permutex2var_ps(_mm512_loadu_ps(table + 32), index, _mm512_loadu_ps(table + 48));
    return _mm512_mask_mov_ps(low, _mm512_test_epi32_mask(index, _mm512_set1_epi32(32)), high);
}
#endif

/*
 * Lane i of axis[k] is coordinate k of vertex index[i]. There are at most `entries` of
 * them; if that is no more than 64, all 64 may be read, and if it is no more than 128 and `stride`
 * more than 64, all 128.
 */
static inline void pli_fetch_points(const float *vertices, uint32_t stride, uint32_t entries,
                                    pli_vi index, pli_vf axis[3])
{
#if defined(PLI_SIMD_AVX512)
    for (size_t k = 0; k < 3; k++) {
        const float *table = vertices + k * stride;
        if (entries > 128) {
            axis[k] = _mm512_i32gather_ps(index, table, 4);
            continue;
        }
        axis[k] = pli_look_up_64(table, index);
        if (entries > 64 && stride > 64) {
            __mmask16 upper = _mm512_test_epi32_mask(index, _mm512_set1_epi32(64));
            axis[k] = _mm512_mask_mov_ps(axis[k], upper, pli_look_up_64(table + 64, index));
        }
    }
#else
    (void)stride;
    (void)entries;
    const uint8_t *at = index.lane;
#if defined(PLI_SIMD_AVX2)
    __m256 pair[4]; /* points i and i + 4 */
    for (int i = 0; i < 4; i++) {
        __m128 low = _mm_load_ps(vertices + 4 * at[i]),
               high = _mm_load_ps(vertices + 4 * at[i + 4]);
        pair[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
    }
    __m256 ab_xy = _mm256_unpacklo_ps(pair[0], pair[1]);
    __m256 cd_xy = _mm256_unpacklo_ps(pair[2], pair[3]);
    __m256 ab_z = _mm256_unpackhi_ps(pair[0], pair[1]);
    __m256 cd_z = _mm256_unpackhi_ps(pair[2], pair[3]);
    axis[0] = _mm256_shuffle_ps(ab_xy, cd_xy, 0x44);
    axis[1] = _mm256_shuffle_ps(ab_xy, cd_xy, 0xee);
    axis[2] = _mm256_shuffle_ps(ab_z, cd_z, 0x44);
#elif defined(PLI_SIMD_BASELINE)
    pli_point points[4];
    for (int i = 0; i < 4; i++) {
        points[i] = _mm_load_ps(vertices + 4 * at[i]);
    }
    pli_points_transpose(points, axis);
#else
    for (int k = 0; k < 3; k++) {
        axis[k] = vertices[4 * at[0] + k];
    }
#endif
#endif
}

#endif
