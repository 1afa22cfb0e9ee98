/*
 * Pliant: contours. Where two surfaces cross, the segments of their touching triangles join into
 * curves, the contours. A surface cut along all its contours falls into regions; against a closed
 * body each of them is inside or outside. Definition D12 says it exactly.
 *
 * Segments are joined by the meshes: two segments meet where the same edge of one mesh passes
 * through the same triangle of the other, which is decided exactly. Coordinates of points are never
 * compared.
 */
#ifndef PLIANT_CONTOUR_H
#define PLIANT_CONTOUR_H

#include "query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Owns scratch memory, results and statistics. Use one per thread. Results live until its next
   call. Once it has seen its largest answer it allocates nothing. */
typedef struct pliant_contours pliant_contours;

PLIANT_API pliant_result pliant_contours_create(pliant_context *context,
                                                pliant_contours **contours);

/* Destroys it and the arrays of its latest answer; it keeps no body. NULL is ignored. */
PLIANT_API void pliant_contours_destroy(pliant_contours *contours);

typedef struct pliant_contour_options {
    uint32_t tag;           /* set by pliant_contour_options_default() */
    bool regions;           /* also cut the surfaces into regions; default true. Reads every vertex
                               of the bodies */
    bool gradients;         /* also how moving each vertex changes the length of all contours;
                               default false */
    pliant_groups groups_a; /* only triangles of these groups of the first body; bits NULL (the
                               default): all of them */
    pliant_groups groups_b; /* the same for the second body; as in pliant_collide_options */
    const pliant_pair *pairs; /* all touching pairs of the two bodies in their current state, as
                                 pliant_collide() gave them for the same groups, or as
                                 pliant_collide_self() with the default rule for neighbours; NULL
                                 (the default): the call finds them itself */
    uint64_t pair_count;      /* of them */
} pliant_contour_options;

PLIANT_DEFAULT(pliant_contour_options)

/* The part of a mesh that a point of a contour lies on. Vertices that are welded and lie in one
   place count as one, the lowest. */
typedef struct pliant_contour_feature {
    pliant_feature kind;
    uint32_t index[2]; /* the vertex; the lower and the higher vertex of the edge; the triangle.
                          A vertex and a triangle are there twice */
} pliant_contour_feature;

/* A point of a contour. In general position an edge of one mesh passes there through a face of the
   other. The features are exact; the coordinates are computed in double and rounded. */
typedef struct pliant_contour_point {
    float point[3];
    pliant_contour_feature a, b; /* of the first and of the second body; within one body in no
                                    particular order */
} pliant_contour_point;

/* A segment of a contour: what triangles a and b have in common. */
typedef struct pliant_contour_segment {
    uint32_t a, b;
    uint64_t pair; /* which of the touching pairs that is, in ascending order */
} pliant_contour_segment;

/* What is at an end of a contour. */
typedef enum pliant_contour_end {
    PLIANT_CONTOUR_CLOSED = 0, /* no end: the last point is followed by the first */
    PLIANT_CONTOUR_BORDER,     /* an edge that only one triangle has */
    PLIANT_CONTOUR_VERTEX,     /* a vertex that both triangles share; within one body only */
    PLIANT_CONTOUR_BRANCH,     /* a point where three or more segments meet */
    PLIANT_CONTOUR_CONTACT     /* the surfaces go on touching, but not in a segment that could be
                                  joined: see pliant_contour_touch */
} pliant_contour_end;

/*
 * A curve along which two surfaces cross: segment k joins points k and k + 1 and, where the curve
 * is closed, the last one joins the last point and the first. Between two bodies it runs along the
 * cross product of the normals of a and b at its first segment: on the first body's outer side, the
 * inside of the second is to the left.
 */
typedef struct pliant_contour {
    uint64_t first_point, first_segment; /* in the arrays of the set */
    uint64_t point_count, segment_count;
    double length;
    pliant_contour_end begin, end;
    bool generic; /* at every point an edge passes through a face, or, within one body, two
                     triangles share a vertex; no segment lies along an edge */
} pliant_contour;

/* A pair that touches, but is no segment of a contour. */
typedef struct pliant_contour_touch {
    uint32_t a, b;
    uint64_t pair;        /* as above */
    pliant_common common; /* a point, an area, or a segment of two triangles that lie in one plane
                             or one of which has no area */
} pliant_contour_touch;

#define PLIANT_NO_REGION UINT32_MAX

/*
 * A connected part of one surface when it is cut along all contours. What is inside: of two bodies,
 * where the other is closed, the regions at which its winding number is not 0, by an exact test of
 * one vertex, or of the vertex at the end of an edge and exact steps along that edge. Otherwise it
 * is a guess: of the regions of each connected piece of a mesh all but the one with the largest
 * area count as inside.
 */
typedef struct pliant_region {
    uint32_t body;           /* 0: of the first body; 1: of the second */
    uint32_t vertex_count;   /* welded ones once; vertices on a contour are in no region */
    uint32_t triangle_count; /* whole ones */
    uint32_t piece_count;    /* pieces of triangles that are cut */
    bool inside, guess;
    double area;
    double depth;     /* of those inside: the largest distance to the other body, over the vertices
                         and the midpoints of pieces of cut edges; 0 without these, and within one
                         body */
    float deepest[3]; /* the point with that distance */
} pliant_region;

/* A piece of a triangle that contours cut. */
typedef struct pliant_region_piece {
    uint32_t body, triangle;
    uint32_t region;
    uint32_t corner_count;
    uint64_t first_corner; /* its outline, counterclockwise seen against the triangle's normal;
                              holes are pieces of their own, and their area is left out */
    double area;
} pliant_region_piece;

/* The answer. Arrays belong to the object and live until its next call; empty ones are NULL. */
typedef struct pliant_contour_set {
    const pliant_contour *contours; /* those with ends first, then those that are closed, each kind
                                       in the order of its first pair */
    uint64_t contour_count;
    const pliant_contour_point *points;
    uint64_t point_count;
    const pliant_contour_segment *segments;
    uint64_t segment_count;
    const pliant_contour_touch *touches; /* ascending */
    uint64_t touch_count;
    uint64_t pair_count; /* segments and touches together: every pair is one or the other */
    double length;       /* of all contours */
    /* With options.regions: */
    const pliant_region *regions; /* of the first body, then of the second */
    uint64_t region_count;
    const uint32_t *vertex_regions[2];   /* per vertex of each body its region; PLIANT_NO_REGION:
                                            on a contour, or used by no triangle. Within one body
                                            the second is NULL */
    const uint32_t *triangle_regions[2]; /* the same for triangles; PLIANT_NO_REGION: cut, or not of
                                            the groups */
    const pliant_region_piece *pieces;
    uint64_t piece_count;
    const float (*corners)[3]; /* of pieces */
    uint64_t corner_count;
    /* With options.gradients, 3 numbers per vertex: moving all vertices a little by -gradient makes
       the contours shorter (Volino & Magnenat-Thalmann 2006). Within one body the second is NULL.
     */
    const float *gradients[2];
} pliant_contour_set;

/*
 * The contours of two different bodies, and the regions they cut these into. `options` may be NULL
 * for the defaults.
 */
PLIANT_API pliant_result pliant_contours_find(pliant_contours *contours, pliant_body *a,
                                              pliant_body *b, const pliant_contour_options *options,
                                              pliant_contour_set *set);

/* The contours of one body with itself, of the pairs of pliant_collide_self(). */
PLIANT_API pliant_result pliant_contours_find_self(pliant_contours *contours, pliant_body *body,
                                                   const pliant_contour_options *options,
                                                   pliant_contour_set *set);

/* What the latest call cost. Counts are the same on every machine; times are not. */
typedef struct pliant_contour_stats {
    uint64_t pairs;         /* touching pairs */
    uint64_t nodes;         /* different points of contours */
    uint64_t winding_tests; /* vertices located exactly, each by a ray through the other body */
    uint64_t distances;     /* points whose distance to the other body was computed */
    uint64_t bytes;         /* held by the object */
    double seconds_collide; /* finding the pairs */
    double seconds_join;    /* contours and gradients */
    double seconds_regions; /* cutting and locating */
    double seconds_depths;
} pliant_contour_stats;

PLIANT_API const pliant_contour_stats *pliant_contours_get_stats(const pliant_contours *contours);

#ifdef __cplusplus
}
#endif

#endif
