/* Animated glTF: keys, clips of several files, poses that bodies take over, poses on several
   threads, and animations that are written and read back. */
#include "gltf_maker.h"

#include <math.h>
#include <pthread.h>
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

/* What a body evaluates is what the asset evaluates, bit for bit. */
static void bodies_evaluate_what_assets_do(void **unused)
{
    (void)unused;
    gltf_maker maker = {0};
    gltf_add_morphs(&maker);
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
    gltf_load(&state, &maker,
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
    assert_ok(pliant_asset_get_shape_def(state.asset, 0, &def));
    assert_ok(pliant_shape_create(state.context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    for (int i = 0; i <= 20; i++) {
        assert_ok(pliant_asset_pose_sample(state.pose, 0, 0.05 * i));
        assert_ok(pliant_asset_pose_apply(state.pose, 0, body));
        float found[12];
        assert_ok(pliant_body_evaluate(body, NULL, 4, found));
        float *expected = evaluated(&state, 0);
        for (int k = 0; k < 12; k++) {
            assert_true(found[k] == expected[k]);
        }
        free(expected);
    }
    assert_int_equal(pliant_asset_pose_apply(state.pose, 1, body), PLIANT_ERROR_RANGE);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    gltf_unload(&state, &glb);
}

/* A body of the asset's first shape. */
typedef struct posed {
    loaded state;
    byte_string glb;
    pliant_shape *shape;
    pliant_body *body;
} posed;

/* A square with two modes whose node has one scale and one pair of weights at every second. */
static void set_up_posed(posed *p, const float *scales, const float *weights, size_t keys)
{
    const float times[] = {0, 1, 2, 3, 4};
    gltf_maker maker = {0};
    gltf_add_morphs(&maker);
    gltf_add(&maker, "SCALAR", GLTF_F32, keys, times);
    gltf_add(&maker, "VEC3", GLTF_F32, keys, scales);
    gltf_add(&maker, "SCALAR", GLTF_F32, 2 * keys, weights);
    *p = (posed){.shape = NULL};
    gltf_load(&p->state, &maker,
              ",\"nodes\":[{\"mesh\":0,\"name\":\"sword\"}],"
              "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,"
              "\"targets\":[{\"POSITION\":2},{\"POSITION\":3}]}]}],"
              "\"animations\":[{\"channels\":["
              "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}},"
              "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"weights\"}}],"
              "\"samplers\":[{\"input\":4,\"output\":5},{\"input\":4,\"output\":6}]}]",
              &p->glb);
    pliant_shape_def def;
    assert_ok(pliant_asset_get_shape_def(p->state.asset, 0, &def));
    assert_ok(pliant_shape_create(p->state.context, &def, &p->shape));
    assert_ok(pliant_body_create(p->shape, NULL, &p->body));
}

static void tear_down_posed(posed *p)
{
    pliant_body_destroy(p->body);
    pliant_shape_destroy(p->shape);
    gltf_unload(&p->state, &p->glb);
}

/* Applies the pose of a second; the body then is as the asset says, or as before. */
static pliant_result apply_at(posed *p, double time)
{
    float before[12], after[12];
    assert_ok(pliant_body_evaluate(p->body, NULL, 4, before));
    assert_ok(pliant_asset_pose_sample(p->state.pose, 0, time));
    pliant_result result = pliant_asset_pose_apply(p->state.pose, 0, p->body);
    assert_ok(pliant_body_evaluate(p->body, NULL, 4, after));
    float *whole = evaluated(&p->state, 0);
    for (int k = 0; k < 12; k++) {
        assert_true(after[k] == (result == PLIANT_OK ? whole[k] : before[k]));
    }
    free(whole);
    return result;
}

/* A scale of 0 hides a body: the pose says so, and the body stays where it was. */
static void hidden_bodies_stay(void **unused)
{
    (void)unused;
    const float scales[] = {1, 1, 1, 0, 0, 0, 2, 0, 1, 2, 2, 2};
    const float weights[] = {0, 0, 0.5f, 1, 0.25f, 1, 1, 0};
    posed p;
    set_up_posed(&p, scales, weights, 4);
    for (int round = 0; round < 2; round++) {
        for (int second = 0; second < 4; second++) {
            bool hides = second == 1 || second == 2;
            assert_int_equal(apply_at(&p, second), hides ? PLIANT_ERROR_RANGE : PLIANT_OK);
            assert_true(pliant_asset_pose_get_state(p.state.pose, 0).hidden == hides);
            assert_true(!hides || strstr(pliant_last_error(), "'sword' is hidden") != NULL);
        }
    }
    tear_down_posed(&p);
}

/* With joints a body is hidden when all of them are: second 1 of three. */
static void bodies_hide_with_all_their_joints(void **unused)
{
    (void)unused;
    gltf_maker maker = {0};
    int positions, indices;
    gltf_add_square(&maker, &positions, &indices);
    const uint8_t joints[] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};
    const uint8_t weights[] = {128, 127, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 100, 155, 0, 0};
    const float times[] = {0, 1, 2};
    const float first[] = {1, 1, 1, 0, 0, 0, 0, 0, 0}, second[] = {1, 1, 1, 0, 0, 0, 1, 1, 1};
    gltf_add(&maker, "VEC4", GLTF_U8, 4, joints);
    gltf_add_with(&maker, "VEC4", GLTF_U8, 4, weights, ",\"normalized\":true");
    gltf_add(&maker, "SCALAR", GLTF_F32, 3, times);
    gltf_add(&maker, "VEC3", GLTF_F32, 3, first);
    gltf_add(&maker, "VEC3", GLTF_F32, 3, second);
    loaded state;
    byte_string glb;
    gltf_load(&state, &maker,
              ",\"nodes\":[{\"mesh\":0,\"skin\":0},{},{}],\"skins\":[{\"joints\":[1,2]}],"
              "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,"
              "\"WEIGHTS_0\":3},\"indices\":1}]}],\"animations\":[{\"channels\":["
              "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"scale\"}},"
              "{\"sampler\":1,\"target\":{\"node\":2,\"path\":\"scale\"}}],"
              "\"samplers\":[{\"input\":4,\"output\":5},{\"input\":4,\"output\":6}]}]",
              &glb);
    pliant_shape_def def;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    assert_ok(pliant_asset_get_shape_def(state.asset, 0, &def));
    assert_ok(pliant_shape_create(state.context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    for (int time = 0; time < 3; time++) {
        assert_ok(pliant_asset_pose_sample(state.pose, 0, time));
        assert_true(pliant_asset_pose_get_state(state.pose, 0).hidden == (time == 1));
        assert_int_equal(pliant_asset_pose_apply(state.pose, 0, body),
                         time == 1 ? PLIANT_ERROR_RANGE : PLIANT_OK);
    }
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    gltf_unload(&state, &glb);
}

/* Coordinates and transforms count together: each may be too large for the other's old value. */
static void poses_are_applied_whole(void **unused)
{
    (void)unused;
    const float far = 0x1p100f, much = 0x1p60f;
    const float scales[] = {1, 1, 1, far, far, far, 1, 1, 1, far, far, far, 1, far, 1};
    const float weights[] = {0.5f, 0, 0.5f, 1, much, much, much, 1, 0, 0.125f};
    posed p;
    set_up_posed(&p, scales, weights, 5);
    for (int from = 0; from < 5; from++) {
        for (int to = 0; to < 5; to++) {
            assert_int_equal(apply_at(&p, from), from == 3 ? PLIANT_ERROR_RANGE : PLIANT_OK);
            assert_int_equal(apply_at(&p, to), to == 3 ? PLIANT_ERROR_RANGE : PLIANT_OK);
        }
    }
    /* The way from 1 to 2 takes memory. Without it nothing changes, with it the way is free. */
    assert_ok(apply_at(&p, 1));
    p.state.memory.fail_at = p.state.memory.calls + 1;
    assert_ok(pliant_asset_pose_sample(p.state.pose, 0, 2.0));
    assert_int_equal(pliant_asset_pose_apply(p.state.pose, 0, p.body), PLIANT_ERROR_OUT_OF_MEMORY);
    p.state.memory.fail_at = 0;
    assert_ok(apply_at(&p, 2));
    tear_down_posed(&p);
}

/* A body of another shape is refused before anything of it has changed. */
static void other_bodies_are_refused(void **unused)
{
    (void)unused;
    const float scales[] = {1, 1, 1}, weights[] = {0, 0};
    posed p;
    set_up_posed(&p, scales, weights, 1);
    pliant_shape_def def;
    assert_ok(pliant_asset_get_shape_def(p.state.asset, 0, &def));
    def.joint_count = 0;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    assert_ok(pliant_shape_create(p.state.context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    const float coordinates[] = {1, 1};
    float before[12], after[12];
    assert_ok(pliant_body_set_coordinates(body, coordinates, 2));
    assert_ok(pliant_body_evaluate(body, NULL, 4, before));
    assert_int_equal(pliant_asset_pose_apply(p.state.pose, 0, body), PLIANT_ERROR_ARGUMENT);
    assert_ok(pliant_body_evaluate(body, NULL, 4, after));
    assert_memory_equal(before, after, sizeof before);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    tear_down_posed(&p);
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
        p->result = pliant_asset_pose_sample(p->pose, 0, 0.02 * i);
        p->sum += pliant_asset_pose_get_state(p->pose, 0).transforms[3];
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
        cmocka_unit_test(bodies_evaluate_what_assets_do),
        cmocka_unit_test(hidden_bodies_stay),
        cmocka_unit_test(bodies_hide_with_all_their_joints),
        cmocka_unit_test(poses_are_applied_whole),
        cmocka_unit_test(other_bodies_are_refused),
        cmocka_unit_test(poses_play_on_several_threads),
        cmocka_unit_test(written_files_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
