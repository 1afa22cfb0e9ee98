/*
 * Cuts triangles into faces. The segments in a triangle form connected pieces, clusters. Seen from
 * the triangle's outline, a cluster is no more than the stops where it meets the outline: whoever
 * walks along the outline, the face to the left, and comes to a stop, turns left there, goes along
 * the cluster, and comes out at the cluster's stop before. So faces follow from the cyclic order of
 * the stops and from connectivity alone, also where a contour ends inside the triangle (the stop
 * before is then the same one) or branches. Clusters that interleave on the outline must cross, and
 * are one.
 *
 * A cluster without stops is a closed curve, whose inside is a face of its own, a hole in the one
 * around it; or it is a tree, and cuts nothing off. Faces that are enclosed by a cluster which
 * branches or crosses itself within one triangle are not told apart from those around them.
 */
#include "faces.h"

#include "geometry/vec3.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

/* One triangle being cut. */
typedef struct cutting {
    pliant_contours *c;
    pli_contour_side *side;
    uint32_t triangle;
    uint32_t vertex[3]; /* in PLI_SIDE_LOWEST's numbers */
    float corner[3][3];
    double normal[3];    /* of length 1, or 0 */
    uint32_t stop_at[3]; /* the stop at a corner, or NONE */
    uint32_t paths;      /* followed so far */
} cutting;

static pli_stop *stops(const cutting *t)
{
    return PLI_ITEMS(pli_stop, t->c, PLI_LIST_STOPS);
}

static pli_local_node *local_nodes(const cutting *t)
{
    return PLI_ITEMS(pli_local_node, t->c, PLI_LIST_LOCAL_NODES);
}

/* ------------------------------------------------------------------ the outline */

static uint32_t add_local_node(cutting *t, const double point[3])
{
    pli_local_node *node = pli_list_add(t->c->context, &t->c->list[PLI_LIST_LOCAL_NODES]);
    if (node == NULL) {
        return NONE;
    }
    uint32_t number = (uint32_t)(t->c->list[PLI_LIST_LOCAL_NODES].count - 1);
    *node = (pli_local_node){.parent = number, .first_link = NONE, .via = NONE};
    memcpy(node->point, point, sizeof node->point);
    return number;
}

static pliant_result add_stop(cutting *t, const double point[3])
{
    pli_stop *stop = pli_list_add(t->c->context, &t->c->list[PLI_LIST_STOPS]);
    if (stop == NULL || add_local_node(t, point) == NONE) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *stop = (pli_stop){.first_place = (uint32_t)t->c->list[PLI_LIST_PLACES].count};
    memcpy(stop->point, point, sizeof stop->point);
    return PLIANT_OK;
}

static pliant_result add_place(cutting *t, uint32_t element, const double *corner)
{
    pli_place *place = pli_list_add(t->c->context, &t->c->list[PLI_LIST_PLACES]);
    if (place == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *place = (pli_place){.element = element, .is_corner = corner != NULL};
    if (corner != NULL) {
        memcpy(place->point, corner, sizeof place->point);
    }
    return PLIANT_OK;
}

/* The stop at a cut point; all nodes there are that one. */
static pliant_result add_cut_point(cutting *t, const pli_cut_point *point)
{
    const pli_cut *cuts = PLI_ITEMS(pli_cut, t->side, PLI_SIDE_CUTS) + point->first_cut;
    const pli_contour_node *nodes = PLI_ITEMS(pli_contour_node, t->c, PLI_LIST_NODES);
    uint32_t number = (uint32_t)t->c->list[PLI_LIST_LOCAL_NODES].count;
    for (uint32_t i = 0; i < point->cut_count; i++) {
        PLI_ITEMS(uint32_t, t->c, PLI_LIST_LOCAL)[cuts[i].node] = number;
    }
    return add_stop(t, nodes[cuts[0].node].point);
}

/* Pieces and cut points of the edge from corner k on. */
static pliant_result add_edge(cutting *t, int k)
{
    uint32_t u = t->vertex[k], v = t->vertex[pli_next_axis(k)];
    const pli_cut_edge *edge = u != v ? pli_side_find_edge(t->side, u, v) : NULL;
    if (edge == NULL) {
        return PLIANT_OK;
    }
    const pli_cut_point *points = PLI_ITEMS(pli_cut_point, t->side, PLI_SIDE_CUT_POINTS);
    bool upward = edge->vertex[0] == u;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i <= edge->point_count && result == PLIANT_OK; i++) {
        uint32_t at = upward ? i : edge->point_count - i;
        result = add_place(t, edge->first_piece + at, NULL);
        if (result == PLIANT_OK && i < edge->point_count) {
            result = add_cut_point(t, &points[edge->first_point + (upward ? at : at - 1)]);
        }
    }
    return result;
}

static pliant_result list_outline(cutting *t)
{
    const uint8_t *state = PLI_ITEMS(uint8_t, t->side, PLI_SIDE_STATE);
    pliant_result result = PLIANT_OK;
    for (int k = 0; k < 3 && result == PLIANT_OK; k++) {
        double point[3] = {t->corner[k][0], t->corner[k][1], t->corner[k][2]};
        bool cut = (state[t->vertex[k]] & PLI_VERTEX_CUT) != 0;
        t->stop_at[k] = cut ? (uint32_t)t->c->list[PLI_LIST_STOPS].count : NONE;
        result = cut ? add_stop(t, point) : add_place(t, t->vertex[k], point);
        result = result == PLIANT_OK ? add_edge(t, k) : result;
    }
    return result;
}

/* ------------------------------------------------------------------ segments in the triangle */

/* The local number of a node: a stop's, or its own. */
static uint32_t local_number(cutting *t, uint32_t number)
{
    const pli_contour_node *node = &PLI_ITEMS(pli_contour_node, t->c, PLI_LIST_NODES)[number];
    uint32_t *local = &PLI_ITEMS(uint32_t, t->c, PLI_LIST_LOCAL)[number];
    for (uint32_t role = t->side->first_role; role <= t->side->last_role && *local == NONE;
         role++) {
        for (int k = 0; k < 3; k++) {
            bool here = node->feature[role].kind == PLIANT_FEATURE_VERTEX &&
                        node->feature[role].index[0] == t->vertex[k];
            *local = here ? t->stop_at[k] : *local;
        }
    }
    if (*local == NONE) {
        *local = add_local_node(t, node->point);
    }
    return *local;
}

static void join_local(cutting *t, uint32_t i, uint32_t j)
{
    pli_local_node *nodes = local_nodes(t);
    uint32_t root[2] = {i, j};
    for (int k = 0; k < 2; k++) {
        while (nodes[root[k]].parent != root[k]) {
            nodes[root[k]].parent = nodes[nodes[root[k]].parent].parent;
            root[k] = nodes[root[k]].parent;
        }
    }
    uint32_t low = root[0] < root[1] ? root[0] : root[1];
    nodes[root[0]].parent = nodes[root[1]].parent = low;
}

static uint32_t cluster_of(const cutting *t, uint32_t i)
{
    const pli_local_node *nodes = local_nodes(t);
    while (nodes[i].parent != i) {
        i = nodes[i].parent;
    }
    return i;
}

static pliant_result add_local_link(cutting *t, const pli_contour_link *link)
{
    uint32_t p = local_number(t, link->node[0]), q = local_number(t, link->node[1]);
    if (p == NONE || q == NONE) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (p == q) {
        return PLIANT_OK;
    }
    pli_local_link *added = pli_list_add(t->c->context, &t->c->list[PLI_LIST_LOCAL_LINKS]);
    if (added == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_local_node *nodes = local_nodes(t);
    uint32_t number = (uint32_t)(t->c->list[PLI_LIST_LOCAL_LINKS].count - 1);
    *added = (pli_local_link){.node = {p, q}, .next = {nodes[p].first_link, nodes[q].first_link}};
    nodes[p].first_link = 2 * number;
    nodes[q].first_link = 2 * number + 1;
    nodes[p].degree++;
    nodes[q].degree++;
    join_local(t, p, q);
    return PLIANT_OK;
}

/* Forgets the local numbers of all nodes that have one. */
static void forget_local(cutting *t, const uint64_t *keys, size_t count)
{
    uint32_t *local = PLI_ITEMS(uint32_t, t->c, PLI_LIST_LOCAL);
    const pli_contour_link *links = PLI_ITEMS(pli_contour_link, t->c, PLI_LIST_LINKS);
    const pli_cut_point *points = PLI_ITEMS(pli_cut_point, t->side, PLI_SIDE_CUT_POINTS);
    const pli_cut *cuts = PLI_ITEMS(pli_cut, t->side, PLI_SIDE_CUTS);
    for (size_t i = 0; i < count; i++) {
        const pli_contour_link *link = &links[(uint32_t)keys[i]];
        local[link->node[0]] = local[link->node[1]] = NONE;
    }
    for (int k = 0; k < 3; k++) {
        uint32_t u = t->vertex[k], v = t->vertex[pli_next_axis(k)];
        const pli_cut_edge *edge = u != v ? pli_side_find_edge(t->side, u, v) : NULL;
        for (uint32_t p = 0; edge != NULL && p < edge->point_count; p++) {
            const pli_cut_point *point = &points[edge->first_point + p];
            for (uint32_t i = 0; i < point->cut_count; i++) {
                local[cuts[point->first_cut + i].node] = NONE;
            }
        }
    }
}

/* ------------------------------------------------------------------ clusters seen from outside */

/*
 * Clusters that interleave on the outline are made one. A stack of the clusters that are open: what
 * comes back to a cluster that is not on top has crossed all those above it which are to come back
 * themselves; these are the ones whose last stop is still ahead.
 */
static pliant_result join_interleaved(cutting *t)
{
    uint32_t count = (uint32_t)t->c->list[PLI_LIST_STOPS].count;
    pli_list *stack = &t->c->list[PLI_LIST_PATH];
    pliant_result result = pli_list_resize(t->c->context, stack, 2 * (size_t)count + 1);
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t *open = stack->items, *last = open + count, depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        last[cluster_of(t, i)] = i; /* roots are the lowest: of a cluster with stops, a stop */
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cluster = cluster_of(t, i), found = depth;
        while (found > 0 && cluster_of(t, open[found - 1]) != cluster) {
            found--;
        }
        if (found == 0) {
            open[depth++] = cluster;
            continue;
        }
        uint32_t end = last[cluster_of(t, cluster)];
        for (uint32_t k = found; k < depth; k++) {
            uint32_t other = cluster_of(t, open[k]);
            if (last[other] > i) {
                end = last[other] > end ? last[other] : end;
                join_local(t, other, cluster);
            }
        }
        depth = found;
        last[cluster_of(t, cluster)] =
            end > last[cluster_of(t, cluster)] ? end : last[cluster_of(t, cluster)];
    }
    return PLIANT_OK;
}

/* The stop of the same cluster that comes before each, around the outline. */
static void link_stops(cutting *t)
{
    uint32_t count = (uint32_t)t->c->list[PLI_LIST_STOPS].count;
    uint32_t *latest = t->c->list[PLI_LIST_PATH].items; /* per cluster; two elements per stop */
    for (uint32_t i = 0; i < count; i++) {
        latest[i] = NONE;
    }
    for (uint32_t round = 0; round < 2; round++) { /* the second time nothing is missing */
        for (uint32_t i = 0; i < count; i++) {
            uint32_t cluster = cluster_of(t, i);
            stops(t)[i].previous = latest[cluster] != NONE ? latest[cluster] : i;
            latest[cluster] = i;
        }
    }
}

/* ------------------------------------------------------------------ outlines of faces */

static pliant_result add_corner(cutting *t, const double point[3])
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
static bool find_way(cutting *t, uint32_t from, uint32_t to)
{
    pli_local_node *nodes = local_nodes(t);
    const pli_local_link *links = PLI_ITEMS(pli_local_link, t->c, PLI_LIST_LOCAL_LINKS);
    uint32_t *queue = t->c->list[PLI_LIST_PATH].items, first = 0, count = 0;
    t->paths++;
    queue[count++] = to;
    nodes[to].seen = t->paths;
    while (first < count && nodes[from].seen != t->paths) {
        uint32_t at = queue[first++];
        for (uint32_t i = nodes[at].first_link; i != NONE; i = links[i / 2].next[i % 2]) {
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
static pliant_result add_way(cutting *t, uint32_t from, uint32_t to)
{
    const pli_local_link *links = PLI_ITEMS(pli_local_link, t->c, PLI_LIST_LOCAL_LINKS);
    pliant_result result = PLIANT_OK;
    if (from == to || !find_way(t, from, to)) {
        return PLIANT_OK;
    }
    for (uint32_t at = from; at != to && result == PLIANT_OK;) {
        uint32_t via = local_nodes(t)[at].via;
        at = links[via / 2].node[via % 2];
        result = at != to ? add_corner(t, local_nodes(t)[at].point) : PLIANT_OK;
    }
    return result;
}

/* The area that an outline encloses, seen against the normal. */
static double outline_area(const cutting *t, uint64_t first, uint32_t count)
{
    const float(*p)[3] = (const float(*)[3])PLI_ITEMS(float, t->c, PLI_LIST_CORNERS) + first;
    double sum[3] = {0.0, 0.0, 0.0};
    for (uint32_t k = 1; k + 1 < count; k++) {
        for (int i = 0; i < 3; i++) {
            int j = pli_next_axis(i), l = pli_next_axis(j);
            double u[2] = {(double)p[k][j] - (double)p[0][j], (double)p[k][l] - (double)p[0][l]};
            double v[2] = {(double)p[k + 1][j] - (double)p[0][j],
                           (double)p[k + 1][l] - (double)p[0][l]};
            sum[i] += 0.5 * (u[0] * v[1] - u[1] * v[0]);
        }
    }
    return sum[0] * t->normal[0] + sum[1] * t->normal[1] + sum[2] * t->normal[2];
}

static pliant_result add_piece(cutting *t, uint32_t element, uint64_t first)
{
    pliant_contours *c = t->c;
    uint32_t count = (uint32_t)(c->list[PLI_LIST_CORNERS].count - first);
    double area = outline_area(t, first, count);
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
static uint32_t add_element(cutting *t)
{
    uint32_t number = (uint32_t)t->side->list[PLI_SIDE_PARENTS].count;
    uint32_t *parent = pli_list_add(t->c->context, &t->side->list[PLI_SIDE_PARENTS]);
    uint8_t *blocked =
        parent != NULL ? pli_list_add(t->c->context, &t->side->list[PLI_SIDE_BLOCKED]) : NULL;
    if (blocked == NULL) {
        return NONE;
    }
    *parent = number;
    *blocked = 0;
    return number;
}

/* Joins the elements of some places with one another; *element is one of them, or NONE still. */
static void join_places(cutting *t, uint32_t first, uint32_t count, uint32_t *element)
{
    const pli_place *places = PLI_ITEMS(pli_place, t->c, PLI_LIST_PLACES);
    uint32_t all = (uint32_t)t->c->list[PLI_LIST_PLACES].count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = places[(first + i) % all].element;
        if (PLI_ITEMS(uint8_t, t->side, PLI_SIDE_BLOCKED)[own]) {
            continue;
        }
        if (*element == NONE) {
            *element = own;
        } else {
            pli_forest_join(PLI_ITEMS(uint32_t, t->side, PLI_SIDE_PARENTS), *element, own);
        }
    }
}

/* Places from a stop to the next one. */
static uint32_t places_behind(const cutting *t, uint32_t stop)
{
    uint32_t count = (uint32_t)t->c->list[PLI_LIST_STOPS].count;
    uint32_t all = (uint32_t)t->c->list[PLI_LIST_PLACES].count;
    uint32_t first = stops(t)[stop].first_place, last = stops(t)[(stop + 1) % count].first_place;
    return stop + 1 < count ? last - first : all - first + last;
}

static pliant_result add_place_corners(cutting *t, uint32_t first, uint32_t count)
{
    uint32_t all = (uint32_t)t->c->list[PLI_LIST_PLACES].count;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < count && result == PLIANT_OK; i++) {
        const pli_place *place = &PLI_ITEMS(pli_place, t->c, PLI_LIST_PLACES)[(first + i) % all];
        result = place->is_corner ? add_corner(t, place->point) : PLIANT_OK;
    }
    return result;
}

/* The face to the left of the outline behind a stop. */
static pliant_result walk_face(cutting *t, uint32_t start)
{
    uint32_t count = (uint32_t)t->c->list[PLI_LIST_STOPS].count, element = NONE;
    uint64_t first = t->c->list[PLI_LIST_CORNERS].count;
    pliant_result result = PLIANT_OK;
    for (uint32_t at = start; !stops(t)[at].walked && result == PLIANT_OK;) {
        uint32_t next = (at + 1) % count, places = places_behind(t, at);
        stops(t)[at].walked = true;
        join_places(t, stops(t)[at].first_place, places, &element);
        result = add_corner(t, stops(t)[at].point);
        result =
            result == PLIANT_OK ? add_place_corners(t, stops(t)[at].first_place, places) : result;
        result = result == PLIANT_OK && next != at ? add_corner(t, stops(t)[next].point) : result;
        at = stops(t)[next].previous;
        result = result == PLIANT_OK ? add_way(t, next, at) : result;
    }
    if (result == PLIANT_OK && element == NONE) {
        /* Between an edge and a contour along it there is nothing. */
        t->c->list[PLI_LIST_CORNERS].count = first;
        return PLIANT_OK;
    }
    return result == PLIANT_OK ? add_piece(t, element, first) : result;
}

/* ------------------------------------------------------------------ holes */

/* Goes round a cluster without stops, along the direction of its first segment; *closed: it is a
   simple curve, whose nodes are now corners. */
static pliant_result go_round(cutting *t, uint32_t start, bool *closed)
{
    const pli_local_link *links = PLI_ITEMS(pli_local_link, t->c, PLI_LIST_LOCAL_LINKS);
    uint32_t limit = (uint32_t)t->c->list[PLI_LIST_LOCAL_NODES].count, at = start;
    uint32_t link = local_nodes(t)[start].first_link;
    *closed = false;
    if (link == NONE || local_nodes(t)[start].degree != 2) {
        return PLIANT_OK;
    }
    if (link % 2 == 1) { /* the other one begins here, perhaps */
        uint32_t other = links[link / 2].next[1];
        link = other % 2 == 0 ? other : link;
    }
    for (uint32_t i = 0; i < limit; i++) {
        pliant_result result = add_corner(t, local_nodes(t)[at].point);
        if (result != PLIANT_OK) {
            return result;
        }
        at = links[link / 2].node[1 - link % 2];
        if (at == start || local_nodes(t)[at].degree != 2) {
            *closed = at == start;
            return PLIANT_OK;
        }
        uint32_t head = local_nodes(t)[at].first_link;
        link = head / 2 == link / 2 ? links[head / 2].next[head % 2] : head;
    }
    return PLIANT_OK;
}

static void reverse_corners(cutting *t, uint64_t first)
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
static pliant_result add_hole(cutting *t, uint32_t start)
{
    pliant_contours *c = t->c;
    uint64_t first = c->list[PLI_LIST_CORNERS].count;
    bool closed = false;
    pliant_result result = go_round(t, start, &closed);
    if (result != PLIANT_OK || !closed) {
        c->list[PLI_LIST_CORNERS].count = first;
        return result;
    }
    bool left = outline_area(t, first, (uint32_t)(c->list[PLI_LIST_CORNERS].count - first)) > 0.0;
    if (!left) {
        reverse_corners(t, first);
    }
    uint32_t element = add_element(t);
    result = element != NONE ? add_piece(t, element, first) : PLIANT_ERROR_OUT_OF_MEMORY;
    pli_hole *hole =
        result == PLIANT_OK ? pli_list_add(c->context, &t->side->list[PLI_SIDE_HOLES]) : NULL;
    if (hole == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    bool inner = left == (t->side->number == 0);
    *hole = (pli_hole){.element = element,
                       .piece = (uint32_t)(c->list[PLI_LIST_PIECES].count - 1),
                       .container = NONE,
                       .step = c->self ? 0 : (inner ? 1 : -1)};
    return PLIANT_OK;
}

/* Whether a point lies within the outline of a piece, seen along one axis. */
static bool encloses(const cutting *t, const pliant_region_piece *piece, const float point[3],
                     int axis)
{
    const float(*p)[3] =
        (const float(*)[3])PLI_ITEMS(float, t->c, PLI_LIST_CORNERS) + piece->first_corner;
    int j = pli_next_axis(axis), k = pli_next_axis(j);
    bool within = false;
    for (uint32_t i = 0, last = piece->corner_count - 1; i < piece->corner_count; last = i++) {
        double u[2] = {p[last][j], p[last][k]}, v[2] = {p[i][j], p[i][k]};
        if ((u[1] > (double)point[k]) != (v[1] > (double)point[k])) {
            double x = u[0] + (v[0] - u[0]) * ((double)point[k] - u[1]) / (v[1] - u[1]);
            within = within != (x > (double)point[j]);
        }
    }
    return within;
}

/* The smallest piece of the triangle around each hole, whose area is then less. */
static void find_containers(cutting *t, size_t first_hole, size_t first_piece)
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
                holes[h].container == NONE || pieces[i].area < pieces[holes[h].container].area;
            bool larger = pieces[i].area > pieces[holes[h].piece].area;
            if (i != holes[h].piece && smaller && larger && encloses(t, &pieces[i], point, axis)) {
                holes[h].container = (uint32_t)i;
            }
        }
    }
    /* What is around is larger, so the areas of outlines are needed until all are found. */
    for (size_t h = t->side->list[PLI_SIDE_HOLES].count; h-- > first_hole;) {
        if (holes[h].container != NONE) {
            double area = fabs(outline_area(t, pieces[holes[h].piece].first_corner,
                                            pieces[holes[h].piece].corner_count));
            double left = pieces[holes[h].container].area - area;
            pieces[holes[h].container].area = left > 0.0 ? left : 0.0;
        }
    }
}

/* ------------------------------------------------------------------ triangles */

static void set_normal(cutting *t)
{
    double u[3], v[3], length = 0.0;
    for (int i = 0; i < 3; i++) {
        u[i] = (double)t->corner[1][i] - (double)t->corner[0][i];
        v[i] = (double)t->corner[2][i] - (double)t->corner[0][i];
    }
    for (int i = 0; i < 3; i++) {
        int j = pli_next_axis(i), k = pli_next_axis(j);
        t->normal[i] = u[j] * v[k] - u[k] * v[j];
        length += t->normal[i] * t->normal[i];
    }
    for (int i = 0; i < 3; i++) {
        t->normal[i] = length > 0.0 ? t->normal[i] / sqrt(length) : 0.0;
    }
}

static void clear_cutting(cutting *t)
{
    static const pli_contour_list local[] = {PLI_LIST_STOPS, PLI_LIST_PLACES, PLI_LIST_LOCAL_NODES,
                                             PLI_LIST_LOCAL_LINKS};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++) {
        t->c->list[local[i]].count = 0;
    }
    t->paths = 0;
}

/* The whole triangle, where segments pass it by or lie inside it. */
static pliant_result add_whole(cutting *t, bool as_piece)
{
    uint32_t places = (uint32_t)t->c->list[PLI_LIST_PLACES].count, element = NONE;
    uint64_t first = t->c->list[PLI_LIST_CORNERS].count;
    pliant_result result = PLIANT_OK;
    join_places(t, 0, places, &element);
    element = element != NONE ? element : add_element(t);
    if (element == NONE) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (!as_piece) {
        PLI_ITEMS(uint32_t, t->side, PLI_SIDE_TRIANGLE_REGIONS)[t->triangle] = element;
        return PLIANT_OK;
    }
    for (int k = 0; k < 3 && result == PLIANT_OK; k++) {
        double point[3] = {t->corner[k][0], t->corner[k][1], t->corner[k][2]};
        result = add_corner(t, point);
    }
    return result == PLIANT_OK ? add_piece(t, element, first) : result;
}

static pliant_result cut_faces(cutting *t)
{
    size_t first_piece = t->c->list[PLI_LIST_PIECES].count;
    size_t first_hole = t->side->list[PLI_SIDE_HOLES].count;
    uint32_t stop_count = (uint32_t)t->c->list[PLI_LIST_STOPS].count;
    size_t local_count = t->c->list[PLI_LIST_LOCAL_NODES].count;
    pliant_result result = join_interleaved(t);
    result = result == PLIANT_OK
                 ? pli_list_resize(t->c->context, &t->c->list[PLI_LIST_PATH], local_count + 1)
                 : result;
    if (result != PLIANT_OK) {
        return result;
    }
    if (stop_count == 0) {
        result = add_whole(t, true);
    } else {
        link_stops(t);
    }
    for (uint32_t i = 0; i < stop_count && result == PLIANT_OK; i++) {
        result = stops(t)[i].walked ? PLIANT_OK : walk_face(t, i);
    }
    for (uint32_t i = stop_count; i < local_count && result == PLIANT_OK; i++) {
        result = local_nodes(t)[i].parent == i ? add_hole(t, i) : PLIANT_OK;
    }
    if (result == PLIANT_OK) {
        find_containers(t, first_hole, first_piece);
    }
    return result;
}

static pliant_result cut_triangle(cutting *t, const uint64_t *keys, size_t count)
{
    clear_cutting(t);
    set_normal(t);
    pliant_result result = list_outline(t);
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        const pli_contour_link *links = PLI_ITEMS(pli_contour_link, t->c, PLI_LIST_LINKS);
        result = add_local_link(t, &links[(uint32_t)keys[i]]);
    }
    if (result == PLIANT_OK) {
        result = count > 0 ? cut_faces(t) : add_whole(t, false);
    }
    forget_local(t, keys, count);
    return result;
}

static pliant_result list_triangle_links(pliant_contours *c, pli_contour_side *side)
{
    size_t links = c->list[PLI_LIST_LINKS].count, count = 0;
    size_t roles = side->last_role - side->first_role + 1;
    pliant_result result = pli_list_resize(c->context, &c->list[PLI_LIST_KEYS], roles * links);
    for (size_t i = 0; i < links && result == PLIANT_OK; i++) {
        const pli_contour_link *link = &PLI_ITEMS(pli_contour_link, c, PLI_LIST_LINKS)[i];
        for (uint32_t role = side->first_role; role <= side->last_role; role++) {
            PLI_ITEMS(uint64_t, c, PLI_LIST_KEYS)
            [count++] = (uint64_t)link->triangle[role] << 32 | i;
        }
    }
    result = result == PLIANT_OK ? pli_contours_sort(c, count, false) : result;
    if (result == PLIANT_OK) {
        result = pli_list_resize(c->context, &side->list[PLI_SIDE_TRIANGLE_LINKS], count);
    }
    if (result == PLIANT_OK && count > 0) {
        memcpy(side->list[PLI_SIDE_TRIANGLE_LINKS].items, c->list[PLI_LIST_KEYS].items,
               count * sizeof(uint64_t));
    }
    return result;
}

/* An uncut triangle holds its vertices together. */
static void join_corners(pli_contour_side *side, uint32_t triangle, const uint32_t vertex[3])
{
    uint32_t *parents = PLI_ITEMS(uint32_t, side, PLI_SIDE_PARENTS);
    pli_forest_join(parents, vertex[0], vertex[1]);
    pli_forest_join(parents, vertex[0], vertex[2]);
    PLI_ITEMS(uint32_t, side, PLI_SIDE_TRIANGLE_REGIONS)[triangle] = vertex[0];
}

static pliant_result prepare_lists(pliant_contours *c, pli_contour_side *side)
{
    uint32_t vertices = side->shape->vertex_count, triangles = side->shape->triangle_count;
    size_t nodes = c->list[PLI_LIST_NODES].count;
    pliant_result result = list_triangle_links(c, side);
    result = result == PLIANT_OK
                 ? pli_list_resize(c->context, &side->list[PLI_SIDE_COMPONENTS], vertices)
                 : result;
    result = result == PLIANT_OK
                 ? pli_list_resize(c->context, &side->list[PLI_SIDE_TRIANGLE_REGIONS], triangles)
                 : result;
    result =
        result == PLIANT_OK ? pli_list_resize(c->context, &c->list[PLI_LIST_LOCAL], nodes) : result;
    for (uint32_t v = 0; v < vertices && result == PLIANT_OK; v++) {
        PLI_ITEMS(uint32_t, side, PLI_SIDE_COMPONENTS)[v] = v;
    }
    for (size_t n = 0; n < nodes && result == PLIANT_OK; n++) {
        PLI_ITEMS(uint32_t, c, PLI_LIST_LOCAL)[n] = NONE;
    }
    return result;
}

pliant_result pli_side_cut_faces(pliant_contours *c, pli_contour_side *side)
{
    cutting t = {.c = c, .side = side};
    pliant_result result = prepare_lists(c, side);
    size_t next = 0, links = side->list[PLI_SIDE_TRIANGLE_LINKS].count;
    side->first_piece = (uint32_t)c->list[PLI_LIST_PIECES].count;
    for (uint32_t i = 0; i < side->shape->triangle_count && result == PLIANT_OK; i++) {
        const uint64_t *keys = PLI_ITEMS(uint64_t, side, PLI_SIDE_TRIANGLE_LINKS);
        uint8_t *state = PLI_ITEMS(uint8_t, side, PLI_SIDE_STATE), met = 0;
        size_t first = next;
        while (next < links && keys[next] >> 32 == i) {
            next++;
        }
        PLI_ITEMS(uint32_t, side, PLI_SIDE_TRIANGLE_REGIONS)[i] = PLIANT_NO_REGION;
        if (!pli_side_has(side, i)) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            t.vertex[k] = pli_side_lowest(side, side->shape->triangles[3 * (size_t)i + (size_t)k]);
            met |= state[t.vertex[k]];
            state[t.vertex[k]] |= PLI_VERTEX_USED;
            pli_forest_join(PLI_ITEMS(uint32_t, side, PLI_SIDE_COMPONENTS), t.vertex[0],
                            t.vertex[k]);
        }
        if (next == first && !(met & (PLI_VERTEX_CUT | PLI_VERTEX_OF_CUT_EDGE))) {
            join_corners(side, i, t.vertex);
            continue;
        }
        t.triangle = i;
        pli_side_corners(side, i, t.corner);
        result = cut_triangle(&t, keys + first, next - first);
    }
    side->last_piece = (uint32_t)c->list[PLI_LIST_PIECES].count;
    return result;
}
