/* Names of vertices in every lane, by which triangles of one body know what they share: a part of
   the files of kernels. */
#ifndef PLI_QUERY_LANE_NAMES_H
#define PLI_QUERY_LANE_NAMES_H

#include "query/lane_points.h"

/* Names of vertices, a lane each. */
#if defined(PLI_SIMD_AVX512)
typedef __m512i name_lanes;

/* Lane i is names[index[i] % 64], where `left` of them are, a multiple of 16. */
static inline name_lanes look_up_names(const uint32_t *names, uint32_t left, pli_vi index)
{
    __m512i table[4];
    for (uint32_t i = 0; i < 4; i++) {
        table[i] = _mm512_maskz_loadu_epi32(16 * i < left ? 0xffff : 0, names + (size_t)16 * i);
    }
    __m512i low = _mm512_permutex2var_epi32(table[0], index, table[1]);
    __m512i high = _mm512_permutex2var_epi32(table[2], index, table[3]);
    return _mm512_mask_mov_epi32(low, _mm512_test_epi32_mask(index, _mm512_set1_epi32(32)), high);
}

/* Lane i is names[index[i]] out of `stride`, a multiple of 16 and no more than `entries`. */
static inline name_lanes fetch_names(const uint32_t *names, uint32_t stride, uint32_t entries,
                                     pli_vi index)
{
    if (entries > 128) {
        return _mm512_i32gather_epi32(index, names, 4);
    }
    __m512i found = look_up_names(names, stride, index);
    if (entries > 64 && stride > 64) {
        __mmask16 upper = _mm512_test_epi32_mask(index, _mm512_set1_epi32(64));
        found = _mm512_mask_mov_epi32(found, upper, look_up_names(names + 64, stride - 64, index));
    }
    return found;
}
static inline pli_vm names_equal(name_lanes a, name_lanes b)
{
    return _mm512_cmpeq_epi32_mask(a, b);
}
#else
#if defined(PLI_SIMD_AVX2)
typedef __m256i name_lanes;

static inline pli_vm names_equal(name_lanes a, name_lanes b)
{
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b));
}
#elif defined(PLI_SIMD_BASELINE)
typedef pli_n4 name_lanes;

static inline pli_vm names_equal(name_lanes a, name_lanes b)
{
    return pli_n4_equal(a, b);
}
#else
typedef uint32_t name_lanes;

static inline pli_vm names_equal(name_lanes a, name_lanes b)
{
    return a == b;
}
#endif
static inline name_lanes fetch_names(const uint32_t *names, uint32_t stride, uint32_t entries,
                                     pli_vi index)
{
    (void)stride;
    (void)entries;
    uint32_t lane[PLI_LANES];
    name_lanes found;
    for (int i = 0; i < PLI_LANES; i++) {
        lane[i] = names[index.lane[i]];
    }
    memcpy(&found, lane, sizeof found);
    return found;
}
#endif

static inline void fetch_corner_names(const pli_named_triangles *t, uint32_t entries,
                                      const uint8_t *slot, name_lanes name[3])
{
    const pli_cluster_record *record = t->triangles.record;
    for (size_t c = 0; c < 3; c++) {
        pli_vi index = pli_vi_look_up(t->triangles.corners + c * record->slots, slot);
        name[c] = fetch_names(t->names, record->stride, entries, index);
    }
}

#endif
