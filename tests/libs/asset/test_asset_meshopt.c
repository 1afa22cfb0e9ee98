/* glTF with EXT_meshopt_compression: what the encoder makes of small meshes, and bad files. */
#include "gltf_maker.h"

#include <stdio.h>
#include <string.h>

#include <meshoptimizer.h>

static void add_compressed(gltf_maker *maker, const uint8_t *bytes, size_t size, size_t count,
                           size_t stride, const char *mode, const char *filter)
{
    char members[300];
    bytes_add(&maker->bin, "\0\0\0", (4 - maker->bin.size % 4) % 4);
    /* The view itself names a buffer that is not there: only the extension is to be read. */
    snprintf(members, sizeof members,
             "%s{\"buffer\":0,\"byteLength\":%zu,\"extensions\":{\"EXT_meshopt_compression\":{"
             "\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"byteStride\":%zu,\"count\":%zu,"
             "\"mode\":\"%s\"%s}}}",
             maker->count > 0 ? "," : "", count * stride, maker->bin.size, size, stride, count,
             mode, filter);
    bytes_add(&maker->views, members, strlen(members));
    bytes_add(&maker->bin, bytes, size);
    maker->count++;
}

static void compressed_views_are_decoded(void **unused)
{
    (void)unused;
    const float positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, -2.5f};
    const unsigned int triangles[] = {0, 1, 2, 2, 1, 3};
    for (int sequence = 0; sequence < 2; sequence++) {
        gltf_maker maker = {0};
        unsigned char buffer[1000];
        size_t size = meshopt_encodeVertexBuffer(buffer, sizeof buffer, positions, 4, 12);
        add_compressed(&maker, buffer, size, 4, 12, "ATTRIBUTES", "");
        bytes_add_text(&maker.accessors, "{\"bufferView\":0,\"componentType\":5126,\"count\":4,"
                                         "\"type\":\"VEC3\"}");
        size = sequence ? meshopt_encodeIndexSequence(buffer, sizeof buffer, triangles, 6)
                        : meshopt_encodeIndexBuffer(buffer, sizeof buffer, triangles, 6);
        add_compressed(&maker, buffer, size, 6, 2, sequence ? "INDICES" : "TRIANGLES", "");
        bytes_add_text(&maker.accessors, ",{\"bufferView\":1,\"componentType\":5123,\"count\":6,"
                                         "\"type\":\"SCALAR\"}");
        loaded state;
        byte_string glb;
        gltf_load(&state, &maker,
                  GLTF_SCENE ",\"extensionsRequired\":[\"EXT_meshopt_compression\"],\"meshes\":[{"
                             "\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]",
                  &glb);
        const double expected[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, -2.5};
        assert_near(mesh_of(&state, 0)->positions, expected, 12, 0.0);
        const pliant_asset_mesh *mesh = mesh_of(&state, 0);
        assert_int_equal(mesh->triangle_count, 2);
        /* The index codec may turn a triangle, but not over. */
        uint32_t sum = mesh->triangles[0] + mesh->triangles[1] + mesh->triangles[2];
        assert_int_equal(sum, 3);
        gltf_unload(&state, &glb);
    }
}

static void exponential_filter_is_undone(void **unused)
{
    (void)unused;
    const float positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, -2.5f};
    uint32_t encoded[12];
    meshopt_encodeFilterExp(encoded, 4, 12, 15, positions);
    unsigned char buffer[1000];
    size_t size = meshopt_encodeVertexBuffer(buffer, sizeof buffer, encoded, 4, 12);
    gltf_maker maker = {0};
    add_compressed(&maker, buffer, size, 4, 12, "ATTRIBUTES", ",\"filter\":\"EXPONENTIAL\"");
    bytes_add_text(&maker.accessors, "{\"bufferView\":0,\"componentType\":5126,\"count\":3,"
                                     "\"type\":\"VEC3\"}");
    loaded state;
    byte_string glb;
    gltf_load(&state, &maker,
              GLTF_SCENE ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]",
              &glb);
    const double expected[] = {0, 0, 0, 1, 0, 0, 1, 1, 0};
    assert_near(mesh_of(&state, 0)->positions, expected, 9, 1e-3);
    gltf_unload(&state, &glb);
}

#define VIEW                                                                                       \
    ",\"bufferViews\":[{\"buffer\":0,\"byteLength\":48,\"extensions\":{"                           \
    "\"EXT_meshopt_compression\":{\"buffer\":0,\"byteLength\":%d,\"byteStride\":%d,\"count\":%d,"  \
    "\"mode\":\"%s\",\"filter\":\"%s\"}}}]"

/* The decoders assert much of this, so that the reader must not let it through. */
static void bad_compression_is_refused(void **unused)
{
    (void)unused;
    static const struct {
        int length, stride, count;
        const char *mode, *filter, *part;
    } cases[] = {
        {40, 12, 4, "ATTRIBUTES", "NONE", "its compressed data is damaged"},
        {40, 13, 4, "ATTRIBUTES", "NONE", "4 elements of 13 bytes"},
        {40, 260, 4, "ATTRIBUTES", "NONE", "4 elements of 260 bytes"},
        {40, 0, 4, "ATTRIBUTES", "NONE", "4 elements of 0 bytes"},
        {40, 12, 0, "ATTRIBUTES", "NONE", "0 elements of 12 bytes"},
        {40, 8, 3, "TRIANGLES", "NONE", "3 elements of 8 bytes"},
        {40, 4, 4, "TRIANGLES", "NONE", "4 elements of 4 bytes"},
        {40, 4, 4, "FANS", "NONE", "'FANS' is not a mode"},
        {40, 12, 4, "ATTRIBUTES", "OCTAHEDRAL", "filter 'OCTAHEDRAL'"},
        {40, 12, 4, "ATTRIBUTES", "QUATERNION", "filter 'QUATERNION'"},
        {40, 12, 4, "ATTRIBUTES", "MAGIC", "filter 'MAGIC'"},
        {41, 12, 4, "ATTRIBUTES", "NONE", "41 bytes from 0 on"},
        {40, 256, 2000000000, "ATTRIBUTES", "NONE", "more than its size allows"},
    };
    byte_string bin = {0};
    for (int i = 0; i < 40; i++) {
        bytes_add_u8(&bin, (const uint8_t[]){0xa0}, 1);
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char json[900];
        snprintf(json, sizeof json,
                 "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":40}]" VIEW
                 ",\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":"
                 "\"VEC3\"}]" GLTF_SCENE
                 ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
                 cases[i].length, cases[i].stride, cases[i].count, cases[i].mode, cases[i].filter);
        assert_glb_refused(json, &bin, cases[i].part);
    }
    bytes_free(&bin);
}

/* What this build does not know is not called damaged. */
static void later_versions_are_named(void **unused)
{
    (void)unused;
    static const struct {
        uint8_t first;
        const char *mode, *filter, *part;
    } cases[] = {
        {MESHOPTIMIZER_VERSION >= 220 ? 0xa2 : 0xa1, "ATTRIBUTES", "",
         "(KHR_meshopt_compression), unknown to meshoptimizer"},
        {0xaf, "ATTRIBUTES", "", "its compression is of version 15"},
        {0xe2, "TRIANGLES", "", "its compression is of version 2"},
        {0xa0, "ATTRIBUTES", ",\"filter\":\"COLOR\"", "filter COLOR (KHR_meshopt_compression)"},
        {0x10, "ATTRIBUTES", "", "its compressed data is damaged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_maker maker = {0};
        uint8_t stream[40] = {cases[i].first};
        bool triangles = strcmp(cases[i].mode, "TRIANGLES") == 0;
        add_compressed(&maker, stream, sizeof stream, 3, triangles ? 4 : 12, cases[i].mode,
                       cases[i].filter);
        bytes_add_text(&maker.accessors,
                       "{\"bufferView\":0,\"componentType\":%d,\"count\":3,"
                       "\"type\":\"%s\"}",
                       triangles ? GLTF_U32 : GLTF_F32, triangles ? "SCALAR" : "VEC3");
        const char *plain = ",{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}";
        bytes_add_text(&maker.accessors, "%s", plain);
        gltf_assert_refused(&maker,
                            triangles ? GLTF_SCENE ",\"meshes\":[{\"primitives\":[{\"attributes\":{"
                                                   "\"POSITION\":1},\"indices\":0}]}]"
                                      : GLTF_SCENE ",\"meshes\":[{\"primitives\":[{\"attributes\":{"
                                                   "\"POSITION\":0}}]}]",
                            cases[i].part);
        gltf_free(&maker);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compressed_views_are_decoded),
        cmocka_unit_test(exponential_filter_is_undone),
        cmocka_unit_test(bad_compression_is_refused),
        cmocka_unit_test(later_versions_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
