/*
 * Meshes: all primitives with triangles become one shape, a group for each. Primitives that use the
 * same vertices share them. Morph targets become modes.
 */
#include "gltf.h"

#include <math.h>
#include <string.h>

#define MOST_PRIMITIVES 65536
#define LOOK_BACK       32 /* primitives that share vertices stand close together */

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

/* One primitive with triangles. */
typedef struct mesh_part {
    size_t primitive;
    uint64_t mode;
    uint32_t indices; /* an accessor; PLI_NONE: the vertices in their order */
    size_t vertices;  /* which gltf_vertices */
    uint32_t first_triangle, triangle_count;
} mesh_part;

typedef struct mesh_build {
    gltf_doc *doc;
    uint32_t mesh;
    const json_t *primitives;
    mesh_part *parts;
    size_t part_count;
    gltf_vertices *vertices;
    size_t vertices_count;
    uint64_t vertex_total, triangle_total;
    uint64_t left_out; /* primitives without triangles */
    pliant_asset_mesh out;
} mesh_build;

/* The number of morph targets of one primitive; fails if they are no list of objects. */
static pliant_result count_targets(const gltf_doc *doc, size_t mesh, const json_t *primitive,
                                   const json_t **targets, size_t *count)
{
    pliant_result result = pli_gltf_get_list(doc, "mesh", mesh, primitive, "targets", targets);
    *count = json_array_size(*targets);
    for (size_t i = 0; result == PLIANT_OK && i < *count; i++) {
        if (!json_is_object(json_array_get(*targets, i))) {
            result = pli_gltf_fail(doc, "mesh", mesh, "morph target %zu is not an object", i);
        }
    }
    return result;
}

/* All primitives of a mesh must have the same number of targets. */
static pliant_result count_modes_of(gltf_doc *doc, size_t mesh)
{
    const json_t *object = json_array_get(doc->meshes, mesh), *primitives = NULL;
    pliant_result result = pli_gltf_get_list(doc, "mesh", mesh, object, "primitives", &primitives);
    for (size_t i = 0; result == PLIANT_OK && i < json_array_size(primitives); i++) {
        const json_t *targets = NULL;
        size_t count = 0;
        result = count_targets(doc, mesh, json_array_get(primitives, i), &targets, &count);
        if (result == PLIANT_OK && i > 0 && count != doc->mesh_mode_count[mesh]) {
            return pli_gltf_fail(doc, "mesh", mesh,
                                 "primitive %zu has %zu morph targets, and the first has %u", i,
                                 count, doc->mesh_mode_count[mesh]);
        }
        doc->mesh_mode_count[mesh] = (uint32_t)count;
    }
    return result;
}

pliant_result pli_gltf_count_modes(gltf_doc *doc)
{
    size_t count = json_array_size(doc->meshes);
    doc->mesh_mode_count = pli_memory_get(doc->memory, count, sizeof *doc->mesh_mode_count);
    doc->mesh_shape = doc->mesh_mode_count != NULL
                          ? pli_memory_get(doc->memory, count, sizeof *doc->mesh_shape)
                          : NULL;
    if (doc->mesh_shape == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    pliant_result result = PLIANT_OK;
    for (size_t i = 0; result == PLIANT_OK && i < count; i++) {
        result = count_modes_of(doc, i);
    }
    return result;
}

/* Finds the vertices of a primitive among those known, or adds them. */
static pliant_result find_vertices(mesh_build *build, size_t primitive, const json_t *attributes,
                                   const json_t *targets, size_t *found)
{
    gltf_doc *doc = build->doc;
    /* Only the latest are looked at, so that the time stays linear. */
    size_t oldest = build->vertices_count > LOOK_BACK ? build->vertices_count - LOOK_BACK : 0;
    for (size_t i = oldest; i < build->vertices_count; i++) {
        const gltf_vertices *known = &build->vertices[i];
        bool same_targets =
            known->targets == NULL ? targets == NULL : json_equal(known->targets, targets) != 0;
        if (same_targets && json_equal(known->attributes, attributes) != 0) {
            *found = i;
            return PLIANT_OK;
        }
    }
    uint32_t accessor = PLI_NONE;
    uint64_t count = 0;
    pliant_result result = pli_gltf_get_index(doc, "mesh", build->mesh, attributes, "POSITION",
                                              doc->accessors, &accessor);
    result = result == PLIANT_OK ? pli_gltf_accessor_count(doc, accessor, &count) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    if (build->vertex_total + count > INT32_MAX) {
        return pli_gltf_fail(doc, "mesh", build->mesh, "more than 2^31 - 1 vertices");
    }
    build->vertices[build->vertices_count] = (gltf_vertices){.attributes = attributes,
                                                             .targets = targets,
                                                             .primitive = primitive,
                                                             .first = (uint32_t)build->vertex_total,
                                                             .count = (uint32_t)count};
    build->vertex_total += count;
    *found = build->vertices_count++;
    return PLIANT_OK;
}

static pliant_result count_triangles(mesh_build *build, mesh_part *part)
{
    gltf_doc *doc = build->doc;
    uint64_t corners = build->vertices[part->vertices].count, triangles = 0;
    if (part->indices != PLI_NONE) {
        pliant_result result = pli_gltf_accessor_count(doc, part->indices, &corners);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    if (part->mode == MODE_TRIANGLES) {
        if (corners % 3 != 0) {
            return pli_gltf_fail(doc, "mesh", build->mesh,
                                 "primitive %zu: %llu corners of triangles", part->primitive,
                                 (unsigned long long)corners);
        }
        triangles = corners / 3;
    } else {
        triangles = corners > 2 ? corners - 2 : 0;
    }
    if (build->triangle_total + triangles > 1u << 30) {
        return pli_gltf_fail(doc, "mesh", build->mesh, "more than 2^30 triangles");
    }
    part->first_triangle = (uint32_t)build->triangle_total;
    part->triangle_count = (uint32_t)triangles;
    build->triangle_total += triangles;
    return PLIANT_OK;
}

static pliant_result add_part(mesh_build *build, size_t i)
{
    gltf_doc *doc = build->doc;
    const json_t *primitive = json_array_get(build->primitives, i);
    const json_t *attributes = NULL, *targets = NULL;
    size_t target_count = 0;
    mesh_part part = {.primitive = i};
    if (!json_is_object(primitive)) {
        return pli_gltf_fail(doc, "mesh", build->mesh, "primitive %zu is not an object", i);
    }
    pliant_result result =
        pli_gltf_get_count(doc, "mesh", build->mesh, primitive, "mode", MODE_TRIANGLES, &part.mode);
    result = result == PLIANT_OK ? pli_gltf_get_object(doc, "mesh", build->mesh, primitive,
                                                       "attributes", &attributes)
                                 : result;
    if (result != PLIANT_OK) {
        return result;
    }
    if (part.mode > MODE_FAN) {
        return pli_gltf_fail(doc, "mesh", build->mesh, "primitive %zu: there is no mode %llu", i,
                             (unsigned long long)part.mode);
    }
    if (part.mode < MODE_TRIANGLES || json_object_get(attributes, "POSITION") == NULL) {
        build->left_out++;
        return PLIANT_OK;
    }
    result = pli_gltf_read_draco(doc, build->mesh, i, primitive);
    result = result == PLIANT_OK ? pli_gltf_get_index(doc, "mesh", build->mesh, primitive,
                                                      "indices", doc->accessors, &part.indices)
                                 : result;
    result = result == PLIANT_OK
                 ? count_targets(doc, build->mesh, primitive, &targets, &target_count)
                 : result;
    result =
        result == PLIANT_OK ? find_vertices(build, i, attributes, targets, &part.vertices) : result;
    result = result == PLIANT_OK ? count_triangles(build, &part) : result;
    build->parts[build->part_count++] = part;
    return result;
}

static pliant_result read_triangles(mesh_build *build, const mesh_part *part, uint32_t *triangles)
{
    gltf_doc *doc = build->doc;
    const gltf_vertices *vertices = &build->vertices[part->vertices];
    uint32_t *indices = NULL;
    uint64_t count = 0;
    if (part->indices != PLI_NONE) {
        pliant_result result = pli_gltf_integers(doc, part->indices, 1, &indices, &count);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    for (uint32_t i = 0; i < part->triangle_count; i++) {
        uint32_t odd = i % 2;
        uint32_t corners[3] = {i, i + 1 + odd, i + 2 - odd}; /* of a strip */
        if (part->mode == MODE_TRIANGLES) {
            corners[0] = 3 * i, corners[1] = 3 * i + 1, corners[2] = 3 * i + 2;
        } else if (part->mode == MODE_FAN) {
            corners[0] = i + 1, corners[1] = i + 2, corners[2] = 0;
        }
        for (size_t k = 0; k < 3; k++) {
            uint32_t vertex = indices != NULL ? indices[corners[k]] : corners[k];
            if (vertex >= vertices->count) {
                return pli_read_fail_with(doc->reader, PLIANT_ERROR_RANGE,
                                          "mesh %u: primitive %zu: triangle %u uses vertex %u of "
                                          "%u",
                                          build->mesh, part->primitive, i, vertex, vertices->count);
            }
            triangles[3 * ((size_t)part->first_triangle + i) + k] = vertices->first + vertex;
        }
    }
    pli_memory_drop(doc->memory, indices);
    return PLIANT_OK;
}

/* Copies an attribute of three numbers per vertex to its place; `what` stands before its name. */
static pliant_result read_field(mesh_build *build, const gltf_vertices *vertices,
                                const json_t *attributes, const char *what, float *field)
{
    const char *key = "POSITION";
    gltf_doc *doc = build->doc;
    uint32_t accessor = PLI_NONE;
    gltf_numbers numbers = {0};
    pliant_result result =
        pli_gltf_get_index(doc, "mesh", build->mesh, attributes, key, doc->accessors, &accessor);
    if (result != PLIANT_OK || accessor == PLI_NONE) {
        return result;
    }
    result = pli_gltf_any_floats(doc, accessor, 3, &numbers);
    for (uint64_t i = 0; result == PLIANT_OK && i < 3 * numbers.count; i++) {
        if (!isfinite(numbers.at[i])) {
            return pli_read_fail_with(doc->reader, PLIANT_ERROR_NOT_FINITE,
                                      "mesh %u '%s': primitive %zu: the %s%s of vertex %llu is "
                                      "not finite",
                                      build->mesh, PLI_SHOW(build->out.name), vertices->primitive,
                                      what, key, (unsigned long long)(i / 3));
        }
    }
    if (result != PLIANT_OK) {
        return result;
    }
    if (numbers.count != vertices->count) {
        return pli_gltf_fail(
            doc, "mesh", build->mesh, "primitive %zu: %llu morphed positions for %u vertices",
            vertices->primitive, (unsigned long long)numbers.count, vertices->count);
    }
    memcpy(field + 3 * (size_t)vertices->first, numbers.at,
           3 * (size_t)vertices->count * sizeof *field);
    pli_gltf_forget(doc, accessor);
    return PLIANT_OK;
}

static pliant_result read_vertices(mesh_build *build, float *positions, float *modes)
{
    pliant_result result = PLIANT_OK;
    for (size_t i = 0; result == PLIANT_OK && i < build->vertices_count; i++) {
        const gltf_vertices *vertices = &build->vertices[i];
        result = read_field(build, vertices, vertices->attributes, "", positions);
        for (size_t m = 0; result == PLIANT_OK && m < build->out.mode_count; m++) {
            result = read_field(build, vertices, json_array_get(vertices->targets, m), "morphed ",
                                modes + m * 3 * build->vertex_total);
        }
    }
    return result;
}

/* The names of the targets stand, by custom, in the mesh's extras. */
static const char **name_modes(const mesh_build *build, const json_t *object)
{
    const gltf_doc *doc = build->doc;
    const json_t *names = json_object_get(json_object_get(object, "extras"), "targetNames");
    const char **list = pli_memory_get(doc->memory, build->out.mode_count, sizeof *list);
    for (size_t m = 0; list != NULL && m < build->out.mode_count; m++) {
        const char *name = json_string_value(json_array_get(names, m));
        list[m] = name != NULL && name[0] != '\0' ? pli_memory_text(doc->memory, name, strlen(name))
                                                  : pli_gltf_name(doc, NULL, "target", m);
        if (list[m] == NULL) {
            return NULL;
        }
    }
    return list;
}

/* The error that pliant fit leaves in the mesh's extras. Other programs' extras do not matter. */
static pliant_result read_error(mesh_build *build, const json_t *object)
{
    const json_t *member = json_object_get(json_object_get(object, "extras"), "pliantError");
    double error = json_number_value(member);
    if (member == NULL) {
        return PLIANT_OK;
    }
    if (!json_is_number(member) || !(error >= 0.0 && error <= 1e30)) {
        return pli_gltf_fail(build->doc, "mesh", build->mesh, "pliantError is not a distance");
    }
    build->out.error = (float)error;
    return PLIANT_OK;
}

/* Groups are numbered like the parts and named after their materials. */
static pliant_result read_groups(mesh_build *build, uint16_t *groups)
{
    gltf_doc *doc = build->doc;
    const char **names = pli_memory_get(doc->memory, build->part_count, sizeof *names);
    if (names == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    for (size_t i = 0; i < build->part_count; i++) {
        const mesh_part *part = &build->parts[i];
        for (uint32_t t = 0; t < part->triangle_count; t++) {
            groups[part->first_triangle + t] = (uint16_t)i;
        }
        uint32_t material = PLI_NONE;
        pliant_result result = pli_gltf_get_index(
            doc, "mesh", build->mesh, json_array_get(build->primitives, part->primitive),
            "material", doc->materials, &material);
        if (result != PLIANT_OK) {
            return result;
        }
        names[i] =
            material != PLI_NONE
                ? pli_gltf_name(doc, json_array_get(doc->materials, material), "material", material)
                : pli_gltf_name(doc, NULL, "primitive", part->primitive);
        if (names[i] == NULL) {
            return pli_read_fail_memory(doc->reader);
        }
    }
    build->out.groups = groups;
    build->out.group_names = names;
    build->out.group_count = (uint32_t)build->part_count;
    return PLIANT_OK;
}

static pliant_result list_parts(mesh_build *build, const json_t *object)
{
    gltf_doc *doc = build->doc;
    pliant_result result =
        pli_gltf_get_list(doc, "mesh", build->mesh, object, "primitives", &build->primitives);
    if (result != PLIANT_OK) {
        return result;
    }
    size_t count = json_array_size(build->primitives);
    if (count == 0 || count > MOST_PRIMITIVES) {
        return pli_gltf_fail(doc, "mesh", build->mesh, "it has %zu primitives", count);
    }
    build->parts = pli_memory_get(doc->memory, count, sizeof *build->parts);
    build->vertices =
        build->parts != NULL ? pli_memory_get(doc->memory, count, sizeof *build->vertices) : NULL;
    if (build->vertices == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    for (size_t i = 0; result == PLIANT_OK && i < count; i++) {
        result = add_part(build, i);
    }
    if (result == PLIANT_OK && build->left_out > 0) {
        pli_note(doc->reader, "mesh %u: %llu primitives without triangles were left out",
                 build->mesh, (unsigned long long)build->left_out);
    }
    return result;
}

static pliant_result fill_mesh(mesh_build *build, const json_t *object, uint32_t joint_count)
{
    gltf_doc *doc = build->doc;
    pliant_asset_mesh *out = &build->out;
    size_t vertices = (size_t)build->vertex_total, triangle_count = (size_t)build->triangle_total;
    out->mode_count = doc->mesh_mode_count[build->mesh];
    uint64_t fields = (uint64_t)vertices * out->mode_count; /* below 2^63 */
    float *positions = pli_memory_get(doc->memory, vertices, 3 * sizeof *positions);
    float *modes =
        positions != NULL ? pli_memory_get(doc->memory, fields, 3 * sizeof *modes) : NULL;
    uint32_t *triangles =
        modes != NULL ? pli_memory_get(doc->memory, triangle_count, 3 * sizeof *triangles) : NULL;
    uint16_t *groups =
        triangles != NULL ? pli_memory_get(doc->memory, triangle_count, sizeof *groups) : NULL;
    out->name = groups != NULL ? pli_gltf_name(doc, object, "mesh", build->mesh) : NULL;
    out->mode_names = out->name != NULL ? name_modes(build, object) : NULL;
    if (out->mode_names == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    out->positions = positions;
    out->modes = out->mode_count > 0 ? modes : NULL;
    out->triangles = triangles;
    out->vertex_count = (uint32_t)vertices;
    out->triangle_count = (uint32_t)triangle_count;
    out->joint_count = joint_count > 0 ? joint_count : 1;
    pliant_result result = read_error(build, object);
    result = result == PLIANT_OK ? read_vertices(build, positions, modes) : result;
    for (size_t i = 0; result == PLIANT_OK && i < build->part_count; i++) {
        result = read_triangles(build, &build->parts[i], triangles);
    }
    result = result == PLIANT_OK ? read_groups(build, groups) : result;
    return result == PLIANT_OK && joint_count > 0
               ? pli_gltf_read_influences(doc, build->mesh, build->vertices, build->vertices_count,
                                          out)
               : result;
}

static pliant_result read_mesh(gltf_doc *doc, uint32_t mesh, uint32_t joint_count, uint32_t *shape)
{
    const json_t *object = json_array_get(doc->meshes, mesh);
    mesh_build build = {.doc = doc, .mesh = mesh};
    pliant_result result = list_parts(&build, object);
    if (result != PLIANT_OK) {
        return result;
    }
    *shape = PLI_NONE;
    if (build.triangle_total > 0) {
        result = fill_mesh(&build, object, joint_count);
        pliant_asset_mesh *added = result == PLIANT_OK ? pli_asset_add_mesh(doc->asset) : NULL;
        if (added == NULL) {
            return result != PLIANT_OK ? result : pli_read_fail_memory(doc->reader);
        }
        *added = build.out;
        *shape = (uint32_t)doc->asset->mesh_count - 1;
    }
    pli_memory_drop(doc->memory, build.parts);
    pli_memory_drop(doc->memory, build.vertices);
    return PLIANT_OK;
}

pliant_result pli_gltf_find_shape(gltf_doc *doc, uint32_t mesh, uint32_t joint_count,
                                  uint32_t *shape)
{
    for (uint32_t i = doc->mesh_shape[mesh]; i != 0; i = doc->shapes[i - 1].next) {
        const gltf_shape *known = &doc->shapes[i - 1];
        if (known->joint_count == joint_count) {
            *shape = known->shape;
            return PLIANT_OK;
        }
    }
    pliant_result result = read_mesh(doc, mesh, joint_count, shape);
    if (result != PLIANT_OK) {
        return result;
    }
    gltf_shape *shapes = pli_memory_grow(doc->memory, doc->shapes, &doc->shape_capacity,
                                         doc->shape_count + 1, sizeof *shapes);
    if (shapes == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    doc->shapes = shapes;
    shapes[doc->shape_count++] = (gltf_shape){joint_count, *shape, doc->mesh_shape[mesh]};
    doc->mesh_shape[mesh] = (uint32_t)doc->shape_count;
    return PLIANT_OK;
}
