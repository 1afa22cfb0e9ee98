/* Overlap of one box with eight others; for eight with eight see pair_kernels.h. */
#ifndef PLI_BOUNDS_BOXES_H
#define PLI_BOUNDS_BOXES_H

#include "bounds/record.h"

#include <float.h>
#include <math.h>

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
 * The lanes of a node that have a child. No walk goes anywhere else, whatever boxes say: the root
 * stands where there is no child.
 */
static inline unsigned pli_child_lanes(const pli_node *node)
{
    return (1u << node->child_count) - 1;
}

/* Bit 8 i + j: lane i is among the first, lane j among the second. */
static inline uint64_t pli_spread_lanes(unsigned first, unsigned second)
{
    uint64_t x = first;
    x = (x | x << 28) & UINT64_C(0x0000000f0000000f);
    x = (x | x << 14) & UINT64_C(0x0003000300030003);
    x = (x | x << 7) & UINT64_C(0x0101010101010101);
    return (x * 0xff) & (UINT64_C(0x0101010101010101) * second);
}

/* A side of a box that grows by a distance. What overflows ends at the largest float: infinite
   boxes would meet empty ones. */
static inline float pli_lower(float side, float distance)
{
    float lower = side - distance;
    return lower < -FLT_MAX ? -FLT_MAX : lower;
}

static inline float pli_upper(float side, float distance)
{
    float upper = side + distance;
    return upper > FLT_MAX ? FLT_MAX : upper;
}

/* Grows `width` boxes whose sides follow each other: lower ones, then upper ones. */
static inline void pli_grow_boxes(const float *from, float *to, size_t width, float distance)
{
    for (size_t i = 0; i < 3 * width; i++) {
        to[i] = pli_lower(from[i], distance);
        to[3 * width + i] = pli_upper(from[3 * width + i], distance);
    }
}

/* A number less than x by at least `by`, or x itself if that is 0. */
static inline float pli_below(float x, float by)
{
    float y = x - by;
    return by == 0.0f ? x : y - (fabsf(y) * 0x1p-22f + FLT_MIN);
}

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
