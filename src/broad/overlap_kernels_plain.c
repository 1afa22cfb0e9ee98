#define PLI_SIMD_PLAIN
#define PLI_OVERLAP_KERNELS pli_overlap_kernels_plain
#define PLI_ROWS_QUICK  20
#include "overlap_kernels.inl"
