/*
 * Points in registers, on top of base/simd/simd.h: loading them one by one from where the caller
 * keeps them, and looking them up where a refreshed cluster keeps its own.
 */
#ifndef PLI_BASE_SIMD_POINTS_H
#define PLI_BASE_SIMD_POINTS_H

#include "simd.h"

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
