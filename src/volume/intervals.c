/* From what a band's triangles touched, cell by cell, to ordered lists per pixel. */
#include "intervals.h"

#include "base/sort.h"

/* Spilled intervals by pixel: few if any, so their order costs nothing to speak of. */
static bool sort_spilled(pli_band_filler *f)
{
    pli_raster_worker *w = f->worker;
    pli_spilled *spilled = w->spilled.data;
    size_t count = w->spilled.count;
    if (count < 2) {
        return true;
    }
    /* Keys and places, then the list itself, in one scratch array. */
    const size_t words = (sizeof(pli_interval) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    if (!PLI_RESERVE(f->context, &w->scratch, (4 + words) * count)) {
        return false;
    }
    uint64_t *keys = w->scratch.data, *places = keys + 2 * count;
    pli_interval *intervals = (pli_interval *)(void *)(keys + 4 * count);
    for (size_t i = 0; i < count; i++) {
        keys[i] = spilled[i].pixel;
        places[i] = i;
        intervals[i] = spilled[i].interval;
    }
    pli_sort_keys(keys, keys + count, places, places + count, count);
    for (size_t i = 0; i < count; i++) {
        spilled[i] = (pli_spilled){(uint32_t)keys[i], intervals[places[i]]};
    }
    return true;
}

/* Sorts intervals by where they begin and joins those that meet; returns how many are left. */
static uint32_t merge_intervals(pli_interval *intervals, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        pli_interval interval = intervals[i];
        uint32_t at = i;
        for (; at > 0 && intervals[at - 1].lower > interval.lower; at--) {
            intervals[at] = intervals[at - 1];
        }
        intervals[at] = interval;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const pli_interval *next = &intervals[i];
        if (kept > 0 && !pli_interval_apart(&intervals[kept - 1], next->lower, next->upper)) {
            pli_interval_join(&intervals[kept - 1], next->lower, next->upper, &next->slopes);
        } else {
            intervals[kept++] = intervals[i];
        }
    }
    return kept;
}

/* Lists a pixel's intervals in order, `more` spilled ones among them; returns how many are left. */
static uint32_t list_intervals(const pli_raster_worker *w, size_t pixel, size_t spilled,
                               size_t more, pli_interval *to)
{
    const pli_cell *cell = &w->cells.data[pixel];
    /* Most cells have one of each facing and nothing else. */
    uint32_t nearer = cell->first[1].lower < cell->first[0].lower;
    uint32_t count = 0;
    for (uint32_t k = 0; k < 2; k++) {
        to[count] = cell->first[k ^ nearer];
        count += to[count].lower != PLI_NO_INTERVAL;
    }
    if (cell->count + more == 0) {
        return count == 2 && pli_interval_join_meeting(&to[0], &to[1]) ? 1 : count;
    }
    for (uint32_t i = 0; i < cell->count; i++) {
        to[count++] = w->more.data[pixel].interval[i];
    }
    for (size_t i = 0; i < more; i++) {
        to[count++] = w->spilled.data[spilled + i].interval;
    }
    return merge_intervals(to, count);
}

/* Puts the intervals of one row in order, behind `*total` others; `*spilled` have been used up. */
static bool order_interval_row(pli_band_filler *f, uint32_t row, size_t *spilled, size_t *total)
{
    pli_band *band = f->band;
    const pli_raster_worker *w = f->worker;
    uint32_t columns = f->image->columns;
    size_t before = *total;
    for (uint32_t column = 0; column < columns; column++) {
        size_t pixel = (size_t)row * columns + column, end = *spilled;
        while (end < w->spilled.count && w->spilled.data[end].pixel == pixel) {
            end++;
        }
        const pli_cell *cell = &w->cells.data[pixel];
        size_t more = end - *spilled;
        if (!PLI_RESERVE(f->context, &band->intervals, *total + 2 + cell->count + more)) {
            return false;
        }
        band->interval_start.data[pixel] = (uint32_t)*total;
        pli_interval *to = band->intervals.data + *total;
        uint32_t left = list_intervals(w, pixel, *spilled, more, to);
        if (left > 0) {
            pli_occupy(&band->occupied, column, f->first_row + row, to[0].lower >> 1,
                       to[left - 1].upper >> 1);
        }
        *total += left;
        *spilled = end;
    }
    return pli_band_hold(f, 0, 0, *total - before);
}

bool pli_band_order_intervals(pli_band_filler *f)
{
    pli_band *band = f->band;
    if (!PLI_RESERVE(f->context, &band->interval_start, f->pixels + 1) || !sort_spilled(f)) {
        return false;
    }
    /* Crossings before or behind the grid's depths are at its ends, and no surface is there. All
       others lie in intervals, so these say where the surface is. */
    band->occupied = pli_nowhere;
    size_t spilled = 0, total = 0;
    for (uint32_t row = 0; row < f->rows; row++) {
        if (!order_interval_row(f, row, &spilled, &total)) {
            return false;
        }
    }
    band->interval_start.data[f->pixels] = (uint32_t)total;
    return total <= UINT32_MAX;
}
