/* Poses of assets that bodies take over: the same vertices, hidden bodies, whole or not at all. */
#include "gltf_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    /* The way from 1 to 2 takes no memory. */
    assert_ok(apply_at(&p, 1));
    p.state.memory.fail_at = p.state.memory.calls + 1;
    p.state.memory.fail_from_there = true;
    assert_ok(apply_at(&p, 2));
    p.state.memory.fail_at = 0;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_evaluate_what_assets_do),
        cmocka_unit_test(hidden_bodies_stay),
        cmocka_unit_test(bodies_hide_with_all_their_joints),
        cmocka_unit_test(poses_are_applied_whole),
        cmocka_unit_test(other_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
