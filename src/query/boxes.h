/* Overlap of eight boxes with eight others, or with one. */
#ifndef PLI_QUERY_BOXES_H
#define PLI_QUERY_BOXES_H

#include "bounds/record.h"

/*
 * Compares boxes a[0 ... 8) with b[0 ... 8): bit 8 i + j of the result says whether a[i] meets
 * b[j]. `a` points at the lower x of the first box; its other sides follow `stride_a` floats apart.
 * Closed boxes: touching counts. Empty boxes meet nothing.
 */
static inline uint64_t pli_boxes_meet(const float *a, size_t stride_a, const float *b,
                                      size_t stride_b)
{
    uint64_t mask = 0;
    for (int i = 0; i < PLI_WIDTH; i++) {
        unsigned row = 0;
        for (int j = 0; j < PLI_WIDTH; j++) {
            unsigned meets = 1;
            for (size_t k = 0; k < 3; k++) {
                meets &= a[k * stride_a + i] <= b[(3 + k) * stride_b + j];
                meets &= b[k * stride_b + j] <= a[(3 + k) * stride_a + i];
            }
            row |= meets << j;
        }
        mask |= (uint64_t)row << (PLI_WIDTH * i);
    }
    return mask;
}

/* Compares lane `lane` of `one` with all lanes of `boxes`: bit j for lane j. */
static inline unsigned pli_box_meets(const pli_boxes *one, uint32_t lane, const pli_boxes *boxes)
{
    unsigned mask = 0;
    for (int j = 0; j < PLI_WIDTH; j++) {
        unsigned meets = 1;
        for (int k = 0; k < 3; k++) {
            meets &= one->side[k][lane] <= boxes->side[3 + k][j];
            meets &= boxes->side[k][j] <= one->side[3 + k][lane];
        }
        mask |= meets << j;
    }
    return mask;
}

#endif
