/*
 * Lanes of 32-bit integers beside simd.h's lanes of float. Integers wrap around; all operations
 * give the same lanes under every instruction set.
 *
 * pli_vn: an int32 per lane; truth values are simd.h's pli_vm.
 * A gather's lane i is table[index[i]]; of up to 64 entries, all 64 may be read.
 */
#ifndef PLI_BASE_SIMD_INT_H
#define PLI_BASE_SIMD_INT_H

#include "simd.h"

#if defined(PLI_SIMD_AVX512)

typedef __m512i pli_vn;
#define PLI_VN(name)       _mm512_##name##_epi32
#define PLI_VN_SET(x)      _mm512_set1_epi32(x)
#define PLI_VN_STORE(p, a) _mm512_storeu_si512(p, a)

static inline pli_vn pli_vn_from_bytes(const uint8_t *bytes)
{
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)bytes));
}
static inline pli_vn pli_vn_load(const void *p)
{
    return _mm512_loadu_si512(p);
}
/* Up to 64 entries are looked up by permutes, which is faster than a gather. */
static inline pli_vf pli_vf_gather(const float *table, uint32_t entries, pli_vn index)
{
    if (entries > 64) {
        return _mm512_i32gather_ps(index, table, 4);
    }
    __m512 low = _mm512_permutex2var_ps(_mm512_loadu_ps(table), index, _mm512_loadu_ps(table + 16));
    if (entries <= 32) {
        return low;
    }
    __m512 high =
        _mm512_permutex2var_ps(_mm512_loadu_ps(table + 32), index, _mm512_loadu_ps(table + 48));
    return _mm512_mask_mov_ps(low, _mm512_test_epi32_mask(index, _mm512_set1_epi32(32)), high);
}
static inline pli_vn pli_vn_gather(const int32_t *table, uint32_t entries, pli_vn index)
{
    return _mm512_castps_si512(pli_vf_gather((const float *)(const void *)table, entries, index));
}
static inline pli_vn pli_vn_min(pli_vn a, pli_vn b)
{
    return _mm512_min_epi32(a, b);
}
static inline pli_vn pli_vn_max(pli_vn a, pli_vn b)
{
    return _mm512_max_epi32(a, b);
}
static inline pli_vn pli_vn_mul(pli_vn a, pli_vn b)
{
    return _mm512_mullo_epi32(a, b);
}
static inline pli_vn pli_vn_pixel(pli_vn a)
{
    return _mm512_srai_epi32(a, 8);
}
static inline pli_vn pli_vn_times_pixel(pli_vn a)
{
    return _mm512_slli_epi32(a, 8);
}
static inline pli_vm pli_vn_greater(pli_vn a, pli_vn b)
{
    return _mm512_cmpgt_epi32_mask(a, b);
}
static inline pli_vm pli_vm_from_bits(unsigned bits)
{
    return (pli_vm)bits;
}
static inline pli_vn pli_vn_select(pli_vm m, pli_vn a, pli_vn b)
{
    return _mm512_mask_mov_epi32(b, m, a);
}
static inline pli_vf pli_vf_from_vn(pli_vn a)
{
    return _mm512_cvtepi32_ps(a);
}
static inline pli_vn pli_vn_from_vf(pli_vf a)
{
    return _mm512_cvttps_epi32(a);
}
static inline pli_vf pli_vf_div(pli_vf a, pli_vf b)
{
    return _mm512_div_ps(a, b);
}
/* Stores the lanes that are set, one after the other; may write all lanes. */
static inline void pli_vn_pack(uint32_t *to, pli_vm m, pli_vn a)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(m, a));
}

#elif defined(PLI_SIMD_AVX2)

typedef __m256i pli_vn;
#define PLI_VN(name)       _mm256_##name##_epi32
#define PLI_VN_SET(x)      _mm256_set1_epi32(x)
#define PLI_VN_STORE(p, a) _mm256_storeu_si256((__m256i *)(void *)(p), a)

static inline pli_vn pli_vn_from_bytes(const uint8_t *bytes)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)bytes));
}
static inline pli_vn pli_vn_load(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}
static inline pli_vn pli_vn_gather(const int32_t *table, uint32_t entries, pli_vn index)
{
    (void)entries;
    return _mm256_i32gather_epi32(table, index, 4);
}
static inline pli_vf pli_vf_gather(const float *table, uint32_t entries, pli_vn index)
{
    (void)entries;
    return _mm256_i32gather_ps(table, index, 4);
}
static inline pli_vn pli_vn_min(pli_vn a, pli_vn b)
{
    return _mm256_min_epi32(a, b);
}
static inline pli_vn pli_vn_max(pli_vn a, pli_vn b)
{
    return _mm256_max_epi32(a, b);
}
static inline pli_vn pli_vn_mul(pli_vn a, pli_vn b)
{
    return _mm256_mullo_epi32(a, b);
}
static inline pli_vn pli_vn_pixel(pli_vn a)
{
    return _mm256_srai_epi32(a, 8);
}
static inline pli_vn pli_vn_times_pixel(pli_vn a)
{
    return _mm256_slli_epi32(a, 8);
}
static inline pli_vm pli_vn_greater(pli_vn a, pli_vn b)
{
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(a, b));
}
static inline pli_vm pli_vm_from_bits(unsigned bits)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_castsi256_ps(
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), bit), bit));
}
static inline pli_vn pli_vn_select(pli_vm m, pli_vn a, pli_vn b)
{
    return _mm256_blendv_epi8(b, a, _mm256_castps_si256(m));
}
static inline pli_vf pli_vf_from_vn(pli_vn a)
{
    return _mm256_cvtepi32_ps(a);
}
static inline pli_vn pli_vn_from_vf(pli_vf a)
{
    return _mm256_cvttps_epi32(a);
}
static inline pli_vf pli_vf_div(pli_vf a, pli_vf b)
{
    return _mm256_div_ps(a, b);
}

#elif defined(PLI_SIMD_BASELINE)

typedef __m128i pli_vn;
#define PLI_VN(name)       _mm_##name##_epi32
#define PLI_VN_SET(x)      _mm_set1_epi32(x)
#define PLI_VN_STORE(p, a) _mm_storeu_si128((__m128i *)(void *)(p), a)

static inline pli_vn pli_vn_from_bytes(const uint8_t *bytes)
{
    return _mm_setr_epi32(bytes[0], bytes[1], bytes[2], bytes[3]);
}
static inline pli_vn pli_vn_load(const void *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}
static inline pli_vn pli_vn_gather(const int32_t *table, uint32_t entries, pli_vn index)
{
    (void)entries;
    int32_t at[4];
    _mm_storeu_si128((__m128i *)(void *)at, index);
    return _mm_setr_epi32(table[at[0]], table[at[1]], table[at[2]], table[at[3]]);
}
static inline pli_vf pli_vf_gather(const float *table, uint32_t entries, pli_vn index)
{
    (void)entries;
    int32_t at[4];
    _mm_storeu_si128((__m128i *)(void *)at, index);
    return _mm_setr_ps(table[at[0]], table[at[1]], table[at[2]], table[at[3]]);
}
static inline pli_vn pli_vn_select(pli_vm m, pli_vn a, pli_vn b)
{
    __m128i mask = _mm_castps_si128(m);
    return _mm_or_si128(_mm_and_si128(mask, a), _mm_andnot_si128(mask, b));
}
static inline pli_vm pli_vn_greater(pli_vn a, pli_vn b)
{
    return _mm_castsi128_ps(_mm_cmpgt_epi32(a, b));
}
static inline pli_vn pli_vn_min(pli_vn a, pli_vn b)
{
    return pli_vn_select(pli_vn_greater(a, b), b, a);
}
static inline pli_vn pli_vn_max(pli_vn a, pli_vn b)
{
    return pli_vn_select(pli_vn_greater(a, b), a, b);
}
/* The low halves of the products of even lanes, and of odd ones, put together. */
static inline pli_vn pli_vn_mul(pli_vn a, pli_vn b)
{
    __m128i even = _mm_mul_epu32(a, b);
    __m128i odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, 0x08), _mm_shuffle_epi32(odd, 0x08));
}
static inline pli_vn pli_vn_pixel(pli_vn a)
{
    return _mm_srai_epi32(a, 8);
}
static inline pli_vn pli_vn_times_pixel(pli_vn a)
{
    return _mm_slli_epi32(a, 8);
}
static inline pli_vm pli_vm_from_bits(unsigned bits)
{
    const __m128i bit = _mm_setr_epi32(1, 2, 4, 8);
    return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), bit), bit));
}
static inline pli_vf pli_vf_from_vn(pli_vn a)
{
    return _mm_cvtepi32_ps(a);
}
static inline pli_vn pli_vn_from_vf(pli_vf a)
{
    return _mm_cvttps_epi32(a);
}
static inline pli_vf pli_vf_div(pli_vf a, pli_vf b)
{
    return _mm_div_ps(a, b);
}

#else /* PLI_SIMD_PLAIN */

typedef int32_t pli_vn;

static inline pli_vn pli_vn_set(int32_t x)
{
    return x;
}
static inline pli_vn pli_vn_from_bytes(const uint8_t *bytes)
{
    return *bytes;
}
static inline pli_vn pli_vn_load(const void *p)
{
    pli_vn a;
    memcpy(&a, p, sizeof a);
    return a;
}
static inline pli_vn pli_vn_gather(const int32_t *table, uint32_t entries, pli_vn index)
{
    (void)entries;
    return table[index];
}
static inline pli_vf pli_vf_gather(const float *table, uint32_t entries, pli_vn index)
{
    (void)entries;
    return table[index];
}
static inline pli_vn pli_vn_add(pli_vn a, pli_vn b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}
static inline pli_vn pli_vn_sub(pli_vn a, pli_vn b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}
static inline pli_vn pli_vn_mul(pli_vn a, pli_vn b)
{
    return (int32_t)((uint32_t)a * (uint32_t)b);
}
static inline pli_vn pli_vn_min(pli_vn a, pli_vn b)
{
    return a < b ? a : b;
}
static inline pli_vn pli_vn_max(pli_vn a, pli_vn b)
{
    return a > b ? a : b;
}
static inline pli_vn pli_vn_pixel(pli_vn a)
{
    return a >> 8;
}
static inline pli_vn pli_vn_times_pixel(pli_vn a)
{
    return (int32_t)((uint32_t)a << 8);
}
static inline pli_vm pli_vn_greater(pli_vn a, pli_vn b)
{
    return a > b;
}
static inline pli_vm pli_vm_from_bits(unsigned bits)
{
    return bits;
}
static inline pli_vn pli_vn_select(pli_vm m, pli_vn a, pli_vn b)
{
    return m ? a : b;
}
static inline pli_vf pli_vf_from_vn(pli_vn a)
{
    return (float)a;
}
static inline pli_vn pli_vn_from_vf(pli_vf a)
{
    return (int32_t)a;
}
static inline pli_vf pli_vf_div(pli_vf a, pli_vf b)
{
    return a / b;
}
static inline void pli_vn_pack(uint32_t *to, pli_vm m, pli_vn a)
{
    if (m) {
        *to = (uint32_t)a;
    }
}

#endif

#ifdef PLI_VN
static inline pli_vn pli_vn_set(int32_t x)
{
    return PLI_VN_SET(x);
}
static inline pli_vn pli_vn_add(pli_vn a, pli_vn b)
{
    return PLI_VN(add)(a, b);
}
static inline pli_vn pli_vn_sub(pli_vn a, pli_vn b)
{
    return PLI_VN(sub)(a, b);
}
#if !defined(PLI_SIMD_AVX512)
static inline void pli_vn_pack(uint32_t *to, pli_vm m, pli_vn a)
{
    uint32_t lane[PLI_LANES];
    PLI_VN_STORE(lane, a);
    for (unsigned bits = pli_vm_bits(m); bits != 0; bits &= bits - 1) {
        *to++ = lane[__builtin_ctz(bits)];
    }
}
#endif
#undef PLI_VN
#undef PLI_VN_SET
#undef PLI_VN_STORE
#endif

#endif
