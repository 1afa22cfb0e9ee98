/* glTF 2.0 and GLB: every feature on a file small enough to know the answer. */
#include "gltf_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_corners(const pliant_asset_mesh *mesh, const uint32_t *expected,
                           size_t triangles)
{
    assert_int_equal(mesh->triangle_count, triangles);
    for (size_t i = 0; i < 3 * triangles; i++) {
        if (mesh->triangles[i] != expected[i]) {
            fail_msg("corner %zu is %u, not %u", i, mesh->triangles[i], expected[i]);
        }
    }
}

/* Lists, strips and fans; with indices of every size and without. */
static void primitives_become_triangles(void **unused)
{
    (void)unused;
    static const struct {
        int mode;
        uint32_t triangles;
        uint32_t corners[9];
    } cases[] = {{4, 1, {0, 1, 2}},
                 {5, 3, {0, 1, 2, 1, 3, 2, 2, 3, 4}},
                 {6, 3, {1, 2, 0, 2, 3, 0, 3, 4, 0}}};
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0};
    for (size_t c = 0; c < 3; c++) {
        for (int type = 0; type < 4; type++) {
            gltf_maker maker = {0};
            size_t used = cases[c].mode == 4 ? 3 : 5;
            int position = gltf_add(&maker, "VEC3", GLTF_F32, used, positions);
            const uint8_t bytes[] = {4, 3, 2, 1, 0};
            const uint16_t shorts[] = {4, 3, 2, 1, 0};
            const uint32_t words[] = {4, 3, 2, 1, 0};
            size_t skipped = 5 - used;
            int indices = -1;
            if (type > 0) {
                indices = type == 1   ? gltf_add(&maker, "SCALAR", GLTF_U8, used, bytes + skipped)
                          : type == 2 ? gltf_add(&maker, "SCALAR", GLTF_U16, used, shorts + skipped)
                                      : gltf_add(&maker, "SCALAR", GLTF_U32, used, words + skipped);
            }
            char members[300], index_member[40] = "";
            if (indices >= 0) {
                snprintf(index_member, sizeof index_member, ",\"indices\":%d", indices);
            }
            snprintf(members, sizeof members,
                     GLTF_SCENE ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":%d}%s,"
                                "\"mode\":%d}]}]",
                     position, index_member, cases[c].mode);
            loaded state;
            byte_string glb;
            gltf_load(&state, &maker, members, &glb);
            uint32_t expected[9];
            for (size_t i = 0; i < 9; i++) {
                uint32_t corner = cases[c].corners[i];
                expected[i] = type > 0 ? (uint32_t)used - 1 - corner : corner;
            }
            assert_corners(mesh_of(&state, 0), expected, cases[c].triangles);
            gltf_unload(&state, &glb);
        }
    }
}

/* Positions of every component type, as they are and normalised (KHR_mesh_quantization). */
static void components_are_read_as_they_are_typed(void **unused)
{
    (void)unused;
    const int8_t i8[] = {-128, 127, 0, 1, -1, 64, 5, 6, 7};
    const uint8_t u8[] = {255, 0, 51, 1, 2, 3, 4, 5, 6};
    const int16_t i16[] = {-32768, 32767, 0, 1, -1, 16384, 3, 4, 5};
    const uint16_t u16[] = {65535, 0, 13107, 1, 2, 3, 4, 5, 6};
    const uint32_t u32[] = {7, 0, 1000000, 1, 2, 3, 4, 5, 6};
    const struct {
        int type;
        const void *numbers;
        double first[3], normalised[3];
    } cases[] = {
        {GLTF_I8, i8, {-128, 127, 0}, {-1, 1, 0}},
        {GLTF_U8, u8, {255, 0, 51}, {1, 0, 0.2}},
        {GLTF_I16, i16, {-32768, 32767, 0}, {-1, 1, 0}},
        {GLTF_U16, u16, {65535, 0, 13107}, {1, 0, 0.2}},
        {GLTF_U32, u32, {7, 0, 1000000}, {7.0 / 4294967295.0, 0, 1000000.0 / 4294967295.0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        for (int normalised = 0; normalised < 2; normalised++) {
            gltf_maker maker = {0};
            gltf_add_with(&maker, "VEC3", cases[c].type, 3, cases[c].numbers,
                          normalised ? ",\"normalized\":true" : "");
            loaded state;
            byte_string glb;
            gltf_load(&state, &maker,
                      GLTF_SCENE
                      ",\"extensionsRequired\":[\"KHR_mesh_quantization\"],"
                      "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]",
                      &glb);
            assert_near(mesh_of(&state, 0)->positions,
                        normalised ? cases[c].normalised : cases[c].first, 3, 1e-7);
            gltf_unload(&state, &glb);
        }
    }
}

/* Two attributes in one view, and an offset in the accessor. */
static void interleaved_attributes_are_read(void **unused)
{
    (void)unused;
    gltf_maker maker = {0};
    byte_string bytes = {0};
    for (int i = 0; i < 3; i++) {
        const float row[] = {9, 9, (float)i, (float)(i * i), 7};
        bytes_add_floats(&bytes, row, 5);
    }
    gltf_add_view(&maker, bytes.at, bytes.size, ",\"byteStride\":20");
    bytes_free(&bytes);
    maker.count++;
    bytes_add_text(&maker.accessors,
                   "{\"bufferView\":0,\"byteOffset\":8,\"componentType\":5126,\"count\":3,"
                   "\"type\":\"VEC3\"}");
    loaded state;
    byte_string glb;
    gltf_load(&state, &maker,
              GLTF_SCENE ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]",
              &glb);
    const double expected[] = {0, 0, 7, 1, 1, 7, 2, 4, 7};
    assert_near(mesh_of(&state, 0)->positions, expected, 9, 0.0);
    gltf_unload(&state, &glb);
}

static void sparse_accessors_replace_elements(void **unused)
{
    (void)unused;
    for (int base = 0; base < 2; base++) {
        gltf_maker maker = {0};
        const float positions[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        const uint8_t which[] = {0, 2};
        const float values[] = {10, 20, 30, 70, 80, 90};
        gltf_add(&maker, "VEC3", GLTF_F32, 3, positions);
        gltf_add(&maker, "SCALAR", GLTF_U8, 2, which);
        gltf_add(&maker, "VEC3", GLTF_F32, 2, values);
        char json[300];
        snprintf(json, sizeof json,
                 "{%s\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":2,"
                 "\"indices\":{\"bufferView\":1,\"componentType\":5121},"
                 "\"values\":{\"bufferView\":2}}}",
                 base ? "\"bufferView\":0," : "");
        gltf_add_json(&maker, json);
        loaded state;
        byte_string glb;
        gltf_load(&state, &maker,
                  GLTF_SCENE ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":3}}]}]",
                  &glb);
        const double with[] = {10, 20, 30, 4, 5, 6, 70, 80, 90};
        const double without[] = {10, 20, 30, 0, 0, 0, 70, 80, 90};
        assert_near(mesh_of(&state, 0)->positions, base ? with : without, 9, 0.0);
        gltf_unload(&state, &glb);
    }
}

/* Chains, matrices, negative scale, several nodes with one mesh, and nodes outside the scene. */
static void nodes_place_their_meshes(void **unused)
{
    (void)unused;
    gltf_maker maker = {0};
    int positions, indices;
    gltf_add_square(&maker, &positions, &indices);
    loaded state;
    byte_string glb;
    /* Children are listed before their parents on purpose. */
    gltf_load(&state, &maker,
              ",\"scene\":1,\"scenes\":[{\"nodes\":[4]},{\"nodes\":[2,3]}],\"nodes\":["
              "{\"name\":\"leaf\",\"mesh\":0,\"translation\":[1,0,0]},"
              "{\"children\":[0],\"rotation\":[0,0,0.70710678,0.70710678],\"name\":\"turn\"},"
              "{\"children\":[1],\"scale\":[-2,1,1]},"
              "{\"name\":\"m\",\"mesh\":0,\"matrix\":[0,1,0,0,-1,0,0,0,0,0,1,0,5,6,7,1]},"
              "{\"name\":\"elsewhere\",\"mesh\":0}],"
              "\"meshes\":[{\"name\":\"square\",\"primitives\":[{\"attributes\":{\"POSITION\":0},"
              "\"indices\":1}]}]",
              &glb);
    pliant_asset_counts counts = pliant_asset_get_counts(state.asset);
    assert_int_equal(counts.bodies, 2);
    assert_int_equal(counts.shapes, 1);
    assert_string_equal(pliant_asset_get_body(state.asset, 0)->name, "leaf");
    assert_string_equal(pliant_asset_get_body(state.asset, 1)->name, "m");
    assert_int_equal(pliant_asset_get_body(state.asset, 0)->motion, PLIANT_ASSET_STILL);
    /* (x + 1, y, z), then a quarter turn (-y, x + 1, z), then the scale (2 y, x + 1, z). */
    const double leaf[] = {0, 2, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0};
    assert_near(pliant_asset_pose_get_state(state.pose, 0).transforms, leaf, 12, 1e-6);
    const double matrix[] = {0, -1, 0, 5, 1, 0, 0, 6, 0, 0, 1, 7};
    assert_near(pliant_asset_pose_get_state(state.pose, 1).transforms, matrix, 12, 0.0);
    gltf_unload(&state, &glb);
}

/* Influences: several sets, joints in any order, weights that sum to something else. */
static void skins_become_influences(void **unused)
{
    (void)unused;
    gltf_maker maker = {0};
    int positions, indices;
    gltf_add_square(&maker, &positions, &indices);
    const uint8_t joints[] = {1, 0, 0, 0, 0, 1, 2, 2, 2, 0, 0, 0, 1, 1, 0, 9};
    const float weights[] = {1, 0, 0, 0, 0.25f, 0.25f, 0.25f, 0.25f, 0, 0, 0, 0, 0.5f, 1.5f, 0, 0};
    const uint8_t joints_1[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    const uint8_t weights_1[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const float binds[] = {1, 0, 0, 0, 0,  1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0,
                           0, 0, 1, 0, -1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 3, 1};
    gltf_add(&maker, "VEC4", GLTF_U8, 4, joints);
    gltf_add(&maker, "VEC4", GLTF_F32, 4, weights);
    gltf_add(&maker, "MAT4", GLTF_F32, 3, binds);
    gltf_add(&maker, "VEC4", GLTF_U8, 4, joints_1);
    gltf_add_with(&maker, "VEC4", GLTF_U8, 4, weights_1, ",\"normalized\":true");
    loaded state;
    byte_string glb;
    gltf_load(&state, &maker,
              ",\"nodes\":[{\"name\":\"skinned\",\"mesh\":0,\"skin\":0,\"translation\":[99,0,0]},"
              "{\"name\":\"root\",\"translation\":[0,10,0],\"children\":[2,3]},"
              "{\"name\":\"a\",\"translation\":[1,0,0],\"scale\":[2,2,2]},{\"name\":\"b\"}],"
              "\"skins\":[{\"joints\":[3,2,1],\"inverseBindMatrices\":4}],"
              "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,"
              "\"WEIGHTS_0\":3,\"JOINTS_1\":5,\"WEIGHTS_1\":6},\"indices\":1}]}]",
              &glb);
    assert_int_equal(pliant_asset_get_counts(state.asset).bodies, 1);
    const pliant_asset_body *body = pliant_asset_get_body(state.asset, 0);
    const pliant_asset_mesh *mesh = mesh_of(&state, 0);
    assert_int_equal(body->motion, PLIANT_ASSET_DEFORMING);
    assert_int_equal(body->joint_count, 3);
    assert_string_equal(body->joint_names[0], "b");
    assert_string_equal(body->joint_names[1], "a");
    assert_string_equal(body->joint_names[2], "root");
    const uint32_t offsets[] = {0, 1, 4, 5, 6}, nodes[] = {1, 0, 1, 2, 2, 1};
    const double expected[] = {1, 0.25, 0.25, 0.5, 1, 1};
    assert_memory_equal(mesh->influence_offsets, offsets, sizeof offsets);
    assert_memory_equal(mesh->influence_joints, nodes, sizeof nodes);
    assert_near(mesh->influence_weights, expected, 6, 0.0);
    assert_non_null(strstr(pliant_asset_get_note(state.asset, 0), "2 vertices do not sum to 1"));
    /* Joint world times inverse bind; the node of the mesh itself does not matter. */
    const double transforms[] = {1, 0,  0, 0, 0, 1, 0, 10, 0, 0, 1, 0, 2, 0,  0, -1, 0, 2,
                                 0, 10, 0, 0, 2, 0, 1, 0,  0, 0, 0, 1, 0, 10, 0, 0,  1, 3};
    assert_near(pliant_asset_pose_get_state(state.pose, 0).transforms, transforms, 36, 0.0);
    float *vertices = evaluated(&state, 0);
    const double second[] = {0.25 * 1 + 0.25 * 1 + 0.5 * 1, 10, 1.5};
    assert_near(vertices + 3, second, 3, 1e-6);
    free(vertices);
    gltf_unload(&state, &glb);
}

static void morph_targets_become_modes(void **unused)
{
    (void)unused;
    gltf_maker maker = {0};
    gltf_add_morphs(&maker);
    loaded state;
    byte_string glb;
    gltf_load(&state, &maker,
              ",\"nodes\":[{\"mesh\":0},{\"mesh\":0,\"weights\":[-1,8]}]," GLTF_MORPH_MESH, &glb);
    const pliant_asset_mesh *mesh = mesh_of(&state, 0);
    assert_int_equal(pliant_asset_get_counts(state.asset).shapes, 1);
    assert_int_equal(mesh->mode_count, 2);
    assert_string_equal(mesh->mode_names[0], "smile");
    assert_string_equal(mesh->mode_names[1], "target 1");
    const double modes[] = {0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    assert_near(mesh->modes, modes, 24, 0.0);
    const double of_mesh[] = {0.5, 0.25}, of_node[] = {-1, 8};
    assert_int_equal(pliant_asset_pose_get_state(state.pose, 0).coordinate_count, 2);
    assert_near(pliant_asset_pose_get_state(state.pose, 0).coordinates, of_mesh, 2, 0.0);
    assert_near(pliant_asset_pose_get_state(state.pose, 1).coordinates, of_node, 2, 0.0);
    float *vertices = evaluated(&state, 0);
    assert_true(vertices[2] == 0.5f && vertices[11] == 2.0f);
    free(vertices);
    gltf_unload(&state, &glb);
}

/* Groups are primitives, named after materials; primitives that share vertices keep doing so. */
static void primitives_become_groups(void **unused)
{
    (void)unused;
    gltf_maker maker = {0};
    const float positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const uint16_t first[] = {0, 1, 2}, second[] = {0, 2, 3};
    gltf_add(&maker, "VEC3", GLTF_F32, 4, positions);
    gltf_add(&maker, "SCALAR", GLTF_U16, 3, first);
    gltf_add(&maker, "SCALAR", GLTF_U16, 3, second);
    gltf_add(&maker, "VEC3", GLTF_F32, 4, positions);
    loaded state;
    byte_string glb;
    gltf_load(&state, &maker,
              GLTF_SCENE ",\"materials\":[{\"name\":\"skin\"},{}],\"meshes\":[{\"primitives\":["
                         "{\"attributes\":{\"POSITION\":0},\"indices\":1,\"material\":1},"
                         "{\"attributes\":{\"POSITION\":0},\"mode\":1},"
                         "{\"attributes\":{\"POSITION\":0},\"indices\":2,\"material\":0},"
                         "{\"attributes\":{\"POSITION\":3},\"indices\":2}]}]",
              &glb);
    const pliant_asset_mesh *mesh = mesh_of(&state, 0);
    assert_int_equal(mesh->vertex_count, 8);
    const uint32_t corners[] = {0, 1, 2, 0, 2, 3, 4, 6, 7};
    assert_corners(mesh, corners, 3);
    assert_int_equal(mesh->group_count, 3);
    assert_int_equal(mesh->groups[1], 1);
    assert_string_equal(mesh->group_names[0], "material 1");
    assert_string_equal(mesh->group_names[1], "skin");
    assert_string_equal(mesh->group_names[2], "primitive 3");
    assert_non_null(
        strstr(pliant_asset_get_note(state.asset, 0), "1 primitives without triangles"));
    gltf_unload(&state, &glb);
}

/* A glTF file with its buffer in a data: URI, and in files beside it. */
static void buffers_come_from_uris_and_files(void **unused)
{
    (void)unused;
    static const char *const uris[] = {
        "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA",
        "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA",
        "data.bin",
        "sub/d%61ta%20b.bin",
    };
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    byte_string bin = {0};
    bytes_add_floats(&bin, positions, 9);
    for (size_t i = 0; i < sizeof uris / sizeof uris[0]; i++) {
        char json[600];
        snprintf(
            json, sizeof json,
            "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}],"
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":"
            "0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}]" GLTF_SCENE
            ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
            uris[i]);
        const char *path = "folder/a.gltf";
        loaded state = {.files = {{path, json, strlen(json)},
                                  {"folder/data.bin", bin.at, bin.size},
                                  {"folder/sub/data b.bin", bin.at, bin.size}}};
        load_files(&state, &path, 1);
        const double expected[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        assert_near(mesh_of(&state, 0)->positions, expected, 9, 0.0);
        unload(&state);
    }
    bytes_free(&bin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_become_triangles),
        cmocka_unit_test(components_are_read_as_they_are_typed),
        cmocka_unit_test(interleaved_attributes_are_read),
        cmocka_unit_test(sparse_accessors_replace_elements),
        cmocka_unit_test(nodes_place_their_meshes),
        cmocka_unit_test(skins_become_influences),
        cmocka_unit_test(morph_targets_become_modes),
        cmocka_unit_test(primitives_become_groups),
        cmocka_unit_test(buffers_come_from_uris_and_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
