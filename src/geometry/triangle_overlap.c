/*
 * Based on: Philippe Guigue and Olivier Devillers, "Fast and Robust Triangle-Triangle Overlap Test
 * Using Orientation Predicates", 2003. Our signs are exact; touching is treated so that zeros need
 * no rules of their own; degenerate triangles are handled by reduction to segments and points, and
 * coplanar ones by separating edges.
 */
#include "triangle_overlap.h"

#include "base/float_env.h"
#include "hull.h"
#include "orient.h"

/*
 * The lone corner of a triangle by the signs of its corners against a plane. Corner p is lone and
 * above when p >= 0 >= q, r with p > q, r strictly; "below" is the mirror image. Every triple of
 * signs that is neither all zero nor strictly on one side has a lone corner.
 */
enum { ABOVE_0, ABOVE_1, ABOVE_2, BELOW_0 = 4, BELOW_1, BELOW_2, APART = 8, FLAT = 16 };
enum { LONE_CORNER = 3, LONE_BELOW = 4 }; /* the parts of the first six */

/* By the first, second and third sign plus 1. */
static const uint8_t lone_corner[3][3][3] = {
    {{APART, ABOVE_2, ABOVE_2}, {ABOVE_1, BELOW_0, ABOVE_2}, {ABOVE_1, ABOVE_1, BELOW_0}},
    {{ABOVE_0, BELOW_1, ABOVE_2}, {BELOW_2, FLAT, ABOVE_2}, {ABOVE_1, ABOVE_1, BELOW_0}},
    {{ABOVE_0, ABOVE_0, BELOW_1}, {ABOVE_0, ABOVE_0, BELOW_1}, {BELOW_2, BELOW_2, APART}},
};

static inline int lone_by_sides(const int side[3])
{
    return lone_corner[side[0] + 1][side[1] + 1][side[2] + 1];
}

static inline int lone_against_plane(const float a[3][3], const float b[3][3], int side[3],
                                     uint64_t *fallbacks)
{
    pli_plane plane;
    pli_plane_set(&plane, b[0], b[1], b[2]);
    for (int i = 0; i < 3; ++i) {
        side[i] = pli_plane_side(&plane, a[i], fallbacks);
    }
    return lone_by_sides(side);
}

/* Puts the lone corner first and, when the other triangle's lone corner is below, turns this one
   over, so that it comes to be above. */
static inline void order_corners(const float *ordered[3], const float t[3][3], int lone,
                                 int other_lone)
{
    int first = lone & LONE_CORNER;
    int second = pli_next_axis(first);
    int third = pli_next_axis(second);
    bool turn = (other_lone & LONE_BELOW) != 0;
    ordered[0] = t[first];
    ordered[1] = t[turn ? third : second];
    ordered[2] = t[turn ? second : third];
}

static inline pli_placement place(const float a[3][3], const float b[3][3], pli_crossing *crossing,
                                  uint64_t *fallbacks)
{
    int side_a[3];
    int side_b[3];
    int lone_a = lone_against_plane(a, b, side_a, fallbacks);
    if (lone_a >= APART) {
        return lone_a == APART ? PLI_PLACEMENT_APART : PLI_PLACEMENT_FLAT;
    }
    int lone_b = lone_against_plane(b, a, side_b, fallbacks);
    if (lone_b >= APART) {
        return lone_b == APART ? PLI_PLACEMENT_APART : PLI_PLACEMENT_FLAT;
    }
    order_corners(crossing->a, a, lone_a, lone_b);
    order_corners(crossing->b, b, lone_b, lone_a);
    crossing->a_touches = side_a[lone_a & LONE_CORNER] == 0;
    crossing->b_touches = side_b[lone_b & LONE_CORNER] == 0;
    return PLI_PLACEMENT_CROSSING;
}

pli_placement pli_triangle_place(const float a[3][3], const float b[3][3], pli_crossing *crossing,
                                 uint64_t *fallbacks)
{
    return place(a, b, crossing, fallbacks);
}

static bool boxes_disjoint(const float a[3][3], const float b[3][3])
{
    for (int i = 0; i < 3; ++i) {
        float low_a = pli_min(pli_min(a[0][i], a[1][i]), a[2][i]);
        float low_b = pli_min(pli_min(b[0][i], b[1][i]), b[2][i]);
        float high_a = pli_max(pli_max(a[0][i], a[1][i]), a[2][i]);
        float high_b = pli_max(pli_max(b[0][i], b[1][i]), b[2][i]);
        if (high_a < low_b || high_b < low_a) {
            return true;
        }
    }
    return false;
}

/* Whether an edge of a has all of b strictly beyond its line; a goes round counterclockwise, or
   clockwise when turn is -1. */
static bool separated_by_edge(const float *const a[3], const float *const b[3], int axis, int turn,
                              uint64_t *fallbacks)
{
    for (int i = 0; i < 3; ++i) {
        const float *end = a[pli_next_axis(i)];
        int k = 0;
        while (k < 3 && turn * pli_orient2d(a[i], end, b[k], axis, fallbacks) < 0) {
            ++k;
        }
        if (k == 3) {
            return true;
        }
    }
    return false;
}

/*
 * Two triangles in one plane. The set of differences A - B is a convex polygon with an area, and
 * its edges are edges of A, or of B turned round. The triangles are disjoint iff 0 lies strictly
 * outside that polygon, that is, beyond one of its edges: all of B beyond an edge of A, or the
 * reverse.
 */
static bool flat_triangles_overlap(const pli_hull *a, const pli_hull *b, uint64_t *fallbacks)
{
    const float *const *c = b->corner;
    int turn = pli_orient2d(c[0], c[1], c[2], a->axis, fallbacks);
    return !separated_by_edge(a->corner, b->corner, a->axis, a->turn, fallbacks) &&
           !separated_by_edge(b->corner, a->corner, a->axis, turn, fallbacks);
}

static PLI_NOINLINE bool flat_overlap(const float a[3][3], const float b[3][3], uint64_t *fallbacks)
{
    if (boxes_disjoint(a, b)) {
        return false;
    }
    pli_hull hull_a;
    pli_hull hull_b;
    pli_hull_of_triangle(&hull_a, a, fallbacks);
    pli_hull_of_triangle(&hull_b, b, fallbacks);
    if (hull_a.count == 3 && hull_b.count == 3) {
        return flat_triangles_overlap(&hull_a, &hull_b, fallbacks);
    }
    return pli_hulls_meet(&hull_a, &hull_b, fallbacks);
}

/*
 * Triangles A = (p, q, r) and B = (P, Q, R) that cross each other's planes. Let n = (q-p) x (r-p)
 * and N = (Q-P) x (R-P); f(x) = N.(x-P) for corners of A and F(x) = n.(x-p) for corners of B. After
 * pli_triangle_place() f(p) >= 0 >= f(q), f(r) with f(p) > f(q), f(r), and likewise for B.
 *
 * The planes meet in a line L of direction D = n x N. A meets L between i on edge pq and j on edge
 * pr; B meets it between I on PQ and J on PR. The intervals overlap iff the triangles do.
 *   - Order within A. Let i = p + s(q-p), j = p + t(r-p), s and t >= 0, and j - i = k D. Then
 *     s t n = (i-p) x (j-i) = k (i-p) x (n x N) = k n (N.(i-p)) = -k f(p) n, so k <= 0: along D,
 * A's interval runs from j to i. Exchanging the roles turns D round: B's runs from I to J.
 *   - Comparing ends. |q-p, P-p, Q-p| does not change when p moves along pq to i, nor when P moves
 *     along PQ to I: with I - i = k D it is k ((q-p) x D).(Q-P). Here (q-p) x (n x N) =
 *     n (N.(q-p)) = n (f(q) - f(p)), and n.(Q-P) = F(Q) - F(P); both differences are negative.
 *     Hence orient3d(p, q, P, Q) has the sign of (I - i).D, zeros included. The same holds for
 * every edge at p with every edge at P. The triangles overlap iff I <= i and j <= J: two signs. No
 * step divides by f or F of a corner, so corners in the other's plane are covered.
 */
static inline bool crossing_overlap(const pli_crossing *c, uint64_t *fallbacks)
{
    return pli_orient3d(c->a[0], c->a[1], c->b[0], c->b[1], fallbacks) <= 0 &&
           pli_orient3d(c->a[0], c->a[2], c->b[0], c->b[2], fallbacks) >= 0;
}

PLI_NOINLINE bool pli_triangle_overlap(const float a[3][3], const float b[3][3],
                                       uint64_t *fallbacks)
{
    pli_crossing crossing;
    pli_placement placement = place(a, b, &crossing, fallbacks);
    if (placement == PLI_PLACEMENT_CROSSING) {
        return crossing_overlap(&crossing, fallbacks);
    }
    return placement == PLI_PLACEMENT_FLAT && flat_overlap(a, b, fallbacks);
}

bool pliant_triangle_overlap(const pliant_triangle *a, const pliant_triangle *b)
{
    pli_float_env saved = pli_float_env_enter();
    bool overlap = pli_triangle_overlap(a->corner, b->corner, NULL);
    pli_float_env_leave(saved);
    return overlap;
}
