/* Bad glTF files whose structure is wrong: accessors, references, JSON, nodes, URIs. One test per
   row of the list of what bad files do to readers. */
#include "asset_seeds.h"

#include <stdio.h>

/* A file with one accessor, written by hand over a buffer of 36 bytes, as its positions. */
static void refuse_accessor(const char *view, const char *accessor, const char *part)
{
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    byte_string bin = {0}, json = {0};
    bytes_add_floats(&bin, positions, 9);
    bytes_add_text(&json,
                   "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36}],"
                   "\"bufferViews\":[{\"buffer\":0%s}],\"accessors\":[{%s}]" SQUARE "}",
                   view, accessor);
    bytes_add(&json, "", 1);
    assert_glb_refused((const char *)json.at, &bin, part);
    bytes_free(&json);
    bytes_free(&bin);
}

#define VIEW ",\"byteLength\":36"

static void sizes_that_wrap_are_refused(void **unused)
{
    (void)unused;
    refuse_accessor(VIEW, ACCESSOR ",\"count\":0", "accessor 0: its count is 0");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":-1", "count is not a whole number");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":2.5", "count is not a whole number");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":\"3\"", "count is not a whole number");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":4611686018427387904", "count is not a whole number");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":99999999999999999999999", "too big integer");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":1e300", "count is not a whole number");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":6", "6 elements of 12 bytes from 0 on do not fit");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":300000", "do not fit");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":2147483646", "more than its size allows");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":3,\"byteOffset\":1", "from 1 on do not fit");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":3,\"byteOffset\":9007199254740991", "do not fit");
    refuse_accessor(VIEW ",\"byteStride\":9007199254740991", ACCESSOR ",\"count\":300000",
                    "do not fit");
    refuse_accessor(",\"byteLength\":36,\"byteOffset\":9007199254740990", ACCESSOR ",\"count\":3",
                    "36 bytes from 9007199254740990 on");
    refuse_accessor(",\"byteLength\":0", ACCESSOR ",\"count\":3", "0 bytes from 0 on");
}

static void strides_below_the_element_are_refused(void **unused)
{
    (void)unused;
    refuse_accessor(VIEW ",\"byteStride\":4", ACCESSOR ",\"count\":3",
                    "elements of 12 bytes are 4 bytes apart");
}

static void lengths_beyond_the_data_are_refused(void **unused)
{
    (void)unused;
    refuse_accessor(",\"byteLength\":37", ACCESSOR ",\"count\":3", "37 bytes from 0 on");
    byte_string bin = {0};
    bytes_add_text(&bin, "12345678");
    assert_glb_refused("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":9}],"
                       "\"bufferViews\":[{\"buffer\":0,\"byteLength\":9}],\"accessors\":[{" ACCESSOR
                       ",\"count\":3}]" SQUARE "}",
                       &bin, "buffer 0: byteLength is 9, and 8 bytes are there");
    assert_glb_refused("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":9}],"
                       "\"bufferViews\":[{\"buffer\":0,\"byteLength\":9}],\"accessors\":[{" ACCESSOR
                       ",\"count\":3}]" SQUARE "}",
                       NULL, "neither a URI nor a binary chunk");
    bytes_free(&bin);
}

static void types_and_references_are_checked(void **unused)
{
    (void)unused;
    refuse_accessor(VIEW, "\"bufferView\":0,\"componentType\":5124,\"type\":\"VEC3\",\"count\":3",
                    "5124 is not a component type");
    refuse_accessor(VIEW, "\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC4\",\"count\":3",
                    "its type has 4 numbers where 3 are needed");
    refuse_accessor(VIEW, "\"bufferView\":0,\"componentType\":5126,\"type\":7,\"count\":3",
                    "its type has 0 numbers");
    refuse_accessor(VIEW, "\"bufferView\":1,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3",
                    "bufferView is 1 of 1");
    refuse_accessor(VIEW, ACCESSOR ",\"count\":3,\"normalized\":1", "neither true nor false");
    static const struct {
        const char *members, *part;
    } cases[] = {
        {",\"nodes\":[{\"mesh\":1}],\"meshes\":[{}]", "node 0: mesh is 1 of 1"},
        {",\"nodes\":[{\"mesh\":0,\"skin\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
         "\"POSITION\":0}}]}]",
         "skin is 0 of 0"},
        {",\"nodes\":[{\"mesh\":0}],\"meshes\":[{}]", "mesh 0: it has 0 primitives"},
        {",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[7]}]", "is not an object"},
        {",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":9"
         "}}]}]",
         "POSITION is 9 of 1"},
        {",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"
         "\"mode\":7}]}]",
         "there is no mode 7"},
        {",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"
         "\"material\":0}]}]",
         "material is 0 of 0"},
        {",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"extras\":{\"pliantError\":-1},\"primitives\":[{"
         "\"attributes\":{\"POSITION\":0}}]}]",
         "pliantError is not a distance"},
        {",\"nodes\":7", "nodes is not a list"},
        {",\"nodes\":[7]", "node 0: it is not an object"},
        {",\"nodes\":[{\"translation\":[1,2]}]", "translation is not a list of 3 numbers"},
        {",\"nodes\":[{\"scale\":[1,2,\"3\"]}]", "scale[2] is not a number"},
        {",\"nodes\":[{\"scale\":[1,2,1e39]}]", "scale[2] is not a number that float32 can hold"},
        {",\"nodes\":[{\"matrix\":[1e999,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]}]", "real number overflow"},
        {",\"scene\":2,\"scenes\":[{}]", "scene is 2 of 1"},
        {",\"scenes\":[{\"nodes\":[0]}]", "a node is 0 of 0"},
        {",\"asset\":{\"version\":\"1.0\"}", "glTF 1.0 is not read"},
        {",\"asset\":{\"version\":\"2.0\",\"minVersion\":\"2.1\"}", "a later version"},
        {",\"extensionsRequired\":[\"ACME_shapes\"]", "the extension 'ACME_shapes', which is not"},
        {",\"extensionsRequired\":[7]", "extensionsRequired[0] is not a text"},
    };
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_maker maker = {0};
        gltf_add(&maker, "VEC3", GLTF_F32, 3, positions);
        gltf_assert_refused(&maker, cases[i].members, cases[i].part);
        gltf_free(&maker);
    }
}

static void sparse_indices_out_of_range_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *sparse, *part;
    } cases[] = {
        {"{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{"
         "\"bufferView\":0}}",
         "sparse index 0 is 3 of 3"},
        {"{\"count\":4,\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{"
         "\"bufferView\":0}}",
         "4 sparse elements of 3"},
        {"{\"count\":0,\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{"
         "\"bufferView\":0}}",
         "0 sparse elements of 3"},
        {"{\"count\":2,\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{"
         "\"bufferView\":0}}",
         "2 elements of 1 bytes from 0 on do not fit"},
        {"{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5126},\"values\":{"
         "\"bufferView\":0}}",
         "sparse indices of type 5126"},
        {"{\"count\":1,\"indices\":{\"componentType\":5121},\"values\":{\"bufferView\":0}}",
         "sparse data without a bufferView"},
        {"{\"count\":1}", "sparse indices of type 0"},
        {"7", "sparse is not an object"},
    };
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint8_t index = 3;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_maker maker = {0};
        gltf_add(&maker, "VEC3", GLTF_F32, 3, positions);
        gltf_add(&maker, "SCALAR", GLTF_U8, 1, &index);
        char accessor[400];
        snprintf(accessor, sizeof accessor,
                 "{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":%s}",
                 cases[i].sparse);
        gltf_add_json(&maker, accessor);
        gltf_assert_refused(
            &maker,
            ",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
            "\"POSITION\":2}}]}]",
            cases[i].part);
        gltf_free(&maker);
    }
}

/* Counts without data behind them: accessors of zeros, many times over. */
static void counts_that_promise_gigabytes_are_refused(void **unused)
{
    (void)unused;
    refuse_accessor(VIEW, "\"componentType\":5126,\"type\":\"VEC3\",\"count\":2147483646",
                    "more than its size allows");
    /* A modest mesh with very many morph targets, each of them two bytes of text. */
    byte_string json = {0};
    bytes_add_text(&json, "{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,"
                          "\"type\":\"VEC3\",\"count\":30000}],\"nodes\":[{\"mesh\":0}],\"meshes\":"
                          "[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{}");
    for (int i = 0; i < 5000; i++) {
        bytes_add_text(&json, ",{}");
    }
    bytes_add_text(&json, "]}]}]}");
    bytes_add(&json, "", 1);
    assert_glb_refused((const char *)json.at, NULL, "more than its size allows");
    bytes_free(&json);
    /* The parsed JSON itself. */
    bytes_add_text(&json, "{\"asset\":{\"version\":\"2.0\"},\"extras\":[{}");
    for (int i = 0; i < 400000; i++) {
        bytes_add(&json, ",{}", 3);
    }
    bytes_add(&json, "]}", 3);
    assert_glb_refused((const char *)json.at, NULL, "more than its size allows");
    bytes_free(&json);
}

static void deep_json_is_refused(void **unused)
{
    (void)unused;
    for (int object = 0; object < 2; object++) {
        byte_string json = {0};
        bytes_add_text(&json, "{\"asset\":{\"version\":\"2.0\"},\"extras\":");
        for (int i = 0; i < 200000; i++) {
            bytes_add_text(&json, object ? "{\"a\":" : "[");
        }
        bytes_add(&json, "", 1);
        assert_glb_refused((const char *)json.at, NULL, "nests deeper than 64 levels");
        bytes_free(&json);
    }
    /* Brackets in strings do not count. */
    loaded state;
    load_text(&state, "a.gltf",
              "{\"asset\":{\"version\":\"2.0\"},\"extras\":\"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
              "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"}");
    assert_int_equal(pliant_asset_get_counts(state.asset).bodies, 0);
    unload(&state);
    assert_text_refused("a.gltf", "{\"asset\":", "line 1:");
    assert_text_refused("a.gltf", "[]", "its JSON is not an object");
    assert_text_refused("a.gltf", "{}", "which version");
}

static void cyclic_nodes_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *nodes, *part;
    } cases[] = {
        {"{\"children\":[0]}", "node 0: it is its own ancestor"},
        {"{\"children\":[1]},{\"children\":[0]}", "node 0: it is its own ancestor"},
        {"{\"children\":[1]},{\"children\":[2]},{\"children\":[1]}",
         "node 1: it is a child of both"},
        {"{\"children\":[1,1]},{}", "node 1: it is a child of both node 0 and node 0"},
        {"{\"children\":[2]}", "node 0: a child is 2 of 1"},
        {"{\"children\":[-1]}", "node 0: a child is not an index"},
        {"{\"children\":0}", "node 0: children is not a list"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char json[300];
        snprintf(json, sizeof json, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[%s]}",
                 cases[i].nodes);
        assert_text_refused("a.gltf", json, cases[i].part);
    }
    /* A chain of 20,000 nodes is deep, but no cycle, and needs no recursion. */
    byte_string json = {0};
    bytes_add_text(&json, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (int i = 0; i < 20000; i++) {
        bytes_add_text(&json, "{\"children\":[%d],\"translation\":[1,0,0]},", i + 1);
    }
    bytes_add_text(&json, "{}]}");
    loaded state;
    load_bytes(&state, "deep.gltf", json.at, json.size);
    unload(&state);
    bytes_free(&json);
}

static void uris_that_leave_the_folder_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *uri, *part;
    } cases[] = {
        {"../secret.bin", "is not the name of a file in the asset's folder"},
        {"a/../../secret.bin", "is not the name of a file"},
        {"a/..", "is not the name of a file"},
        {"%2e%2e/secret.bin", "is not the name of a file"},
        {"/etc/passwd", "is not the name of a file"},
        {"%2Fetc/passwd", "is not the name of a file"},
        {"file:///etc/passwd", "is not the name of a file"},
        {"http://example.org/a.bin", "is not the name of a file"},
        {"C:\\\\secret.bin", "is not the name of a file"},
        {"..\\\\secret.bin", "is not the name of a file"},
        {"a%00.bin", "is not the name of a file"},
        {"a%4", "is not the name of a file"},
        {"", "is not the name of a file"},
        {"missing.bin", "cannot read folder/missing.bin"},
        {"data:,hello", "its data: URI is not base64"},
        {"data:application/octet-stream;base64", "its data: URI is not base64"},
        {"data:;base64,A!AA", "character 1 of its data is not base64"},
        {"data:;base64,AAAA", "byteLength is 36, and 3 bytes are there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char json[600];
        snprintf(
            json, sizeof json,
            "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}],"
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{" ACCESSOR
            ",\"count\":3}]" SQUARE "}",
            cases[i].uri);
        assert_text_refused("folder/a.gltf", json, cases[i].part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_wrap_are_refused),
        cmocka_unit_test(strides_below_the_element_are_refused),
        cmocka_unit_test(lengths_beyond_the_data_are_refused),
        cmocka_unit_test(types_and_references_are_checked),
        cmocka_unit_test(sparse_indices_out_of_range_are_refused),
        cmocka_unit_test(counts_that_promise_gigabytes_are_refused),
        cmocka_unit_test(deep_json_is_refused),
        cmocka_unit_test(cyclic_nodes_are_refused),
        cmocka_unit_test(uris_that_leave_the_folder_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
