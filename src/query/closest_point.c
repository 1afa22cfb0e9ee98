/*
 * The point of a body closest to a given one. Children are opened nearest first, and those that lie
 * farther than the best triangle so far are left out.
 *
 * The answer is the triangle with the least computed distance, and the lowest number of those, so
 * that it depends on no tree. A triangle's computed distance may fall short of the distance of its
 * box by PLI_DISTANCE_ERROR times R, the largest difference of a coordinate between the point and
 * the body, and that of the box is itself off by a factor below 1 + 4e, e = 2^-53 (two differences,
 * squares and sums of positive terms; nothing underflows, see geometry/triangle_distance.c). What
 * is farther than the best by more than twice that margin and a factor of 1 + 2^-40 cannot win.
 */
#include "descend.h"
#include "query/query.h"

#include "base/float_env.h"
#include "base/context.h"
#include "geometry/triangle_distance.h"
#include "query/nearest.h"

#include <math.h>
#include <string.h>

typedef struct search {
    pli_run *run;
    const float *point;
    float max_distance;
    double reach_squared; /* boxes farther away than its root do not matter any more */
    double margin;
    pli_nearest best;
} search;

static void set_reach(search *s, double distance)
{
    double reach = distance * (1.0 + 0x1p-40) + s->margin;
    s->reach_squared = reach * reach * (1.0 + 0x1p-40);
}

/* The squared distances of eight boxes; which of them matter. Empty boxes are infinitely far. */
static unsigned near_boxes(const search *s, const float *side, size_t stride,
                           double squared[PLI_WIDTH])
{
    for (int j = 0; j < PLI_WIDTH; j++) {
        squared[j] = 0.0;
    }
    for (size_t k = 0; k < 3; k++) {
        const float *lower = side + k * stride, *upper = side + (3 + k) * stride;
        double x = (double)s->point[k];
        for (int j = 0; j < PLI_WIDTH; j++) {
            double below = (double)lower[j] - x, above = x - (double)upper[j];
            double gap = below > above ? below : above;
            gap = gap > 0.0 ? gap : 0.0;
            squared[j] += gap * gap;
        }
    }
    unsigned mask = 0;
    for (int j = 0; j < PLI_WIDTH; j++) {
        /* An infinite reach must not let empty boxes in. */
        bool there = side[j] <= side[3 * stride + (size_t)j];
        mask |= (unsigned)(there && squared[j] <= s->reach_squared) << j;
    }
    return mask;
}

static void test_triangle(search *s, pli_cluster_view view, uint32_t slot)
{
    float corner[3][3];
    const float(*p)[3] = (const float(*)[3])corner;
    pli_slot_corners(view, slot, corner);
    pliant_stats *stats = &s->run->worker->stats;
    pli_nearest here = {.found = true, .triangle = pli_slot_triangle(view, slot)};
    here.distance = pli_point_distance_weights(s->point, p, here.weight, &stats->exact_fallbacks);
    stats->triangle_tests++;
    if (s->max_distance < INFINITY) {
        double slack =
            s->max_distance > 0.0f
                ? PLI_DISTANCE_ERROR * pli_coordinate_spread(p, (const float(*)[3])s->point, 1)
                : 0.0;
        if (here.distance > (double)s->max_distance + slack) {
            return;
        }
    }
    if (!s->best.found || here.distance < s->best.distance ||
        (here.distance == s->best.distance && here.triangle < s->best.triangle)) {
        memcpy(here.corner, corner, sizeof corner);
        s->best = here;
        set_reach(s, here.distance);
    }
}

static void test_cluster(search *s, pli_cluster_view view)
{
    double near[PLI_WIDTH], slot_near[PLI_WIDTH];
    unsigned leaves = near_boxes(s, view.record->leaf_box.side[0], PLI_WIDTH, near);
    while (leaves != 0) {
        uint32_t leaf = (uint32_t)__builtin_ctz(leaves);
        for (uint32_t j = leaf + 1; j < PLI_WIDTH; j++) {
            leaf = (leaves >> j & 1) && near[j] < near[leaf] ? j : leaf;
        }
        leaves &= ~(1u << leaf);
        if (near[leaf] > s->reach_squared) {
            return;
        }
        uint32_t first = PLI_WIDTH * leaf;
        unsigned slots = near_boxes(s, view.record->data + first, view.record->slots, slot_near);
        for (; slots != 0; slots &= slots - 1) {
            uint32_t slot = (uint32_t)__builtin_ctz(slots);
            if (slot_near[slot] <= s->reach_squared) {
                test_triangle(s, view, first + slot);
            }
        }
    }
}

static pliant_result find_nearest(search *s)
{
    pliant_body *body = s->run->body[0];
    s->run->worker->visits.count = 0;
    pliant_result result = pli_visit_push(s->run, (pli_visit){0.0, &body->root, 0, 0});
    pli_visit visit;
    while (result == PLIANT_OK && pli_visit_pop(s->run, &visit)) {
        void *record = NULL;
        if (visit.near > s->reach_squared) {
            continue;
        }
        result = pli_visit_open(s->run, &visit, &record);
        if (result == PLIANT_OK && (visit.child & PLI_CLUSTER_BIT)) {
            test_cluster(s, pli_view_cluster(body, visit.child, record));
        } else if (result == PLIANT_OK) {
            double near[PLI_WIDTH];
            pli_node_record *node = record;
            unsigned mask = near_boxes(s, node->box.side[0], PLI_WIDTH, near);
            result = pli_visit_push_nearest(s->run, node, visit.child, mask, near);
        }
    }
    return result;
}

pliant_result pli_closest_to(pli_run *run, const float point[3], float max_distance,
                             pli_nearest *nearest)
{
    search s = {.run = run,
                .point = point,
                .max_distance = max_distance,
                .margin = pli_nearest_margin(run->body[0], point)};
    set_reach(&s, (double)max_distance);
    pliant_result result = find_nearest(&s);
    if (result == PLIANT_OK) {
        *nearest = s.best;
    }
    return result;
}

static pliant_result check_question(const float point[3], float max_distance)
{
    for (int k = 0; k < 3; k++) {
        if (!isfinite(point[k])) {
            return pli_fail(PLIANT_ERROR_NOT_FINITE, "point: coordinate %c is %f", "xyz"[k],
                            (double)point[k]);
        }
    }
    if (isnan(max_distance)) {
        return pli_fail(PLIANT_ERROR_NOT_FINITE, "max_distance is not a number");
    }
    if (max_distance < 0.0f) {
        return pli_fail(PLIANT_ERROR_RANGE, "max_distance is %f; it must be 0 or more",
                        (double)max_distance);
    }
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result closest_point(pliant_query *query, pliant_body *body,
                                                const float point[3], float max_distance,
                                                pliant_closest *closest)
{
    pli_run run;
    pli_nearest nearest;
    pliant_result result = check_question(point, max_distance);
    if (result == PLIANT_OK) {
        pli_run_init(&run, &query->worker, body, NULL);
        result = pli_run_begin(&run);
    }
    if (result == PLIANT_OK) {
        pli_stage_begin(query->context, PLIANT_STAGE_QUERY_TRAVERSE);
        result = pli_closest_to(&run, point, max_distance, &nearest);
        pli_stage_end(query->context, PLIANT_STAGE_QUERY_TRAVERSE);
    }
    if (result == PLIANT_OK) {
        pli_run_end(query, &run, nearest.found);
        pli_nearest_report(&nearest, body->shape, point, closest);
    }
    return result;
}

pliant_result pliant_find_closest_point(pliant_query *query, pliant_body *body,
                                        const float point[3], float max_distance,
                                        pliant_closest *closest)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    PLI_REQUIRE(point);
    PLI_REQUIRE(closest);
    pli_float_env env = pli_float_env_enter();
    pliant_result result = closest_point(query, body, point, max_distance, closest);
    pli_float_env_leave(env);
    return result;
}
