#include "hull.h"

#include "orient.h"

/* The extreme points of three on a line are the first and the last in lexicographic order. */
static void reduce_to_segment(pli_hull *hull)
{
    const float *low = hull->corner[0];
    const float *high = low;
    for (int i = 1; i < 3; ++i) {
        low = pli_vec3_compare(hull->corner[i], low) < 0 ? hull->corner[i] : low;
        high = pli_vec3_compare(hull->corner[i], high) > 0 ? hull->corner[i] : high;
    }
    pli_hull_of_segment(hull, low, high);
}

void pli_hull_of_segment(pli_hull *hull, const float a[3], const float b[3])
{
    *hull = (pli_hull){pli_vec3_equal(a, b) ? 1 : 2, 0, 0, {a, b, b}};
}

/* The axis along which the plane is seen best, by a floating-point estimate. */
static int steepest_axis(const pli_plane *plane)
{
    int axis = 0;
    for (int i = 1; i < 3; ++i) {
        axis = fabs(plane->normal[i]) > fabs(plane->normal[axis]) ? i : axis;
    }
    return axis;
}

void pli_hull_of_triangle(pli_hull *hull, const float corner[3][3], uint64_t *fallbacks)
{
    *hull = (pli_hull){3, 0, 0, {corner[0], corner[1], corner[2]}};
    pli_plane plane;
    pli_plane_set(&plane, corner[0], corner[1], corner[2]);
    hull->axis = steepest_axis(&plane);
    for (int tries = 0; tries < 3; ++tries) {
        hull->turn = pli_orient2d(corner[0], corner[1], corner[2], hull->axis, fallbacks);
        if (hull->turn != 0) {
            return;
        }
        hull->axis = pli_next_axis(hull->axis);
    }
    reduce_to_segment(hull);
}

/* Whether all corners of `other` lie in the plane of a triangle. */
static bool in_plane(const pli_hull *triangle, const pli_hull *other, uint64_t *fallbacks)
{
    pli_plane plane;
    pli_plane_set(&plane, triangle->corner[0], triangle->corner[1], triangle->corner[2]);
    for (int k = 0; k < other->count; ++k) {
        if (pli_plane_side(&plane, other->corner[k], fallbacks) != 0) {
            return false;
        }
    }
    return true;
}

/* An axis along which three points do not appear on one line; -1 when they are. */
static int axis_of_points(const float a[3], const float b[3], const float c[3], uint64_t *fallbacks)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (pli_orient2d(a, b, c, axis, fallbacks) != 0) {
            return axis;
        }
    }
    return -1;
}

/* Finds the plane of two hulls that are points or segments: that of two corners of one and one of
   the other, if any such three are not on a line. */
static bool flat_axis_of_segments(const pli_hull *a, const pli_hull *b, int *axis,
                                  uint64_t *fallbacks)
{
    const float *const *p = a->corner;
    const float *const *q = b->corner;
    if (pli_orient3d(p[0], p[1], q[0], q[1], fallbacks) != 0) {
        return false;
    }
    *axis = -1;
    for (int k = 0; k < 2 && *axis < 0; ++k) {
        *axis = axis_of_points(p[0], p[1], q[k], fallbacks);
        if (*axis < 0) {
            *axis = axis_of_points(q[0], q[1], p[k], fallbacks);
        }
    }
    *axis = *axis < 0 ? 0 : *axis;
    return true;
}

static bool flat_axis(const pli_hull *a, const pli_hull *b, int *axis, uint64_t *fallbacks)
{
    if (a->count < 3 && b->count < 3) {
        return flat_axis_of_segments(a, b, axis, fallbacks);
    }
    const pli_hull *triangle = a->count == 3 ? a : b;
    *axis = triangle->axis;
    return in_plane(triangle, triangle == a ? b : a, fallbacks);
}

/* The sides of the edges of a that the corners of b lie on. */
static void fill_sides(int8_t side[3][3], const pli_hull *a, const pli_hull *b, int axis,
                       uint64_t *fallbacks)
{
    int turn = 1;
    if (a->count == 3) {
        turn = pli_orient2d(a->corner[0], a->corner[1], a->corner[2], axis, fallbacks);
    }
    for (int i = 0; i < pli_hull_edges(a); ++i) {
        const float *end = a->corner[pli_hull_end(a, i)];
        for (int k = 0; k < b->count; ++k) {
            int sign = pli_orient2d(a->corner[i], end, b->corner[k], axis, fallbacks);
            side[i][k] = (int8_t)(turn * sign);
        }
    }
}

bool pli_flat_pair_set(pli_flat_pair *pair, const pli_hull *a, const pli_hull *b,
                       uint64_t *fallbacks)
{
    *pair = (pli_flat_pair){.a = a, .b = b};
    if (!flat_axis(a, b, &pair->axis, fallbacks)) {
        return false;
    }
    fill_sides(pair->side_a, a, b, pair->axis, fallbacks);
    fill_sides(pair->side_b, b, a, pair->axis, fallbacks);
    return true;
}

/* Whether a point of the plane lies in a hull, given its sides of the hull's edges in column k. */
static bool inside(const pli_hull *hull, const int8_t side[3][3], int k, const float point[3])
{
    if (hull->count == 3) {
        return side[0][k] >= 0 && side[1][k] >= 0 && side[2][k] >= 0;
    }
    bool on_line = hull->count == 1 || side[0][k] == 0;
    return on_line && pli_vec3_between(point, hull->corner[0], hull->corner[1]);
}

bool pli_flat_corner_of_b(const pli_flat_pair *pair, int k)
{
    return inside(pair->a, pair->side_a, k, pair->b->corner[k]);
}

bool pli_flat_corner_of_a(const pli_flat_pair *pair, int k)
{
    return inside(pair->b, pair->side_b, k, pair->a->corner[k]);
}

bool pli_flat_crossing(const pli_flat_pair *pair, int i, int j)
{
    int next_i = pli_hull_end(pair->a, i);
    int next_j = pli_hull_end(pair->b, j);
    return pair->side_a[i][j] * pair->side_a[i][next_j] < 0 &&
           pair->side_b[j][i] * pair->side_b[j][next_i] < 0;
}

/* Whether an edge has all corners of the other triangle on or beyond its line. */
static bool separated_weakly(const int8_t side[3][3])
{
    for (int i = 0; i < 3; ++i) {
        if (side[i][0] <= 0 && side[i][1] <= 0 && side[i][2] <= 0) {
            return true;
        }
    }
    return false;
}

bool pli_flat_area(const pli_flat_pair *pair)
{
    return pair->a->count == 3 && pair->b->count == 3 && !separated_weakly(pair->side_a) &&
           !separated_weakly(pair->side_b);
}

bool pli_hull_pierced(const pli_hull *segment, const pli_hull *triangle, uint64_t *fallbacks)
{
    if (segment->count == 1) {
        return false;
    }
    const float *p = segment->corner[0];
    const float *q = segment->corner[1];
    const float *const *c = triangle->corner;
    pli_plane plane;
    pli_plane_set(&plane, c[0], c[1], c[2]);
    if (pli_plane_side(&plane, p, fallbacks) * pli_plane_side(&plane, q, fallbacks) > 0) {
        return false;
    }
    /* The line through p and q is not in the plane: it passes the edges all on one side or misses.
     */
    int lowest = 1;
    int highest = -1;
    for (int i = 0; i < 3; ++i) {
        int side = pli_orient3d(p, q, c[i], c[(i + 1) % 3], fallbacks);
        lowest = side < lowest ? side : lowest;
        highest = side > highest ? side : highest;
    }
    return lowest >= 0 || highest <= 0;
}

/*
 * In one plane, the corners of the intersection of two convex polygons are corners of one that lie
 * in the other, or proper crossings of their edges. So they meet iff there is one of either kind.
 */
static bool flat_hulls_meet(const pli_flat_pair *pair)
{
    for (int k = 0; k < pair->b->count; ++k) {
        if (pli_flat_corner_of_b(pair, k)) {
            return true;
        }
    }
    for (int k = 0; k < pair->a->count; ++k) {
        if (pli_flat_corner_of_a(pair, k)) {
            return true;
        }
    }
    for (int i = 0; i < pli_hull_edges(pair->a); ++i) {
        for (int j = 0; j < pli_hull_edges(pair->b); ++j) {
            if (pli_flat_crossing(pair, i, j)) {
                return true;
            }
        }
    }
    return false;
}

bool pli_hulls_meet(const pli_hull *a, const pli_hull *b, uint64_t *fallbacks)
{
    pli_flat_pair pair;
    if (pli_flat_pair_set(&pair, a, b, fallbacks)) {
        return flat_hulls_meet(&pair);
    }
    if (a->count == 3) {
        return pli_hull_pierced(b, a, fallbacks);
    }
    return b->count == 3 && pli_hull_pierced(a, b, fallbacks);
}
