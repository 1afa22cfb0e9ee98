/*
 * Which triangles of two bodies are within a distance of each other. The walk is that of
 * pliant_collide() with the first body's boxes grown; triangles are measured in double
 * (geometry/triangle_distance.c), except that whether they touch is asked exactly.
 *
 * Boxes grow by the distance d in float32, rounded to nearest: a lower side x meets an upper side
 * h, itself a float, if x - d <= h, and because rounding is monotone fl(x - d) <= h follows. For
 * the same reason a grown box holds every grown box of what it holds, so which pairs are measured
 * depends on the triangles alone and on no tree.
 */
#include "query/probe.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "geometry/triangle_distance.h"
#include "query/boxes.h"
#include "query/spheres.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct within {
    pli_probe probe;
    const pliant_within_options *options;
    const pli_pair_kernels *kernels;
    float distance;                       /* what was asked for and both bodies' errors */
    bool spheres;                         /* both bodies' nodes have spheres */
    const pli_cluster_record *grown_from; /* what query->grown was made of */
} within;

static const pliant_within_options default_options = {.tag = PLI_TAG(pliant_within_options)};

pliant_within_options pliant_within_options_default(void)
{
    return default_options;
}

/* Grows `width` boxes whose sides follow each other: lower ones, then upper ones. What overflows
   ends at the largest float: infinite boxes would meet empty ones. */
static void grow_boxes(const float *from, float *to, size_t width, float distance)
{
    for (size_t i = 0; i < 3 * width; i++) {
        float lower = from[i] - distance, upper = from[3 * width + i] + distance;
        to[i] = lower < -FLT_MAX ? -FLT_MAX : lower;
        to[3 * width + i] = upper > FLT_MAX ? FLT_MAX : upper;
    }
}

static pli_boxes grown_boxes(const within *w, const pli_boxes *boxes)
{
    pli_boxes grown;
    grow_boxes(boxes->side[0], grown.side[0], PLI_WIDTH, w->distance);
    return grown;
}

static pliant_result report(within *w, uint32_t a, uint32_t b, const pliant_gap *gap)
{
    pliant_query *query = w->probe.query;
    pliant_proximity *proximities =
        pli_grow(query->context, query->proximities, &query->proximity_room, query->key_count + 1,
                 sizeof *proximities);
    if (proximities == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    query->proximities = proximities;
    proximities[query->key_count] = (pliant_proximity){a, b, *gap};
    return pli_probe_add_key(&w->probe, (uint64_t)a << 32 | b);
}

/*
 * Whether the boxes of two triangles are farther apart than the distance. The squared gap is off by
 * a factor below 1 + 6e, and that of the distance, 24 bits long, is exact.
 */
static bool boxes_too_far(const within *w, const pli_cluster_record *a, uint32_t slot_a,
                          const pli_cluster_record *b, uint32_t slot_b)
{
    double squared = 0.0, d = (double)w->distance;
    for (size_t k = 0; k < 3; k++) {
        double low_a = (double)a->data[k * a->slots + slot_a];
        double high_a = (double)a->data[(3 + k) * a->slots + slot_a];
        double low_b = (double)b->data[k * b->slots + slot_b];
        double high_b = (double)b->data[(3 + k) * b->slots + slot_b];
        double gap = fmax(fmax(low_a - high_b, low_b - high_a), 0.0);
        squared += gap * gap;
    }
    return squared > d * d * (1.0 + 0x1p-40);
}

static bool groups_allow(const within *w, uint32_t a, uint32_t b)
{
    return pli_in_groups(w->probe.body[0]->shape, w->options->groups_a, a) &&
           pli_in_groups(w->probe.body[1]->shape, w->options->groups_b, b);
}

static pliant_result measure(within *w, pli_cluster_view a, uint32_t slot_a, pli_cluster_view b,
                             uint32_t slot_b)
{
    uint32_t triangle_a = pli_slot_triangle(a, slot_a), triangle_b = pli_slot_triangle(b, slot_b);
    if (!groups_allow(w, triangle_a, triangle_b)) {
        return PLIANT_OK;
    }
    float corner_a[3][3], corner_b[3][3];
    const float(*p)[3] = (const float(*)[3])corner_a, (*q)[3] = (const float(*)[3])corner_b;
    pli_slot_corners(a, slot_a, corner_a);
    pli_slot_corners(b, slot_b, corner_b);
    pliant_stats *stats = &w->probe.query->stats;
    stats->triangle_tests++;
    double spread = pli_coordinate_spread(p, q, 3), d = (double)w->distance;
    if (pli_triangles_clear(p, q, d, spread) ||
        (d == 0.0 && !pli_triangle_overlap(p, q, &stats->exact_fallbacks))) {
        return PLIANT_OK;
    }
    pliant_gap gap;
    double slack = d > 0.0 ? PLI_DISTANCE_ERROR * spread : 0.0;
    double distance = pli_triangle_distance(p, q, &gap, &stats->exact_fallbacks);
    return distance <= d + slack ? report(w, triangle_a, triangle_b, &gap) : PLIANT_OK;
}

/* A copy of a cluster's boxes, grown; nothing else of it. */
static pliant_result grow_cluster(within *w, const pli_cluster_record *record)
{
    pliant_query *query = w->probe.query;
    if (query->grown == NULL) {
        query->grown = pli_allocate(query->context, pli_query_grown_size());
        if (query->grown == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    if (w->grown_from != record) {
        w->grown_from = record;
        query->grown->slots = record->slots;
        query->grown->leaf_box = grown_boxes(w, &record->leaf_box);
        grow_boxes(record->data, query->grown->data, record->slots, w->distance);
    }
    return PLIANT_OK;
}

static pliant_result measure_clusters(within *w, pli_cluster_view a, pli_cluster_view b)
{
    uint8_t slot_a[PLI_CANDIDATES], slot_b[PLI_CANDIDATES];
    pliant_result result = grow_cluster(w, a.record);
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t candidates =
        w->kernels->list_candidates(w->probe.query->grown, b.record, slot_a, slot_b);
    for (uint32_t i = 0; i < candidates && result == PLIANT_OK; i++) {
        if (!boxes_too_far(w, a.record, slot_a[i], b.record, slot_b[i])) {
            result = measure(w, a, slot_a[i], b, slot_b[i]);
        }
    }
    return result;
}

/* Two nodes, or a node and a cluster that waits: bit 8 i + j of the mask for children i and j. */
static pliant_result push_pairs(within *w, const pli_task *task, pli_node_record *a,
                                pli_node_record *b)
{
    const pli_node *node_a = &w->probe.body[0]->shape->nodes[a != NULL ? task->child_a : 0];
    const pli_node *node_b = &w->probe.body[1]->shape->nodes[b != NULL ? task->child_b : 0];
    unsigned lanes_a = a != NULL ? pli_child_lanes(node_a) : 1u << task->lane_a;
    unsigned lanes_b = b != NULL ? pli_child_lanes(node_b) : 1u << task->lane_b;
    pli_boxes grown = grown_boxes(w, a != NULL ? &a->box : &task->parent_a->box);
    const pli_boxes *others = b != NULL ? &b->box : &task->parent_b->box;
    uint64_t mask = w->kernels->boxes_meet(grown.side[0], PLI_WIDTH, others->side[0], PLI_WIDTH);
    mask &= pli_spread_lanes(lanes_a, lanes_b);
    if (w->spheres) {
        mask = pli_spheres_filter(mask, pli_record_spheres(a != NULL ? a : task->parent_a),
                                  pli_record_spheres(b != NULL ? b : task->parent_b),
                                  (double)w->distance);
    }
    for (; mask != 0; mask &= mask - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(mask);
        uint32_t i = bit / PLI_WIDTH, j = bit % PLI_WIDTH;
        pli_task below = *task;
        if (a != NULL) {
            below.parent_a = a;
            below.child_a = node_a->child[i];
            below.lane_a = i;
        }
        if (b != NULL) {
            below.parent_b = b;
            below.child_b = node_b->child[j];
            below.lane_b = j;
        }
        pliant_result result = pli_query_push(w->probe.query, &below);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return PLIANT_OK;
}

/* Opens both children of a task, except that a cluster waits until it meets another one. */
static pliant_result open_task(within *w, const pli_task *task)
{
    pliant_body *a = w->probe.body[0], *b = w->probe.body[1];
    bool cluster_a = task->child_a & PLI_CLUSTER_BIT, cluster_b = task->child_b & PLI_CLUSTER_BIT;
    void *record_a = NULL, *record_b = NULL;
    pliant_result result = PLIANT_OK;
    w->probe.query->stats.nodes_tested++;
    if (!cluster_a || cluster_b) {
        result = pli_body_child(a, task->parent_a, task->lane_a, task->child_a, &record_a);
    }
    if ((!cluster_b || cluster_a) && result == PLIANT_OK) {
        result = pli_body_child(b, task->parent_b, task->lane_b, task->child_b, &record_b);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    if (cluster_a && cluster_b) {
        return measure_clusters(w, pli_view_cluster(a, task->child_a, record_a),
                                pli_view_cluster(b, task->child_b, record_b));
    }
    return push_pairs(w, task, record_a, record_b);
}

static pliant_result walk(within *w)
{
    pliant_query *query = w->probe.query;
    pliant_body *a = w->probe.body[0], *b = w->probe.body[1];
    pli_boxes whole = grown_boxes(w, &a->top.box);
    pliant_result result = PLIANT_OK;
    if (pli_box_meets(&whole, 0, &b->top.box) & 1) {
        result = pli_query_push(query, &(pli_task){&a->top, &b->top, 0, 0, 0, 0});
    }
    while (query->task_count > 0 && result == PLIANT_OK) {
        pli_task task = query->tasks[--query->task_count];
        result = open_task(w, &task);
    }
    return result;
}

static pliant_result sort_proximities(pliant_query *query)
{
    double started = pli_seconds();
    size_t count = query->key_count;
    pliant_result result = pli_query_sort(query, true);
    if (result != PLIANT_OK || count == 0) {
        return result;
    }
    pliant_proximity *sorted = pli_grow(query->context, query->sorted_proximities,
                                        &query->sorted_proximity_room, count, sizeof *sorted);
    if (sorted == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    query->sorted_proximities = sorted;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = query->proximities[query->order[i]];
    }
    query->stats.seconds_sort = pli_seconds() - started;
    return PLIANT_OK;
}

static pliant_result check_question(float distance, const pliant_within_options *options)
{
    PLI_REQUIRE_TAG(options, pliant_within_options);
    if (!isfinite(distance)) {
        return pli_fail(PLIANT_ERROR_NOT_FINITE, "distance is %f", (double)distance);
    }
    if (distance < 0.0f) {
        return pli_fail(PLIANT_ERROR_RANGE, "distance is %g; it must be 0 or more",
                        (double)distance);
    }
    return PLIANT_OK;
}

/* The distance within which meshes that are off by the bodies' errors may be that close. */
static float add_errors(float distance, const pliant_body *a, const pliant_body *b)
{
    if (a->pose.world_error == 0.0f && b->pose.world_error == 0.0f) {
        return distance;
    }
    double sum = (double)distance + (double)a->pose.world_error + (double)b->pose.world_error;
    return sum < (double)FLT_MAX ? nextafterf((float)sum, INFINITY) : FLT_MAX;
}

static PLI_NOINLINE pliant_result find_within(pliant_query *query, pliant_body *a, pliant_body *b,
                                              float distance, const pliant_within_options *options,
                                              pliant_proximities *proximities)
{
    within w = {.options = options != NULL ? options : &default_options,
                .kernels = pli_context_kernels(query->context)->pair,
                .distance = distance};
    pliant_result result = check_question(distance, w.options);
    if (result == PLIANT_OK) {
        w.distance = add_errors(distance, a, b);
        w.spheres = pli_body_has_spheres(a) && pli_body_has_spheres(b);
        result = pli_probe_begin(&w.probe, query, a, b);
    }
    if (result == PLIANT_OK) {
        result = walk(&w);
    }
    if (result == PLIANT_OK) {
        result = sort_proximities(query);
    }
    if (result == PLIANT_OK) {
        pli_probe_end(&w.probe, query->key_count);
        proximities->pairs = query->key_count > 0 ? query->sorted_proximities : NULL;
        proximities->count = query->key_count;
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
        return pli_fail(PLIANT_ERROR_ARGUMENT, "pliant_find_within: both bodies are the same");
    }
    pli_float_env env = pli_float_env_enter();
    pliant_result result = find_within(query, a, b, distance, options, proximities);
    pli_float_env_leave(env);
    return result;
}
