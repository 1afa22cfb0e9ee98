/*
 * How deep two triangles pass through each other: pliant_triangle_separate(), but only where the
 * depth may exceed the largest so far.
 *
 * Two bodies must move at least as far as their deepest pair of triangles. So the largest depth of
 * a pair is a lower bound for the bodies, and never longer than a triangle is wide.
 */
#include "check.h"

#include <math.h>

/* The smallest overlap of the triangles' boxes, which is a way out too, and soon computed. */
static double box_overlap(const pliant_triangle *a, const pliant_triangle *b)
{
    float least = INFINITY;
    for (int k = 0; k < 3; k++) {
        float lower[2] = {a->corner[0][k], b->corner[0][k]}, upper[2] = {lower[0], lower[1]};
        for (int i = 1; i < 3; i++) {
            const float at[2] = {a->corner[i][k], b->corner[i][k]};
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

double check_pair_depth(const pliant_triangle *a, const pliant_triangle *b, double matters)
{
    double overlap = box_overlap(a, b);
    if (overlap <= matters) {
        return overlap > 0.0 ? overlap : 0.0;
    }
    pliant_separation separation;
    pliant_triangle_separate(a, b, (float)matters, &separation);
    return (double)separation.depth;
}
