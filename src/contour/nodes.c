/*
 * Segments and the nodes they join. The end of a segment is named by the least part of each mesh
 * that it lies on: in general position an edge of one and a face of the other. Each triangle of
 * that edge touches that face in the same point, so that its segment ends at the node of the same
 * name; no coordinates are compared.
 */
#include "contours.h"

#include "geometry/triangle_crossing.h"
#include "query/neighbours.h"

#include <math.h>
#include <string.h>

#define NO_NODE UINT32_MAX

static uint64_t hash_feature(uint64_t h, const pliant_contour_feature *f)
{
    uint64_t word = (uint64_t)f->index[0] << 32 | f->index[1];
    h = (h ^ word ^ (uint64_t)f->kind << 62) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 29;
}

static bool same_feature(const pliant_contour_feature *f, const pliant_contour_feature *g)
{
    return f->kind == g->kind && f->index[0] == g->index[0] && f->index[1] == g->index[1];
}

static int compare_features(const pliant_contour_feature *f, const pliant_contour_feature *g)
{
    if (f->kind != g->kind) {
        return f->kind < g->kind ? -1 : 1;
    }
    int k = f->index[0] == g->index[0];
    return f->index[k] == g->index[k] ? 0 : (f->index[k] < g->index[k] ? -1 : 1);
}

/* A part of a triangle, as the mesh knows it. */
static pliant_contour_feature name_part(const pli_contour_side *side, uint32_t triangle,
                                        const pli_part *part)
{
    pliant_contour_feature f = {.kind = part->kind, .index = {triangle, triangle}};
    if (part->kind != PLIANT_FEATURE_FACE) {
        const uint32_t *corner = side->shape->triangles + 3 * (size_t)triangle;
        uint32_t u = pli_side_lowest(side, corner[part->corner[0]]);
        uint32_t v = pli_side_lowest(side, corner[part->corner[1]]);
        f.index[0] = u < v ? u : v;
        f.index[1] = u < v ? v : u;
    }
    return f;
}

/* Room for as many nodes as the links can have, at most half full. */
static pliant_result clear_table(pliant_contours *c, uint64_t pair_count)
{
    size_t size = 16;
    while (size < 4 * pair_count) {
        size *= 2;
    }
    pliant_result result = pli_list_resize(c->context, &c->list[PLI_LIST_NODE_TABLE], size);
    if (result == PLIANT_OK) {
        memset(c->list[PLI_LIST_NODE_TABLE].data, 0xff, size * sizeof(uint32_t));
    }
    return result;
}

/* The node of that name, which is new perhaps; NO_NODE without memory. */
static uint32_t find_node(pliant_contours *c, const pliant_contour_feature feature[2],
                          const double point[3], const uint32_t triangle[2])
{
    uint32_t *table = PLI_ITEMS(uint32_t, c, PLI_LIST_NODE_TABLE);
    size_t mask = c->list[PLI_LIST_NODE_TABLE].count - 1;
    const pli_contour_node *nodes = PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES);
    uint64_t h = hash_feature(hash_feature(0x9e3779b97f4a7c15u, &feature[0]), &feature[1]);
    size_t at = h & mask;
    for (; table[at] != NO_NODE; at = (at + 1) & mask) {
        const pli_contour_node *node = &nodes[table[at]];
        if (same_feature(&node->feature[0], &feature[0]) &&
            same_feature(&node->feature[1], &feature[1])) {
            return table[at];
        }
    }
    pli_contour_node *node = pli_list_add(c->context, &c->list[PLI_LIST_NODES]);
    if (node == NULL) {
        return NO_NODE;
    }
    *node = (pli_contour_node){.feature = {feature[0], feature[1]},
                               .point = {point[0], point[1], point[2]},
                               .triangle = {triangle[0], triangle[1]}};
    table[at] = (uint32_t)(c->list[PLI_LIST_NODES].count - 1);
    return table[at];
}

/* The node at an end of a segment. Within one body the two features have no order of their own. */
static uint32_t node_at(pliant_contours *c, const uint32_t triangle[2], const pli_crossing_end *end)
{
    pliant_contour_feature feature[2];
    for (uint32_t role = 0; role < 2; role++) {
        feature[role] = name_part(pli_side_of_role(c, role), triangle[role], &end->part[role]);
    }
    if (c->self && compare_features(&feature[0], &feature[1]) > 0) {
        pliant_contour_feature swapped[2] = {feature[1], feature[0]};
        uint32_t swapped_triangle[2] = {triangle[1], triangle[0]};
        return find_node(c, swapped, end->point, swapped_triangle);
    }
    return find_node(c, feature, end->point, triangle);
}

static pliant_result add_touch(pliant_contours *c, const pliant_pair *pair, uint64_t number,
                               pliant_common common)
{
    pliant_contour_touch *touch = pli_list_add(c->context, &c->list[PLI_LIST_TOUCHES]);
    if (touch == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *touch = (pliant_contour_touch){.a = pair->a, .b = pair->b, .pair = number, .common = common};
    return PLIANT_OK;
}

static pliant_result add_link(pliant_contours *c, const pliant_pair *pair, uint64_t number,
                              const pli_crossing_end end[2], pliant_common common)
{
    pli_contour_link link = {.triangle = {pair->a, pair->b}, .pair = number};
    for (int k = 0; k < 2; k++) {
        link.node[k] = node_at(c, link.triangle, &end[k]);
        if (link.node[k] == NO_NODE) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    if (link.node[0] == link.node[1]) {
        return add_touch(c, pair, number, common); /* a triangle that uses one edge twice */
    }
    pli_contour_link *added = pli_list_add(c->context, &c->list[PLI_LIST_LINKS]);
    if (added == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *added = link;
    for (int k = 0; k < 2; k++) {
        PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES)[link.node[k]].degree++;
    }
    return PLIANT_OK;
}

/* Pairs that the caller gives are looked at before anything is made of them. */
static pliant_result check_pair(const pliant_contours *c, const pliant_pair *pairs, uint64_t i)
{
    uint32_t t[2] = {pairs[i].a, pairs[i].b};
    unsigned long long number = (unsigned long long)i;
    for (uint32_t role = 0; role < 2; role++) {
        const pli_contour_side *side = &c->side[c->self ? 0 : role];
        if (t[role] >= side->shape->triangle_count) {
            return pli_fail(PLIANT_ERROR_RANGE, "pair %llu: triangle %u of %u", number, t[role],
                            side->shape->triangle_count);
        }
        if (!pli_shape_has_triangle(side->shape, t[role])) {
            return pli_fail(PLIANT_ERROR_RANGE, "pair %llu: triangle %u was removed", number,
                            t[role]);
        }
    }
    if (c->self && t[0] >= t[1]) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "pair %llu: triangle %u does not come before %u",
                        number, t[0], t[1]);
    }
    if (i > 0 && !(pairs[i - 1].a < t[0] || (pairs[i - 1].a == t[0] && pairs[i - 1].b < t[1]))) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "pair %llu: pairs do not ascend", number);
    }
    return PLIANT_OK;
}

static pliant_result check_corners(const float corner[2][3][3], const pliant_pair *pair)
{
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 9; k++) {
            if (!isfinite(corner[s][k / 3][k % 3])) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE,
                                "triangle %u of the %s body: a coordinate is %f",
                                s == 0 ? pair->a : pair->b, s == 0 ? "first" : "second",
                                (double)corner[s][k / 3][k % 3]);
            }
        }
    }
    return PLIANT_OK;
}

/* Whether a pair given is one that the collision queries report. */
static bool is_reported(const pliant_contours *c, const pliant_pair *pair,
                        const float corner[2][3][3], pliant_common common)
{
    return common != PLIANT_COMMON_NOTHING &&
           (!c->self || pli_touch_self(c->side[0].shape, pair->a, pair->b, corner[0], corner[1],
                                       PLIANT_NEIGHBOURS_BEYOND_SHARED, NULL));
}

pliant_result pli_contours_join(pliant_contours *c, const pliant_pair *pairs, uint64_t count,
                                bool check)
{
    c->list[PLI_LIST_NODES].count = c->list[PLI_LIST_LINKS].count = 0;
    c->list[PLI_LIST_TOUCHES].count = 0;
    pliant_result result = clear_table(c, count);
    for (uint64_t i = 0; i < count && result == PLIANT_OK; i++) {
        float corner[2][3][3];
        const float(*p)[3] = (const float(*)[3])corner[0], (*q)[3] = (const float(*)[3])corner[1];
        pli_crossing_end end[2];
        bool joins = false;
        result = check ? check_pair(c, pairs, i) : PLIANT_OK;
        if (result != PLIANT_OK) {
            break;
        }
        pli_side_corners(pli_side_of_role(c, 0), pairs[i].a, corner[0]);
        pli_side_corners(pli_side_of_role(c, 1), pairs[i].b, corner[1]);
        result = check ? check_corners((const float(*)[3][3])corner, &pairs[i]) : PLIANT_OK;
        if (result != PLIANT_OK) {
            break;
        }
        pliant_common common = pli_triangle_cross(p, q, end, &joins);
        if (check && !is_reported(c, &pairs[i], (const float(*)[3][3])corner, common)) {
            return pli_fail(PLIANT_ERROR_ARGUMENT,
                            "pair %llu: triangles %u and %u do not touch in this state",
                            (unsigned long long)i, pairs[i].a, pairs[i].b);
        }
        result =
            joins ? add_link(c, &pairs[i], i, end, common) : add_touch(c, &pairs[i], i, common);
    }
    return result;
}
