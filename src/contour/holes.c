/* Holes: closed contours inside a triangle, which enclose a part of it that has neither a vertex
   nor an edge of the mesh. */
#include "faces.h"

#include "geometry/vec3.h"

#include <math.h>
#include <string.h>

/* Goes round a cluster without stops, along the direction of its first segment; *closed: it is a
   simple curve, whose nodes are now corners. */
static pliant_result go_round(pli_cutting *t, uint32_t start, bool *closed)
{
    const pli_local_link *links = PLI_ITEMS(pli_local_link, t->c, PLI_LIST_LOCAL_LINKS);
    uint32_t limit = (uint32_t)t->c->list[PLI_LIST_LOCAL_NODES].count, at = start;
    uint32_t link = pli_local_nodes(t)[start].first_link;
    *closed = false;
    if (link == PLI_NONE || pli_local_nodes(t)[start].degree != 2) {
        return PLIANT_OK;
    }
    if (link % 2 == 1) { /* the other one begins here, perhaps */
        uint32_t other = links[link / 2].next[1];
        link = other % 2 == 0 ? other : link;
    }
    for (uint32_t i = 0; i < limit; i++) {
        pliant_result result = pli_faces_add_corner(t, pli_local_nodes(t)[at].point);
        if (result != PLIANT_OK) {
            return result;
        }
        at = links[link / 2].node[1 - link % 2];
        if (at == start || pli_local_nodes(t)[at].degree != 2) {
            *closed = at == start;
            return PLIANT_OK;
        }
        uint32_t head = pli_local_nodes(t)[at].first_link;
        link = head / 2 == link / 2 ? links[head / 2].next[head % 2] : head;
    }
    return PLIANT_OK;
}

static void reverse_corners(pli_cutting *t, uint64_t first)
{
    float(*p)[3] = (float(*)[3])PLI_ITEMS(float, t->c, PLI_LIST_CORNERS);
    for (uint64_t i = first, j = t->c->list[PLI_LIST_CORNERS].count; i + 1 < j; i++) {
        float swap[3];
        j--;
        memcpy(swap, p[i], sizeof swap);
        memcpy(p[i], p[j], sizeof swap);
        memcpy(p[j], swap, sizeof swap);
    }
}

/* On the first body the inside of the second lies to the left of a contour; on the second body the
   inside of the first lies to the right. */
static pliant_result add_hole(pli_cutting *t, uint32_t start)
{
    pliant_contours *c = t->c;
    uint64_t first = c->list[PLI_LIST_CORNERS].count;
    bool closed = false;
    pliant_result result = go_round(t, start, &closed);
    if (result != PLIANT_OK || !closed) {
        c->list[PLI_LIST_CORNERS].count = first;
        return result;
    }
    bool left =
        pli_faces_outline_area(t, first, (uint32_t)(c->list[PLI_LIST_CORNERS].count - first)) > 0.0;
    if (!left) {
        reverse_corners(t, first);
    }
    uint32_t element = pli_faces_add_element(t);
    result =
        element != PLI_NONE ? pli_faces_add_piece(t, element, first) : PLIANT_ERROR_OUT_OF_MEMORY;
    pli_hole *hole =
        result == PLIANT_OK ? pli_list_add(c->context, &t->side->list[PLI_SIDE_HOLES]) : NULL;
    if (hole == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    bool inner = left == (t->side->number == 0);
    *hole = (pli_hole){.element = element,
                       .piece = (uint32_t)(c->list[PLI_LIST_PIECES].count - 1),
                       .container = PLI_NONE,
                       .step = c->self ? 0 : (inner ? 1 : -1)};
    return PLIANT_OK;
}

/* Whether a point lies within the outline of a piece, seen along one axis. */
static bool encloses(const pli_cutting *t, const pliant_region_piece *piece, const float point[3],
                     int axis)
{
    const float(*p)[3] =
        (const float(*)[3])PLI_ITEMS(float, t->c, PLI_LIST_CORNERS) + piece->first_corner;
    int j = pli_next_axis(axis), k = pli_next_axis(j);
    bool within = false;
    for (uint32_t i = 0, last = piece->corner_count - 1; i < piece->corner_count; last = i++) {
        const double u[2] = {(double)p[last][j], (double)p[last][k]};
        const double v[2] = {(double)p[i][j], (double)p[i][k]};
        if ((u[1] > (double)point[k]) != (v[1] > (double)point[k])) {
            double x = u[0] + (v[0] - u[0]) * ((double)point[k] - u[1]) / (v[1] - u[1]);
            within = within != (x > (double)point[j]);
        }
    }
    return within;
}

/* The smallest piece of the triangle around each hole, whose area is then less. */
static void find_containers(pli_cutting *t, size_t first_hole, size_t first_piece)
{
    pliant_region_piece *pieces = PLI_ITEMS(pliant_region_piece, t->c, PLI_LIST_PIECES);
    pli_hole *holes = PLI_ITEMS(pli_hole, t->side, PLI_SIDE_HOLES);
    size_t piece_count = t->c->list[PLI_LIST_PIECES].count;
    int axis = 0;
    for (int i = 1; i < 3; i++) {
        axis = fabs(t->normal[i]) > fabs(t->normal[axis]) ? i : axis;
    }
    for (size_t h = first_hole; h < t->side->list[PLI_SIDE_HOLES].count; h++) {
        const float *point =
            PLI_ITEMS(float, t->c, PLI_LIST_CORNERS) + 3 * pieces[holes[h].piece].first_corner;
        for (size_t i = first_piece; i < piece_count; i++) {
            bool smaller =
                holes[h].container == PLI_NONE || pieces[i].area < pieces[holes[h].container].area;
            bool larger = pieces[i].area > pieces[holes[h].piece].area;
            if (i != holes[h].piece && smaller && larger && encloses(t, &pieces[i], point, axis)) {
                holes[h].container = (uint32_t)i;
            }
        }
    }
    /* What is around is larger, so the areas of outlines are needed until all are found. */
    for (size_t h = t->side->list[PLI_SIDE_HOLES].count; h-- > first_hole;) {
        if (holes[h].container != PLI_NONE) {
            double area = fabs(pli_faces_outline_area(t, pieces[holes[h].piece].first_corner,
                                                      pieces[holes[h].piece].corner_count));
            double left = pieces[holes[h].container].area - area;
            pieces[holes[h].container].area = left > 0.0 ? left : 0.0;
        }
    }
}

pliant_result pli_holes_add(pli_cutting *t, size_t first_piece)
{
    size_t first_hole = t->side->list[PLI_SIDE_HOLES].count;
    uint32_t stops = (uint32_t)t->c->list[PLI_LIST_STOPS].count;
    uint32_t count = (uint32_t)t->c->list[PLI_LIST_LOCAL_NODES].count;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = stops; i < count && result == PLIANT_OK; i++) {
        result = pli_local_nodes(t)[i].parent == i ? add_hole(t, i) : PLIANT_OK;
    }
    if (result == PLIANT_OK) {
        find_containers(t, first_hole, first_piece);
    }
    return result;
}
