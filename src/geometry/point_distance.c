/* The distance of a point to a triangle: computed in double, but 0 exactly where they meet. */
#include "triangle_distance.h"

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
