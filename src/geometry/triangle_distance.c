/* The distance of two triangles and of a point and a triangle, in double: the closest points
   (nearest_points.c), and what kind of feature they lie on. */
#include "triangle_distance.h"

#include <float.h>
#include <math.h>

#include "base/float_env.h"
#include "vec3.h"

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

void pli_surface_feature_set(pliant_surface_point *at, unsigned corners)
{
    static const struct {
        pliant_feature feature;
        uint32_t index;
    } lies_on[8] = {{PLIANT_FEATURE_FACE, 0},   {PLIANT_FEATURE_VERTEX, 0},
                    {PLIANT_FEATURE_VERTEX, 1}, {PLIANT_FEATURE_EDGE, 0},
                    {PLIANT_FEATURE_VERTEX, 2}, {PLIANT_FEATURE_EDGE, 2},
                    {PLIANT_FEATURE_EDGE, 1},   {PLIANT_FEATURE_FACE, 0}};
    at->feature = lies_on[corners].feature;
    at->index = lies_on[corners].index;
}

void pli_surface_point_set(pliant_surface_point *at, const float triangle[3][3],
                           const double weight[3])
{
    unsigned corners = 0;
    for (int c = 0; c < 3; ++c) {
        corners |= (unsigned)(weight[c] > 0.0) << c;
    }
    pli_surface_feature_set(at, corners);
    for (int k = 0; k < 3; ++k) {
        at->point[k] = weight[0] * (double)triangle[0][k] + weight[1] * (double)triangle[1][k] +
                       weight[2] * (double)triangle[2][k];
    }
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

/* Returns the largest gap between the boxes of two triangles along an axis, negative if they
   overlap along all. No two points are closer. */
static double box_gap(const float a[3][3], const float b[3][3])
{
    double gap = -(double)INFINITY;
    for (int k = 0; k < 3; ++k) {
        float low_a = pli_min(pli_min(a[0][k], a[1][k]), a[2][k]);
        float low_b = pli_min(pli_min(b[0][k], b[1][k]), b[2][k]);
        float high_a = pli_max(pli_max(a[0][k], a[1][k]), a[2][k]);
        float high_b = pli_max(pli_max(b[0][k], b[1][k]), b[2][k]);
        gap = fmax(gap, fmax((double)low_a - (double)high_b, (double)low_b - (double)high_a));
    }
    return gap;
}

double pli_triangle_distance(const float a[3][3], const float b[3][3], pliant_gap *gap,
                             uint64_t *fallbacks)
{
    pli_nearest_pair nearest;
    if (!pli_nearest_points(a, b, &nearest, fallbacks)) {
        if (gap != NULL) {
            common_point(a, b, gap);
        }
        return 0.0;
    }
    double distance = fmax(fmax(sqrt(nearest.distance_squared), DBL_MIN), box_gap(a, b));
    if (gap != NULL) {
        gap->distance = distance;
        pli_surface_point_set(&gap->a, a, nearest.weight_a);
        pli_surface_point_set(&gap->b, b, nearest.weight_b);
    }
    return distance;
}

double pliant_triangle_measure_distance(const pliant_triangle *a, const pliant_triangle *b,
                                        pliant_gap *gap)
{
    pli_float_env saved = pli_float_env_enter();
    double distance = pli_triangle_distance(a->corner, b->corner, gap, NULL);
    pli_float_env_leave(saved);
    return distance;
}
