/* Overlap of one box with eight others; for eight with eight see pair_kernels.h. */
#ifndef PLI_QUERY_BOXES_H
#define PLI_QUERY_BOXES_H

#include "pliant/body.h"

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

/*
 * overlap_box.c: checks a box that a caller gave under a name. Sides may be infinite: such a box
 * goes on without end. NaN, a lower side above the upper one, and a box beyond all numbers are
 * refused.
 */
pliant_result pli_box_check(const pliant_box *box, const char *name);

/* The sum of the sides of a lane's box. */
static inline float pli_box_size(const pli_boxes *boxes, uint32_t lane)
{
    return (boxes->side[3][lane] - boxes->side[0][lane]) +
           (boxes->side[4][lane] - boxes->side[1][lane]) +
           (boxes->side[5][lane] - boxes->side[2][lane]);
}

/* A node so much larger than the other opens alone: the other's children would be compared with
   each of its eight for nothing. */
#define PLI_MUCH_LARGER 2.5f

#endif
