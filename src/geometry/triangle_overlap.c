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

/* ------------------------------------------------------------ neighbours */

/*
 * Triangles of one mesh that share corners always touch. They are reported only when they have more
 * in common than the hull of what they share. The usual shortcut asks whether the edge opposite to
 * a shared corner meets the other triangle; it fails on degenerate triangles, whose opposite edge
 * may contain the shared corner itself. We apply it to pieces for which it holds.
 */
/* A part of a triangle with corner v: the hull of v and `far`, which does not contain v. */
typedef struct piece {
    pli_hull whole, far;
} piece;

/* Cuts the triangle with corners v, p, q into pieces; returns how many. A segment is cut at v. */
static int cut_at_corner(piece pieces[2], const float t[3][3], const float v[3], const float p[3],
                         const float q[3], uint64_t *fallbacks)
{
    pli_hull_of_triangle(&pieces[0].whole, t, fallbacks);
    if (pieces[0].whole.count == 3) {
        pli_hull_of_segment(&pieces[0].far, p, q);
        return 1;
    }
    const float *ends[2] = {p, q};
    int count = 0;
    for (int i = 0; i < 2; ++i) {
        if (!pli_vec3_equal(ends[i], v)) {
            pli_hull_of_segment(&pieces[count].whole, v, ends[i]);
            pli_hull_of_segment(&pieces[count].far, ends[i], ends[i]);
            ++count;
        }
    }
    return count;
}

/*
 * Whether two pieces at v have more than v in common. If x is such a point, follow the ray from v
 * through x: it leaves each piece in a point of its `far`, and the first of the two exits lies in
 * both pieces. Conversely a point of `far` is not v.
 */
static bool pieces_overlap(const piece *a, const piece *b, uint64_t *fallbacks)
{
    return pli_hulls_meet(&a->far, &b->whole, fallbacks) ||
           pli_hulls_meet(&b->far, &a->whole, fallbacks);
}

/*
 * Two triangles (v, p, q) and (v, r, s) of one plane, both counterclockwise along `axis`. Their
 * angles at v are less than half a turn, so they share a ray iff the first side of one lies in the
 * other angle: vr is in the angle from vp to vq iff it is not right of vp and not left of vq.
 */
static bool angles_overlap(const float v[3], const float *const pq[2], const float *const rs[2],
                           int axis, uint64_t *fallbacks)
{
    int turn = pli_orient2d(v, pq[0], rs[0], axis, fallbacks);
    return (turn >= 0 && pli_orient2d(v, rs[0], pq[1], axis, fallbacks) >= 0) ||
           (turn <= 0 && pli_orient2d(v, pq[0], rs[1], axis, fallbacks) >= 0);
}

/* Orders the two corners of a triangle next to v counterclockwise along axis. */
static void order_round(const float *ends[2], const float v[3], int axis, uint64_t *fallbacks)
{
    if (pli_orient2d(v, ends[0], ends[1], axis, fallbacks) < 0) {
        const float *swap = ends[0];
        ends[0] = ends[1];
        ends[1] = swap;
    }
}

static bool beyond_corner_slow(const float a[3][3], const float b[3][3], const float v[3],
                               const float *pq[2], const float *rs[2], bool flat,
                               uint64_t *fallbacks)
{
    piece pieces_a[2];
    piece pieces_b[2];
    int count_a = cut_at_corner(pieces_a, a, v, pq[0], pq[1], fallbacks);
    int count_b = cut_at_corner(pieces_b, b, v, rs[0], rs[1], fallbacks);
    bool triangles = pieces_a[0].whole.count == 3 && pieces_b[0].whole.count == 3;
    if (count_a > 0 && count_b > 0 && triangles && flat) {
        int axis = pieces_a[0].whole.axis;
        order_round(pq, v, axis, fallbacks);
        order_round(rs, v, axis, fallbacks);
        return angles_overlap(v, pq, rs, axis, fallbacks);
    }
    for (int i = 0; i < count_a; ++i) {
        for (int k = 0; k < count_b; ++k) {
            if (pieces_overlap(&pieces_a[i], &pieces_b[k], fallbacks)) {
                return true;
            }
        }
    }
    return false;
}

/* One shared corner v. If both other corners of a are strictly on one side of b's plane, a meets
   that plane in v alone, whatever a is. */
static bool beyond_corner(const float a[3][3], const float b[3][3], int i, int k,
                          uint64_t *fallbacks)
{
    const float *v = a[i];
    const float *pq[2] = {a[(i + 1) % 3], a[(i + 2) % 3]};
    const float *rs[2] = {b[(k + 1) % 3], b[(k + 2) % 3]};
    pli_plane plane;
    pli_plane_set(&plane, v, rs[0], rs[1]);
    int side_p = pli_plane_side(&plane, pq[0], fallbacks);
    int side_q = pli_plane_side(&plane, pq[1], fallbacks);
    if (side_p * side_q > 0) {
        return false;
    }
    pli_plane_set(&plane, v, pq[0], pq[1]);
    int side_r = pli_plane_side(&plane, rs[0], fallbacks);
    int side_s = pli_plane_side(&plane, rs[1], fallbacks);
    if (side_r * side_s > 0) {
        return false;
    }
    bool flat = side_p == 0 && side_q == 0;
    return beyond_corner_slow(a, b, v, pq, rs, flat, fallbacks);
}

/* Whether segments from u to p and from u to r have more than u in common. */
static bool segments_overlap_beyond(const float u[3], const float p[3], const float r[3],
                                    uint64_t *fallbacks)
{
    if (pli_vec3_equal(u, p) || pli_vec3_equal(u, r) || !pli_collinear(u, p, r, fallbacks)) {
        return false;
    }
    return pli_vec3_between(p, u, r) || pli_vec3_between(r, u, p);
}

/* Whether p, on the line through u and v, lies strictly beyond v. */
static bool extends(const float p[3], const float u[3], const float v[3])
{
    return pli_vec3_between(v, u, p) && !pli_vec3_equal(v, p);
}

/*
 * Two shared corners u, v; the others are p and r. In different planes the triangles meet on the
 * line through u and v only, where both are the segment uv. In one plane they have more in common
 * iff p and r are strictly on one side of that line, or both on it and beyond the same end.
 */
static bool beyond_edge(const float u[3], const float v[3], const float p[3], const float r[3],
                        uint64_t *fallbacks)
{
    if (pli_vec3_equal(u, v)) {
        return segments_overlap_beyond(u, p, r, fallbacks);
    }
    if (pli_orient3d(u, v, p, r, fallbacks) != 0) {
        return false;
    }
    bool on_line = true;
    for (int axis = 0; axis < 3; ++axis) {
        int side_p = pli_orient2d(u, v, p, axis, fallbacks);
        int side_r = pli_orient2d(u, v, r, axis, fallbacks);
        if (side_p * side_r != 0) {
            return side_p == side_r;
        }
        on_line = on_line && side_p == 0 && side_r == 0;
    }
    return on_line &&
           ((extends(p, u, v) && extends(r, u, v)) || (extends(p, v, u) && extends(r, v, u)));
}

bool pli_triangle_overlap_beyond(const float a[3][3], const float b[3][3], int count,
                                 const uint8_t shared[3][2], uint64_t *fallbacks)
{
    if (count == 0) {
        return pli_triangle_overlap(a, b, fallbacks);
    }
    int i = shared[0][0];
    int k = shared[0][1];
    if (count == 1) {
        return beyond_corner(a, b, i, k, fallbacks);
    }
    int rest_a = 3 - i - shared[1][0];
    int rest_b = 3 - k - shared[1][1];
    return count == 2 && beyond_edge(a[i], a[shared[1][0]], a[rest_a], b[rest_b], fallbacks);
}

bool pliant_triangle_overlap_beyond(const pliant_triangle *a, const pliant_triangle *b,
                                    uint32_t shared_count, const uint8_t *shared_a,
                                    const uint8_t *shared_b)
{
    uint8_t shared[3][2] = {{0}};
    int count = shared_count < 3 ? (int)shared_count : 3;
    for (int k = 0; k < count; ++k) {
        shared[k][0] = shared_a[k];
        shared[k][1] = shared_b[k];
    }
    pli_float_env saved = pli_float_env_enter();
    bool more =
        pli_triangle_overlap_beyond(a->corner, b->corner, count, (const uint8_t(*)[2])shared, NULL);
    pli_float_env_leave(saved);
    return more;
}
