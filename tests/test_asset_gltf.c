/* glTF 2.0 and GLB: every feature on a file small enough to know the answer. */
#include "gltf_maker.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLIANT_TEST_MESHOPTIMIZER
#include <meshoptimizer.h>
#endif

#define SCENE ",\"nodes\":[{\"mesh\":0}]"

static void load_maker(loaded *state, gltf_maker *maker, const char *members, byte_string *glb)
{
    *glb = gltf_finish(maker, members);
    load_bytes(state, "a.glb", glb->at, glb->size);
}

static void done(loaded *state, byte_string *glb)
{
    unload(state);
    bytes_free(glb);
}

static const pliant_asset_mesh *mesh_of(const loaded *state, uint32_t body)
{
    const pliant_asset_body *described = pliant_asset_get_body(state->asset, body);
    assert_non_null(described);
    return pliant_asset_get_mesh(state->asset, described->shape);
}

static void assert_near(const float *found, const double *expected, size_t count, double tolerance)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs((double)found[i] - expected[i]) <= tolerance)) {
            fail_msg("number %zu is %.9g, not %.9g", i, (double)found[i], expected[i]);
        }
    }
}

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
                     SCENE ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":%d}%s,"
                           "\"mode\":%d}]}]",
                     position, index_member, cases[c].mode);
            loaded state;
            byte_string glb;
            load_maker(&state, &maker, members, &glb);
            uint32_t expected[9];
            for (size_t i = 0; i < 9; i++) {
                uint32_t corner = cases[c].corners[i];
                expected[i] = type > 0 ? (uint32_t)used - 1 - corner : corner;
            }
            assert_corners(mesh_of(&state, 0), expected, cases[c].triangles);
            done(&state, &glb);
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
            load_maker(&state, &maker,
                       SCENE ",\"extensionsRequired\":[\"KHR_mesh_quantization\"],"
                             "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]",
                       &glb);
            assert_near(mesh_of(&state, 0)->positions,
                        normalised ? cases[c].normalised : cases[c].first, 3, 1e-7);
            done(&state, &glb);
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
    load_maker(&state, &maker,
               SCENE ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]", &glb);
    const double expected[] = {0, 0, 7, 1, 1, 7, 2, 4, 7};
    assert_near(mesh_of(&state, 0)->positions, expected, 9, 0.0);
    done(&state, &glb);
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
        load_maker(&state, &maker,
                   SCENE ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":3}}]}]",
                   &glb);
        const double with[] = {10, 20, 30, 4, 5, 6, 70, 80, 90};
        const double without[] = {10, 20, 30, 0, 0, 0, 70, 80, 90};
        assert_near(mesh_of(&state, 0)->positions, base ? with : without, 9, 0.0);
        done(&state, &glb);
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
    load_maker(&state, &maker,
               ",\"scene\":1,\"scenes\":[{\"nodes\":[4]},{\"nodes\":[2,3]}],\"nodes\":["
               "{\"name\":\"leaf\",\"mesh\":0,\"translation\":[1,0,0]},"
               "{\"children\":[0],\"rotation\":[0,0,0.70710678,0.70710678],\"name\":\"turn\"},"
               "{\"children\":[1],\"scale\":[-2,1,1]},"
               "{\"name\":\"m\",\"mesh\":0,\"matrix\":[0,1,0,0,-1,0,0,0,0,0,1,0,5,6,7,1]},"
               "{\"name\":\"elsewhere\",\"mesh\":0}],"
               "\"meshes\":[{\"name\":\"square\",\"primitives\":[{\"attributes\":{\"POSITION\":0},"
               "\"indices\":1}]}]",
               &glb);
    pliant_asset_counts counts = pliant_asset_count(state.asset);
    assert_int_equal(counts.bodies, 2);
    assert_int_equal(counts.shapes, 1);
    assert_string_equal(pliant_asset_get_body(state.asset, 0)->name, "leaf");
    assert_string_equal(pliant_asset_get_body(state.asset, 1)->name, "m");
    assert_int_equal(pliant_asset_get_body(state.asset, 0)->motion, PLIANT_ASSET_STILL);
    /* (x + 1, y, z), then a quarter turn (-y, x + 1, z), then the scale (2 y, x + 1, z). */
    const double leaf[] = {0, 2, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0};
    assert_near(pliant_asset_get_state(state.pose, 0).transforms, leaf, 12, 1e-6);
    const double matrix[] = {0, -1, 0, 5, 1, 0, 0, 6, 0, 0, 1, 7};
    assert_near(pliant_asset_get_state(state.pose, 1).transforms, matrix, 12, 0.0);
    done(&state, &glb);
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
    load_maker(&state, &maker,
               ",\"nodes\":[{\"name\":\"skinned\",\"mesh\":0,\"skin\":0,\"translation\":[99,0,0]},"
               "{\"name\":\"root\",\"translation\":[0,10,0],\"children\":[2,3]},"
               "{\"name\":\"a\",\"translation\":[1,0,0],\"scale\":[2,2,2]},{\"name\":\"b\"}],"
               "\"skins\":[{\"joints\":[3,2,1],\"inverseBindMatrices\":4}],"
               "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,"
               "\"WEIGHTS_0\":3,\"JOINTS_1\":5,\"WEIGHTS_1\":6},\"indices\":1}]}]",
               &glb);
    assert_int_equal(pliant_asset_count(state.asset).bodies, 1);
    const pliant_asset_body *body = pliant_asset_get_body(state.asset, 0);
    const pliant_asset_mesh *mesh = mesh_of(&state, 0);
    assert_int_equal(body->motion, PLIANT_ASSET_DEFORMING);
    assert_int_equal(body->node_count, 3);
    assert_string_equal(body->node_names[0], "b");
    assert_string_equal(body->node_names[1], "a");
    assert_string_equal(body->node_names[2], "root");
    const uint32_t offsets[] = {0, 1, 4, 5, 6}, nodes[] = {1, 0, 1, 2, 2, 1};
    const double expected[] = {1, 0.25, 0.25, 0.5, 1, 1};
    assert_memory_equal(mesh->influence_offsets, offsets, sizeof offsets);
    assert_memory_equal(mesh->influence_nodes, nodes, sizeof nodes);
    assert_near(mesh->influence_weights, expected, 6, 0.0);
    assert_non_null(strstr(pliant_asset_get_note(state.asset, 0), "2 vertices do not sum to 1"));
    /* Joint world times inverse bind; the node of the mesh itself does not matter. */
    const double transforms[] = {1, 0,  0, 0, 0, 1, 0, 10, 0, 0, 1, 0, 2, 0,  0, -1, 0, 2,
                                 0, 10, 0, 0, 2, 0, 1, 0,  0, 0, 0, 1, 0, 10, 0, 0,  1, 3};
    assert_near(pliant_asset_get_state(state.pose, 0).transforms, transforms, 36, 0.0);
    float *vertices = evaluated(&state, 0);
    const double second[] = {0.25 * 1 + 0.25 * 1 + 0.5 * 1, 10, 1.5};
    assert_near(vertices + 3, second, 3, 1e-6);
    free(vertices);
    done(&state, &glb);
}

#define MORPH_MESH                                                                                 \
    "\"meshes\":[{\"weights\":[0.5,0.25],\"extras\":{\"targetNames\":[\"smile\"]},"                \
    "\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"targets\":[{\"POSITION\":2}" \
    ","                                                                                            \
    "{\"NORMAL\":3}]}]}]"

static void add_morphs(gltf_maker *maker)
{
    int positions, indices;
    gltf_add_square(maker, &positions, &indices);
    const float target[] = {0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4};
    gltf_add(maker, "VEC3", GLTF_F32, 4, target);
    gltf_add(maker, "VEC3", GLTF_F32, 4, target);
}

static void morph_targets_become_modes(void **unused)
{
    (void)unused;
    gltf_maker maker = {0};
    add_morphs(&maker);
    loaded state;
    byte_string glb;
    load_maker(&state, &maker,
               ",\"nodes\":[{\"mesh\":0},{\"mesh\":0,\"weights\":[-1,8]}]," MORPH_MESH, &glb);
    const pliant_asset_mesh *mesh = mesh_of(&state, 0);
    assert_int_equal(pliant_asset_count(state.asset).shapes, 1);
    assert_int_equal(mesh->mode_count, 2);
    assert_string_equal(mesh->mode_names[0], "smile");
    assert_string_equal(mesh->mode_names[1], "target 1");
    const double modes[] = {0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    assert_near(mesh->modes, modes, 24, 0.0);
    const double of_mesh[] = {0.5, 0.25}, of_node[] = {-1, 8};
    assert_int_equal(pliant_asset_get_state(state.pose, 0).coordinate_count, 2);
    assert_near(pliant_asset_get_state(state.pose, 0).coordinates, of_mesh, 2, 0.0);
    assert_near(pliant_asset_get_state(state.pose, 1).coordinates, of_node, 2, 0.0);
    float *vertices = evaluated(&state, 0);
    assert_true(vertices[2] == 0.5f && vertices[11] == 2.0f);
    free(vertices);
    done(&state, &glb);
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
    load_maker(&state, &maker,
               SCENE ",\"materials\":[{\"name\":\"skin\"},{}],\"meshes\":[{\"primitives\":["
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
    done(&state, &glb);
}

/* Three keys at 1, 2 and 4 seconds; with CUBICSPLINE each has an in- and an out-tangent. */
static void load_animated(loaded *state, byte_string *glb, const char *path, const char *type,
                          int value_type, size_t value_count, const void *values,
                          const char *members, const char *interpolation)
{
    gltf_maker maker = {0};
    add_morphs(&maker);
    const float times[] = {1, 2, 4};
    gltf_add(&maker, "SCALAR", GLTF_F32, 3, times);
    gltf_add_with(&maker, type, value_type, value_count, values, members);
    char text[900];
    snprintf(text, sizeof text,
             ",\"nodes\":[{\"mesh\":0,\"translation\":[9,0,0]}]," MORPH_MESH
             ",\"animations\":[{\"name\":\"clip\",\"channels\":[{\"sampler\":0,\"target\":{"
             "\"node\":0,\"path\":\"%s\"}}],\"samplers\":[{\"input\":4,\"output\":5%s}]}]",
             path, interpolation);
    load_maker(state, &maker, text, glb);
    assert_int_equal(pliant_asset_count(state->asset).clips, 1);
    assert_string_equal(pliant_asset_get_clip(state->asset, 0)->name, "clip");
    assert_true(pliant_asset_get_clip(state->asset, 0)->duration == 4.0);
}

static void assert_translation(loaded *state, double time, double x)
{
    assert_ok(pliant_asset_sample(state->pose, 0, time));
    float found = pliant_asset_get_state(state->pose, 0).transforms[3];
    if (fabs((double)found - x) > 1e-6) {
        fail_msg("at %g: %.9g, not %.9g", time, (double)found, x);
    }
}

static void keys_are_interpolated(void **unused)
{
    (void)unused;
    const float keys[] = {1, 0, 0, 3, 0, 0, -1, 0, 0};
    const float cubic[] = {5, 0, 0, 1, 0, 0, 2, 0, 0, /* in, value, out */
                           1, 0, 0, 3, 0, 0, 4, 0, 0, 6, 0, 0, -1, 0, 0, 7, 0, 0};
    loaded state;
    byte_string glb;
    load_animated(&state, &glb, "translation", "VEC3", GLTF_F32, 3, keys, "", "");
    assert_translation(&state, 0.0, 1.0);
    assert_translation(&state, 1.0, 1.0);
    assert_translation(&state, 1.5, 2.0);
    assert_translation(&state, 2.0, 3.0);
    assert_translation(&state, 2.5, 2.0);
    assert_translation(&state, 4.0, -1.0);
    assert_translation(&state, 1e300, -1.0);
    assert_ok(pliant_asset_sample(state.pose, PLIANT_ASSET_REST, 0.0));
    assert_true(pliant_asset_get_state(state.pose, 0).transforms[3] == 9.0f);
    assert_int_equal(pliant_asset_sample(state.pose, 0, (double)NAN), PLIANT_ERROR_NOT_FINITE);
    done(&state, &glb);
    load_animated(&state, &glb, "translation", "VEC3", GLTF_F32, 3, keys, "",
                  ",\"interpolation\":\"STEP\"");
    assert_translation(&state, 1.999, 1.0);
    assert_translation(&state, 2.0, 3.0);
    assert_translation(&state, 3.999, 3.0);
    assert_translation(&state, 4.0, -1.0);
    done(&state, &glb);
    load_animated(&state, &glb, "translation", "VEC3", GLTF_F32, 9, cubic, "",
                  ",\"interpolation\":\"CUBICSPLINE\"");
    assert_translation(&state, 0.5, 1.0);
    assert_translation(&state, 2.0, 3.0);
    /* Halfway: (a + b) / 2 + span (out - in) / 8. */
    assert_translation(&state, 1.5, 2.0 + 1.0 * (2.0 - 1.0) / 8.0);
    assert_translation(&state, 3.0, 1.0 + 2.0 * (4.0 - 6.0) / 8.0);
    assert_translation(&state, 5.0, -1.0);
    done(&state, &glb);
}

static void rotations_turn_at_constant_speed(void **unused)
{
    (void)unused;
    /* About z: 0, 90 degrees, and the same 90 degrees as the opposite quaternion. */
    const float half = 0.70710678f;
    const float keys[] = {0, 0, 0, 1, 0, 0, half, half, 0, 0, -half, -half};
    loaded state;
    byte_string glb;
    load_animated(&state, &glb, "rotation", "VEC4", GLTF_F32, 3, keys, "", "");
    for (int i = 0; i <= 10; i++) {
        double angle = 1.57079632679 * i / 10.0;
        assert_ok(pliant_asset_sample(state.pose, 0, 1.0 + 0.1 * i));
        const float *t = pliant_asset_get_state(state.pose, 0).transforms;
        const double expected[] = {cos(angle), -sin(angle), 0, 9, sin(angle), cos(angle), 0, 0};
        assert_near(t, expected, 8, 1e-6);
    }
    assert_ok(pliant_asset_sample(state.pose, 0, 3.0));
    const double quarter[] = {0, -1, 0, 9, 1, 0, 0, 0, 0, 0, 1, 0};
    assert_near(pliant_asset_get_state(state.pose, 0).transforms, quarter, 12, 1e-6);
    done(&state, &glb);
    /* The same from 16-bit integers. */
    const int16_t shorts[] = {0, 0, 0, 32767, 0, 0, 23170, 23170, 0, 0, -23170, -23170};
    load_animated(&state, &glb, "rotation", "VEC4", GLTF_I16, 3, shorts, ",\"normalized\":true",
                  "");
    assert_ok(pliant_asset_sample(state.pose, 0, 2.0));
    assert_near(pliant_asset_get_state(state.pose, 0).transforms, quarter, 12, 1e-6);
    done(&state, &glb);
}

static void weights_and_scales_are_animated(void **unused)
{
    (void)unused;
    const float weights[] = {0, 1, 1, 0, 0.5f, -4};
    const float scales[] = {1, 1, 1, 2, -3, 4, 1, 1, 1};
    loaded state;
    byte_string glb;
    load_animated(&state, &glb, "weights", "SCALAR", GLTF_F32, 6, weights, "", "");
    const double halfway[] = {0.5, 0.5}, last[] = {0.5, -4};
    assert_ok(pliant_asset_sample(state.pose, 0, 1.5));
    assert_near(pliant_asset_get_state(state.pose, 0).coordinates, halfway, 2, 0.0);
    assert_ok(pliant_asset_sample(state.pose, 0, 4.0));
    assert_near(pliant_asset_get_state(state.pose, 0).coordinates, last, 2, 0.0);
    assert_int_equal(pliant_asset_get_body(state.asset, 0)->motion, PLIANT_ASSET_DEFORMING);
    done(&state, &glb);
    load_animated(&state, &glb, "scale", "VEC3", GLTF_F32, 3, scales, "", "");
    assert_ok(pliant_asset_sample(state.pose, 0, 2.0));
    const double scaled[] = {2, 0, 0, 9, 0, -3, 0, 0, 0, 0, 4, 0};
    assert_near(pliant_asset_get_state(state.pose, 0).transforms, scaled, 12, 0.0);
    done(&state, &glb);
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
            "0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}]" SCENE
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

/* Several files side by side: clips of one leave the others at rest. */
static void files_stand_side_by_side(void **unused)
{
    (void)unused;
    const float keys[] = {1, 0, 0, 3, 0, 0, -1, 0, 0};
    loaded first;
    byte_string glb;
    load_animated(&first, &glb, "translation", "VEC3", GLTF_F32, 3, keys, "", "");
    unload(&first);
    const char *paths[] = {"a.glb", "b.obj", "a.glb"};
    const char *obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    loaded state = {.files = {{"a.glb", glb.at, glb.size}, {"b.obj", obj, strlen(obj)}}};
    load_files(&state, paths, 3);
    assert_int_equal(pliant_asset_count(state.asset).bodies, 3);
    assert_int_equal(pliant_asset_count(state.asset).clips, 2);
    assert_int_equal(pliant_asset_get_body(state.asset, 0)->motion, PLIANT_ASSET_DEFORMING);
    assert_ok(pliant_asset_sample(state.pose, 1, 2.0));
    assert_true(pliant_asset_get_state(state.pose, 0).transforms[3] == 9.0f);
    assert_true(pliant_asset_get_state(state.pose, 1).transforms[3] == 0.0f);
    assert_true(pliant_asset_get_state(state.pose, 2).transforms[3] == 3.0f);
    assert_true(pliant_asset_get_state(state.pose, 2).coordinates[0] == 0.5f);
    unload(&state);
    bytes_free(&glb);
}

#ifdef PLIANT_TEST_MESHOPTIMIZER

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
        load_maker(&state, &maker,
                   SCENE ",\"extensionsRequired\":[\"EXT_meshopt_compression\"],\"meshes\":[{"
                         "\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]",
                   &glb);
        const double expected[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, -2.5};
        assert_near(mesh_of(&state, 0)->positions, expected, 12, 0.0);
        const pliant_asset_mesh *mesh = mesh_of(&state, 0);
        assert_int_equal(mesh->triangle_count, 2);
        /* The index codec may turn a triangle, but not over. */
        uint32_t sum = mesh->triangles[0] + mesh->triangles[1] + mesh->triangles[2];
        assert_int_equal(sum, 3);
        done(&state, &glb);
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
    load_maker(&state, &maker,
               SCENE ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]", &glb);
    const double expected[] = {0, 0, 0, 1, 0, 0, 1, 1, 0};
    assert_near(mesh_of(&state, 0)->positions, expected, 9, 1e-3);
    done(&state, &glb);
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
                 "\"VEC3\"}]" SCENE
                 ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
                 cases[i].length, cases[i].stride, cases[i].count, cases[i].mode, cases[i].filter);
        assert_glb_refused(json, &bin, cases[i].part);
    }
    bytes_free(&bin);
}

#endif

/* What a body evaluates is what the asset evaluates, bit for bit. */
static void bodies_evaluate_what_assets_do(void **unused)
{
    (void)unused;
    gltf_maker maker = {0};
    add_morphs(&maker);
    const uint16_t joints[] = {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    const uint8_t weights[] = {100, 155, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 33, 222, 0, 0};
    const float times[] = {0, 1};
    const float turns[] = {0, 0, 0, 1, 0.6f, 0, 0, 0.8f};
    const float mix[] = {0.1f, 0.2f, 0.7f, -0.3f};
    gltf_add(&maker, "VEC4", GLTF_U16, 4, joints);
    gltf_add_with(&maker, "VEC4", GLTF_U8, 4, weights, ",\"normalized\":true");
    gltf_add(&maker, "SCALAR", GLTF_F32, 2, times);
    gltf_add(&maker, "VEC4", GLTF_F32, 2, turns);
    gltf_add(&maker, "SCALAR", GLTF_F32, 4, mix);
    loaded state;
    byte_string glb;
    load_maker(&state, &maker,
               ",\"nodes\":[{\"mesh\":0,\"skin\":0},{\"translation\":[0.1,0.2,0.3]},"
               "{\"translation\":[-7,0.1,0]}],\"skins\":[{\"joints\":[1,2]}],"
               "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":4,"
               "\"WEIGHTS_0\":5},\"indices\":1,\"targets\":[{\"POSITION\":2},{\"POSITION\":3}]}]}],"
               "\"animations\":[{\"channels\":["
               "{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}},"
               "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"weights\"}}],"
               "\"samplers\":[{\"input\":6,\"output\":7},{\"input\":6,\"output\":8}]}]",
               &glb);
    pliant_shape_def def;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    assert_ok(pliant_asset_shape(state.asset, 0, &def));
    assert_ok(pliant_shape_create(state.context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    for (int i = 0; i <= 20; i++) {
        assert_ok(pliant_asset_sample(state.pose, 0, 0.05 * i));
        assert_ok(pliant_asset_apply(state.pose, 0, body));
        float found[12];
        assert_ok(pliant_body_evaluate(body, NULL, 4, found));
        float *expected = evaluated(&state, 0);
        for (int k = 0; k < 12; k++) {
            assert_true(found[k] == expected[k]);
        }
        free(expected);
    }
    assert_int_equal(pliant_asset_apply(state.pose, 1, body), PLIANT_ERROR_RANGE);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    done(&state, &glb);
}

/* What a thread found when it played a clip many times. */
typedef struct player {
    const pliant_asset *asset;
    pliant_asset_pose *pose;
    float sum;
    pliant_result result;
} player;

static void *play(void *argument)
{
    player *p = argument;
    for (int i = 0; i < 200 && p->result == PLIANT_OK; i++) {
        p->result = pliant_asset_sample(p->pose, 0, 0.02 * i);
        p->sum += pliant_asset_get_state(p->pose, 0).transforms[3];
    }
    return NULL;
}

/* Poses of one asset play on several threads at once, each for itself and without allocating. */
static void poses_play_on_several_threads(void **unused)
{
    (void)unused;
    const float keys[] = {1, 0, 0, 3, 0, 0, -1, 0, 0};
    loaded state;
    byte_string glb;
    load_animated(&state, &glb, "translation", "VEC3", GLTF_F32, 3, keys, "", "");
    player players[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        players[i] = (player){.asset = state.asset};
        assert_ok(pliant_asset_pose_create(state.asset, &players[i].pose));
    }
    uint64_t allocations = state.memory.calls;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, play, &players[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(players[i].result, PLIANT_OK);
        assert_true(players[i].sum == players[0].sum && players[i].sum != 0.0f);
    }
    assert_int_equal(state.memory.calls, allocations);
    for (int i = 0; i < 4; i++) {
        pliant_asset_pose_destroy(players[i].pose);
    }
    done(&state, &glb);
}

/* What is written is read back, bit for bit, keys included. */
static void written_files_are_read_back(void **unused)
{
    (void)unused;
    const float positions[] = {0, 0, 0, 1, 0.1f, 0, 0, 1, 0.3f, 1e-30f, -4e20f, 7};
    const uint32_t triangles[] = {0, 1, 2, 3, 2, 1};
    const float modes[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3};
    const float coordinates[] = {0.1f, 0.2f, -0.3f, 1, 0, 0, 0.7f, 0.9f};
    const pliant_asset_output bodies[] = {
        {.name = "a \"name\"\n\xc3\xa4\xff",
         .positions = positions,
         .triangles = triangles,
         .modes = modes,
         .coordinates = coordinates,
         .vertex_count = 4,
         .triangle_count = 2,
         .mode_count = 2,
         .error = 0.1f},
        {.name = "still",
         .positions = positions,
         .triangles = triangles,
         .vertex_count = 4,
         .triangle_count = 1},
    };
    uint64_t size = 0;
    assert_ok(pliant_asset_write(bodies, 2, 4, 29.97, NULL, 0, &size));
    uint8_t *buffer = malloc(size);
    assert_non_null(buffer);
    assert_int_equal(pliant_asset_write(bodies, 2, 4, 29.97, buffer, size - 1, &size),
                     PLIANT_ERROR_ARGUMENT);
    assert_ok(pliant_asset_write(bodies, 2, 4, 29.97, buffer, size, &size));
    loaded state;
    load_bytes(&state, "written.glb", buffer, size);
    assert_int_equal(pliant_asset_count(state.asset).bodies, 2);
    assert_int_equal(pliant_asset_count(state.asset).notes, 0);
    assert_string_equal(pliant_asset_get_body(state.asset, 0)->name, "a \"name\"\n\xc3\xa4?");
    const pliant_asset_mesh *mesh = mesh_of(&state, 0);
    assert_memory_equal(mesh->positions, positions, sizeof positions);
    assert_memory_equal(mesh->modes, modes, sizeof modes);
    assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
    pliant_shape_def def;
    assert_ok(pliant_asset_shape(state.asset, 0, &def));
    assert_true(def.error == 0.1f);
    assert_ok(pliant_asset_shape(state.asset, 1, &def));
    assert_true(def.error == 0.0f);
    assert_string_equal(pliant_asset_get_clip(state.asset, 0)->name, "frames");
    for (int f = 0; f < 4; f++) {
        assert_ok(pliant_asset_sample(state.pose, 0, f / 29.97));
        assert_memory_equal(pliant_asset_get_state(state.pose, 0).coordinates, coordinates + 2 * f,
                            2 * sizeof(float));
    }
    unload(&state);
    free(buffer);
    pliant_asset_output bad = bodies[0];
    bad.vertex_count = 3;
    assert_int_equal(pliant_asset_write(&bad, 1, 4, 30.0, NULL, 0, &size), PLIANT_ERROR_RANGE);
    bad = bodies[0];
    bad.error = -1.0f;
    assert_int_equal(pliant_asset_write(&bad, 1, 4, 30.0, NULL, 0, &size), PLIANT_ERROR_RANGE);
    const float not_finite[] = {0, 0, (float)INFINITY, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    bad = bodies[1];
    bad.positions = not_finite;
    assert_int_equal(pliant_asset_write(&bad, 1, 4, 30.0, NULL, 0, &size), PLIANT_ERROR_NOT_FINITE);
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
        cmocka_unit_test(keys_are_interpolated),
        cmocka_unit_test(rotations_turn_at_constant_speed),
        cmocka_unit_test(weights_and_scales_are_animated),
        cmocka_unit_test(buffers_come_from_uris_and_files),
        cmocka_unit_test(files_stand_side_by_side),
#ifdef PLIANT_TEST_MESHOPTIMIZER
        cmocka_unit_test(compressed_views_are_decoded),
        cmocka_unit_test(exponential_filter_is_undone),
        cmocka_unit_test(bad_compression_is_refused),
#endif
        cmocka_unit_test(bodies_evaluate_what_assets_do),
        cmocka_unit_test(poses_play_on_several_threads),
        cmocka_unit_test(written_files_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
