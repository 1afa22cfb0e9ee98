#define PLI_SIMD_PLAIN
#define PLI_RASTER_KERNELS pli_raster_kernels_plain
#include "raster_kernels.inl"
