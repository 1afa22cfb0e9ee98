/*
 * Truth values in sign bits, for base/simd/simd.h: what a kernel concludes from the signs of
 * numbers can be put together in the registers that hold the numbers, with one instruction for
 * three signs where there is AVX-512, and becomes a mask only in the end.
 */
#ifndef PLI_BASE_SIMD_SIGN_H
#define PLI_BASE_SIMD_SIGN_H

#include "simd.h"

#include <math.h>

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

#endif
