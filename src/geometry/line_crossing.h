/* Where a line along an axis crosses a triangle, exactly: what winding numbers are counted by. */
#ifndef PLI_GEOMETRY_LINE_CROSSING_H
#define PLI_GEOMETRY_LINE_CROSSING_H

#include <stdint.h>

/* How the line through a point along an axis meets a triangle. */
typedef struct pli_line_crossing {
    int turn;  /* 0: it does not cross; 1: the triangle's normal points ahead; -1: back */
    int ahead; /* 1: it crosses beyond the point; -1: before it; 0: the point is on the triangle */
} pli_line_crossing;

pli_line_crossing pli_line_cross(const float point[3], int axis, const float triangle[3][3],
                                 uint64_t *fallbacks);

#endif
