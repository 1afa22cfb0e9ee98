/*
 * Which triangles of two bodies, or of one, are within a distance of each other. The walk is that
 * of pliant_collide() with the first body's boxes grown. Kernels drop in float32 what is certainly
 * farther (distance_kernels.c); the others are measured in double, several at once
 * (geometry/nearest_kernels.c), except that whether they touch is asked exactly. What is reported
 * depends on the triangles alone and on no tree.
 */
#include "query/within.h"

#include "base/float_env.h"
#include "geometry/triangle_distance.h"
#include "query/neighbours.h"

#include <math.h>
#include <string.h>

static const pliant_within_options default_options = {.tag = PLI_TAG(pliant_within_options)};

PLIANT_DEFINE_DEFAULT(pliant_within_options)
{
    return default_options;
}

/* A place for the gap of two triangles; NULL without memory. */
static pliant_gap *add_gap(pli_within *w, uint32_t a, uint32_t b)
{
    pli_worker *worker = w->walk.run.worker;
    pliant_proximity *place =
        pli_results_add(worker, worker->results, (uint64_t)a << 32 | b, PLI_PROXIMITIES);
    if (place == NULL) {
        return NULL;
    }
    place->a = a;
    place->b = b;
    return &place->gap;
}

static uint32_t group_of(const pliant_shape *shape, uint32_t triangle)
{
    return shape->groups != NULL ? shape->groups[triangle] : 0;
}

static bool groups_allow(const pli_within *w, uint32_t a, uint32_t b)
{
    const pliant_within_options *options = w->options;
    const pli_run *run = &w->walk.run;
    const pliant_shape *first = run->body[0]->shape, *second = run->body[1]->shape;
    if (options->across_groups && group_of(first, a) == group_of(second, b)) {
        return false;
    }
    return (pli_in_groups(first, options->groups_a, a) &&
            pli_in_groups(second, options->groups_b, b)) ||
           (run->self && pli_in_groups(first, options->groups_a, b) &&
            pli_in_groups(second, options->groups_b, a));
}

/* One of the pairs that wait. */
static void waiting_corners(const float corners[3][3][PLI_MEASURED_AT_ONCE], uint32_t i,
                            float corner[3][3])
{
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            corner[c][k] = corners[c][k][i];
        }
    }
}

/* Returns true if a computed distance is reported. */
static bool is_within(const pli_within *w, double distance)
{
    return distance <= (double)w->near.distance;
}

/* A pair that no kernel can measure, since it may touch: one by one, and exactly. */
static pliant_result measure_alone(pli_within *w, uint32_t i)
{
    float a[3][3], b[3][3];
    const float(*p)[3] = (const float(*)[3])a, (*q)[3] = (const float(*)[3])b;
    uint64_t *fallbacks = &w->walk.run.worker->stats.exact_fallbacks;
    const pli_measured_triangles *corners = &w->waiting.corners;
    waiting_corners(corners->a, i, a);
    waiting_corners(corners->b, i, b);
    if (w->walk.grow == 0.0f && !pli_triangle_overlap(p, q, fallbacks)) {
        return PLIANT_OK;
    }
    pliant_gap gap;
    if (!is_within(w, pli_triangle_distance(p, q, &gap, fallbacks))) {
        return PLIANT_OK;
    }
    pliant_gap *place = add_gap(w, w->waiting.a[i], w->waiting.b[i]);
    if (place == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *place = gap;
    return PLIANT_OK;
}

static pliant_surface_point surface_point(const double point[3][PLI_MEASURED_AT_ONCE],
                                          unsigned corners, uint32_t i)
{
    pliant_surface_point at = {{point[0][i], point[1][i], point[2][i]}, PLIANT_FEATURE_FACE, 0};
    pli_surface_feature_set(&at, corners);
    return at;
}

static pliant_result report(pli_within *w, const pli_measured_gaps *gaps, uint32_t i)
{
    if (!is_within(w, gaps->distance[i])) {
        return PLIANT_OK;
    }
    pliant_gap *place = add_gap(w, w->waiting.a[i], w->waiting.b[i]);
    if (place == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    place->distance = gaps->distance[i];
    place->a = surface_point(gaps->point_a, gaps->corners_a[i], i);
    place->b = surface_point(gaps->point_b, gaps->corners_b[i], i);
    return PLIANT_OK;
}

/* Measures the pairs that wait. */
static pliant_result work_off(pli_within *w)
{
    pli_measured_gaps gaps;
    uint32_t count = w->waiting.count;
    unsigned apart =
        w->walk.grow > 0.0f ? w->nearest->measure(&w->waiting.corners, count, &gaps) : 0;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < count && result == PLIANT_OK; i++) {
        result = (apart >> i & 1) != 0 ? report(w, &gaps, i) : measure_alone(w, i);
    }
    w->walk.run.worker->stats.triangle_tests += count;
    w->waiting.count = 0;
    return result;
}

static void put_corners(float corners[3][3][PLI_MEASURED_AT_ONCE], uint32_t i,
                        pli_cluster_view view, uint32_t slot)
{
    float corner[3][3];
    pli_slot_corners(view, slot, corner);
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            corners[c][k][i] = corner[c][k];
        }
    }
}

/* Puts a pair to those that wait. Of one body the lower triangle comes first, since distances are
   of a first and a second. */
static pliant_result measure(pli_within *w, pli_cluster_view a, uint32_t slot_a, pli_cluster_view b,
                             uint32_t slot_b)
{
    uint32_t triangle_a = pli_slot_triangle(a, slot_a), triangle_b = pli_slot_triangle(b, slot_b);
    if (w->grouped && !groups_allow(w, triangle_a, triangle_b)) {
        return PLIANT_OK;
    }
    if (w->walk.run.self && triangle_a > triangle_b) {
        return measure(w, b, slot_b, a, slot_a);
    }
    uint32_t i = w->waiting.count++;
    w->waiting.a[i] = triangle_a;
    w->waiting.b[i] = triangle_b;
    put_corners(w->waiting.corners.a, i, a, slot_a);
    put_corners(w->waiting.corners.b, i, b, slot_b);
    return w->waiting.count == PLI_MEASURED_AT_ONCE ? work_off(w) : PLIANT_OK;
}

static pliant_result measure_clusters(pli_walk *walk, pli_cluster_view a, pli_cluster_view b)
{
    pli_within *w = (pli_within *)walk;
    uint8_t slot_a[PLI_CANDIDATES], slot_b[PLI_CANDIDATES];
    uint32_t count = 0;
    pliant_result result = pli_near_list(&w->near, walk, a, b, slot_a, slot_b, &count);
    if (result == PLIANT_OK && walk->run.self && count > 0) {
        count = pli_part_neighbours(walk->kernels, a, slot_a, b, slot_b, count, NULL);
    }
    if (result == PLIANT_OK && count > 0) {
        pli_near_limit limit = pli_near_limit_of(walk, a, b);
        count = pli_near_filter(&w->near, &limit, a, slot_a, b, slot_b, count);
    }
    for (uint32_t i = 0; i < count && result == PLIANT_OK; i++) {
        result = measure(w, a, slot_a[i], b, slot_b[i]);
    }
    return result == PLIANT_OK && w->waiting.count > 0 ? work_off(w) : result;
}

void pli_within_init(pli_within *w, pli_worker *worker, pliant_body *a, pliant_body *b,
                     float distance, const pliant_within_options *options)
{
    w->options = options != NULL ? options : &default_options;
    w->grouped = w->options->across_groups || w->options->groups_a.bits != NULL ||
                 w->options->groups_b.bits != NULL;
    w->nearest = pli_context_kernels(worker->context)->nearest;
    memset(&w->waiting, 0, sizeof w->waiting);
    pli_walk_init(&w->walk, worker, a, b, measure_clusters);
    pli_near_begin(&w->near, &w->walk, distance);
}

static pliant_result walk(pli_within *w)
{
    pliant_result result = pli_run_begin(&w->walk.run);
    if (result == PLIANT_OK) {
        pli_near_prepared(&w->near, &w->walk);
        result = pli_walk_push_meeting_roots(&w->walk);
    }
    return result == PLIANT_OK ? pli_walk_all(&w->walk) : result;
}

static PLI_NOINLINE pliant_result find_within(pliant_query *query, pliant_body *a, pliant_body *b,
                                              float distance, const pliant_within_options *options,
                                              pliant_proximities *proximities)
{
    pli_within w;
    pli_within_init(&w, &query->worker, a, b, distance, options);
    pliant_result result = walk(&w);
    pli_collection *found = &query->found;
    if (result == PLIANT_OK) {
        result = pli_run_collect(
            &w.walk.run, (pli_collecting){.list_count = 1, .columns = 1u << PLI_PROXIMITIES},
            found);
    }
    if (result == PLIANT_OK) {
        pli_run_end(query, &w.walk.run, found->total);
        proximities->pairs = found->total > 0 ? found->column[PLI_PROXIMITIES].data : NULL;
        proximities->count = found->total;
    }
    return result;
}

static pliant_result answer(pliant_query *query, pliant_body *a, pliant_body *b, float distance,
                            const pliant_within_options *options, pliant_proximities *proximities)
{
    if (options != NULL) {
        PLI_REQUIRE_TAG(options, pliant_within_options);
    }
    pliant_result result = pli_distance_check(distance);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = find_within(query, a, b, distance, options, proximities);
        pli_float_env_leave(env);
    }
    return result;
}

pliant_result pliant_find_within(pliant_query *query, pliant_body *a, pliant_body *b,
                                 float distance, const pliant_within_options *options,
                                 pliant_proximities *proximities)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE(proximities);
    if (a == b) {
        return pli_fail(
            PLIANT_ERROR_ARGUMENT,
            "pliant_find_within: both bodies are the same; use pliant_find_within_self");
    }
    return answer(query, a, b, distance, options, proximities);
}

pliant_result pliant_find_within_self(pliant_query *query, pliant_body *body, float distance,
                                      const pliant_within_options *options,
                                      pliant_proximities *proximities)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    PLI_REQUIRE(proximities);
    return answer(query, body, body, distance, options, proximities);
}
