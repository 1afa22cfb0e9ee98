/* What a warp has for itself, on the device in shared memory; and boxes. */
#ifndef PLI_CUDA_SCRATCH_H
#define PLI_CUDA_SCRATCH_H

#include "step.h"

#include <math.h>

/* The box of a triangle, rounded: along each axis its greatest and minus its least coordinate in
   half precision (kernel_boxes.h). */
typedef struct pli_cuda_outline {
    PLI_ALIGN_16 uint32_t axis[3];
    uint32_t slot; /* which triangle it is */
} pli_cuda_outline;

typedef union pli_cuda_scratch {
    struct { /* two clusters */
        union {
            float vertices[2][3 * PLI_CUDA_VERTICES];
            pli_cuda_four four_vertices[2][3 * PLI_CUDA_VERTICES / 4];
            struct { /* once boxes of triangles were made of these */
                pli_cuda_outline outline[2][PLI_CUDA_SLOTS]; /* those that meet the other's box */
                uint32_t used[2][3][PLI_CUDA_SLOTS];         /* names of their vertices */
            };
        };
        union {
            uint32_t names[2][PLI_CUDA_VERTICES];
            pli_cuda_four four_names[2][PLI_CUDA_VERTICES / 4];
        };
    } triangles;
    pli_cuda_ordered boxes[PLI_CUDA_LANES];
    struct {
        pli_cuda_ordered boxes[PLI_CUDA_LANES]; /* of `others` */
        uint32_t own[PLI_CUDA_LANES], others[PLI_CUDA_LANES], met[PLI_CUDA_LANES];
        uint64_t place[PLI_CUDA_LANES], tile[PLI_CUDA_LANES];
    } found;                             /* pairs of bodies */
    uint32_t rows[PLI_CUDA_BUCKET_ROWS]; /* where rows of buckets begin */
    struct {
        uint32_t count[PLI_CUDA_DIGITS];
        uint32_t digit[PLI_CUDA_LANES];
    } digits;
} pli_cuda_scratch;

/* Without branches, so that a warp goes through many at the same pace. */
PLI_DEVICE bool pli_ordered_meet(const pli_cuda_ordered *a, const pli_cuda_ordered *b)
{
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) &
           (a->lower[1] <= b->upper[1]) & (b->lower[1] <= a->upper[1]) &
           (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

PLI_DEVICE bool pli_boxes_meet(const pli_cuda_box *a, const pli_cuda_box *b)
{
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) &
           (a->lower[1] <= b->upper[1]) & (b->lower[1] <= a->upper[1]) &
           (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

/* A box that meets no other. */
PLI_DEVICE void pli_empty_box(pli_cuda_box *box)
{
    for (int k = 0; k < 4; k++) {
        box->lower[k] = INFINITY;
        box->upper[k] = -INFINITY;
    }
}

PLI_DEVICE void pli_empty_ordered(pli_cuda_ordered *box)
{
    for (int k = 0; k < 4; k++) {
        box->lower[k] = INT32_MAX;
        box->upper[k] = INT32_MIN;
    }
}

/* How many entries of a queue there are: those past its end were counted, not kept. */
PLI_DEVICE uint64_t pli_queued(const pli_cuda_step *s, pli_cuda_counter queue)
{
    uint64_t count = s->counters[queue], capacity = s->capacity[queue];
    return count < capacity ? count : capacity;
}

#endif
