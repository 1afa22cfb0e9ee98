/*
 * Setting the state of a body: whatever is given is tried beside the present state, measured as one
 * whole, and adopted only then.
 */
#include "body/body.h"

#include "base/float_env.h"
#include "bounds/world.h"

/* Measures a pose whose parts have been tried. */
static pliant_result measure(const pliant_body *body, const pliant_state *state, pli_pose *pose)
{
    const pli_model *model = &body->shape->block->model;
    /* Those of blends are always measured by the kernel, so that margins follow from the state. */
    if (state->transforms != NULL || (state->world != NULL && model->joint_count > 0) ||
        (state->coordinates != NULL && model->joint_count > 1)) {
        return pli_body_measure_transforms(body, pose);
    }
    pliant_result result = PLIANT_OK;
    bool known = model->mode_count > 0 || body->pose.moved || state->positions != NULL;
    if (state->world != NULL && !known) { /* nobody has asked how large positions are */
        result = pli_body_measure_positions(body, body->positions, pose);
    }
    bool follows = state->coordinates != NULL || pose->moved || state->world != NULL;
    return result == PLIANT_OK && follows ? pli_pose_measure(body->shape, pose) : result;
}

pliant_result pli_body_try_state(pliant_body *body, const pliant_state *state, pli_next_state *next)
{
    pliant_result result = PLIANT_OK;
    pli_pose *pose = &next->pose;
    if (state->positions == NULL && state->coordinates == NULL && state->transforms == NULL &&
        state->world == NULL) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "the state has neither positions nor coordinates "
                                               "nor transforms nor a world transform");
    }
    *pose = body->pose;
    if (state->coordinates != NULL) {
        result = pli_body_try_coordinates(body, state->coordinates, state->coordinate_count, pose);
    }
    if (result == PLIANT_OK && state->transforms != NULL) {
        result = pli_body_try_transforms(body, state->transforms, state->transform_count,
                                         state->transform_stride, pose);
    }
    if (result == PLIANT_OK && state->world != NULL) {
        result = pli_body_try_world(body, state->world, pose);
    }
    if (result == PLIANT_OK && (state->transforms != NULL || state->world != NULL)) {
        pli_pose_place(body->shape, pli_body_spare_placing(body), pose);
    }
    if (result == PLIANT_OK && state->positions != NULL) {
        result = pli_body_try_positions(body, state->positions, state->position_stride,
                                        state->shares_positions, &next->positions, pose);
    }
    return result == PLIANT_OK ? measure(body, state, pose) : result;
}

void pli_body_adopt_state(pliant_body *body, const pliant_state *state, const pli_next_state *next)
{
    pli_body_adopt_pose(body, &next->pose);
    if (state->positions != NULL) {
        pli_body_adopt_positions(body, next->positions, state->shares_positions);
    }
    pli_body_forget(body);
    if (state->positions != NULL && !body->by_positions) {
        body->by_positions = true;
        pli_body_adopt_update(body);
    }
    if (body->rebuild != NULL) {
        pli_body_follow_state(body);
    }
}

static PLI_NOINLINE pliant_result set_state(pliant_body *body, const pliant_state *state)
{
    pli_next_state next;
    pliant_result result = pli_body_try_state(body, state, &next);
    if (result == PLIANT_OK) {
        pli_body_adopt_state(body, state, &next);
    }
    return result;
}

/* The same for a public call, which is named if the body is in use. */
static pliant_result set_idle(pliant_body *body, const pliant_state *state, const char *call)
{
    pliant_result result = pli_body_check_idle(body, call);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = set_state(body, state);
        pli_float_env_leave(env);
    }
    return result;
}

pliant_result pliant_body_set_state(pliant_body *body, const pliant_state *state)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(state);
    return set_idle(body, state, __func__);
}

pliant_result pliant_body_set_positions(pliant_body *body, const float *positions, size_t stride)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(positions);
    pliant_state state = {.positions = positions, .position_stride = stride};
    return set_idle(body, &state, __func__);
}

pliant_result pliant_body_share_positions(pliant_body *body, const float *positions, size_t stride)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(positions);
    pliant_state state = {
        .positions = positions, .position_stride = stride, .shares_positions = true};
    return set_idle(body, &state, __func__);
}

pliant_result pliant_body_set_coordinates(pliant_body *body, const float *coordinates,
                                          uint32_t count)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(coordinates);
    pliant_state state = {.coordinates = coordinates, .coordinate_count = count};
    return set_idle(body, &state, __func__);
}

pliant_result pliant_body_set_transforms(pliant_body *body, const float *transforms, uint32_t count,
                                         size_t stride)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(transforms);
    pliant_state state = {
        .transforms = transforms, .transform_count = count, .transform_stride = stride};
    return set_idle(body, &state, __func__);
}

pliant_result pliant_body_set_world(pliant_body *body, const float *rows)
{
    PLI_REQUIRE(body);
    pliant_state state = {.world = rows};
    return rows != NULL ? set_idle(body, &state, __func__) : pli_body_clear_world(body, __func__);
}

pliant_result pliant_body_get_state(const pliant_body *body, pliant_state *state)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(state);
    const pli_model *model = &body->shape->block->model;
    *state = (pliant_state){.world = body->pose.world};
    if (body->by_positions && body->positions.first != body->given->positions) {
        state->positions = body->positions.first;
        state->position_stride = body->positions.stride;
        state->shares_positions = body->positions.first != body->copy;
    }
    if (model->mode_count > 0) {
        state->coordinates = body->pose.coordinates;
        state->coordinate_count = model->mode_count;
    }
    if (model->joint_count > 0) {
        state->transforms = body->pose.transforms;
        state->transform_count = model->joint_count;
        state->transform_stride = 12 * sizeof(float);
    }
    return PLIANT_OK;
}
