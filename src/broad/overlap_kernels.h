/*
 * The kernel that compares one box with many that lie side by side, one table per instruction set.
 * Sides are integers: all sets find the same boxes, in the same order.
 */
#ifndef PLI_BROAD_OVERLAP_KERNELS_H
#define PLI_BROAD_OVERLAP_KERNELS_H

#include "base/kernels.h"

enum { PLI_OVERLAP_PADDING = 16 }; /* empty boxes behind the last one: the widest kernel's lanes */

/* Boxes by place, side by side. Their sides are in the order of the floats that they stand for. */
typedef struct pli_box_rows {
    int32_t *lower[3], *upper[3];
    uint32_t *slots; /* whose box it is */
} pli_box_rows;

typedef struct pli_overlap_kernels {
    uint32_t quick; /* comparisons in about 32 ns */
    /*
     * Writes the slots of those boxes that overlap the one at `place`, of those behind it and
     * before `end`, and returns how many there are. Boxes from `end` on may be compared as well, so
     * they must not overlap it. `found` has room for all candidates and PLI_OVERLAP_PADDING more.
     */
    uint32_t (*meet)(const pli_box_rows *rows, uint32_t place, uint32_t end, uint32_t *found);
} pli_overlap_kernels;

#endif
