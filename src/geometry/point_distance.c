/* The distance of a point to a triangle: computed in double, but 0 exactly where they meet. */
#include "triangle_distance.h"

#include "vec3.h"
#include "wide.h"

#include <float.h>
#include <math.h>

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
