/* The surface of a body at rest, as a graph: what vertices are one, which triangles are around
 * each, which pieces are closed. Made once, read by all threads. */
#ifndef TOOL_CHECK_SURFACE_H
#define TOOL_CHECK_SURFACE_H

#include "pliant/asset.h"

typedef struct check_surface {
    const pliant_asset_mesh *mesh;
    uint32_t *welded;     /* per vertex: the lowest one at the same position */
    uint32_t *ring_start; /* per vertex, and one more: its triangles in `ring`, under the lowest */
    uint32_t *ring;
    unsigned char *owned; /* per triangle: bit k, the edge from corner k to the next is listed under
                             this one of its triangles; each edge under at least one */
    uint32_t *pieces;     /* per triangle: its connected piece */
    uint32_t piece_count;
    signed char *sides; /* per piece: 1 if it is closed, but for small holes, and its normals point
                           outwards in the rest pose, -1 if inwards; 0: it is open */
    double diagonal;    /* of the box around it in the rest pose, units of the file */
    double to_mesh;     /* that of the mesh's own positions over it: lengths along the surface are
                           measured there, where no pose changes them */
} check_surface;

/* `rest`: the vertices in the rest pose. False without memory. */
bool check_surface_create(const pliant_asset_mesh *mesh, const float *rest, check_surface *surface);
void check_surface_destroy(check_surface *surface);

/* The corners of a triangle, after welding. */
static inline void check_surface_corners(const check_surface *surface, uint32_t triangle,
                                         uint32_t corners[3])
{
    const uint32_t *raw = surface->mesh->triangles + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++) {
        corners[i] = surface->welded[raw[i]];
    }
}

/* The lowest vertex at the position of each; false without memory. */
bool check_weld(const pliant_asset_mesh *mesh, uint32_t *welded);

#endif
