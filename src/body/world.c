/* The world transform of a body, on top of whatever else its state is given by. */
#include "body/body.h"

#include "base/float_env.h"
#include "bounds/world.h"

#include <string.h>

/*
 * The block that a body gets with its first world transform: two copies of the transform, and two
 * of what bounds are placed by. Of each, the one that the body's pose does not point to is spare.
 */
static size_t placing_numbers(const pliant_body *body)
{
    return 12 * (size_t)body->shape->block->model.joint_count;
}

size_t pli_body_world_size(const pliant_body *body)
{
    return 2 * (12 + placing_numbers(body)) * sizeof(float);
}

static float *spare_world(const pliant_body *body)
{
    return body->world_block + (body->pose.world == body->world_block ? 12 : 0);
}

float *pli_body_spare_placing(const pliant_body *body)
{
    if (body->world_block == NULL) {
        return NULL;
    }
    float *first = body->world_block + 24;
    return body->pose.placing == first ? first + placing_numbers(body) : first;
}

static pliant_result check_world(const float *rows)
{
    size_t i = pli_first_not_finite(rows, 12);
    if (i < 12) {
        return pli_fail(PLIANT_ERROR_NOT_FINITE, "world transform: row %d, column %d is %f",
                        (int)(i / 4), (int)(i % 4), (double)rows[i]);
    }
    return pli_transform_is_singular(rows)
               ? pli_fail(PLIANT_ERROR_RANGE,
                          "the world transform is singular: it would flatten the whole body")
               : PLIANT_OK;
}

/* Measures a pose with another world transform, or none. */
static pliant_result measure(const pliant_body *body, pli_pose *pose)
{
    const pli_model *model = &body->shape->block->model;
    if (model->joint_count > 0) {
        return pli_body_measure_transforms(body, pose);
    }
    if (pose->world == NULL && model->mode_count == 0) {
        pose->world_error = model->error; /* positions that nothing moves need no margin */
        return PLIANT_OK;
    }
    bool known = model->mode_count > 0 || body->pose.world != NULL; /* how large vertices are */
    return known ? pli_pose_measure(body->shape, pose)
                 : pli_body_measure_positions(body, body->positions, pose);
}

pliant_result pli_body_try_world(pliant_body *body, const float *rows, pli_pose *pose)
{
    pliant_result result = rows != NULL ? check_world(rows) : PLIANT_OK;
    if (result != PLIANT_OK) {
        return result;
    }
    if (rows != NULL && body->world_block == NULL) {
        body->world_block = pli_allocate(body->context, pli_body_world_size(body));
        if (body->world_block == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    pose->world = NULL;
    if (rows != NULL) {
        float *copy = spare_world(body);
        memcpy(copy, rows, 12 * sizeof *copy);
        pose->world = copy;
    }
    pli_pose_place(body->shape, pli_body_spare_placing(body), pose);
    return measure(body, pose);
}

static PLI_NOINLINE pliant_result set_world(pliant_body *body, const float *rows)
{
    pli_pose pose = body->pose;
    pliant_result result = pli_body_try_world(body, rows, &pose);
    if (result == PLIANT_OK) {
        pli_body_adopt_pose(body, &pose);
    }
    return result;
}

pliant_result pliant_body_set_world(pliant_body *body, const float *rows)
{
    PLI_REQUIRE(body);
    pliant_result result = pli_body_check_idle(body, __func__);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = set_world(body, rows);
        pli_float_env_leave(env);
    }
    return result;
}

pliant_result pliant_body_set_world_matrix(pliant_body *body, const float *matrix)
{
    float rows[12];
    PLI_REQUIRE(body);
    if (matrix == NULL) {
        return pliant_body_set_world(body, NULL);
    }
    pliant_result result = pli_rows_of_matrix(matrix, 0, rows);
    return result == PLIANT_OK ? pliant_body_set_world(body, rows) : result;
}
