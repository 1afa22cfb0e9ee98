/*
 * A vertex and a face, or two edges: as in triangle_distance.c every candidate is a pair of points
 * of the two features up to rounding, and the nearest one wins, so that a wrong branch costs no
 * more than rounding. Whether the features share a point, is asked exactly where the distance that
 * was computed could be 0: they are then written as degenerate triangles.
 */
#include "feature_distance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "geometry/triangle_distance.h"

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

static double clamp(double x)
{
    x = x > 0.0 ? x : 0.0;
    return x < 1.0 ? x : 1.0;
}

/* Makes `direction` one of length 1, or 0 if it has none. Lengths are scaled first, since the
   square of what is left of a difference may underflow. */
static void normalise(double direction[3])
{
    double largest = fmax(fmax(fabs(direction[0]), fabs(direction[1])), fabs(direction[2]));
    if (!(largest > 0.0)) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        direction[k] /= largest;
    }
    double length = sqrt(dot(direction, direction));
    for (int k = 0; k < 3; ++k) {
        direction[k] /= length;
    }
}

/* Settles what is exact about a gap of which the vector between the points is in `direction`. */
static void finish(pli_feature_gap *gap, const float a[3][3], const float b[3][3],
                   const double normal[3], uint64_t *fallbacks)
{
    double length = sqrt(dot(gap->direction, gap->direction));
    gap->distance = length > DBL_MIN ? length : DBL_MIN;
    if (length <= PLI_DISTANCE_ERROR * pli_coordinate_spread(a, b, 3) &&
        pli_triangle_overlap(a, b, fallbacks)) {
        gap->distance = 0.0;
    }
    if (gap->distance == 0.0 || length == 0.0) {
        memcpy(gap->direction, normal, 3 * sizeof *normal);
    }
    normalise(gap->direction);
}

void pli_vertex_face_gap(const float point[3], const float face[3][3], pli_feature_gap *gap,
                         uint64_t *fallbacks)
{
    double u[3], v[3], normal[3];
    gap->weight[0] = 1.0;
    pli_triangle_closest_weights(point, face, gap->weight + 1);
    for (int k = 0; k < 3; ++k) {
        gap->direction[k] = 0.0;
        for (int c = 0; c < 3; ++c) {
            gap->direction[k] += gap->weight[1 + c] * ((double)face[c][k] - (double)point[k]);
        }
    }
    float single[3][3];
    for (int c = 0; c < 3; ++c) {
        memcpy(single[c], point, sizeof single[c]);
    }
    subtract(u, face[1], face[0]);
    subtract(v, face[2], face[0]);
    cross(normal, u, v);
    finish(gap, (const float(*)[3])single, face, normal, fallbacks);
}

/* Two edges from points w apart, along u and v; s and t say where the closest points are. */
typedef struct two_edges {
    double u[3], v[3], w[3], normal[3];
    double between[2][2][3]; /* [i][j]: end i of the first less end j of the second */
    double uu, vv, uv, uw, vw;
    double s, t, squared;
} two_edges;

/* The vector between two points, as weighted sums of the ends: at an end nothing is rounded that
   the other has to do with. */
static void vector_between(const two_edges *e, double s, double t, double r[3])
{
    for (int k = 0; k < 3; ++k) {
        double first = (1.0 - t) * e->between[0][0][k] + t * e->between[0][1][k];
        double second = (1.0 - t) * e->between[1][0][k] + t * e->between[1][1][k];
        r[k] = (1.0 - s) * first + s * second;
    }
}

static void offer(two_edges *e, double s, double t)
{
    double r[3];
    vector_between(e, s, t, r);
    double squared = dot(r, r);
    if (squared < e->squared) {
        e->squared = squared;
        e->s = s;
        e->t = t;
    }
}

/* The ends of each edge with the closest point of the other. */
static void offer_ends(two_edges *e)
{
    for (int end = 0; end < 2; ++end) {
        double s = (double)end;
        offer(e, s, e->vv > 0.0 ? clamp((e->vw + s * e->uv) / e->vv) : 0.0);
        offer(e, e->uu > 0.0 ? clamp((s * e->uv - e->uw) / e->uu) : 0.0, s);
    }
}

/* Parallel edges that lie beside each other: the middle of the part of u that does. */
static bool offer_middle(two_edges *e)
{
    double first = -e->uw / e->uu, last = (e->uv - e->uw) / e->uu;
    double low = clamp(fmin(first, last)), high = clamp(fmax(first, last));
    if (!(fmin(first, last) <= 1.0 && fmax(first, last) >= 0.0)) {
        return false;
    }
    double s = 0.5 * (low + high);
    offer(e, s, clamp((e->vw + s * e->uv) / e->vv));
    return true;
}

static void find_closest(two_edges *e)
{
    bool parallel = e->normal[0] == 0.0 && e->normal[1] == 0.0 && e->normal[2] == 0.0;
    e->squared = INFINITY;
    e->s = e->t = 0.0;
    if (parallel && e->uu > 0.0 && e->vv > 0.0 && offer_middle(e)) {
        return;
    }
    offer_ends(e);
    double s = 0.0, t = 0.0;
    if (!parallel && pli_edges_inside(e->u, e->v, e->w, &s, &t) < e->squared) {
        e->s = s;
        e->t = t;
    }
}

void pli_edge_edge_gap(const float a[2][3], const float b[2][3], pli_feature_gap *gap,
                       uint64_t *fallbacks)
{
    two_edges e;
    subtract(e.u, a[1], a[0]);
    subtract(e.v, b[1], b[0]);
    subtract(e.w, a[0], b[0]);
    for (int i = 0; i < 4; ++i) {
        subtract(e.between[i / 2][i % 2], a[i / 2], b[i % 2]);
    }
    cross(e.normal, e.u, e.v);
    e.uu = dot(e.u, e.u);
    e.vv = dot(e.v, e.v);
    e.uv = dot(e.u, e.v);
    e.uw = dot(e.u, e.w);
    e.vw = dot(e.v, e.w);
    find_closest(&e);
    const double weight[4] = {1.0 - e.s, e.s, 1.0 - e.t, e.t};
    memcpy(gap->weight, weight, sizeof weight);
    vector_between(&e, e.s, e.t, gap->direction);
    for (int k = 0; k < 3; ++k) {
        gap->direction[k] = -gap->direction[k];
    }
    const float *corner_a[3] = {a[0], a[1], a[1]}, *corner_b[3] = {b[0], b[1], b[1]};
    float flat_a[3][3], flat_b[3][3];
    for (int c = 0; c < 3; ++c) {
        memcpy(flat_a[c], corner_a[c], sizeof flat_a[c]);
        memcpy(flat_b[c], corner_b[c], sizeof flat_b[c]);
    }
    finish(gap, (const float(*)[3])flat_a, (const float(*)[3])flat_b, e.normal, fallbacks);
}
