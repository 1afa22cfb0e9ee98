/*
 * Children are opened nearest first, and those that lie farther than the best triangle so far are
 * left out, by the argument of query/closest_point.c: the answer is the triangle of the least
 * computed distance, and of these the lowest, whatever is looked at first. The float32 kernels are
 * asked with limits that are larger than what they can be wrong by (query/point_kernels.c).
 */
#include "nearest.h"

#include "geometry/vec3.h"
#include "geometry/triangle_distance.h"
#include "bounds/boxes.h"

#include <math.h>
#include <string.h>

typedef struct nearest_search {
    pli_descent *walk;
    const float *point;
    double max_distance;
    double margin;
    double reach;   /* triangles farther away do not matter any more */
    float limit;    /* the same, squared, for kernels */
    uint32_t child; /* the cluster that is being looked at, */
    void *record;   /* and its record */
    pli_nearest best;
} nearest_search;

double pli_nearest_margin(const pliant_body *body, const float point[3])
{
    double largest = 0.0;
    for (int k = 0; k < 3; k++) {
        double lower = (double)body->root.box.side[k][0],
               upper = (double)body->root.box.side[3 + k][0];
        double x = (double)point[k];
        double high = upper > x ? upper : x, low = lower < x ? lower : x;
        largest = high - low > largest ? high - low : largest;
    }
    return 2.0 * PLI_DISTANCE_ERROR * largest;
}

/* What kernels compare squared distances with, so that nothing within reach is left out. */
static float limit_of(double reach)
{
    double limit = reach * reach * (1.0 + 0x1p-19) + 0x1p-110;
    return limit < (double)PLI_POINT_NO_LIMIT ? (float)limit : PLI_POINT_NO_LIMIT;
}

static void set_reach(nearest_search *s, double distance)
{
    s->reach = distance * (1.0 + 0x1p-40) + s->margin;
    s->limit = limit_of(s->reach);
}

/* Measures a triangle and keeps it if it is the best. */
static void consider(nearest_search *s, uint32_t triangle, const float corner[3][3])
{
    double weight[3];
    pliant_stats *costs = &s->walk->run->worker->stats;
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
    s->best.found = true;
    s->best.triangle = triangle;
    s->best.distance = distance;
    s->best.child = s->child;
    s->best.record = s->record;
    memcpy(s->best.weight, weight, sizeof weight);
    memcpy(s->best.corner, corner, sizeof s->best.corner);
    if (distance < s->reach) {
        set_reach(s, distance);
    }
}

static void consider_slot(nearest_search *s, pli_cluster_view view, uint32_t slot)
{
    uint32_t triangle = pli_slot_triangle(view, slot);
    if (!(s->best.found && triangle == s->best.triangle)) {
        float corner[3][3];
        pli_slot_corners(view, slot, corner);
        consider(s, triangle, (const float(*)[3])corner);
    }
}

/* The triangle that seems nearest goes first, so that few others are left to measure. */
static void test_cluster(nearest_search *s, uint32_t child, void *record)
{
    pli_cluster_view view = pli_view_cluster(s->walk->run->body[0], child, record);
    s->child = child;
    s->record = record;
    uint8_t slots[PLI_POINT_SLOTS];
    float beyond[PLI_POINT_SLOTS];
    pli_slot_triangles triangles = pli_view_triangles(view);
    uint32_t count = s->walk->kernels->near_slots(&triangles, s->point, s->limit, slots, beyond);
    uint32_t least = 0;
    for (uint32_t i = 1; i < count; i++) {
        least = beyond[i] < beyond[least] ? i : least;
    }
    if (count == 0 || (double)beyond[least] > s->reach) {
        return;
    }
    consider_slot(s, view, slots[least]);
    for (uint32_t i = 0; i < count; i++) {
        if ((double)beyond[i] <= s->reach && i != least) {
            consider_slot(s, view, slots[i]);
        }
    }
}

/* Opens what may be near, but for the cluster that has been looked at before. */
static pliant_result walk_down(nearest_search *s, uint32_t done)
{
    pli_descent *walk = s->walk;
    pliant_result result = pli_visit_start(walk->run);
    pli_visit visit;
    while (result == PLIANT_OK && pli_visit_pop(walk->run, &visit)) {
        void *record = NULL;
        if (visit.near > (double)s->limit || visit.child == done) {
            continue;
        }
        result = pli_visit_open(walk->run, &visit, &record);
        if (result == PLIANT_OK && (visit.child & PLI_CLUSTER_BIT)) {
            test_cluster(s, visit.child, record);
        } else if (result == PLIANT_OK) {
            float squared[PLI_WIDTH];
            pli_node_record *node = record;
            unsigned mask = walk->kernels->near_boxes(node->box.side[0], PLI_WIDTH, s->point,
                                                      s->point, s->limit, squared);
            result = pli_visit_push_squared(walk->run, node, visit.child, mask, squared);
        }
    }
    return result;
}

/* The clusters of a list, nearest first. */
static pliant_result go_through(nearest_search *s, const pli_near_list *list, uint32_t done)
{
    float squared[PLI_NEAR_CLUSTERS];
    uint32_t near = 0;
    for (uint32_t i = 0; i < list->count; i += PLI_WIDTH) {
        near |= s->walk->kernels->near_boxes(list->boxes[i / PLI_WIDTH].side[0], PLI_WIDTH,
                                             s->point, s->point, s->limit, squared + i)
                << i;
    }
    while (near != 0) {
        uint32_t next = (uint32_t)__builtin_ctz(near);
        for (uint32_t left = near & (near - 1); left != 0; left &= left - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(left);
            next = squared[i] < squared[next] ? i : next;
        }
        if (squared[next] > s->limit) {
            return PLIANT_OK;
        }
        near &= ~(UINT32_C(1) << next);
        const pli_visit *visit = &list->visits[next];
        if (visit->child != done) {
            void *record = NULL;
            pliant_result result = pli_visit_open(s->walk->run, visit, &record);
            if (result != PLIANT_OK) {
                return result;
            }
            test_cluster(s, visit->child, record);
        }
    }
    return PLIANT_OK;
}

/* No point is farther from the surface than another one plus the way there. */
static void expect(nearest_search *s, const pli_nearest *other)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = (double)s->point[k] - other->point[k];
        square += d * d;
    }
    double most = other->distance + sqrt(square) + s->margin;
    if (most < s->reach) {
        set_reach(s, most);
    }
}

pliant_result pli_nearest_find(pli_descent *walk, const pli_near_list *list, const float point[3],
                               float max_distance, pli_nearest *nearest)
{
    nearest_search s;
    s.walk = walk;
    s.point = point;
    s.max_distance = (double)max_distance;
    s.margin = pli_nearest_margin(walk->run->body[0], point);
    s.best.found = false;
    set_reach(&s, (double)max_distance);
    uint32_t done = UINT32_MAX; /* no entry of the tree */
    if (nearest->found) {
        done = nearest->child;
        expect(&s, nearest);
        test_cluster(&s, nearest->child, nearest->record);
    }
    pliant_result result = list != NULL ? go_through(&s, list, done) : walk_down(&s, done);
    if (result == PLIANT_OK) {
        *nearest = s.best;
        for (int k = 0; k < 3; k++) {
            nearest->point[k] = (double)point[k];
        }
    }
    return result;
}

/* Takes the clusters among the children of a node off `mask`, and onto the list. */
static unsigned list_clusters(pli_near_list *list, pli_node_record *record, const pli_node *node,
                              unsigned mask)
{
    for (unsigned left = mask & pli_child_lanes(node); left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (!(node->child[lane] & PLI_CLUSTER_BIT)) {
            continue;
        }
        mask &= ~(1u << lane);
        if (list->count == PLI_NEAR_CLUSTERS) {
            list->complete = false;
            return 0;
        }
        pli_boxes *boxes = &list->boxes[list->count / PLI_WIDTH];
        if (list->count % PLI_WIDTH == 0) {
            pli_boxes_clear(boxes);
        }
        for (int k = 0; k < 6; k++) {
            boxes->side[k][list->count % PLI_WIDTH] = record->box.side[k][lane];
        }
        list->visits[list->count++] = (pli_visit){0.0, record, node->child[lane], lane};
    }
    return mask;
}

pliant_result pli_near_list_fill(pli_descent *walk, const pliant_box *box, double reach,
                                 pli_near_list *list)
{
    float limit = limit_of(reach), squared[PLI_WIDTH];
    pli_visit visit;
    list->count = 0;
    list->complete = true;
    pliant_result result = pli_visit_start(walk->run);
    while (result == PLIANT_OK && list->complete && pli_visit_pop(walk->run, &visit)) {
        void *record = NULL;
        result = pli_visit_open(walk->run, &visit, &record);
        if (result != PLIANT_OK) {
            break;
        }
        pli_node_record *node = record;
        unsigned mask = walk->kernels->near_boxes(node->box.side[0], PLI_WIDTH, box->lower,
                                                  box->upper, limit, squared);
        mask = list_clusters(list, node, &walk->run->body[0]->nodes[visit.child], mask);
        result = pli_visit_push_squared(walk->run, node, visit.child, mask, NULL);
    }
    return result;
}

void pli_nearest_report(const pli_nearest *nearest, const pliant_shape *shape, const float point[3],
                        pliant_closest *closest)
{
    if (!nearest->found) {
        *closest = (pliant_closest){.triangle = PLIANT_NO_TRIANGLE};
        return;
    }
    double normal[3];
    const float(*corner)[3] = (const float(*)[3])nearest->corner;
    pli_unit_normal(corner, normal);
    closest->found = true; /* every member is set: clearing them all first takes longer */
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
