/* Vertices and triangles that arrive one by one. Faces with more corners become fans, and those
   that are not convex are cut anew at the end. */
#ifndef PLI_ASSET_MESH_BUILDER_H
#define PLI_ASSET_MESH_BUILDER_H

#include "reader.h"

typedef struct pli_fan {
    uint32_t first_triangle, triangle_count;
} pli_fan;

typedef struct pli_mesh_builder {
    pli_reader *reader;
    float *positions;
    uint32_t *triangles;
    size_t vertex_count, vertex_capacity;
    size_t triangle_count, triangle_capacity;
    /* The face that is being read. */
    uint32_t first, previous;
    uint64_t corners;
    /* Faces with more than three corners, each a range of triangles. */
    pli_fan *fans;
    size_t fan_count, fan_capacity;
} pli_mesh_builder;

/* Adds a vertex; `line` is where it stands, or 0 in binary files. Refuses what is not finite. */
pliant_result pli_build_vertex(pli_mesh_builder *builder, const float position[3], uint32_t line);

pliant_result pli_build_triangle(pli_mesh_builder *builder, uint32_t a, uint32_t b, uint32_t c);

/* A face: begin, each corner, end. `corners` then tells how many there were. */
void pli_build_begin_face(pli_mesh_builder *builder);
pliant_result pli_build_corner(pli_mesh_builder *builder, uint32_t vertex);
pliant_result pli_build_end_face(pli_mesh_builder *builder);

/* Makes all of it one mesh of the reader, named after the file. */
pliant_result pli_build_finish(pli_mesh_builder *builder);

/* Sets the reader's topology, then cuts faces that are not convex anew, unless only positions are
   wanted. For readers that do not end with pli_build_finish(). */
void pli_build_cut_faces(pli_mesh_builder *builder);

#endif
