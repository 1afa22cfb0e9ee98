/*
 * Triangles of one mesh that share corners always touch. They are reported only when they have more
 * in common than the hull of what they share. The usual shortcut asks whether the edge opposite to
 * a shared corner meets the other triangle; it fails on degenerate triangles, whose opposite edge
 * may contain the shared corner itself. We apply it to pieces for which it holds.
 */
#include "triangle_overlap.h"

#include "base/float_env.h"
#include "hull.h"
#include "orient.h"

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
    bool more = pli_triangle_overlap_beyond(a->corner, b->corner, count,
                                            (const uint8_t(*)[2])shared, NULL);
    pli_float_env_leave(saved);
    return more;
}
