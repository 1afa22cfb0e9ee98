/* A device that the processor plays, with what tests turn. */
#ifndef PLI_CUDA_EMULATOR_H
#define PLI_CUDA_EMULATOR_H

#include "device.h"

typedef struct pli_cuda_emulator {
    pli_cuda_device device;
    uint64_t seed;        /* of the order of lanes, warps and items; 0: as they are numbered */
    uint32_t warps;       /* of a launch */
    uint64_t allocations; /* so far */
    uint64_t fail_at;     /* the allocation with this number fails, and all behind it; 0: none */
    uint64_t live;        /* not yet released */
    uint64_t launches;
} pli_cuda_emulator;

/* NULL without memory. */
pli_cuda_device *pli_cuda_emulate(void);

#endif
