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
#include "line_crossing.h"

#include "orient.h"

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
