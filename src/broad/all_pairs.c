/*
 * Every box with every other. For a few dozen bodies nothing is faster: the boxes stay in the cache
 * and the pairs come out in order (T. Larsson, T. Akenine-Moller, "Collision Detection for
 * Continuously Deforming Bodies", 2001, section 3.4).
 */
#include "method.h"

bool pli_all_pairs_find(pli_broad *broad)
{
    pli_keys *found = &broad->found;
    const pli_ordered_box *boxes = broad->boxes.data;
    uint32_t end = broad->slot_count;
    found->count = 0;
    for (uint32_t a = 0; a < end; a++) {
        if (pli_ordered_box_is_empty(&boxes[a])) {
            continue;
        }
        if (!pli_broad_allows(broad, found) || !PLI_RESERVE_MORE(broad->context, found, end - a)) {
            return false;
        }
        pli_ordered_box box = boxes[a];
        uint64_t *keys = found->data;
        size_t count = found->count;
        for (uint32_t b = a + 1; b < end; b++) {
            keys[count] = (uint64_t)a << 32 | b;
            count += pli_ordered_boxes_overlap(&box, &boxes[b]);
        }
        found->count = count;
        broad->stats.tests += end - a - 1;
    }
    broad->answer = found;
    return true;
}
