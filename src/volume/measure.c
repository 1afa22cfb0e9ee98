/*
 * Volumes: of what two bodies have in common, of a body, and of where it overlaps itself.
 * Based on: Heidelberger, Teschner & Gross, Volumetric Collision Detection for Deformable Objects,
 * 2003, section 2.3. The range that comes with every volume, refinement, and self-overlap (which
 * the paper proposes as future work) are ours.
 */
#include "volume.h"

#include "base/clock.h"
#include "base/observer.h"
#include "volume/refine.h"
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
    pli_window window[2]; /* of each body's image */
    pli_ray_sweep sweep;
    pli_sweep_sums sums;
    uint32_t range_shift; /* the range is summed up on a grid so much finer: pli_refinement */
    uint64_t open_rays;
} question;

/* --------------------------------------------------------------- sweeps */

/* Goes along the rays of some rows; false if a sink stopped. */
static bool sweep_rows(const question *q, uint32_t index, pli_sweep_sums *sums)
{
    uint32_t rows = q->grid.resolution, end = (index + 1) * ROWS_PER_TASK;
    bool done = true;
    pli_sweep_clear(sums);
    for (uint32_t row = index * ROWS_PER_TASK; row < end && row < rows && done; row++) {
        done = pli_sweep_row(&q->sweep, row, sums);
    }
    return done;
}

static void sweep_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const question *q = argument;
    sweep_rows(q, index, &q->volume->task_sums.data[index]);
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

/* Goes along all rays, if `any` meet something: in rows by all workers, or, where spans are kept,
   in order. */
static pliant_result sweep_all(question *q, bool any)
{
    pliant_volume *volume = q->volume;
    volume->spans.count = q->spans ? 0 : volume->spans.count;
    volume->gradients[0].ends.count = volume->gradients[1].ends.count = 0;
    pli_sweep_clear(&q->sums);
    if (!any) {
        return PLIANT_OK;
    }
    uint32_t tasks = (q->grid.resolution + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
    if (q->spans || q->ends) {
        q->sweep.sink = keep_span;
        q->sweep.sink_user = q;
        for (uint32_t i = 0; i < tasks; i++) {
            pli_sweep_sums sums;
            if (!sweep_rows(q, i, &sums)) {
                return PLIANT_ERROR_OUT_OF_MEMORY;
            }
            pli_sweep_add(&q->sums, &sums);
        }
        return PLIANT_OK;
    }
    if (!PLI_RESERVE(volume->context, &volume->task_sums, tasks)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = pli_context_run(volume->context, sweep_task, q, tasks);
    for (uint32_t i = 0; i < tasks && result == PLIANT_OK; i++) {
        pli_sweep_add(&q->sums, &volume->task_sums.data[i]);
    }
    return result;
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
    const pli_image *image = q->sweep.image[imaged];
    const pli_occupied occupied = pli_image_occupied(image);
    if (occupied.first[0] > occupied.last[0]) {
        return false;
    }
    for (uint32_t k = 0; k < 2; k++) {
        window->first[k] = image->window.first[k] + occupied.first[k];
        window->last[k] = image->window.first[k] + occupied.last[k];
    }
    /* Far more than depths are off by rounding. */
    double margin = 0x1p-10 * grid->extent[2];
    if (grid->from_upper[1 - imaged]) {
        float least =
            nextafterf((float)(pli_grid_depth(grid, occupied.depth[0]) - margin), -INFINITY);
        window->depth[0] = least > window->depth[0] ? least : window->depth[0];
    } else {
        float most =
            nextafterf((float)(pli_grid_depth(grid, occupied.depth[1]) + margin), INFINITY);
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
static void set_whole_depths(question *q, uint32_t i, const pli_image *first)
{
    pli_whole_depths whole = {0, PLI_DEPTH_STEPS};
    if (q->bodies > 1) {
        const uint32_t margin = PLI_DEPTH_STEPS >> 11;
        uint32_t from = 1, to = PLI_DEPTH_STEPS - 1;
        if (first != NULL) {
            pli_occupied occupied = pli_image_occupied(first);
            from = occupied.depth[0] > margin ? occupied.depth[0] - margin : from;
            to = occupied.depth[1] < to - margin ? occupied.depth[1] + margin : to;
        }
        whole.from = q->grid.from_upper[i] ? from : whole.from;
        whole.to = q->grid.from_upper[i] ? whole.to : to;
    }
    q->sweep.whole[i] = q->volume->backend == NULL ? whole : (pli_whole_depths){1, 0};
}

static pliant_result image_body(question *q, uint32_t i, const pli_window *window)
{
    pli_image_request request = {.body = q->body[i],
                                 .grid = q->grid,
                                 .window = *window,
                                 .intervals = q->bounded,
                                 .cull = q->options->cull};
    pliant_result result = pli_volume_image(q->volume, &request, &q->sweep.image[i]);
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t axis = q->grid.axis[2];
    q->window[i] = *window;
    q->sweep.from_upper[i] = q->grid.from_upper[i];
    set_whole_depths(q, i, q->sweep.image[1 - i]);
    /* Rays that see all of the body along them must end outside. */
    bool whole = !q->options->cull || (q->box[i].lower[axis] >= window->depth[0] &&
                                       q->box[i].upper[axis] <= window->depth[1]);
    q->open_rays += whole ? pli_image_open_rays(q->sweep.image[i]) : 0;
    q->volume->stats.depth_complexity[i] = pli_image_depth_complexity(q->sweep.image[i]);
    return PLIANT_OK;
}

/* Images of all bodies, that of fewer triangles first. *any: there is something to sweep. */
static pliant_result image_all(question *q, bool *any)
{
    pli_window window = pli_grid_whole(&q->grid);
    uint32_t first =
        q->bodies > 1 && q->body[1]->shape->triangle_count < q->body[0]->shape->triangle_count;
    q->sweep = (pli_ray_sweep){.kind = q->kind, .intervals = q->bounded};
    q->open_rays = 0;
    *any = true;
    pliant_result result = image_body(q, first, &window);
    if (result == PLIANT_OK && q->bodies > 1) {
        q->volume->stats.depth_complexity[1 - first] = 0;
        *any = narrow_window(q, first, &window);
        result = *any ? image_body(q, 1 - first, &window) : PLIANT_OK;
    }
    q->sweep.window = window;
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
static pliant_result sweep_and_refine(question *q, bool any)
{
    q->range_shift = 0;
    bool refined = any && is_refined(q);
    if (refined && !pli_refine_begin(q->volume, &q->sweep)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = sweep_all(q, any);
    return result == PLIANT_OK && refined ? refine(q) : result;
}

/* Images of all bodies and the sums over their rays, along one axis at one resolution. */
static pliant_result ask_once(question *q, uint32_t axis, uint32_t resolution)
{
    pliant_volume *volume = q->volume;
    double started = pli_seconds();
    if (q->kind == PLI_SWEEP_PAIR) {
        pli_grid_for_pair(q->box, axis, resolution, &q->grid);
    } else {
        pli_grid_for_body(&q->box[0], axis, resolution, &q->grid);
    }
    bool any;
    pli_stage_begin(volume->context, PLIANT_STAGE_VOLUME_IMAGE);
    pliant_result result = image_all(q, &any);
    pli_stage_end(volume->context, PLIANT_STAGE_VOLUME_IMAGE);
    double imaged = pli_seconds();
    volume->stats.seconds_image += imaged - started;
    if (result == PLIANT_OK) {
        pli_stage_begin(volume->context, PLIANT_STAGE_VOLUME_QUERY);
        result = sweep_and_refine(q, any);
        pli_stage_end(volume->context, PLIANT_STAGE_VOLUME_QUERY);
    }
    volume->stats.seconds_query += pli_seconds() - imaged;
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
