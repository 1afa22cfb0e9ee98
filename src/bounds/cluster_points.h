/*
 * How the vertices of a cluster lie in its record (bounds/record.h), which kernels write and read
 * each in the way that suits their instruction set; a part of the files of kernels.
 */
#ifndef PLI_BOUNDS_CLUSTER_POINTS_H
#define PLI_BOUNDS_CLUSTER_POINTS_H

#include "base/simd/simd_points.h"

/*
 * In 16-lane registers look-ups are permutes, which want all x, then all y, then all z, `stride`
 * floats apart; elsewhere points are loaded whole and transposed, so they lie one after the other,
 * four floats each.
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
    pli_f4 axis[3];
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
        points[i] = pli_f4_load(vertices + 4 * at[i]);
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
