/* Boxes as integers: compared exactly in any floating-point environment. */
#ifndef PLI_BROAD_ORDERED_BOX_H
#define PLI_BROAD_ORDERED_BOX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * A box whose sides are integers in the order of the floats they stand for: comparing them neither
 * knows -0 from 0 nor depends on how the caller's thread treats denormals.
 */
typedef struct pli_ordered_box {
    uint32_t lower[3], upper[3];
} pli_ordered_box;

/* No float maps to these values: a box that overlaps nothing, for slots without a body. */
#define PLI_EMPTY_BOX ((pli_ordered_box){{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {0, 0, 0}})

static inline uint32_t pli_order_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (bits == 0x80000000u) {
        bits = 0;
    }
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

static inline float pli_ordered_float(uint32_t ordered)
{
    uint32_t bits = ordered >> 31 != 0 ? ordered & 0x7fffffffu : ~ordered;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline bool pli_ordered_box_is_empty(const pli_ordered_box *box)
{
    return box->lower[0] > box->upper[0];
}

/* Without branches: in a broad phase the outcome of one axis is anybody's guess. */
static inline bool pli_ordered_boxes_overlap(const pli_ordered_box *a, const pli_ordered_box *b)
{
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) &
           (a->lower[1] <= b->upper[1]) & (b->lower[1] <= a->upper[1]) &
           (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

#endif
