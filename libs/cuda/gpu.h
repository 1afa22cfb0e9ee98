/* A GPU by CUDA (gpu.cu). */
#ifndef PLI_CUDA_GPU_H
#define PLI_CUDA_GPU_H

#include "pliant/base.h"

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a GPU; `stream` is a cudaStream_t, or NULL for one of its own. */
pliant_result pli_cuda_open_gpu(int32_t number, void *stream, pli_cuda_device **device);

#ifdef __cplusplus
}
#endif

#endif
