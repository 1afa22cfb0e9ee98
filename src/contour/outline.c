/* The outline of a triangle: where contours meet it, what lies between, and which of these places
   are connected by segments in the triangle. faces.c says what follows from that. */
#include "faces.h"

#include "geometry/vec3.h"

#include <string.h>

static uint32_t add_local_node(pli_cutting *t, const double point[3])
{
    pli_local_node *node = pli_list_add(t->c->context, &t->c->list[PLI_LIST_LOCAL_NODES]);
    if (node == NULL) {
        return PLI_NONE;
    }
    uint32_t number = (uint32_t)(t->c->list[PLI_LIST_LOCAL_NODES].count - 1);
    *node = (pli_local_node){.parent = number, .first_link = PLI_NONE, .via = PLI_NONE};
    memcpy(node->point, point, sizeof node->point);
    return number;
}

static pliant_result add_stop(pli_cutting *t, const double point[3])
{
    pli_stop *stop = pli_list_add(t->c->context, &t->c->list[PLI_LIST_STOPS]);
    if (stop == NULL || add_local_node(t, point) == PLI_NONE) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *stop = (pli_stop){.first_place = (uint32_t)t->c->list[PLI_LIST_PLACES].count};
    memcpy(stop->point, point, sizeof stop->point);
    return PLIANT_OK;
}

static pliant_result add_place(pli_cutting *t, uint32_t element, const double *corner)
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
static pliant_result add_cut_point(pli_cutting *t, const pli_cut_point *point)
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
static pliant_result add_edge(pli_cutting *t, int k)
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

pliant_result pli_outline_list(pli_cutting *t)
{
    const uint8_t *state = PLI_ITEMS(uint8_t, t->side, PLI_SIDE_STATE);
    pliant_result result = PLIANT_OK;
    for (int k = 0; k < 3 && result == PLIANT_OK; k++) {
        double point[3] = {(double)t->corner[k][0], (double)t->corner[k][1],
                           (double)t->corner[k][2]};
        bool cut = (state[t->vertex[k]] & PLI_VERTEX_CUT) != 0;
        t->stop_at[k] = cut ? (uint32_t)t->c->list[PLI_LIST_STOPS].count : PLI_NONE;
        result = cut ? add_stop(t, point) : add_place(t, t->vertex[k], point);
        result = result == PLIANT_OK ? add_edge(t, k) : result;
    }
    return result;
}

/* ------------------------------------------------------------------ segments in the triangle */

/* The local number of a node: a stop's, or its own. */
static uint32_t local_number(pli_cutting *t, uint32_t number)
{
    const pli_contour_node *node = &PLI_ITEMS(pli_contour_node, t->c, PLI_LIST_NODES)[number];
    uint32_t *local = &PLI_ITEMS(uint32_t, t->c, PLI_LIST_LOCAL)[number];
    for (uint32_t role = t->side->first_role; role <= t->side->last_role && *local == PLI_NONE;
         role++) {
        for (int k = 0; k < 3; k++) {
            bool here = node->feature[role].kind == PLIANT_FEATURE_VERTEX &&
                        node->feature[role].index[0] == t->vertex[k];
            *local = here ? t->stop_at[k] : *local;
        }
    }
    if (*local == PLI_NONE) {
        *local = add_local_node(t, node->point);
    }
    return *local;
}

static void join_local(pli_cutting *t, uint32_t i, uint32_t j)
{
    pli_local_node *nodes = pli_local_nodes(t);
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

static uint32_t cluster_of(const pli_cutting *t, uint32_t i)
{
    const pli_local_node *nodes = pli_local_nodes(t);
    while (nodes[i].parent != i) {
        i = nodes[i].parent;
    }
    return i;
}

pliant_result pli_outline_add_link(pli_cutting *t, const pli_contour_link *link)
{
    uint32_t p = local_number(t, link->node[0]), q = local_number(t, link->node[1]);
    if (p == PLI_NONE || q == PLI_NONE) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (p == q) {
        return PLIANT_OK;
    }
    pli_local_link *added = pli_list_add(t->c->context, &t->c->list[PLI_LIST_LOCAL_LINKS]);
    if (added == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_local_node *nodes = pli_local_nodes(t);
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
void pli_outline_forget(pli_cutting *t, const uint64_t *keys, size_t count)
{
    uint32_t *local = PLI_ITEMS(uint32_t, t->c, PLI_LIST_LOCAL);
    const pli_contour_link *links = PLI_ITEMS(pli_contour_link, t->c, PLI_LIST_LINKS);
    const pli_cut_point *points = PLI_ITEMS(pli_cut_point, t->side, PLI_SIDE_CUT_POINTS);
    const pli_cut *cuts = PLI_ITEMS(pli_cut, t->side, PLI_SIDE_CUTS);
    for (size_t i = 0; i < count; i++) {
        const pli_contour_link *link = &links[(uint32_t)keys[i]];
        local[link->node[0]] = local[link->node[1]] = PLI_NONE;
    }
    for (int k = 0; k < 3; k++) {
        uint32_t u = t->vertex[k], v = t->vertex[pli_next_axis(k)];
        const pli_cut_edge *edge = u != v ? pli_side_find_edge(t->side, u, v) : NULL;
        for (uint32_t p = 0; edge != NULL && p < edge->point_count; p++) {
            const pli_cut_point *point = &points[edge->first_point + p];
            for (uint32_t i = 0; i < point->cut_count; i++) {
                local[cuts[point->first_cut + i].node] = PLI_NONE;
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
static pliant_result join_interleaved(pli_cutting *t)
{
    uint32_t count = (uint32_t)t->c->list[PLI_LIST_STOPS].count;
    pli_array *stack = &t->c->list[PLI_LIST_PATH];
    pliant_result result = pli_list_resize(t->c->context, stack, 2 * (size_t)count + 1);
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t *open = stack->data, *last = open + count, depth = 0;
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
static void link_stops(pli_cutting *t)
{
    uint32_t count = (uint32_t)t->c->list[PLI_LIST_STOPS].count;
    uint32_t *latest = t->c->list[PLI_LIST_PATH].data; /* per cluster; two elements per stop */
    for (uint32_t i = 0; i < count; i++) {
        latest[i] = PLI_NONE;
    }
    for (uint32_t round = 0; round < 2; round++) { /* the second time nothing is missing */
        for (uint32_t i = 0; i < count; i++) {
            uint32_t cluster = cluster_of(t, i);
            pli_stops(t)[i].previous = latest[cluster] != PLI_NONE ? latest[cluster] : i;
            latest[cluster] = i;
        }
    }
}

pliant_result pli_outline_connect(pli_cutting *t)
{
    size_t nodes = t->c->list[PLI_LIST_LOCAL_NODES].count;
    pliant_result result = join_interleaved(t);
    if (result == PLIANT_OK) {
        result = pli_list_resize(t->c->context, &t->c->list[PLI_LIST_PATH], nodes + 1);
    }
    if (result == PLIANT_OK) {
        link_stops(t);
    }
    return result;
}
