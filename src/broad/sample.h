/* A few bodies that stand for all of them, for methods that choose cells by how bodies lie. */
#ifndef PLI_BROAD_SAMPLE_H
#define PLI_BROAD_SAMPLE_H

#include <stddef.h>

#include "ordered_box.h"

enum { PLI_SAMPLE = 512 };

/* Infinite bodies are left out. Each list is ascending by itself. */
typedef struct pli_sample {
    size_t count;
    uint64_t edges[PLI_SAMPLE];      /* bits of the longest edges: they order like the edges */
    uint64_t corners[3][PLI_SAMPLE]; /* lower corners, as ordered integers */
} pli_sample;

static inline double pli_ordered_side(uint32_t ordered)
{
    return (double)pli_ordered_float(ordered);
}

/* The longest edge of a box: infinite if one is. */
double pli_longest_edge(const pli_ordered_box *box);

void pli_sample_draw(const pli_ordered_box *boxes, uint32_t slot_count, pli_sample *sample);

/* The longest edge of the median body; needs at least one. */
double pli_sample_median_edge(const pli_sample *sample);

#endif
