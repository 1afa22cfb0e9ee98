#include "sample.h"

#include <math.h>

#include "base/sort.h"

double pli_longest_edge(const pli_ordered_box *box)
{
    double longest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        longest =
            fmax(longest, pli_ordered_side(box->upper[axis]) - pli_ordered_side(box->lower[axis]));
    }
    return longest;
}

void pli_sample_draw(const pli_ordered_box *boxes, uint32_t slot_count, pli_sample *sample)
{
    uint64_t scratch[PLI_SAMPLE];
    uint32_t stride = slot_count / PLI_SAMPLE + 1;
    sample->count = 0;
    for (uint32_t slot = 0; slot < slot_count; slot += stride) {
        const pli_ordered_box *box = &boxes[slot];
        double edge = pli_ordered_box_is_empty(box) ? INFINITY : pli_longest_edge(box);
        if (!isfinite(edge)) {
            continue;
        }
        memcpy(&sample->edges[sample->count], &edge, sizeof edge);
        for (int axis = 0; axis < 3; axis++) {
            sample->corners[axis][sample->count] = box->lower[axis];
        }
        sample->count++;
    }
    pli_sort_keys(sample->edges, scratch, NULL, NULL, sample->count);
    for (int axis = 0; axis < 3; axis++) {
        pli_sort_keys(sample->corners[axis], scratch, NULL, NULL, sample->count);
    }
}

double pli_sample_median_edge(const pli_sample *sample)
{
    double edge;
    memcpy(&edge, &sample->edges[sample->count / 2], sizeof edge);
    return edge;
}
