/*
 * The closest points of several pairs of triangles side by side, for the instruction set that
 * base/simd/simd.h was told to use.
 *
 * Step by step what triangle_distance.c does for one pair, with the same operations in the same
 * order, so that the results are the same to the last bit; the reasons are given there. What one
 * pair may leave out is done here for all lanes if one of them needs it, and is kept by those that
 * do. The one thing that differs is when to ask whether triangles touch, which nothing else depends
 * on: the closest points mostly prove that they do not, by how far the triangles are apart along
 * them; where they do not prove it, the caller has to ask.
 */
#include "geometry/nearest_kernels.h"

#include "base/kernels.h"
#include "base/simd/simd_double.h"
#include "geometry/triangle_distance.h"

#include <float.h>

/* ------------------------------------------------------- vectors in every lane */

typedef struct lane_vector {
    pli_vd k[3];
} lane_vector;

static inline lane_vector subtract(lane_vector a, lane_vector b)
{
    for (int k = 0; k < 3; k++) {
        a.k[k] = pli_vd_sub(a.k[k], b.k[k]);
    }
    return a;
}

static inline lane_vector minus(lane_vector a)
{
    for (int k = 0; k < 3; k++) {
        a.k[k] = pli_vd_minus(a.k[k]);
    }
    return a;
}

static inline pli_vd dot(lane_vector a, lane_vector b)
{
    return pli_vd_add(pli_vd_add(pli_vd_mul(a.k[0], b.k[0]), pli_vd_mul(a.k[1], b.k[1])),
                      pli_vd_mul(a.k[2], b.k[2]));
}

static inline lane_vector cross(lane_vector a, lane_vector b)
{
    lane_vector r;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r.k[i] = pli_vd_sub(pli_vd_mul(a.k[j], b.k[k]), pli_vd_mul(a.k[k], b.k[j]));
    }
    return r;
}

static inline lane_vector select_vector(pli_vdm m, lane_vector a, lane_vector b)
{
    for (int k = 0; k < 3; k++) {
        b.k[k] = pli_vd_select(m, a.k[k], b.k[k]);
    }
    return b;
}

/* (1 - s) a + s b. */
static inline lane_vector mix(lane_vector a, lane_vector b, pli_vd s)
{
    pli_vd rest = pli_vd_sub(pli_vd_set(1.0), s);
    for (int k = 0; k < 3; k++) {
        a.k[k] = pli_vd_add(pli_vd_mul(rest, a.k[k]), pli_vd_mul(s, b.k[k]));
    }
    return a;
}

/* ------------------------------------------------------- pairs as differences */

typedef struct lane_triangle {
    lane_vector corner[3], edge[3];
    pli_vd square[3], over_square[3]; /* of edges, and 1 / them, or 0 */
} lane_triangle;

typedef struct lane_pairs {
    lane_triangle a, b;
    lane_vector between[3][3]; /* [i][j]: from corner j of b to corner i of a */
    pli_vd spread;             /* largest difference of a coordinate of a and one of b */
    pli_vd box_gap;            /* largest gap between the boxes along an axis */
} lane_pairs;

static inline pli_vdm is_positive(pli_vd x)
{
    return pli_vd_less(pli_vd_set(0.0), x);
}

/* 1 / x where x is positive; such squares are far above what nobody divides by. */
static inline pli_vd invert(pli_vd x)
{
    pli_vd inverse = pli_vd_div(pli_vd_set(1.0), pli_vd_max(x, pli_vd_set(0x1p-1000)));
    return pli_vd_select(is_positive(x), inverse, pli_vd_set(0.0));
}

PLI_ALWAYS_INLINE void load_triangle(lane_triangle *t,
                                     const float corners[3][3][PLI_MEASURED_AT_ONCE], unsigned lane)
{
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            t->corner[c].k[k] = pli_vd_of_floats(corners[c][k] + lane);
        }
    }
    for (int c = 0; c < 3; c++) {
        t->edge[c] = subtract(t->corner[(c + 1) % 3], t->corner[c]);
        t->square[c] = dot(t->edge[c], t->edge[c]);
        t->over_square[c] = invert(t->square[c]);
    }
}

static inline pli_vd least_of(const lane_triangle *t, int k)
{
    return pli_vd_min(pli_vd_min(t->corner[0].k[k], t->corner[1].k[k]), t->corner[2].k[k]);
}

static inline pli_vd greatest_of(const lane_triangle *t, int k)
{
    return pli_vd_max(pli_vd_max(t->corner[0].k[k], t->corner[1].k[k]), t->corner[2].k[k]);
}

/* Sets the spread and the gap. Rounding is monotone: these are the extreme rounded differences. */
PLI_ALWAYS_INLINE void compare_boxes(lane_pairs *t)
{
    t->spread = pli_vd_set(0.0);
    t->box_gap = pli_vd_set(-(double)INFINITY);
    for (int k = 0; k < 3; k++) {
        pli_vd low_a = least_of(&t->a, k), high_a = greatest_of(&t->a, k);
        pli_vd low_b = least_of(&t->b, k), high_b = greatest_of(&t->b, k);
        t->spread =
            pli_vd_max(t->spread, pli_vd_max(pli_vd_sub(high_a, low_b), pli_vd_sub(high_b, low_a)));
        t->box_gap = pli_vd_max(t->box_gap,
                                pli_vd_max(pli_vd_sub(low_a, high_b), pli_vd_sub(low_b, high_a)));
    }
}

PLI_ALWAYS_INLINE void load_pairs(lane_pairs *t, const pli_measured_triangles *triangles,
                                  unsigned lane)
{
    load_triangle(&t->a, triangles->a, lane);
    load_triangle(&t->b, triangles->b, lane);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            t->between[i][j] = subtract(t->a.corner[i], t->b.corner[j]);
        }
    }
    compare_boxes(t);
}

/* ------------------------------------------------------------ nearest points */

/* The nearest points so far, as weights of the corners, and how far they are apart. */
typedef struct lane_nearest {
    pli_vd weight_a[3], weight_b[3];
    lane_vector apart; /* from that of b to that of a */
    pli_vd squared;
} lane_nearest;

/* Where the weights of triangle b, or of a, are those of corner `c`. */
static inline void keep_corner(pli_vd weight[3], pli_vdm where, int c)
{
    for (int i = 0; i < 3; i++) {
        weight[i] = pli_vd_select(where, pli_vd_set(i == c ? 1.0 : 0.0), weight[i]);
    }
}

/* Where they are those of a point s along edge `e`. */
static inline void keep_edge(pli_vd weight[3], pli_vdm where, int e, pli_vd s)
{
    weight[e] = pli_vd_select(where, pli_vd_sub(pli_vd_set(1.0), s), weight[e]);
    weight[(e + 1) % 3] = pli_vd_select(where, s, weight[(e + 1) % 3]);
    weight[(e + 2) % 3] = pli_vd_select(where, pli_vd_set(0.0), weight[(e + 2) % 3]);
}

static inline void keep_distance(lane_nearest *best, pli_vdm where, lane_vector apart,
                                 pli_vd squared)
{
    best->apart = select_vector(where, apart, best->apart);
    best->squared = pli_vd_select(where, squared, best->squared);
}

/* Where along edges the points closest to corners are, and how far squared: see corner_row in
   triangle_distance.c. [0][i][j]: corner i of a and edge j of b; [1][i][j]: the other way round. */
typedef struct lane_corners {
    pli_vd along[2][3][3], squared[2][3][3];
} lane_corners;

static inline pli_vd clamp(pli_vd s)
{
    return pli_vd_min(pli_vd_max(s, pli_vd_set(0.0)), pli_vd_set(1.0));
}

PLI_ALWAYS_INLINE void measure_corner_of_a(const lane_pairs *t, int i, int j, lane_corners *rows,
                                           lane_nearest *best)
{
    lane_vector w = t->between[i][j];
    pli_vd s = clamp(pli_vd_mul(dot(t->b.edge[j], w), t->b.over_square[j]));
    lane_vector apart = mix(w, t->between[i][(j + 1) % 3], s);
    pli_vd squared = dot(apart, apart);
    pli_vdm nearer = pli_vd_less(squared, best->squared);
    rows->along[0][i][j] = s;
    rows->squared[0][i][j] = squared;
    keep_corner(best->weight_a, nearer, i);
    keep_edge(best->weight_b, nearer, j, s);
    keep_distance(best, nearer, apart, squared);
}

PLI_ALWAYS_INLINE void measure_corner_of_b(const lane_pairs *t, int i, int j, lane_corners *rows,
                                           lane_nearest *best)
{
    lane_vector w = t->between[i][j];
    pli_vd s = clamp(pli_vd_mul(pli_vd_minus(dot(t->a.edge[i], w)), t->a.over_square[i]));
    lane_vector apart = mix(w, t->between[(i + 1) % 3][j], s);
    pli_vd squared = dot(apart, apart);
    pli_vdm nearer = pli_vd_less(squared, best->squared);
    rows->along[1][i][j] = s;
    rows->squared[1][i][j] = squared;
    keep_corner(best->weight_b, nearer, j);
    keep_edge(best->weight_a, nearer, i, s);
    keep_distance(best, nearer, apart, squared);
}

/* Of several that are as near, the first in this order. */
PLI_ALWAYS_INLINE void find_nearest_corner(const lane_pairs *t, lane_corners *rows,
                                           lane_nearest *best)
{
    best->squared = pli_vd_set((double)INFINITY);
    for (int k = 0; k < 3; k++) {
        best->weight_a[k] = best->weight_b[k] = best->apart.k[k] = pli_vd_set(0.0);
    }
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            measure_corner_of_a(t, i, j, rows, best);
            measure_corner_of_b(t, i, j, rows, best);
        }
    }
}

/* How far pairs are known to be apart: see knowledge in triangle_distance.c. */
typedef struct lane_knowledge {
    pli_vdm apart, measured;
} lane_knowledge;

PLI_ALWAYS_INLINE lane_knowledge look_along(const lane_pairs *t, const lane_nearest *best)
{
    lane_vector r = best->apart;
    pli_vd gap = pli_vd_set((double)INFINITY);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            gap = pli_vd_min(gap, dot(r, t->between[i][j]));
        }
    }
    pli_vd error =
        pli_vd_mul(pli_vd_mul(pli_vd_set(0x1p-48), t->spread), pli_vd_sqrt(best->squared));
    lane_knowledge known;
    known.apart = pli_vd_less(error, gap);
    known.measured = pli_vdm_and(known.apart, pli_vd_less(pli_vd_sub(best->squared, error), gap));
    return known;
}

/* -------------------------------------------------------------------- faces */

typedef struct lane_face {
    lane_vector u, v, n;
    pli_vd uu, uv, vv, nn, slack_squared, over;
    pli_vdm flat; /* where n is not 0 */
} lane_face;

PLI_ALWAYS_INLINE void make_face(lane_face *face, const lane_triangle *t, pli_vd spread)
{
    pli_vd slack = pli_vd_mul(pli_vd_set(PLI_LINE_SLACK), spread);
    face->u = t->edge[0];
    face->v = minus(t->edge[2]);
    face->uu = t->square[0];
    face->uv = dot(face->u, face->v);
    face->vv = t->square[2];
    face->nn = pli_vd_sub(pli_vd_mul(face->uu, face->vv), pli_vd_mul(face->uv, face->uv));
    face->slack_squared = pli_vd_mul(slack, slack);
    face->n = cross(face->u, face->v);
    pli_vd square = dot(face->n, face->n);
    face->over = invert(square);
    face->flat = is_positive(square);
}

PLI_ALWAYS_INLINE pli_vdm foot_in_question(const lane_face *face, lane_vector d)
{
    pli_vd ud = dot(face->u, d), vd = dot(face->v, d), uu = face->uu, uv = face->uv;
    pli_vd s = pli_vd_sub(pli_vd_mul(face->vv, ud), pli_vd_mul(uv, vd));
    pli_vd t = pli_vd_sub(pli_vd_mul(uu, vd), pli_vd_mul(uv, ud));
    pli_vd rest = pli_vd_sub(pli_vd_sub(face->nn, s), t);
    pli_vd least = pli_vd_min(pli_vd_min(s, t), rest), longest = pli_vd_max(uu, face->vv);
    pli_vd shaped = pli_vd_mul(pli_vd_set(PLI_WELL_SHAPED), pli_vd_mul(uu, face->vv));
    pli_vd room =
        pli_vd_mul(pli_vd_mul(pli_vd_mul(face->slack_squared, longest), face->nn), pli_vd_set(4.0));
    pli_vdm inside = pli_vdm_or(pli_vd_less_equal(pli_vd_set(0.0), least),
                                pli_vd_less_equal(pli_vd_mul(least, least), room));
    pli_vdm all = pli_vd_less_equal(pli_vd_set(0.0), pli_vd_set(0.0));
    return pli_vdm_or(inside, pli_vdm_and_not(all, pli_vd_less(shaped, face->nn)));
}

/* One step towards the foot of a perpendicular; `active` are the lanes that still move. */
PLI_ALWAYS_INLINE pli_vdm step_to_foot(const lane_face *face, lane_vector r, pli_vdm active,
                                       pli_vd at[3])
{
    pli_vd s = pli_vd_mul(dot(face->n, cross(face->v, r)), face->over);
    pli_vd t = pli_vd_mul(dot(face->n, cross(r, face->u)), face->over);
    at[1] = pli_vd_add(at[1], s);
    at[2] = pli_vd_add(at[2], t);
    at[0] = pli_vd_sub(pli_vd_sub(pli_vd_set(1.0), at[1]), at[2]);
    pli_vd change = pli_vd_add(pli_vd_abs(s), pli_vd_abs(t));
    return pli_vdm_and(active, pli_vd_less(pli_vd_set(0x1p-50), change));
}

/* The foot of a perpendicular: its square, infinite if it is not inside, its weights, and the
   vector to it. `at` starts near it. */
typedef struct lane_foot {
    pli_vd weight[3], squared;
    lane_vector r;
} lane_foot;

PLI_ALWAYS_INLINE void drop_perpendicular(const lane_face *face, const lane_vector seen[3],
                                          pli_vdm where, pli_vd at[3], lane_foot *foot)
{
    pli_vdm active = pli_vdm_and(where, face->flat);
    foot->squared = pli_vd_set((double)INFINITY);
    foot->r = seen[0];
    for (int k = 0; k < 3; k++) {
        foot->weight[k] = at[k];
    }
    for (int step = 0; step <= PLI_STEPS_INSIDE && pli_vdm_bits(active) != 0; step++) {
        lane_vector r;
        for (int k = 0; k < 3; k++) {
            r.k[k] = pli_vd_add(
                pli_vd_add(pli_vd_mul(at[0], seen[0].k[k]), pli_vd_mul(at[1], seen[1].k[k])),
                pli_vd_mul(at[2], seen[2].k[k]));
        }
        if (step > 0) {
            pli_vd squared = dot(r, r), least = pli_vd_min(pli_vd_min(at[0], at[1]), at[2]);
            pli_vdm keep = pli_vdm_and(pli_vdm_and(active, pli_vd_less(squared, foot->squared)),
                                       pli_vd_less_equal(pli_vd_set(0.0), least));
            foot->squared = pli_vd_select(keep, squared, foot->squared);
            foot->r = select_vector(keep, r, foot->r);
            for (int k = 0; k < 3; k++) {
                foot->weight[k] = pli_vd_select(keep, at[k], foot->weight[k]);
            }
        }
        active = step_to_foot(face, r, active, at);
    }
}

/* Offers the foot of corner c of one triangle (a if `first`) inside the other, to some lanes. */
PLI_ALWAYS_INLINE void offer_foot(lane_nearest *best, const lane_pairs *t, const lane_face *face,
                                  int c, bool first, const lane_corners *rows, pli_vdm where)
{
    lane_vector seen[3];
    lane_foot foot;
    pli_vd at[3], least = pli_vd_set((double)INFINITY);
    for (int e = 0; e < 3; e++) {
        at[e] = pli_vd_set(0.0);
    }
    for (int e = 0; e < 3; e++) {
        int i = first ? c : e, j = first ? e : c;
        seen[e] = first ? minus(t->between[i][j]) : t->between[i][j];
        pli_vdm nearer = pli_vd_less(rows->squared[!first][i][j], least);
        least = pli_vd_select(nearer, rows->squared[!first][i][j], least);
        keep_edge(at, nearer, e, rows->along[!first][i][j]);
    }
    drop_perpendicular(face, seen, where, at, &foot);
    pli_vdm nearer = pli_vdm_and(where, pli_vd_less(foot.squared, best->squared));
    keep_distance(best, nearer, first ? minus(foot.r) : foot.r, foot.squared);
    keep_corner(first ? best->weight_a : best->weight_b, nearer, c);
    pli_vd *weight = first ? best->weight_b : best->weight_a;
    for (int k = 0; k < 3; k++) {
        weight[k] = pli_vd_select(nearer, foot.weight[k], weight[k]);
    }
}

PLI_ALWAYS_INLINE void offer_faces(lane_nearest *best, const lane_pairs *t, bool first,
                                   const lane_corners *rows, pli_vdm where)
{
    lane_face face;
    make_face(&face, first ? &t->b : &t->a, t->spread);
    for (int c = 0; c < 3; c++) {
        lane_vector d = first ? t->between[c][0] : minus(t->between[0][c]);
        pli_vdm open = pli_vdm_and(where, foot_in_question(&face, d));
        if (pli_vdm_bits(open) != 0) {
            offer_foot(best, t, &face, c, first, rows, open);
        }
    }
}

/* -------------------------------------------------------------------- edges */

typedef struct lane_edges {
    lane_vector u, v, w;
} lane_edges;

PLI_ALWAYS_INLINE pli_vdm edges_in_question(const lane_edges *e, pli_vd uu, pli_vd vv,
                                            pli_vd spread, pli_vd reach_squared)
{
    pli_vd zero = pli_vd_set(0.0), slack = pli_vd_mul(pli_vd_set(PLI_LINE_SLACK), spread);
    pli_vd far = pli_vd_add(reach_squared, pli_vd_mul(slack, spread));
    pli_vd uv = dot(e->u, e->v), uw = dot(e->u, e->w), vw = dot(e->v, e->w), ww = dot(e->w, e->w);
    pli_vd square = pli_vd_mul(uu, vv), nn = pli_vd_sub(square, pli_vd_mul(uv, uv));
    pli_vd s = pli_vd_sub(pli_vd_mul(uv, vw), pli_vd_mul(vv, uw));
    pli_vd x = pli_vd_sub(pli_vd_mul(uu, vw), pli_vd_mul(uv, uw));
    pli_vd out_s = pli_vd_max(pli_vd_max(pli_vd_minus(s), pli_vd_sub(s, nn)), zero);
    pli_vd out_t = pli_vd_max(pli_vd_max(pli_vd_minus(x), pli_vd_sub(x, nn)), zero);
    pli_vd outside = pli_vd_max(pli_vd_mul(pli_vd_mul(out_s, out_s), uu),
                                pli_vd_mul(pli_vd_mul(out_t, out_t), vv));
    pli_vd beyond = pli_vd_sub(outside, pli_vd_mul(pli_vd_mul(slack, slack), pli_vd_mul(nn, nn)));
    pli_vd apart = pli_vd_add(pli_vd_mul(nn, pli_vd_sub(ww, far)),
                              pli_vd_sub(pli_vd_mul(s, uw), pli_vd_mul(x, vw)));
    beyond = pli_vd_max(beyond, apart);
    pli_vd shaped = pli_vd_sub(nn, pli_vd_mul(pli_vd_set(PLI_WELL_SHAPED), square));
    pli_vdm all = pli_vd_less_equal(zero, zero);
    return pli_vdm_and_not(all, is_positive(pli_vd_min(beyond, shaped)));
}

/* Where closest points inside two edges are, how far squared, or infinitely. */
typedef struct lane_crossing {
    pli_vd s, t, squared;
    lane_vector r;
} lane_crossing;

static inline pli_vdm is_inside(pli_vd s, pli_vd t)
{
    pli_vd one = pli_vd_set(1.0);
    return pli_vdm_and(is_positive(pli_vd_min(s, t)), pli_vd_less(pli_vd_max(s, t), one));
}

PLI_ALWAYS_INLINE void find_inside_edges(const lane_edges *e, pli_vdm where, lane_crossing *found)
{
    lane_vector n = cross(e->u, e->v);
    pli_vd square = dot(n, n), over = invert(square), s = pli_vd_set(0.0), t = s;
    pli_vdm active = pli_vdm_and(where, is_positive(square));
    *found = (lane_crossing){s, t, pli_vd_set((double)INFINITY), e->w};
    for (int step = 0; step <= PLI_STEPS_INSIDE && pli_vdm_bits(active) != 0; step++) {
        lane_vector r;
        for (int k = 0; k < 3; k++) {
            pli_vd along = pli_vd_sub(pli_vd_mul(s, e->u.k[k]), pli_vd_mul(t, e->v.k[k]));
            r.k[k] = pli_vd_add(e->w.k[k], along);
        }
        pli_vd squared = dot(r, r);
        pli_vdm keep =
            pli_vdm_and(pli_vdm_and(active, pli_vd_less(squared, found->squared)), is_inside(s, t));
        found->s = pli_vd_select(keep, s, found->s);
        found->t = pli_vd_select(keep, t, found->t);
        found->squared = pli_vd_select(keep, squared, found->squared);
        found->r = select_vector(keep, r, found->r);
        pli_vd more_s = pli_vd_mul(dot(n, cross(e->v, r)), over);
        pli_vd more_t = pli_vd_mul(dot(n, cross(e->u, r)), over);
        s = pli_vd_add(s, more_s);
        t = pli_vd_add(t, more_t);
        pli_vd change = pli_vd_add(pli_vd_abs(more_s), pli_vd_abs(more_t));
        active = pli_vdm_and(active, pli_vd_less(pli_vd_set(0x1p-50), change));
    }
}

PLI_ALWAYS_INLINE void offer_edges(lane_nearest *best, const lane_pairs *t, int i, int j,
                                   pli_vd reach_squared, pli_vdm where)
{
    lane_edges e = {t->a.edge[i], t->b.edge[j], t->between[i][j]};
    pli_vdm open = pli_vdm_and(
        where, edges_in_question(&e, t->a.square[i], t->b.square[j], t->spread, reach_squared));
    if (pli_vdm_bits(open) == 0) {
        return;
    }
    lane_crossing found;
    find_inside_edges(&e, open, &found);
    pli_vdm nearer = pli_vdm_and(open, pli_vd_less(found.squared, best->squared));
    keep_distance(best, nearer, found.r, found.squared);
    keep_edge(best->weight_a, nearer, i, found.s);
    keep_edge(best->weight_b, nearer, j, found.t);
}

/* --------------------------------------------------------------------- all */

/* Faces and edges, for the lanes where corners and edges do not settle it. */
PLI_ALWAYS_INLINE void offer_others(lane_nearest *best, const lane_pairs *t,
                                    const lane_corners *rows, pli_vdm where)
{
    pli_vd before = best->squared;
    pli_vd reach =
        pli_vd_add(pli_vd_sqrt(before), pli_vd_mul(pli_vd_set(PLI_LINE_SLACK), t->spread));
    pli_vd reach_squared = pli_vd_mul(reach, reach);
    offer_faces(best, t, true, rows, where);
    offer_faces(best, t, false, rows, where);
    pli_vdm nearer = pli_vd_less(best->squared, before);
    if (pli_vdm_bits(nearer) != 0) {
        where = pli_vdm_and_not(where, pli_vdm_and(nearer, look_along(t, best).measured));
    }
    for (int i = 0; i < 3 && pli_vdm_bits(where) != 0; i++) {
        for (int j = 0; j < 3; j++) {
            offer_edges(best, t, i, j, reach_squared, where);
        }
    }
}

PLI_ALWAYS_INLINE void store_point(const lane_triangle *t, const pli_vd weight[3], unsigned lane,
                                   double point[3][PLI_MEASURED_AT_ONCE], unsigned char *corners)
{
    unsigned bits[3];
    for (int k = 0; k < 3; k++) {
        pli_vd sum = pli_vd_add(pli_vd_mul(weight[0], t->corner[0].k[k]),
                                pli_vd_mul(weight[1], t->corner[1].k[k]));
        pli_vd_store(point[k] + lane, pli_vd_add(sum, pli_vd_mul(weight[2], t->corner[2].k[k])));
        bits[k] = pli_vdm_bits(is_positive(weight[k]));
    }
    for (unsigned l = 0; l < PLI_DOUBLES; l++) {
        corners[lane + l] =
            (unsigned char)((bits[0] >> l & 1) | (bits[1] >> l & 1) << 1 | (bits[2] >> l & 1) << 2);
    }
}

PLI_ALWAYS_INLINE unsigned measure_lanes(const pli_measured_triangles *triangles, unsigned lane,
                                         pli_measured_gaps *gaps)
{
    lane_pairs t;
    lane_corners rows;
    lane_nearest best;
    load_pairs(&t, triangles, lane);
    find_nearest_corner(&t, &rows, &best);
    lane_knowledge known = look_along(&t, &best);
    pli_vdm all = pli_vd_less_equal(pli_vd_set(0.0), pli_vd_set(0.0));
    pli_vdm open = pli_vdm_and_not(all, known.measured);
    if (pli_vdm_bits(open) != 0) {
        offer_others(&best, &t, &rows, open);
        known.apart = pli_vdm_or(known.apart, look_along(&t, &best).apart);
    }
    pli_vd distance = pli_vd_max(pli_vd_sqrt(best.squared), pli_vd_set(DBL_MIN));
    pli_vd_store(gaps->distance + lane, pli_vd_max(distance, t.box_gap));
    store_point(&t.a, best.weight_a, lane, gaps->point_a, gaps->corners_a);
    store_point(&t.b, best.weight_b, lane, gaps->point_b, gaps->corners_b);
    return pli_vdm_bits(known.apart) << lane;
}

static unsigned measure(const pli_measured_triangles *triangles, unsigned count,
                        pli_measured_gaps *gaps)
{
    unsigned apart = 0;
    for (unsigned lane = 0; lane < count; lane += PLI_DOUBLES) {
        apart |= measure_lanes(triangles, lane, gaps);
    }
    return apart & ((1u << count) - 1);
}

const pli_nearest_kernels PLI_KERNELS_OF(nearest) = {.measure = measure};
