/*
 * The closest point of a triangle to a given point, and how far it is: computed in double, but 0
 * exactly where the point is on the triangle.
 */
#include "triangle_distance.h"

#include "base/float_env.h"
#include "vec3.h"
#include "wide.h"

#include <float.h>
#include <math.h>

/*
 * Every corner, edge and the inside
 * contribute a candidate that lies in the triangle up to rounding; the nearest one wins. So a wrong
 * branch near the border of two regions costs no more than rounding, and degenerate triangles need
 * no case of their own.
 *
 * Coordinates are float32: differences are below 2^129 and multiples of 2^-149, so the products of
 * four of them that occur neither overflow nor underflow in double.
 */
#define STEPS_INSIDE 5

/* A triangle seen from the point: its corners relative to it. Seen so, a corner that is the point
   is exactly 0, and what is far from it is rounded, not what is near. */
typedef struct view {
    double corner[3][3];
    double edge[3][3]; /* from corner i to the next */
} view;

/* A point of the triangle as weights of its corners, which sum to 1. */
typedef struct nearest_weights {
    double weight[3];
    double distance_squared;
} nearest_weights;

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

static void weighted_corners(double r[3], const view *v, const double weight[3])
{
    for (int i = 0; i < 3; ++i) {
        r[i] =
            weight[0] * v->corner[0][i] + weight[1] * v->corner[1][i] + weight[2] * v->corner[2][i];
    }
}

static void offer(nearest_weights *best, const view *v, const double weight[3])
{
    double r[3];
    weighted_corners(r, v, weight);
    double distance_squared = dot(r, r);
    if (distance_squared < best->distance_squared) {
        *best = (nearest_weights){{weight[0], weight[1], weight[2]}, distance_squared};
    }
}

/* Offers corner i and the closest point inside the edge that starts there. */
static void offer_edge(nearest_weights *best, const view *v, int i)
{
    double weight[3] = {0.0, 0.0, 0.0};
    weight[i] = 1.0;
    offer(best, v, weight);
    double along = -dot(v->corner[i], v->edge[i]);
    double length_squared = dot(v->edge[i], v->edge[i]);
    if (along > 0.0 && along < length_squared) {
        double x = along / length_squared;
        weight[i] = 1.0 - x;
        weight[(i + 1) % 3] = x;
        offer(best, v, weight);
    }
}

/*
 * The foot of the perpendicular. With u and v the edges from corner 0 to corners 1 and 2, n = u x v
 * and r the vector from a point of the plane to the given one, the foot is s u + t v away from that
 * point, s = n.(r x v) / n.n and t = n.(u x r) / n.n. For thin triangles n is inaccurate. We
 * therefore start from the best candidate so far, where r is short, and repeat: each step
 * multiplies what is wrong by the relative error of n.
 */
static void offer_inside(nearest_weights *best, const view *seen)
{
    const double *u = seen->edge[0];
    double v[3];
    double n[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = -seen->edge[2][i];
    }
    cross(n, u, v);
    double n_squared = dot(n, n);
    if (!(n_squared > 0.0)) {
        return;
    }
    double weight[3] = {best->weight[0], best->weight[1], best->weight[2]};
    double change = 1.0;
    for (int step = 0; step < STEPS_INSIDE && change > 0x1p-50; ++step) {
        double r[3];
        double m[3];
        weighted_corners(r, seen, weight);
        cross(m, v, r);
        double s = dot(n, m) / n_squared;
        cross(m, r, u);
        double t = dot(n, m) / n_squared;
        weight[1] += s;
        weight[2] += t;
        weight[0] = 1.0 - weight[1] - weight[2];
        change = fabs(s) + fabs(t);
        if (weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0) {
            offer(best, seen, weight);
        }
    }
}

PLI_NOINLINE double pli_triangle_closest_weights(const float point[3], const float triangle[3][3],
                                                 double weight[3])
{
    view v;
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 3; ++i) {
            v.corner[c][i] = (double)triangle[c][i] - (double)point[i];
            v.edge[c][i] = (double)triangle[(c + 1) % 3][i] - (double)triangle[c][i];
        }
    }
    nearest_weights best = {{1.0, 0.0, 0.0}, dot(v.corner[0], v.corner[0])};
    for (int c = 0; c < 3; ++c) {
        offer_edge(&best, &v, c);
    }
    offer_inside(&best, &v);
    for (int c = 0; c < 3; ++c) {
        weight[c] = best.weight[c];
    }
    return sqrt(best.distance_squared);
}

PLI_NOINLINE double pli_triangle_closest_point(const float point[3], const float triangle[3][3],
                                               double closest[3])
{
    double weight[3];
    double distance = pli_triangle_closest_weights(point, triangle, weight);
    for (int i = 0; i < 3 && closest != NULL; ++i) {
        closest[i] = weight[0] * (double)triangle[0][i] + weight[1] * (double)triangle[1][i] +
                     weight[2] * (double)triangle[2][i];
    }
    return distance;
}

double pliant_triangle_find_closest_point(const pliant_triangle *triangle, const float point[3],
                                          double closest[3])
{
    pli_float_env saved = pli_float_env_enter();
    double distance = pli_triangle_closest_point(point, triangle->corner, closest);
    pli_float_env_leave(saved);
    return distance;
}

/* ------------------------------------------------------------ exactly 0 where they meet */

double pli_point_distance_weights(const float point[3], const float triangle[3][3],
                                  double weight[3], uint64_t *fallbacks)
{
    double distance = pli_triangle_closest_weights(point, triangle, weight);
    float dot_shaped[3][3];
    for (int k = 0; k < 9; ++k) {
        dot_shaped[k / 3][k % 3] = point[k % 3];
    }
    const float(*single)[3] = (const float(*)[3])dot_shaped;
    if (distance > PLI_DISTANCE_ERROR * pli_coordinate_spread(triangle, single, 1)) {
        return distance;
    }
    if (pli_vec3_equal(point, triangle[0]) || pli_vec3_equal(point, triangle[1]) ||
        pli_vec3_equal(point, triangle[2])) {
        return 0.0;
    }
    return pli_triangle_overlap(single, triangle, fallbacks) ? 0.0 : fmax(distance, DBL_MIN);
}

double pli_point_distance(const float point[3], const float triangle[3][3],
                          pliant_surface_point *at, uint64_t *fallbacks)
{
    double weight[3];
    double distance = pli_point_distance_weights(point, triangle, weight, fallbacks);
    if (at != NULL) {
        pli_surface_point_set(at, triangle, weight);
    }
    for (int k = 0; k < 3 && at != NULL && distance == 0.0; ++k) {
        at->point[k] = (double)point[k];
    }
    return distance;
}

/* With u = b - a and w = point - a that is the direction of (u x w) x u, in integers: in double,
   points next to the line would leave nothing but rounding. */
void pli_direction_from_line(const float point[3], const float a[3], const float b[3],
                             double direction[3])
{
    int unit = 1000;
    for (int k = 0; k < 9; ++k) {
        const float *p = k < 3 ? point : k < 6 ? a : b;
        int own = pli_float_unit(p[k % 3]);
        unit = own < unit ? own : unit;
    }
    pli_wide u[3], w[3], n[3], r[3], start, other;
    for (int k = 0; k < 3; ++k) {
        pli_wide_from_float(&start, a[k], unit);
        pli_wide_from_float(&other, b[k], unit);
        pli_wide_subtract(&u[k], &other, &start);
        pli_wide_from_float(&other, point[k], unit);
        pli_wide_subtract(&w[k], &other, &start);
    }
    pli_wide_cross(n, u, w);
    pli_wide_cross(r, n, u);
    int limbs = 1;
    for (int k = 0; k < 3; ++k) {
        limbs = r[k].count > limbs ? r[k].count : limbs;
    }
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        direction[k] = pli_wide_to_double(&r[k], -64 * (limbs - 1));
        square += direction[k] * direction[k];
    }
    double scale = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
    for (int k = 0; k < 3; ++k) {
        direction[k] *= scale;
    }
}
