/*
 * Which triangles of two bodies, or of one, are within a distance of each other. The walk is that
 * of pliant_collide() with the first body's boxes grown. Kernels drop in float32 what is certainly
 * farther (distance_kernels.c); the others are measured in double, several at once
 * (geometry/nearest_kernels.c), except that whether they touch is asked exactly. What is reported
 * depends on the triangles alone and on no tree.
 */
#include "query/near_clusters.h"

#include "geometry/nearest_kernels.h"
#include "geometry/triangle_distance.h"
#include "query/neighbours.h"
#include "query/query_kind.h"

#include <math.h>
#include <string.h>

/* Pairs of triangles that wait for a kernel, which measures several at once. */
typedef struct pli_waiting_triangles {
    uint32_t count;
    uint32_t a[PLI_MEASURED_AT_ONCE], b[PLI_MEASURED_AT_ONCE]; /* the caller's numbers */
    pli_measured_triangles corners;
} pli_waiting_triangles;

typedef struct pli_within {
    pli_walk walk; /* the first member, as every walk's; grown by what was asked for and both
                      bodies' errors */
    pliant_within_options options;
    bool grouped; /* not all groups are asked for */
    pli_near near;
    const pli_nearest_kernels *nearest;
    pli_waiting_triangles waiting; /* none from one pair of clusters to the next */
} pli_within;

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
    const pliant_within_options *options = &w->options;
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

static pliant_result report_gap(pli_within *w, const pli_measured_gaps *gaps, uint32_t i)
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
        result = (apart >> i & 1) != 0 ? report_gap(w, &gaps, i) : measure_alone(w, i);
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

/* ---------------------------------------------------------------- the query */

static bool begin(pli_walk *walk, pli_worker *worker, const pli_comparison *c, const pli_pair *pair)
{
    pli_within *w = (pli_within *)walk;
    pliant_body *const *body = pair->body;
    _Static_assert(sizeof *w <= PLI_VISITOR_BYTES, "a visitor has room for it");
    w->options = *(const pliant_within_options *)c->options;
    if (c->query == NULL) {
        w->options.groups_a = pair->groups[0] != NULL ? *pair->groups[0] : w->options.groups_a;
        w->options.groups_b = pair->groups[1] != NULL ? *pair->groups[1] : w->options.groups_b;
        w->options.across_groups = w->options.across_groups && body[0] == body[1];
        if (w->options.across_groups && body[0]->shape->groups == NULL) {
            return false; /* all triangles are of one group */
        }
    }
    w->grouped = w->options.across_groups || w->options.groups_a.bits != NULL ||
                 w->options.groups_b.bits != NULL;
    w->nearest = pli_context_kernels(worker->context)->nearest;
    memset(&w->waiting, 0, sizeof w->waiting);
    pli_walk_init(&w->walk, worker, body[0], body[1], measure_clusters);
    pli_near_begin(&w->near, &w->walk, c->distance);
    pli_near_prepared(&w->near, &w->walk);
    return true;
}

static pliant_result plan(pli_comparison *c)
{
    const pliant_within_options *options = c->options;
    PLI_REQUIRE_TAG(options, pliant_within_options);
    c->plan = (pli_plan){.columns = 1u << PLI_PROXIMITIES};
    return pli_distance_check(c->distance);
}

static void adopt(const pliant_scene_options *options, pli_own_options *own)
{
    own->within = default_options;
    own->within.across_groups = options->across_groups;
}

static void report(const pli_report *from, void *result)
{
    *(pliant_proximities *)result = (pliant_proximities){
        .pairs = pli_report_column(from, PLI_PROXIMITIES), .count = from->count};
}

static void report_scene(const pli_report *from, void *result)
{
    *(pliant_scene_proximities *)result =
        (pliant_scene_proximities){.bodies = from->bodies,
                                   .body_pair_count = from->body_count,
                                   .pairs = pli_report_column(from, PLI_PROXIMITIES),
                                   .count = from->count};
}

const pli_query_kind pli_within_kind = {.number = PLIANT_RECORDED_FIND_WITHIN,
                                        .defaults = &default_options,
                                        .takes_distance = true,
                                        .takes_number = true,
                                        .has_self = true,
                                        .list_count = 1,
                                        .scene_result_size = sizeof(pliant_scene_proximities),
                                        .adopt = adopt,
                                        .plan = plan,
                                        .begin = begin,
                                        .report = report,
                                        .report_scene = report_scene};

pliant_result pliant_find_within(pliant_query *query, pliant_body *a, pliant_body *b,
                                 float distance, const pliant_within_options *options,
                                 pliant_proximities *proximities)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE(proximities);
    return pli_query_bodies(&pli_within_kind, __func__, query, a, b, false, distance, options,
                            proximities);
}

pliant_result pliant_find_within_self(pliant_query *query, pliant_body *body, float distance,
                                      const pliant_within_options *options,
                                      pliant_proximities *proximities)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(body);
    PLI_REQUIRE(proximities);
    return pli_query_bodies(&pli_within_kind, __func__, query, body, body, true, distance, options,
                            proximities);
}

pliant_result pliant_scene_find_within(pliant_scene *scene, float distance,
                                       const pliant_scene_options *options,
                                       pliant_scene_proximities *proximities)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(proximities);
    return pli_query_scene(&pli_within_kind, __func__, scene, distance, options, proximities);
}
