/*
 * Regions: sets of elements that faces have joined. Against a closed body, one vertex of each
 * region is located exactly. Where a contour crosses an edge, the winding number changes by one, up
 * or down as the exact side of the edge's end says: so regions without a vertex get theirs from a
 * neighbour, and those with one are checked.
 */
#include "regions.h"

#include "geometry/orient.h"

#include <math.h>

#define NONE UINT32_MAX

/* Vertices of a region that are tried before it is given up to locate it: those that lie exactly on
   the other surface say nothing. */
enum { MAX_TRIES = 64 };

static pli_region_mark *marks(const pliant_contours *c)
{
    return PLI_ITEMS(pli_region_mark, c, PLI_LIST_MARKS);
}

/* ------------------------------------------------------------------ numbers */

/* The region of an element, which is a new one perhaps; NONE without memory. */
static uint32_t number_region(pliant_contours *c, pli_contour_side *side, uint32_t element,
                              uint32_t component)
{
    uint32_t root = pli_forest_find(PLI_ITEMS(uint32_t, side, PLI_SIDE_PARENTS), element);
    uint32_t *region = &PLI_ITEMS(uint32_t, side, PLI_SIDE_REGION_OF)[root];
    if (*region != NONE) {
        return *region;
    }
    pliant_region *added = pli_list_add(c->context, &c->list[PLI_LIST_REGIONS]);
    pli_region_mark *mark =
        added != NULL ? pli_list_add(c->context, &c->list[PLI_LIST_MARKS]) : NULL;
    if (mark == NULL) {
        return NONE;
    }
    *added = (pliant_region){.body = side->number};
    *mark = (pli_region_mark){
        .component = pli_forest_find(PLI_ITEMS(uint32_t, side, PLI_SIDE_COMPONENTS), component)};
    *region = (uint32_t)(c->list[PLI_LIST_REGIONS].count - 1);
    return *region;
}

static uint32_t region_of(const pli_contour_side *side, uint32_t element)
{
    uint32_t root = pli_forest_find(PLI_ITEMS(uint32_t, side, PLI_SIDE_PARENTS), element);
    return PLI_ITEMS(uint32_t, side, PLI_SIDE_REGION_OF)[root];
}

/* Vertices: regions are numbered by their lowest vertex. */
static pliant_result number_vertices(pliant_contours *c, pli_contour_side *side)
{
    uint32_t *regions = PLI_ITEMS(uint32_t, side, PLI_SIDE_VERTEX_REGIONS);
    const uint8_t *state = PLI_ITEMS(uint8_t, side, PLI_SIDE_STATE);
    const uint32_t *lowest = PLI_ITEMS(uint32_t, side, PLI_SIDE_LOWEST);
    for (uint32_t v = 0; v < side->shape->vertex_count; v++) {
        uint32_t u = lowest[v];
        regions[v] = PLIANT_NO_REGION;
        if ((state[u] & (PLI_VERTEX_USED | PLI_VERTEX_CUT)) != PLI_VERTEX_USED) {
            continue;
        }
        regions[v] = number_region(c, side, u, u);
        if (regions[v] == NONE) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        PLI_ITEMS(pliant_region, c, PLI_LIST_REGIONS)[regions[v]].vertex_count += u == v;
    }
    return PLIANT_OK;
}

static double triangle_area(const pli_contour_side *side, uint32_t triangle)
{
    float p[3][3];
    double sum = 0.0;
    pli_side_corners(side, triangle, p);
    for (int i = 0; i < 3; i++) {
        int j = pli_next_axis(i), k = pli_next_axis(j);
        double n = ((double)p[1][j] - (double)p[0][j]) * ((double)p[2][k] - (double)p[0][k]) -
                   ((double)p[1][k] - (double)p[0][k]) * ((double)p[2][j] - (double)p[0][j]);
        sum += n * n;
    }
    return 0.5 * sqrt(sum);
}

/* Whole triangles and pieces, and their areas. */
static pliant_result number_faces(pliant_contours *c, pli_contour_side *side)
{
    uint32_t *own = PLI_ITEMS(uint32_t, side, PLI_SIDE_TRIANGLE_REGIONS);
    const uint32_t *lowest = PLI_ITEMS(uint32_t, side, PLI_SIDE_LOWEST);
    for (uint32_t t = 0; t < side->shape->triangle_count; t++) {
        if (own[t] == PLIANT_NO_REGION) {
            continue;
        }
        uint32_t corner = lowest[side->shape->triangles[3 * (size_t)t]];
        own[t] = number_region(c, side, own[t], corner);
        if (own[t] == NONE) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        pliant_region *region = &PLI_ITEMS(pliant_region, c, PLI_LIST_REGIONS)[own[t]];
        region->triangle_count++;
        region->area += triangle_area(side, t);
    }
    for (uint32_t i = side->first_piece; i < side->last_piece; i++) {
        pliant_region_piece *piece = &PLI_ITEMS(pliant_region_piece, c, PLI_LIST_PIECES)[i];
        uint32_t corner = lowest[side->shape->triangles[3 * (size_t)piece->triangle]];
        piece->region = number_region(c, side, piece->region, corner);
        if (piece->region == NONE) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        pliant_region *region = &PLI_ITEMS(pliant_region, c, PLI_LIST_REGIONS)[piece->region];
        region->piece_count++;
        region->area += piece->area;
    }
    return PLIANT_OK;
}

/* ------------------------------------------------------------------ inside, exactly */

static pliant_result locate_vertices(pliant_contours *c, pli_contour_side *side, pliant_body *other)
{
    const uint32_t *regions = PLI_ITEMS(uint32_t, side, PLI_SIDE_VERTEX_REGIONS);
    pliant_result result = PLIANT_OK;
    for (uint32_t v = 0; v < side->shape->vertex_count && result == PLIANT_OK; v++) {
        pli_region_mark *mark = regions[v] != PLIANT_NO_REGION ? &marks(c)[regions[v]] : NULL;
        if (mark != NULL && !mark->known && mark->tries < MAX_TRIES) {
            float point[3];
            pli_side_vertex(side, v, point);
            result = pli_contours_locate(c, other, point, &mark->known, &mark->winding);
            mark->tries++;
        }
    }
    return result;
}

/* The change of the winding number where an edge passes a cut point upward; false where it does not
   pass through the inside of one face. */
static bool step_at(pliant_contours *c, const pli_contour_side *side, const pli_cut_edge *edge,
                    uint32_t number, int32_t *step)
{
    const pli_cut_point *point =
        &PLI_ITEMS(pli_cut_point, side, PLI_SIDE_CUT_POINTS)[edge->first_point + number];
    const pli_cut *cut = &PLI_ITEMS(pli_cut, side, PLI_SIDE_CUTS)[point->first_cut];
    const pli_contour_node *node = &PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES)[cut->node];
    if (point->cut_count != 1 || !cut->exact ||
        node->feature[1 - cut->role].kind != PLIANT_FEATURE_FACE) {
        return false;
    }
    float t[3][3], end[3];
    pli_side_corners(pli_side_of_role(c, 1 - cut->role), cut->triangle, t);
    pli_side_vertex(side, edge->vertex[1], end);
    *step = -pli_orient3d(t[0], t[1], t[2], end, NULL); /* outward along the normal: one less */
    return true;
}

/* Two neighbouring regions: what is known of one tells the other, or is compared with it. */
static bool carry(pliant_contours *c, uint32_t from, uint32_t to, int32_t step)
{
    pli_region_mark *p = &marks(c)[from], *q = &marks(c)[to];
    if (p->known && !q->known) {
        q->known = true;
        q->winding = p->winding + step;
        return true;
    }
    if (q->known && !p->known) {
        p->known = true;
        p->winding = q->winding - step;
        return true;
    }
    p->doubtful = p->doubtful || (p->known && p->winding + step != q->winding);
    q->doubtful = q->doubtful || p->doubtful;
    return false;
}

/* Goes along all cut edges and over the rims of all holes; whether something became known. */
static bool carry_all(pliant_contours *c, pli_contour_side *side)
{
    bool news = false;
    for (size_t e = 0; e < side->list[PLI_SIDE_EDGES].count; e++) {
        const pli_cut_edge *edge = &PLI_ITEMS(pli_cut_edge, side, PLI_SIDE_EDGES)[e];
        for (uint32_t k = 0; k < edge->point_count; k++) {
            uint32_t from = region_of(side, edge->first_piece + k);
            uint32_t to = region_of(side, edge->first_piece + k + 1);
            int32_t step = 0;
            if (from != NONE && to != NONE && step_at(c, side, edge, k, &step)) {
                news = carry(c, from, to, step) || news;
            }
        }
    }
    const pliant_region_piece *pieces = PLI_ITEMS(pliant_region_piece, c, PLI_LIST_PIECES);
    for (size_t h = 0; h < side->list[PLI_SIDE_HOLES].count; h++) {
        const pli_hole *hole = &PLI_ITEMS(pli_hole, side, PLI_SIDE_HOLES)[h];
        if (hole->container != NONE) {
            news =
                carry(c, pieces[hole->container].region, pieces[hole->piece].region, hole->step) ||
                news;
        }
    }
    return news;
}

static pliant_result find_inside_exactly(pliant_contours *c, pli_contour_side *side, size_t first)
{
    pliant_result result = locate_vertices(c, side, c->side[1 - side->number].body);
    while (result == PLIANT_OK && carry_all(c, side)) {
    }
    for (size_t i = first; i < c->list[PLI_LIST_REGIONS].count; i++) {
        pliant_region *region = &PLI_ITEMS(pliant_region, c, PLI_LIST_REGIONS)[i];
        region->inside = marks(c)[i].known && marks(c)[i].winding != 0;
        region->guess = !marks(c)[i].known || marks(c)[i].doubtful;
    }
    return result;
}

/* ------------------------------------------------------------------ inside, by guess */

/* Of each connected piece of the mesh the largest region is outside; of equal ones the first. */
static pliant_result guess_inside(pliant_contours *c, pli_contour_side *side, size_t first)
{
    pliant_result result =
        pli_list_resize(c->context, &c->list[PLI_LIST_PATH], side->shape->vertex_count);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_region *regions = PLI_ITEMS(pliant_region, c, PLI_LIST_REGIONS);
    uint32_t *largest = c->list[PLI_LIST_PATH].data; /* by component */
    size_t count = c->list[PLI_LIST_REGIONS].count;
    for (size_t i = first; i < count; i++) {
        largest[marks(c)[i].component] = NONE;
    }
    for (size_t i = first; i < count; i++) {
        uint32_t *best = &largest[marks(c)[i].component];
        *best = *best == NONE || regions[i].area > regions[*best].area ? (uint32_t)i : *best;
    }
    for (size_t i = first; i < count; i++) {
        regions[i].guess = true;
        regions[i].inside = largest[marks(c)[i].component] != i;
    }
    return PLIANT_OK;
}

/* Where a region could not be located, it is taken for outside, and said to be guessed. */
pliant_result pli_side_regions(pliant_contours *c, pli_contour_side *side)
{
    uint32_t vertices = side->shape->vertex_count;
    size_t elements = side->list[PLI_SIDE_PARENTS].count, first = c->list[PLI_LIST_REGIONS].count;
    c->list[PLI_LIST_MARKS].count = first;
    pliant_result result = pli_list_resize(c->context, &side->list[PLI_SIDE_REGION_OF], elements);
    if (result == PLIANT_OK) {
        result = pli_list_resize(c->context, &side->list[PLI_SIDE_VERTEX_REGIONS], vertices);
    }
    for (size_t i = 0; i < elements && result == PLIANT_OK; i++) {
        PLI_ITEMS(uint32_t, side, PLI_SIDE_REGION_OF)[i] = NONE;
    }
    result = result == PLIANT_OK ? number_vertices(c, side) : result;
    result = result == PLIANT_OK ? number_faces(c, side) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    const pli_contour_side *other = &c->side[1 - side->number];
    if (!c->self && other->shape->block->is_closed && !other->torn &&
        other->groups[0].bits == NULL) {
        return find_inside_exactly(c, side, first);
    }
    return guess_inside(c, side, first);
}
