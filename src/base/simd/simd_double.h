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

#define PLI_VD_OPERATION(name) _mm512_##name##_pd
enum { PLI_DOUBLES = 8 };
typedef __m512d pli_vd;
typedef __mmask8 pli_vdm;

static inline pli_vd pli_vd_of_floats(const float *p)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}
static inline pli_vdm pli_vd_less(pli_vd a, pli_vd b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
static inline pli_vdm pli_vd_less_equal(pli_vd a, pli_vd b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
static inline pli_vdm pli_vdm_and(pli_vdm a, pli_vdm b)
{
    return (pli_vdm)(a & b);
}
static inline pli_vdm pli_vdm_or(pli_vdm a, pli_vdm b)
{
    return (pli_vdm)(a | b);
}
static inline pli_vdm pli_vdm_and_not(pli_vdm a, pli_vdm b)
{
    return (pli_vdm)(a & ~b);
}
static inline unsigned pli_vdm_bits(pli_vdm a)
{
    return a;
}
/* Lane by lane: m ? a : b. */
static inline pli_vd pli_vd_select(pli_vdm m, pli_vd a, pli_vd b)
{
    return _mm512_mask_mov_pd(b, m, a);
}

#elif defined(PLI_SIMD_AVX2)

#define PLI_VD_OPERATION(name) _mm256_##name##_pd
enum { PLI_DOUBLES = 4 };
typedef __m256d pli_vd;
typedef __m256d pli_vdm;

static inline pli_vd pli_vd_of_floats(const float *p)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
}
static inline pli_vdm pli_vd_less(pli_vd a, pli_vd b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
static inline pli_vdm pli_vd_less_equal(pli_vd a, pli_vd b)
{
    return _mm256_cmp_pd(a, b, _CMP_LE_OQ);
}
static inline pli_vdm pli_vdm_and(pli_vdm a, pli_vdm b)
{
    return _mm256_and_pd(a, b);
}
static inline pli_vdm pli_vdm_or(pli_vdm a, pli_vdm b)
{
    return _mm256_or_pd(a, b);
}
static inline pli_vdm pli_vdm_and_not(pli_vdm a, pli_vdm b)
{
    return _mm256_andnot_pd(b, a);
}
static inline unsigned pli_vdm_bits(pli_vdm a)
{
    return (unsigned)_mm256_movemask_pd(a);
}
static inline pli_vd pli_vd_select(pli_vdm m, pli_vd a, pli_vd b)
{
    return _mm256_blendv_pd(b, a, m);
}

#elif defined(PLI_SIMD_BASELINE)

#define PLI_VD_OPERATION(name) _mm_##name##_pd
enum { PLI_DOUBLES = 2 };
typedef __m128d pli_vd;
typedef __m128d pli_vdm;

static inline pli_vd pli_vd_of_floats(const float *p)
{
    return _mm_setr_pd((double)p[0], (double)p[1]);
}
static inline pli_vdm pli_vd_less(pli_vd a, pli_vd b)
{
    return _mm_cmplt_pd(a, b);
}
static inline pli_vdm pli_vd_less_equal(pli_vd a, pli_vd b)
{
    return _mm_cmple_pd(a, b);
}
static inline pli_vdm pli_vdm_and(pli_vdm a, pli_vdm b)
{
    return _mm_and_pd(a, b);
}
static inline pli_vdm pli_vdm_or(pli_vdm a, pli_vdm b)
{
    return _mm_or_pd(a, b);
}
static inline pli_vdm pli_vdm_and_not(pli_vdm a, pli_vdm b)
{
    return _mm_andnot_pd(b, a);
}
static inline unsigned pli_vdm_bits(pli_vdm a)
{
    return (unsigned)_mm_movemask_pd(a);
}
static inline pli_vd pli_vd_select(pli_vdm m, pli_vd a, pli_vd b)
{
    return _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b));
}

#else /* PLI_SIMD_PLAIN */

enum { PLI_DOUBLES = 1 };
typedef double pli_vd;
typedef unsigned pli_vdm;

static inline pli_vd pli_vd_set(double x)
{
    return x;
}
static inline pli_vd pli_vd_of_floats(const float *p)
{
    return (double)*p;
}
static inline void pli_vd_store(double *p, pli_vd a)
{
    *p = a;
}
static inline pli_vd pli_vd_add(pli_vd a, pli_vd b)
{
    return a + b;
}
static inline pli_vd pli_vd_sub(pli_vd a, pli_vd b)
{
    return a - b;
}
static inline pli_vd pli_vd_mul(pli_vd a, pli_vd b)
{
    return a * b;
}
static inline pli_vd pli_vd_div(pli_vd a, pli_vd b)
{
    return a / b;
}
static inline pli_vd pli_vd_sqrt(pli_vd a)
{
    return sqrt(a);
}
static inline pli_vd pli_vd_min(pli_vd a, pli_vd b)
{
    return a < b ? a : b;
}
static inline pli_vd pli_vd_max(pli_vd a, pli_vd b)
{
    return a > b ? a : b;
}
static inline pli_vdm pli_vd_less(pli_vd a, pli_vd b)
{
    return a < b;
}
static inline pli_vdm pli_vd_less_equal(pli_vd a, pli_vd b)
{
    return a <= b;
}
static inline pli_vdm pli_vdm_and(pli_vdm a, pli_vdm b)
{
    return a & b;
}
static inline pli_vdm pli_vdm_or(pli_vdm a, pli_vdm b)
{
    return a | b;
}
static inline pli_vdm pli_vdm_and_not(pli_vdm a, pli_vdm b)
{
    return a & ~b;
}
static inline unsigned pli_vdm_bits(pli_vdm a)
{
    return a;
}
static inline pli_vd pli_vd_select(pli_vdm m, pli_vd a, pli_vd b)
{
    return m ? a : b;
}

#endif

#ifdef PLI_VD_OPERATION
static inline pli_vd pli_vd_set(double x)
{
    return PLI_VD_OPERATION(set1)(x);
}
static inline void pli_vd_store(double *p, pli_vd a)
{
    PLI_VD_OPERATION(storeu)(p, a);
}
static inline pli_vd pli_vd_add(pli_vd a, pli_vd b)
{
    return PLI_VD_OPERATION(add)(a, b);
}
static inline pli_vd pli_vd_sub(pli_vd a, pli_vd b)
{
    return PLI_VD_OPERATION(sub)(a, b);
}
static inline pli_vd pli_vd_mul(pli_vd a, pli_vd b)
{
    return PLI_VD_OPERATION(mul)(a, b);
}
static inline pli_vd pli_vd_div(pli_vd a, pli_vd b)
{
    return PLI_VD_OPERATION(div)(a, b);
}
static inline pli_vd pli_vd_sqrt(pli_vd a)
{
    return PLI_VD_OPERATION(sqrt)(a);
}
static inline pli_vd pli_vd_min(pli_vd a, pli_vd b)
{
    return PLI_VD_OPERATION(min)(a, b);
}
static inline pli_vd pli_vd_max(pli_vd a, pli_vd b)
{
    return PLI_VD_OPERATION(max)(a, b);
}
#undef PLI_VD_OPERATION
#endif

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
