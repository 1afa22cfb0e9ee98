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
#include "query/walk.h"

#include "base/float_env.h"
#include "geometry/triangle_distance.h"
#include "query/boxes.h"
#include "query/result.h"

#include <math.h>

typedef struct within {
    pli_walk walk; /* grown by what was asked for and both bodies' errors */
    const pliant_within_options *options;
    pli_cluster_record *grown;            /* in query->grown */
    const pli_cluster_record *grown_from; /* what it was made of */
} within;

/* Of a cluster record that has nothing but boxes. */
#define GROWN_BYTES                                                                                \
    (sizeof(pli_cluster_record) + 6 * PLI_CLUSTER_SLOTS * sizeof(float) + PLI_RECORD_SLACK)

static const pliant_within_options default_options = {.tag = PLI_TAG(pliant_within_options)};

pliant_within_options pliant_within_options_default(void)
{
    return default_options;
}

static pliant_result report(within *w, uint32_t a, uint32_t b, const pliant_gap *gap)
{
    pliant_proximity *place =
        pli_result_add_to(w->walk.run.query, (uint64_t)a << 32 | b, PLI_PROXIMITIES);
    if (place == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *place = (pliant_proximity){a, b, *gap};
    return PLIANT_OK;
}

/*
 * Whether the boxes of two triangles are farther apart than the distance. The squared gap is off by
 * a factor below 1 + 6e, and that of the distance, 24 bits long, is exact.
 */
static bool boxes_too_far(const within *w, const pli_cluster_record *a, uint32_t slot_a,
                          const pli_cluster_record *b, uint32_t slot_b)
{
    double squared = 0.0, d = (double)w->walk.grow;
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
    return pli_in_groups(w->walk.run.body[0]->shape, w->options->groups_a, a) &&
           pli_in_groups(w->walk.run.body[1]->shape, w->options->groups_b, b);
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
    pliant_stats *stats = &w->walk.run.query->stats;
    stats->triangle_tests++;
    double spread = pli_coordinate_spread(p, q, 3), d = (double)w->walk.grow;
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
    pliant_query *query = w->walk.run.query;
    if (!PLI_CREATE(query->context, &query->grown, GROWN_BYTES)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (w->grown_from != record) {
        w->grown = (void *)query->grown.data;
        w->grown_from = record;
        w->grown->slots = record->slots;
        pli_grow_boxes(record->leaf_box.side[0], w->grown->leaf_box.side[0], PLI_WIDTH,
                       w->walk.grow);
        pli_grow_boxes(record->data, w->grown->data, record->slots, w->walk.grow);
    }
    return PLIANT_OK;
}

static pliant_result measure_clusters(pli_walk *walk, pli_cluster_view a, pli_cluster_view b)
{
    within *w = (within *)walk;
    uint8_t slot_a[PLI_CANDIDATES], slot_b[PLI_CANDIDATES];
    pliant_result result = grow_cluster(w, a.record);
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t candidates = walk->kernels->list_candidates(w->grown, b.record, slot_a, slot_b);
    for (uint32_t i = 0; i < candidates && result == PLIANT_OK; i++) {
        if (!boxes_too_far(w, a.record, slot_a[i], b.record, slot_b[i])) {
            result = measure(w, a, slot_a[i], b, slot_b[i]);
        }
    }
    return result;
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

static pliant_result walk(within *w)
{
    pliant_result result = pli_run_begin(&w->walk.run);
    if (result == PLIANT_OK) {
        result = pli_walk_push_meeting_roots(&w->walk);
    }
    return result == PLIANT_OK ? pli_walk_work(&w->walk) : result;
}

static PLI_NOINLINE pliant_result find_within(pliant_query *query, pliant_body *a, pliant_body *b,
                                              float distance, const pliant_within_options *options,
                                              pliant_proximities *proximities)
{
    within w = {.options = options != NULL ? options : &default_options};
    pliant_result result = check_question(distance, w.options);
    if (result == PLIANT_OK) {
        pli_walk_init(&w.walk, query, a, b, measure_clusters);
        w.walk.grow = add_errors(distance, a, b);
        w.walk.apart = (double)w.walk.grow;
        result = walk(&w);
    }
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
