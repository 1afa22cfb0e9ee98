#include "mesh_builder.h"

#include <math.h>

#define MOST_VERTICES  ((size_t)INT32_MAX)
#define MOST_TRIANGLES ((size_t)1 << 30)

pliant_result pli_build_vertex(pli_mesh_builder *builder, const float position[3], uint32_t line)
{
    const pli_reader *reader = builder->reader;
    size_t vertex = builder->vertex_count;
    for (int k = 0; k < 3; k++) {
        if (!isfinite(position[k])) {
            return line > 0 ? pli_read_fail_with(reader, PLIANT_ERROR_NOT_FINITE,
                                                 "line %u: vertex %zu is not finite", line, vertex)
                            : pli_read_fail_with(reader, PLIANT_ERROR_NOT_FINITE,
                                                 "vertex %zu is not finite", vertex);
        }
    }
    if (vertex == MOST_VERTICES) {
        return pli_read_fail_with(reader, PLIANT_ERROR_TOO_LARGE, "more than 2^31 - 1 vertices");
    }
    float *positions = pli_memory_grow(reader->memory, builder->positions,
                                       &builder->vertex_capacity, vertex + 1, 3 * sizeof(float));
    if (positions == NULL) {
        return pli_read_fail_memory(reader);
    }
    builder->positions = positions;
    for (size_t k = 0; k < 3; k++) {
        positions[3 * vertex + k] = position[k];
    }
    builder->vertex_count++;
    return PLIANT_OK;
}

pliant_result pli_build_triangle(pli_mesh_builder *builder, uint32_t a, uint32_t b, uint32_t c)
{
    const pli_reader *reader = builder->reader;
    size_t triangle = builder->triangle_count;
    if (triangle == MOST_TRIANGLES) {
        return pli_read_fail_with(reader, PLIANT_ERROR_TOO_LARGE, "more than 2^30 triangles");
    }
    uint32_t *triangles =
        pli_memory_grow(reader->memory, builder->triangles, &builder->triangle_capacity,
                        triangle + 1, 3 * sizeof(uint32_t));
    if (triangles == NULL) {
        return pli_read_fail_memory(reader);
    }
    builder->triangles = triangles;
    triangles[3 * triangle] = a;
    triangles[3 * triangle + 1] = b;
    triangles[3 * triangle + 2] = c;
    builder->triangle_count++;
    return PLIANT_OK;
}

void pli_build_begin_face(pli_mesh_builder *builder)
{
    builder->corners = 0;
}

pliant_result pli_build_corner(pli_mesh_builder *builder, uint32_t vertex)
{
    pliant_result result = PLIANT_OK;
    if (builder->corners == 0) {
        builder->first = vertex;
    } else if (builder->corners >= 2) {
        result = pli_build_triangle(builder, builder->first, builder->previous, vertex);
    }
    builder->previous = vertex;
    builder->corners++;
    return result;
}

uint64_t pli_build_end_face(pli_mesh_builder *builder)
{
    builder->large_faces += builder->corners > 3 ? 1 : 0;
    return builder->corners;
}

void pli_build_note_fans(const pli_mesh_builder *builder)
{
    if (builder->large_faces > 0) {
        pli_note(builder->reader, "%llu faces with more than three corners were cut into fans",
                 (unsigned long long)builder->large_faces);
    }
}

pliant_result pli_build_finish(pli_mesh_builder *builder)
{
    pli_reader *reader = builder->reader;
    if (builder->triangle_count == 0) {
        return pli_read_fail(reader, "it has no faces");
    }
    pli_build_note_fans(builder);
    pliant_asset_mesh *mesh =
        pli_reader_add_mesh(reader, reader->name, pli_stem_size(reader->name));
    if (mesh == NULL) {
        return pli_read_fail_memory(reader);
    }
    mesh->positions = builder->positions;
    mesh->vertex_count = (uint32_t)builder->vertex_count;
    mesh->triangles = builder->triangles;
    mesh->triangle_count = (uint32_t)builder->triangle_count;
    return PLIANT_OK;
}
