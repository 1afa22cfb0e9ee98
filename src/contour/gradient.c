/*
 * How moving vertices changes the length of all contours.
 * Based on: Pascal Volino and Nadia Magnenat-Thalmann, "Resolving Surface Collisions through
 * Intersection Contour Minimization", 2006. They move an edge as a whole; we take the derivative by
 * every vertex.
 *
 * A contour's length is a sum over segments PQ, so that dL = sum over nodes of g . dP, where g is
 * the sum of the unit vectors toward P of the segments that end there. In general position P is
 * where an edge u + s e, e = v - u, meets a face of normal n. Let the edge's material point there
 * move by m = (1 - s) du + s dv and the face's by m' = the sum of its corners' motions, weighted by
 * P's barycentric coordinates. P stays on both: dP = m + e (n.(m' - m)) / (n.e). Hence
 *     dL = (g - k n).m + k n.m',    k = (g.e) / (n.e).
 */
#include "contours.h"

#include "geometry/vec3.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Unit vectors along segments, added up at their ends. */
static void pull_nodes(pliant_contours *c)
{
    pli_contour_node *nodes = PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES);
    for (size_t i = 0; i < c->list[PLI_LIST_LINKS].count; i++) {
        const pli_contour_link *link = &PLI_ITEMS(pli_contour_link, c, PLI_LIST_LINKS)[i];
        pli_contour_node *p = &nodes[link->node[0]], *q = &nodes[link->node[1]];
        double d[3] = {q->point[0] - p->point[0], q->point[1] - p->point[1],
                       q->point[2] - p->point[2]};
        double length = sqrt(dot(d, d));
        for (int k = 0; k < 3 && length > 0.0; k++) {
            p->pull[k] -= d[k] / length;
            q->pull[k] += d[k] / length;
        }
    }
}

static void add_share(pli_contour_side *side, uint32_t vertex, const double gradient[3],
                      double share)
{
    float *sum =
        PLI_ITEMS(float, side, PLI_SIDE_GRADIENTS) + 3 * (size_t)pli_side_lowest(side, vertex);
    for (int i = 0; i < 3; i++) {
        sum[i] = (float)((double)sum[i] + share * gradient[i]);
    }
}

/* Barycentric coordinates of a point in a triangle, by areas against the normal. */
static void weigh(const double point[3], const float t[3][3], const double normal[3],
                  double weight[3])
{
    double size = dot(normal, normal);
    for (int k = 0; k < 3; k++) {
        const float *p = t[pli_next_axis(k)], *q = t[pli_next_axis(pli_next_axis(k))];
        double area = 0.0;
        for (int i = 0; i < 3; i++) {
            int j = pli_next_axis(i), l = pli_next_axis(j);
            double n = ((double)p[j] - point[j]) * ((double)q[l] - point[l]) -
                       ((double)p[l] - point[l]) * ((double)q[j] - point[j]);
            area += n * normal[i];
        }
        weight[k] = area / size;
    }
}

static void normal_of(const float t[3][3], double normal[3])
{
    for (int i = 0; i < 3; i++) {
        int j = pli_next_axis(i), k = pli_next_axis(j);
        normal[i] = ((double)t[1][j] - (double)t[0][j]) * ((double)t[2][k] - (double)t[0][k]) -
                    ((double)t[1][k] - (double)t[0][k]) * ((double)t[2][j] - (double)t[0][j]);
    }
}

/* A node where the edge of one role passes through the face of the other. */
static void pull_pierced(pliant_contours *c, const pli_contour_node *node, uint32_t role)
{
    pli_contour_side *side = pli_side_of_role(c, role), *other = pli_side_of_role(c, 1 - role);
    const uint32_t *vertex = node->feature[role].index;
    uint32_t triangle = node->feature[1 - role].index[0];
    float u[3], v[3], t[3][3];
    double e[3], from[3], n[3], weight[3], edge_part[3], face_part[3];
    pli_side_vertex(side, vertex[0], u);
    pli_side_vertex(side, vertex[1], v);
    pli_side_corners(other, triangle, t);
    normal_of((const float(*)[3])t, n);
    for (int i = 0; i < 3; i++) {
        e[i] = (double)v[i] - (double)u[i];
        from[i] = node->point[i] - (double)u[i];
    }
    double across = dot(n, e);
    double k = across != 0.0 ? dot(node->pull, e) / across : 0.0;
    double share = dot(from, e) / dot(e, e);
    for (int i = 0; i < 3; i++) {
        face_part[i] = k * n[i];
        edge_part[i] = node->pull[i] - face_part[i];
    }
    add_share(side, vertex[0], edge_part, 1.0 - share);
    add_share(side, vertex[1], edge_part, share);
    weigh(node->point, (const float(*)[3])t, n, weight);
    for (int i = 0; i < 3; i++) {
        add_share(other, other->shape->triangles[3 * (size_t)triangle + (size_t)i], face_part,
                  weight[i]);
    }
}

/* Nodes at vertices move with these; where edges cross there is no derivative, and none is added.
 */
static void pull_vertices(pliant_contours *c, const pli_contour_node *node)
{
    const pliant_contour_feature *f = node->feature;
    for (uint32_t role = 0; role < 2; role++) {
        if (f[role].kind == PLIANT_FEATURE_EDGE && f[1 - role].kind == PLIANT_FEATURE_FACE) {
            pull_pierced(c, node, role);
            return;
        }
    }
    if (c->self && f[0].kind == PLIANT_FEATURE_VERTEX && f[1].kind == PLIANT_FEATURE_VERTEX &&
        f[0].index[0] == f[1].index[0]) {
        add_share(&c->side[0], f[0].index[0], node->pull, 1.0);
    }
}

pliant_result pli_contours_pull(pliant_contours *c)
{
    int sides = c->self ? 1 : 2;
    for (int s = 0; s < sides; s++) {
        pli_contour_side *side = &c->side[s];
        size_t count = side->shape->vertex_count;
        pliant_result result = pli_list_resize(c->context, &side->list[PLI_SIDE_GRADIENTS], count);
        if (result != PLIANT_OK) {
            return result;
        }
        memset(side->list[PLI_SIDE_GRADIENTS].data, 0, count * sizeof(float[3]));
    }
    pull_nodes(c);
    for (size_t n = 0; n < c->list[PLI_LIST_NODES].count; n++) {
        pull_vertices(c, &PLI_ITEMS(pli_contour_node, c, PLI_LIST_NODES)[n]);
    }
    for (int s = 0; s < sides; s++) { /* welded vertices move together */
        float *g = PLI_ITEMS(float, &c->side[s], PLI_SIDE_GRADIENTS);
        for (uint32_t v = 0; v < c->side[s].shape->vertex_count; v++) {
            uint32_t lowest = pli_side_lowest(&c->side[s], v);
            memcpy(g + 3 * (size_t)v, g + 3 * (size_t)lowest, lowest != v ? 3 * sizeof *g : 0);
        }
    }
    return PLIANT_OK;
}
