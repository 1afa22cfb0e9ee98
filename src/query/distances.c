/*
 * The distances of many points to one body: the calls, the order that points are taken in, and the
 * workers that share them.
 */
#include "query/distance_stretch.h"
#include "scene/scene.h"

#include "base/error.h"
#include "base/float_env.h"
#include "base/context.h"
#include "base/sort.h"
#include "query/descend.h"

#include <math.h>
#include <string.h>

/* Spreads the lowest ten bits of x, two places between each. */
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 16) & UINT64_C(0x030000ff);
    x = (x | x << 8) & UINT64_C(0x0300f00f);
    x = (x | x << 4) & UINT64_C(0x030c30c3);
    return (x | x << 2) & UINT64_C(0x09249249);
}

/* A cube around the moderate points: its lower corner, and its cells per unit of length. */
static double cells_of(const pli_distance_call *q, double lower[3])
{
    double upper[3], side = 0.0;
    for (int k = 0; k < 3; k++) {
        lower[k] = (double)INFINITY;
        upper[k] = -(double)INFINITY;
    }
    for (uint64_t i = 0; i < q->count; i++) {
        const float *p = pli_distance_point(q, i);
        for (int k = 0; k < 3 && pli_distance_is_moderate(q, p); k++) {
            lower[k] = (double)p[k] < lower[k] ? (double)p[k] : lower[k];
            upper[k] = (double)p[k] > upper[k] ? (double)p[k] : upper[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        side = upper[k] - lower[k] > side ? upper[k] - lower[k] : side;
    }
    return side > 0.0 ? 1023.0 / side : 0.0;
}

static void write_keys(pli_distance_call *q, uint64_t *keys)
{
    double lower[3], cells = cells_of(q, lower);
    q->ordered = 0;
    for (uint64_t i = 0; i < q->count; i++) {
        const float *p = pli_distance_point(q, i);
        uint64_t key = 0;
        if (pli_distance_is_moderate(q, p)) {
            for (int k = 0; k < 3; k++) {
                key |= spread_bits((uint64_t)(((double)p[k] - lower[k]) * cells)) << k;
            }
            keys[q->ordered++] = key << 32 | i;
        }
    }
}

/* The points along a curve that goes through cells of their box, one near the other. */
pliant_result pli_distance_order(pli_distance_call *q)
{
    pli_worker *worker = q->scratch;
    size_t count = (size_t)q->count;
    if (!PLI_RESERVE(worker->context, &worker->order, count) ||
        !PLI_RESERVE(worker->context, &worker->order_scratch, count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    uint64_t *keys = worker->order.data;
    write_keys(q, keys);
    pli_sort_keys(keys, worker->order_scratch.data, NULL, NULL, (size_t)q->ordered);
    q->order = keys;
    return PLIANT_OK;
}

bool pli_distance_is_body_moderate(const pliant_body *body)
{
    bool moderate = true;
    for (int k = 0; k < 6; k++) {
        moderate = moderate && fabsf(body->root.box.side[k][0]) < PLI_POINT_MODERATE;
    }
    return moderate;
}

/* Of a prepared body nothing was refreshed, and others may be asking about it at the same time. */
static void add_refreshed(pliant_body *body, const pli_refresh_counts *made)
{
    if (made->nodes + made->clusters > 0) {
        body->counts.nodes += made->nodes;
        body->counts.clusters += made->clusters;
        body->counts.vertices += made->vertices;
        body->counts.vertices_on_demand += made->vertices_on_demand;
        body->counts.clusters_on_demand += made->clusters_on_demand;
        body->counts.measured += made->measured;
        body->counts.sizes += made->sizes;
        body->counts.cut_sizes += made->cut_sizes;
    }
}

/* Adds up what all workers did. */
static void gather_workers(const pli_distance_call *q, uint32_t workers)
{
    pliant_stats *stats = &q->scratch->stats;
    for (uint32_t w = 0; w < workers; w++) {
        const pli_point_worker *worker = &q->workers[w];
        pli_stats_add(stats, &worker->worker.stats);
        stats->pairs += worker->worker.stats.pairs;
        if (!q->alone) {
            add_refreshed(q->body, &worker->run.counts[0]);
        }
    }
}

static void reset_workers(const pli_distance_call *q, uint32_t workers)
{
    for (uint32_t w = 0; w < workers; w++) {
        pli_point_worker *worker = &q->workers[w];
        worker->worker.context = q->body->context;
        worker->worker.stats = (pliant_stats){0};
        worker->arena = (pli_arena){.worker = w};
        pli_run_init(&worker->run, &worker->worker, q->body, NULL);
        pli_run_set_arenas(&worker->run, q->alone ? NULL : &worker->arena, NULL);
    }
    pli_team_forget_failures(q->team);
}

static pliant_result run_stretches(pli_distance_call *q, uint32_t tasks)
{
    pliant_result result = PLIANT_OK;
    if (!q->alone) {
        result = pli_context_run(q->body->context, pli_distance_stretch, q, tasks);
    }
    for (uint32_t i = 0; i < tasks && q->alone; i++) {
        pli_distance_stretch(q, i, 0);
    }
    const pli_team_worker *failure = pli_team_first_failure(q->team);
    return result == PLIANT_OK && failure != NULL
               ? pli_fail(failure->result, "%s", failure->message)
               : result;
}

static pliant_result answer_all(pli_distance_call *q)
{
    uint32_t workers = pliant_context_get_worker_count(q->body->context);
    q->moderate = pli_distance_is_body_moderate(q->body);
    pliant_result result = pli_distance_order(q);
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t tasks = (uint32_t)((q->ordered + PLI_POINTS_PER_STRETCH - 1) / PLI_POINTS_PER_STRETCH);
    q->alone = workers == 1 || tasks < 2;
    reset_workers(q, workers);
    result = run_stretches(q, tasks);
    gather_workers(q, workers);
    if (result == PLIANT_OK && q->ordered < q->count) {
        q->alone = true; /* the other workers are done */
        reset_workers(q, workers);
        result = pli_distances_plainly(q);
        gather_workers(q, workers);
    }
    return result;
}

static pliant_result reserve_answers(pliant_query *query, pli_distance_call *q)
{
    uint32_t workers = pliant_context_get_worker_count(query->context);
    if (!PLI_RESERVE(query->context, &query->distances, (size_t)q->count) ||
        !PLI_CREATE(query->context, &query->point_workers, workers) ||
        !pli_team_create(query->context, &query->team)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    q->answers = query->distances.data;
    q->workers = query->point_workers.data;
    q->team = &query->team;
    return PLIANT_OK;
}

static pliant_result check_points(const pli_distance_call *q)
{
    for (uint64_t i = 0; i < q->count; i++) {
        const float *p = pli_distance_point(q, i);
        for (int k = 0; k < 3; k++) {
            if (!isfinite(p[k])) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE, "point %llu: coordinate %c is %f",
                                (unsigned long long)i, "xyz"[k], (double)p[k]);
            }
        }
    }
    return PLIANT_OK;
}

pliant_result pli_points_check(const pli_distance_call *q)
{
    size_t bytes = 0;
    if (q->stride < 3 * sizeof(float) || q->stride % sizeof(float) != 0) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "stride is %zu; it must be 0 or a multiple of 4 from 12 on", q->stride);
    }
    if (q->count > UINT32_MAX || !pli_size_multiply(q->stride, (size_t)q->count, &bytes)) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%llu points", (unsigned long long)q->count);
    }
    if (isnan(q->max_distance)) {
        return pli_fail(PLIANT_ERROR_NOT_FINITE, "max_distance is not a number");
    }
    if (q->max_distance < 0.0f) {
        return pli_fail(PLIANT_ERROR_RANGE, "max_distance is %f; it must be 0 or more",
                        (double)q->max_distance);
    }
    return check_points(q);
}

/* Answers into the query's own array, so that a failure leaves the caller's as it was. */
static pliant_result answer(pliant_query *query, pli_distance_call *q)
{
    pli_run run;
    pliant_result result = pli_points_check(q);
    if (result == PLIANT_OK) {
        pli_run_init(&run, &query->worker, q->body, NULL);
        result = pli_run_begin(&run);
    }
    if (result == PLIANT_OK) {
        result = reserve_answers(query, q);
    }
    if (result == PLIANT_OK && q->count > 0) {
        pli_stage_begin(q->body->context, PLIANT_STAGE_QUERY_TRAVERSE);
        result = answer_all(q);
        pli_stage_end(q->body->context, PLIANT_STAGE_QUERY_TRAVERSE);
    }
    if (result == PLIANT_OK) {
        pli_run_end(query, &run, q->scratch->stats.pairs);
    }
    return result;
}

pliant_result pli_distance_choose_side(const pliant_body *body, pliant_side_rule rule,
                                       pli_side_method *side)
{
    const pliant_shape *shape = body->shape;
    *side = PLI_SIDE_SURFACE;
    switch (rule) {
    case PLIANT_SIDE_SURFACE:
        return PLIANT_OK;
    case PLIANT_SIDE_INSIDE:
        if (!shape->block->is_closed) {
            return pli_fail(PLIANT_ERROR_ARGUMENT,
                            "the body has no inside: %u edges of its shape are open",
                            shape->block->quality.open_edge_count);
        }
        break;
    case PLIANT_SIDE_AUTO:
        if (!shape->block->is_closed) {
            return PLIANT_OK;
        }
        break;
    default:
        return pli_fail(PLIANT_ERROR_RANGE, "side is %d", (int)rule);
    }
    /* Vertices that were welded move alike unless each is given its position. */
    bool seams = shape->block->quality.welded_vertex_count != shape->vertex_count;
    *side = seams && body->by_positions ? PLI_SIDE_CHECKED : PLI_SIDE_WINDING;
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result measure(pliant_query *query, pli_distance_call *q,
                                          pliant_side_rule rule, pliant_signed_distance *distances)
{
    pliant_result result = pli_distance_choose_side(q->body, rule, &q->side);
    result = result == PLIANT_OK ? answer(query, q) : result;
    if (result == PLIANT_OK && q->count > 0) {
        memcpy(distances, q->answers, (size_t)q->count * sizeof *distances);
    }
    return result;
}

static PLI_NOINLINE pliant_result find_closest(pliant_query *query, pli_distance_call *q,
                                               pliant_closest *closest)
{
    pliant_result result = answer(query, q);
    for (uint64_t i = 0; result == PLIANT_OK && i < q->count; i++) {
        closest[i] = q->answers[i].closest;
    }
    return result;
}

PLIANT_DEFINE_DEFAULT(pliant_distance_options)
{
    pliant_distance_options options = {.tag = PLI_TAG(pliant_distance_options),
                                       .max_distance = INFINITY};
    return options;
}

pliant_result pliant_measure_distances(pliant_query *query, pliant_body *body, const float *points,
                                       uint64_t count, size_t stride,
                                       const pliant_distance_options *options,
                                       pliant_signed_distance *distances)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    if (count > 0) {
        PLI_REQUIRE(points);
        PLI_REQUIRE(distances);
    }
    pliant_distance_options defaults = pliant_distance_options_default();
    if (options == NULL) {
        options = &defaults;
    }
    PLI_REQUIRE_TAG(options, pliant_distance_options);
    pli_distance_call q = {.scratch = &query->worker,
                           .body = body,
                           .points = (const char *)points,
                           .stride = stride == 0 ? 3 * sizeof(float) : stride,
                           .count = count,
                           .max_distance = options->max_distance};
    pli_float_env env = pli_float_env_enter();
    pliant_result result = measure(query, &q, options->side, distances);
    pli_float_env_leave(env);
    return result;
}

pliant_result pliant_find_closest_points(pliant_query *query, pliant_body *body,
                                         const float *points, uint64_t count, size_t stride,
                                         float max_distance, pliant_closest *closest)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    if (count > 0) {
        PLI_REQUIRE(points);
        PLI_REQUIRE(closest);
    }
    pli_distance_call q = {.scratch = &query->worker,
                           .body = body,
                           .points = (const char *)points,
                           .stride = stride == 0 ? 3 * sizeof(float) : stride,
                           .count = count,
                           .max_distance = max_distance,
                           .side = PLI_SIDE_NONE};
    pli_float_env env = pli_float_env_enter();
    pliant_result result = find_closest(query, &q, closest);
    pli_float_env_leave(env);
    return result;
}
