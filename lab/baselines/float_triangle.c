/*
 * Based on: T. Moller, "A Fast Triangle-Triangle Intersection Test", 1997: signs of the corners
 * against the other's plane, then intervals along the line that both planes share. In float32, with
 * the customary tolerance: what exactness is compared with. It errs near contact.
 */
#include "baselines.h"

#include <math.h>

#define TOLERANCE 1e-7f /* about the rounding of coordinates near 1 */

static void cross(const float u[3], const float v[3], float product[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3;
        int last = (axis + 2) % 3;
        product[axis] = u[next] * v[last] - u[last] * v[next];
    }
}

static float dot(const float u[3], const float v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static void plane_normal(const float t[3][3], float normal[3])
{
    float u[3], v[3];
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = t[1][axis] - t[0][axis];
        v[axis] = t[2][axis] - t[0][axis];
    }
    cross(u, v, normal);
}

/* Distances of the corners of t from a plane, times its normal's length. False: all on one side. */
static bool plane_distances(const float normal[3], const float origin[3], const float t[3][3],
                            float distances[3])
{
    float tolerance = TOLERANCE * (fabsf(normal[0]) + fabsf(normal[1]) + fabsf(normal[2]));
    for (int corner = 0; corner < 3; corner++) {
        float from_origin[3];
        for (int axis = 0; axis < 3; axis++) {
            from_origin[axis] = t[corner][axis] - origin[axis];
        }
        float distance = dot(normal, from_origin);
        distances[corner] = fabsf(distance) < tolerance ? 0.0f : distance;
    }
    bool all_above = distances[0] > 0.0f && distances[1] > 0.0f && distances[2] > 0.0f;
    bool all_below = distances[0] < 0.0f && distances[1] < 0.0f && distances[2] < 0.0f;
    return !all_above && !all_below;
}

/* Where the triangle meets the common line, as an interval along `axis`. */
static void line_interval(const float t[3][3], const float distances[3], int axis, float *from,
                          float *to)
{
    *from = INFINITY;
    *to = -INFINITY;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3;
        float at = t[i][axis];
        if (distances[i] != 0.0f) {
            if (distances[i] * distances[k] >= 0.0f) {
                continue;
            }
            at += (t[k][axis] - at) * distances[i] / (distances[i] - distances[k]);
        }
        *from = at < *from ? at : *from;
        *to = at > *to ? at : *to;
    }
}

static float turn(const float p[3], const float q[3], const float r[3], int x, int y)
{
    return (q[x] - p[x]) * (r[y] - p[y]) - (q[y] - p[y]) * (r[x] - p[x]);
}

/* Whether an edge of t has all of s on its outer side, seen along one axis. */
static bool edge_separates(const float t[3][3], const float s[3][3], int x, int y)
{
    float side = turn(t[0], t[1], t[2], x, y);
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3;
        bool outside = true;
        for (int corner = 0; corner < 3; corner++) {
            outside = outside && side * turn(t[i], t[k], s[corner], x, y) < 0.0f;
        }
        if (outside) {
            return true;
        }
    }
    return false;
}

static int largest_axis(const float vector[3])
{
    int largest = 0;
    for (int axis = 1; axis < 3; axis++) {
        largest = fabsf(vector[axis]) > fabsf(vector[largest]) ? axis : largest;
    }
    return largest;
}

bool float_triangle_overlap(const float a[3][3], const float b[3][3])
{
    float normal_a[3], normal_b[3], distances_a[3], distances_b[3], line[3];
    plane_normal(b, normal_b);
    if (!plane_distances(normal_b, b[0], a, distances_a)) {
        return false;
    }
    plane_normal(a, normal_a);
    if (!plane_distances(normal_a, a[0], b, distances_b)) {
        return false;
    }
    if (distances_a[0] == 0.0f && distances_a[1] == 0.0f && distances_a[2] == 0.0f) {
        int along = largest_axis(normal_a);
        int x = (along + 1) % 3;
        int y = (along + 2) % 3;
        return !edge_separates(a, b, x, y) && !edge_separates(b, a, x, y);
    }
    cross(normal_a, normal_b, line);
    int axis = largest_axis(line);
    float from_a, to_a, from_b, to_b;
    line_interval(a, distances_a, axis, &from_a, &to_a);
    line_interval(b, distances_b, axis, &from_b, &to_b);
    return from_a <= to_b && from_b <= to_a;
}
