#include "base/isa.h"

#if PLI_HAVE_X86
#define PLI_SIMD_BASELINE
#define PLI_OVERLAP_KERNELS pli_overlap_kernels_baseline
#define PLI_ROWS_QUICK  64
#include "overlap_kernels.inl"
#else
typedef int pli_nothing_to_compile;
#endif
