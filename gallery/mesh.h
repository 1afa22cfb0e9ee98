/* Triangle meshes that own their arrays, and the few generators that scenes need. */
#ifndef GALLERY_MESH_H
#define GALLERY_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gallery_mesh {
    float *positions;    /* x, y, z of each vertex */
    uint32_t *triangles; /* three vertices each, counter-clockwise seen from outside */
    uint32_t vertex_count;
    uint32_t triangle_count;
} gallery_mesh;

/* Generators return false when there is no memory; the mesh is then empty. */

/* Solids that spheres are subdivided from; the number is their count of faces. */
typedef enum mesh_solid {
    MESH_OCTAHEDRON = 8,
    MESH_OCTAGONAL_BIPYRAMID = 16,
    MESH_ICOSAHEDRON = 20
} mesh_solid;

/* A unit sphere of solid * 4^subdivisions triangles: each edge is halved again and again, and each
   new vertex pushed onto the sphere. */
bool mesh_make_subdivided_sphere(mesh_solid solid, uint32_t subdivisions, gallery_mesh *mesh);

/* A unit sphere of 20 * frequency^2 triangles: each face of an icosahedron is cut into a regular
   grid, and the grid pushed onto the sphere. */
bool mesh_make_geodesic_sphere(uint32_t frequency, gallery_mesh *mesh);

/*
 * A unit sphere of `triangles` triangles, or as near as can be. 20, 8 and 16 times a power of four
 * come out exactly by subdivision: 1,280, 5,120, 20,480 and 327,680 from the icosahedron, 8,192 and
 * 32,768 from the octahedron, 16,384 and 65,536 from the octagonal bipyramid. Others are geodesic.
 */
bool mesh_make_sphere(uint32_t triangles, gallery_mesh *mesh);

/* A flat sheet of columns x rows squares, two triangles each, over [-1, 1] x [-1, 1] at z = 0. */
bool mesh_make_sheet(uint32_t columns, uint32_t rows, gallery_mesh *mesh);

/* Allocates the arrays; contents are undefined. */
bool mesh_allocate(uint32_t vertex_count, uint32_t triangle_count, gallery_mesh *mesh);

/* Frees the arrays and empties the mesh. */
void mesh_free(gallery_mesh *mesh);

/* Drops triangles whose corners all have z above `level`, and the vertices left unused. Without
   memory the mesh ends empty and the answer is false. */
bool mesh_cut_above(gallery_mesh *mesh, float level);

#endif
