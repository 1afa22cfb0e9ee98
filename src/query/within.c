/*
 * Which triangles of two bodies, or of one, are within a distance of each other. The walk is that
 * of pliant_collide() with the first body's boxes grown. Kernels drop in float32 what is certainly
 * farther (distance_kernels.c); the others are measured in double (geometry/triangle_distance.c),
 * except that whether they touch is asked exactly. What is reported depends on the triangles alone
 * and on no tree.
 */
#include "query/within.h"

#include "base/float_env.h"
#include "geometry/triangle_distance.h"
#include "query/neighbours.h"
#include "query/result.h"

static const pliant_within_options default_options = {.tag = PLI_TAG(pliant_within_options)};

pliant_within_options pliant_within_options_default(void)
{
    return default_options;
}

static pliant_result report(pli_within *w, uint32_t a, uint32_t b, const pliant_gap *gap)
{
    bool swap = w->walk.run.self && a > b;
    uint32_t first = swap ? b : a, second = swap ? a : b;
    pliant_proximity *place =
        pli_result_add_to(w->walk.run.query, (uint64_t)first << 32 | second, PLI_PROXIMITIES);
    if (place == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *place = (pliant_proximity){first, second, *gap};
    return PLIANT_OK;
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

static pliant_result measure(pli_within *w, pli_cluster_view a, uint32_t slot_a, pli_cluster_view b,
                             uint32_t slot_b)
{
    uint32_t triangle_a = pli_slot_triangle(a, slot_a), triangle_b = pli_slot_triangle(b, slot_b);
    if (!groups_allow(w, triangle_a, triangle_b)) {
        return PLIANT_OK;
    }
    if (w->walk.run.self && triangle_a > triangle_b) { /* distances are of a lower and a higher */
        return measure(w, b, slot_b, a, slot_a);
    }
    float corner_a[3][3], corner_b[3][3];
    const float(*p)[3] = (const float(*)[3])corner_a, (*q)[3] = (const float(*)[3])corner_b;
    pli_slot_corners(a, slot_a, corner_a);
    pli_slot_corners(b, slot_b, corner_b);
    pliant_stats *stats = &w->walk.run.query->stats;
    stats->triangle_tests++;
    double d = (double)w->walk.grow;
    if (d == 0.0 && !pli_triangle_overlap(p, q, &stats->exact_fallbacks)) {
        return PLIANT_OK;
    }
    pliant_gap gap;
    double distance = pli_triangle_distance(p, q, &gap, &stats->exact_fallbacks);
    if (distance > d) {
        double slack = d > 0.0 ? PLI_DISTANCE_ERROR * pli_coordinate_spread(p, q, 3) : 0.0;
        if (distance > d + slack) {
            return PLIANT_OK;
        }
    }
    return report(w, triangle_a, triangle_b, &gap);
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
    return result;
}

void pli_within_init(pli_within *w, pliant_query *query, pliant_body *a, pliant_body *b,
                     float distance, const pliant_within_options *options)
{
    w->options = options != NULL ? options : &default_options;
    pli_walk_init(&w->walk, query, a, b, measure_clusters);
    pli_near_begin(&w->near, &w->walk, distance);
}

static pliant_result walk(pli_within *w)
{
    pliant_result result = pli_run_begin(&w->walk.run);
    if (result == PLIANT_OK) {
        pli_near_prepared(&w->near, &w->walk);
        result = pli_walk_push_meeting_roots(&w->walk);
    }
    return result == PLIANT_OK ? pli_walk_work(&w->walk) : result;
}

static PLI_NOINLINE pliant_result find_within(pliant_query *query, pliant_body *a, pliant_body *b,
                                              float distance, const pliant_within_options *options,
                                              pliant_proximities *proximities)
{
    pli_within w;
    pli_within_init(&w, query, a, b, distance, options);
    pliant_result result = walk(&w);
    if (result == PLIANT_OK) {
        result = pli_run_sort(&w.walk.run, 1u << PLI_PROXIMITIES, NULL);
    }
    if (result == PLIANT_OK) {
        pli_run_end(&w.walk.run, query->keys.count);
        proximities->pairs =
            query->keys.count > 0 ? query->columns[PLI_PROXIMITIES].sorted.data : NULL;
        proximities->count = query->keys.count;
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
