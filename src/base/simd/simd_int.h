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

#elif defined(PLI_SIMD_BASELINE)

typedef pli_n4 pli_vn;
#define PLI_VN(name)       pli_n4_##name
#define PLI_VN_SET(x)      pli_n4_set1(x)
#define PLI_VN_STORE(p, a) pli_n4_storeu(p, a)

static inline pli_vn pli_vn_from_bytes(const uint8_t *bytes)
{
    return pli_n4_setr(bytes[0], bytes[1], bytes[2], bytes[3]);
}
static inline pli_vn pli_vn_load(const void *p)
{
    return pli_n4_loadu(p);
}
static inline pli_vn pli_vn_gather(const int32_t *table, uint32_t entries, pli_vn index)
{
    (void)entries;
    return pli_n4_gather(table, index);
}
static inline pli_vf pli_vf_gather(const float *table, uint32_t entries, pli_vn index)
{
    (void)entries;
    return pli_f4_gather(table, index);
}
static inline pli_vn pli_vn_select(pli_vm m, pli_vn a, pli_vn b)
{
    return pli_n4_select(m, a, b);
}
static inline pli_vm pli_vn_greater(pli_vn a, pli_vn b)
{
    return pli_n4_greater(a, b);
}
static inline pli_vm pli_vm_from_bits(unsigned bits)
{
    return pli_m4_from_bits(bits);
}
static inline pli_vf pli_vf_from_vn(pli_vn a)
{
    return pli_f4_of_ints(a);
}
static inline pli_vn pli_vn_from_vf(pli_vf a)
{
    return pli_n4_of_floats(a);
}

#else /* PLI_SIMD_PLAIN */

typedef int32_t pli_vn;

static inline pli_vn pli_vn_set(int32_t x)
{
    return x;
}
static inline void pli_vn_store(int32_t *p, pli_vn a)
{
    *p = a;
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
PLI_DEFINE_OF_TWO(pli_vn, pli_vn_add, PLI_VN(add)(a, b))
PLI_DEFINE_OF_TWO(pli_vn, pli_vn_sub, PLI_VN(sub)(a, b))
PLI_DEFINE_OF_TWO(pli_vn, pli_vn_mul, PLI_VN(mullo)(a, b))
PLI_DEFINE_OF_TWO(pli_vn, pli_vn_min, PLI_VN(min)(a, b))
PLI_DEFINE_OF_TWO(pli_vn, pli_vn_max, PLI_VN(max)(a, b))
static inline pli_vn pli_vn_pixel(pli_vn a)
{
    return PLI_VN(srai)(a, 8);
}
static inline pli_vn pli_vn_times_pixel(pli_vn a)
{
    return PLI_VN(slli)(a, 8);
}
static inline void pli_vn_store(int32_t *p, pli_vn a)
{
    PLI_VN_STORE(p, a);
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
