/* Overlap of one box with eight others; for eight with eight see pair_kernels.h. */
#ifndef PLI_QUERY_BOXES_H
#define PLI_QUERY_BOXES_H

#include "bounds/record.h"

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
