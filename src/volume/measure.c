/*
 * Volumes: of what two bodies have in common, of a body, and of where it overlaps itself.
 * Based on: Heidelberger, Teschner & Gross, Volumetric Collision Detection for Deformable Objects,
 * 2003, section 2.3. The range that comes with every volume, refinement, and self-overlap (which
 * the paper proposes as future work) are ours.
 */
#include "volume/volume.h"

#include "base/clock.h"
#include "base/context.h"
#include "volume/intervals.h"
#include "volume/sweep.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_TASK = 8 };

/* A question on its way to an answer. */
typedef struct question {
    pliant_volume *volume;
    const pliant_volume_options *options;
    pli_sweep_kind kind;
    pliant_body *body[2];
    uint32_t bodies;
    pliant_box box[2];
    double limit;     /* no volume is larger */
    bool spans, ends; /* to be kept in this sweep */
    bool bounded;     /* touched squares are wanted */
    pli_grid grid;
    pli_window window[2];  /* of each body's image, if it shows all rows */
    uint32_t first;        /* index of the body that is imaged first */
    pli_occupied occupied; /* by the first of two bodies; columns and rows of the grid */
    uint32_t rows[2];      /* swept now, the first and the last */
    pli_ray_sweep sweep;
    pli_sweep_sums sums;
    bool imaging;         /* the stage; else sweeping */
    double since;         /* when it began */
    uint32_t range_shift; /* the range is summed up on a grid so much finer: pli_refinement */
    uint64_t open_rays;
} question;

/* --------------------------------------------------------------- sweeps */

/* Goes along the rays of a task's rows, of those that are swept now, and adds to its sums. False if
   a sink stopped. */
static bool sweep_rows(const question *q, uint32_t task)
{
    uint32_t row = task * ROWS_PER_TASK, last = row + ROWS_PER_TASK - 1;
    bool done = true;
    row = row > q->rows[0] ? row : q->rows[0];
    last = last < q->rows[1] ? last : q->rows[1];
    for (; row <= last && done; row++) {
        done = pli_sweep_row(&q->sweep, row, &q->volume->task_sums.data[task]);
    }
    return done;
}

static void sweep_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const question *q = argument;
    sweep_rows(q, q->rows[0] / ROWS_PER_TASK + index);
}

static bool add_end(question *q, uint32_t column, uint32_t row, const pli_sweep_span *span,
                    uint32_t which)
{
    if (span->body[which] == PLI_NO_BODY) {
        return true;
    }
    pli_gradient *g = &q->volume->gradients[span->body[which]];
    double length = (double)(span->upper - span->lower) * pli_grid_depth_step(&q->grid);
    pli_span_end end = {.triangle = span->triangle[which],
                        .column = column,
                        .row = row,
                        .sign = which == 1 ? 1.0f : -1.0f,
                        .length = (float)length};
    return PLI_PUSH(q->volume->context, &g->ends, end);
}

static bool keep_span(void *user, uint32_t column, uint32_t row, const pli_sweep_span *span)
{
    question *q = user;
    pliant_volume *volume = q->volume;
    if (q->ends && (!add_end(q, column, row, span, 0) || !add_end(q, column, row, span, 1))) {
        return false;
    }
    pliant_volume_span kept = {.column = column,
                               .row = row,
                               .lower = (float)pli_grid_depth(&q->grid, span->lower),
                               .upper = (float)pli_grid_depth(&q->grid, span->upper)};
    return !q->spans || PLI_PUSH(volume->context, &volume->spans, kept);
}

/* Forgets what an earlier sweep found. */
static pliant_result begin_sweep(question *q)
{
    pliant_volume *volume = q->volume;
    uint32_t tasks = (q->grid.resolution + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
    volume->spans.count = q->spans ? 0 : volume->spans.count;
    volume->gradients[0].ends.count = volume->gradients[1].ends.count = 0;
    pli_sweep_clear(&q->sums);
    if (!PLI_RESERVE(volume->context, &volume->task_sums, tasks)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < tasks; i++) {
        pli_sweep_clear(&volume->task_sums.data[i]);
    }
    return PLIANT_OK;
}

/* Goes along the rays of some rows: by all workers or, where spans are kept, in order. */
static pliant_result sweep_band(question *q, uint32_t first, uint32_t last)
{
    uint32_t first_task = first / ROWS_PER_TASK, tasks = last / ROWS_PER_TASK - first_task + 1;
    q->rows[0] = first;
    q->rows[1] = last;
    if (!q->spans && !q->ends) {
        return pli_context_run(q->volume->context, sweep_task, q, tasks);
    }
    q->sweep.sink = keep_span;
    q->sweep.sink_user = q;
    for (uint32_t i = 0; i < tasks; i++) {
        if (!sweep_rows(q, first_task + i)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    return PLIANT_OK;
}

/* Adds up the sums of all tasks, in the same order for all bands. */
static void end_sweep(question *q)
{
    uint32_t tasks = (q->grid.resolution + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
    for (uint32_t i = 0; i < tasks; i++) {
        pli_sweep_add(&q->sums, &q->volume->task_sums.data[i]);
    }
}

/* -------------------------------------------------------------- answers */

static void set_box(const question *q, pliant_volume_measure *measure)
{
    const pli_grid *grid = &q->grid;
    for (uint32_t k = 0; k < 3; k++) {
        double unit = k < 2 ? grid->extent[k] / grid->resolution : pli_grid_depth_step(grid);
        double more = k < 2 ? 1.0 : 0.0;
        measure->box.lower[grid->axis[k]] = (float)(grid->lower[k] + q->sums.lower[k] * unit);
        measure->box.upper[grid->axis[k]] =
            (float)(grid->lower[k] + (q->sums.upper[k] + more) * unit);
    }
}

static void set_centroid(const question *q, pliant_volume_measure *measure)
{
    const pli_grid *grid = &q->grid;
    double total = (double)q->sums.sampled;
    double mean[3] = {q->sums.column / total + 0.5, q->sums.row / total + 0.5,
                      q->sums.depth / total};
    for (uint32_t k = 0; k < 3; k++) {
        double unit = k < 2 ? grid->extent[k] / grid->resolution : pli_grid_depth_step(grid);
        measure->centroid[grid->axis[k]] = grid->lower[k] + mean[k] * unit;
    }
}

static void set_measure(const question *q, pliant_volume_measure *measure)
{
    double unit = pli_grid_pixel_area(&q->grid) * pli_grid_depth_step(&q->grid);
    memset(measure, 0, sizeof *measure);
    measure->grid = pli_grid_describe(&q->grid);
    measure->open_rays = q->open_rays;
    measure->overlap = q->sums.sampled > 0;
    measure->volume = (double)q->sums.sampled * unit;
    measure->most = q->limit;
    if (q->options->error_bound) {
        /* The sums are exact; a few roundings follow. Rays may have been unlucky in squares that
           were looked at again, but what they found is never left outside. */
        double finer = unit / (double)(1u << 2 * q->range_shift);
        double least = (double)q->sums.certain * finer * (1.0 - 0x1p-40);
        double most = (double)q->sums.possible * finer * (1.0 + 0x1p-40);
        measure->least = fmin(least, measure->volume);
        measure->most = fmin(q->limit, most);
    }
    /* Depths on rays are rounded, so that what they found may be a little more than the box. */
    measure->most = fmax(measure->most, measure->volume);
    measure->error = fmax(measure->most - measure->volume, measure->volume - measure->least);
    if (measure->overlap) {
        set_box(q, measure);
        set_centroid(q, measure);
    }
}

static void set_arrays(const question *q, pliant_volume_measure *measure)
{
    const pliant_volume *volume = q->volume;
    if (q->options->spans) {
        measure->spans = volume->spans.data;
        measure->span_count = volume->spans.count;
    }
    for (uint32_t i = 0; i < q->bodies && q->options->gradients; i++) {
        measure->vertices[i] = volume->gradients[i].vertices.data;
        measure->vertex_count[i] = (uint32_t)volume->gradients[i].vertices.count;
    }
}

/* -------------------------------------------------------------- stages */

/* Ends a stage and begins the other one. */
static void end_stage(question *q)
{
    pliant_volume_stats *stats = &q->volume->stats;
    double now = pli_seconds();
    *(q->imaging ? &stats->seconds_image : &stats->seconds_query) += now - q->since;
    q->since = now;
    pli_stage_end(q->volume->context,
                  q->imaging ? PLIANT_STAGE_VOLUME_IMAGE : PLIANT_STAGE_VOLUME_QUERY);
}

static void begin_stage(question *q, bool imaging)
{
    q->imaging = imaging;
    pli_stage_begin(q->volume->context,
                    imaging ? PLIANT_STAGE_VOLUME_IMAGE : PLIANT_STAGE_VOLUME_QUERY);
}

static void enter_stage(question *q, bool imaging)
{
    if (q->imaging != imaging) {
        end_stage(q);
        begin_stage(q, imaging);
    }
}

/*
 * Where one body has been imaged, the other matters only on rays that meet the first, and there no
 * farther than the first reaches, as seen from the face where the other's winding number is counted
 * from. False if the first is not there at all. Drivers keep windows whole: they like images of one
 * size.
 */
static bool narrow_window(const question *q, uint32_t imaged, pli_window *window)
{
    if (!q->options->cull || q->volume->backend != NULL) {
        return true;
    }
    const pli_grid *grid = &q->grid;
    const pli_occupied *occupied = &q->occupied;
    if (occupied->first[0] > occupied->last[0]) {
        return false;
    }
    for (uint32_t k = 0; k < 2; k++) {
        window->first[k] = occupied->first[k];
        window->last[k] = occupied->last[k];
    }
    /* Far more than depths are off by rounding. */
    double margin = 0x1p-10 * grid->extent[2];
    if (grid->from_upper[1 - imaged]) {
        float least =
            nextafterf((float)(pli_grid_depth(grid, occupied->depth[0]) - margin), -INFINITY);
        window->depth[0] = least > window->depth[0] ? least : window->depth[0];
    } else {
        float most =
            nextafterf((float)(pli_grid_depth(grid, occupied->depth[1]) + margin), INFINITY);
        window->depth[1] = most < window->depth[1] ? most : window->depth[1];
    }
    return true;
}

/*
 * Between which depths the image of a body shows all of its surface. That is so up to the end that
 * its winding number is counted from, an outside face, and at the other up to the grid's end or, of
 * the body that is imaged second, to where the first one ends and somewhat on: narrow_window()
 * keeps twice as much. The same whether anything is left out or not, so that answers are the same.
 * Nothing is known of the depths that drivers find on rays, so with them no sheet is a graph.
 */
static void set_whole_depths(question *q, uint32_t i)
{
    pli_whole_depths whole = {0, PLI_DEPTH_STEPS};
    if (q->bodies > 1) {
        const uint32_t margin = PLI_DEPTH_STEPS >> 11;
        uint32_t from = 1, to = PLI_DEPTH_STEPS - 1;
        if (i != q->first) {
            const pli_occupied *occupied = &q->occupied;
            from = occupied->depth[0] > margin ? occupied->depth[0] - margin : from;
            to = occupied->depth[1] < to - margin ? occupied->depth[1] + margin : to;
        }
        whole.from = q->grid.from_upper[i] ? from : whole.from;
        whole.to = q->grid.from_upper[i] ? whole.to : to;
    }
    q->sweep.whole[i] = q->volume->backend == NULL ? whole : (pli_whole_depths){1, 0};
}

/* Images rows of a body; the image is kept if it shows `all` that there is to show. */
static pliant_result image_rows(question *q, uint32_t i, uint32_t first, uint32_t last, bool all)
{
    pli_image_request request = {.body = q->body[i],
                                 .grid = q->grid,
                                 .window = q->window[i],
                                 .intervals = q->bounded,
                                 .cull = q->options->cull,
                                 .band = all ? NULL : &q->volume->band[i],
                                 .exactly = !all && (q->bodies == 1 || i != q->first)};
    pli_window *window = &request.window;
    window->first[1] = window->first[1] > first ? window->first[1] : first;
    window->last[1] = window->last[1] < last ? window->last[1] : last;
    return pli_volume_image(q->volume, &request, &q->sweep.image[i]);
}

/* Counts an image of rows that no other image of the body shows. */
static void count_rays(question *q, uint32_t i)
{
    uint32_t axis = q->grid.axis[2], *complexity = &q->volume->stats.depth_complexity[i];
    const pli_window *window = &q->window[i];
    /* Rays that see all of the body along them must end outside. */
    bool whole = !q->options->cull || (q->box[i].lower[axis] >= window->depth[0] &&
                                       q->box[i].upper[axis] <= window->depth[1]);
    uint32_t here = pli_image_depth_complexity(q->sweep.image[i]);
    q->open_rays += whole ? pli_image_open_rays(q->sweep.image[i]) : 0;
    *complexity = here > *complexity ? here : *complexity;
}

/* A step of pli_volume_in_bands(): finds where the first of two bodies is. */
static pliant_result look_at_first(void *user, uint32_t first, uint32_t last)
{
    question *q = user;
    bool all = last - first + 1 == q->grid.resolution;
    pliant_result result = image_rows(q, q->first, first, last, all);
    if (result == PLIANT_OK) {
        const pli_image *image = q->sweep.image[q->first];
        pli_occupied here = pli_image_occupied(image);
        for (uint32_t k = 0; k < 2 && here.first[0] <= here.last[0]; k++) {
            pli_occupy(&q->occupied, image->window.first[0] + (k == 0 ? here.first : here.last)[0],
                       image->window.first[1] + (k == 0 ? here.first : here.last)[1], here.depth[0],
                       here.depth[1]);
        }
        count_rays(q, q->first);
    }
    return result;
}

/* A step of pli_volume_in_bands(): images rows of all bodies and goes along them. */
static pliant_result sweep_images(void *user, uint32_t first, uint32_t last)
{
    question *q = user;
    const pli_window *window = &q->sweep.window;
    bool all = first == window->first[1] && last == window->last[1];
    pliant_result result = PLIANT_OK;
    enter_stage(q, true);
    for (uint32_t k = 0; k < q->bodies && result == PLIANT_OK; k++) {
        result = image_rows(q, k == 0 ? q->first : 1 - q->first, first, last, all);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    count_rays(q, q->bodies > 1 ? 1 - q->first : 0);
    enter_stage(q, false);
    return sweep_band(q, first, last);
}

/* Chooses windows: the whole grid for the body of fewer triangles, the part that may matter for the
   other. *any: some rays must be swept. */
static pliant_result aim(question *q, bool *any)
{
    q->window[0] = q->window[1] = pli_grid_whole(&q->grid);
    q->first =
        q->bodies > 1 && q->body[1]->shape->triangle_count < q->body[0]->shape->triangle_count;
    q->sweep = (pli_ray_sweep){.kind = q->kind, .intervals = q->bounded};
    q->open_rays = 0;
    q->volume->stats.depth_complexity[0] = q->volume->stats.depth_complexity[1] = 0;
    q->occupied = pli_nowhere;
    *any = true;
    pliant_result result = PLIANT_OK;
    if (q->bodies > 1) {
        result = pli_volume_in_bands(q->volume, 0, q->grid.resolution - 1, look_at_first, q);
        *any = result == PLIANT_OK && narrow_window(q, q->first, &q->window[1 - q->first]);
    }
    q->sweep.window = q->window[q->bodies > 1 ? 1 - q->first : 0];
    for (uint32_t i = 0; i < q->bodies; i++) {
        q->sweep.from_upper[i] = q->grid.from_upper[i];
        set_whole_depths(q, i);
    }
    return result;
}

/*
 * Whether squares of much doubt are looked at again. The range of open bodies means nothing, and of
 * crossings that a driver found little is known in any square. Where a body is asked about overlaps
 * with itself, smaller squares with a fold are as doubtful as large ones: there more rays give
 * more.
 */
static bool is_refined(const question *q)
{
    bool closed = q->body[0]->shape->block->is_closed &&
                  (q->bodies == 1 || q->body[1]->shape->block->is_closed);
    return q->bounded && closed && q->volume->backend == NULL && q->kind != PLI_SWEEP_SELF;
}

/* Narrows the range. */
static pliant_result refine(question *q)
{
    pli_refinement r = {.sweep = &q->sweep,
                        .grid = &q->grid,
                        .body = q->body,
                        .box = q->box,
                        .window = q->window,
                        .cull = q->options->cull,
                        .certain = q->sums.certain,
                        .possible = q->sums.possible};
    pliant_result result = pli_refine(q->volume, &r);
    q->sums.certain = r.certain;
    q->sums.possible = r.possible;
    q->range_shift = r.shift;
    return result;
}

/* Goes along all rays, and narrows the range of what they found. */
static pliant_result sweep_and_refine(question *q)
{
    const pli_window *window = &q->sweep.window;
    bool refined = is_refined(q);
    if (refined && !pli_refine_begin(q->volume, &q->sweep)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result =
        pli_volume_in_bands(q->volume, window->first[1], window->last[1], sweep_images, q);
    if (result != PLIANT_OK) {
        return result;
    }
    end_sweep(q);
    return refined ? refine(q) : result;
}

/* Images of all bodies and the sums over their rays, along one axis at one resolution. */
static pliant_result ask_once(question *q, uint32_t axis, uint32_t resolution)
{
    q->since = pli_seconds();
    q->range_shift = 0;
    if (q->kind == PLI_SWEEP_PAIR) {
        pli_grid_for_pair(q->box, axis, resolution, &q->grid);
    } else {
        pli_grid_for_body(&q->box[0], axis, resolution, &q->grid);
    }
    bool any = false;
    begin_stage(q, true);
    pliant_result result = begin_sweep(q);
    result = result == PLIANT_OK ? aim(q, &any) : result;
    result = any && result == PLIANT_OK ? sweep_and_refine(q) : result;
    end_stage(q);
    return result;
}

/* The volume that the boxes have in common; negative if they do not meet. */
static double common_box(const question *q)
{
    double product = 1.0;
    for (int k = 0; k < 3; k++) {
        float lower = q->box[0].lower[k], upper = q->box[0].upper[k];
        if (q->bodies > 1) {
            lower = lower > q->box[1].lower[k] ? lower : q->box[1].lower[k];
            upper = upper < q->box[1].upper[k] ? upper : q->box[1].upper[k];
        }
        if (lower > upper) {
            return -1.0;
        }
        product *= (double)upper - (double)lower;
    }
    return product * (1.0 + 0x1p-40);
}

static pliant_result begin(question *q)
{
    pliant_volume *volume = q->volume;
    double started = pli_seconds();
    memset(&volume->stats, 0, sizeof volume->stats);
    volume->spans.count = 0;
    volume->call_began = volume->clock;
    for (uint32_t i = 0; i < q->bodies; i++) {
        pliant_body *body = q->body[i];
        if (body->context != volume->context) {
            return pli_fail(PLIANT_ERROR_ARGUMENT,
                            "the volume and the body have different contexts");
        }
        pliant_result result = pli_volume_check_closed(body->shape, q->options);
        uint64_t before = body->counts.vertices;
        result = result == PLIANT_OK ? pli_volume_prepare(body) : result;
        if (result != PLIANT_OK) {
            return result;
        }
        volume->stats.vertices_read += body->counts.vertices - before;
        q->box[i] = pli_volume_body_box(body);
    }
    volume->stats.seconds_image = pli_seconds() - started;
    q->limit = common_box(q);
    return PLIANT_OK;
}

/* Rays along the other two axes, for the other components of the gradients. */
static pliant_result ask_gradients(question *q)
{
    pliant_volume *volume = q->volume;
    uint32_t first = q->grid.axis[2], resolution = q->grid.resolution;
    volume->gradients[0].shares.count = volume->gradients[1].shares.count = 0;
    pliant_result result = pli_volume_share_ends(volume, q->body, q->bodies, &q->grid);
    q->spans = q->bounded = false;
    for (uint32_t k = 1; k < 3 && result == PLIANT_OK; k++) {
        result = ask_once(q, (first + k) % 3, resolution);
        if (result == PLIANT_OK) {
            result = pli_volume_share_ends(volume, q->body, q->bodies, &q->grid);
        }
    }
    return result == PLIANT_OK ? pli_volume_sum_shares(volume, q->bodies) : result;
}

static pliant_result ask(question *q, pliant_volume_measure *measure)
{
    pliant_result result = begin(q);
    if (result != PLIANT_OK) {
        return result;
    }
    if (q->limit <= 0.0) { /* apart, or touching in a plane at most */
        memset(measure, 0, sizeof *measure);
        return PLIANT_OK;
    }
    pliant_volume_measure found;
    q->spans = q->options->spans;
    q->ends = q->options->gradients;
    q->bounded = q->options->error_bound;
    for (uint32_t resolution = q->options->resolution;; resolution *= 2) {
        result = ask_once(q, PLI_ANY_AXIS, resolution);
        if (result != PLIANT_OK) {
            return result;
        }
        set_measure(q, &found);
        if (!(q->options->tolerance > 0.0) || found.error <= q->options->tolerance ||
            2 * resolution > q->options->max_resolution) {
            break;
        }
    }
    if (q->options->gradients) {
        result = ask_gradients(q);
    }
    if (result == PLIANT_OK) {
        set_arrays(q, &found);
        *measure = found;
    }
    return result;
}

/* --------------------------------------------------------------- calls */

pliant_result pli_volume_intersect(pliant_volume *volume, pliant_body *a, pliant_body *b,
                                   const pliant_volume_options *options,
                                   pliant_volume_measure *measure)
{
    bool self = a == b;
    question q = {.volume = volume,
                  .options = options,
                  .kind = self ? PLI_SWEEP_SELF : PLI_SWEEP_PAIR,
                  .body = {a, self ? NULL : b},
                  .bodies = self ? 1 : 2};
    return ask(&q, measure);
}

pliant_result pli_volume_measure(pliant_volume *volume, pliant_body *body,
                                 const pliant_volume_options *options, pli_sweep_kind kind,
                                 pliant_volume_measure *measure)
{
    question q = {
        .volume = volume, .options = options, .kind = kind, .body = {body, NULL}, .bodies = 1};
    return ask(&q, measure);
}
