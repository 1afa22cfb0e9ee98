/*
 * Where two triangles cross, by the parts of them that the ends of their common segment lie on, and
 * more exact tests for cutting surfaces along such segments. And where a line along an axis crosses
 * a triangle: winding numbers are counted by that. All of them need the default floating-point
 * environment.
 */
#ifndef PLI_GEOMETRY_TRIANGLE_CROSSING_H
#define PLI_GEOMETRY_TRIANGLE_CROSSING_H

#include "pliant/triangle.h"

/* The least part of a triangle that a point lies on: a corner, an edge between two corners, or the
   inside of its face. */
typedef struct pli_part {
    pliant_feature kind;
    uint8_t corner[2]; /* of a vertex twice the same; of a face 0 */
} pli_part;

typedef struct pli_crossing_end {
    pli_part part[2]; /* of the first and of the second triangle */
    double point[3];
} pli_crossing_end;

/*
 * Fills in the ends of the segment that two triangles have in common whose planes cross, from
 * end[0] to end[1] along the cross product of their normals. Returns what they have in common.
 * A triangle without area that passes through the inside of the other's face has ends too, which
 * are in the same place, on two of its edges; in common is a point. false in *joins: none of these,
 * and the ends are not filled in.
 */
pliant_common pli_triangle_cross(const float a[3][3], const float b[3][3], pli_crossing_end end[2],
                                 bool *joins);

/* Where the line from u to v meets the plane of a triangle, as the share of the way; the ends are
   strictly on different sides. */
double pli_plane_share(const float u[3], const float v[3], const float triangle[3][3]);

/* The sign of the difference of two such shares, exactly. */
int pli_plane_share_compare(const float u[3], const float v[3], const float a[3][3],
                            const float b[3][3]);

/*
 * How much a triangle of a closed surface adds to the winding number of a point: 1, -1 or 0. The
 * sum over all triangles is the winding number of the point, if it is not on the surface.
 */
int pli_triangle_winding(const float point[3], const float triangle[3][3]);

/* Whether a point lies on a closed triangle. */
bool pli_triangle_holds(const float point[3], const float triangle[3][3]);

/* How the line through a point along an axis meets a triangle. */
typedef struct pli_line_crossing {
    int turn;  /* 0: it does not cross; 1: the triangle's normal points ahead; -1: back */
    int ahead; /* 1: it crosses beyond the point; -1: before it; 0: the point is on the triangle */
} pli_line_crossing;

pli_line_crossing pli_line_cross(const float point[3], int axis, const float triangle[3][3],
                                 uint64_t *fallbacks);

#endif
