#include "base/isa.h"

#if PLI_HAVE_X86
#define PLI_SIMD_AVX2
#define PLI_PAIR_KERNELS pli_pair_kernels_avx2
#include "pair_kernels.inl"
#else
typedef int pli_nothing_to_compile;
#endif
