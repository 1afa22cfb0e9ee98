/* Animated glTF: keys, clips of several files, poses on several threads, and animations that are
   written and read back. */
#include "gltf_maker.h"

#include "base/thread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Three keys at 1, 2 and 4 seconds; with CUBICSPLINE each has an in- and an out-tangent. */
static void load_animated(loaded *state, byte_string *glb, const char *path, const char *type,
                          int value_type, size_t value_count, const void *values,
                          const char *members, const char *interpolation)
{
    gltf_maker maker = {0};
    gltf_add_morphs(&maker);
    const float times[] = {1, 2, 4};
    gltf_add(&maker, "SCALAR", GLTF_F32, 3, times);
    gltf_add_with(&maker, type, value_type, value_count, values, members);
    char text[900];
    snprintf(text, sizeof text,
             ",\"nodes\":[{\"mesh\":0,\"translation\":[9,0,0]}]," GLTF_MORPH_MESH
             ",\"animations\":[{\"name\":\"clip\",\"channels\":[{\"sampler\":0,\"target\":{"
             "\"node\":0,\"path\":\"%s\"}}],\"samplers\":[{\"input\":4,\"output\":5%s}]}]",
             path, interpolation);
    gltf_load(state, &maker, text, glb);
    assert_int_equal(pliant_asset_get_counts(state->asset).clips, 1);
    assert_string_equal(pliant_asset_get_clip(state->asset, 0)->name, "clip");
    assert_true(pliant_asset_get_clip(state->asset, 0)->duration == 4.0);
}

static void assert_translation(loaded *state, double time, double x)
{
    assert_ok(pliant_asset_pose_sample(state->pose, 0, time));
    float found = pliant_asset_pose_get_state(state->pose, 0).transforms[3];
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
    assert_ok(pliant_asset_pose_sample(state.pose, PLIANT_ASSET_REST, 0.0));
    assert_true(pliant_asset_pose_get_state(state.pose, 0).transforms[3] == 9.0f);
    assert_int_equal(pliant_asset_pose_sample(state.pose, 0, (double)NAN), PLIANT_ERROR_NOT_FINITE);
    gltf_unload(&state, &glb);
    load_animated(&state, &glb, "translation", "VEC3", GLTF_F32, 3, keys, "",
                  ",\"interpolation\":\"STEP\"");
    assert_translation(&state, 1.999, 1.0);
    assert_translation(&state, 2.0, 3.0);
    assert_translation(&state, 3.999, 3.0);
    assert_translation(&state, 4.0, -1.0);
    gltf_unload(&state, &glb);
    load_animated(&state, &glb, "translation", "VEC3", GLTF_F32, 9, cubic, "",
                  ",\"interpolation\":\"CUBICSPLINE\"");
    assert_translation(&state, 0.5, 1.0);
    assert_translation(&state, 2.0, 3.0);
    /* Halfway: (a + b) / 2 + span (out - in) / 8. */
    assert_translation(&state, 1.5, 2.0 + 1.0 * (2.0 - 1.0) / 8.0);
    assert_translation(&state, 3.0, 1.0 + 2.0 * (4.0 - 6.0) / 8.0);
    assert_translation(&state, 5.0, -1.0);
    gltf_unload(&state, &glb);
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
        assert_ok(pliant_asset_pose_sample(state.pose, 0, 1.0 + 0.1 * i));
        const float *t = pliant_asset_pose_get_state(state.pose, 0).transforms;
        const double expected[] = {cos(angle), -sin(angle), 0, 9, sin(angle), cos(angle), 0, 0};
        assert_near(t, expected, 8, 1e-6);
    }
    assert_ok(pliant_asset_pose_sample(state.pose, 0, 3.0));
    const double quarter[] = {0, -1, 0, 9, 1, 0, 0, 0, 0, 0, 1, 0};
    assert_near(pliant_asset_pose_get_state(state.pose, 0).transforms, quarter, 12, 1e-6);
    gltf_unload(&state, &glb);
    /* The same from 16-bit integers. */
    const int16_t shorts[] = {0, 0, 0, 32767, 0, 0, 23170, 23170, 0, 0, -23170, -23170};
    load_animated(&state, &glb, "rotation", "VEC4", GLTF_I16, 3, shorts, ",\"normalized\":true",
                  "");
    assert_ok(pliant_asset_pose_sample(state.pose, 0, 2.0));
    assert_near(pliant_asset_pose_get_state(state.pose, 0).transforms, quarter, 12, 1e-6);
    gltf_unload(&state, &glb);
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
    assert_ok(pliant_asset_pose_sample(state.pose, 0, 1.5));
    assert_near(pliant_asset_pose_get_state(state.pose, 0).coordinates, halfway, 2, 0.0);
    assert_ok(pliant_asset_pose_sample(state.pose, 0, 4.0));
    assert_near(pliant_asset_pose_get_state(state.pose, 0).coordinates, last, 2, 0.0);
    assert_int_equal(pliant_asset_get_body(state.asset, 0)->motion, PLIANT_ASSET_DEFORMING);
    gltf_unload(&state, &glb);
    load_animated(&state, &glb, "scale", "VEC3", GLTF_F32, 3, scales, "", "");
    assert_ok(pliant_asset_pose_sample(state.pose, 0, 2.0));
    const double scaled[] = {2, 0, 0, 9, 0, -3, 0, 0, 0, 0, 4, 0};
    assert_near(pliant_asset_pose_get_state(state.pose, 0).transforms, scaled, 12, 0.0);
    gltf_unload(&state, &glb);
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
    assert_int_equal(pliant_asset_get_counts(state.asset).bodies, 3);
    assert_int_equal(pliant_asset_get_counts(state.asset).clips, 2);
    assert_int_equal(pliant_asset_get_body(state.asset, 0)->motion, PLIANT_ASSET_DEFORMING);
    assert_ok(pliant_asset_pose_sample(state.pose, 1, 2.0));
    assert_true(pliant_asset_pose_get_state(state.pose, 0).transforms[3] == 9.0f);
    assert_true(pliant_asset_pose_get_state(state.pose, 1).transforms[3] == 0.0f);
    assert_true(pliant_asset_pose_get_state(state.pose, 2).transforms[3] == 3.0f);
    assert_true(pliant_asset_pose_get_state(state.pose, 2).coordinates[0] == 0.5f);
    unload(&state);
    bytes_free(&glb);
}

/* What a thread found when it played a clip many times. */
typedef struct player {
    const pliant_asset *asset;
    pliant_asset_pose *pose;
    float sum;
    pliant_result result;
} player;

static void play(void *argument)
{
    player *p = argument;
    for (int i = 0; i < 200 && p->result == PLIANT_OK; i++) {
        p->result = pliant_asset_pose_sample(p->pose, 0, 0.02 * i);
        p->sum += pliant_asset_pose_get_state(p->pose, 0).transforms[3];
    }
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
    pli_thread threads[4];
    for (int i = 0; i < 4; i++) {
        players[i] = (player){.asset = state.asset};
        assert_ok(pliant_asset_pose_create(state.asset, &players[i].pose));
    }
    uint64_t allocations = state.memory.calls;
    for (int i = 0; i < 4; i++) {
        assert_true(pli_thread_start(&threads[i], play, &players[i]));
    }
    for (int i = 0; i < 4; i++) {
        pli_thread_join(&threads[i]);
        assert_int_equal(players[i].result, PLIANT_OK);
        assert_true(players[i].sum == players[0].sum && players[i].sum != 0.0f);
    }
    assert_int_equal(state.memory.calls, allocations);
    for (int i = 0; i < 4; i++) {
        pliant_asset_pose_destroy(players[i].pose);
    }
    gltf_unload(&state, &glb);
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
    assert_ok(pliant_asset_output_write(bodies, 2, 4, 29.97, NULL, 0, &size));
    uint8_t *buffer = malloc(size);
    assert_non_null(buffer);
    assert_int_equal(pliant_asset_output_write(bodies, 2, 4, 29.97, buffer, size - 1, &size),
                     PLIANT_ERROR_ARGUMENT);
    assert_ok(pliant_asset_output_write(bodies, 2, 4, 29.97, buffer, size, &size));
    loaded state;
    load_bytes(&state, "written.glb", buffer, size);
    assert_int_equal(pliant_asset_get_counts(state.asset).bodies, 2);
    assert_int_equal(pliant_asset_get_counts(state.asset).notes, 0);
    assert_string_equal(pliant_asset_get_body(state.asset, 0)->name, "a \"name\"\n\xc3\xa4?");
    const pliant_asset_mesh *mesh = mesh_of(&state, 0);
    assert_memory_equal(mesh->positions, positions, sizeof positions);
    assert_memory_equal(mesh->modes, modes, sizeof modes);
    assert_memory_equal(mesh->triangles, triangles, sizeof triangles);
    pliant_shape_def def;
    assert_ok(pliant_asset_get_shape_def(state.asset, 0, &def));
    assert_true(def.error == 0.1f);
    assert_ok(pliant_asset_get_shape_def(state.asset, 1, &def));
    assert_true(def.error == 0.0f);
    assert_string_equal(pliant_asset_get_clip(state.asset, 0)->name, "frames");
    for (int f = 0; f < 4; f++) {
        assert_ok(pliant_asset_pose_sample(state.pose, 0, f / 29.97));
        assert_memory_equal(pliant_asset_pose_get_state(state.pose, 0).coordinates,
                            coordinates + 2 * f, 2 * sizeof(float));
    }
    unload(&state);
    free(buffer);
    pliant_asset_output bad = bodies[0];
    bad.vertex_count = 3;
    assert_int_equal(pliant_asset_output_write(&bad, 1, 4, 30.0, NULL, 0, &size),
                     PLIANT_ERROR_RANGE);
    bad = bodies[0];
    bad.error = -1.0f;
    assert_int_equal(pliant_asset_output_write(&bad, 1, 4, 30.0, NULL, 0, &size),
                     PLIANT_ERROR_RANGE);
    const float not_finite[] = {0, 0, (float)INFINITY, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    bad = bodies[1];
    bad.positions = not_finite;
    assert_int_equal(pliant_asset_output_write(&bad, 1, 4, 30.0, NULL, 0, &size),
                     PLIANT_ERROR_NOT_FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_interpolated),
        cmocka_unit_test(rotations_turn_at_constant_speed),
        cmocka_unit_test(weights_and_scales_are_animated),
        cmocka_unit_test(files_stand_side_by_side),
        cmocka_unit_test(poses_play_on_several_threads),
        cmocka_unit_test(written_files_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
