/*
 * The distance of two triangles, in double. Where they do not touch, the closest points can be
 * chosen so that one of them is a corner, or both lie on edges (any other closest pair can slide
 * along the common direction until it meets a border). So corners against edges, corners against
 * the insides of faces and insides of edges against each other give candidates, all of them pairs
 * of points of the two triangles up to rounding, and the nearest one wins: a wrong branch costs no
 * more than rounding, and degenerate triangles need no case of their own. Whether the triangles
 * touch, is asked exactly.
 *
 * Corners against edges come first, eighteen of them, side by side. Of the others most are ruled
 * out by how far lines and planes are apart, or by where the closest points would lie, with room
 * for rounding: see triangle_distance.h.
 *
 * Coordinates are float32: differences are below 2^129 and multiples of 2^-149, so the products of
 * six of them that occur neither overflow nor underflow in double.
 */
#include "triangle_distance.h"

#include <float.h>
#include <math.h>

#include "base/float_env.h"
#include "vec3.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Without the calls that fmin() and fmax() are. */
static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static void cross(double r[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        int k = (i + 2) % 3;
        r[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static void subtract(double r[3], const float a[3], const float b[3])
{
    for (int k = 0; k < 3; ++k) {
        r[k] = (double)a[k] - (double)b[k];
    }
}

/*
 * The nine pairs of a corner, or an edge, of a with one of b: a row for each i of a, and in it the
 * j of b side by side. Rows have four places, for registers, and the last repeats the one before.
 */
enum { WIDE = 4 };

typedef struct wide_vectors {
    double k[3][WIDE];
} wide_vectors;

/* Two triangles as differences. Edge i goes from corner i to the next. */
typedef struct two_triangles {
    double edge_a[3][3], edge_b[3][3];
    double uu[3], over_uu[3]; /* squares of edges of a, and 1 / them, or 0 */
    double vv[WIDE], over_vv[WIDE];
    wide_vectors v;          /* edges of b */
    wide_vectors between[3]; /* [i]: from corners of b to corner i of a */
    wide_vectors next[3];    /* the same from the corners where the edges of b end */
    double spread;
} two_triangles;

static double invert(double square)
{
    return square > 0.0 ? 1.0 / square : 0.0;
}

static void look_at(two_triangles *t, const float a[3][3], const float b[3][3])
{
    double corner_b[3][WIDE], next_b[3][WIDE], spread[WIDE] = {0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < WIDE; ++j) {
            int start = j < 3 ? j : 2;
            double from = (double)b[start][k], to = (double)b[pli_next_axis(start)][k];
            corner_b[k][j] = from;
            next_b[k][j] = to;
            t->v.k[k][j] = to - from;
            t->edge_b[start][k] = to - from;
        }
    }
    for (int i = 0; i < 3; ++i) {
        subtract(t->edge_a[i], a[pli_next_axis(i)], a[i]);
        t->uu[i] = dot(t->edge_a[i], t->edge_a[i]);
        t->over_uu[i] = invert(t->uu[i]);
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < WIDE; ++j) {
                double between = (double)a[i][k] - corner_b[k][j];
                t->between[i].k[k][j] = between;
                t->next[i].k[k][j] = (double)a[i][k] - next_b[k][j];
                spread[j] = greater(spread[j], fabs(between));
            }
        }
    }
    for (int j = 0; j < WIDE; ++j) {
        double(*v)[WIDE] = t->v.k;
        t->vv[j] = v[0][j] * v[0][j] + v[1][j] * v[1][j] + v[2][j] * v[2][j];
        t->over_vv[j] = t->vv[j] > 0.0 ? 1.0 / t->vv[j] : 0.0;
    }
    t->spread = greater(greater(spread[0], spread[1]), spread[2]);
}

/* A row of corners against edges: where along the edges the closest points are, how far squared. */
typedef struct corner_row {
    double along[2][WIDE]; /* [0]: corner i of a, edges of b; [1]: corners of b, edge i of a */
    double squared[2][WIDE];
} corner_row;

static inline double clamp(double s)
{
    s = s > 0.0 ? s : 0.0;
    return s < 1.0 ? s : 1.0;
}

/* A point of an edge is a weighted sum of its ends, so that at either end nothing is rounded that
   the other has to do with. */
static void measure_corners(const two_triangles *t, int i, corner_row *row)
{
    const double *u = t->edge_a[i], (*v)[WIDE] = t->v.k, (*w)[WIDE] = t->between[i].k;
    const double(*next_b)[WIDE] = t->next[i].k, (*next_a)[WIDE] = t->between[pli_next_axis(i)].k;
    double over_uu = t->over_uu[i];
    for (int j = 0; j < WIDE; ++j) {
        double s =
            clamp((v[0][j] * w[0][j] + v[1][j] * w[1][j] + v[2][j] * w[2][j]) * t->over_vv[j]);
        double x = (1.0 - s) * w[0][j] + s * next_b[0][j];
        double y = (1.0 - s) * w[1][j] + s * next_b[1][j];
        double z = (1.0 - s) * w[2][j] + s * next_b[2][j];
        row->along[0][j] = s;
        row->squared[0][j] = x * x + y * y + z * z;
        s = clamp(-(u[0] * w[0][j] + u[1] * w[1][j] + u[2] * w[2][j]) * over_uu);
        x = (1.0 - s) * w[0][j] + s * next_a[0][j];
        y = (1.0 - s) * w[1][j] + s * next_a[1][j];
        z = (1.0 - s) * w[2][j] + s * next_a[2][j];
        row->along[1][j] = s;
        row->squared[1][j] = x * x + y * y + z * z;
    }
}

static void offer_corners(pli_nearest_pair *best, const corner_row rows[3])
{
    double low[WIDE] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < WIDE; ++j) {
            low[j] = lesser(low[j], lesser(rows[i].squared[0][j], rows[i].squared[1][j]));
        }
    }
    double least = lesser(lesser(low[0], low[1]), low[2]);
    int j = low[0] == least ? 0 : low[1] == least ? 1 : 2, i = 0;
    while (i < 2 && rows[i].squared[0][j] != least && rows[i].squared[1][j] != least) {
        ++i; /* NaN is found nowhere */
    }
    bool of_a = rows[i].squared[0][j] == least;
    double s = rows[i].along[!of_a][j];
    double *corner = of_a ? best->weight_a : best->weight_b;
    double *edge = of_a ? best->weight_b : best->weight_a;
    int start = of_a ? j : i;
    corner[of_a ? i : j] = 1.0;
    edge[start] = 1.0 - s;
    edge[pli_next_axis(start)] = s;
    best->distance_squared = least;
}

/*
 * At s and t the points from which edges u and v go, w apart, are r = w + s u - t v apart; where r
 * is shortest it is parallel to n = u x v, so s changes by n.(v x r) / n.n and t by n.(u x r) /
 * n.n. For nearly parallel edges n is inaccurate; each further step starts where r is shorter and
 * multiplies what is wrong by the relative error of n. Where that is no help, the edges diverge by
 * less than rounding, and their ends are as near.
 */
double pli_edges_inside(const double u[3], const double v[3], const double w[3], double *at_u,
                        double *at_v)
{
    double n[3];
    cross(n, u, v);
    double n_squared = dot(n, n), nearest = INFINITY, s = 0.0, t = 0.0, change = 1.0;
    if (!(n_squared > 0.0)) {
        return nearest;
    }
    double over = 1.0 / n_squared;
    for (int step = 0; step <= PLI_STEPS_INSIDE && change > 0x1p-50; ++step) {
        double r[3];
        double m[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = w[k] + (s * u[k] - t * v[k]); /* so that a and b may be exchanged */
        }
        double squared = dot(r, r);
        if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 && squared < nearest) {
            nearest = squared;
            *at_u = s;
            *at_v = t;
        }
        cross(m, v, r);
        double more_s = dot(n, m) * over;
        cross(m, u, r);
        double more_t = dot(n, m) * over;
        s += more_s;
        t += more_t;
        change = fabs(more_s) + fabs(more_t);
    }
    return nearest;
}

/*
 * Which edges of b may be nearest to edge i of a in their insides: bit j. With dots instead of
 * cross products, n.n = u.u v.v - (u.v)^2, s n.n = u.v v.w - v.v u.w and t n.n = u.u v.w - u.v u.w,
 * and where r is shortest r.r = w.w + s u.w - t v.w, off by less than PLI_LINE_SLACK times the
 * square of the spread.
 */
static unsigned edges_in_question(const two_triangles *t, int i, double reach_squared)
{
    const double *u = t->edge_a[i], (*v)[WIDE] = t->v.k, (*w)[WIDE] = t->between[i].k;
    double slack = PLI_LINE_SLACK * t->spread, slack_squared = slack * slack;
    double far = reach_squared + slack * t->spread, uu = t->uu[i], out[WIDE];
    for (int j = 0; j < WIDE; ++j) {
        double uv = u[0] * v[0][j] + u[1] * v[1][j] + u[2] * v[2][j];
        double uw = u[0] * w[0][j] + u[1] * w[1][j] + u[2] * w[2][j];
        double vw = v[0][j] * w[0][j] + v[1][j] * w[1][j] + v[2][j] * w[2][j];
        double ww = w[0][j] * w[0][j] + w[1][j] * w[1][j] + w[2][j] * w[2][j];
        double vv = t->vv[j], square = uu * vv, nn = square - uv * uv;
        double s = uv * vw - vv * uw, x = uu * vw - uv * uw;
        double out_s = greater(greater(-s, s - nn), 0.0);
        double out_t = greater(greater(-x, x - nn), 0.0);
        double beyond = greater(out_s * out_s * uu, out_t * out_t * vv) - slack_squared * (nn * nn);
        beyond = greater(beyond, nn * (ww - far) + (s * uw - x * vw));
        out[j] = lesser(beyond, nn - PLI_WELL_SHAPED * square);
    }
    unsigned open = 0;
    for (int j = 0; j < 3; ++j) {
        open |= (unsigned)!(out[j] > 0.0) << j;
    }
    return open;
}

static void offer_edges(pli_nearest_pair *best, const two_triangles *t, int i, double reach_squared)
{
    const double(*w)[WIDE] = t->between[i].k;
    for (unsigned open = edges_in_question(t, i, reach_squared); open != 0; open &= open - 1) {
        int j = __builtin_ctz(open);
        double between[3] = {w[0][j], w[1][j], w[2][j]}, s = 0.0, x = 0.0;
        double squared = pli_edges_inside(t->edge_a[i], t->edge_b[j], between, &s, &x);
        if (squared < best->distance_squared) {
            *best = (pli_nearest_pair){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, squared};
            best->weight_a[i] = 1.0 - s;
            best->weight_a[pli_next_axis(i)] = s;
            best->weight_b[j] = 1.0 - x;
            best->weight_b[pli_next_axis(j)] = x;
        }
    }
}

/* A face by two of its edges, from corner 0 to corners 1 and 2. */
typedef struct flat_face {
    const double *u;
    double v[3], uu, uv, vv, nn; /* nn: the square of u x v, as in edges_in_question() */
    double slack_squared;
} flat_face;

static flat_face make_face(const double edge[3][3], double spread)
{
    flat_face face = {.u = edge[0], .v = {-edge[2][0], -edge[2][1], -edge[2][2]}};
    double slack = PLI_LINE_SLACK * spread;
    face.uu = dot(face.u, face.u);
    face.uv = dot(face.u, face.v);
    face.vv = dot(face.v, face.v);
    face.nn = face.uu * face.vv - face.uv * face.uv;
    face.slack_squared = slack * slack;
    return face;
}

/* Whether the foot of a perpendicular may lie inside a face; d goes from its corner 0 to the point.
   As in edges_in_question(), with weights of the corners in place of s and t. */
static bool foot_in_question(const flat_face *face, const double d[3])
{
    double ud = dot(face->u, d), vd = dot(face->v, d);
    double s = face->vv * ud - face->uv * vd, t = face->uu * vd - face->uv * ud;
    double least = lesser(lesser(s, t), face->nn - s - t);
    double longest = greater(face->uu, face->vv);
    bool sure = face->nn > PLI_WELL_SHAPED * (face->uu * face->vv);
    return !sure || least >= 0.0 || least * least <= face->slack_squared * longest * face->nn * 4.0;
}

/*
 * The foot of the perpendicular. With n = u x v and r the vector from the given corner to a point
 * of the plane, the foot is s u + t v away from that point, s = n.(v x r) / n.n and t = n.(r x u) /
 * n.n. For thin triangles n is inaccurate. We therefore start near, where r is short, and repeat:
 * each step multiplies what is wrong by the relative error of n. `seen` are the face's corners as
 * seen from the point. Returns the squared distance, or infinity if the foot is not inside;
 * `weight` comes with a point near the foot.
 */
static double drop_perpendicular(const flat_face *face, const double seen[3][3], double weight[3])
{
    double n[3];
    cross(n, face->u, face->v);
    double n_squared = dot(n, n), nearest = INFINITY, change = 1.0;
    double at[3] = {weight[0], weight[1], weight[2]};
    if (!(n_squared > 0.0)) {
        return nearest;
    }
    double over = 1.0 / n_squared;
    for (int step = 0; step <= PLI_STEPS_INSIDE && change > 0x1p-50; ++step) {
        double r[3];
        double m[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = at[0] * seen[0][k] + at[1] * seen[1][k] + at[2] * seen[2][k];
        }
        double squared = dot(r, r);
        if (step > 0 && at[0] >= 0.0 && at[1] >= 0.0 && at[2] >= 0.0 && squared < nearest) {
            nearest = squared;
            for (int k = 0; k < 3; ++k) {
                weight[k] = at[k];
            }
        }
        cross(m, face->v, r);
        double s = dot(n, m) * over;
        cross(m, r, face->u);
        double t = dot(n, m) * over;
        at[1] += s;
        at[2] += t;
        at[0] = 1.0 - at[1] - at[2];
        change = fabs(s) + fabs(t);
    }
    return nearest;
}

/* Offers the foot of corner c of one triangle (a if `first`) inside the other. */
static void offer_foot(pli_nearest_pair *best, const two_triangles *t, const flat_face *face, int c,
                       bool first, const corner_row rows[3])
{
    double seen[3][3], weight[3] = {0.0, 0.0, 0.0}, along = 0.0, least = INFINITY;
    int nearest = 0;
    for (int e = 0; e < 3; ++e) {
        int i = first ? c : e, j = first ? e : c;
        for (int k = 0; k < 3; ++k) {
            seen[e][k] = first ? -t->between[i].k[k][j] : t->between[i].k[k][j];
        }
        if (rows[i].squared[!first][j] < least) {
            least = rows[i].squared[!first][j];
            along = rows[i].along[!first][j];
            nearest = e;
        }
    }
    weight[nearest] = 1.0 - along;
    weight[pli_next_axis(nearest)] = along;
    double foot = drop_perpendicular(face, (const double(*)[3])seen, weight);
    if (foot < best->distance_squared) {
        best->distance_squared = foot;
        for (int i = 0; i < 3; ++i) {
            best->weight_a[i] = first ? (double)(i == c) : weight[i];
            best->weight_b[i] = first ? weight[i] : (double)(i == c);
        }
    }
}

/* Offers feet of corners of one triangle (a if `first`) inside the other. */
static void offer_faces(pli_nearest_pair *best, const two_triangles *t, bool first,
                        const corner_row rows[3])
{
    flat_face face = make_face(first ? t->edge_b : t->edge_a, t->spread);
    for (int c = 0; c < 3; ++c) {
        int i = first ? c : 0, j = first ? 0 : c;
        double sign = first ? 1.0 : -1.0, d[3];
        for (int k = 0; k < 3; ++k) {
            d[k] = sign * t->between[i].k[k][j];
        }
        if (foot_in_question(&face, d)) {
            offer_foot(best, t, &face, c, first, rows);
        }
    }
}

/*
 * By how much the triangles are apart as seen along the vector r between two points of them, times
 * |r|: no difference of corners says less. Off by less than 2^-49 of the spread times the sum of
 * |r_k|.
 */
static double seen_along(const two_triangles *t, const pli_nearest_pair *pair, double r[3])
{
    const double *b = pair->weight_b;
    double least[WIDE] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int k = 0; k < 3; ++k) {
        r[k] = 0.0;
        for (int i = 0; i < 3; ++i) {
            const double *row = t->between[i].k[k];
            r[k] += pair->weight_a[i] * (b[0] * row[0] + b[1] * row[1] + b[2] * row[2]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        const double(*w)[WIDE] = t->between[i].k;
        for (int j = 0; j < WIDE; ++j) {
            least[j] = lesser(least[j], r[0] * w[0][j] + r[1] * w[1][j] + r[2] * w[2][j]);
        }
    }
    return lesser(lesser(least[0], least[1]), least[2]);
}

/* How far two triangles are known to be apart, given the nearest points so far. */
typedef enum knowledge {
    MAY_TOUCH,
    ARE_APART,
    ARE_MEASURED /* apart, and nothing is nearer by more than 2^-47 of the spread */
} knowledge;

/* Where two points are as far from each other as the triangles are apart along that direction,
   they are nearest of all. */
static knowledge look_along(const two_triangles *t, const pli_nearest_pair *best)
{
    double r[3], error = 0x1p-48 * t->spread;
    double squared = best->distance_squared, length = sqrt(squared);
    double gap = seen_along(t, best, r);
    if (!(gap > error * length)) {
        return MAY_TOUCH;
    }
    return gap > squared - error * length ? ARE_MEASURED : ARE_APART;
}

static knowledge find_nearest_corner(const two_triangles *t, corner_row rows[3],
                                     pli_nearest_pair *best)
{
    *best = (pli_nearest_pair){.distance_squared = INFINITY};
    for (int i = 0; i < 3; ++i) {
        measure_corners(t, i, &rows[i]);
    }
    offer_corners(best, rows);
    return look_along(t, best);
}

static void offer_others(const two_triangles *t, const corner_row rows[3], pli_nearest_pair *best)
{
    double before = best->distance_squared, reach = sqrt(before) + PLI_LINE_SLACK * t->spread;
    offer_faces(best, t, true, rows);
    offer_faces(best, t, false, rows);
    if (best->distance_squared < before && look_along(t, best) == ARE_MEASURED) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        offer_edges(best, t, i, reach * reach);
    }
}

static bool boxes_apart(const float a[3][3], const float b[3][3])
{
    for (int k = 0; k < 3; ++k) {
        if (pli_max(pli_max(a[0][k], a[1][k]), a[2][k]) <
                pli_min(pli_min(b[0][k], b[1][k]), b[2][k]) ||
            pli_max(pli_max(b[0][k], b[1][k]), b[2][k]) <
                pli_min(pli_min(a[0][k], a[1][k]), a[2][k])) {
            return true;
        }
    }
    return false;
}

PLI_NOINLINE bool pli_nearest_points(const float a[3][3], const float b[3][3],
                                     pli_nearest_pair *nearest, uint64_t *fallbacks)
{
    two_triangles t;
    corner_row rows[3];
    look_at(&t, a, b);
    knowledge known = find_nearest_corner(&t, rows, nearest);
    if (known == MAY_TOUCH && !boxes_apart(a, b) && pli_triangle_overlap(a, b, fallbacks)) {
        return false;
    }
    if (known != ARE_MEASURED) {
        offer_others(&t, rows, nearest);
    }
    return true;
}

/* ------------------------------------------------------------ where they lie, and how far */

double pli_coordinate_spread(const float triangle[3][3], const float (*others)[3], int count)
{
    double spread = 0.0;
    for (int k = 0; k < 3; ++k) {
        float low = pli_min(pli_min(triangle[0][k], triangle[1][k]), triangle[2][k]);
        float high = pli_max(pli_max(triangle[0][k], triangle[1][k]), triangle[2][k]);
        for (int i = 0; i < count; ++i) {
            low = pli_min(low, others[i][k]);
            high = pli_max(high, others[i][k]);
        }
        spread = fmax(spread, (double)high - (double)low);
    }
    return spread;
}

void pli_surface_feature_set(pliant_surface_point *at, unsigned corners)
{
    static const struct {
        pliant_feature feature;
        uint32_t index;
    } lies_on[8] = {{PLIANT_FEATURE_FACE, 0},   {PLIANT_FEATURE_VERTEX, 0},
                    {PLIANT_FEATURE_VERTEX, 1}, {PLIANT_FEATURE_EDGE, 0},
                    {PLIANT_FEATURE_VERTEX, 2}, {PLIANT_FEATURE_EDGE, 2},
                    {PLIANT_FEATURE_EDGE, 1},   {PLIANT_FEATURE_FACE, 0}};
    at->feature = lies_on[corners].feature;
    at->index = lies_on[corners].index;
}

void pli_surface_point_set(pliant_surface_point *at, const float triangle[3][3],
                           const double weight[3])
{
    unsigned corners = 0;
    for (int c = 0; c < 3; ++c) {
        corners |= (unsigned)(weight[c] > 0.0) << c;
    }
    pli_surface_feature_set(at, corners);
    for (int k = 0; k < 3; ++k) {
        at->point[k] = weight[0] * (double)triangle[0][k] + weight[1] * (double)triangle[1][k] +
                       weight[2] * (double)triangle[2][k];
    }
}

static void common_point(const float a[3][3], const float b[3][3], pliant_gap *gap)
{
    pliant_segment segment;
    pli_triangle_segment(a, b, &segment);
    *gap = (pliant_gap){.a.feature = PLIANT_FEATURE_FACE, .b.feature = PLIANT_FEATURE_FACE};
    for (int k = 0; k < 3; ++k) {
        gap->a.point[k] = gap->b.point[k] = (double)segment.p[k];
    }
}

/* Returns the largest gap between the boxes of two triangles along an axis, negative if they
   overlap along all. No two points are closer. */
static double box_gap(const float a[3][3], const float b[3][3])
{
    double gap = -(double)INFINITY;
    for (int k = 0; k < 3; ++k) {
        float low_a = pli_min(pli_min(a[0][k], a[1][k]), a[2][k]);
        float low_b = pli_min(pli_min(b[0][k], b[1][k]), b[2][k]);
        float high_a = pli_max(pli_max(a[0][k], a[1][k]), a[2][k]);
        float high_b = pli_max(pli_max(b[0][k], b[1][k]), b[2][k]);
        gap = fmax(gap, fmax((double)low_a - (double)high_b, (double)low_b - (double)high_a));
    }
    return gap;
}

double pli_triangle_distance(const float a[3][3], const float b[3][3], pliant_gap *gap,
                             uint64_t *fallbacks)
{
    pli_nearest_pair nearest;
    if (!pli_nearest_points(a, b, &nearest, fallbacks)) {
        if (gap != NULL) {
            common_point(a, b, gap);
        }
        return 0.0;
    }
    double distance = fmax(fmax(sqrt(nearest.distance_squared), DBL_MIN), box_gap(a, b));
    if (gap != NULL) {
        gap->distance = distance;
        pli_surface_point_set(&gap->a, a, nearest.weight_a);
        pli_surface_point_set(&gap->b, b, nearest.weight_b);
    }
    return distance;
}

double pliant_triangle_measure_distance(const pliant_triangle *a, const pliant_triangle *b,
                                        pliant_gap *gap)
{
    pli_float_env saved = pli_float_env_enter();
    double distance = pli_triangle_distance(a->corner, b->corner, gap, NULL);
    pli_float_env_leave(saved);
    return distance;
}
