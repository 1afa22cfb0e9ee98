#include "base/isa.h"

#if PLI_HAVE_X86
#define PLI_SIMD_AVX2
#define PLI_RASTER_KERNELS pli_raster_kernels_avx2
#include "raster_kernels.inl"
#else
typedef int pli_nothing_to_compile;
#endif
