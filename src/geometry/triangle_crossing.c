#include "triangle_crossing.h"

#include "orient.h"
#include "triangle_overlap.h"
#include "wide.h"

/* One triangle of a crossing: its corners in the order of pli_crossing, and which of them lie in
   the other's plane. */
typedef struct ordered {
    const float *corner[3];
    uint8_t number[3];
    bool in_plane[3];
    bool turned; /* the order of the corners was reversed */
} ordered;

static void set_ordered(ordered *s, const float *const corners[3], bool touches,
                        const float t[3][3], const float other[3][3])
{
    for (int k = 0; k < 3; ++k) {
        s->corner[k] = corners[k];
        s->number[k] = (uint8_t)((corners[k] - &t[0][0]) / 3);
    }
    s->turned = s->number[1] != pli_next_axis(s->number[0]);
    s->in_plane[0] = touches;
    for (int k = 1; k < 3; ++k) {
        s->in_plane[k] = pli_orient3d(other[0], other[1], other[2], corners[k], NULL) == 0;
    }
}

static pli_part corner_part(const ordered *s, int k)
{
    return (pli_part){PLIANT_FEATURE_VERTEX, {s->number[k], s->number[k]}};
}

/* The part that the end of a triangle's interval on edge 0-k lies on. */
static pli_part part_at_end(const ordered *s, int k)
{
    if (s->in_plane[0]) {
        return corner_part(s, 0);
    }
    return s->in_plane[k] ? corner_part(s, k)
                          : (pli_part){PLIANT_FEATURE_EDGE, {s->number[0], s->number[k]}};
}

/* The part that the points between the ends of the interval lie on. */
static pli_part part_between(const ordered *s)
{
    return s->in_plane[1] && s->in_plane[2]
               ? (pli_part){PLIANT_FEATURE_EDGE, {s->number[1], s->number[2]}}
               : (pli_part){PLIANT_FEATURE_FACE, {0, 0}};
}

/* The point where the line from u to v meets the plane of a triangle; false if it is parallel. */
static bool plane_point(const float u[3], const float v[3], const float t[3][3], double point[3])
{
    double f = pli_orient3d_value(t[0], t[1], t[2], u);
    double g = pli_orient3d_value(t[0], t[1], t[2], v);
    if (f == g) {
        return false;
    }
    double weight_v = f / (f - g), weight_u = g / (g - f);
    for (int i = 0; i < 3; ++i) {
        point[i] = weight_u * (double)u[i] + weight_v * (double)v[i];
    }
    return true;
}

/* A corner is where it is; else an edge of one meets the plane of the other. Of two edges that
   cross one may lie in the other's plane, but not both. */
static void set_point(pli_crossing_end *end, const float a[3][3], const float b[3][3])
{
    for (int s = 0; s < 2; ++s) {
        if (end->part[s].kind == PLIANT_FEATURE_VERTEX) {
            const float(*own)[3] = s == 0 ? a : b;
            for (int i = 0; i < 3; ++i) {
                end->point[i] = (double)own[end->part[s].corner[0]][i];
            }
            return;
        }
    }
    for (int s = 0; s < 2; ++s) {
        const float(*own)[3] = s == 0 ? a : b, (*other)[3] = s == 0 ? b : a;
        const uint8_t *corner = end->part[s].corner;
        if (end->part[s].kind == PLIANT_FEATURE_EDGE &&
            plane_point(own[corner[0]], own[corner[1]], other, end->point)) {
            return;
        }
    }
}

/*
 * Letters as in triangle_overlap.c: along D = n x N, triangle A = (p, q, r) holds the interval from
 * j on pr to i on pq of the common line, B = (P, Q, R) the one from I on PQ to J on PR. The common
 * part begins at the later of j and I and ends at the earlier of i and J; four signs order them,
 * and say exactly where two ends are the same point.
 */
static pliant_common cross(const ordered *a, const ordered *b, pli_crossing_end end[2])
{
    const float *const *p = a->corner, *const *P = b->corner;
    int i_to_I = pli_orient3d(p[0], p[1], P[0], P[1], NULL);
    int j_to_J = pli_orient3d(p[0], p[2], P[0], P[2], NULL);
    if (i_to_I > 0 || j_to_J < 0) {
        return PLIANT_COMMON_NOTHING;
    }
    int j_to_I = pli_orient3d(p[0], p[2], P[0], P[1], NULL);
    int i_to_J = pli_orient3d(p[0], p[1], P[0], P[2], NULL);
    if (a->in_plane[0] || b->in_plane[0] || i_to_I == 0 || j_to_J == 0) {
        return PLIANT_COMMON_POINT; /* one of the intervals is a point, or they meet at an end */
    }
    end[0].part[0] = j_to_I <= 0 ? part_at_end(a, 2) : part_between(a);
    end[0].part[1] = j_to_I >= 0 ? part_at_end(b, 1) : part_between(b);
    end[1].part[0] = i_to_J >= 0 ? part_at_end(a, 1) : part_between(a);
    end[1].part[1] = i_to_J <= 0 ? part_at_end(b, 2) : part_between(b);
    return PLIANT_COMMON_SEGMENT;
}

/* Whether a point where the line pq crosses the plane of a triangle is inside its face, off its
   edges. */
static bool passes_inside(const float p[3], const float q[3], const float t[3][3])
{
    int side = pli_orient3d(p, q, t[0], t[1], NULL);
    return side != 0 && pli_orient3d(p, q, t[1], t[2], NULL) == side &&
           pli_orient3d(p, q, t[2], t[0], NULL) == side;
}

/*
 * A triangle without area that passes through a face: two of its edges do so in one point, and a
 * curve that comes along one of them goes on along the other. `which` is that triangle. False
 * unless the point is inside the face and no corner.
 */
static bool thread(const float thin[3][3], const float face[3][3], int which,
                   pli_crossing_end end[2])
{
    int side[3];
    for (int k = 0; k < 3; ++k) {
        side[k] = pli_orient3d(face[0], face[1], face[2], thin[k], NULL);
        if (side[k] == 0) {
            return false;
        }
    }
    if (side[0] == side[1] && side[1] == side[2]) {
        return false;
    }
    uint8_t lone = side[0] == side[1] ? 2 : (side[0] == side[2] ? 1 : 0);
    uint8_t other[2] = {(uint8_t)pli_next_axis(lone), (uint8_t)pli_next_axis(pli_next_axis(lone))};
    if (!passes_inside(thin[lone], thin[other[0]], face)) {
        return false;
    }
    for (int k = 0; k < 2; ++k) {
        end[k].part[which] = (pli_part){PLIANT_FEATURE_EDGE, {lone, other[k]}};
        end[k].part[1 - which] = (pli_part){PLIANT_FEATURE_FACE, {0, 0}};
        plane_point(thin[lone], thin[other[k]], face, end[k].point);
    }
    return true;
}

static bool has_no_area(const float t[3][3])
{
    return pli_collinear(t[0], t[1], t[2], NULL);
}

pliant_common pli_triangle_cross(const float a[3][3], const float b[3][3], pli_crossing_end end[2],
                                 bool *joins)
{
    pli_crossing crossing;
    pliant_segment flat;
    ordered s[2];
    *joins = false;
    switch (pli_triangle_place(a, b, &crossing, NULL)) {
    case PLI_PLACEMENT_APART:
        return PLIANT_COMMON_NOTHING;
    case PLI_PLACEMENT_FLAT:
        *joins = (has_no_area(a) && !has_no_area(b) && thread(a, b, 0, end)) ||
                 (has_no_area(b) && !has_no_area(a) && thread(b, a, 1, end));
        return pli_triangle_segment(a, b, &flat);
    case PLI_PLACEMENT_CROSSING:
        break;
    }
    set_ordered(&s[0], crossing.a, crossing.a_touches, a, b);
    set_ordered(&s[1], crossing.b, crossing.b_touches, b, a);
    pliant_common common = cross(&s[0], &s[1], end);
    if (common != PLIANT_COMMON_SEGMENT) {
        return common;
    }
    *joins = true;
    if (s[0].turned != s[1].turned) { /* D is then against the cross product of the normals */
        pli_crossing_end swap = end[0];
        end[0] = end[1];
        end[1] = swap;
    }
    set_point(&end[0], a, b);
    set_point(&end[1], a, b);
    return common;
}

double pli_plane_share(const float u[3], const float v[3], const float triangle[3][3])
{
    double f = pli_orient3d_value(triangle[0], triangle[1], triangle[2], u);
    double g = pli_orient3d_value(triangle[0], triangle[1], triangle[2], v);
    return f / (f - g);
}

static int smallest_unit(const float *const *point, int count)
{
    int unit = 1000;
    for (int p = 0; p < count; ++p) {
        for (int i = 0; i < 3; ++i) {
            int own = pli_float_unit(point[p][i]);
            unit = own < unit ? own : unit;
        }
    }
    return unit;
}

static void wide_difference(pli_wide r[3], const float a[3], const float b[3], int unit)
{
    for (int i = 0; i < 3; ++i) {
        pli_wide x, y;
        pli_wide_from_float(&x, b[i], unit);
        pli_wide_from_float(&y, a[i], unit);
        pli_wide_subtract(&r[i], &x, &y);
    }
}

/* The magnitudes of the determinants of a triangle with u and with v, in one unit. */
static void wide_heights(const float u[3], const float v[3], const float t[3][3], int unit,
                         pli_wide *height_u, pli_wide *height_v)
{
    pli_wide p[3], q[3], n[3];
    wide_difference(p, t[0], t[1], unit);
    wide_difference(q, t[0], t[2], unit);
    pli_wide_cross(n, p, q);
    wide_difference(p, t[0], u, unit);
    pli_wide_dot(height_u, n, p);
    wide_difference(p, t[0], v, unit);
    pli_wide_dot(height_v, n, p);
    height_u->sign = height_u->sign != 0;
    height_v->sign = height_v->sign != 0;
}

/* With heights f at u and g at v, of different signs, the share is |f| / (|f| + |g|): it is less
   than another iff |f| |g'| < |f'| |g|. Products of two determinants fit a wide integer. */
int pli_plane_share_compare(const float u[3], const float v[3], const float a[3][3],
                            const float b[3][3])
{
    const float *point[8] = {u, v, a[0], a[1], a[2], b[0], b[1], b[2]};
    int unit = smallest_unit(point, 8);
    pli_wide f[2], g[2], left, right;
    wide_heights(u, v, a, unit, &f[0], &g[0]);
    wide_heights(u, v, b, unit, &f[1], &g[1]);
    pli_wide_multiply(&left, &f[0], &g[1]);
    pli_wide_multiply(&right, &f[1], &g[0]);
    return pli_wide_compare(&left, &right);
}

/* The side of the edge uv, seen along x, that a point lies on which was moved a little along y and
   much less along z. 0 only if u and v are the same, seen so. */
static int moved_side(const float u[3], const float v[3], const float point[3])
{
    int side = pli_orient2d(u, v, point, 0, NULL);
    if (side != 0) {
        return side;
    }
    if (u[2] != v[2]) {
        return v[2] > u[2] ? -1 : 1;
    }
    return (v[1] > u[1]) - (v[1] < u[1]);
}

static bool misses_box(const float point[3], const float t[3][3])
{
    bool behind = true, below[2] = {true, true}, above[2] = {true, true};
    for (int k = 0; k < 3; ++k) {
        behind = behind && t[k][0] < point[0];
        for (int i = 0; i < 2; ++i) {
            below[i] = below[i] && t[k][1 + i] < point[1 + i];
            above[i] = above[i] && t[k][1 + i] > point[1 + i];
        }
    }
    return behind || below[0] || below[1] || above[0] || above[1];
}

/*
 * Crossings of the ray from the point along x, which was moved along y and z by so little that it
 * meets no edge and passes nothing else: signs that are 0 take that of the move, the same for every
 * triangle of an edge. A triangle seen as a line is never met.
 */
int pli_triangle_winding(const float point[3], const float t[3][3])
{
    if (misses_box(point, t)) {
        return 0;
    }
    int side = moved_side(t[0], t[1], point);
    if (side == 0 || moved_side(t[1], t[2], point) != side ||
        moved_side(t[2], t[0], point) != side) {
        return 0;
    }
    /* The normal's x has the sign of `side`: the crossing lies ahead iff the point is on the other
       side of the plane. */
    return pli_orient3d(t[0], t[1], t[2], point, NULL) * side < 0 ? side : 0;
}

bool pli_triangle_holds(const float point[3], const float t[3][3])
{
    for (int i = 0; i < 3; ++i) {
        float low = pli_min(pli_min(t[0][i], t[1][i]), t[2][i]);
        float high = pli_max(pli_max(t[0][i], t[1][i]), t[2][i]);
        if (point[i] < low || point[i] > high) {
            return false;
        }
    }
    float corner[3][3];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            corner[k][i] = point[i];
        }
    }
    return pli_triangle_overlap((const float(*)[3])corner, t, NULL);
}

/* ------------------------------------------------------------ lines along an axis */

/*
 * The line through a point p along an axis against a triangle.
 *
 * Seen along the axis, the triangle is a polygon of three directed edges and the line is a point q.
 * Let j and k be the other two axes. An edge from a to b counts if a_k <= q_k < b_k and q lies
 * strictly to its left, +1, or if b_k <= q_k < a_k and q lies strictly to its right, -1. The sum
 * over the three edges is how often the polygon goes around q + (x, y), where x > 0 is
 * infinitesimal and y > 0 infinitesimal even beside x: such a shift moves q off every edge and
 * corner, off an edge to the side of larger j, which the rule leaves out, and off the height of a
 * corner to above it.
 *
 * What makes it exact for whole surfaces: an edge and its reverse always give opposite counts. So
 * over a closed surface, where every edge is used as often in both directions, all counts cancel,
 * and the sum of those crossings that lie ahead of p is the winding number of the shifted point.
 * That is the one of p itself, for a point that is not on the surface keeps its winding number
 * under small enough shifts. Degenerate triangles, and those that the line lies in the plane of,
 * have no area seen along the axis, and count 0 without a case of their own.
 */
static int edge_count(const float a[3], const float b[3], const float q[3], int axis,
                      uint64_t *fallbacks)
{
    int k = pli_next_axis(pli_next_axis(axis));
    bool starts_below = a[k] <= q[k];
    if (starts_below == (b[k] <= q[k])) {
        return 0;
    }
    int side = pli_orient2d(a, b, q, axis, fallbacks);
    return starts_below ? side > 0 : -(side < 0);
}

pli_line_crossing pli_line_cross(const float point[3], int axis, const float triangle[3][3],
                                 uint64_t *fallbacks)
{
    pli_line_crossing crossing = {0, 0};
    for (int i = 0; i < 3; ++i) {
        crossing.turn +=
            edge_count(triangle[i], triangle[i == 2 ? 0 : i + 1], point, axis, fallbacks);
    }
    if (crossing.turn != 0) { /* a point on the normal's side has the crossing behind it */
        crossing.ahead =
            -crossing.turn * pli_orient3d(triangle[0], triangle[1], triangle[2], point, fallbacks);
    }
    return crossing;
}
