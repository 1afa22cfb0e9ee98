/*
 * Winding numbers by counting how a line along an axis crosses the surface: each crossing is
 * decided exactly (geometry/triangle_crossing.c), and boxes that the line does not meet are left
 * out by exact comparisons, so nothing has to be widened.
 */
#include "winding.h"

#include "geometry/triangle_crossing.h"

typedef struct count {
    pli_descent *walk;
    pli_axis_line line;
    int32_t ahead, all; /* sums of turns: ahead of the point, and along the whole line */
} count;

static void count_triangle(count *c, pli_cluster_view view, uint32_t slot)
{
    pliant_stats *costs = &c->walk->run->worker->stats;
    float corner[3][3];
    pli_slot_corners(view, slot, corner);
    pli_line_crossing crossing = pli_line_cross(c->line.point, c->line.axis,
                                                (const float(*)[3])corner, &costs->exact_fallbacks);
    costs->triangle_tests++;
    c->all += crossing.turn;
    c->ahead += crossing.ahead > 0 ? crossing.turn : 0;
}

static void count_cluster(count *c, pli_cluster_view view)
{
    const pli_point_kernels *kernels = c->walk->kernels;
    unsigned leaves = kernels->line_boxes(view.record->leaf_box.side[0], PLI_WIDTH, &c->line);
    for (; leaves != 0; leaves &= leaves - 1) {
        uint32_t first = PLI_WIDTH * (uint32_t)__builtin_ctz(leaves);
        unsigned slots =
            kernels->line_boxes(view.record->data + first, view.record->slots, &c->line);
        for (; slots != 0; slots &= slots - 1) {
            count_triangle(c, view, first + (uint32_t)__builtin_ctz(slots));
        }
    }
}

static pliant_result count_crossings(count *c)
{
    pli_descent *walk = c->walk;
    pliant_result result = pli_visit_start(walk->run);
    pli_visit visit;
    walk->run->worker->stats.lines++;
    while (result == PLIANT_OK && pli_visit_pop(walk->run, &visit)) {
        void *record = NULL;
        result = pli_visit_open(walk->run, &visit, &record);
        if (result == PLIANT_OK && (visit.child & PLI_CLUSTER_BIT)) {
            count_cluster(c, pli_view_cluster(walk->run->body[0], visit.child, record));
        } else if (result == PLIANT_OK) {
            pli_node_record *node = record;
            unsigned mask = walk->kernels->line_boxes(node->box.side[0], PLI_WIDTH, &c->line);
            result = pli_visit_push_squared(walk->run, node, visit.child, mask, NULL);
        }
    }
    return result;
}

/* The way out of the body's box that is shortest; false if the point is out already. */
static bool choose_line(const pliant_body *body, pli_axis_line *line)
{
    double shortest = 0.0;
    for (int k = 0; k < 3; k++) {
        double x = (double)line->point[k];
        double back = x - (double)body->root.box.side[k][0];
        double ahead = (double)body->root.box.side[3 + k][0] - x;
        if (back < 0.0 || ahead < 0.0) {
            return false;
        }
        double shorter = ahead < back ? ahead : back;
        if (k == 0 || shorter < shortest) {
            shortest = shorter;
            line->axis = k;
            line->ahead = ahead < back ? 1 : -1;
        }
    }
    return true;
}

pliant_result pli_winding_find(pli_descent *walk, const float point[3], int32_t *winding)
{
    count c = {.walk = walk, .line = {.point = point}};
    *winding = 0;
    if (!choose_line(walk->run->body[0], &c.line)) {
        return PLIANT_OK;
    }
    pliant_result result = count_crossings(&c);
    /* All turns of a closed surface cancel, so those behind the point are minus those ahead. Boxes
       behind it may have been left out, or boxes ahead. */
    *winding = c.line.ahead > 0 ? c.ahead : c.ahead - c.all;
    return result;
}

pliant_result pli_winding_find_checked(pli_descent *walk, const float point[3], int32_t *winding,
                                       bool *cancels)
{
    count c = {.walk = walk, .line = {.point = point}};
    pliant_result result = count_crossings(&c);
    *winding = c.ahead;
    *cancels = c.all == 0;
    return result;
}
