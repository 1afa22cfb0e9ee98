/*
 * Closed triangle meshes of a given number of vertices, from the sign of a function. Solids that
 * are told by what is inside of them also tell where simulation nodes can be.
 */
#ifndef GALLERY_MESHLESS_SURFACE_H
#define GALLERY_MESHLESS_SURFACE_H

#include "gallery/mesh.h"

/* A solid: the function is negative inside, and about as large as the distance near the surface. */
typedef struct implicit_solid {
    double (*value)(const double point[3]);
    double lower[3], upper[3]; /* a box that contains the solid, with room to spare */
    double finest;             /* a grid of this spacing misses no part of the solid */
} implicit_solid;

/*
 * A mesh of exactly `vertex_count` vertices, or as few above as can be had without changing how the
 * surface hangs together: the surface is cut out of a grid, its shortest edges are collapsed, and
 * the vertices are spread evenly over the surface. False without memory; the mesh is then empty.
 */
bool surface_make_mesh(const implicit_solid *solid, uint32_t vertex_count, gallery_mesh *mesh);

/* The direction in which the function grows fastest, of length 1; `reach` is what it is felt over.
 */
void surface_normal(const implicit_solid *solid, const double point[3], double reach,
                    double normal[3]);

/* The stages of surface_make_mesh(). */

/* The surface where a grid of the given spacing sees it. */
bool surface_cut(const implicit_solid *solid, double spacing, gallery_mesh *mesh);

/* Collapses short edges until `vertex_count` vertices are left or no edge can be collapsed. */
bool surface_thin(gallery_mesh *mesh, uint32_t vertex_count);

/* Moves vertices along the surface to the middle of their neighbours, `rounds` times. */
bool surface_spread(const implicit_solid *solid, gallery_mesh *mesh, uint32_t rounds);

#endif
