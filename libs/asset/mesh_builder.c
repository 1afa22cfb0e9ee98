#include "mesh_builder.h"
#include "polygon.h"

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

pliant_result pli_build_end_face(pli_mesh_builder *builder)
{
    if (builder->corners <= 3) {
        return PLIANT_OK;
    }
    pli_fan *fans = pli_memory_grow(builder->reader->memory, builder->fans, &builder->fan_capacity,
                                    builder->fan_count + 1, sizeof *fans);
    if (fans == NULL) {
        return pli_read_fail_memory(builder->reader);
    }
    uint32_t count = (uint32_t)(builder->corners - 2);
    builder->fans = fans;
    fans[builder->fan_count++] = (pli_fan){(uint32_t)builder->triangle_count - count, count};
    return PLIANT_OK;
}

/* A number that meshes with the same vertices and faces have in common. */
static uint64_t find_topology(const pli_mesh_builder *builder)
{
    uint64_t hash = builder->vertex_count;
    for (size_t i = 0; i < 3 * builder->triangle_count; i++) {
        hash = (hash ^ builder->triangles[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

void pli_build_cut_faces(pli_mesh_builder *builder)
{
    pli_reader *reader = builder->reader;
    reader->topology = find_topology(builder);
    uint64_t folded = 0;
    for (size_t i = 0; i < builder->fan_count && !reader->positions_only; i++) {
        const pli_fan *fan = &builder->fans[i];
        uint32_t *triangles = builder->triangles + 3 * (size_t)fan->first_triangle;
        if (pli_fan_folds(builder->positions, triangles, fan->triangle_count)) {
            folded += pli_polygon_cut(builder->positions, triangles, fan->triangle_count) ? 0 : 1;
        }
    }
    if (builder->fan_count > 0) {
        pli_note(reader, "%zu faces with more than three corners were cut into triangles",
                 builder->fan_count);
    }
    if (folded > 0) {
        pli_note(reader,
                 "%llu of them are not convex, or cross themselves, and their triangles "
                 "overlap",
                 (unsigned long long)folded);
    }
    pli_memory_drop(reader->memory, builder->fans);
    builder->fans = NULL;
}

pliant_result pli_build_finish(pli_mesh_builder *builder)
{
    pli_reader *reader = builder->reader;
    if (builder->triangle_count == 0) {
        return pli_read_fail(reader, "it has no faces");
    }
    pli_build_cut_faces(builder);
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
