/* Walks along the outlines of faces: joins the elements that lie there, and keeps the outlines as
   pieces. faces.c says why these are the faces. */
#include "faces.h"

#include "geometry/vec3.h"

pliant_result pli_faces_add_corner(pli_cutting *t, const double point[3])
{
    float *corner = pli_list_add(t->c->context, &t->c->list[PLI_LIST_CORNERS]);
    if (corner == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < 3; i++) {
        corner[i] = (float)point[i];
    }
    return PLIANT_OK;
}

/* Finds the shortest way along segments from one stop to another; false if there is none, where
   clusters cross without a common node. Each node on the way knows by which link it was reached
   from the far end. */
static bool find_way(pli_cutting *t, uint32_t from, uint32_t to)
{
    pli_local_node *nodes = pli_local_nodes(t);
    const pli_local_link *links = PLI_ITEMS(pli_local_link, t->c, PLI_LIST_LOCAL_LINKS);
    uint32_t *queue = t->c->list[PLI_LIST_PATH].data, first = 0, count = 0;
    t->paths++;
    queue[count++] = to;
    nodes[to].seen = t->paths;
    while (first < count && nodes[from].seen != t->paths) {
        uint32_t at = queue[first++];
        for (uint32_t i = nodes[at].first_link; i != PLI_NONE; i = links[i / 2].next[i % 2]) {
            uint32_t next = links[i / 2].node[1 - i % 2];
            if (nodes[next].seen != t->paths) {
                nodes[next].seen = t->paths;
                nodes[next].via = i;
                queue[count++] = next;
            }
        }
    }
    return nodes[from].seen == t->paths;
}

/* Adds the nodes between two stops of a cluster. */
static pliant_result add_way(pli_cutting *t, uint32_t from, uint32_t to)
{
    const pli_local_link *links = PLI_ITEMS(pli_local_link, t->c, PLI_LIST_LOCAL_LINKS);
    pliant_result result = PLIANT_OK;
    if (from == to || !find_way(t, from, to)) {
        return PLIANT_OK;
    }
    for (uint32_t at = from; at != to && result == PLIANT_OK;) {
        uint32_t via = pli_local_nodes(t)[at].via;
        at = links[via / 2].node[via % 2];
        result = at != to ? pli_faces_add_corner(t, pli_local_nodes(t)[at].point) : PLIANT_OK;
    }
    return result;
}

/* The area that an outline encloses, seen against the normal. */
double pli_faces_outline_area(const pli_cutting *t, uint64_t first, uint32_t count)
{
    const float(*p)[3] = (const float(*)[3])PLI_ITEMS(float, t->c, PLI_LIST_CORNERS) + first;
    double sum[3] = {0.0, 0.0, 0.0};
    for (uint32_t k = 1; k + 1 < count; k++) {
        for (int i = 0; i < 3; i++) {
            int j = pli_next_axis(i), l = pli_next_axis(j);
            const double u[2] = {(double)p[k][j] - (double)p[0][j],
                                 (double)p[k][l] - (double)p[0][l]};
            const double v[2] = {(double)p[k + 1][j] - (double)p[0][j],
                                 (double)p[k + 1][l] - (double)p[0][l]};
            sum[i] += 0.5 * (u[0] * v[1] - u[1] * v[0]);
        }
    }
    return sum[0] * t->normal[0] + sum[1] * t->normal[1] + sum[2] * t->normal[2];
}

pliant_result pli_faces_add_piece(pli_cutting *t, uint32_t element, uint64_t first)
{
    pliant_contours *c = t->c;
    uint32_t count = (uint32_t)(c->list[PLI_LIST_CORNERS].count - first);
    double area = pli_faces_outline_area(t, first, count);
    pliant_region_piece *piece = pli_list_add(c->context, &c->list[PLI_LIST_PIECES]);
    if (piece == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *piece = (pliant_region_piece){.body = t->side->number,
                                   .triangle = t->triangle,
                                   .region = element,
                                   .corner_count = count,
                                   .first_corner = first,
                                   .area = area > 0.0 ? area : 0.0};
    return PLIANT_OK;
}

/* A new element, for a face that has nothing of the outline. */
uint32_t pli_faces_add_element(pli_cutting *t)
{
    uint32_t number = (uint32_t)t->side->list[PLI_SIDE_PARENTS].count;
    uint32_t *parent = pli_list_add(t->c->context, &t->side->list[PLI_SIDE_PARENTS]);
    uint8_t *blocked =
        parent != NULL ? pli_list_add(t->c->context, &t->side->list[PLI_SIDE_BLOCKED]) : NULL;
    if (blocked == NULL) {
        return PLI_NONE;
    }
    *parent = number;
    *blocked = 0;
    return number;
}

/* Joins the elements of some places with one another; *element is one of them, or PLI_NONE still.
 */
static void join_places(pli_cutting *t, uint32_t first, uint32_t count, uint32_t *element)
{
    const pli_place *places = PLI_ITEMS(pli_place, t->c, PLI_LIST_PLACES);
    uint32_t all = (uint32_t)t->c->list[PLI_LIST_PLACES].count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = places[(first + i) % all].element;
        if (PLI_ITEMS(uint8_t, t->side, PLI_SIDE_BLOCKED)[own]) {
            continue;
        }
        if (*element == PLI_NONE) {
            *element = own;
        } else {
            pli_forest_join(PLI_ITEMS(uint32_t, t->side, PLI_SIDE_PARENTS), *element, own);
        }
    }
}

/* Places from a stop to the next one. */
static uint32_t places_behind(const pli_cutting *t, uint32_t stop)
{
    uint32_t count = (uint32_t)t->c->list[PLI_LIST_STOPS].count;
    uint32_t all = (uint32_t)t->c->list[PLI_LIST_PLACES].count;
    uint32_t first = pli_stops(t)[stop].first_place,
             last = pli_stops(t)[(stop + 1) % count].first_place;
    return stop + 1 < count ? last - first : all - first + last;
}

static pliant_result add_place_corners(pli_cutting *t, uint32_t first, uint32_t count)
{
    uint32_t all = (uint32_t)t->c->list[PLI_LIST_PLACES].count;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < count && result == PLIANT_OK; i++) {
        const pli_place *place = &PLI_ITEMS(pli_place, t->c, PLI_LIST_PLACES)[(first + i) % all];
        result = place->is_corner ? pli_faces_add_corner(t, place->point) : PLIANT_OK;
    }
    return result;
}

/* The face to the left of the outline behind a stop. */
static pliant_result walk_face(pli_cutting *t, uint32_t start)
{
    uint32_t count = (uint32_t)t->c->list[PLI_LIST_STOPS].count, element = PLI_NONE;
    uint64_t first = t->c->list[PLI_LIST_CORNERS].count;
    pliant_result result = PLIANT_OK;
    for (uint32_t at = start; !pli_stops(t)[at].walked && result == PLIANT_OK;) {
        uint32_t next = (at + 1) % count, places = places_behind(t, at);
        pli_stops(t)[at].walked = true;
        join_places(t, pli_stops(t)[at].first_place, places, &element);
        result = pli_faces_add_corner(t, pli_stops(t)[at].point);
        result = result == PLIANT_OK ? add_place_corners(t, pli_stops(t)[at].first_place, places)
                                     : result;
        result = result == PLIANT_OK && next != at
                     ? pli_faces_add_corner(t, pli_stops(t)[next].point)
                     : result;
        at = pli_stops(t)[next].previous;
        result = result == PLIANT_OK ? add_way(t, next, at) : result;
    }
    if (result == PLIANT_OK && element == PLI_NONE) {
        /* Between an edge and a contour along it there is nothing. */
        t->c->list[PLI_LIST_CORNERS].count = first;
        return PLIANT_OK;
    }
    return result == PLIANT_OK ? pli_faces_add_piece(t, element, first) : result;
}

/* The whole triangle, where segments pass it by or lie inside it. */
pliant_result pli_faces_add_whole(pli_cutting *t, bool as_piece)
{
    uint32_t places = (uint32_t)t->c->list[PLI_LIST_PLACES].count, element = PLI_NONE;
    uint64_t first = t->c->list[PLI_LIST_CORNERS].count;
    pliant_result result = PLIANT_OK;
    join_places(t, 0, places, &element);
    element = element != PLI_NONE ? element : pli_faces_add_element(t);
    if (element == PLI_NONE) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (!as_piece) {
        PLI_ITEMS(uint32_t, t->side, PLI_SIDE_TRIANGLE_REGIONS)[t->triangle] = element;
        return PLIANT_OK;
    }
    for (int k = 0; k < 3 && result == PLIANT_OK; k++) {
        double point[3] = {(double)t->corner[k][0], (double)t->corner[k][1],
                           (double)t->corner[k][2]};
        result = pli_faces_add_corner(t, point);
    }
    return result == PLIANT_OK ? pli_faces_add_piece(t, element, first) : result;
}

pliant_result pli_faces_walk(pli_cutting *t)
{
    uint32_t count = (uint32_t)t->c->list[PLI_LIST_STOPS].count;
    pliant_result result = count == 0 ? pli_faces_add_whole(t, true) : PLIANT_OK;
    for (uint32_t i = 0; i < count && result == PLIANT_OK; i++) {
        result = pli_stops(t)[i].walked ? PLIANT_OK : walk_face(t, i);
    }
    return result;
}
