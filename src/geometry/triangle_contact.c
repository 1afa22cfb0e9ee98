/* What two triangles that touch have in common, and how to part them. */
#include "triangle_overlap.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "hull.h"
#include "orient.h"

/* ------------------------------------------------------------ in common */

/*
 * What two triangles have in common. Which kind it is follows from exact signs alone; only then are
 * points computed, in double, from determinants that are right to 30 bits at least.
 *
 * Corners and triangles are sorted first, so the result does not depend on their order.
 */
/* Points collected so far: corners of a flat intersection, 3 + 3 corners and 9 crossings at most.
 */
typedef struct point_list {
    int count;
    double point[15][3];
} point_list;

static void add_corner(point_list *list, const float p[3])
{
    double *point = list->point[list->count++];
    for (int i = 0; i < 3; ++i) {
        point[i] = p[i];
    }
}

/* Adds the point of segment pq where a linear function vanishes that is f at p and g at q; they are
   not both 0 and their signs do not agree. */
static void add_zero(point_list *list, const float p[3], const float q[3], double f, double g)
{
    if (f == 0.0 || g == 0.0) {
        add_corner(list, f == 0.0 ? p : q);
        return;
    }
    double *point = list->point[list->count++];
    double weight_q = f / (f - g);
    double weight_p = g / (g - f);
    for (int i = 0; i < 3; ++i) {
        point[i] = weight_p * p[i] + weight_q * q[i];
    }
}

/* Adds the point of segment pq in the plane of a triangle. */
static void add_plane_point(point_list *list, const float p[3], const float q[3],
                            const float *const t[3])
{
    double f = pli_orient3d_value(t[0], t[1], t[2], p);
    double g = pli_orient3d_value(t[0], t[1], t[2], q);
    add_zero(list, p, q, f, g);
}

/*
 * Letters as in triangle_overlap.c: along D, triangle A = (p, q, r) holds the interval from j to i
 * of the common line, B = (P, Q, R) the one from I to J, where i, j, I, J lie on pq, pr, PQ, PR. So
 * they have in common what lies between the later of j, I and the earlier of i, J. orient3d of an
 * edge of A and an edge of B orders the two ends. The interval of A is a point iff p is in the
 * plane of B.
 */
static pliant_common common_of_crossing(const pli_crossing *c, point_list *list)
{
    const float *const *a = c->a;
    const float *const *b = c->b;
    int i_to_I = pli_orient3d(a[0], a[1], b[0], b[1], NULL);
    int j_to_J = pli_orient3d(a[0], a[2], b[0], b[2], NULL);
    if (i_to_I > 0 || j_to_J < 0) {
        return PLIANT_COMMON_NOTHING;
    }
    bool starts_in_a = pli_orient3d(a[0], a[2], b[0], b[1], NULL) <= 0; /* I <= j */
    bool ends_in_a = pli_orient3d(a[0], a[1], b[0], b[2], NULL) >= 0;   /* i <= J */
    bool is_point = starts_in_a ? (ends_in_a ? c->a_touches : j_to_J == 0)
                                : (ends_in_a ? i_to_I == 0 : c->b_touches);
    if (starts_in_a) {
        add_plane_point(list, a[0], a[2], b);
    } else {
        add_plane_point(list, b[0], b[1], a);
    }
    if (is_point) {
        return PLIANT_COMMON_POINT;
    }
    if (ends_in_a) {
        add_plane_point(list, a[0], a[1], b);
    } else {
        add_plane_point(list, b[0], b[2], a);
    }
    return PLIANT_COMMON_SEGMENT;
}

static void add_flat_crossings(const pli_flat_pair *pair, point_list *list)
{
    for (int i = 0; i < pli_hull_edges(pair->a); ++i) {
        const float *p = pair->a->corner[i];
        const float *q = pair->a->corner[pli_hull_end(pair->a, i)];
        for (int j = 0; j < pli_hull_edges(pair->b); ++j) {
            if (pli_flat_crossing(pair, i, j)) {
                const float *r = pair->b->corner[j];
                const float *s = pair->b->corner[pli_hull_end(pair->b, j)];
                add_zero(list, p, q, pli_orient2d_value(r, s, p, pair->axis),
                         pli_orient2d_value(r, s, q, pair->axis));
            }
        }
    }
}

/*
 * In one plane the corners of the intersection are the corners of one hull in the other, and the
 * proper crossings of edges. A corner of both is found twice; other points are all different: a
 * proper crossing lies inside two edges, and each pair of edges has one. So there is a single point
 * iff one is found, or equal corners only.
 */
static pliant_common common_of_flat(const pli_flat_pair *pair, point_list *list)
{
    const float *corner[6];
    int corners = 0;
    for (int k = 0; k < pair->a->count; ++k) {
        if (pli_flat_corner_of_a(pair, k)) {
            corner[corners++] = pair->a->corner[k];
        }
    }
    for (int k = 0; k < pair->b->count; ++k) {
        if (pli_flat_corner_of_b(pair, k)) {
            corner[corners++] = pair->b->corner[k];
        }
    }
    bool all_equal = true;
    for (int i = 0; i < corners; ++i) {
        add_corner(list, corner[i]);
        all_equal = all_equal && pli_vec3_equal(corner[0], corner[i]);
    }
    add_flat_crossings(pair, list);
    int crossings = list->count - corners;
    int distinct = crossings + (corners == 0 ? 0 : (all_equal ? 1 : 2));
    if (distinct < 2) {
        return distinct == 0 ? PLIANT_COMMON_NOTHING : PLIANT_COMMON_POINT;
    }
    return pli_flat_area(pair) ? PLIANT_COMMON_AREA : PLIANT_COMMON_SEGMENT;
}

/* At least one of the hulls is no triangle, or they are triangles of one plane. */
static pliant_common common_of_hulls(const pli_hull *a, const pli_hull *b, point_list *list)
{
    pli_flat_pair pair;
    if (pli_flat_pair_set(&pair, a, b, NULL)) {
        return common_of_flat(&pair, list);
    }
    const pli_hull *triangle = a->count == 3 ? a : b;
    const pli_hull *segment = triangle == a ? b : a;
    if (triangle->count < 3 || !pli_hull_pierced(segment, triangle, NULL)) {
        return PLIANT_COMMON_NOTHING;
    }
    add_plane_point(list, segment->corner[0], segment->corner[1], triangle->corner);
    return PLIANT_COMMON_POINT;
}

static double distance_squared(const double p[3], const double q[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += (p[i] - q[i]) * (p[i] - q[i]);
    }
    return sum;
}

static void farthest_points(const point_list *list, int *p, int *q)
{
    double farthest = -1.0;
    for (int i = 0; i < list->count; ++i) {
        for (int k = i; k < list->count; ++k) {
            double distance = distance_squared(list->point[i], list->point[k]);
            if (distance > farthest) {
                farthest = distance;
                *p = i;
                *q = k;
            }
        }
    }
}

/* Rounds a point to float32, within the boxes of both triangles: there the exact point lies. */
static void round_into_boxes(float r[3], const double p[3], const float a[3][3],
                             const float b[3][3])
{
    for (int i = 0; i < 3; ++i) {
        float low = pli_max(pli_min(pli_min(a[0][i], a[1][i]), a[2][i]),
                            pli_min(pli_min(b[0][i], b[1][i]), b[2][i]));
        float high = pli_min(pli_max(pli_max(a[0][i], a[1][i]), a[2][i]),
                             pli_max(pli_max(b[0][i], b[1][i]), b[2][i]));
        double clamped = p[i] < low ? low : (p[i] > high ? high : p[i]);
        r[i] = (float)clamped;
    }
}

static void sort_corners(float sorted[3][3], const float t[3][3])
{
    memcpy(sorted, t, sizeof(float[3][3]));
    for (int i = 0; i < 3; ++i) {
        int k = i == 1 ? 1 : 0;
        if (pli_vec3_compare(sorted[k], sorted[k + 1]) > 0) {
            float swap[3];
            memcpy(swap, sorted[k], sizeof swap);
            memcpy(sorted[k], sorted[k + 1], sizeof swap);
            memcpy(sorted[k + 1], swap, sizeof swap);
        }
    }
}

static bool triangle_before(const float a[3][3], const float b[3][3])
{
    for (int k = 0; k < 3; ++k) {
        int order = pli_vec3_compare(a[k], b[k]);
        if (order != 0) {
            return order < 0;
        }
    }
    return true;
}

static pliant_common common_of_sorted(const float a[3][3], const float b[3][3], point_list *list)
{
    pli_crossing crossing;
    switch (pli_triangle_place(a, b, &crossing, NULL)) {
    case PLI_PLACEMENT_APART:
        return PLIANT_COMMON_NOTHING;
    case PLI_PLACEMENT_CROSSING:
        return common_of_crossing(&crossing, list);
    case PLI_PLACEMENT_FLAT:
        break;
    }
    pli_hull hull_a;
    pli_hull hull_b;
    pli_hull_of_triangle(&hull_a, a, NULL);
    pli_hull_of_triangle(&hull_b, b, NULL);
    return common_of_hulls(&hull_a, &hull_b, list);
}

PLI_NOINLINE pliant_common pli_triangle_segment(const float a[3][3], const float b[3][3],
                                                pliant_segment *segment)
{
    float sorted[2][3][3];
    sort_corners(sorted[0], a);
    sort_corners(sorted[1], b);
    const float(*first)[3] = (const float(*)[3])sorted[0];
    const float(*second)[3] = (const float(*)[3])sorted[1];
    bool in_order = triangle_before(first, second);
    point_list list = {0};
    *segment = (pliant_segment){.common = PLIANT_COMMON_NOTHING};
    segment->common = common_of_sorted(in_order ? first : second, in_order ? second : first, &list);
    if (segment->common == PLIANT_COMMON_NOTHING) {
        return PLIANT_COMMON_NOTHING;
    }
    int p = 0;
    int q = 0;
    farthest_points(&list, &p, &q);
    float ends[2][3];
    round_into_boxes(ends[0], list.point[p], a, b);
    round_into_boxes(ends[1], list.point[segment->common == PLIANT_COMMON_POINT ? p : q], a, b);
    bool swap = pli_vec3_compare(ends[0], ends[1]) > 0;
    memcpy(segment->p, ends[swap ? 1 : 0], sizeof segment->p);
    memcpy(segment->q, ends[swap ? 0 : 1], sizeof segment->q);
    return segment->common;
}

pliant_common pliant_triangle_intersect(const pliant_triangle *a, const pliant_triangle *b,
                                        pliant_segment *segment)
{
    pli_float_env saved = pli_float_env_enter();
    pliant_common common = pli_triangle_segment(a->corner, b->corner, segment);
    pli_float_env_leave(saved);
    return common;
}

/* ------------------------------------------------------------ the way out */

/*
 * How deep two triangles pass through each other, and which way out is the shortest.
 *
 * The moves under which two triangles meet are their Minkowski difference, a convex polyhedron
 * whose faces are perpendicular to the two normals and to the cross products of an edge of each.
 * The nearest way out is through one of these faces, so the depth is the smallest overlap of the
 * triangles' shadows on those eleven directions. A direction that rounding has bent only gives an
 * overlap that is larger.
 *
 * Two bodies must move at least as far as their deepest pair of triangles. So the largest depth is
 * a lower bound for the bodies, and it is never longer than a triangle is wide.
 */
enum { DIRECTIONS = 2 + 9 };

/* Both triangles, relative to one of their corners. */
typedef struct pair_of_triangles {
    double corner[2][3][3], edge[2][3][3];
} pair_of_triangles;

/* Direction i: a normal, or across an edge of each. Products of two differences of float32 numbers
   neither overflow nor vanish. */
static void direction_of(const pair_of_triangles *pair, int i, double direction[3])
{
    const double *u = i < 2 ? pair->edge[i][0] : pair->edge[0][(i - 2) / 3];
    const double *v = i < 2 ? pair->edge[i][1] : pair->edge[1][(i - 2) % 3];
    direction[0] = u[1] * v[2] - u[2] * v[1];
    direction[1] = u[2] * v[0] - u[0] * v[2];
    direction[2] = u[0] * v[1] - u[1] * v[0];
}

/* How far the second triangle has to go along the direction until the shadows part, times the
   direction's length; negative if it has to go the other way: the shorter one or, with a hint, the
   one that does not lead against it. */
static double way_out(const pair_of_triangles *pair, const double direction[3], const float *hint)
{
    double lower[2], upper[2];
    for (int side = 0; side < 2; side++) {
        double along[3];
        for (int c = 0; c < 3; c++) {
            const double *p = pair->corner[side][c];
            along[c] = p[0] * direction[0] + p[1] * direction[1] + p[2] * direction[2];
        }
        double low = along[0] < along[1] ? along[0] : along[1];
        double high = along[0] < along[1] ? along[1] : along[0];
        lower[side] = along[2] < low ? along[2] : low;
        upper[side] = along[2] > high ? along[2] : high;
    }
    double ahead = upper[0] - lower[1], behind = upper[1] - lower[0];
    ahead = ahead > 0.0 ? ahead : 0.0;
    behind = behind > 0.0 ? behind : 0.0;
    double along = 0.0;
    for (int k = 0; k < 3 && hint != NULL; k++) {
        along += direction[k] * (double)hint[k];
    }
    bool goes_ahead = along != 0.0 ? along > 0.0 : ahead <= behind;
    return goes_ahead ? ahead : -behind;
}

/* Whether all corners lie in one plane: any four of them do, exactly. Two triangles that cross are
   known by the first four. */
static bool are_flat(const float a[3][3], const float b[3][3])
{
    const float *corner[6] = {a[0], a[1], a[2], b[0], b[1], b[2]};
    for (int i = 3; i < 6; i++) {
        for (int j = 2; j < i; j++) {
            for (int k = 1; k < j; k++) {
                for (int l = 0; l < k; l++) {
                    if (pli_orient3d(corner[l], corner[k], corner[j], corner[i], NULL) != 0) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

void pli_triangle_separation(const float a[3][3], const float b[3][3], float enough,
                             const float *hint, pliant_separation *separation)
{
    pair_of_triangles pair;
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            pair.corner[0][c][k] = (double)a[c][k] - (double)a[0][k];
            pair.corner[1][c][k] = (double)b[c][k] - (double)a[0][k];
            pair.edge[0][c][k] = (double)a[c == 2 ? 0 : c + 1][k] - (double)a[c][k];
            pair.edge[1][c][k] = (double)b[c == 2 ? 0 : c + 1][k] - (double)b[c][k];
        }
    }
    /* Squares are compared, and only the shortest way is made a length. */
    double best[3] = {0.0, 0.0, 0.0}, best_way = 0.0, best_square = 0.0;
    double limit = enough > 0.0f ? (double)enough * (double)enough : 0.0;
    for (int i = 0; i < DIRECTIONS; i++) {
        double direction[3];
        direction_of(&pair, i, direction);
        double square =
            direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2];
        double way = way_out(&pair, direction, hint);
        if (square > 0.0 &&
            (best_square == 0.0 || (way / square) * way < (best_way / best_square) * best_way)) {
            best_way = way;
            best_square = square;
            for (int k = 0; k < 3; k++) {
                best[k] = direction[k];
            }
            if ((way / square) * way <= limit) {
                break;
            }
        }
    }
    double length = best_square > 0.0 ? sqrt(best_square) : 1.0;
    separation->depth = (float)(fabs(best_way) / length);
    if (separation->depth > 0.0f && are_flat(a, b)) {
        separation->depth = 0.0f; /* what is left is rounding */
    }
    for (int k = 0; k < 3; k++) {
        separation->normal[k] = (float)((signbit(best_way) ? -best[k] : best[k]) / length);
    }
}

static void separate(const pliant_triangle *a, const pliant_triangle *b, float enough,
                     const float *hint, pliant_separation *separation)
{
    pli_float_env env = pli_float_env_enter();
    if (pli_triangle_overlap(a->corner, b->corner, NULL)) {
        pli_triangle_separation(a->corner, b->corner, enough, hint, separation);
    } else {
        *separation = (pliant_separation){.depth = 0.0f};
    }
    pli_float_env_leave(env);
}

void pliant_triangle_separate(const pliant_triangle *a, const pliant_triangle *b, float enough,
                              pliant_separation *separation)
{
    separate(a, b, enough, NULL, separation);
}

void pliant_triangle_separate_towards(const pliant_triangle *a, const pliant_triangle *b,
                                      const float hint[3], pliant_separation *separation)
{
    separate(a, b, 0.0f, hint, separation);
}
