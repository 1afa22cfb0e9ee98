/*
 * Eight numbers side by side on top of base/simd.h, for comparisons of one bound with eight. The
 * AVX-512 set uses half registers here, since masks of 16 lanes were measured slower.
 */
#ifndef PLI_BASE_SIMD8_H
#define PLI_BASE_SIMD8_H

#include "base/simd.h"

#if defined(PLI_SIMD_AVX512)
typedef __m256 pli_e;

static inline pli_e pli_e_set(float x)
{
    return _mm256_set1_ps(x);
}
static inline pli_e pli_e_load(const float *p)
{
    return _mm256_loadu_ps(p);
}
static inline pli_e pli_e_add(pli_e a, pli_e b)
{
    return _mm256_add_ps(a, b);
}
static inline pli_e pli_e_sub(pli_e a, pli_e b)
{
    return _mm256_sub_ps(a, b);
}
static inline pli_e pli_e_mul(pli_e a, pli_e b)
{
    return _mm256_mul_ps(a, b);
}
/* Bit i: a[i] is less than b[i]. */
static inline unsigned pli_e_less(pli_e a, pli_e b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
#else
enum { PLI_E_PARTS = 8 / PLI_LANES };

typedef struct pli_e {
    pli_vf part[PLI_E_PARTS];
} pli_e;

/* Every operation is a loop over the parts, which compilers unroll. */
#define PLI_E_EACH(name, parameters, value)                                                        \
    static inline pli_e name parameters                                                            \
    {                                                                                              \
        pli_e result;                                                                              \
        for (int i = 0; i < PLI_E_PARTS; i++) {                                                    \
            result.part[i] = value;                                                                \
        }                                                                                          \
        return result;                                                                             \
    }

PLI_E_EACH(pli_e_set, (float x), pli_vf_set(x))
PLI_E_EACH(pli_e_load, (const float *p), pli_vf_load(p + i * PLI_LANES))
PLI_E_EACH(pli_e_add, (pli_e a, pli_e b), pli_vf_add(a.part[i], b.part[i]))
PLI_E_EACH(pli_e_sub, (pli_e a, pli_e b), pli_vf_sub(a.part[i], b.part[i]))
PLI_E_EACH(pli_e_mul, (pli_e a, pli_e b), pli_vf_mul(a.part[i], b.part[i]))

/* Bit i: a[i] is less than b[i]. */
static inline unsigned pli_e_less(pli_e a, pli_e b)
{
    unsigned bits = 0;
    for (int i = 0; i < PLI_E_PARTS; i++) {
        bits |= pli_vm_bits(pli_vf_less(a.part[i], b.part[i])) << (i * PLI_LANES);
    }
    return bits;
}
#endif

#endif
