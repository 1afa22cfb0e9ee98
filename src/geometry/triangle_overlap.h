/* The exact triangle tests inside the library. All of them need the default floating-point
   environment; `fallbacks` counts the signs that double arithmetic could not decide, or is NULL. */
#ifndef PLI_GEOMETRY_TRIANGLE_OVERLAP_H
#define PLI_GEOMETRY_TRIANGLE_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#include "pliant/triangle.h"

/* Whether two closed triangles share a point. */
bool pli_triangle_overlap(const float a[3][3], const float b[3][3], uint64_t *fallbacks);

/*
 * Whether two triangles have more in common than the hull of `count` shared corners at different
 * positions: corner shared[k][0] of a is where corner shared[k][1] of b is. With none shared that
 * is pli_triangle_overlap(); with three it is false.
 */
bool pli_triangle_overlap_beyond(const float a[3][3], const float b[3][3], int count,
                                 const uint8_t shared[3][2], uint64_t *fallbacks);

/* How two triangles lie to each other's planes. */
typedef enum pli_placement {
    PLI_PLACEMENT_APART,   /* one lies strictly on one side of the other's plane */
    PLI_PLACEMENT_FLAT,    /* in one plane, or at least one of them is degenerate */
    PLI_PLACEMENT_CROSSING /* neither: the planes meet in a line, and both triangles meet it */
} pli_placement;

/*
 * Two crossing triangles with their corners in order: corner 0 lies on or above the other's plane,
 * where the normal (1 - 0) x (2 - 0) points to, and corners 1 and 2 on or below it; corner 0 is in
 * that plane only if neither of the others is.
 */
typedef struct pli_crossing {
    const float *a[3], *b[3];
    bool a_touches, b_touches; /* corner 0 lies in the other's plane: one point of the line */
} pli_crossing;

/* Fills `crossing` when the placement is PLI_PLACEMENT_CROSSING. */
pli_placement pli_triangle_place(const float a[3][3], const float b[3][3], pli_crossing *crossing,
                                 uint64_t *fallbacks);

/* What two triangles have in common; see pliant_triangle_intersect(). */
pliant_common pli_triangle_segment(const float a[3][3], const float b[3][3],
                                   pliant_segment *segment);

/* How to part two triangles that touch; see pliant_triangle_separate(). With `hint`, which may be
   NULL, pliant_triangle_separate_towards(). */
void pli_triangle_separation(const float a[3][3], const float b[3][3], float enough,
                             const float *hint, pliant_separation *separation);

/* Whether a ray meets a triangle; see pliant_triangle_raycast(). *t is correctly rounded, so that
   of two hits with different t the smaller t is strictly nearer. */
bool pli_triangle_ray(const float origin[3], const float direction[3], float t_max,
                      const float triangle[3][3], double *t);

/* The sign of t_a - t_b, exactly, for two triangles that the half line meets. */
int pli_triangle_ray_compare(const float origin[3], const float direction[3], const float a[3][3],
                             const float b[3][3]);

/* See pliant_triangle_find_closest_point(). */
double pli_triangle_closest_point(const float point[3], const float triangle[3][3],
                                  double closest[3]);

#endif
