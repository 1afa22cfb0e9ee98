#include "gltf_maker.h"

#include <string.h>

static size_t component_size(int type)
{
    return type == GLTF_I8 || type == GLTF_U8 ? 1 : type == GLTF_I16 || type == GLTF_U16 ? 2 : 4;
}

static size_t components(const char *type)
{
    return strcmp(type, "SCALAR") == 0 ? 1
           : strcmp(type, "MAT4") == 0 ? 16
                                       : (size_t)(type[3] - '0');
}

int gltf_add_view(gltf_maker *maker, const void *bytes, size_t size, const char *members)
{
    bytes_add(&maker->bin, "\0\0\0", (4 - maker->bin.size % 4) % 4);
    bytes_add_text(&maker->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu%s}",
                   maker->count > 0 ? "," : "", maker->bin.size, size, members);
    bytes_add(&maker->bin, bytes, size);
    return maker->count;
}

int gltf_add_with(gltf_maker *maker, const char *type, int component_type, size_t count,
                  const void *numbers, const char *members)
{
    size_t total = count * components(type);
    byte_string bytes = {0};
    switch (component_size(component_type)) {
    case 1:
        bytes_add_u8(&bytes, numbers, total);
        break;
    case 2:
        bytes_add_u16(&bytes, numbers, total);
        break;
    default:
        bytes_add_u32(&bytes, numbers, total);
        break;
    }
    int view = gltf_add_view(maker, bytes.at, bytes.size, "");
    bytes_free(&bytes);
    bytes_add_text(&maker->accessors,
                   "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"%s}",
                   maker->count > 0 ? "," : "", view, component_type, count, type, members);
    return maker->count++;
}

int gltf_add(gltf_maker *maker, const char *type, int component_type, size_t count,
             const void *numbers)
{
    return gltf_add_with(maker, type, component_type, count, numbers, "");
}

int gltf_add_json(gltf_maker *maker, const char *json)
{
    bytes_add_text(&maker->views, "%s{\"buffer\":0,\"byteLength\":1}", maker->count > 0 ? "," : "");
    bytes_add_text(&maker->accessors, "%s%s", maker->count > 0 ? "," : "", json);
    return maker->count++;
}

byte_string gltf_json(const gltf_maker *maker, const char *members)
{
    byte_string json = {0};
    bytes_add_text(&json,
                   "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],"
                   "\"bufferViews\":[",
                   maker->bin.size);
    bytes_add(&json, maker->views.at, maker->views.size);
    bytes_add_text(&json, "],\"accessors\":[");
    bytes_add(&json, maker->accessors.at, maker->accessors.size);
    bytes_add_text(&json, "]");
    bytes_add(&json, members, strlen(members));
    bytes_add(&json, "}", 2); /* with a zero byte behind it */
    json.size--;
    return json;
}

void gltf_free(gltf_maker *maker)
{
    bytes_free(&maker->bin);
    bytes_free(&maker->views);
    bytes_free(&maker->accessors);
    maker->count = 0;
}

byte_string gltf_finish(gltf_maker *maker, const char *members)
{
    byte_string json = gltf_json(maker, members);
    byte_string glb = make_glb((const char *)json.at, &maker->bin);
    bytes_free(&json);
    gltf_free(maker);
    return glb;
}

void gltf_assert_refused(const gltf_maker *maker, const char *members, const char *part)
{
    byte_string json = gltf_json(maker, members);
    assert_glb_refused((const char *)json.at, &maker->bin, part);
    bytes_free(&json);
}

void gltf_add_square(gltf_maker *maker, int *positions, int *indices)
{
    const float corners[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const uint16_t faces[] = {0, 1, 2, 0, 2, 3};
    *positions = gltf_add(maker, "VEC3", GLTF_F32, 4, corners);
    *indices = gltf_add(maker, "SCALAR", GLTF_U16, 6, faces);
}

void gltf_add_morphs(gltf_maker *maker)
{
    int positions, indices;
    gltf_add_square(maker, &positions, &indices);
    const float target[] = {0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4};
    gltf_add(maker, "VEC3", GLTF_F32, 4, target);
    gltf_add(maker, "VEC3", GLTF_F32, 4, target);
}

void gltf_load(loaded *state, gltf_maker *maker, const char *members, byte_string *glb)
{
    *glb = gltf_finish(maker, members);
    load_bytes(state, "a.glb", glb->at, glb->size);
}

void gltf_unload(loaded *state, byte_string *glb)
{
    unload(state);
    bytes_free(glb);
}
