/*
 * The papers have no range; this is ours. Most doubt about a volume lies in few squares: those over
 * which a surface turns from one side to the other, where everything between its ends is possible.
 * A fold that a square's side h cuts is about as deep as the root of h, and a line of squares along
 * it has the area h: n times smaller squares have n^1.5 times less doubt there. So squares whose
 * doubt is several times the mean are cut into smaller ones, drawn again on a finer grid, and
 * judged by the same rules (range.c). Drawing begins with positions that are not snapped, so what
 * holds of a grid's squares holds of these.
 *
 * Of n squares that have any doubt, at most n / s have s times the mean doubt: the share that is
 * looked at again is bounded, whatever the bodies are.
 */
#include "volume/volume.h"

enum {
    TIMES_MEAN = 2, /* a square with so many times the mean doubt is looked at again */
    SHIFT = 1,      /* and cut into 1 << SHIFT columns and rows; two bits took twice as long as they
                       were worth */
    SQUARES_PER_TASK = 128
};

bool pli_refine_begin(pliant_volume *volume, pli_ray_sweep *sweep)
{
    uint32_t columns = pli_window_columns(&sweep->window), rows = pli_window_rows(&sweep->window);
    if (!PLI_RESERVE(volume->context, &volume->ranges, (size_t)columns * rows) ||
        !PLI_RESERVE(volume->context, &volume->range_counts, rows)) {
        return false;
    }
    sweep->ranges = volume->ranges.data;
    sweep->range_counts = volume->range_counts.data;
    return true;
}

/* -------------------------------------------------------------- choice */

/* The least doubt of squares to be looked at again. */
static uint64_t least_doubt(const pli_refinement *r, uint32_t rows)
{
    uint64_t count = 0;
    for (uint32_t row = 0; row < rows; row++) {
        count += r->sweep->range_counts[row];
    }
    return count > 0 ? TIMES_MEAN * (r->possible - r->certain) / count + 1 : UINT64_MAX;
}

/* Lists the squares of a row that are to be looked at again, and how many come before each. */
static bool choose_in_row(pliant_volume *volume, const pli_refinement *r, uint32_t row,
                          uint64_t least)
{
    uint32_t columns = pli_window_columns(&r->sweep->window);
    const pli_square_range *ranges = r->sweep->ranges + (size_t)row * columns;
    uint32_t *before = volume->chosen_before.data + (size_t)row * columns, column = 0;
    for (uint32_t i = 0; i < r->sweep->range_counts[row]; i++) {
        if (ranges[i].possible - ranges[i].certain >= least) {
            for (; column <= ranges[i].column; column++) {
                before[column] = (uint32_t)volume->chosen.count;
            }
            if (!PLI_PUSH(volume->context, &volume->chosen, ranges[i])) {
                return false;
            }
        }
    }
    for (; column < columns; column++) {
        before[column] = (uint32_t)volume->chosen.count;
    }
    return true;
}

/* Finds the squares of most doubt. */
static bool choose(pliant_volume *volume, const pli_refinement *r, pli_squares *squares)
{
    const pli_window *window = &r->sweep->window;
    uint32_t columns = pli_window_columns(window), rows = pli_window_rows(window);
    size_t size = (size_t)columns * rows;
    uint64_t least = least_doubt(r, rows);
    volume->chosen.count = 0;
    bool done = PLI_RESERVE(volume->context, &volume->chosen_before, size + 1);
    for (uint32_t row = 0; row < rows && done; row++) {
        done = choose_in_row(volume, r, row, least);
    }
    if (!done) {
        return false;
    }
    volume->chosen_before.data[size] = (uint32_t)volume->chosen.count;
    squares->chosen = volume->chosen.data;
    squares->count = (uint32_t)volume->chosen.count;
    squares->before = volume->chosen_before.data;
    for (uint32_t k = 0; k < 2; k++) {
        squares->first[k] = (int32_t)window->first[k];
    }
    squares->size[0] = (int32_t)columns;
    squares->size[1] = (int32_t)rows;
    return true;
}

/* --------------------------------------------------------------- images */

/* The cluster boxes of an image of the whole window, NULL if it has none. */
static const pli_pixel_box *cluster_boxes(const pli_image *image)
{
    const pli_band *only = image->bands.data;
    return image->band_count == 1 && only->boxes.count > 0 ? only->boxes.data : NULL;
}

/* Squares that are imaged and judged, as many at a time as there is room for. */
typedef struct squares_run {
    pliant_volume *volume;
    pli_refinement *r;
    const pli_squares *squares;
    const pli_grid *finer;
    uint32_t bodies;
    uint32_t first, count; /* of the squares at this time */
    uint64_t certain, possible;
} squares_run;

static pliant_result image_squares(const squares_run *run, uint32_t i)
{
    pliant_volume *volume = run->volume;
    const pli_refinement *r = run->r;
    const pli_squares *squares = run->squares;
    pli_image_request request = {.body = r->body[i],
                                 .grid = *run->finer,
                                 .window = r->window[i],
                                 .intervals = true,
                                 .cull = r->cull,
                                 .squares = squares,
                                 .first_square = run->first,
                                 .square_count = run->count,
                                 .cluster_boxes = cluster_boxes(r->sweep->image[i])};
    for (uint32_t k = 0; k < 2; k++) {
        request.window.first[k] <<= squares->shift;
        request.window.last[k] = ((request.window.last[k] + 1) << squares->shift) - 1;
    }
    return pli_volume_image_squares(volume, &request, &volume->finer[i]);
}

/* --------------------------------------------------------------- sums */

/* A sweep along the rays of images of squares. */
typedef struct squares_sweep {
    pli_ray_sweep sweep;
    const squares_run *run;
    pli_sweep_sums *sums; /* per task */
} squares_sweep;

/* The ranges of some squares, as narrow as both grids allow. */
static void sweep_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const squares_sweep *s = argument;
    const pli_squares *squares = s->run->squares;
    uint32_t first = s->run->first + index * SQUARES_PER_TASK, end = first + SQUARES_PER_TASK;
    uint32_t all = s->run->first + s->run->count;
    pli_sweep_sums *sums = &s->sums[index];
    pli_sweep_clear(sums);
    for (uint32_t i = first; i < end && i < all; i++) {
        uint64_t certain = 0, possible = 0;
        pli_sweep_row_range(&s->sweep, i, &certain, &possible);
        uint64_t before[2] = {(uint64_t)squares->chosen[i].certain << 2 * squares->shift,
                              (uint64_t)squares->chosen[i].possible << 2 * squares->shift};
        sums->certain += certain > before[0] ? certain : before[0];
        sums->possible += possible < before[1] ? possible : before[1];
    }
}

static pliant_result sweep_squares(squares_run *run)
{
    pliant_volume *volume = run->volume;
    const pli_ray_sweep *sweep = run->r->sweep;
    uint32_t tasks = (run->count + SQUARES_PER_TASK - 1) / SQUARES_PER_TASK;
    if (!PLI_RESERVE(volume->context, &volume->task_sums, tasks)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    squares_sweep s = {*sweep, run, volume->task_sums.data};
    s.sweep.image[0] = &volume->finer[0];
    s.sweep.image[1] = run->bodies > 1 ? &volume->finer[1] : NULL;
    s.sweep.ranges = NULL;
    s.sweep.window =
        (pli_window){.first = {0, run->first},
                     .last = {pli_squares_columns(run->squares) - 1, run->first + run->count - 1}};
    pliant_result result = pli_context_run(volume->context, sweep_task, &s, tasks);
    for (uint32_t i = 0; i < tasks && result == PLIANT_OK; i++) {
        run->certain += s.sums[i].certain;
        run->possible += s.sums[i].possible;
    }
    return result;
}

/* A step of pli_volume_in_bands(). */
static pliant_result judge_squares(void *user, uint32_t first, uint32_t last)
{
    squares_run *run = user;
    pliant_result result = PLIANT_OK;
    run->first = first;
    run->count = last - first + 1;
    for (uint32_t i = 0; i < run->bodies && result == PLIANT_OK; i++) {
        result = image_squares(run, i);
    }
    return result == PLIANT_OK ? sweep_squares(run) : result;
}

/* Puts the new ranges of squares in the place of those that they had, in units of the finer grid.
 */
static void replace_ranges(pli_refinement *r, const pli_squares *squares, const squares_run *run)
{
    for (uint32_t i = 0; i < squares->count; i++) {
        r->certain -= squares->chosen[i].certain;
        r->possible -= squares->chosen[i].possible;
    }
    r->shift = squares->shift;
    r->certain = (r->certain << 2 * r->shift) + run->certain;
    r->possible = (r->possible << 2 * r->shift) + run->possible;
}

pliant_result pli_refine(pliant_volume *volume, pli_refinement *r)
{
    pli_squares squares = {.shift = SHIFT};
    pli_grid finer;
    squares_run run = {.volume = volume,
                       .r = r,
                       .squares = &squares,
                       .finer = &finer,
                       .bodies = r->sweep->image[1] != NULL ? 2 : 1};
    if (!pli_grid_refine(r->grid, r->box, run.bodies, squares.shift, &finer)) {
        return PLIANT_OK; /* the range stays as it is */
    }
    if (!choose(volume, r, &squares)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (squares.count == 0) {
        return PLIANT_OK;
    }
    pliant_result result = pli_volume_in_bands(volume, 0, squares.count - 1, judge_squares, &run);
    if (result == PLIANT_OK) {
        replace_ranges(r, &squares, &run);
    }
    volume->finer[0].squares = volume->finer[1].squares = NULL; /* they are gone */
    return result;
}
