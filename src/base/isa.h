/* Which instruction set to use. */
#ifndef PLI_BASE_ISA_H
#define PLI_BASE_ISA_H

#include "pliant/base.h"

/* Whether the library carries kernels beyond plain C. */
#if defined(__x86_64__) && defined(__GNUC__)
#define PLI_HAVE_X86 1
#else
#define PLI_HAVE_X86 0
#endif

/*
 * Defines pli_KIND_kernels_for(isa): one of the tables pli_KIND_kernels_plain, _baseline, _avx2 and
 * _avx512, of an instruction set that the running machine has.
 */
#if PLI_HAVE_X86
#define PLI_DEFINE_KERNELS_FOR(kind)                                                               \
    const pli_##kind##_kernels *pli_##kind##_kernels_for(pliant_isa isa)                           \
    {                                                                                              \
        return isa == PLIANT_ISA_AVX512     ? &pli_##kind##_kernels_avx512                         \
               : isa == PLIANT_ISA_AVX2     ? &pli_##kind##_kernels_avx2                           \
               : isa == PLIANT_ISA_BASELINE ? &pli_##kind##_kernels_baseline                       \
                                            : &pli_##kind##_kernels_plain;                         \
    }
#else
#define PLI_DEFINE_KERNELS_FOR(kind)                                                               \
    const pli_##kind##_kernels *pli_##kind##_kernels_for(pliant_isa isa)                           \
    {                                                                                              \
        (void)isa;                                                                                 \
        return &pli_##kind##_kernels_plain;                                                        \
    }
#endif

/* The best set that the running machine has and `cap` allows. */
pliant_isa pli_isa_choose(pliant_isa cap);

#endif
