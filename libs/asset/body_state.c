/*
 * A body takes coordinates one at a time with transforms, and refuses either where a vertex could
 * overflow with what it has of the other. A pose has both at once: they are looked at together
 * before anything changes.
 */
#include "body_state.h"

#include <string.h>

#include "base/float_env.h"
#include "body/body.h"

/*
 * Coordinates and transforms that are fine together, one after the other. Where the new coordinates
 * would overflow beside the old transforms, they become 0 in between: the transforms of every state
 * that is allowed are allowed beside 0.
 */
static pliant_result set_in_turn(pliant_body *body, const pliant_asset_state *state)
{
    uint32_t modes = state->coordinate_count, joints = state->transform_count;
    if (pliant_body_set_coordinates(body, state->coordinates, modes) == PLIANT_OK) {
        return pliant_body_set_transforms(body, state->transforms, joints, 0);
    }
    float *zeros = pli_allocate(body->context, modes * sizeof *zeros);
    if (zeros == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(zeros, 0, modes * sizeof *zeros);
    pliant_result result = pliant_body_set_coordinates(body, zeros, modes);
    pli_release(body->context, zeros, modes * sizeof *zeros);
    if (result == PLIANT_OK) {
        result = pliant_body_set_transforms(body, state->transforms, joints, 0);
    }
    return result == PLIANT_OK ? pliant_body_set_coordinates(body, state->coordinates, modes)
                               : result;
}

/* Whether both parts of a state would be taken together. Changes nothing. */
static pliant_result check_together(const pliant_body *body, const pliant_asset_state *state)
{
    const pli_model *model = &body->shape->block->model;
    if (state->coordinate_count != model->mode_count ||
        state->transform_count != model->joint_count) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "the pose has %u coordinates and %u transforms, and the body's shape %u "
                        "modes and %u joints",
                        state->coordinate_count, state->transform_count, model->mode_count,
                        model->joint_count);
    }
    pli_float_env saved = pli_float_env_enter();
    pli_pose pose = body->pose;
    pose.coordinates = (float *)state->coordinates; /* these are only read */
    pose.transforms = (float *)state->transforms;
    pli_pose_measure_coordinates(body->shape, &pose);
    pliant_result result = pli_pose_measure(body->shape, &pose);
    pli_float_env_leave(saved);
    return result;
}

pliant_result pli_body_take_state(pliant_body *body, const pliant_asset_state *state)
{
    if (state->positions != NULL) {
        return pliant_body_set_positions(body, state->positions, 0);
    }
    if (state->coordinate_count == 0) {
        return pliant_body_set_transforms(body, state->transforms, state->transform_count, 0);
    }
    pliant_result result = check_together(body, state);
    return result == PLIANT_OK ? set_in_turn(body, state) : result;
}
