/* Vertices and triangles that arrive one by one. Faces with more corners become fans. */
#ifndef PLI_ASSET_MESH_BUILDER_H
#define PLI_ASSET_MESH_BUILDER_H

#include "reader.h"

typedef struct pli_mesh_builder {
    pli_reader *reader;
    float *positions;
    uint32_t *triangles;
    size_t vertex_count, vertex_capacity;
    size_t triangle_count, triangle_capacity;
    /* The face that is being read. */
    uint32_t first, previous;
    uint64_t corners;
    uint64_t large_faces; /* faces with more than three corners */
} pli_mesh_builder;

/* Adds a vertex; `line` is where it stands, or 0 in binary files. Refuses what is not finite. */
pliant_result pli_build_vertex(pli_mesh_builder *builder, const float position[3], uint32_t line);

pliant_result pli_build_triangle(pli_mesh_builder *builder, uint32_t a, uint32_t b, uint32_t c);

/* A face: begin, each corner, end. pli_build_end_face() tells how many corners there were. */
void pli_build_begin_face(pli_mesh_builder *builder);
pliant_result pli_build_corner(pli_mesh_builder *builder, uint32_t vertex);
uint64_t pli_build_end_face(pli_mesh_builder *builder);

/* Makes all of it one mesh of the reader, named after the file. */
pliant_result pli_build_finish(pli_mesh_builder *builder);

/* Notes faces that became fans. */
void pli_build_note_fans(const pli_mesh_builder *builder);

#endif
