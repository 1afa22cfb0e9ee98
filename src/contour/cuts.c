/*
 * Where contours cut the edges of a mesh, in order along each edge. Two cuts whose shares of the
 * way are close are ordered exactly, by the planes of the triangles that the edge passes through;
 * cuts at exactly the same place are one cut point.
 */
#include "contours.h"

#include "geometry/orient.h"
#include "geometry/triangle_crossing.h"

#include <math.h>
#include <string.h>

/* Shares further apart than this are in the order of their rounded values. */
#define CLOSE_SHARES 0x1p-24

/* The vertices that lie on a contour; whether there are any. */
static bool mark_vertices(pliant_contours *c, pli_contour_side *side)
{
    const pli_contour_node *nodes = PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES);
    uint8_t *state = PLI_ITEMS(uint8_t, side, PLI_SIDE_STATE);
    bool any = false;
    for (size_t n = 0; n < c->list[PLI_LIST_NODES].count; n++) {
        for (uint32_t role = side->first_role; role <= side->last_role; role++) {
            const pliant_contour_feature *f = &nodes[n].feature[role];
            if (f->kind == PLIANT_FEATURE_VERTEX) {
                state[f->index[0]] |= PLI_VERTEX_CUT;
                any = true;
            }
        }
    }
    return any;
}

static pliant_result add_entry(pliant_contours *c, uint32_t u, uint32_t v, const pli_cut *cut)
{
    pli_edge_entry *entry = pli_list_add(c->context, &c->list[PLI_LIST_ENTRIES]);
    if (entry == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *entry = (pli_edge_entry){.vertex = {u < v ? u : v, u < v ? v : u}, .is_cut = cut != NULL};
    if (cut != NULL) {
        entry->cut = *cut;
    }
    return PLIANT_OK;
}

/* One cut, seen from the lower vertex of its edge. */
static void set_cut(pliant_contours *c, const pli_contour_side *side, const uint32_t vertex[2],
                    size_t number, uint32_t role, pli_cut *cut)
{
    const pli_contour_node *node = &PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES)[number];
    *cut = (pli_cut){.node = (uint32_t)number, .role = role, .triangle = node->triangle[1 - role]};
    float u[3], v[3], t[3][3];
    pli_side_vertex(side, vertex[0], u);
    pli_side_vertex(side, vertex[1], v);
    pli_side_corners(pli_side_of_role(c, 1 - role), cut->triangle, t);
    cut->exact =
        pli_orient3d(t[0], t[1], t[2], u, NULL) * pli_orient3d(t[0], t[1], t[2], v, NULL) < 0;
    if (cut->exact) {
        cut->share = pli_plane_share(u, v, (const float(*)[3])t);
        return;
    }
    double along = 0.0, length = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = (double)v[i] - (double)u[i];
        along += d * (node->point[i] - (double)u[i]);
        length += d * d;
    }
    cut->share = along / length;
}

/* Edges that nodes lie on. */
static pliant_result list_cuts(pliant_contours *c, const pli_contour_side *side)
{
    pliant_result result = PLIANT_OK;
    for (size_t n = 0; n < c->list[PLI_LIST_NODES].count && result == PLIANT_OK; n++) {
        for (uint32_t role = side->first_role; role <= side->last_role; role++) {
            const pliant_contour_feature *f =
                &PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES)[n].feature[role];
            if (f->kind == PLIANT_FEATURE_EDGE && result == PLIANT_OK) {
                pli_cut cut;
                set_cut(c, side, f->index, n, role, &cut);
                result = add_entry(c, f->index[0], f->index[1], &cut);
            }
        }
    }
    return result;
}

/* Edges between two vertices that lie on contours: no vertex stands for what is between. */
static pliant_result list_bare_edges(pliant_contours *c, const pli_contour_side *side)
{
    const uint8_t *state = PLI_ITEMS(uint8_t, side, PLI_SIDE_STATE);
    const uint32_t *lowest = PLI_ITEMS(uint32_t, side, PLI_SIDE_LOWEST);
    pliant_result result = PLIANT_OK;
    for (size_t e = 0; e < 3 * (size_t)side->shape->triangle_count && result == PLIANT_OK; e++) {
        const uint32_t *corner = side->shape->triangles + e / 3 * 3;
        if (!pli_side_has(side, (uint32_t)(e / 3))) {
            continue;
        }
        uint32_t u = lowest[corner[e % 3]], v = lowest[corner[(e + 1) % 3]];
        if (u != v && (state[u] & state[v] & PLI_VERTEX_CUT)) {
            result = add_entry(c, u, v, NULL);
        }
    }
    return result;
}

static int compare_cuts(pliant_contours *c, const pli_contour_side *side, const uint32_t vertex[2],
                        const pli_cut *p, const pli_cut *q)
{
    if (!(fabs(p->share - q->share) <= CLOSE_SHARES) || !p->exact || !q->exact) {
        return (p->share > q->share) - (p->share < q->share);
    }
    float u[3], v[3], s[3][3], t[3][3];
    pli_side_vertex(side, vertex[0], u);
    pli_side_vertex(side, vertex[1], v);
    pli_side_corners(pli_side_of_role(c, 1 - p->role), p->triangle, s);
    pli_side_corners(pli_side_of_role(c, 1 - q->role), q->triangle, t);
    return pli_plane_share_compare(u, v, (const float(*)[3])s, (const float(*)[3])t);
}

/* A double that is at least 0, as a key in the same order. */
static uint64_t share_key(double share)
{
    double number = share > 0.0 ? share : 0.0;
    uint64_t word;
    memcpy(&word, &number, sizeof word);
    return word;
}

/* Orders the cuts of one edge exactly, which are in the order of their rounded shares, and lists
   the places where they are. */
static pliant_result order_cuts(pliant_contours *c, pli_contour_side *side,
                                const uint32_t vertex[2], size_t first)
{
    size_t count = side->list[PLI_SIDE_CUTS].count - first;
    if (count == 0) {
        return PLIANT_OK;
    }
    pli_cut *cuts = PLI_ITEMS(pli_cut, side, PLI_SIDE_CUTS) + first;
    for (size_t i = 1; i < count; i++) {
        pli_cut moving = cuts[i];
        size_t k = i;
        for (; k > 0 && compare_cuts(c, side, vertex, &cuts[k - 1], &moving) > 0; k--) {
            cuts[k] = cuts[k - 1];
        }
        cuts[k] = moving;
    }
    for (size_t i = 0; i < count; i++) {
        pli_array *points = &side->list[PLI_SIDE_CUT_POINTS];
        if (i > 0 && compare_cuts(c, side, vertex, &cuts[i - 1], &cuts[i]) == 0) {
            PLI_ITEMS(pli_cut_point, side, PLI_SIDE_CUT_POINTS)[points->count - 1].cut_count++;
            continue;
        }
        pli_cut_point *point = pli_list_add(c->context, points);
        if (point == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        *point = (pli_cut_point){.first_cut = (uint32_t)(first + i), .cut_count = 1};
    }
    return PLIANT_OK;
}

static uint64_t edge_key(const uint32_t vertex[2])
{
    return (uint64_t)vertex[0] << 32 | vertex[1];
}

/* Entries by edge, those of one edge by their share: PLI_LIST_VALUES lists them in that order. */
static pliant_result sort_entries(pliant_contours *c)
{
    size_t count = c->list[PLI_LIST_ENTRIES].count;
    const pli_edge_entry *entries = PLI_ITEMS(pli_edge_entry, c, PLI_LIST_ENTRIES);
    pliant_result result = pli_list_resize(c->context, &c->list[PLI_LIST_KEYS], count);
    result = result == PLIANT_OK ? pli_list_resize(c->context, &c->list[PLI_LIST_VALUES], count)
                                 : result;
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        PLI_ITEMS(uint64_t, c, PLI_LIST_KEYS)[i] = share_key(entries[i].cut.share);
        PLI_ITEMS(uint64_t, c, PLI_LIST_VALUES)[i] = i;
    }
    result = result == PLIANT_OK ? pli_contours_sort(c, count, true) : result;
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        uint64_t entry = PLI_ITEMS(uint64_t, c, PLI_LIST_VALUES)[i];
        PLI_ITEMS(uint64_t, c, PLI_LIST_KEYS)[i] = edge_key(entries[entry].vertex);
    }
    return result == PLIANT_OK ? pli_contours_sort(c, count, true) : result;
}

/* The edge of the sorted entries from *i on; moves *i behind them. */
static pliant_result add_edge(pliant_contours *c, pli_contour_side *side, size_t *i)
{
    const uint64_t *keys = PLI_ITEMS(uint64_t, c, PLI_LIST_KEYS);
    const uint64_t *values = PLI_ITEMS(uint64_t, c, PLI_LIST_VALUES);
    const pli_edge_entry *entries = PLI_ITEMS(pli_edge_entry, c, PLI_LIST_ENTRIES);
    size_t count = c->list[PLI_LIST_ENTRIES].count, first = side->list[PLI_SIDE_CUTS].count;
    pli_cut_edge edge = {.vertex = {entries[values[*i]].vertex[0], entries[values[*i]].vertex[1]},
                         .first_point = (uint32_t)side->list[PLI_SIDE_CUT_POINTS].count,
                         .first_piece = (uint32_t)side->list[PLI_SIDE_PARENTS].count};
    uint64_t key = keys[*i];
    for (; *i < count && keys[*i] == key; ++*i) {
        if (entries[values[*i]].is_cut) {
            pli_cut *cut = pli_list_add(c->context, &side->list[PLI_SIDE_CUTS]);
            if (cut == NULL) {
                return PLIANT_ERROR_OUT_OF_MEMORY;
            }
            *cut = entries[values[*i]].cut;
        }
    }
    pliant_result result = order_cuts(c, side, edge.vertex, first);
    edge.point_count = (uint32_t)side->list[PLI_SIDE_CUT_POINTS].count - edge.first_point;
    for (uint32_t k = 0; k <= edge.point_count && result == PLIANT_OK; k++) {
        uint32_t *parent = pli_list_add(c->context, &side->list[PLI_SIDE_PARENTS]);
        if (parent == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        *parent = edge.first_piece + k;
    }
    pli_cut_edge *added =
        result == PLIANT_OK ? pli_list_add(c->context, &side->list[PLI_SIDE_EDGES]) : NULL;
    if (added == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *added = edge;
    return PLIANT_OK;
}

const pli_cut_edge *pli_side_find_edge(const pli_contour_side *side, uint32_t u, uint32_t v)
{
    const pli_cut_edge *edges = PLI_ITEMS(pli_cut_edge, side, PLI_SIDE_EDGES);
    uint64_t key = u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
    size_t first = 0, last = side->list[PLI_SIDE_EDGES].count, count = last;
    while (first < last) {
        size_t middle = (first + last) / 2;
        bool below = edge_key(edges[middle].vertex) < key;
        first = below ? middle + 1 : first;
        last = below ? last : middle;
    }
    return first < count && edge_key(edges[first].vertex) == key ? &edges[first] : NULL;
}

/* Pieces at the ends of an edge belong to its vertices, unless these lie on a contour. */
static void join_ends(pli_contour_side *side)
{
    uint8_t *state = PLI_ITEMS(uint8_t, side, PLI_SIDE_STATE);
    uint32_t *parents = PLI_ITEMS(uint32_t, side, PLI_SIDE_PARENTS);
    for (size_t e = 0; e < side->list[PLI_SIDE_EDGES].count; e++) {
        const pli_cut_edge *edge = &PLI_ITEMS(pli_cut_edge, side, PLI_SIDE_EDGES)[e];
        for (int k = 0; k < 2; k++) {
            uint32_t v = edge->vertex[k];
            state[v] |= PLI_VERTEX_OF_CUT_EDGE;
            if (!(state[v] & PLI_VERTEX_CUT)) {
                pli_forest_join(parents, v, edge->first_piece + (k == 0 ? 0 : edge->point_count));
            }
        }
    }
}

/* Where on an edge a node lies: 0 at the lower vertex, point_count + 1 at the higher one, between
   them its cut point + 1; -1: not on that edge. */
static int64_t place_on_edge(const pli_contour_side *side, const pli_cut_edge *edge,
                             const pli_contour_node *nodes, uint32_t node)
{
    for (uint32_t role = side->first_role; role <= side->last_role; role++) {
        const pliant_contour_feature *f = &nodes[node].feature[role];
        if (f->kind == PLIANT_FEATURE_VERTEX && f->index[0] == edge->vertex[0]) {
            return 0;
        }
        if (f->kind == PLIANT_FEATURE_VERTEX && f->index[0] == edge->vertex[1]) {
            return (int64_t)edge->point_count + 1;
        }
    }
    const pli_cut_point *points = PLI_ITEMS(pli_cut_point, side, PLI_SIDE_CUT_POINTS);
    const pli_cut *cuts = PLI_ITEMS(pli_cut, side, PLI_SIDE_CUTS);
    for (uint32_t p = 0; p < edge->point_count; p++) {
        const pli_cut_point *point = &points[edge->first_point + p];
        for (uint32_t k = 0; k < point->cut_count; k++) {
            if (cuts[point->first_cut + k].node == node) {
                return (int64_t)p + 1;
            }
        }
    }
    return -1;
}

/* A contour that runs along an edge parts its two sides. */
static void block_pieces(pliant_contours *c, pli_contour_side *side, const pli_contour_link *link,
                         uint32_t triangle)
{
    const pli_contour_node *nodes = PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES);
    const uint32_t *lowest = PLI_ITEMS(uint32_t, side, PLI_SIDE_LOWEST);
    const uint32_t *corner = side->shape->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; k++) {
        const pli_cut_edge *edge =
            pli_side_find_edge(side, lowest[corner[k]], lowest[corner[(k + 1) % 3]]);
        int64_t p = edge != NULL ? place_on_edge(side, edge, nodes, link->node[0]) : -1;
        int64_t q = p >= 0 ? place_on_edge(side, edge, nodes, link->node[1]) : -1;
        for (int64_t i = p < q ? p : q; i >= 0 && i < (p < q ? q : p); i++) {
            PLI_ITEMS(uint8_t, side, PLI_SIDE_BLOCKED)[edge->first_piece + (uint32_t)i] = 1;
        }
    }
}

/* Whether a link could run along an edge: in general position none has both ends there. */
static bool may_run_along_edge(const pli_contour_node *p, const pli_contour_node *q)
{
    bool possible = false;
    for (int role = 0; role < 2; role++) {
        bool vertex = p->feature[role].kind == PLIANT_FEATURE_VERTEX ||
                      q->feature[role].kind == PLIANT_FEATURE_VERTEX;
        bool edges = p->feature[role].kind == PLIANT_FEATURE_EDGE &&
                     q->feature[role].kind == PLIANT_FEATURE_EDGE &&
                     p->feature[role].index[0] == q->feature[role].index[0] &&
                     p->feature[role].index[1] == q->feature[role].index[1];
        possible = possible || vertex || edges;
    }
    return possible;
}

static pliant_result block_edges(pliant_contours *c, pli_contour_side *side)
{
    size_t elements = side->list[PLI_SIDE_PARENTS].count;
    pliant_result result = pli_list_resize(c->context, &side->list[PLI_SIDE_BLOCKED], elements);
    if (result != PLIANT_OK) {
        return result;
    }
    memset(side->list[PLI_SIDE_BLOCKED].data, 0, elements);
    const pli_contour_node *nodes = PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES);
    for (size_t i = 0; i < c->list[PLI_LIST_LINKS].count; i++) {
        const pli_contour_link *link = &PLI_ITEMS(pli_contour_link, c, PLI_LIST_LINKS)[i];
        if (may_run_along_edge(&nodes[link->node[0]], &nodes[link->node[1]])) {
            for (uint32_t role = side->first_role; role <= side->last_role; role++) {
                block_pieces(c, side, link, link->triangle[role]);
            }
        }
    }
    return PLIANT_OK;
}

pliant_result pli_side_cut(pliant_contours *c, pli_contour_side *side)
{
    uint32_t vertices = side->shape->vertex_count;
    pliant_result result = pli_list_resize(c->context, &side->list[PLI_SIDE_STATE], vertices);
    if (result == PLIANT_OK) {
        result = pli_list_resize(c->context, &side->list[PLI_SIDE_PARENTS], vertices);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    memset(side->list[PLI_SIDE_STATE].data, 0, vertices);
    for (uint32_t v = 0; v < vertices; v++) {
        PLI_ITEMS(uint32_t, side, PLI_SIDE_PARENTS)[v] = v;
    }
    c->list[PLI_LIST_ENTRIES].count = 0;
    bool any = mark_vertices(c, side);
    result = list_cuts(c, side);
    result = result == PLIANT_OK && any ? list_bare_edges(c, side) : result;
    result = result == PLIANT_OK ? sort_entries(c) : result;
    for (size_t i = 0; i < c->list[PLI_LIST_ENTRIES].count && result == PLIANT_OK;) {
        result = add_edge(c, side, &i);
    }
    if (result == PLIANT_OK) {
        join_ends(side);
        result = block_edges(c, side);
    }
    return result;
}
