/*
 * glTF 2.0 and GLB. Based on: Khronos Group, glTF 2.0 specification, 2021.
 * Read are meshes, skins, morph targets, nodes and animations of the scene that is shown; materials
 * only by name. What is not needed for that is not looked at.
 */
#include "gltf.h"
#include "bytes.h"

#include <string.h>

#define GLB_HEADER 12
#define CHUNK_JSON 0x4e4f534au
#define CHUNK_BIN  0x004e4942u

/* Extensions that a file may require of us: those that are read, and those that only concern how
   surfaces look. */
static const char *const known_extensions[] = {
    "KHR_mesh_quantization",   "KHR_draco_mesh_compression",
    "EXT_meshopt_compression", "KHR_meshopt_compression",
    "KHR_texture_transform",   "KHR_texture_basisu",
    "EXT_texture_webp",        "EXT_texture_avif",
    "MSFT_texture_dds",        "KHR_lights_punctual",
    "KHR_xmp_json_ld"};

/* Extensions that move or multiply bodies: passed over, with a note, unless required. */
static const char *const noted_extensions[] = {"EXT_mesh_gpu_instancing", "KHR_animation_pointer",
                                               "KHR_node_visibility", "MSFT_lod"};

static bool is_listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, list[i]) == 0) {
            return true;
        }
    }
    return false;
}

#define IS_LISTED(name, list) is_listed(name, list, sizeof(list) / sizeof(list)[0])

static pliant_result check_extensions(const gltf_doc *doc)
{
    const json_t *required = json_object_get(doc->root, "extensionsRequired");
    const json_t *used = json_object_get(doc->root, "extensionsUsed");
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *name = json_string_value(json_array_get(required, i));
        if (name == NULL) {
            return pli_read_fail(doc->reader, "extensionsRequired[%zu] is not a text", i);
        }
#ifndef PLI_HAVE_DRACO
        if (strcmp(name, "KHR_draco_mesh_compression") == 0) {
            return pli_read_fail(doc->reader,
                                 "it is compressed with Draco (%s), and this build lacks that "
                                 "(libdraco-dev)",
                                 name);
        }
#endif
        if (strncmp(name, "KHR_materials_", 14) != 0 && !IS_LISTED(name, known_extensions)) {
            return pli_read_fail(doc->reader,
                                 "it requires the extension '%s', which is not read; export it "
                                 "without",
                                 PLI_SHOW(name));
        }
    }
    for (size_t i = 0; i < json_array_size(used); i++) {
        const char *name = json_string_value(json_array_get(used, i));
        if (name != NULL && IS_LISTED(name, noted_extensions)) {
            pli_note(doc->reader, "the extension %s was passed over", name);
        }
    }
    return PLIANT_OK;
}

static pliant_result check_version(const gltf_doc *doc)
{
    const json_t *asset = json_object_get(doc->root, "asset");
    const char *version = json_string_value(json_object_get(asset, "version"));
    const json_t *least = json_object_get(asset, "minVersion");
    if (version == NULL) {
        return pli_read_fail(doc->reader, "it does not say which version of glTF it is");
    }
    if (strncmp(version, "2.", 2) != 0) {
        return pli_read_fail(doc->reader, "glTF %s is not read; convert it to glTF 2.0",
                             PLI_SHOW(version));
    }
    if (least != NULL &&
        (json_string_value(least) == NULL || strcmp(json_string_value(least), "2.0") != 0)) {
        return pli_read_fail(doc->reader, "it needs a reader of a later version of glTF than 2.0");
    }
    return PLIANT_OK;
}

static pliant_result find_lists(gltf_doc *doc)
{
    struct {
        const char *name;
        const json_t **list;
    } lists[] = {{"accessors", &doc->accessors},   {"bufferViews", &doc->views},
                 {"buffers", &doc->buffers},       {"meshes", &doc->meshes},
                 {"nodes", &doc->nodes},           {"skins", &doc->skins},
                 {"animations", &doc->animations}, {"materials", &doc->materials},
                 {"scenes", &doc->scenes}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const json_t *list = json_object_get(doc->root, lists[i].name);
        if (list != NULL && !json_is_array(list)) {
            return pli_read_fail(doc->reader, "%s is not a list", lists[i].name);
        }
        if (json_array_size(list) > INT32_MAX) {
            return pli_read_fail(doc->reader, "too many %s", lists[i].name);
        }
        *lists[i].list = list;
    }
    pli_memory *memory = doc->memory;
    doc->buffer_bytes =
        pli_memory_get(memory, json_array_size(doc->buffers), sizeof *doc->buffer_bytes);
    doc->view_bytes =
        doc->buffer_bytes != NULL
            ? pli_memory_get(memory, json_array_size(doc->views), sizeof *doc->view_bytes)
            : NULL;
    doc->numbers = doc->view_bytes != NULL ? pli_memory_get(memory, json_array_size(doc->accessors),
                                                            sizeof *doc->numbers)
                                           : NULL;
    doc->decoded = doc->numbers != NULL ? pli_memory_get(memory, json_array_size(doc->accessors),
                                                         sizeof *doc->decoded)
                                        : NULL;
    doc->skin_list = doc->decoded != NULL ? pli_memory_get(memory, json_array_size(doc->skins),
                                                           sizeof *doc->skin_list)
                                          : NULL;
    return doc->skin_list != NULL ? PLIANT_OK : pli_read_fail_memory(doc->reader);
}

/* Finds the binary chunk of a GLB file and reads its JSON. Chunks behind these two do not matter.
 */
static pliant_result read_chunks(gltf_doc *doc, uint64_t file_size, uint8_t **json, size_t *size)
{
    const pli_reader *reader = doc->reader;
    const pliant_files *files = &doc->asset->files;
    if (file_size < GLB_HEADER + 8) {
        return pli_read_fail(reader, "it is too short for a GLB file");
    }
    uint32_t version = pli_bytes_u32(reader->bytes + 4, false);
    uint64_t length = pli_bytes_u32(reader->bytes + 8, false), at = GLB_HEADER;
    if (version != 2) {
        return pli_read_fail(reader, "GLB version %u is not read; convert it to 2", version);
    }
    if (length > file_size) {
        return pli_read_fail(reader, "its header promises %llu bytes, and it has %llu",
                             (unsigned long long)length, (unsigned long long)file_size);
    }
    pliant_result result = PLIANT_OK;
    for (unsigned chunk = 0; result == PLIANT_OK && chunk < 2 && at + 8 <= length; chunk++) {
        uint8_t head[8];
        result = pli_file_read_part(files, doc->path, at, head, sizeof head);
        if (result != PLIANT_OK) {
            return result;
        }
        uint64_t content = pli_bytes_u32(head, false);
        uint32_t kind = pli_bytes_u32(head + 4, false);
        at += sizeof head;
        if (content > length - at) {
            return pli_read_fail(reader, "chunk %u promises %llu bytes of %llu", chunk,
                                 (unsigned long long)content, (unsigned long long)(length - at));
        }
        if ((chunk == 0) != (kind == CHUNK_JSON)) {
            return pli_read_fail(reader, "its first chunk, and only that, must be JSON");
        }
        if (chunk == 0) {
            *size = (size_t)content;
            result = pli_file_read_range(files, doc->memory, doc->path, at, content, json);
        } else if (kind == CHUNK_BIN) {
            doc->bin_offset = at;
            doc->bin_size = content;
        }
        at += content;
    }
    return result == PLIANT_OK && *json == NULL ? pli_read_fail(reader, "it has no JSON") : result;
}

/* Reads the JSON of a GLB file; a glTF file is all JSON. */
static pliant_result read_json(gltf_doc *doc, uint64_t file_size, uint8_t **json, size_t *size)
{
    const pli_reader *reader = doc->reader;
    return reader->size >= 4 && memcmp(reader->bytes, "glTF", 4) == 0
               ? read_chunks(doc, file_size, json, size)
               : pli_file_read(&doc->asset->files, doc->memory, doc->path, UINT64_MAX, json, size);
}

static pliant_result parse(gltf_doc *doc)
{
    json_error_t error;
    doc->root = json_loadb((const char *)doc->reader->bytes, doc->reader->size, 0, &error);
    if (doc->root == NULL) {
        return pli_read_fail(doc->reader, "line %d: %s", error.line, PLI_SHOW_FILE(error.text));
    }
    return json_is_object(doc->root) ? PLIANT_OK
                                     : pli_read_fail(doc->reader, "its JSON is not an object");
}

/* Clips of a file without triangles, or that was given for its clips, move nodes of other files. */
static pliant_result read_all(gltf_doc *doc, bool clips_only)
{
    size_t bodies = doc->asset->body_count, clips = doc->asset->clip_count;
    pliant_result result = check_version(doc);
    result = result == PLIANT_OK ? check_extensions(doc) : result;
    result = result == PLIANT_OK ? find_lists(doc) : result;
    result = result == PLIANT_OK ? pli_gltf_count_modes(doc) : result;
    result = result == PLIANT_OK ? pli_gltf_read_nodes(doc) : result;
    result = result == PLIANT_OK && !clips_only ? pli_gltf_read_bodies(doc) : result;
    bool empty = doc->asset->body_count == bodies;
    doc->is_bound = clips_only || (empty && bodies > 0 && json_array_size(doc->animations) > 0);
    result = result == PLIANT_OK ? pli_gltf_read_animations(doc) : result;
    result = result == PLIANT_OK ? pli_gltf_end_binding(doc) : result;
    return result == PLIANT_OK ? pli_gltf_name_clips(doc, clips) : result;
}

/* What only the reading needed. */
static void drop_all(gltf_doc *doc)
{
    for (size_t i = 0; i < json_array_size(doc->views); i++) {
        const json_t *view = json_array_get(doc->views, i);
        if (pli_gltf_compression(view) != NULL) {
            pli_memory_drop(doc->memory, (void *)doc->view_bytes[i].at);
        }
    }
    for (size_t i = 0; i < doc->loaded_count; i++) {
        pli_memory_drop(doc->memory, (void *)doc->loaded[i].at);
    }
    pli_memory_drop(doc->memory, doc->loaded);
    pli_memory_drop(doc->memory, doc->buffer_bytes);
    pli_memory_drop(doc->memory, doc->view_bytes);
    for (size_t i = 0; i < json_array_size(doc->accessors); i++) {
        pli_memory_drop(doc->memory, (void *)doc->decoded[i].at);
    }
    pli_memory_drop(doc->memory, doc->decoded);
    pli_memory_drop(doc->memory, doc->numbers);
    pli_memory_drop(doc->memory, doc->node_of);
    pli_memory_drop(doc->memory, doc->mesh_mode_count);
    pli_memory_drop(doc->memory, doc->mesh_shape);
    pli_memory_drop(doc->memory, doc->shapes);
    pli_memory_drop(doc->memory, doc->skin_list);
}

pliant_result pli_read_gltf(pliant_asset *asset, pli_reader *reader, uint64_t size,
                            const char *path, bool clips_only)
{
    gltf_doc doc = {.asset = asset, .reader = reader, .memory = reader->memory, .path = path};
    uint8_t *json = NULL;
    uint64_t json_memory = 0;
    pliant_result result = read_json(&doc, size, &json, &reader->size);
    reader->bytes = json;
    result =
        result == PLIANT_OK ? pli_gltf_scan_json(reader, json, reader->size, &json_memory) : result;
    result = result == PLIANT_OK ? pli_memory_charge(doc.memory, (int64_t)json_memory) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    result = parse(&doc);
    result = result == PLIANT_OK ? read_all(&doc, clips_only) : result;
    if (result == PLIANT_OK) {
        drop_all(&doc);
        pli_memory_drop(doc.memory, json);
    }
    pli_memory_charge(doc.memory, -(int64_t)(json_memory + doc.file_memory));
    json_decref(doc.file_of);
    json_decref(doc.root);
    return result;
}
