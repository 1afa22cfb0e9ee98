/*
 * The winding number of a body at a point, exactly: a walk down the tree along the ray from the
 * point in the direction of x, summing up what each triangle adds.
 */
#include "contours.h"
#include "query/query.h"

#include "geometry/triangle_crossing.h"
#include "query/descend.h"

/* Which of eight boxes the ray may meet; `side` as in pli_boxes, lanes `stride` apart. Lanes
   without a child or a triangle have empty boxes. */
static unsigned boxes_on_ray(const float point[3], const float *side, size_t stride)
{
    const float *upper = side + 3 * stride;
    unsigned mask = 0;
    for (size_t j = 0; j < PLI_WIDTH; j++) {
        bool meets = point[0] <= upper[j];
        for (size_t k = 1; k < 3; k++) {
            meets = meets && side[k * stride + j] <= point[k] && point[k] <= upper[k * stride + j];
        }
        mask |= (unsigned)meets << j;
    }
    return mask;
}

/* Adds the triangles of a cluster; false if the point lies on one. */
static bool add_cluster(const float point[3], pli_cluster_view view, int32_t *winding)
{
    unsigned leaves = boxes_on_ray(point, view.record->leaf_box.side[0], PLI_WIDTH);
    for (; leaves != 0; leaves &= leaves - 1) {
        uint32_t first = PLI_WIDTH * (uint32_t)__builtin_ctz(leaves);
        unsigned slots = boxes_on_ray(point, view.record->data + first, view.record->slots);
        for (; slots != 0; slots &= slots - 1) {
            uint32_t slot = first + (uint32_t)__builtin_ctz(slots);
            float corner[3][3];
            pli_slot_corners(view, slot, corner);
            if (pli_triangle_holds(point, (const float(*)[3])corner)) {
                return false;
            }
            *winding += pli_triangle_winding(point, (const float(*)[3])corner);
        }
    }
    return true;
}

pliant_result pli_contours_locate(pliant_contours *c, pliant_body *body, const float point[3],
                                  bool *known, int32_t *winding)
{
    static const double nowhere[PLI_WIDTH] = {0.0};
    pli_run run;
    pli_visit visit;
    pli_run_init(&run, &c->query->worker, body, NULL);
    pliant_result result = pli_run_begin(&run);
    if (result == PLIANT_OK) {
        result = pli_visit_push(&run, (pli_visit){0.0, &body->root, 0, 0});
    }
    *known = true;
    *winding = 0;
    c->stats.winding_tests++;
    while (result == PLIANT_OK && *known && pli_visit_pop(&run, &visit)) {
        void *record = NULL;
        result = pli_visit_open(&run, &visit, &record);
        if (result == PLIANT_OK && (visit.child & PLI_CLUSTER_BIT)) {
            *known = add_cluster(point, pli_view_cluster(body, visit.child, record), winding);
        } else if (result == PLIANT_OK) {
            pli_node_record *node = record;
            unsigned mask = boxes_on_ray(point, node->box.side[0], PLI_WIDTH);
            result = pli_visit_push_nearest(&run, node, visit.child, mask, nowhere);
        }
    }
    return result;
}
