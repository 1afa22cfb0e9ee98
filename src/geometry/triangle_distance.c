/*
 * The distance of two triangles, in double. Where they do not touch, the closest points can be
 * chosen so that one of them is a corner, or both lie on edges (any other closest pair can slide
 * along the common direction until it meets a border). So six corners against triangles and nine
 * edges against edges give candidates, all of them pairs of points of the two triangles up to
 * rounding, and the nearest one wins: a wrong branch costs no more than rounding, and degenerate
 * triangles need no case of their own. Whether the triangles touch, is asked exactly.
 *
 * Coordinates are float32: differences are below 2^129 and multiples of 2^-149, so the products of
 * four of them that occur neither overflow nor underflow in double.
 */
#include "triangle_distance.h"

#include <float.h>
#include <math.h>

#include "base/float_env.h"
#include "vec3.h"

#define STEPS_INSIDE 5

/* A point of a and a point of b, as weights of the corners. */
typedef struct nearest_pair {
    double weight_a[3], weight_b[3];
    double distance_squared;
} nearest_pair;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
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

void pli_surface_point_set(pliant_surface_point *at, const float triangle[3][3],
                           const double weight[3])
{
    int positive = 0;
    for (int c = 0; c < 3; ++c) {
        positive += weight[c] > 0.0;
    }
    at->feature = positive == 1   ? PLIANT_FEATURE_VERTEX
                  : positive == 2 ? PLIANT_FEATURE_EDGE
                                  : PLIANT_FEATURE_FACE;
    at->index = 0;
    for (uint32_t c = 0; c < 3 && positive < 3; ++c) {
        bool here = positive == 1 ? weight[c] > 0.0 : !(weight[(c + 2) % 3] > 0.0);
        at->index = here ? c : at->index;
    }
    for (int k = 0; k < 3; ++k) {
        at->point[k] = weight[0] * (double)triangle[0][k] + weight[1] * (double)triangle[1][k] +
                       weight[2] * (double)triangle[2][k];
    }
}

/* Offers every corner of p with the closest point of q. */
static void offer_corners(nearest_pair *best, const float p[3][3], const float q[3][3], bool first)
{
    for (int c = 0; c < 3; ++c) {
        double weight[3];
        double distance = pli_triangle_closest_weights(p[c], q, weight);
        if (distance * distance < best->distance_squared) {
            best->distance_squared = distance * distance;
            for (int i = 0; i < 3; ++i) {
                best->weight_a[i] = first ? (double)(i == c) : weight[i];
                best->weight_b[i] = first ? weight[i] : (double)(i == c);
            }
        }
    }
}

/*
 * Offers the closest points inside two edges, from corner i of a along u and from corner j of b
 * along v, w apart at their starts. At s and t they are r = w + s u - t v apart; where r is
 * shortest it is parallel to n = u x v, so s changes by n.(v x r) / n.n and t by n.(u x r) / n.n.
 * For nearly parallel edges n is inaccurate; each further step starts where r is shorter and
 * multiplies what is wrong by the relative error of n. Where that is no help, the edges diverge by
 * less than rounding, and their ends have been offered.
 */
static void offer_edges(nearest_pair *best, int i, int j, const double u[3], const double v[3],
                        const double w[3])
{
    double n[3];
    cross(n, u, v);
    double n_squared = dot(n, n);
    if (!(n_squared > 0.0)) {
        return;
    }
    double s = 0.0;
    double t = 0.0;
    double change = 1.0;
    for (int step = 0; step <= STEPS_INSIDE && change > 0x1p-50; ++step) {
        double r[3];
        double m[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = w[k] + (s * u[k] - t * v[k]); /* so that a and b may be exchanged */
        }
        double distance_squared = dot(r, r);
        bool inside = s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0;
        if (inside && distance_squared < best->distance_squared) {
            *best = (nearest_pair){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, distance_squared};
            best->weight_a[i] = 1.0 - s;
            best->weight_a[(i + 1) % 3] = s;
            best->weight_b[j] = 1.0 - t;
            best->weight_b[(j + 1) % 3] = t;
        }
        cross(m, v, r);
        double more_s = dot(n, m) / n_squared;
        cross(m, u, r);
        double more_t = dot(n, m) / n_squared;
        s += more_s;
        t += more_t;
        change = fabs(more_s) + fabs(more_t);
    }
}

/* The distance of two triangles that do not touch; never 0. */
static double distance_apart(const float a[3][3], const float b[3][3], pliant_gap *gap)
{
    nearest_pair best = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, INFINITY};
    offer_corners(&best, a, b, true);
    offer_corners(&best, b, a, false);
    for (int i = 0; i < 3; ++i) {
        double u[3];
        subtract(u, a[(i + 1) % 3], a[i]);
        for (int j = 0; j < 3; ++j) {
            double v[3];
            double w[3];
            subtract(v, b[(j + 1) % 3], b[j]);
            subtract(w, a[i], b[j]);
            offer_edges(&best, i, j, u, v, w);
        }
    }
    double distance = fmax(sqrt(best.distance_squared), DBL_MIN);
    if (gap != NULL) {
        gap->distance = distance;
        pli_surface_point_set(&gap->a, a, best.weight_a);
        pli_surface_point_set(&gap->b, b, best.weight_b);
    }
    return distance;
}

/*
 * Seen along n, whatever n is, the triangles are no farther apart than they are. With e = 2^-53, a
 * product n.(x - a0) is off by less than 6 e |n| sqrt(3) times the spread, and |n| by a factor
 * below 1 + 3e; the margin of 2^-46 times the spread covers both, twice over.
 */
static bool clear_along(const double n[3], const float a[3][3], const float b[3][3], double beyond)
{
    double low[2] = {INFINITY, INFINITY};
    double high[2] = {-INFINITY, -INFINITY};
    for (int c = 0; c < 6; ++c) {
        double x[3];
        subtract(x, c < 3 ? a[c] : b[c - 3], a[0]);
        double along = dot(n, x);
        low[c / 3] = along < low[c / 3] ? along : low[c / 3];
        high[c / 3] = along > high[c / 3] ? along : high[c / 3];
    }
    double gap = fmax(low[0] - high[1], low[1] - high[0]);
    return gap > beyond * sqrt(dot(n, n));
}

bool pli_triangles_clear(const float a[3][3], const float b[3][3], double distance, double spread)
{
    double beyond = distance * (1.0 + 0x1p-40) + PLI_DISTANCE_ERROR * spread;
    for (int i = 0; i < 2; ++i) {
        const float(*t)[3] = i == 0 ? a : b;
        double u[3];
        double v[3];
        double n[3];
        subtract(u, t[1], t[0]);
        subtract(v, t[2], t[0]);
        cross(n, u, v);
        if (clear_along(n, a, b, beyond)) {
            return true;
        }
    }
    return false;
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

static void common_point(const float a[3][3], const float b[3][3], pliant_gap *gap)
{
    pliant_segment segment;
    pli_triangle_segment(a, b, &segment);
    *gap = (pliant_gap){.a.feature = PLIANT_FEATURE_FACE, .b.feature = PLIANT_FEATURE_FACE};
    for (int k = 0; k < 3; ++k) {
        gap->a.point[k] = gap->b.point[k] = (double)segment.p[k];
    }
}

PLI_NOINLINE double pli_triangle_distance(const float a[3][3], const float b[3][3], pliant_gap *gap,
                                          uint64_t *fallbacks)
{
    if (boxes_apart(a, b) || !pli_triangle_overlap(a, b, fallbacks)) {
        return distance_apart(a, b, gap);
    }
    if (gap != NULL) {
        common_point(a, b, gap);
    }
    return 0.0;
}

double pliant_triangle_measure_distance(const pliant_triangle *a, const pliant_triangle *b,
                                        pliant_gap *gap)
{
    pli_float_env saved = pli_float_env_enter();
    double distance = pli_triangle_distance(a->corner, b->corner, gap, NULL);
    pli_float_env_leave(saved);
    return distance;
}
