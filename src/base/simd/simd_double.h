/*
 * Lanes of double, in the manner of base/simd/simd.h: half as many as of float, and one in plain C.
 * All operations round once; minimum and maximum return the second operand where the operands are
 * equal or unordered. So all sets give the same bits.
 */
#ifndef PLI_BASE_SIMD_DOUBLE_H
#define PLI_BASE_SIMD_DOUBLE_H

#include "simd.h"

#include <math.h>

/* pli_vd: lanes of double. pli_vdm: a truth value per lane. */
#if defined(PLI_SIMD_AVX512)
enum { PLI_DOUBLES = 8 };
typedef __m512d pli_vd;
typedef __mmask8 pli_vdm;
#elif defined(PLI_SIMD_AVX2)
enum { PLI_DOUBLES = 4 };
typedef __m256d pli_vd;
typedef __m256d pli_vdm;
#elif defined(PLI_SIMD_BASELINE)
enum { PLI_DOUBLES = 2 };
typedef pli_d2 pli_vd;
typedef pli_dm2 pli_vdm;
#else /* PLI_SIMD_PLAIN */
enum { PLI_DOUBLES = 1 };
typedef double pli_vd;
typedef unsigned pli_vdm;
#endif

PLI_DEFINE_LANES(pli_vd, pli_vdm, double, pd, d2, dm2)

static inline pli_vd pli_vd_of_floats(const float *p)
{
#if defined(PLI_SIMD_AVX512)
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif defined(PLI_SIMD_AVX2)
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
#elif defined(PLI_SIMD_BASELINE)
    return pli_d2_of_floats(p);
#else
    return (double)*p;
#endif
}

/* Lane by lane, exactly: the sign changed, and none. */
static inline pli_vd pli_vd_minus(pli_vd a)
{
    return pli_vd_mul(a, pli_vd_set(-1.0));
}
static inline pli_vd pli_vd_abs(pli_vd a)
{
    return pli_vd_max(a, pli_vd_minus(a));
}

/* Where nothing is so. */
static inline pli_vdm pli_vdm_none(void)
{
    return pli_vd_less(pli_vd_set(0.0), pli_vd_set(0.0));
}

#endif
