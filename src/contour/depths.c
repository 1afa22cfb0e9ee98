/* How deep regions lie inside: the distances of their vertices and of the midpoints of their pieces
   of edges. An edge that passes through a body has no vertex inside, and still has a depth. */
#include "regions.h"

#include <math.h>
#include <string.h>

/* Whether a point cannot be the deepest: the other body has a point nearer than the depth so far.
   The margin is far above the rounding of both distances. */
static bool is_shallow(const pli_region_mark *mark, const float point[3], double depth)
{
    double sum = 0.0;
    for (int i = 0; i < 3 && mark->has_near; i++) {
        double d = (double)point[i] - mark->near[i];
        sum += d * d;
    }
    return mark->has_near && sqrt(sum) < 0.999 * depth;
}

static pliant_result deepen(pliant_contours *c, pli_contour_side *side, uint32_t number,
                            const float point[3])
{
    pliant_closest closest;
    pliant_region *region = &PLI_ITEMS(pliant_region, c, PLI_LIST_REGIONS)[number];
    pli_region_mark *mark = &PLI_ITEMS(pli_region_mark, c, PLI_LIST_MARKS)[number];
    if (!region->inside || is_shallow(mark, point, region->depth)) {
        return PLIANT_OK;
    }
    c->stats.distances++;
    pliant_result result = pliant_find_closest_point(c->query, c->side[1 - side->number].body,
                                                     point, INFINITY, &closest);
    if (result != PLIANT_OK) {
        return result;
    }
    mark->has_near = true;
    memcpy(mark->near, closest.at.point, sizeof mark->near);
    if (closest.distance > region->depth) {
        region->depth = closest.distance;
        memcpy(region->deepest, point, sizeof region->deepest);
    }
    return PLIANT_OK;
}

/* Where piece k of an edge begins: at the lower vertex, or at a cut point. */
static void piece_start(const pliant_contours *c, const pli_contour_side *side,
                        const pli_cut_edge *edge, uint32_t k, double point[3])
{
    if (k == 0 || k > edge->point_count) {
        float p[3];
        pli_side_vertex(side, edge->vertex[k == 0 ? 0 : 1], p);
        for (int i = 0; i < 3; i++) {
            point[i] = (double)p[i];
        }
        return;
    }
    const pli_cut_point *at =
        &PLI_ITEMS(pli_cut_point, side, PLI_SIDE_CUT_POINTS)[edge->first_point + k - 1];
    uint32_t node = PLI_ITEMS(pli_cut, side, PLI_SIDE_CUTS)[at->first_cut].node;
    for (int i = 0; i < 3; i++) {
        point[i] = PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES)[node].point[i];
    }
}

static pliant_result measure_edge(pliant_contours *c, pli_contour_side *side,
                                  const pli_cut_edge *edge)
{
    pliant_result result = PLIANT_OK;
    uint32_t *parents = PLI_ITEMS(uint32_t, side, PLI_SIDE_PARENTS);
    for (uint32_t k = 0; k <= edge->point_count && result == PLIANT_OK; k++) {
        uint32_t root = pli_forest_find(parents, edge->first_piece + k);
        uint32_t region = PLI_ITEMS(uint32_t, side, PLI_SIDE_REGION_OF)[root];
        double p[3], q[3];
        float middle[3];
        piece_start(c, side, edge, k, p);
        piece_start(c, side, edge, k + 1, q);
        for (int i = 0; i < 3; i++) {
            middle[i] = (float)(0.5 * (p[i] + q[i]));
        }
        result = region != PLIANT_NO_REGION ? deepen(c, side, region, middle) : PLIANT_OK;
    }
    return result;
}

pliant_result pli_side_depths(pliant_contours *c, pli_contour_side *side)
{
    const uint32_t *regions = PLI_ITEMS(uint32_t, side, PLI_SIDE_VERTEX_REGIONS);
    const uint32_t *lowest = PLI_ITEMS(uint32_t, side, PLI_SIDE_LOWEST);
    pliant_result result = PLIANT_OK;
    for (uint32_t v = 0; v < side->shape->vertex_count && result == PLIANT_OK; v++) {
        if (regions[v] != PLIANT_NO_REGION && lowest[v] == v) {
            float point[3];
            pli_side_vertex(side, v, point);
            result = deepen(c, side, regions[v], point);
        }
    }
    for (size_t e = 0; e < side->list[PLI_SIDE_EDGES].count && result == PLIANT_OK; e++) {
        result = measure_edge(c, side, &PLI_ITEMS(pli_cut_edge, side, PLI_SIDE_EDGES)[e]);
    }
    return result;
}
