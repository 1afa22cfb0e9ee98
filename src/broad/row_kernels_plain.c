#define PLI_SIMD_PLAIN
#define PLI_ROW_KERNELS pli_row_kernels_plain
#define PLI_ROWS_QUICK  20
#include "row_kernels.inl"
