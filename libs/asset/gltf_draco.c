/*
 * KHR_draco_mesh_compression: a primitive whose indices and attributes are one compressed stream.
 * It is decoded when the primitive is first looked at, into the bytes that its accessors would have
 * had, so that everything behind need not know of it.
 */
#include "gltf.h"

#include <string.h>

#define EXTENSION "KHR_draco_mesh_compression"

static const json_t *find_stream(const json_t *primitive)
{
    return json_object_get(json_object_get(primitive, "extensions"), EXTENSION);
}

#ifndef PLI_HAVE_DRACO

static bool has_view(const gltf_doc *doc, const json_t *accessor)
{
    json_int_t index = json_is_integer(accessor) ? json_integer_value(accessor) : -1;
    return index >= 0 &&
           json_object_get(json_array_get(doc->accessors, (size_t)index), "bufferView") != NULL;
}

/* A file may hold the same uncompressed beside it, for readers that do not know the extension. */
pliant_result pli_gltf_read_draco(gltf_doc *doc, uint32_t mesh, size_t primitive,
                                  const json_t *object)
{
    const json_t *attributes = json_object_get(object, "attributes");
    const json_t *indices = json_object_get(object, "indices");
    if (find_stream(object) == NULL || (has_view(doc, json_object_get(attributes, "POSITION")) &&
                                        (indices == NULL || has_view(doc, indices)))) {
        return PLIANT_OK;
    }
    return pli_gltf_fail(doc, "mesh", mesh,
                         "primitive %zu: it is compressed with Draco (" EXTENSION
                         "), and this build lacks it (libdraco-dev)",
                         primitive);
}

#else

#include "draco.h"

enum { MODE_TRIANGLES = 4, TYPE_U32 = 5125 };

#define MOST_FIELDS 40

/* The primitive that is being decoded. */
typedef struct draco_build {
    gltf_doc *doc;
    uint32_t mesh;
    size_t primitive;
    const json_t *object, *stream;
    uint32_t view;
    pli_draco_field fields[MOST_FIELDS];
    const char *names[MOST_FIELDS];
    uint32_t accessors[MOST_FIELDS];
    pli_draco_mesh out;
} draco_build;

static pliant_result fail(const draco_build *build, const char *what)
{
    return pli_gltf_fail(build->doc, "mesh", build->mesh, "primitive %zu: %s", build->primitive,
                         what);
}

/* Colours, normals and texture coordinates are not needed. */
static bool is_wanted(const char *name)
{
    return strcmp(name, "POSITION") == 0 || strncmp(name, "JOINTS_", 7) == 0 ||
           strncmp(name, "WEIGHTS_", 8) == 0;
}

/* Whether an accessor was decoded from this very stream before: primitives may share theirs. */
static pliant_result is_known(const draco_build *build, uint32_t accessor, bool *known)
{
    const gltf_decoded *decoded = &build->doc->decoded[accessor];
    *known = decoded->at != NULL;
    return decoded->at == NULL || decoded->view == build->view
               ? PLIANT_OK
               : pli_gltf_fail(build->doc, "accessor", accessor,
                               "two streams of Draco claim to hold it");
}

static pliant_result add_field(draco_build *build, const char *name, const json_t *id)
{
    gltf_doc *doc = build->doc;
    size_t at = build->out.field_count;
    uint32_t accessor = PLI_NONE;
    bool known = false;
    uint64_t count = 0;
    const json_t *attributes = json_object_get(build->object, "attributes");
    pliant_result result =
        pli_gltf_get_index(doc, "mesh", build->mesh, attributes, name, doc->accessors, &accessor);
    if (result != PLIANT_OK || accessor == PLI_NONE) {
        return result; /* the stream may hold more than the primitive uses */
    }
    if (at == MOST_FIELDS || !json_is_integer(id) || json_integer_value(id) < 0 ||
        json_integer_value(id) > UINT32_MAX) {
        return fail(build, at == MOST_FIELDS ? "too many attributes" : "an id is no whole number");
    }
    pli_draco_field *field = &build->fields[at];
    result = pli_gltf_accessor_form(doc, accessor, &field->components, &field->type, &count);
    result = result == PLIANT_OK ? is_known(build, accessor, &known) : result;
    if (result != PLIANT_OK || known) {
        return result;
    }
    if (field->components == 0 || (at > 0 && count != build->out.vertex_count)) {
        return fail(build, "its attributes differ in their numbers of vertices, or have no type");
    }
    build->out.vertex_count = count;
    field->id = (uint32_t)json_integer_value(id);
    build->names[at] = name;
    build->accessors[at] = accessor;
    build->out.field_count++;
    return PLIANT_OK;
}

static pliant_result add_fields(draco_build *build)
{
    const json_t *attributes = NULL;
    pliant_result result = pli_gltf_get_object(build->doc, "mesh", build->mesh, build->stream,
                                               "attributes", &attributes);
    if (result == PLIANT_OK && json_object_get(attributes, "POSITION") == NULL) {
        return fail(build, "its Draco stream has no POSITION");
    }
    json_t *listed = (json_t *)attributes; /* jansson's iterators take no const */
    for (void *at = json_object_iter(listed); result == PLIANT_OK && at != NULL;
         at = json_object_iter_next(listed, at)) {
        const char *name = json_object_iter_key(at);
        if (is_wanted(name)) {
            result = add_field(build, name, json_object_iter_value(at));
        }
    }
    return result;
}

/* The accessor of the indices, whose numbers come out as 32-bit ones whatever it says. */
static pliant_result add_indices(draco_build *build, uint32_t *accessor, bool *known)
{
    gltf_doc *doc = build->doc;
    uint64_t count = 0;
    pliant_result result = pli_gltf_get_index(doc, "mesh", build->mesh, build->object, "indices",
                                              doc->accessors, accessor);
    if (result == PLIANT_OK && *accessor == PLI_NONE) {
        return fail(build, "it is compressed with Draco and has no indices");
    }
    result = result == PLIANT_OK ? is_known(build, *accessor, known) : result;
    result = result == PLIANT_OK ? pli_gltf_accessor_count(doc, *accessor, &count) : result;
    if (result != PLIANT_OK || (*known && build->out.field_count == 0)) {
        return result;
    }
    if (count % 3 != 0) {
        return fail(build, "its number of indices is no multiple of 3");
    }
    build->out.triangle_count = count / 3;
    build->out.triangles = pli_memory_get(doc->memory, count, sizeof *build->out.triangles);
    return build->out.triangles != NULL ? PLIANT_OK : pli_read_fail_memory(doc->reader);
}

/* What Draco compresses becomes far larger than other files do: of what was read for this file,
   sixteen times as much may be taken. */
static void raise_limit(gltf_doc *doc)
{
    if (doc->has_draco) {
        return;
    }
    doc->has_draco = true;
    uint64_t bytes = doc->reader->size, more = 0;
    for (size_t i = 0; i < doc->loaded_count; i++) {
        bytes += doc->loaded[i].size;
    }
    bool fits = !__builtin_mul_overflow(bytes, UINT64_C(15) * 64, &more) &&
                more <= UINT64_MAX - doc->memory->limit;
    doc->memory->limit = fits ? doc->memory->limit + more : UINT64_MAX;
}

static bool reserve_fields(pli_draco_mesh *mesh, void *user)
{
    pli_memory *memory = user;
    for (size_t i = 0; i < mesh->field_count; i++) {
        pli_draco_field *field = &mesh->fields[i];
        field->values =
            pli_memory_get(memory, mesh->found_vertices, field->components * sizeof(float));
        if (field->values == NULL) {
            return false;
        }
    }
    return true;
}

/* Some encoders, and models that everyone uses, declare too few vertices. */
static void note_more_vertices(const draco_build *build)
{
    const pli_draco_mesh *out = &build->out;
    if (out->found_vertices > out->vertex_count) {
        pli_note(build->doc->reader,
                 "mesh %u: primitive %zu: its Draco stream has %llu vertices, and its accessors "
                 "declare %llu; all of the stream are read",
                 build->mesh, build->primitive, (unsigned long long)out->found_vertices,
                 (unsigned long long)out->vertex_count);
    }
}

static pliant_result say_how(const draco_build *build, pli_draco_result result)
{
    const gltf_doc *doc = build->doc;
    const pli_draco_mesh *out = &build->out;
    switch (result) {
    case PLI_DRACO_DONE:
        note_more_vertices(build);
        return PLIANT_OK;
    case PLI_DRACO_DAMAGED:
        return fail(build, "its Draco stream is damaged");
    case PLI_DRACO_VERSION:
        return fail(build, "its Draco stream is not of version 2.2, which glTF demands");
    case PLI_DRACO_TOO_LARGE:
        return fail(build, "its Draco stream promises more than its size allows");
    case PLI_DRACO_NO_MEMORY:
        return pli_asset_fail(PLIANT_ERROR_OUT_OF_MEMORY, "no memory to decode Draco");
    case PLI_DRACO_NO_ROOM:
        return pli_read_fail_memory(doc->reader);
    case PLI_DRACO_COUNTS:
        return pli_gltf_fail(
            doc, "mesh", build->mesh,
            "primitive %zu: its Draco stream has %llu vertices and %llu triangles, "
            "its accessors %llu and %llu",
            build->primitive, (unsigned long long)out->found_vertices,
            (unsigned long long)out->found_triangles, (unsigned long long)out->vertex_count,
            (unsigned long long)out->triangle_count);
    case PLI_DRACO_FIELD:
        break;
    }
    return pli_gltf_fail(doc, "mesh", build->mesh,
                         "primitive %zu: its Draco stream has no %s as its accessor says",
                         build->primitive, PLI_SHOW(build->names[out->bad_field]));
}

static pliant_result decode(draco_build *build)
{
    gltf_doc *doc = build->doc;
    gltf_bytes bytes = {0};
    uint32_t indices = PLI_NONE;
    bool known = false;
    pliant_result result = pli_gltf_view(doc, build->view, &bytes);
    if (result != PLIANT_OK) {
        return result;
    }
    raise_limit(doc);
    result = add_fields(build);
    result = result == PLIANT_OK ? add_indices(build, &indices, &known) : result;
    if (result != PLIANT_OK || (known && build->out.field_count == 0)) {
        return result; /* decoded with another primitive */
    }
    build->out.fields = build->fields;
    build->out.limit = doc->memory->limit - doc->memory->used;
    build->out.reserve = reserve_fields;
    build->out.user = doc->memory;
    result = say_how(build, pli_draco_decode(bytes.at, (size_t)bytes.size, &build->out));
    for (size_t i = 0; result == PLIANT_OK && i < build->out.field_count; i++) {
        doc->decoded[build->accessors[i]] = (gltf_decoded){
            build->fields[i].values, build->view, build->fields[i].type, build->out.found_vertices};
    }
    if (result == PLIANT_OK && !known) {
        doc->decoded[indices] = (gltf_decoded){(const uint8_t *)build->out.triangles, build->view,
                                               TYPE_U32, 3 * build->out.triangle_count};
    } else {
        pli_memory_drop(doc->memory, build->out.triangles);
    }
    return result;
}

pliant_result pli_gltf_read_draco(gltf_doc *doc, uint32_t mesh, size_t primitive,
                                  const json_t *object)
{
    draco_build build = {.doc = doc, .mesh = mesh, .primitive = primitive, .object = object};
    uint64_t mode = 0;
    build.stream = find_stream(object);
    if (build.stream == NULL) {
        return PLIANT_OK;
    }
    pliant_result result =
        pli_gltf_get_count(doc, "mesh", mesh, object, "mode", MODE_TRIANGLES, &mode);
    result = result == PLIANT_OK ? pli_gltf_get_index(doc, "mesh", mesh, build.stream, "bufferView",
                                                      doc->views, &build.view)
                                 : result;
    if (result != PLIANT_OK) {
        return result;
    }
    if (build.view == PLI_NONE || mode != MODE_TRIANGLES) {
        return fail(&build, build.view == PLI_NONE ? "its Draco stream names no bufferView"
                                                   : "Draco compression of strips is not read");
    }
    return decode(&build);
}

#endif
