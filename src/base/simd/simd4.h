/* clang-format off */
/*
 * Registers of 128 bits: the table of operations that a part per machine (simd4_sse2.inl,
 * simd4_neon.inl, simd4_wasm.inl) fills, and that all kernels of the `baseline` set are written on.
 *
 *   pli_f4   four floats           pli_m4   a truth value for each: all bits of a lane or none
 *   pli_n4   four int32
 *   pli_d2   two doubles           pli_dm2  a truth value for each
 *
 * Names follow SSE2's, whose operations they are. What machines disagree about is settled so:
 *
 *   load         from a multiple of 16 bytes; loadu from anywhere
 *   min, max     a < b ? a : b and a > b ? a : b: the second operand where the operands are equal,
 *                as 0 and -0 are, or one of them is NaN
 *   less, ...    false where an operand is NaN
 *   movemask     bit i is lane i; of truth values, not of the signs of numbers
 *   of_floats    (int32) towards zero; of what no int32 is near, and of NaN, it may be anything
 *   arithmetic   rounds once, to nearest even, with denormals (base/float_env.h); the sign of a NaN
 *                that arises may be either
 *   unpacklo     a0 b0 a1 b1         unpackhi     a2 b2 a3 b3
 *   low_halves   a0 a1 b0 b1         high_halves  a2 a3 b2 b3
 *   swap_halves  a2 a3 a0 a1         swap_pairs   a1 a0 a3 a2
 *
 * tests/base/test_simd4.c compares all of it with plain C on special values.
 */
/* clang-format on */
#ifndef PLI_BASE_SIMD4_H
#define PLI_BASE_SIMD4_H

#include <stddef.h>
#include <stdint.h>

/* A row of the table: pli_f4_add(a, b) is a value; a store has none. */
#define PLI_SIMD4(type, name, parameters, value)                                                   \
    static inline type name parameters                                                             \
    {                                                                                              \
        return value;                                                                              \
    }
#define PLI_SIMD4_DO(name, parameters, statement)                                                  \
    static inline void name parameters                                                             \
    {                                                                                              \
        statement;                                                                                 \
    }

/* The name of the machine's registers, where there are any. (32-bit ARM has such, but they flush
   denormals; of big-endian ARM the order of lanes was never tried.) */
#if defined(__GNUC__) && defined(__SSE2__)
#define PLI_SIMD4_NAME "sse2"
#include "simd4_sse2.inl"
#elif defined(__GNUC__) && defined(__AARCH64EL__) && defined(__ARM_NEON)
#define PLI_SIMD4_NAME "neon"
#include "simd4_neon.inl"
#elif defined(__GNUC__) && defined(__wasm_simd128__)
#define PLI_SIMD4_NAME "simd128"
#include "simd4_wasm.inl"
#endif

#if defined(PLI_SIMD4_NAME)

static inline pli_n4 pli_n4_gather(const int32_t *table, pli_n4 index)
{
    int32_t at[4];
    pli_n4_storeu(at, index);
    return pli_n4_setr(table[at[0]], table[at[1]], table[at[2]], table[at[3]]);
}
static inline pli_f4 pli_f4_gather(const float *table, pli_n4 index)
{
    int32_t at[4];
    pli_n4_storeu(at, index);
    return pli_f4_setr(table[at[0]], table[at[1]], table[at[2]], table[at[3]]);
}

#endif

/* For code that is compiled once for all instruction sets, on memory. */

/* to[k] = more[k] where that is less. */
static inline void pli_four_min(float to[4], const float more[4])
{
#if defined(PLI_SIMD4_NAME)
    pli_f4_storeu(to, pli_f4_min(pli_f4_loadu(more), pli_f4_loadu(to)));
#else
    for (int k = 0; k < 4; k++) {
        to[k] = more[k] < to[k] ? more[k] : to[k];
    }
#endif
}

/* to[k] = more[k] where that is greater. */
static inline void pli_four_max(float to[4], const float more[4])
{
#if defined(PLI_SIMD4_NAME)
    pli_f4_storeu(to, pli_f4_max(pli_f4_loadu(more), pli_f4_loadu(to)));
#else
    for (int k = 0; k < 4; k++) {
        to[k] = more[k] > to[k] ? more[k] : to[k];
    }
#endif
}

/* Four rows of four become columns: to[4 * i + k] = row k's i-th. */
static inline void pli_four_transpose(const float *row, size_t step, float *to)
{
#if defined(PLI_SIMD4_NAME)
    pli_f4 a = pli_f4_loadu(row), b = pli_f4_loadu(row + step);
    pli_f4 c = pli_f4_loadu(row + 2 * step), d = pli_f4_loadu(row + 3 * step);
    pli_f4 ab_low = pli_f4_unpacklo(a, b), cd_low = pli_f4_unpacklo(c, d);
    pli_f4 ab_high = pli_f4_unpackhi(a, b), cd_high = pli_f4_unpackhi(c, d);
    pli_f4_storeu(to, pli_f4_low_halves(ab_low, cd_low));
    pli_f4_storeu(to + 4, pli_f4_high_halves(ab_low, cd_low));
    pli_f4_storeu(to + 8, pli_f4_low_halves(ab_high, cd_high));
    pli_f4_storeu(to + 12, pli_f4_high_halves(ab_high, cd_high));
#else
    for (size_t i = 0; i < 16; i++) {
        to[i] = row[i % 4 * step + i / 4];
    }
#endif
}

#endif
