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
#include "orient.h"
#include "triangle_overlap.h"

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
