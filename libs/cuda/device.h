/* What the library needs of a device. gpu.cu has CUDA's, emulator.c one that the processor plays,
   for tests and for machines without. */
#ifndef PLI_CUDA_DEVICE_H
#define PLI_CUDA_DEVICE_H

#include "kernels.h"
#include "step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pli_cuda_device pli_cuda_device;

struct pli_cuda_device {
    /* NULL where there is no memory. */
    void *(*allocate)(pli_cuda_device *device, size_t size);
    void (*release)(pli_cuda_device *device, void *memory);
    /* The same for memory that the device writes and the processor reads where it lies. */
    void *(*allocate_shared)(pli_cuda_device *device, size_t size);
    void (*release_shared)(pli_cuda_device *device, void *memory);
    /* Copies are done when they return. False: the device failed, and device->error says how. */
    bool (*upload)(pli_cuda_device *device, void *to, const void *from, size_t size);
    bool (*download)(pli_cuda_device *device, void *to, const void *from, size_t size);
    /* Begins kernels, one after the other, on one step. The same list and step as before costs
       less: it is kept as a graph. */
    bool (*run)(pli_cuda_device *device, const pli_cuda_kernel *kernels, uint32_t count,
                const pli_cuda_step *step);
    /* Returns once a kernel that was begun has set *flag, in shared memory, to 1. */
    bool (*wait)(pli_cuda_device *device, const uint64_t *flag);
    /* At the end of a question: waits for all kernels, unless the stream is the caller's, who can
       have his own work wait for them. */
    bool (*end)(pli_cuda_device *device);
    void (*destroy)(pli_cuda_device *device);
    char error[160];
    char name[128];
};

#ifdef __cplusplus
}
#endif

#endif
