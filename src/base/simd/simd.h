/*
 * A thin wrapper over SIMD, so that every kernel is written once. The build compiles a file of
 * kernels once per instruction set, and defines one of
 *
 *   PLI_SIMD_PLAIN     one lane of plain C: the twin that all others are compared with
 *   PLI_SIMD_BASELINE  4 lanes: what every machine of the target has (simd4.h)
 *   PLI_SIMD_AVX2      8 lanes
 *   PLI_SIMD_AVX512    16 lanes, AVX-512 F, VL, BW, DQ, VBMI, VBMI2
 *
 * All operations round once, like their plain twins; minimum and maximum return the second operand
 * where the operands are equal or unordered, as `a < b ? a : b` does. So all sets give the same
 * bits.
 */
#ifndef PLI_BASE_SIMD_H
#define PLI_BASE_SIMD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(PLI_SIMD_AVX2) || defined(PLI_SIMD_AVX512)
#include <immintrin.h>
#elif !defined(PLI_SIMD_BASELINE) && !defined(PLI_SIMD_PLAIN)
#define PLI_SIMD_PLAIN /* unless the build says otherwise */
#endif

#include "simd4.h"
#include "simd_shape.h"

/* Inlined wherever it is called: for functions on many registers, which a call would pass through
   memory. Sanitised builds (PLI_SANITIZED) call it: the checks in copies of copies take the
   compiler minutes. */
#if defined(__GNUC__) && !defined(PLI_SANITIZED)
#define PLI_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define PLI_ALWAYS_INLINE static inline
#endif

/* What a loop loads is loaded again from here on. Tables that no set of registers holds are better
   read where they are: a compiler that loads them ahead of the loop copies them to the stack. */
#if defined(__GNUC__)
#define PLI_LOAD_AGAIN() __asm__ volatile("" : : : "memory")
#else
#define PLI_LOAD_AGAIN() ((void)0)
#endif

/* pli_vf: lanes of float. pli_vm: a truth value per lane. */
#if defined(PLI_SIMD_AVX512)
enum { PLI_LANES = 16 };
typedef __m512 pli_vf;
typedef __mmask16 pli_vm;
#elif defined(PLI_SIMD_AVX2)
enum { PLI_LANES = 8 };
typedef __m256 pli_vf;
typedef __m256 pli_vm;
#elif defined(PLI_SIMD_BASELINE)
enum { PLI_LANES = 4 };
typedef pli_f4 pli_vf;
typedef pli_m4 pli_vm;
#else /* PLI_SIMD_PLAIN */
enum { PLI_LANES = 1 };
typedef float pli_vf;
typedef unsigned pli_vm;
#endif

PLI_DEFINE_LANES(pli_vf, pli_vm, float, ps, f4, m4)

static inline pli_vf pli_vf_abs(pli_vf a)
{
#if defined(PLI_SIMD_AVX512)
    return _mm512_abs_ps(a);
#elif defined(PLI_SIMD_AVX2)
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
#elif defined(PLI_SIMD_BASELINE)
    return pli_f4_abs(a);
#else
    return a < 0.0f ? -a : a;
#endif
}

#if !defined(PLI_SIMD_PLAIN)
static inline float pli_greatest_of_four(pli_f4 a)
{
    pli_f4 two = pli_f4_max(a, pli_f4_high_halves(a, a));
    return pli_f4_first(pli_f4_max(two, pli_f4_swap_pairs(two)));
}
#endif

/* The greatest of all lanes, none of which may be NaN: halves against each other. */
static inline float pli_vf_greatest(pli_vf a)
{
#if defined(PLI_SIMD_AVX512)
    __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    pli_f4 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
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
 * Truth values in sign bits. The signs of numbers can be combined in the registers that hold the
 * numbers, with one instruction for three signs where there is AVX-512. They become a mask only in
 * the end.
 */

/* pli_vs: a truth value in the sign bit of every lane; what is in the other bits means nothing. */

#if defined(PLI_SIMD_AVX512)

typedef __m512i pli_vs;

/* Where a number is less than zero; of the two zeros, -0 is too. */
static inline pli_vs pli_vs_negative(pli_vf a)
{
    return _mm512_castps_si512(a);
}
static inline pli_vm pli_vs_mask(pli_vs a)
{
    return _mm512_movepi32_mask(a);
}
static inline pli_vs pli_vs_and(pli_vs a, pli_vs b)
{
    return _mm512_and_si512(a, b);
}
static inline pli_vs pli_vs_or(pli_vs a, pli_vs b)
{
    return _mm512_or_si512(a, b);
}
/* a and not b. */
static inline pli_vs pli_vs_and_not(pli_vs a, pli_vs b)
{
    return _mm512_andnot_si512(b, a);
}
static inline pli_vs pli_vs_and_3(pli_vs a, pli_vs b, pli_vs c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x80);
}
/* Where they are not all the same. */
static inline pli_vs pli_vs_unlike(pli_vs a, pli_vs b, pli_vs c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x7e);
}
/* Where a is unlike both others. */
static inline pli_vs pli_vs_lone(pli_vs a, pli_vs b, pli_vs c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x18);
}
/* What at least two of the three are. */
static inline pli_vs pli_vs_most(pli_vs a, pli_vs b, pli_vs c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0xe8);
}

#else

typedef pli_vm pli_vs;

static inline pli_vs pli_vs_negative(pli_vf a)
{
#if defined(PLI_SIMD_PLAIN)
    return signbit(a) != 0;
#elif defined(PLI_SIMD_BASELINE)
    return pli_m4_cast(a);
#else
    return a;
#endif
}
static inline pli_vm pli_vs_mask(pli_vs a)
{
#if defined(PLI_SIMD_BASELINE)
    return pli_m4_from_signs(a);
#else
    return a; /* in AVX2 too, where whoever uses a mask looks at its signs only */
#endif
}
static inline pli_vs pli_vs_and(pli_vs a, pli_vs b)
{
    return pli_vm_and(a, b);
}
static inline pli_vs pli_vs_or(pli_vs a, pli_vs b)
{
    return pli_vm_or(a, b);
}
static inline pli_vs pli_vs_and_not(pli_vs a, pli_vs b)
{
    return pli_vm_and_not(a, b);
}
static inline pli_vs pli_vs_and_3(pli_vs a, pli_vs b, pli_vs c)
{
    return pli_vm_and(a, pli_vm_and(b, c));
}
static inline pli_vs pli_vs_unlike(pli_vs a, pli_vs b, pli_vs c)
{
    return pli_vm_or(pli_vm_xor(a, b), pli_vm_xor(a, c));
}
static inline pli_vs pli_vs_lone(pli_vs a, pli_vs b, pli_vs c)
{
    return pli_vm_and(pli_vm_xor(a, b), pli_vm_xor(a, c));
}
static inline pli_vs pli_vs_most(pli_vs a, pli_vs b, pli_vs c)
{
    return pli_vm_or(pli_vm_and(a, b), pli_vm_and(c, pli_vm_or(a, b)));
}

#endif

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
 * each with a base added, and returns how many there are. Up to 64 bytes are written at each place,
 * but seldom: stores of 64 bytes that are not aligned cost more than all the rest.
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
    row = _mm512_maskz_compress_epi8(mask, row);
    eight = _mm512_maskz_compress_epi8(mask, eight);
    unsigned count = (unsigned)__builtin_popcountll(mask);
    _mm_storeu_si128((__m128i *)rows, _mm512_castsi512_si128(row));
    _mm_storeu_si128((__m128i *)columns, _mm512_castsi512_si128(eight));
    if (count > 16) {
        _mm512_storeu_si512(rows, row);
        _mm512_storeu_si512(columns, eight);
    }
    return count;
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

#endif
