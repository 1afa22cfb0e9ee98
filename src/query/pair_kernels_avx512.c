#include "base/isa.h"

#if PLI_HAVE_X86
#define PLI_SIMD_AVX512
#define PLI_PAIR_KERNELS pli_pair_kernels_avx512
#include "pair_kernels.inl"
#else
typedef int pli_nothing_to_compile;
#endif
