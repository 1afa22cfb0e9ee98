/* Contours: chains of segments from node to node, as long as exactly two meet. */
#include "contours.h"

#include <math.h>

/* The segments at each node. */
static pliant_result list_incident(pliant_contours *c)
{
    const pli_contour_link *links = PLI_ITEMS(pli_contour_link, c, PLI_LIST_LINKS);
    const pli_contour_node *nodes = PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES);
    size_t link_count = c->list[PLI_LIST_LINKS].count, node_count = c->list[PLI_LIST_NODES].count;
    pliant_result result =
        pli_list_resize(c->context, &c->list[PLI_LIST_INCIDENT_START], node_count + 1);
    if (result == PLIANT_OK) {
        result = pli_list_resize(c->context, &c->list[PLI_LIST_INCIDENT], 2 * link_count);
    }
    if (result == PLIANT_OK) {
        result = pli_list_resize(c->context, &c->list[PLI_LIST_USED], link_count);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t *start = PLI_ITEMS(uint32_t, c, PLI_LIST_INCIDENT_START), sum = 0;
    uint32_t *incident = PLI_ITEMS(uint32_t, c, PLI_LIST_INCIDENT);
    for (size_t n = 0; n < node_count; n++) {
        sum += nodes[n].degree;
        start[n] = sum; /* the end for now: placing counts it down to the start */
    }
    start[node_count] = sum;
    for (size_t i = 2 * link_count; i-- > 0;) {
        incident[--start[links[i / 2].node[i % 2]]] = (uint32_t)i;
    }
    for (size_t i = 0; i < link_count; i++) {
        PLI_ITEMS(uint8_t, c, PLI_LIST_USED)[i] = 0;
    }
    return PLIANT_OK;
}

static pliant_result add_point(pliant_contours *c, uint32_t number)
{
    const pli_contour_node *node = &PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES)[number];
    pliant_contour_point *point = pli_list_add(c->context, &c->list[PLI_LIST_POINTS]);
    if (point == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *point = (pliant_contour_point){.a = node->feature[0], .b = node->feature[1]};
    for (int i = 0; i < 3; i++) {
        point->point[i] = (float)node->point[i];
    }
    return PLIANT_OK;
}

static pliant_result add_segment(pliant_contours *c, const pli_contour_link *link)
{
    pliant_contour_segment *segment = pli_list_add(c->context, &c->list[PLI_LIST_SEGMENTS]);
    if (segment == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *segment = (pliant_contour_segment){link->triangle[0], link->triangle[1], link->pair};
    return PLIANT_OK;
}

/* A vertex of one body in which two of its triangles cross. */
static bool is_shared_vertex(const pliant_contours *c, const pli_contour_node *node)
{
    const pliant_contour_feature *f = node->feature;
    return c->self && f[0].kind == PLIANT_FEATURE_VERTEX && f[1].kind == PLIANT_FEATURE_VERTEX &&
           f[0].index[0] == f[1].index[0];
}

/* Which feature of a node is an edge that passes through the other; -1 where none does. */
static int piercing_role(const pli_contour_node *node)
{
    for (int role = 0; role < 2; role++) {
        if (node->feature[role].kind == PLIANT_FEATURE_EDGE &&
            node->feature[1 - role].kind == PLIANT_FEATURE_FACE) {
            return role;
        }
    }
    return -1;
}

/* Whether both nodes of a link lie on one closed edge of one of its triangles. */
static bool lies_along_edge(const pli_contour_node *p, const pli_contour_node *q)
{
    for (int role = 0; role < 2; role++) {
        bool face = p->feature[role].kind == PLIANT_FEATURE_FACE ||
                    q->feature[role].kind == PLIANT_FEATURE_FACE;
        const uint32_t *e = p->feature[role].kind == PLIANT_FEATURE_EDGE ? p->feature[role].index
                                                                         : q->feature[role].index;
        const uint32_t *f =
            e == p->feature[role].index ? q->feature[role].index : p->feature[role].index;
        bool both_vertices = p->feature[role].kind == PLIANT_FEATURE_VERTEX &&
                             q->feature[role].kind == PLIANT_FEATURE_VERTEX;
        bool within = (f[0] == e[0] || f[0] == e[1]) && (f[1] == e[0] || f[1] == e[1]);
        if (!face && (both_vertices || within)) {
            return true;
        }
    }
    return false;
}

/* A triangle that uses one end of the edge twice need not have the other. */
static bool has_edge(const pli_contour_side *side, uint32_t triangle, const uint32_t edge[2])
{
    const uint32_t *corner = side->shape->triangles + 3 * (size_t)triangle;
    bool found[2] = {false, false};
    for (int k = 0; k < 3; k++) {
        uint32_t v = pli_side_lowest(side, corner[k]);
        found[0] |= v == edge[0];
        found[1] |= v == edge[1];
    }
    return found[0] && found[1];
}

/* The first of the sorted keys that is not below. */
static size_t lower_bound(const uint64_t *keys, size_t count, uint64_t key)
{
    size_t first = 0;
    while (count > 0) {
        size_t half = count / 2;
        bool below = keys[first + half] < key;
        first = below ? first + half + 1 : first;
        count = below ? count - half - 1 : half;
    }
    return first;
}

/* Whether a triangle of the edge touches the face in another way than by a segment of a contour. */
static bool goes_on_touching(const pliant_contours *c, const pli_contour_side *side,
                             const pliant_contour_feature *edge, uint32_t face, bool face_is_b)
{
    const pliant_contour_touch *touches = PLI_ITEMS(pliant_contour_touch, c, PLI_LIST_TOUCHES);
    const uint64_t *by_b = PLI_ITEMS(uint64_t, c, PLI_LIST_TOUCHES_BY_B);
    size_t count = c->list[PLI_LIST_TOUCHES].count;
    if (face_is_b) {
        size_t i = lower_bound(by_b, count, (uint64_t)face << 32);
        for (; i < count && by_b[i] >> 32 == face; i++) {
            if (has_edge(side, touches[(uint32_t)by_b[i]].a, edge->index)) {
                return true;
            }
        }
        return false;
    }
    size_t first = 0, last = count;
    while (first < last) {
        size_t middle = (first + last) / 2;
        first = touches[middle].a < face ? middle + 1 : first;
        last = touches[middle].a < face ? last : middle;
    }
    for (; first < count && touches[first].a == face; first++) {
        if (has_edge(side, touches[first].b, edge->index)) {
            return true;
        }
    }
    return false;
}

static pliant_contour_end end_at(pliant_contours *c, uint32_t number)
{
    const pli_contour_node *node = &PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES)[number];
    if (node->degree > 1) {
        return PLIANT_CONTOUR_BRANCH;
    }
    int role = piercing_role(node);
    if (role < 0) {
        return is_shared_vertex(c, node) ? PLIANT_CONTOUR_VERTEX : PLIANT_CONTOUR_CONTACT;
    }
    const pli_contour_side *side = pli_side_of_role(c, (uint32_t)role);
    const pliant_contour_feature *edge = &node->feature[role];
    uint32_t face = node->feature[1 - role].index[0];
    bool goes_on = c->self ? goes_on_touching(c, side, edge, face, true) ||
                                 goes_on_touching(c, side, edge, face, false)
                           : goes_on_touching(c, side, edge, face, role == 0);
    return goes_on ? PLIANT_CONTOUR_CONTACT : PLIANT_CONTOUR_BORDER;
}

/* The other segment at a node of two, as 2 * link + end. */
static uint32_t other_incident(const pliant_contours *c, uint32_t node, uint32_t link)
{
    const uint32_t *incident = PLI_ITEMS(uint32_t, c, PLI_LIST_INCIDENT) +
                               PLI_ITEMS(uint32_t, c, PLI_LIST_INCIDENT_START)[node];
    return incident[0] / 2 == link ? incident[1] : incident[0];
}

/* Follows segments from one end of a link on, until a node where not exactly two meet, or a link
   that was there before. *forward counts those that run along their own direction. */
static pliant_result follow(pliant_contours *c, uint32_t from, uint32_t *last, uint64_t *forward)
{
    uint8_t *used = PLI_ITEMS(uint8_t, c, PLI_LIST_USED);
    for (;;) {
        const pli_contour_link *link = &PLI_ITEMS(pli_contour_link, c, PLI_LIST_LINKS)[from / 2];
        const pli_contour_node *nodes = PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES);
        used[from / 2] = 1;
        *forward += from % 2 == 0;
        pliant_result result = add_segment(c, link);
        result = result == PLIANT_OK ? add_point(c, link->node[from % 2]) : result;
        if (result != PLIANT_OK) {
            return result;
        }
        *last = link->node[1 - from % 2];
        uint32_t next = nodes[*last].degree == 2 ? other_incident(c, *last, from / 2) : from;
        if (used[next / 2]) {
            return PLIANT_OK;
        }
        from = next;
    }
}

static void reverse(pliant_contours *c, const pliant_contour *contour)
{
    pliant_contour_segment *s =
        PLI_ITEMS(pliant_contour_segment, c, PLI_LIST_SEGMENTS) + contour->first_segment;
    pliant_contour_point *p =
        PLI_ITEMS(pliant_contour_point, c, PLI_LIST_POINTS) + contour->first_point;
    for (uint64_t i = 0, j = contour->segment_count; i + 1 < j; i++) {
        pliant_contour_segment swap = s[i];
        s[i] = s[--j];
        s[j] = swap;
    }
    /* The first point of a closed one stays the first: its segments change places around it. */
    uint64_t first = contour->begin == PLIANT_CONTOUR_CLOSED;
    for (uint64_t i = first, j = contour->point_count; i + 1 < j; i++) {
        pliant_contour_point swap = p[i];
        p[i] = p[--j];
        p[j] = swap;
    }
}

static double distance(const float p[3], const float q[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = (double)q[i] - (double)p[i];
        sum += d * d;
    }
    return sqrt(sum);
}

/* The length, from the first point to the last. */
static double measure(const pliant_contours *c, const pliant_contour *contour)
{
    const pliant_contour_point *p =
        PLI_ITEMS(pliant_contour_point, c, PLI_LIST_POINTS) + contour->first_point;
    double length = 0.0;
    for (uint64_t k = 0; k < contour->segment_count; k++) {
        length += distance(p[k].point, p[k + 1 < contour->point_count ? k + 1 : 0].point);
    }
    return length;
}

static bool is_generic(const pliant_contours *c, uint32_t link_number)
{
    const pli_contour_link *link = &PLI_ITEMS(pli_contour_link, c, PLI_LIST_LINKS)[link_number];
    const pli_contour_node *nodes = PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES);
    const pli_contour_node *p = &nodes[link->node[0]], *q = &nodes[link->node[1]];
    bool generic = !lies_along_edge(p, q);
    generic = generic && (piercing_role(p) >= 0 || is_shared_vertex(c, p));
    return generic && (piercing_role(q) >= 0 || is_shared_vertex(c, q));
}

/* Which link has a pair; links ascend by pairs. */
static uint32_t link_of_pair(const pliant_contours *c, uint64_t pair)
{
    const pli_contour_link *links = PLI_ITEMS(pli_contour_link, c, PLI_LIST_LINKS);
    size_t first = 0, last = c->list[PLI_LIST_LINKS].count;
    while (first < last) {
        size_t middle = (first + last) / 2;
        first = links[middle].pair < pair ? middle + 1 : first;
        last = links[middle].pair < pair ? last : middle;
    }
    return (uint32_t)first;
}

/* The contour that begins at one end of a link. */
static pliant_result trace(pliant_contours *c, uint32_t from, bool closed)
{
    pliant_contour contour = {.first_point = c->list[PLI_LIST_POINTS].count,
                              .first_segment = c->list[PLI_LIST_SEGMENTS].count,
                              .generic = true};
    uint32_t first = PLI_ITEMS(pli_contour_link, c, PLI_LIST_LINKS)[from / 2].node[from % 2];
    uint32_t last = first;
    uint64_t forward = 0;
    pliant_result result = follow(c, from, &last, &forward);
    if (result == PLIANT_OK && !closed) {
        contour.begin = end_at(c, first);
        contour.end = end_at(c, last);
        result = add_point(c, last);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    contour.point_count = c->list[PLI_LIST_POINTS].count - contour.first_point;
    contour.segment_count = c->list[PLI_LIST_SEGMENTS].count - contour.first_segment;
    if (!c->self && 2 * forward < contour.segment_count) {
        pliant_contour_end swap = contour.begin;
        contour.begin = contour.end;
        contour.end = swap;
        reverse(c, &contour);
    }
    const pliant_contour_segment *segments =
        PLI_ITEMS(pliant_contour_segment, c, PLI_LIST_SEGMENTS) + contour.first_segment;
    for (uint64_t k = 0; k < contour.segment_count && contour.generic; k++) {
        contour.generic = is_generic(c, link_of_pair(c, segments[k].pair));
    }
    contour.length = measure(c, &contour);
    pliant_contour *added = pli_list_add(c->context, &c->list[PLI_LIST_CONTOURS]);
    if (added == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *added = contour;
    return PLIANT_OK;
}

/* Touches by their second triangle, for goes_on_touching(). */
static pliant_result list_touches(pliant_contours *c)
{
    const pliant_contour_touch *touches = PLI_ITEMS(pliant_contour_touch, c, PLI_LIST_TOUCHES);
    size_t count = c->list[PLI_LIST_TOUCHES].count;
    pliant_result result = pli_list_resize(c->context, &c->list[PLI_LIST_KEYS], count);
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        PLI_ITEMS(uint64_t, c, PLI_LIST_KEYS)[i] = (uint64_t)touches[i].b << 32 | i;
    }
    result = result == PLIANT_OK ? pli_contours_sort(c, count, false) : result;
    if (result == PLIANT_OK) {
        result = pli_list_resize(c->context, &c->list[PLI_LIST_TOUCHES_BY_B], count);
    }
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        PLI_ITEMS(uint64_t, c, PLI_LIST_TOUCHES_BY_B)[i] = PLI_ITEMS(uint64_t, c, PLI_LIST_KEYS)[i];
    }
    return result;
}

pliant_result pli_contours_chain(pliant_contours *c, double *length)
{
    c->list[PLI_LIST_CONTOURS].count = c->list[PLI_LIST_POINTS].count = 0;
    c->list[PLI_LIST_SEGMENTS].count = 0;
    pliant_result result = list_incident(c);
    result = result == PLIANT_OK ? list_touches(c) : result;
    size_t link_count = c->list[PLI_LIST_LINKS].count;
    for (int closed = 0; closed < 2; closed++) {
        for (size_t i = 0; i < 2 * link_count && result == PLIANT_OK; i++) {
            const pli_contour_link *link = &PLI_ITEMS(pli_contour_link, c, PLI_LIST_LINKS)[i / 2];
            uint32_t node = link->node[i % 2];
            bool ends = PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES)[node].degree != 2;
            if (!PLI_ITEMS(uint8_t, c, PLI_LIST_USED)[i / 2] && (closed || ends)) {
                result = trace(c, (uint32_t)i, closed != 0);
            }
        }
    }
    const pliant_contour *contours = PLI_ITEMS(pliant_contour, c, PLI_LIST_CONTOURS);
    *length = 0.0;
    for (size_t i = 0; i < c->list[PLI_LIST_CONTOURS].count && result == PLIANT_OK; i++) {
        *length += contours[i].length;
    }
    return result;
}
