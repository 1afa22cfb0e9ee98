/*
 * How deep two triangles pass through each other: the length of the shortest move of one of them
 * after which they only touch.
 *
 * The set of moves under which two triangles meet, their Minkowski difference, is a convex
 * polyhedron whose faces are perpendicular to the two normals and to the cross products of an edge
 * of each. The nearest way out is through one of these faces, so the depth is the smallest overlap
 * of the triangles' shadows on those eleven directions. A direction that rounding has bent only
 * gives an overlap that is larger.
 *
 * Two bodies must move at least as far as their deepest pair of triangles. So the largest depth of
 * a pair is a lower bound for the bodies, and never longer than a triangle is wide.
 */
#include "check.h"

#include <math.h>

static void subtract(const float a[3], const float b[3], double difference[3])
{
    for (int k = 0; k < 3; k++) {
        difference[k] = (double)a[k] - (double)b[k];
    }
}

static void cross(const double a[3], const double b[3], double product[3])
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/* The overlap of two shadows on a direction; infinite if it has no length. */
static double overlap_on(const double direction[3], double a[3][3], double b[3][3])
{
    double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] +
                         direction[2] * direction[2]);
    if (!(length > 0.0)) {
        return HUGE_VAL;
    }
    double lower[2] = {HUGE_VAL, HUGE_VAL}, upper[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int corner = 0; corner < 3; corner++) {
        const double *points[2] = {a[corner], b[corner]};
        for (int side = 0; side < 2; side++) {
            double along = points[side][0] * direction[0] + points[side][1] * direction[1] +
                           points[side][2] * direction[2];
            lower[side] = along < lower[side] ? along : lower[side];
            upper[side] = along > upper[side] ? along : upper[side];
        }
    }
    double ahead = upper[0] - lower[1], behind = upper[1] - lower[0];
    return (ahead < behind ? ahead : behind) / length;
}

/* The smallest overlap of the triangles' boxes, which is a way out too, and soon computed. */
static double box_overlap(float a[3][3], float b[3][3])
{
    float least = INFINITY;
    for (int k = 0; k < 3; k++) {
        float lower[2] = {a[0][k], b[0][k]}, upper[2] = {a[0][k], b[0][k]};
        for (int corner = 1; corner < 3; corner++) {
            const float at[2] = {a[corner][k], b[corner][k]};
            for (int side = 0; side < 2; side++) {
                lower[side] = at[side] < lower[side] ? at[side] : lower[side];
                upper[side] = at[side] > upper[side] ? at[side] : upper[side];
            }
        }
        float ahead = upper[0] - lower[1], behind = upper[1] - lower[0];
        least = ahead < least ? ahead : least;
        least = behind < least ? behind : least;
    }
    /* Rounded to nearest; the next number up is no smaller than the overlap. */
    return (double)least * (1.0 + 0x1p-23) + 0x1p-149;
}

double check_pair_depth(float a[3][3], float b[3][3], double matters)
{
    double overlap = box_overlap(a, b);
    if (overlap <= matters) {
        return overlap > 0.0 ? overlap : 0.0;
    }
    /* Relative to one corner. Products of three float32 numbers neither overflow nor vanish. */
    double points[2][3][3], edges[2][3][3];
    for (int corner = 0; corner < 3; corner++) {
        subtract(a[corner], a[0], points[0][corner]);
        subtract(b[corner], a[0], points[1][corner]);
        subtract(a[(corner + 1) % 3], a[corner], edges[0][corner]);
        subtract(b[(corner + 1) % 3], b[corner], edges[1][corner]);
    }
    double direction[3], depth = HUGE_VAL;
    for (int i = 0; i < 11 && depth > matters; i++) {
        if (i < 2) {
            cross(edges[i][0], edges[i][1], direction);
        } else {
            cross(edges[0][(i - 2) / 3], edges[1][(i - 2) % 3], direction);
        }
        overlap = overlap_on(direction, points[0], points[1]);
        depth = overlap < depth ? overlap : depth;
    }
    return isfinite(depth) && depth > 0.0 ? depth : 0.0;
}
