/*
 * Children are opened nearest first, and those that lie farther than the best triangle so far are
 * left out, by the argument of query/closest_point.c: the answer is the triangle of the least
 * computed distance, and of these the lowest, whatever is looked at first. The float32 kernels are
 * asked with limits that are larger than what they can be wrong by (query/point_kernels.c).
 */
#include "nearest.h"

#include "geometry/triangle_distance.h"

#include <math.h>
#include <string.h>

typedef struct search {
    pli_point_walk *walk;
    const float *point;
    double max_distance;
    double margin;
    double reach; /* triangles farther away do not matter any more */
    float limit;  /* the same, squared, for kernels */
    bool hinted;  /* the best so far was evaluated before its cluster was met */
    pli_nearest best;
} search;

double pli_nearest_margin(const pliant_body *body, const float point[3])
{
    double largest = 0.0;
    for (int k = 0; k < 3; k++) {
        double lower = (double)body->top.box.side[k][0],
               upper = (double)body->top.box.side[3 + k][0];
        double x = (double)point[k];
        largest = fmax(largest, fmax(upper, x) - fmin(lower, x));
    }
    return 2.0 * PLI_DISTANCE_ERROR * largest;
}

static void set_reach(search *s, double distance)
{
    s->reach = distance * (1.0 + 0x1p-40) + s->margin;
    double limit = s->reach * s->reach * (1.0 + 0x1p-19) + 0x1p-110;
    s->limit = limit < (double)PLI_POINT_NO_LIMIT ? (float)limit : PLI_POINT_NO_LIMIT;
}

/* Measures a triangle and keeps it if it is the best. */
static void consider(search *s, uint32_t triangle, const float corner[3][3])
{
    double weight[3];
    pliant_stats *costs = &s->walk->worker->costs;
    double distance = pli_point_distance_weights(s->point, corner, weight, &costs->exact_fallbacks);
    costs->triangle_tests++;
    if (s->best.found && (distance > s->best.distance ||
                          (distance == s->best.distance && triangle >= s->best.triangle))) {
        return;
    }
    if (s->max_distance < (double)INFINITY) {
        double slack =
            s->max_distance > 0.0
                ? PLI_DISTANCE_ERROR * pli_coordinate_spread(corner, (const float(*)[3])s->point, 1)
                : 0.0;
        if (distance > s->max_distance + slack) {
            return;
        }
    }
    s->best = (pli_nearest){.found = true, .triangle = triangle, .distance = distance};
    memcpy(s->best.weight, weight, sizeof weight);
    memcpy(s->best.corner, corner, sizeof s->best.corner);
    if (distance < s->reach) {
        set_reach(s, distance);
    }
}

/* The slots of a cluster whose boxes are near enough. */
static uint32_t list_slots(const search *s, const pli_cluster_record *record, uint8_t *slots)
{
    const pli_point_kernels *kernels = s->walk->kernels;
    float squared[PLI_WIDTH];
    uint32_t count = 0;
    unsigned leaves =
        kernels->near_boxes(record->leaf_box.side[0], PLI_WIDTH, s->point, s->limit, squared);
    for (; leaves != 0; leaves &= leaves - 1) {
        uint32_t first = PLI_WIDTH * (uint32_t)__builtin_ctz(leaves);
        unsigned mask =
            kernels->near_boxes(record->data + first, record->slots, s->point, s->limit, squared);
        for (; mask != 0; mask &= mask - 1) {
            slots[count++] = (uint8_t)(first + (uint32_t)__builtin_ctz(mask));
        }
    }
    memset(slots + count, 0, 16);
    return count;
}

static void test_cluster(search *s, pli_cluster_view view)
{
    uint8_t slots[PLI_CLUSTER_SLOTS + 16];
    float beyond[PLI_CLUSTER_SLOTS + 16];
    uint32_t count = list_slots(s, view.record, slots);
    if (count == 0) {
        return;
    }
    pli_slot_triangles triangles = pli_view_triangles(view);
    s->walk->kernels->triangles_beyond(&triangles, slots, count, s->point, beyond);
    while (count > 0) {
        uint32_t next = 0;
        for (uint32_t i = 1; i < count; i++) {
            next = beyond[i] < beyond[next] ? i : next;
        }
        if ((double)beyond[next] > s->reach) {
            return;
        }
        uint32_t slot = slots[next], triangle = pli_slot_triangle(view, slot);
        slots[next] = slots[--count];
        beyond[next] = beyond[count];
        if (!(s->best.found && triangle == s->best.triangle)) {
            float corner[3][3];
            pli_slot_corners(view, slot, corner);
            consider(s, triangle, (const float(*)[3])corner);
        }
    }
}

static pliant_result walk_down(search *s)
{
    pli_point_walk *walk = s->walk;
    pliant_result result = pli_point_walk_start(walk);
    pli_visit visit;
    while (result == PLIANT_OK && pli_point_walk_pop(walk, &visit)) {
        void *record = NULL;
        if (visit.near > (double)s->limit) {
            continue;
        }
        result = pli_point_walk_open(walk, &visit, &record);
        if (result == PLIANT_OK && (visit.child & PLI_CLUSTER_BIT)) {
            test_cluster(s, pli_view_cluster(walk->body, visit.child, record));
        } else if (result == PLIANT_OK) {
            float squared[PLI_WIDTH];
            pli_node_record *node = record;
            unsigned mask = walk->kernels->near_boxes(node->box.side[0], PLI_WIDTH, s->point,
                                                      s->limit, squared);
            result = pli_point_walk_push(walk, node, visit.child, mask, squared);
        }
    }
    return result;
}

pliant_result pli_nearest_find(pli_point_walk *walk, const float point[3], float max_distance,
                               pli_nearest *nearest)
{
    search s = {.walk = walk,
                .point = point,
                .max_distance = (double)max_distance,
                .margin = pli_nearest_margin(walk->body, point)};
    set_reach(&s, (double)max_distance);
    float root[PLI_WIDTH];
    if (walk->kernels->near_boxes(walk->body->top.box.side[0], PLI_WIDTH, point, s.limit, root) &
        1) {
        if (nearest->found) {
            consider(&s, nearest->triangle, (const float(*)[3])nearest->corner);
        }
        pliant_result result = walk_down(&s);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    *nearest = s.best;
    return PLIANT_OK;
}

void pli_unit_normal(const float corner[3][3], double normal[3])
{
    double u[3], v[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
        u[k] = (double)corner[1][k] - (double)corner[0][k];
        v[k] = (double)corner[2][k] - (double)corner[0][k];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[i] = u[j] * v[k] - u[k] * v[j];
        square += normal[i] * normal[i];
    }
    double length = sqrt(square);
    for (int k = 0; k < 3; k++) {
        normal[k] = length > 0.0 ? normal[k] / length : 0.0;
    }
}

void pli_nearest_report(const pli_nearest *nearest, const pliant_shape *shape, const float point[3],
                        pliant_closest *closest)
{
    *closest = (pliant_closest){.found = nearest->found, .triangle = PLIANT_NO_TRIANGLE};
    if (!nearest->found) {
        return;
    }
    double normal[3];
    const float(*corner)[3] = (const float(*)[3])nearest->corner;
    pli_unit_normal(corner, normal);
    closest->triangle = nearest->triangle;
    closest->distance = nearest->distance;
    pli_surface_point_set(&closest->at, corner, nearest->weight);
    for (int k = 0; k < 3; k++) {
        closest->weights[k] = nearest->weight[k];
        closest->normal[k] = (float)normal[k];
        closest->at.point[k] = nearest->distance == 0.0 ? (double)point[k] : closest->at.point[k];
    }
    closest->group = shape->groups != NULL ? shape->groups[nearest->triangle] : 0;
}
