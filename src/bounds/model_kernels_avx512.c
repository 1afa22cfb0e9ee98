#include "base/isa.h"

#if PLI_HAVE_X86
#define PLI_SIMD_AVX512
#define PLI_MODEL_KERNELS pli_model_kernels_avx512
#include "model_kernels.inl"
#else
typedef int pli_nothing_to_compile;
#endif
