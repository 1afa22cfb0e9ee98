/* What files of the wild have that is not quite right: weights that cannot be used and are repaired
   on demand, several scenes, pointers of Git LFS, formats that are refused by name. */
#include "asset_seeds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The skinned triangle with other weights or joints, loaded from memory. */
static pliant_result load_case(loaded *state, const skinned_case *made, bool repair,
                               byte_string *file)
{
    gltf_maker maker = {0};
    byte_string json;
    add_case(&maker, made, &json);
    *file = make_glb((const char *)json.at, &maker.bin);
    bytes_free(&json);
    gltf_free(&maker);
    *state = (loaded){.files = {{"w.glb", file->at, file->size}}};
    state->folder = (memory_folder){state->files, 1};
    state->context = asset_context(&state->memory);
    pliant_asset_def def = pliant_asset_def_default();
    const char *path = "w.glb";
    def.paths = &path;
    def.path_count = 1;
    def.files = memory_files(&state->folder);
    def.repair = repair;
    pliant_result result = pliant_asset_load(state->context, &def, &state->asset);
    return result == PLIANT_OK ? pliant_asset_pose_create(state->asset, &state->pose) : result;
}

static void end_case(loaded *state, byte_string *file)
{
    unload(state);
    bytes_free(file);
}

static bool has_note(const loaded *state, const char *part)
{
    for (uint32_t i = 0; i < pliant_asset_get_counts(state->asset).notes; i++) {
        if (strstr(pliant_asset_get_note(state->asset, i), part) != NULL) {
            return true;
        }
    }
    return false;
}

static void weights_that_cannot_be_used_are_named(void **unused)
{
    (void)unused;
    const float bad[] = {1, NAN, 0, 0, INFINITY, 0.5f, 0, NAN, 0, 1, 0, 0};
    skinned_case made = plain_case();
    made.weights = bad;
    loaded state;
    byte_string file;
    assert_int_equal(load_case(&state, &made, false, &file), PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "mesh 0 'mesh 0': primitive 0: WEIGHTS_0 of "
                                                "vertices 0, 1 are not finite"));
    assert_non_null(strstr(pliant_last_error(), "--repair"));
    end_case(&state, &file);
}

/* A weight that is not used leaves the others, made to sum to 1. */
static void weights_are_repaired(void **unused)
{
    (void)unused;
    const float bad[3] = {NAN, -0.25f, -INFINITY};
    for (int i = 0; i < 3; i++) {
        const float weights[] = {1, 0, 0, 0, 0.5f, bad[i], 0, 0, 0, 1, 0, 0};
        skinned_case made = plain_case();
        made.weights = weights;
        loaded state;
        byte_string file;
        assert_ok(load_case(&state, &made, true, &file));
        const pliant_asset_mesh *mesh = mesh_of(&state, 0);
        assert_int_equal(mesh->joint_count, 2);
        assert_int_equal(mesh->influence_offsets[2] - mesh->influence_offsets[1], 1);
        assert_int_equal(mesh->influence_joints[mesh->influence_offsets[1]], 0);
        assert_true(mesh->influence_weights[mesh->influence_offsets[1]] == 1.0f);
        assert_true(has_note(&state, "weights of 1 vertices cannot be used"));
        end_case(&state, &file);
    }
}

/* A vertex that is left without weights stays where its mesh's node is. */
static void vertices_without_weights_follow_the_node(void **unused)
{
    (void)unused;
    const float weights[] = {1, 0, 0, 0, NAN, 0, 0, 0, 0, 1, 0, 0};
    const uint8_t joints[] = {0, 0, 0, 0, 7, 9, 0, 0, 0, 1, 0, 0};
    for (int by_joint = 0; by_joint < 2; by_joint++) {
        skinned_case made = plain_case();
        const float halves[] = {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 1, 0, 0};
        made.weights = by_joint ? halves : weights;
        made.joints = by_joint ? joints : plain_joints;
        loaded state;
        byte_string file;
        assert_ok(load_case(&state, &made, true, &file));
        const pliant_asset_mesh *mesh = mesh_of(&state, 0);
        const pliant_asset_body *body = pliant_asset_get_body(state.asset, 0);
        assert_int_equal(mesh->joint_count, 3);
        assert_int_equal(body->joint_count, 3);
        assert_int_equal(mesh->influence_offsets[2] - mesh->influence_offsets[1], 1);
        assert_int_equal(mesh->influence_joints[mesh->influence_offsets[1]], 2);
        assert_string_equal(body->joint_names[2], "node 0");
        assert_ok(pliant_asset_pose_sample(state.pose, 0, 1.0)); /* joint 1 has turned */
        assert_int_equal(pliant_asset_pose_get_state(state.pose, 0).transform_count, 3);
        float *found = evaluated(&state, 0);
        const double expected[] = {1.5, 0, 0}; /* its morph, half of square[1], and no joint */
        assert_near(found + 3, expected, 3, 1e-6);
        free(found);
        assert_true(has_note(&state, "1 of these follow the mesh's node alone"));
        end_case(&state, &file);
    }
}

static const char several[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":1,\"scenes\":[{\"name\":\"low\",\"nodes\":[0]},{"
    "\"name\":\"high\",\"nodes\":[1]},{\"nodes\":[0,1]}],\"nodes\":[{\"name\":\"a\",\"mesh\":0},{"
    "\"name\":\"b\",\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
    "\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}]}";

static void load_scene(loaded *state, const char *scene, pliant_result expected)
{
    *state = (loaded){.files = {{"s.gltf", several, sizeof several - 1}}};
    state->folder = (memory_folder){state->files, 1};
    state->context = asset_context(&state->memory);
    pliant_asset_def def = pliant_asset_def_default();
    const char *path = "s.gltf";
    def.paths = &path;
    def.path_count = 1;
    def.files = memory_files(&state->folder);
    def.scene = scene;
    assert_int_equal(pliant_asset_load(state->context, &def, &state->asset), expected);
}

static void scenes_are_chosen(void **unused)
{
    (void)unused;
    static const struct {
        const char *scene, *first;
        uint32_t bodies;
    } cases[] = {{NULL, "b", 1}, {"low", "a", 1}, {"high", "b", 1}, {"2", "a", 2}, {"0", "a", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        loaded state;
        load_scene(&state, cases[i].scene, PLIANT_OK);
        assert_int_equal(pliant_asset_get_counts(state.asset).bodies, cases[i].bodies);
        assert_string_equal(pliant_asset_get_body(state.asset, 0)->name, cases[i].first);
        assert_true(has_note(&state, "of its 3 scenes number 1 is read; left out: 0 'low', 2") ==
                    (cases[i].scene == NULL));
        unload(&state);
    }
    const char *const wrong[] = {"3", "lo", "-1", "99999999999"};
    for (size_t i = 0; i < 4; i++) {
        loaded state;
        load_scene(&state, wrong[i], PLIANT_ERROR_DATA);
        assert_non_null(strstr(pliant_last_error(), "its scenes: 0 'low', 1 'high', 2"));
        unload(&state);
    }
}

static void pointers_of_git_lfs_are_recognised(void **unused)
{
    (void)unused;
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:"
                                  "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
                                  "\nsize 12345\n";
    const char *const names[] = {
#define FORMAT(kind, ending, name, magic) "a." #ending,
#include "../../../libs/asset/formats.inl"
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_text_refused(names[i], pointer, "a pointer of Git LFS, not the file itself");
    }
    loaded state = {.files = {{"a.gltf",
                               "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":9,"
                               "\"uri\":\"a.bin\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":"
                               "9}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
                               "\"type\":\"VEC3\",\"count\":3}]" SQUARE "}",
                               0},
                              {"a.bin", pointer, sizeof pointer - 1}}};
    state.files[0].size = strlen(state.files[0].bytes);
    state.folder = (memory_folder){state.files, 2};
    state.context = asset_context(&state.memory);
    pliant_asset_def def = pliant_asset_def_default();
    const char *path = "a.gltf";
    def.paths = &path;
    def.path_count = 1;
    def.files = memory_files(&state.folder);
    assert_int_equal(pliant_asset_load(state.context, &def, &state.asset), PLIANT_ERROR_DATA);
    assert_non_null(strstr(pliant_last_error(), "a.bin: it is a pointer of Git LFS"));
    unload(&state);
}

static void other_formats_are_refused_by_name(void **unused)
{
    (void)unused;
    static const struct {
        const char *path, *bytes, *part;
    } cases[] = {
        {"a.fbx", "nothing", "a.fbx: FBX is not read; open it in Blender"},
        {"a.glb", "Kaydara FBX Binary  ", "FBX is not read"},
        {"a.txt", "; FBX 7.3.0 project file", "FBX is not read"},
        {"a.abc", "nothing", "Alembic is not read"},
        {"a.obj", "Ogawa\xff", "Alembic is not read"},
        {"a.bin", "\x89HDF\r\n", "or as a sequence of PLY files, or a mesh with a PC2 cache"},
        {"a.usd", "nothing", "USD is not read"},
        {"a.gltf", "#usda 1.0", "USD is not read"},
        {"a.x", "PXR-USDC", "USD is not read"},
        {"a.usdz", "PK\003\004", "USDZ is not read"},
        {"a.blend", "BLENDER-v300", "Blender's own format is not read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_text_refused(cases[i].path, cases[i].bytes, cases[i].part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_that_cannot_be_used_are_named),
        cmocka_unit_test(weights_are_repaired),
        cmocka_unit_test(vertices_without_weights_follow_the_node),
        cmocka_unit_test(scenes_are_chosen),
        cmocka_unit_test(pointers_of_git_lfs_are_recognised),
        cmocka_unit_test(other_formats_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
