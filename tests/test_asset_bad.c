/*
 * Bad glTF files, one test per row of the list of what bad files do to readers; and for every
 * format T9 (cut off at every byte, single bits flipped) and T10 (no memory).
 */
#include "asset_seeds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        {",\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]", "Draco compression"},
        {",\"extensionsRequired\":[\"ACME_shapes\"]", "the extension 'ACME_shapes', which is not"},
        {",\"extensionsRequired\":[7]", "extensionsRequired[0] is not a text"},
    };
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_maker maker = {0};
        gltf_add(&maker, "VEC3", GLTF_F32, 3, positions);
        byte_string json = gltf_json(&maker, cases[i].members);
        assert_glb_refused((const char *)json.at, &maker.bin, cases[i].part);
        bytes_free(&json);
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
        byte_string json = gltf_json(
            &maker, ",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
                    "\"POSITION\":2}}]}]");
        assert_glb_refused((const char *)json.at, &maker.bin, cases[i].part);
        bytes_free(&json);
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
    assert_int_equal(pliant_asset_count(state.asset).bodies, 0);
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

static void refuse_case(const skinned_case *made, const char *part)
{
    gltf_maker maker = {0};
    byte_string json;
    add_case(&maker, made, &json);
    assert_glb_refused((const char *)json.at, &maker.bin, part);
    bytes_free(&json);
    gltf_free(&maker);
}

static void numbers_that_are_none_are_refused(void **unused)
{
    (void)unused;
    byte_string good = make_skinned();
    loaded state;
    load_bytes(&state, "good.glb", good.at, good.size); /* the case itself is good */
    assert_int_equal(pliant_asset_count(state.asset).notes, 0);
    unload(&state);
    bytes_free(&good);
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        float numbers[32];
        skinned_case made = plain_case();
        memcpy(numbers, square, sizeof square);
        numbers[4] = bad[i];
        made.positions = numbers;
        refuse_case(&made, "accessor 0: element 1 is not finite");
        made = plain_case();
        memcpy(numbers, plain_weights, sizeof plain_weights);
        numbers[1] = bad[i];
        made.weights = numbers;
        refuse_case(&made, "accessor 2: element 0 is not finite");
        made = plain_case();
        memcpy(numbers, plain_binds, sizeof plain_binds);
        numbers[16] = bad[i];
        made.binds = numbers;
        refuse_case(&made, "accessor 3: element 1 is not finite");
        made = plain_case();
        memcpy(numbers, plain_times, sizeof plain_times);
        numbers[2] = bad[i];
        made.times = numbers;
        refuse_case(&made, "accessor 4: element 2 is not finite");
    }
    /* Huge, but finite: the transforms overflow, and the pose says so. */
    float huge[32];
    skinned_case made = plain_case();
    memcpy(huge, plain_binds, sizeof plain_binds);
    for (int i = 0; i < 32; i++) {
        huge[i] *= 3e38f;
    }
    huge[12] = 3e38f;
    made.binds = huge;
    gltf_maker maker = {0};
    byte_string json;
    add_case(&maker, &made, &json);
    byte_string glb = make_glb((const char *)json.at, &maker.bin);
    asset_memory memory = {0};
    pliant_context *context = asset_context(&memory);
    assert_int_equal(exercise_bytes(context, "huge.glb", glb.at, glb.size), PLIANT_OK);
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
    bytes_free(&glb);
    bytes_free(&json);
    gltf_free(&maker);
}

static void bad_skins_are_refused(void **unused)
{
    (void)unused;
    skinned_case made = plain_case();
    made.skin = "{\"joints\":[]}";
    refuse_case(&made, "skin 0: it has no joints");
    made.skin = "{}";
    refuse_case(&made, "skin 0: it has no joints");
    made.skin = "{\"joints\":[1,7]}";
    refuse_case(&made, "skin 0: a joint is 7 of 3");
    made.skin = "{\"joints\":[1]}";
    refuse_case(&made, "vertex 1 uses joint 1 of 1");
    made.skin = "{\"joints\":[1,2,1],\"inverseBindMatrices\":3}";
    refuse_case(&made, "2 inverse bind matrices for 3 joints");
    made.skin = "{\"joints\":[1,2],\"inverseBindMatrices\":0}";
    refuse_case(&made, "its type has 3 numbers where 16 are needed");
    made = plain_case();
    const float negative[] = {1, 0, 0, 0, 1.5f, -0.5f, 0, 0, 0, 1, 0, 0};
    made.weights = negative;
    refuse_case(&made, "the weight of vertex 1 is -0.5");
}

static void bad_animations_are_refused(void **unused)
{
    (void)unused;
    skinned_case made = plain_case();
    static const struct {
        const char *sampler, *part;
    } cases[] = {
        {"{\"input\":4,\"output\":5,\"interpolation\":0}", "its interpolation is none of LINEAR"},
        {"{\"input\":4,\"output\":5,\"interpolation\":\"SMOOTH\"}", "its interpolation is none of"},
        {"{\"input\":4,\"output\":5,\"interpolation\":\"CUBICSPLINE\"}",
         "has 3 elements where 3 keys need 9"},
        {"{\"input\":4}", "a sampler without input and output"},
        {"{\"input\":9,\"output\":5}", "input is 9 of 6"},
        {"{\"input\":0,\"output\":5}", "its type has 3 numbers where 1 are needed"},
        {"{\"input\":4,\"output\":0}", "its type has 3 numbers where 4 are needed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made.sampler = cases[i].sampler;
        refuse_case(&made, cases[i].part);
    }
    made = plain_case();
    const float backwards[] = {0, 2, 1};
    made.times = backwards;
    refuse_case(&made, "key 2 comes before the key ahead of it");
}

static void morph_targets_of_other_lengths_are_refused(void **unused)
{
    (void)unused;
    skinned_case made = plain_case();
    made.targets = "[{\"POSITION\":2}]";
    refuse_case(&made, "its type has 4 numbers where 3 are needed");
    made.targets = "[{\"POSITION\":0},{}]";
    refuse_case(&made, "weights is not a list of 2 numbers");
    made.targets = "[7]";
    refuse_case(&made, "morph target 0 is not an object");
    made.targets = "7";
    refuse_case(&made, "targets is not a list");
    gltf_maker maker = {0};
    int positions, indices;
    gltf_add_square(&maker, &positions, &indices);
    gltf_add(&maker, "VEC3", GLTF_F32, 3, square);
    byte_string json = gltf_json(&maker, ",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":["
                                         "{\"attributes\":{\"POSITION\":0},\"indices\":1,"
                                         "\"targets\":[{\"POSITION\":2}]}]}]");
    assert_glb_refused((const char *)json.at, &maker.bin, "3 morphed positions for 4 vertices");
    bytes_free(&json);
    json = gltf_json(&maker, ",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":["
                             "{\"attributes\":{\"POSITION\":0},\"indices\":1,\"targets\":[{}]},"
                             "{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]");
    assert_glb_refused((const char *)json.at, &maker.bin,
                       "primitive 1 has 0 morph targets, and the first has 1");
    bytes_free(&json);
    gltf_free(&maker);
}

static void indices_out_of_range_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *part;
        size_t count;
        int mode;
        uint16_t indices[6];
    } cases[] = {
        {"triangle 1 uses vertex 4 of 4", 6, 4, {0, 1, 2, 0, 1, 4}},
        {"uses vertex 65535 of 4", 6, 5, {0, 1, 2, 0, 65535, 3}},
        {"triangle 0 uses vertex 9 of 4", 6, 6, {9, 1, 2, 3, 1, 2}},
        {"5 corners of triangles", 5, 4, {0, 1, 2, 0, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gltf_maker maker = {0};
        int positions, indices;
        gltf_add_square(&maker, &positions, &indices);
        gltf_add(&maker, "SCALAR", GLTF_U16, cases[i].count, cases[i].indices);
        char members[300];
        snprintf(members, sizeof members,
                 ",\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
                 "\"POSITION\":0},\"indices\":2,\"mode\":%d}]}]",
                 cases[i].mode);
        byte_string json = gltf_json(&maker, members);
        assert_glb_refused((const char *)json.at, &maker.bin, cases[i].part);
        bytes_free(&json);
        gltf_free(&maker);
    }
}

/* 84 skins over one skeleton: no fault, and nothing is copied 84 times. */
static void many_skins_are_read(void **unused)
{
    (void)unused;
    gltf_maker maker = {0};
    gltf_add(&maker, "VEC3", GLTF_F32, 3, square);
    gltf_add(&maker, "VEC4", GLTF_U8, 3, plain_joints);
    gltf_add(&maker, "VEC4", GLTF_F32, 3, plain_weights);
    gltf_add(&maker, "MAT4", GLTF_F32, 2, plain_binds);
    byte_string members = {0};
    bytes_add_text(&members, ",\"nodes\":[{},{}");
    for (int i = 0; i < 84; i++) {
        bytes_add_text(&members, ",{\"mesh\":0,\"skin\":%d}", i);
    }
    bytes_add_text(&members, "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"
                             "\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}],\"skins\":[");
    for (int i = 0; i < 84; i++) {
        bytes_add_text(&members, "%s{\"joints\":[%d,%d],\"inverseBindMatrices\":3}",
                       i > 0 ? "," : "", i % 2, 1 - i % 2);
    }
    bytes_add(&members, "]", 2);
    byte_string glb = gltf_finish(&maker, (const char *)members.at);
    loaded state;
    load_bytes(&state, "many.glb", glb.at, glb.size);
    assert_int_equal(pliant_asset_count(state.asset).bodies, 84);
    assert_int_equal(pliant_asset_count(state.asset).shapes, 1);
    unload(&state);
    bytes_free(&glb);
    bytes_free(&members);
}

static void bad_containers_are_refused(void **unused)
{
    (void)unused;
    byte_string good = make_skinned();
    byte_string bad = {0};
    bytes_add(&bad, good.at, good.size);
    bad.at[4] = 1;
    assert_refused("a.glb", bad.at, bad.size, "GLB version 1 is not read");
    bad.at[4] = 2;
    bad.at[16] = 'B';
    assert_refused("a.glb", bad.at, bad.size, "its first chunk, and only that, must be JSON");
    memset(bad.at + 12, 0xff, 4);
    assert_refused("a.glb", bad.at, bad.size, "chunk 0 promises 4294967295 bytes");
    memset(bad.at + 8, 0xff, 4);
    assert_refused("a.glb", bad.at, bad.size, "its header promises 4294967295 bytes");
    assert_refused("a.glb", good.at, 15, "too short for a GLB file");
    bytes_free(&bad);
    bytes_free(&good);
}

/* The promise for any file: a clean answer or a clear error, and no more memory than this. */
static pliant_result exercise_checked(const char *path, const uint8_t *bytes, size_t size)
{
    asset_memory memory = {0};
    pliant_context *context = asset_context(&memory);
    assert_non_null(context);
    /* In memory of its own, so that sanitizers see the end of it. */
    uint8_t *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    pliant_result result = exercise_bytes(context, path, copy, size);
    free(copy);
    if (result != PLIANT_OK) {
        assert_true(strlen(pliant_last_error()) > 10);
    }
    pliant_context_destroy(context);
    assert_int_equal(memory.live, 0);
    assert_true(memory.peak_bytes <= 3 * (64 * (uint64_t)size + ((uint64_t)16 << 20)));
    return result;
}

static void files_cut_off_anywhere_end_cleanly(void **unused)
{
    (void)unused;
    seed seeds[SEEDS];
    make_seeds(seeds);
    for (int i = 0; i < SEEDS; i++) {
        size_t good = 0;
        for (size_t size = 0; size <= seeds[i].bytes.size; size++) {
            good += exercise_checked(seeds[i].path, seeds[i].bytes.at, size) == PLIANT_OK ? 1 : 0;
        }
        if (exercise_checked(seeds[i].path, seeds[i].bytes.at, seeds[i].bytes.size) != PLIANT_OK) {
            fail_msg("%s is not a good seed: %s", seeds[i].path, pliant_last_error());
        }
        /* Most prefixes are no files. */
        assert_true(good >= 1 && good < seeds[i].bytes.size / 2);
    }
    free_seeds(seeds);
}

static void flipped_bits_end_cleanly(void **unused)
{
    (void)unused;
    seed seeds[SEEDS];
    make_seeds(seeds);
    for (int i = 0; i < SEEDS; i++) {
        byte_string *bytes = &seeds[i].bytes;
        size_t refused = 0;
        for (size_t bit = 0; bit < 8 * bytes->size; bit++) {
            uint8_t mask = (uint8_t)(1u << bit % 8);
            bytes->at[bit / 8] ^= mask;
            refused += exercise_checked(seeds[i].path, bytes->at, bytes->size) != PLIANT_OK ? 1 : 0;
            bytes->at[bit / 8] ^= mask;
        }
        assert_true(refused > 0);
    }
    free_seeds(seeds);
}

/* A folder whose n-th read fails, and all behind it. */
typedef struct failing_folder {
    memory_folder folder;
    unsigned reads, fail_at;
} failing_folder;

static bool failing_size(void *user, const char *path, uint64_t *size)
{
    failing_folder *failing = user;
    pliant_files files = memory_files(&failing->folder);
    return ++failing->reads < failing->fail_at && files.size(files.user, path, size);
}

static bool failing_read(void *user, const char *path, uint64_t offset, void *buffer,
                         uint64_t count)
{
    failing_folder *failing = user;
    pliant_files files = memory_files(&failing->folder);
    return ++failing->reads < failing->fail_at &&
           files.read(files.user, path, offset, buffer, count);
}

/* T11 for the library: a disk that fails sooner or later. */
static void files_that_cannot_be_read_are_errors(void **unused)
{
    (void)unused;
    seed seeds[SEEDS];
    make_seeds(seeds);
    for (int i = 0; i < SEEDS; i++) {
        bool failed = true;
        unsigned fail_at = 1;
        for (; failed; fail_at++) {
            memory_file file = {seeds[i].path, seeds[i].bytes.at, seeds[i].bytes.size};
            failing_folder failing = {{&file, 1}, 0, fail_at};
            asset_memory memory = {0};
            pliant_context *context = asset_context(&memory);
            pliant_asset_def def = pliant_asset_default();
            def.paths = &seeds[i].path;
            def.path_count = 1;
            def.files = (pliant_files){failing_size, failing_read, &failing};
            pliant_asset *asset = NULL;
            pliant_asset_pose *pose = NULL;
            pliant_result result = pliant_asset_load(context, &def, &asset);
            if (result == PLIANT_OK) {
                assert_ok(pliant_asset_pose_create(asset, &pose));
                result = pliant_asset_count(asset).clips > 0 ? pliant_asset_sample(pose, 0, 0.0)
                                                             : PLIANT_OK;
            }
            failed = result != PLIANT_OK;
            if (failed) {
                assert_int_equal(result, PLIANT_ERROR_DATA);
                assert_non_null(strstr(pliant_last_error(), "cannot read "));
                assert_non_null(strstr(pliant_last_error(), seeds[i].path));
            }
            pliant_asset_pose_destroy(pose);
            pliant_asset_destroy(asset);
            pliant_context_destroy(context);
            assert_int_equal(memory.live, 0);
        }
        assert_true(fail_at > 3);
    }
    free_seeds(seeds);
}

static void missing_memory_is_an_error(void **unused)
{
    (void)unused;
    seed seeds[SEEDS];
    make_seeds(seeds);
    for (int i = 0; i < SEEDS; i++) {
        uint64_t fail_at = 1;
        for (bool failed = true; failed; fail_at++) {
            asset_memory memory = {0};
            pliant_context *context = asset_context(&memory);
            memory.fail_at = memory.calls + fail_at;
            memory_file file = {seeds[i].path, seeds[i].bytes.at, seeds[i].bytes.size};
            memory_folder folder = {&file, 1};
            pliant_asset_def def = pliant_asset_default();
            def.paths = &seeds[i].path;
            def.path_count = 1;
            def.files = memory_files(&folder);
            pliant_asset *asset = NULL;
            pliant_asset_pose *pose = NULL;
            pliant_result result = pliant_asset_load(context, &def, &asset);
            result = result == PLIANT_OK ? pliant_asset_pose_create(asset, &pose) : result;
            failed = result != PLIANT_OK;
            if (failed && result != PLIANT_ERROR_OUT_OF_MEMORY) {
                fail_msg("%s, allocation %llu: %s: %s", seeds[i].path, (unsigned long long)fail_at,
                         pliant_result_name(result), pliant_last_error());
            }
            pliant_asset_pose_destroy(pose);
            pliant_asset_destroy(asset);
            pliant_context_destroy(context);
            assert_int_equal(memory.live, 0);
        }
        assert_true(fail_at > 5);
    }
    free_seeds(seeds);
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
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(bad_skins_are_refused),
        cmocka_unit_test(bad_animations_are_refused),
        cmocka_unit_test(morph_targets_of_other_lengths_are_refused),
        cmocka_unit_test(indices_out_of_range_are_refused),
        cmocka_unit_test(many_skins_are_read),
        cmocka_unit_test(bad_containers_are_refused),
        cmocka_unit_test(files_cut_off_anywhere_end_cleanly),
        cmocka_unit_test(flipped_bits_end_cleanly),
        cmocka_unit_test(files_that_cannot_be_read_are_errors),
        cmocka_unit_test(missing_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
