#include "asset_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef PLIANT_ASSETS_DIR
#define PLIANT_ASSETS_DIR "../shared/assets"
#endif

pliant_context *asset_context(counting_allocator *memory)
{
    pliant_context_def def = pliant_context_def_default();
    def.allocator = counting_allocator_get(memory);
    pliant_context *context = NULL;
    return pliant_context_create(&def, &context) == PLIANT_OK ? context : NULL;
}

void bytes_add(byte_string *bytes, const void *added, size_t size)
{
    if (size == 0) {
        return;
    }
    if (bytes->size + size > bytes->capacity) {
        bytes->capacity = 2 * (bytes->size + size) + 64;
        bytes->at = realloc(bytes->at, bytes->capacity);
        assert_non_null(bytes->at);
    }
    memcpy(bytes->at + bytes->size, added, size);
    bytes->size += size;
}

void bytes_add_text(byte_string *bytes, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && length < (int)sizeof text);
    bytes_add(bytes, text, (size_t)length);
}

void bytes_add_u8(byte_string *bytes, const uint8_t *values, size_t count)
{
    bytes_add(bytes, values, count);
}

void bytes_add_u16(byte_string *bytes, const uint16_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t pair[2] = {(uint8_t)values[i], (uint8_t)(values[i] >> 8)};
        bytes_add(bytes, pair, 2);
    }
}

void bytes_add_u32(byte_string *bytes, const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t halves[2] = {(uint16_t)values[i], (uint16_t)(values[i] >> 16)};
        bytes_add_u16(bytes, halves, 2);
    }
}

void bytes_add_floats(byte_string *bytes, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bytes_add_u32(bytes, &bits, 1);
    }
}

void bytes_add_u32_big(byte_string *bytes, uint32_t value)
{
    uint8_t four[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                       (uint8_t)value};
    bytes_add(bytes, four, 4);
}

void bytes_add_float_big(byte_string *bytes, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bytes_add_u32_big(bytes, bits);
}

void bytes_free(byte_string *bytes)
{
    free(bytes->at);
    *bytes = (byte_string){0};
}

byte_string make_glb(const char *json, const byte_string *bin)
{
    byte_string glb = {0};
    uint32_t json_size = (uint32_t)strlen(json), padded = (json_size + 3) / 4 * 4;
    uint32_t bin_size = bin != NULL ? (uint32_t)(bin->size + 3) / 4 * 4 : 0;
    uint32_t header[] = {0x46546c67, 2, 20 + padded + (bin != NULL ? 8 + bin_size : 0), padded,
                         0x4e4f534a};
    bytes_add_u32(&glb, header, 5);
    bytes_add(&glb, json, json_size);
    bytes_add(&glb, "   ", padded - json_size);
    if (bin != NULL) {
        uint32_t chunk[] = {bin_size, 0x004e4942};
        bytes_add_u32(&glb, chunk, 2);
        bytes_add(&glb, bin->at, bin->size);
        bytes_add(&glb, "\0\0\0", bin_size - bin->size);
    }
    return glb;
}

void load_files(loaded *state, const char *const *paths, uint32_t count)
{
    state->folder.files = state->files;
    state->folder.count = sizeof state->files / sizeof state->files[0];
    for (uint32_t i = 0; i < state->folder.count; i++) {
        state->files[i].path = state->files[i].path != NULL ? state->files[i].path : "";
    }
    state->context = asset_context(&state->memory);
    assert_non_null(state->context);
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = count;
    def.files = memory_files(&state->folder);
    assert_ok(pliant_asset_load(state->context, &def, &state->asset));
    assert_ok(pliant_asset_pose_create(state->asset, &state->pose));
}

void load_bytes(loaded *state, const char *path, const void *bytes, size_t size)
{
    *state = (loaded){.files = {{path, bytes, size}}};
    load_files(state, &path, 1);
}

void load_text(loaded *state, const char *path, const char *text)
{
    load_bytes(state, path, text, strlen(text));
}

void unload(loaded *state)
{
    pliant_asset_pose_destroy(state->pose);
    pliant_asset_destroy(state->asset);
    pliant_context_destroy(state->context);
    assert_int_equal(state->memory.live, 0);
}

void assert_refused(const char *path, const void *bytes, size_t size, const char *part)
{
    counting_allocator memory = {0};
    pliant_context *context = asset_context(&memory);
    uint64_t live = memory.live;
    memory_file file = {path, bytes, size};
    memory_folder folder = {&file, 1};
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = &path;
    def.path_count = 1;
    def.files = memory_files(&folder);
    pliant_asset *asset = NULL;
    pliant_result result = pliant_asset_load(context, &def, &asset);
    if (result == PLIANT_OK) {
        fail_msg("%s was loaded; expected: %s", path, part);
    }
    if (strstr(pliant_last_error(), part) == NULL) {
        fail_msg("the sentence is '%s'; expected: %s", pliant_last_error(), part);
    }
    assert_null(asset);
    assert_int_equal(memory.live, live);
    /* What a bad file makes the reader take. */
    assert_true(memory.peak_bytes <= 64 * size + ((uint64_t)16 << 20) + 4096);
    pliant_context_destroy(context);
}

void assert_text_refused(const char *path, const char *text, const char *part)
{
    assert_refused(path, text, strlen(text), part);
}

void assert_glb_refused(const char *json, const byte_string *bin, const char *part)
{
    byte_string glb = make_glb(json, bin);
    assert_refused("bad.glb", glb.at, glb.size, part);
    bytes_free(&glb);
}

float *evaluated(const loaded *state, uint32_t body)
{
    const pliant_asset_body *described = pliant_asset_get_body(state->asset, body);
    assert_non_null(described);
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(state->asset, described->shape);
    float *positions = calloc((size_t)mesh->vertex_count + 1, 3 * sizeof *positions);
    assert_non_null(positions);
    assert_ok(pliant_asset_pose_evaluate(state->pose, body, positions));
    return positions;
}

const char *assets_folder(void)
{
    const char *folder = getenv("PLIANT_ASSETS");
    folder = folder != NULL ? folder : PLIANT_ASSETS_DIR;
    struct stat status;
    char path[1024];
    snprintf(path, sizeof path, "%s/characters", folder);
    if (stat(path, &status) != 0) {
        skip_without_assets("characters");
    }
    return folder;
}

const pliant_asset_mesh *mesh_of(const loaded *state, uint32_t body)
{
    const pliant_asset_body *described = pliant_asset_get_body(state->asset, body);
    assert_non_null(described);
    return pliant_asset_get_mesh(state->asset, described->shape);
}

void assert_triangle(const pliant_asset_mesh *mesh, uint32_t triangle, uint32_t a, uint32_t b,
                     uint32_t c)
{
    assert_true(triangle < mesh->triangle_count);
    assert_int_equal(mesh->triangles[3 * triangle], a);
    assert_int_equal(mesh->triangles[3 * triangle + 1], b);
    assert_int_equal(mesh->triangles[3 * triangle + 2], c);
}

void assert_near(const float *found, const double *expected, size_t count, double tolerance)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs((double)found[i] - expected[i]) <= tolerance)) {
            fail_msg("number %zu is %.9g, not %.9g", i, (double)found[i], expected[i]);
        }
    }
}
