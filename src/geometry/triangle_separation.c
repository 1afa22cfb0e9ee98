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
#include <math.h>

#include "base/float_env.h"
#include "triangle_overlap.h"

enum { DIRECTIONS = 2 + 9 };

typedef struct corners {
    double point[2][3][3]; /* of both triangles, relative to one of their corners */
} corners;

static void subtract(const double a[3], const double b[3], double difference[3])
{
    for (int k = 0; k < 3; k++) {
        difference[k] = a[k] - b[k];
    }
}

/* Direction i: a normal, or across an edge of each. Products of two differences of float32 numbers
   neither overflow nor vanish. */
static void direction_of(const corners *c, int i, double direction[3])
{
    double u[3], v[3];
    if (i < 2) {
        subtract(c->point[i][1], c->point[i][0], u);
        subtract(c->point[i][2], c->point[i][0], v);
    } else {
        int edge_a = (i - 2) / 3, edge_b = (i - 2) % 3;
        subtract(c->point[0][(edge_a + 1) % 3], c->point[0][edge_a], u);
        subtract(c->point[1][(edge_b + 1) % 3], c->point[1][edge_b], v);
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        direction[k] = u[next] * v[last] - u[last] * v[next];
    }
}

/* How far the second triangle has to go along the direction until the shadows part; negative if the
   other way is shorter, infinite if the direction has no length. */
static double way_out(const corners *c, const double direction[3], double length)
{
    if (!(length > 0.0)) {
        return INFINITY;
    }
    double lower[2] = {INFINITY, INFINITY}, upper[2] = {-INFINITY, -INFINITY};
    for (int side = 0; side < 2; side++) {
        for (int corner = 0; corner < 3; corner++) {
            const double *p = c->point[side][corner];
            double along = p[0] * direction[0] + p[1] * direction[1] + p[2] * direction[2];
            lower[side] = fmin(along, lower[side]);
            upper[side] = fmax(along, upper[side]);
        }
    }
    double ahead = fmax(upper[0] - lower[1], 0.0), behind = fmax(upper[1] - lower[0], 0.0);
    return (ahead <= behind ? ahead : -behind) / length;
}

void pli_triangle_separation(const float a[3][3], const float b[3][3],
                             pliant_separation *separation)
{
    corners c;
    for (int corner = 0; corner < 3; corner++) {
        for (int k = 0; k < 3; k++) {
            c.point[0][corner][k] = (double)a[corner][k] - (double)a[0][k];
            c.point[1][corner][k] = (double)b[corner][k] - (double)a[0][k];
        }
    }
    *separation = (pliant_separation){{0.0f, 0.0f, 0.0f}, 0.0f};
    double shortest = INFINITY;
    for (int i = 0; i < DIRECTIONS; i++) {
        double direction[3];
        direction_of(&c, i, direction);
        double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                             direction[2] * direction[2]);
        double way = way_out(&c, direction, length);
        if (fabs(way) < shortest) {
            shortest = fabs(way);
            separation->depth = (float)shortest;
            for (int k = 0; k < 3; k++) {
                separation->normal[k] =
                    (float)((signbit(way) ? -direction[k] : direction[k]) / length);
            }
        }
    }
}

void pliant_triangle_separation(const float a[3][3], const float b[3][3],
                                pliant_separation *separation)
{
    pli_float_env env = pli_float_env_enter();
    pli_triangle_separation(a, b, separation);
    pli_float_env_leave(env);
}
