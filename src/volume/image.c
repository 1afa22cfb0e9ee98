/*
 * Filling the rows of a layered depth image on the processor.
 * Based on: Heidelberger, Teschner & Gross, Volumetric Collision Detection for Deformable Objects,
 * 2003, section 2.2. Instead of one rendering pass per layer, every triangle is met once and all
 * crossings are listed; they are then grouped by pixel and put in order of depth.
 */
#include "image.h"

#include "base/sort.h"
#include "volume/large_triangle.h"

#include <string.h>

enum { CELL_TOUCHES = sizeof((pli_cell *)0)->interval / sizeof(pli_interval) };

bool pli_raster_reserve(pliant_context *context, pli_raster_worker *w, size_t count)
{
    bool done = PLI_RESERVE(context, &w->pixel, count) && PLI_RESERVE(context, &w->word, count) &&
                PLI_RESERVE(context, &w->triangle, count);
    w->target.pixel = w->pixel.data;
    w->target.word = w->word.data;
    w->target.triangle = w->triangle.data;
    return done;
}

static bool reserve_crossings(pli_band_filler *f, size_t more)
{
    return pli_raster_reserve(f->context, f->worker, f->worker->target.count + more);
}

/* ------------------------------------------------------------- intervals */

static inline pli_interval joined(pli_interval a, pli_interval b)
{
    uint32_t lower = a.lower < b.lower ? a.lower : b.lower;
    uint32_t upper = a.upper > b.upper ? a.upper : b.upper;
    return (pli_interval){lower | ((a.lower | b.lower) & 1), upper | ((a.upper | b.upper) & 1)};
}

static bool apart(pli_interval a, pli_interval b)
{
    return a.upper >> 1 < b.lower >> 1 || b.upper >> 1 < a.lower >> 1;
}

/* Adds an interval to a pixel where it meets no other. */
static bool put_interval(pli_band_filler *f, uint32_t pixel, pli_interval interval)
{
    pli_cell *cell = &f->worker->cells.data[pixel];
    if (cell->count < CELL_TOUCHES) {
        cell->interval[cell->count++] = interval;
        return true;
    }
    return PLI_PUSH(f->context, &f->worker->spilled, (pli_spilled){pixel, interval});
}

/*
 * Adds an interval to its cell. What it meets is joined with it; the intervals it does not meet are
 * apart from those it does, so they stay apart from what results.
 */
static inline bool add_interval(pli_band_filler *f, uint32_t pixel, pli_interval interval)
{
    pli_cell *cell = &f->worker->cells.data[pixel];
    uint32_t i = 0;
    while (i < cell->count && apart(cell->interval[i], interval)) {
        i++;
    }
    if (i == cell->count) {
        return put_interval(f, pixel, interval);
    }
    interval = joined(interval, cell->interval[i]);
    for (uint32_t k = i + 1; k < cell->count;) {
        if (apart(cell->interval[k], interval)) {
            k++;
        } else {
            interval = joined(interval, cell->interval[k]);
            cell->interval[k] = cell->interval[--cell->count];
        }
    }
    cell->interval[i] = interval;
    return true;
}

/* ----------------------------------------------------------- triangles */

static bool fill_large_row(pli_band_filler *f, const pli_large_triangle *t, pli_columns columns,
                           int64_t row, uint32_t triangle)
{
    pli_raster_target *target = &f->worker->target;
    uint32_t before =
        (uint32_t)(row - target->first[1]) * target->columns - (uint32_t)target->first[0];
    pli_columns crossed = pli_large_triangle_crossed(t, columns, row);
    if (crossed.first <= crossed.last &&
        !reserve_crossings(f, (size_t)(crossed.last - crossed.first + 1))) {
        return false;
    }
    for (int64_t column = crossed.first; column <= crossed.last; column++) {
        target->pixel[target->count] = before + (uint32_t)column;
        target->word[target->count] = pli_large_triangle_word(t, column, row);
        target->triangle[target->count++] = triangle;
    }
    if (!target->intervals) {
        return true;
    }
    pli_columns touched = pli_large_triangle_touched(t, columns, row);
    for (int64_t column = touched.first; column <= touched.last; column++) {
        pli_interval interval;
        if (pli_large_triangle_interval(t, column, row, &interval) &&
            !add_interval(f, before + (uint32_t)column, interval)) {
            return false;
        }
    }
    return true;
}

static bool fill_large(pli_band_filler *f, const pli_cluster *cluster, uint32_t slot)
{
    pli_large_triangle t;
    const uint8_t *corners = f->shape->slot_corners + 3 * (size_t)cluster->first_slot + slot;
    const uint8_t corner[3] = {corners[0], corners[cluster->slot_count],
                               corners[2 * cluster->slot_count]};
    pli_large_triangle_set(&t, &f->worker->snapped, corner);
    pli_columns columns, rows;
    pli_large_triangle_rows(&t, &f->worker->target, &columns, &rows);
    uint32_t triangle = f->shape->slot_triangles[cluster->first_slot + slot];
    for (int64_t row = rows.first; row <= rows.last && columns.first <= columns.last; row++) {
        if (!fill_large_row(f, &t, columns, row, triangle)) {
            return false;
        }
    }
    return true;
}

static bool add_intervals(pli_band_filler *f)
{
    const pli_raster_target *target = &f->worker->target;
    bool done = true;
    for (uint32_t i = 0; i < target->interval_count && done; i++) {
        done = add_interval(f, target->interval_pixel[i],
                            (pli_interval){target->interval_lower[i], target->interval_upper[i]});
    }
    return done;
}

bool pli_band_add(pli_band_filler *f, const pli_image_part *part)
{
    pli_raster_worker *w = f->worker;
    if (part->first_row > w->target.last[1] || part->last_row < w->target.first[1]) {
        return true;
    }
    const pli_cluster *cluster = &f->shape->clusters[part->cluster];
    if (!reserve_crossings(f, PLI_RASTER_CAPACITY)) {
        return false;
    }
    f->kernels->snap(&f->image->grid, part->record, cluster->vertex_count, &w->snapped);
    w->target.interval_count = 0;
    uint64_t large =
        f->kernels->fill(cluster, f->shape->slot_corners + 3 * (size_t)cluster->first_slot,
                         f->shape->slot_triangles + cluster->first_slot, &w->snapped, &w->target);
    bool done = add_intervals(f);
    for (; large != 0 && done; large &= large - 1) {
        done = fill_large(f, cluster, (uint32_t)__builtin_ctzll(large));
    }
    return done;
}

/* ---------------------------------------------------------- in order */

static const pli_occupied nowhere = {
    .first = {UINT32_MAX, UINT32_MAX}, .last = {0, 0}, .depth = {UINT32_MAX, 0}};

static inline uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* There is something in a pixel. */
static inline void occupy(pli_occupied *o, uint32_t column, uint32_t row, uint32_t lower,
                          uint32_t upper)
{
    o->first[0] = lesser(o->first[0], column);
    o->last[0] = greater(o->last[0], column);
    o->first[1] = lesser(o->first[1], row);
    o->last[1] = greater(o->last[1], row);
    o->depth[0] = lesser(o->depth[0], lower);
    o->depth[1] = greater(o->depth[1], upper);
}

/* Sorts the crossings of one pixel. */
static bool sort_crossings(pli_band_filler *f, pli_crossing *crossings, uint32_t count)
{
    if (count > 24) {
        pli_raster_worker *w = f->worker;
        if (!PLI_RESERVE(f->context, &w->scratch, count)) {
            return false;
        }
        pli_sort_keys(crossings, w->scratch.data, NULL, NULL, count);
        return true;
    }
    for (uint32_t i = 1; i < count; i++) {
        pli_crossing crossing = crossings[i];
        uint32_t at = i;
        for (; at > 0 && crossings[at - 1] > crossing; at--) {
            crossings[at] = crossings[at - 1];
        }
        crossings[at] = crossing;
    }
    return true;
}

/* Puts the crossings of one row in order, pixel by pixel. */
static bool order_row(pli_band_filler *f, uint32_t row, pli_occupied *occupied)
{
    pli_band *band = f->band;
    const uint32_t *start = band->crossing_start.data + (size_t)row * f->image->columns;
    uint32_t complexity = band->depth_complexity, columns = f->image->columns;
    uint64_t open_rays = 0;
    for (uint32_t column = 0; column < columns; column++) {
        uint32_t count = start[column + 1] - start[column];
        if (count == 0) {
            continue;
        }
        pli_crossing *crossings = band->crossings.data + start[column];
        if (count > 1 && !sort_crossings(f, crossings, count)) {
            return false;
        }
        uint32_t along = 0;
        for (uint32_t i = 0; i < count; i++) {
            along += crossings[i] >> 32 & 1;
        }
        open_rays += 2 * along != count; /* as many lead out as in */
        complexity = greater(complexity, count);
        occupy(occupied, column, f->first_row + row, pli_crossing_depth(crossings[0]),
               pli_crossing_depth(crossings[count - 1]));
    }
    band->depth_complexity = complexity;
    band->open_rays += open_rays;
    return true;
}

/* Groups the crossings by pixel and sorts them. */
static bool order_crossings(pli_band_filler *f)
{
    pli_band *band = f->band;
    const pli_raster_target *target = &f->worker->target;
    if (target->count > UINT32_MAX ||
        !PLI_RESERVE(f->context, &band->crossing_start, f->pixels + 2) ||
        !PLI_RESERVE(f->context, &band->crossings, target->count + PLI_CROSSING_SLACK)) {
        return false;
    }
    /* One place on, so that filling a pixel moves its start to where it belongs. */
    uint32_t *start = band->crossing_start.data + 1;
    memset(band->crossing_start.data, 0, (f->pixels + 2) * sizeof *start);
    const uint32_t *pixel = target->pixel, *word = target->word, *triangle = target->triangle;
    pli_crossing *crossings = band->crossings.data;
    for (size_t i = 0, count = target->count; i < count; i++) {
        start[pixel[i] + 1]++;
    }
    uint32_t before = 0;
    for (size_t p = 0; p < f->pixels; p++) {
        before = start[p + 1] += before;
    }
    for (size_t i = 0, count = target->count; i < count; i++) {
        crossings[start[pixel[i]]++] = (uint64_t)word[i] << 32 | triangle[i];
    }
    memset(crossings + target->count, 0xff, PLI_CROSSING_SLACK * sizeof *crossings);
    pli_occupied occupied = nowhere;
    bool done = true;
    for (uint32_t row = 0; row < f->rows && done; row++) {
        done = order_row(f, row, &occupied);
    }
    band->occupied = occupied;
    return done;
}

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
    if (!PLI_RESERVE(f->context, &w->scratch, 6 * count)) {
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
        if (kept > 0 && !apart(intervals[kept - 1], intervals[i])) {
            intervals[kept - 1] = joined(intervals[kept - 1], intervals[i]);
        } else {
            intervals[kept++] = intervals[i];
        }
    }
    return kept;
}

static bool order_intervals(pli_band_filler *f)
{
    pli_band *band = f->band;
    pli_raster_worker *w = f->worker;
    if (!PLI_RESERVE(f->context, &band->interval_start, f->pixels + 1) || !sort_spilled(f)) {
        return false;
    }
    size_t spilled = 0, total = 0;
    for (size_t p = 0; p < f->pixels; p++) {
        size_t end = spilled;
        while (end < w->spilled.count && w->spilled.data[end].pixel == p) {
            end++;
        }
        const pli_cell *cell = &w->cells.data[p];
        size_t count = cell->count + (end - spilled);
        if (!PLI_RESERVE(f->context, &band->intervals, total + count + 1)) {
            return false;
        }
        band->interval_start.data[p] = (uint32_t)total;
        pli_interval *to = band->intervals.data + total;
        memcpy(to, cell->interval, cell->count * sizeof *to);
        for (size_t i = spilled; i < end; i++) {
            to[cell->count + (i - spilled)] = w->spilled.data[i].interval;
        }
        uint32_t left = merge_intervals(to, (uint32_t)count);
        if (left > 0) {
            occupy(&band->occupied, (uint32_t)(p % f->image->columns),
                   f->first_row + (uint32_t)(p / f->image->columns), to[0].lower >> 1,
                   to[left - 1].upper >> 1);
        }
        total += left;
        spilled = end;
    }
    band->interval_start.data[f->pixels] = (uint32_t)total;
    return total <= UINT32_MAX;
}

/* -------------------------------------------------------------- bands */

bool pli_band_begin(pli_band_filler *f, uint32_t band)
{
    const pli_image *image = f->image;
    pli_raster_target *target = &f->worker->target;
    uint32_t first = band * image->band_rows;
    uint32_t rows = image->rows - first < image->band_rows ? image->rows - first : image->band_rows;
    target->grid = &image->grid;
    target->first[0] = (int32_t)image->window.first[0];
    target->last[0] = (int32_t)image->window.last[0];
    target->first[1] = (int32_t)(image->window.first[1] + first);
    target->last[1] = target->first[1] + (int32_t)rows - 1;
    target->columns = image->columns;
    target->intervals = image->with_intervals;
    target->count = 0;
    f->band = &image->bands.data[band];
    f->band->depth_complexity = 0;
    f->band->open_rays = 0;
    f->first_row = first;
    f->rows = rows;
    f->pixels = (size_t)rows * image->columns;
    f->worker->spilled.count = 0;
    if (image->with_intervals) {
        if (!PLI_RESERVE(f->context, &f->worker->cells, f->pixels)) {
            return false;
        }
        for (size_t p = 0; p < f->pixels; p++) {
            f->worker->cells.data[p].count = 0;
        }
    }
    return true;
}

bool pli_band_finish(pli_band_filler *f)
{
    return order_crossings(f) && (!f->image->with_intervals || order_intervals(f));
}

pli_occupied pli_image_occupied(const pli_image *image)
{
    pli_occupied all = nowhere;
    for (uint32_t i = 0; i < image->band_count; i++) {
        const pli_occupied *o = &image->bands.data[i].occupied;
        if (o->first[0] <= o->last[0]) {
            occupy(&all, o->first[0], o->first[1], o->depth[0], o->depth[1]);
            occupy(&all, o->last[0], o->last[1], o->depth[0], o->depth[1]);
        }
    }
    return all;
}

void pli_image_release(pliant_context *context, pli_image *image)
{
    for (size_t i = 0; i < image->bands.count; i++) {
        pli_arrays_release(context, image->bands.data[i].arrays, PLI_BAND_ARRAYS);
    }
    pli_array_release(context, &image->bands.array);
}

uint64_t pli_image_memory(const pli_image *image)
{
    uint64_t bytes = pli_arrays_bytes(&image->bands.array, 1);
    for (size_t i = 0; i < image->bands.count; i++) {
        bytes += pli_arrays_bytes(image->bands.data[i].arrays, PLI_BAND_ARRAYS);
    }
    return bytes;
}
