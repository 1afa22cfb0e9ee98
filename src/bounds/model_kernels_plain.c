#define PLI_SIMD_PLAIN
#define PLI_MODEL_KERNELS pli_model_kernels_plain
#include "model_kernels.inl"
