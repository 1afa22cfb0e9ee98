#define PLI_SIMD_PLAIN
#define PLI_PAIR_KERNELS pli_pair_kernels_plain
#include "pair_kernels.inl"
