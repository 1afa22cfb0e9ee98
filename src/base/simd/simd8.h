/*
 * Eight numbers side by side on top of base/simd/simd.h: as many registers
 * as the instruction set needs for them. Half a register of 16 where there are such: on processors
 * that do sixteen in two halves, sums of eight need no moving between the halves.
 */
#ifndef PLI_BASE_SIMD8_H
#define PLI_BASE_SIMD8_H

#include "simd.h"

#if defined(PLI_SIMD_AVX512)

typedef __m256 pli_eight;
typedef __mmask8 pli_eight_truth;

PLI_DEFINE_ARITHMETIC(pli_eight, float, _mm256_, _ps)

static inline pli_eight pli_eight_abs(pli_eight a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
static inline pli_eight_truth pli_eight_less(pli_eight a, pli_eight b)
{
    return _mm256_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
static inline unsigned pli_eight_bits(pli_eight_truth a)
{
    return a;
}
static inline pli_eight pli_eight_select(pli_eight_truth m, pli_eight a, pli_eight b)
{
    return _mm256_mask_mov_ps(b, m, a);
}

#else

enum { PLI_EIGHT_PARTS = 8 / PLI_LANES };

typedef struct pli_eight {
    pli_vf part[PLI_EIGHT_PARTS];
} pli_eight;

typedef struct pli_eight_truth {
    pli_vm part[PLI_EIGHT_PARTS];
} pli_eight_truth;

/* Every operation is a loop over the parts, which compilers unroll. */
#define PLI_EIGHT_EACH(type, name, parameters, value)                                              \
    static inline type name parameters                                                             \
    {                                                                                              \
        type result;                                                                               \
        for (int i = 0; i < PLI_EIGHT_PARTS; i++) {                                                \
            result.part[i] = value;                                                                \
        }                                                                                          \
        return result;                                                                             \
    }

PLI_EIGHT_EACH(pli_eight, pli_eight_set, (float x), pli_vf_set(x))
PLI_EIGHT_EACH(pli_eight, pli_eight_load, (const float *p), pli_vf_load(p + i * PLI_LANES))
PLI_EIGHT_EACH(pli_eight, pli_eight_add, (pli_eight a, pli_eight b),
               pli_vf_add(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_sub, (pli_eight a, pli_eight b),
               pli_vf_sub(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_mul, (pli_eight a, pli_eight b),
               pli_vf_mul(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_min, (pli_eight a, pli_eight b),
               pli_vf_min(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_max, (pli_eight a, pli_eight b),
               pli_vf_max(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_abs, (pli_eight a), pli_vf_abs(a.part[i]))
PLI_EIGHT_EACH(pli_eight_truth, pli_eight_less, (pli_eight a, pli_eight b),
               pli_vf_less(a.part[i], b.part[i]))
PLI_EIGHT_EACH(pli_eight, pli_eight_select, (pli_eight_truth m, pli_eight a, pli_eight b),
               pli_vf_select(m.part[i], a.part[i], b.part[i]))

static inline void pli_eight_store(float *p, pli_eight a)
{
    for (int i = 0; i < PLI_EIGHT_PARTS; i++) {
        pli_vf_store(p + i * PLI_LANES, a.part[i]);
    }
}

static inline unsigned pli_eight_bits(pli_eight_truth a)
{
    unsigned bits = 0;
    for (int i = 0; i < PLI_EIGHT_PARTS; i++) {
        bits |= pli_vm_bits(a.part[i]) << (i * PLI_LANES);
    }
    return bits;
}

#endif

/* sum + a b, rounded twice. */
static inline pli_eight pli_eight_add_product(pli_eight sum, pli_eight a, pli_eight b)
{
    return pli_eight_add(sum, pli_eight_mul(a, b));
}

#endif
