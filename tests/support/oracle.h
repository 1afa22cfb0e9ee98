/*
 * Independent answers for the exact tests, by linear programming over the integers (GMP). Nothing
 * here looks at planes, edges or cases: hulls are given by weights of their corners.
 */
#ifndef PLIANT_TESTS_ORACLE_H
#define PLIANT_TESTS_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

/* The sign of |b-a, c-a, d-a|. */
int oracle_orient3d(const float a[3], const float b[3], const float c[3], const float d[3]);

/* Whether two hulls share a point. */
bool oracle_overlap(const float a[3][3], const float b[3][3]);

/* The dimension of what two hulls have in common, -1 when that is nothing. */
int oracle_dimension(const float a[3][3], const float b[3][3]);

/* Whether two hulls have more in common than the hull of `count` (1 or 2) shared corners. */
bool oracle_overlap_beyond(const float a[3][3], const float b[3][3], int count,
                           const uint8_t shared[3][2]);

/* Whether a ray meets a triangle. */
bool oracle_ray(const float origin[3], const float direction[3], float t_max,
                const float triangle[3][3]);

/* After oracle_ray() returned true: whether t is the smallest parameter rounded to nearest. */
bool oracle_ray_rounds_to(double t);

/* After two hits, of the latest ray and the one before: the sign of t_latest - t_before. */
int oracle_ray_order(void);

/* Whether `distance` is the distance of a point to a triangle up to `error`. */
bool oracle_distance_is(const float point[3], const float triangle[3][3], double distance,
                        double error);

/* The same for two triangles that do not touch. */
bool oracle_triangle_distance_is(const float a[3][3], const float b[3][3], double distance,
                                 double error);

/* How often a closed surface, `count` triangles by their corners, goes around a point; false if the
   point is on the surface. The surface may be degenerate and overlap itself. */
bool oracle_winding(const float (*corners)[3][3], uint32_t count, const float point[3],
                    int *winding);

/* Releases the memory that the oracle keeps between calls; to be called after a group of tests. */
int oracle_tear_down(void **state);

#endif
