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

/*
 * Where contours cross or branch within the triangle, outlines of faces follow them only so far;
 * the areas are then shared out so that their sum is right.
 */
static void share_out_area(pli_cutting *t, size_t first_piece)
{
    pliant_region_piece *pieces = PLI_ITEMS(pliant_region_piece, t->c, PLI_LIST_PIECES);
    size_t count = t->c->list[PLI_LIST_PIECES].count;
    double sum = 0.0;
    for (size_t i = first_piece; i < count; i++) {
        sum += pieces[i].area;
    }
    for (size_t i = first_piece; i < count; i++) {
        pieces[i].area =
            sum > 0.0 ? pieces[i].area * (t->area / sum) : t->area / (double)(count - first_piece);
    }
}

static void set_normal(pli_cutting *t)
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
    t->area = 0.5 * sqrt(length);
    for (int i = 0; i < 3; i++) {
        t->normal[i] = length > 0.0 ? t->normal[i] / sqrt(length) : 0.0;
    }
}

static void clear_cutting(pli_cutting *t)
{
    static const pli_contour_list local[] = {PLI_LIST_STOPS, PLI_LIST_PLACES, PLI_LIST_LOCAL_NODES,
                                             PLI_LIST_LOCAL_LINKS};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++) {
        t->c->list[local[i]].count = 0;
    }
    t->paths = 0;
}

static pliant_result cut_faces(pli_cutting *t)
{
    size_t first_piece = t->c->list[PLI_LIST_PIECES].count;
    pliant_result result = pli_outline_connect(t);
    result = result == PLIANT_OK ? pli_faces_walk(t) : result;
    result = result == PLIANT_OK ? pli_holes_add(t, first_piece) : result;
    if (result == PLIANT_OK) {
        share_out_area(t, first_piece);
    }
    return result;
}

static pliant_result cut_triangle(pli_cutting *t, const uint64_t *keys, size_t count)
{
    clear_cutting(t);
    set_normal(t);
    pliant_result result = pli_outline_list(t);
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        const pli_contour_link *links = PLI_ITEMS(pli_contour_link, t->c, PLI_LIST_LINKS);
        result = pli_outline_add_link(t, &links[(uint32_t)keys[i]]);
    }
    if (result == PLIANT_OK) {
        result = count > 0 ? cut_faces(t) : pli_faces_add_whole(t, false);
    }
    pli_outline_forget(t, keys, count);
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
        memcpy(side->list[PLI_SIDE_TRIANGLE_LINKS].data, c->list[PLI_LIST_KEYS].data,
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
        PLI_ITEMS(uint32_t, c, PLI_LIST_LOCAL)[n] = PLI_NONE;
    }
    return result;
}

pliant_result pli_side_cut_faces(pliant_contours *c, pli_contour_side *side)
{
    pli_cutting t = {.c = c, .side = side};
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
        result = cut_triangle(&t, next > first ? keys + first : NULL, next - first);
    }
    side->last_piece = (uint32_t)c->list[PLI_LIST_PIECES].count;
    return result;
}
