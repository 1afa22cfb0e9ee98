/* Distances between triangles inside the library, in double. They need the default floating-point
   environment. */
#ifndef PLI_GEOMETRY_TRIANGLE_DISTANCE_H
#define PLI_GEOMETRY_TRIANGLE_DISTANCE_H

#include "geometry/triangle_overlap.h"

/* Computed distances are off by less than this times the largest coordinate difference involved. */
#define PLI_DISTANCE_ERROR 0x1p-46

/*
 * The closest point of a triangle as weights of its corners, which sum to 1; on an edge or at a
 * corner the weights of the others are exactly 0. Returns the distance.
 */
double pli_triangle_closest_weights(const float point[3], const float triangle[3][3],
                                    double weight[3]);

/* The point with these weights, and the feature they say it lies on. */
void pli_surface_point_set(pliant_surface_point *at, const float triangle[3][3],
                           const double weight[3]);

/* The feature that a point lies on: bit c of `corners` says whether corner c has a weight. */
void pli_surface_feature_set(pliant_surface_point *at, unsigned corners);

/* The largest difference of a coordinate between two of a triangle's and `count` other points. */
double pli_coordinate_spread(const float triangle[3][3], const float (*others)[3], int count);

/* A point of a and a point of b, as weights of the corners, and how far apart they are. */
typedef struct pli_nearest_pair {
    double weight_a[3], weight_b[3];
    double distance_squared;
} pli_nearest_pair;

/* Finds the closest points of two triangles; false, and nothing found, if they touch, exactly. */
bool pli_nearest_points(const float a[3][3], const float b[3][3], pli_nearest_pair *nearest,
                        uint64_t *fallbacks);

/* See pliant_triangle_measure_distance(). */
double pli_triangle_distance(const float a[3][3], const float b[3][3], pliant_gap *gap,
                             uint64_t *fallbacks);

/* See pliant_closest: the distance of a point, 0 exactly where it lies on the triangle, and the
   weights of the corners that give the closest point. */
double pli_point_distance_weights(const float point[3], const float triangle[3][3],
                                  double weight[3], uint64_t *fallbacks);

/* The same with the point and its feature in place of weights. */
/*
 * The closest points inside two edges u and v that start `w` apart (that of u less that of v).
 * Returns their distance squared and where along the edges they are; infinity if the closest points
 * of the lines are not inside both.
 */
double pli_edges_inside(const double u[3], const double v[3], const double w[3], double *at_u,
                        double *at_v);

/* See pliant_closest: the distance of a point, 0 exactly where it lies on the triangle. */
double pli_point_distance(const float point[3], const float triangle[3][3],
                          pliant_surface_point *at, uint64_t *fallbacks);

/* The unit vector from the line through a and b to a point that is not on it, however close. */
void pli_direction_from_line(const float point[3], const float a[3], const float b[3],
                             double direction[3]);

/*
 * What triangle_distance.c and nearest_kernels.c, which have to agree to the last bit, have in
 * common.
 *
 * The cross product n of two differences u and v is off by a few e |u| |v|, e = 2^-53. If |n|^2 is
 * more than PLI_WELL_SHAPED |u|^2 |v|^2, the sine of their angle more than 2^-8, then n is off by
 * less than 2^-42 |n|: the distance of lines and planes as seen along it by less than 2^-41 of the
 * spread, and where the closest points lie along u and v by less than 2^-32 of the spread over the
 * sine of that angle. PLI_LINE_SLACK times the spread covers both. Where n is worse, nothing is
 * ruled out.
 */
#define PLI_WELL_SHAPED 0x1p-16
#define PLI_LINE_SLACK  0x1p-28

/* Most steps towards a point inside a face or inside two edges. */
enum { PLI_STEPS_INSIDE = 5 };

#endif
