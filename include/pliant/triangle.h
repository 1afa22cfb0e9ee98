/*
 * Pliant: the exact tests, usable alone. No context, no allocation, no rounding error in any yes or
 * no: the answer is that of real-number arithmetic on the float32 values given. Non-finite
 * coordinates are the caller's mistake: the answer is then unspecified (but nothing else happens).
 */
#ifndef PLIANT_TRIANGLE_H
#define PLIANT_TRIANGLE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The sign of the determinant |b-a, c-a, d-a|, exactly: +1, -1, or 0 when the four points lie in
 * one plane. It is positive when d lies on the side that the right-hand normal (b-a) x (c-a) points
 * to.
 */
PLIANT_API int pliant_orient3d(const float a[3], const float b[3], const float c[3],
                               const float d[3]);

/* A triangle by its corners: x, y, z each. */
typedef struct pliant_triangle {
    float corner[3][3];
} pliant_triangle;

/*
 * Whether two closed triangles share a point. Touching counts, coplanar overlap counts, and a
 * degenerate triangle is the segment or the point that its three corners span.
 */
PLIANT_API bool pliant_triangle_overlap(const pliant_triangle *a, const pliant_triangle *b);

/*
 * Whether two triangles that share corners have more in common than the hull of these: corner
 * shared_a[k] of a is at the very position of corner shared_b[k] of b, for each of `shared_count`
 * different positions. With none shared it is pliant_triangle_overlap(), with three it is false.
 */
PLIANT_API bool pliant_triangle_overlap_beyond(const pliant_triangle *a, const pliant_triangle *b,
                                               uint32_t shared_count, const uint8_t *shared_a,
                                               const uint8_t *shared_b);

/* What two triangles have in common. */
typedef enum pliant_common {
    PLIANT_COMMON_NOTHING = 0,
    PLIANT_COMMON_POINT,   /* one point: p = q */
    PLIANT_COMMON_SEGMENT, /* the segment from p to q */
    PLIANT_COMMON_AREA /* coplanar overlap; p and q are two of its points that lie farthest apart */
} pliant_common;

/* What a pair of triangles has in common. Which kind it is, is exact; p and q are computed in
   double and rounded to float32, so they are off by the rounding of that arithmetic. */
typedef struct pliant_segment {
    float p[3], q[3];
    pliant_common common;
} pliant_segment;

/* Computes what two triangles have in common; returns segment->common. */
PLIANT_API pliant_common pliant_triangle_intersect(const pliant_triangle *a,
                                                   const pliant_triangle *b,
                                                   pliant_segment *segment);

/*
 * The shortest way to part two *triangles* that touch: once the second is moved by depth * normal,
 * and the first stays, they have no more than boundary points in common. It knows nothing of the
 * bodies that the triangles are part of: the normal may point into a body as well as out of it, and
 * the depth is never more than a triangle is wide, however deep a body is inside of another. What
 * parts bodies is a signed distance (distance.h) or a common volume (volume.h). Computed in double,
 * so the depth is off by the rounding of that arithmetic, relative to the size of the triangles.
 * Where they are apart or both lie in one plane, the depth is exactly 0.
 */
typedef struct pliant_separation {
    float
        normal[3]; /* of length 1; 0 where two segments on one line, or points, have no direction */
    float depth;   /* at least 0 */
} pliant_separation;

/*
 * The shortest way, or the first found that is no longer than `enough`: who looks for the deepest
 * of many pairs need not know more about the others. 0 asks for the shortest. For triangles that do
 * not touch, by the exact test, depth and normal are 0.
 */
PLIANT_API void pliant_triangle_separate(const pliant_triangle *a, const pliant_triangle *b,
                                         float enough, pliant_separation *separation);

/*
 * The same for callers who know to which side the second triangle should go: of the ways across a
 * face of either triangle or across an edge of each, the shortest whose normal does not point
 * against `hint`, normal . hint >= 0 up to rounding. The hint need not have length 1; 0 hints at
 * nothing.
 */
PLIANT_API void pliant_triangle_separate_towards(const pliant_triangle *a, const pliant_triangle *b,
                                                 const float hint[3],
                                                 pliant_separation *separation);

/*
 * Whether the closed segment origin + t * direction, 0 <= t <= t_max, meets a closed triangle.
 * The end point is not rounded: the test is exact for the real-number segment. On a hit *t (unless
 * t is NULL) receives the smallest such parameter, rounded to double.
 */
PLIANT_API bool pliant_triangle_raycast(const pliant_triangle *triangle, const float origin[3],
                                        const float direction[3], float t_max, double *t);

/*
 * Which of two triangles a half line meets first, exactly, where rounded parameters are equal: the
 * sign of t_a - t_b, 0 if they are the same. It must meet both.
 */
PLIANT_API int pliant_triangle_compare_hits(const pliant_triangle *a, const pliant_triangle *b,
                                            const float origin[3], const float direction[3]);

/*
 * The point of a closed triangle that is closest to `point`, computed in double. Returns the
 * distance. `closest` may be NULL.
 */
PLIANT_API double pliant_triangle_find_closest_point(const pliant_triangle *triangle,
                                                     const float point[3], double closest[3]);

/* The part of a triangle that a point of it lies on. */
typedef enum pliant_feature {
    PLIANT_FEATURE_VERTEX = 0,
    PLIANT_FEATURE_EDGE,
    PLIANT_FEATURE_FACE
} pliant_feature;

/* A point of a triangle, computed in double, and where on the triangle it is. */
typedef struct pliant_surface_point {
    double point[3];
    pliant_feature feature;
    uint32_t index; /* which vertex, or which edge: edge i goes from corner i to the next; 0 for a
                       face */
} pliant_surface_point;

/* How far apart two triangles are, and where they are closest. */
typedef struct pliant_gap {
    double distance;
    pliant_surface_point a, b;
} pliant_gap;

/*
 * The distance of two closed triangles. It is 0 if and only if they share a point, exactly; then
 * both points are the same point of both, rounded as in pliant_triangle_intersect(), and both
 * features are faces. Otherwise it is positive and computed in double, off by less than 2^-46 times
 * the largest difference of a coordinate between two of the six corners, and at least the gap
 * between the boxes of the triangles along each axis, rounded. `gap` may be NULL.
 */
PLIANT_API double pliant_triangle_measure_distance(const pliant_triangle *a,
                                                   const pliant_triangle *b, pliant_gap *gap);

#ifdef __cplusplus
}
#endif

#endif
