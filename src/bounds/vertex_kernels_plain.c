#define PLI_SIMD_PLAIN
#define PLI_VERTEX_KERNELS pli_vertex_kernels_plain
#include "vertex_kernels.inl"
