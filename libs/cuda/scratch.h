/* What a warp has for itself, on the device in shared memory; and boxes. */
#ifndef PLI_CUDA_SCRATCH_H
#define PLI_CUDA_SCRATCH_H

#include "step.h"

typedef union pli_cuda_scratch {
    struct {
        pli_cuda_box box[2][PLI_CUDA_SLOTS]; /* of triangles that meet the other cluster's box */
        uint8_t slot[2][PLI_CUDA_SLOTS];     /* which they are */
    } triangles;
    pli_cuda_box boxes[PLI_CUDA_LANES];
    struct {
        uint32_t count[PLI_CUDA_DIGITS];
        uint32_t digit[PLI_CUDA_LANES];
    } digits;
} pli_cuda_scratch;

PLI_DEVICE bool pli_boxes_meet(const pli_cuda_box *a, const pli_cuda_box *b)
{
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) &
           (a->lower[1] <= b->upper[1]) & (b->lower[1] <= a->upper[1]) &
           (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

/* How many entries of a queue there are: those past its end were counted, not kept. */
PLI_DEVICE uint64_t pli_queued(const pli_cuda_step *s, pli_cuda_counter queue)
{
    uint64_t count = s->counters[queue], capacity = s->capacity[queue];
    return count < capacity ? count : capacity;
}

#endif
