/* The angle-weighted normal of a surface at a point of it. */
#ifndef PLI_QUERY_SURFACE_NORMAL_H
#define PLI_QUERY_SURFACE_NORMAL_H

#include "query/descend.h"

/*
 * Sums the unit normals of all triangles that a point lies on, exactly, each times the angle by
 * which the triangle surrounds the point: 2 pi inside of it, pi on an edge, the angle of a corner.
 * With `end`, which may be NULL, of those triangles only that have an edge from `point` to `end`,
 * each once. Of length 1, or 0 where nothing is left of the sum.
 */
pliant_result pli_surface_normal(pli_descent *walk, const float point[3], const float *end,
                                 double normal[3]);

#endif
