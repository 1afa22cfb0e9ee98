/*
 * Wavefront OBJ: vertices and faces; `o` starts a body; materials, or groups where there are none,
 * become the groups of triangles. Texture coordinates, normals, lines, points and curves are passed
 * over. A face may use vertices that only follow behind it.
 */
#include "mesh_builder.h"
#include "names.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define MOST_GROUPS 65536

/* An object is a range of triangles. */
typedef struct obj_object {
    pli_word name;
    size_t first_triangle;
} obj_object;

typedef struct obj_parser {
    pli_reader *reader;
    pli_text text;
    pli_mesh_builder builder;
    pli_names groups;
    uint16_t *triangle_groups;
    size_t triangle_group_count, triangle_group_capacity;
    obj_object *objects;
    size_t object_count, object_capacity;
    bool has_material;
    uint32_t group;
    uint64_t largest_index; /* used by any face, from 1 */
    uint32_t largest_line;  /* where */
    uint64_t passed_over;   /* lines, points, curves and surfaces */
} obj_parser;

static pliant_result read_vertex(obj_parser *obj)
{
    float position[3] = {0};
    for (int k = 0; k < 3; k++) {
        pli_word word;
        if (!pli_text_word(&obj->text, &word)) {
            return pli_read_fail(obj->reader, "line %u: a vertex with %d coordinates",
                                 obj->text.line, k);
        }
        if (!pli_word_float(word, &position[k])) {
            return pli_read_fail(obj->reader, "line %u: '%s' is not a number", obj->text.line,
                                 PLI_SHOW_WORD(word));
        }
    }
    return pli_build_vertex(&obj->builder, position, obj->text.line);
}

/* "7", "7/2", "7//3" or "7/2/3": the vertex comes first; what follows must be numbers as well. */
static pliant_result read_corner(obj_parser *obj, pli_word word)
{
    pli_word rest = word;
    int64_t index = 0, other = 0;
    bool good = pli_word_take_integer(&rest, &index);
    for (int slash = 0; good && slash < 2 && rest.size > 0 && rest.at[0] == '/'; slash++) {
        rest.at++;
        rest.size--;
        bool may_be_empty = rest.size == 0 || rest.at[0] == '/';
        good = may_be_empty || pli_word_take_integer(&rest, &other);
    }
    if (!good || rest.size > 0) {
        return pli_read_fail(obj->reader, "line %u: '%s' is not a corner of a face", obj->text.line,
                             PLI_SHOW_WORD(word));
    }
    int64_t vertices = (int64_t)obj->builder.vertex_count;
    int64_t absolute = index < 0 ? vertices + index + 1 : index;
    if (absolute < 1 || absolute > INT32_MAX) {
        return pli_read_fail_with(obj->reader, PLIANT_ERROR_RANGE,
                                  "line %u: a face uses vertex %lld of %lld", obj->text.line,
                                  (long long)index, (long long)vertices);
    }
    if ((uint64_t)absolute > obj->largest_index) {
        obj->largest_index = (uint64_t)absolute;
        obj->largest_line = obj->text.line;
    }
    return pli_build_corner(&obj->builder, (uint32_t)(absolute - 1));
}

/* Gives the triangles since the last call the current group. */
static pliant_result fill_groups(obj_parser *obj)
{
    size_t count = obj->builder.triangle_count;
    uint16_t *groups = pli_memory_grow(obj->reader->memory, obj->triangle_groups,
                                       &obj->triangle_group_capacity, count, sizeof *groups);
    if (groups == NULL) {
        return pli_read_fail_memory(obj->reader);
    }
    obj->triangle_groups = groups;
    for (size_t i = obj->triangle_group_count; i < count; i++) {
        groups[i] = (uint16_t)obj->group;
    }
    obj->triangle_group_count = count;
    return PLIANT_OK;
}

static pliant_result set_group(obj_parser *obj, pli_word name)
{
    uint32_t group = pli_names_number(&obj->groups, name.size > 0 ? name.at : "default",
                                      name.size > 0 ? name.size : 7);
    if (group == UINT32_MAX) {
        return pli_read_fail_memory(obj->reader);
    }
    if (group >= MOST_GROUPS) {
        return pli_read_fail_with(obj->reader, PLIANT_ERROR_TOO_LARGE,
                                  "line %u: more than 65536 groups", obj->text.line);
    }
    obj->group = group;
    return PLIANT_OK;
}

static pliant_result begin_object(obj_parser *obj, pli_word name)
{
    obj_object *objects = pli_memory_grow(obj->reader->memory, obj->objects, &obj->object_capacity,
                                          obj->object_count + 1, sizeof *objects);
    if (objects == NULL) {
        return pli_read_fail_memory(obj->reader);
    }
    obj->objects = objects;
    /* An object without triangles before this one gives up its place. */
    if (obj->object_count > 0 &&
        objects[obj->object_count - 1].first_triangle == obj->builder.triangle_count) {
        obj->object_count--;
    }
    objects[obj->object_count++] = (obj_object){name, obj->builder.triangle_count};
    return PLIANT_OK;
}

static pliant_result read_face(obj_parser *obj)
{
    pliant_result result = PLIANT_OK;
    pli_word none = {NULL, 0};
    if (obj->groups.count == 0) {
        result = set_group(obj, none);
    }
    if (result == PLIANT_OK && obj->object_count == 0) {
        result = begin_object(obj, none);
    }
    pli_word word;
    pli_build_begin_face(&obj->builder);
    while (result == PLIANT_OK && pli_text_word(&obj->text, &word) && word.at[0] != '#') {
        result = read_corner(obj, word);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    if (obj->builder.corners < 3) {
        return pli_read_fail(obj->reader, "line %u: a face with %llu corners", obj->text.line,
                             (unsigned long long)obj->builder.corners);
    }
    result = pli_build_end_face(&obj->builder);
    return result == PLIANT_OK ? fill_groups(obj) : result;
}

static bool is_passed_over(pli_word keyword)
{
    static const char *const known[] = {"l", "p", "curv", "curv2", "surf", "bevel"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (pli_word_is(keyword, known[i])) {
            return true;
        }
    }
    return false;
}

static pliant_result read_line(obj_parser *obj)
{
    pli_word keyword;
    if (!pli_text_word(&obj->text, &keyword) || keyword.at[0] == '#') {
        return PLIANT_OK;
    }
    if (pli_word_is(keyword, "v")) {
        return read_vertex(obj);
    }
    if (pli_word_is(keyword, "f") || pli_word_is(keyword, "fo")) {
        return read_face(obj);
    }
    if (pli_word_is(keyword, "o")) {
        return begin_object(obj, pli_text_rest(&obj->text));
    }
    if (pli_word_is(keyword, "usemtl")) {
        obj->has_material = true;
        return set_group(obj, pli_text_rest(&obj->text));
    }
    if (pli_word_is(keyword, "g") && !obj->has_material) {
        return set_group(obj, pli_text_rest(&obj->text));
    }
    obj->passed_over += is_passed_over(keyword) ? 1 : 0;
    return PLIANT_OK;
}

static int compare_vertices(const void *a, const void *b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return first < second ? -1 : first > second;
}

/* What finding an object's own vertices needs; each has room for all vertices. */
typedef struct obj_split {
    uint32_t *stamp; /* the last object that used a vertex, from 1 */
    uint32_t *local; /* its number there */
    uint32_t *used;  /* the vertices that the object uses */
} obj_split;

/*
 * Copies the vertices that an object uses, in the file's order: if the order of faces decided, two
 * frames of a sequence could differ without anybody noticing.
 */
static pliant_result compact(obj_parser *obj, pliant_asset_mesh *mesh, uint32_t *triangles,
                             obj_split *split, uint32_t object)
{
    size_t corners = 3 * (size_t)mesh->triangle_count;
    uint32_t used = 0;
    for (size_t i = 0; i < corners; i++) {
        uint32_t vertex = triangles[i];
        if (split->stamp[vertex] != object + 1) {
            split->stamp[vertex] = object + 1;
            split->used[used++] = vertex;
        }
    }
    qsort(split->used, used, sizeof *split->used, compare_vertices);
    float *positions = pli_memory_get(obj->reader->memory, used, 3 * sizeof *positions);
    if (positions == NULL) {
        return pli_read_fail_memory(obj->reader);
    }
    for (uint32_t i = 0; i < used; i++) {
        split->local[split->used[i]] = i;
        memcpy(positions + 3 * (size_t)i, obj->builder.positions + 3 * (size_t)split->used[i],
               3 * sizeof *positions);
    }
    for (size_t i = 0; i < corners; i++) {
        triangles[i] = split->local[triangles[i]];
    }
    mesh->positions = positions;
    mesh->vertex_count = used;
    return PLIANT_OK;
}

static pliant_asset_mesh *add_object(obj_parser *obj, size_t index, size_t last_triangle)
{
    pli_reader *reader = obj->reader;
    const obj_object *object = &obj->objects[index];
    bool named = object->name.size > 0 && !reader->merge;
    pliant_asset_mesh *mesh =
        pli_reader_add_mesh(reader, named ? object->name.at : reader->name,
                            named ? object->name.size : pli_stem_size(reader->name));
    if (mesh != NULL) {
        mesh->positions = obj->builder.positions;
        mesh->vertex_count = (uint32_t)obj->builder.vertex_count;
        mesh->triangles = obj->builder.triangles + 3 * object->first_triangle;
        mesh->triangle_count = (uint32_t)(last_triangle - object->first_triangle);
        mesh->groups = obj->triangle_groups + object->first_triangle;
        mesh->group_names = obj->groups.items;
        mesh->group_count = (uint32_t)obj->groups.count;
    }
    return mesh;
}

static pliant_result split_objects(obj_parser *obj)
{
    pli_memory *memory = obj->reader->memory;
    size_t vertices = obj->builder.vertex_count;
    obj_split split = {.stamp = pli_memory_get(memory, 3 * (uint64_t)vertices, sizeof(uint32_t))};
    if (split.stamp == NULL) {
        return pli_read_fail_memory(obj->reader);
    }
    split.local = split.stamp + vertices;
    split.used = split.local + vertices;
    for (size_t i = 0; i < obj->object_count; i++) {
        size_t last = i + 1 < obj->object_count ? obj->objects[i + 1].first_triangle
                                                : obj->builder.triangle_count;
        pliant_asset_mesh *mesh = add_object(obj, i, last);
        if (mesh == NULL) {
            return pli_read_fail_memory(obj->reader);
        }
        pliant_result result =
            compact(obj, mesh, obj->builder.triangles + 3 * obj->objects[i].first_triangle, &split,
                    (uint32_t)i);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    pli_memory_drop(memory, split.stamp);
    pli_memory_drop(memory, obj->builder.positions);
    return PLIANT_OK;
}

static pliant_result finish(obj_parser *obj)
{
    pli_reader *reader = obj->reader;
    if (obj->largest_index > obj->builder.vertex_count) {
        return pli_read_fail_with(
            reader, PLIANT_ERROR_RANGE, "line %u: a face uses vertex %llu of %zu",
            obj->largest_line, (unsigned long long)obj->largest_index, obj->builder.vertex_count);
    }
    if (obj->builder.triangle_count == 0) {
        return pli_read_fail(reader, "it has no faces");
    }
    pli_build_cut_faces(&obj->builder);
    for (size_t i = 0; i < obj->object_count; i++) {
        reader->topology = 31 * reader->topology + obj->objects[i].first_triangle;
    }
    if (obj->passed_over > 0) {
        pli_note(reader, "%llu lines, points or curves were left out",
                 (unsigned long long)obj->passed_over);
    }
    if (obj->objects[obj->object_count - 1].first_triangle == obj->builder.triangle_count) {
        obj->object_count--; /* the last object has no triangles */
    }
    if (obj->object_count > 1 && !reader->merge) {
        return split_objects(obj);
    }
    return add_object(obj, 0, obj->builder.triangle_count) != NULL ? PLIANT_OK
                                                                   : pli_read_fail_memory(reader);
}

pliant_result pli_read_obj(pli_reader *reader)
{
    obj_parser obj = {.reader = reader,
                      .text = pli_text_of(reader),
                      .builder = {.reader = reader},
                      .groups = {.memory = reader->memory}};
    pliant_result result = PLIANT_OK;
    do {
        result = read_line(&obj);
    } while (result == PLIANT_OK && pli_text_next_line(&obj.text));
    return result == PLIANT_OK ? finish(&obj) : result;
}
