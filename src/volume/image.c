/*
 * Filling the rows of a layered depth image on the processor.
 * Based on: Heidelberger, Teschner & Gross, Volumetric Collision Detection for Deformable Objects,
 * 2003, section 2.2. Instead of one rendering pass per layer, every triangle is met once and all
 * crossings are listed; they are then grouped by pixel and put in order of depth.
 */
#include "image.h"

#include "base/sort.h"
#include "volume/intervals.h"

#include <math.h>
#include <string.h>

enum {
    CELL_MORE = sizeof(pli_more_intervals) / sizeof(pli_interval),
    AHEAD = 12 /* intervals whose cells are fetched before they are needed */
};

bool pli_raster_reserve(pliant_context *context, pli_raster_worker *w, size_t count)
{
    bool done = PLI_RESERVE(context, &w->pixel, count) && PLI_RESERVE(context, &w->word, count) &&
                PLI_RESERVE(context, &w->triangle, count);
    w->target.pixel = w->pixel.data;
    w->target.word = w->word.data;
    w->target.triangle = w->triangle.data;
    return done;
}

/*
 * Bytes per crossing: 12 in lists that double, then 8 in the band. Per spilled interval: 28 in a
 * list that doubles, 56 to sort it. Per interval in the band: 24 in a list that doubles. Each list
 * exists twice while it grows.
 */
enum { CROSSING_BYTES = 48, SPILLED_BYTES = 200, INTERVAL_BYTES = 72 };

bool pli_band_hold(pli_band_filler *f, size_t crossings, size_t spilled, size_t listed)
{
    uint64_t more = (uint64_t)CROSSING_BYTES * crossings + (uint64_t)SPILLED_BYTES * spilled +
                    (uint64_t)INTERVAL_BYTES * listed;
    uint64_t before = atomic_fetch_add_explicit(f->held, more, memory_order_relaxed);
    return before + more <= f->room;
}

/* Counts what was added to the worker's lists; false if there is no room for it. */
static bool hold_lists(pli_band_filler *f)
{
    size_t crossings = f->worker->target.count - f->crossings;
    size_t spilled = f->worker->spilled.count - f->spilled;
    f->crossings += crossings;
    f->spilled += spilled;
    return pli_band_hold(f, crossings, spilled, 0);
}

static bool reserve_crossings(pli_band_filler *f, size_t more)
{
    return pli_raster_reserve(f->context, f->worker, f->worker->target.count + more);
}

/* ------------------------------------------------------------- intervals */

/* Joins intervals of a full cell that have grown until they meet. */
static void close_gaps(pli_cell *cell, pli_interval *more)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cell->count; i++) {
        pli_interval interval = more[i];
        bool joined = pli_interval_join_meeting(&cell->first[0], &interval) ||
                      pli_interval_join_meeting(&cell->first[1], &interval);
        for (uint32_t k = 0; k < kept && !joined; k++) {
            joined = pli_interval_join_meeting(&more[k], &interval);
        }
        if (!joined) {
            more[kept++] = interval;
        }
    }
    cell->count = kept;
}

/* Adds an interval to a pixel beside those that it has. */
static bool put_interval(pli_band_filler *f, uint32_t pixel, uint32_t lower, uint32_t upper,
                         const pli_slopes *slopes)
{
    pli_cell *cell = &f->worker->cells.data[pixel];
    pli_interval *first = &cell->first[lower & 1];
    if (first->lower == PLI_NO_INTERVAL) {
        pli_interval_set(first, lower, upper, slopes);
        return true;
    }
    pli_interval *more = f->worker->more.data[pixel].interval;
    for (uint32_t i = 0; i < cell->count; i++) {
        if (!pli_interval_apart(&more[i], lower, upper)) {
            pli_interval_join(&more[i], lower, upper, slopes);
            return true;
        }
    }
    if (cell->count == CELL_MORE) {
        close_gaps(cell, more);
    }
    if (cell->count < CELL_MORE) {
        pli_interval_set(&more[cell->count++], lower, upper, slopes);
        return true;
    }
    return PLI_PUSH(f->context, &f->worker->spilled, (pli_spilled){pixel, {lower, upper, *slopes}});
}

/*
 * Adds an interval to its cell: joined with the first of its facing, which it nearly always meets,
 * or with any other that it meets. What should be joined and is not yet will be in the end.
 */
static inline bool add_interval(pli_band_filler *f, uint32_t pixel, uint32_t lower, uint32_t upper,
                                const pli_slopes *slopes)
{
    pli_interval *first = &f->worker->cells.data[pixel].first[lower & 1];
    if (pli_interval_apart(first, lower, upper)) { /* also where there is none */
        return put_interval(f, pixel, lower, upper, slopes);
    }
    pli_interval_join(first, lower, upper, slopes);
    return true;
}

/* ----------------------------------------------------------- triangles */

/* Columns of a row; the number of a pixel is its column more than `before`. */
static bool fill_large_row(pli_band_filler *f, const pli_large_triangle *t, pli_columns columns,
                           int64_t row, uint32_t before, uint32_t triangle)
{
    pli_raster_target *target = &f->worker->target;
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
        return hold_lists(f);
    }
    pli_columns touched = pli_large_triangle_touched(t, columns, row);
    for (int64_t column = touched.first; column <= touched.last; column++) {
        pli_interval interval;
        if (pli_large_triangle_interval(t, column, row, &interval) &&
            !add_interval(f, before + (uint32_t)column, interval.lower, interval.upper,
                          &interval.slopes)) {
            return false;
        }
    }
    return hold_lists(f);
}

/* The pixels of one square, of those that a large triangle may touch. */
static bool fill_large_square(pli_band_filler *f, const pli_large_triangle *t, uint32_t number,
                              const pli_columns *columns, const pli_columns *rows,
                              uint32_t triangle)
{
    const pli_squares *squares = f->image->squares;
    const pli_square_range *square = &squares->chosen[number];
    int64_t first = (int64_t)(squares->first[0] + (int32_t)square->column) << squares->shift;
    int64_t row = (int64_t)(squares->first[1] + (int32_t)square->row) << squares->shift;
    int64_t side = (int64_t)1 << squares->shift;
    pli_columns here = {first > columns->first ? first : columns->first,
                        first + side - 1 < columns->last ? first + side - 1 : columns->last};
    uint32_t pixel = (number - f->first_row) << 2 * squares->shift;
    bool done = true;
    for (int64_t i = 0; i < side && done && here.first <= here.last; i++) {
        uint32_t before = pixel + (uint32_t)(i * side) - (uint32_t)first;
        done = row + i < rows->first || row + i > rows->last ||
               fill_large_row(f, t, here, row + i, before, triangle);
    }
    return done;
}

static bool fill_large_squares(pli_band_filler *f, const pli_large_triangle *t,
                               const pli_columns *columns, const pli_columns *rows,
                               uint32_t triangle)
{
    const pli_squares *squares = f->image->squares;
    const pli_pixel_box box = {{(int32_t)columns->first, (int32_t)rows->first},
                               {(int32_t)columns->last, (int32_t)rows->last}};
    pli_pixel_box under = pli_squares_under(squares, &box);
    bool done = true;
    for (int32_t row = under.first[1]; row <= under.last[1]; row++) {
        pli_chosen chosen = pli_squares_between(squares, row, under.first[0], under.last[0]);
        for (uint32_t i = chosen.first; i < chosen.end && done; i++) {
            done =
                i - f->first_row >= f->rows || fill_large_square(f, t, i, columns, rows, triangle);
        }
    }
    return done;
}

static bool fill_large(pli_band_filler *f, const pli_cluster *cluster, uint32_t slot)
{
    pli_large_triangle t;
    const uint8_t *corners = f->shape->slot_corners + 3 * (size_t)cluster->first_slot + slot;
    const uint8_t corner[3] = {corners[0], corners[cluster->slot_count],
                               corners[2 * cluster->slot_count]};
    const pli_raster_target *target = &f->worker->target;
    pli_large_triangle_set(&t, &f->worker->snapped, corner);
    pli_columns columns, rows;
    pli_large_triangle_rows(&t, target, &columns, &rows);
    uint32_t triangle = f->shape->slot_triangles[cluster->first_slot + slot];
    bool done = columns.first <= columns.last && rows.first <= rows.last;
    if (!done) {
        return true;
    }
    if (target->squares != NULL) {
        return fill_large_squares(f, &t, &columns, &rows, triangle);
    }
    for (int64_t row = rows.first; row <= rows.last && done; row++) {
        uint32_t before =
            (uint32_t)(row - target->first[1]) * target->columns - (uint32_t)target->first[0];
        done = fill_large_row(f, &t, columns, row, before, triangle);
    }
    return done;
}

static bool add_intervals(pli_band_filler *f)
{
    const pli_raster_target *target = &f->worker->target;
    const uint32_t pixel_bits = (1u << PLI_SLOT_SHIFT) - 1;
    bool done = true;
    for (uint32_t i = 0; i < target->interval_count && done; i++) {
        uint32_t word = target->interval_pixel[i];
        if (i + AHEAD < target->interval_count) {
            __builtin_prefetch(
                &f->worker->cells.data[target->interval_pixel[i + AHEAD] & pixel_bits], 1);
        }
        done = add_interval(f, word & pixel_bits, target->interval_lower[i],
                            target->interval_upper[i], &target->slopes[word >> PLI_SLOT_SHIFT]);
    }
    return done;
}

/* The pixels that a snapped cluster's vertices span, with a step around them. */
static pli_pixel_box snapped_box(const pli_snapped *snapped, uint32_t count)
{
    pli_pixel_box box;
    for (uint32_t k = 0; k < 2; k++) {
        const int32_t *side = snapped->side[k];
        int32_t low = side[0], high = side[0];
        for (uint32_t i = 1; i < count; i++) {
            low = side[i] < low ? side[i] : low;
            high = side[i] > high ? side[i] : high;
        }
        box.first[k] = (low - 1) >> PLI_PIXEL_BITS;
        box.last[k] = (high + 1) >> PLI_PIXEL_BITS;
    }
    return box;
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
    if (f->band->boxes.count > 0) {
        f->band->boxes.data[part->cluster] = snapped_box(&w->snapped, cluster->vertex_count);
    }
    w->target.interval_count = 0;
    uint64_t large =
        f->kernels->fill(cluster, f->shape->slot_corners + 3 * (size_t)cluster->first_slot,
                         f->shape->slot_triangles + cluster->first_slot, &w->snapped, &w->target);
    bool done = add_intervals(f) && hold_lists(f);
    for (; large != 0 && done; large &= large - 1) {
        done = fill_large(f, cluster, (uint32_t)__builtin_ctzll(large));
    }
    return done;
}

/* ---------------------------------------------------------- in order */

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
        complexity = pli_greater(complexity, count);
        pli_occupy(occupied, column, f->first_row + row, pli_crossing_depth(crossings[0]),
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
    pli_occupied occupied = pli_nowhere;
    bool done = true;
    for (uint32_t row = 0; row < f->rows && done; row++) {
        done = order_row(f, row, &occupied);
    }
    band->occupied = occupied;
    return done;
}

/* -------------------------------------------------------------- bands */

/* The pixels to fill are those of the finer grid between the squares of the band. */
static void aim_at_squares(const pli_band_filler *f)
{
    const pli_squares *squares = f->image->squares;
    pli_raster_target *target = &f->worker->target;
    target->first_square = f->first_row;
    target->square_count = f->rows;
    const int32_t first[2] = {0, (int32_t)squares->chosen[f->first_row].row};
    const int32_t last[2] = {squares->size[0] - 1,
                             (int32_t)squares->chosen[f->first_row + f->rows - 1].row};
    for (uint32_t k = 0; k < 2; k++) {
        target->first[k] = (squares->first[k] + first[k]) << squares->shift;
        target->last[k] = ((squares->first[k] + last[k] + 1) << squares->shift) - 1;
    }
}

bool pli_band_begin(pli_band_filler *f, uint32_t band)
{
    const pli_image *image = f->image;
    pli_raster_target *target = &f->worker->target;
    uint32_t first = band * image->band_rows;
    uint32_t rows = image->rows - first < image->band_rows ? image->rows - first : image->band_rows;
    f->first_row = image->first_square + first;
    f->rows = rows;
    f->crossings = f->spilled = 0;
    target->grid = &image->grid;
    for (uint32_t k = 0; k < 2; k++) {
        double depth = (double)image->window.depth[k] - image->grid.lower[2];
        target->depth[k] = image->culled ? (float)(depth * image->grid.scale[2])
                           : k == 0      ? -INFINITY
                                         : INFINITY;
    }
    target->squares = image->squares;
    if (image->squares != NULL) {
        aim_at_squares(f);
    } else {
        target->first[0] = (int32_t)image->window.first[0];
        target->last[0] = (int32_t)image->window.last[0];
        target->first[1] = (int32_t)(image->window.first[1] + first);
        target->last[1] = target->first[1] + (int32_t)rows - 1;
        target->columns = image->columns;
    }
    target->intervals = image->with_intervals;
    target->count = 0;
    f->band = &image->bands.data[band];
    f->band->depth_complexity = 0;
    f->band->open_rays = 0;
    f->band->boxes.count = 0;
    f->pixels = (size_t)rows * image->columns;
    f->worker->spilled.count = 0;
    if (image->with_intervals) {
        if (!PLI_RESERVE(f->context, &f->worker->cells, f->pixels) ||
            !PLI_RESERVE(f->context, &f->worker->more, f->pixels)) {
            return false;
        }
        for (size_t p = 0; p < f->pixels; p++) {
            pli_cell *cell = &f->worker->cells.data[p];
            cell->count = 0;
            cell->first[0].lower = cell->first[1].lower = PLI_NO_INTERVAL;
        }
    }
    return true;
}

/* ------------------------------------------------------------ intervals in order */

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

/* Lists the intervals of all pixels of a band in order, joined where they meet. False without
   memory. */
static bool order_intervals(pli_band_filler *f)
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

bool pli_band_finish(pli_band_filler *f)
{
    return order_crossings(f) && (!f->image->with_intervals || order_intervals(f));
}

pli_occupied pli_image_occupied(const pli_image *image)
{
    pli_occupied all = pli_nowhere;
    for (uint32_t i = 0; i < image->band_count; i++) {
        const pli_occupied *o = &image->bands.data[i].occupied;
        if (o->first[0] <= o->last[0]) {
            pli_occupy(&all, o->first[0], o->first[1], o->depth[0], o->depth[1]);
            pli_occupy(&all, o->last[0], o->last[1], o->depth[0], o->depth[1]);
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
