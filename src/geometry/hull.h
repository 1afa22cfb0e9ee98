/*
 * Hulls of a triangle's corners, and the flat cases: what two hulls in one plane have in common.
 *
 * A degenerate triangle is a segment or a point. Reduced to the corners that span it, it is a
 * convex polygon of 1, 2 or 3 corners, and one set of rules covers all pairs of them.
 */
#ifndef PLI_GEOMETRY_HULL_H
#define PLI_GEOMETRY_HULL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pli_hull {
    int count; /* 1: a point, 2: a segment, 3: a triangle */
    int axis;  /* of a triangle: looking along it, the triangle has an area, ... */
    int turn;  /* ... and its corners go round counterclockwise if this is 1, or -1 */
    const float *corner[3];
} pli_hull;

/* The hull of three points, which stay in the caller's memory. */
void pli_hull_of_triangle(pli_hull *hull, const float corner[3][3], uint64_t *fallbacks);

/* The hull of two points. */
void pli_hull_of_segment(pli_hull *hull, const float a[3], const float b[3]);

/*
 * Two hulls in one plane. Looking along `axis` no two points of that plane coincide (or all corners
 * lie on one line, and axis does not matter), so signs of orient2d decide everything:
 * side_a[i][k] is the side of edge i of a (from corner i to the next) that corner k of b lies on;
 * of a triangle the inner sides are positive.
 */
typedef struct pli_flat_pair {
    const pli_hull *a, *b;
    int axis;
    int8_t side_a[3][3], side_b[3][3];
} pli_flat_pair;

/* Whether all corners lie in one plane; if so fills `pair`. */
bool pli_flat_pair_set(pli_flat_pair *pair, const pli_hull *a, const pli_hull *b,
                       uint64_t *fallbacks);

/* Whether corner k of b lies in a, and corner k of a in b. */
bool pli_flat_corner_of_b(const pli_flat_pair *pair, int k);
bool pli_flat_corner_of_a(const pli_flat_pair *pair, int k);

/* The number of edges: 0, 1 or 3. Edge i goes from corner i to corner pli_hull_end(hull, i). */
static inline int pli_hull_edges(const pli_hull *hull)
{
    return hull->count == 3 ? 3 : hull->count - 1;
}

static inline int pli_hull_end(const pli_hull *hull, int i)
{
    return i + 1 < hull->count ? i + 1 : 0;
}

/* Whether edge i of a and edge j of b cross in a point inside both. */
bool pli_flat_crossing(const pli_flat_pair *pair, int i, int j);

/* Whether two triangles in one plane have an area in common. */
bool pli_flat_area(const pli_flat_pair *pair);

/* Whether a segment and a triangle that are not in one plane meet. */
bool pli_hull_pierced(const pli_hull *segment, const pli_hull *triangle, uint64_t *fallbacks);

/* Whether two hulls meet that are not two triangles in different planes. */
bool pli_hulls_meet(const pli_hull *a, const pli_hull *b, uint64_t *fallbacks);

#endif
