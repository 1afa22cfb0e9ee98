/*
 * Setting the state of a body: whatever is given is tried beside the present state, measured as one
 * whole, and adopted only then.
 */
#include "body/body.h"

#include "base/float_env.h"

pliant_result pli_body_try_state(pliant_body *body, const pliant_state *state, pli_next_state *next)
{
    pliant_result result = PLIANT_OK;
    if (state->positions == NULL && state->coordinates == NULL && state->transforms == NULL) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "the state has neither positions nor coordinates nor transforms");
    }
    next->pose = body->pose;
    if (state->positions != NULL) {
        result = pli_body_try_positions(body, state->positions, state->position_stride,
                                        state->shares_positions, &next->positions, &next->pose);
    }
    if (result == PLIANT_OK && state->coordinates != NULL) {
        result = pli_body_try_coordinates(body, state->coordinates, state->coordinate_count,
                                          &next->pose);
    }
    if (result == PLIANT_OK && state->transforms != NULL) {
        return pli_body_try_transforms(body, state->transforms, state->transform_count,
                                       state->transform_stride, &next->pose);
    }
    bool follows =
        state->coordinates != NULL || next->pose.moved; /* the transforms that are there */
    return result == PLIANT_OK && follows ? pli_pose_measure(body->shape, &next->pose) : result;
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
