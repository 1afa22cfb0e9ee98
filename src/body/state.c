/*
 * The state of a body: whatever is given is tried beside the present state, measured as one whole,
 * and adopted only then. Poses are tried in pose_state.c, positions and the world transform here.
 */
#include "body/body.h"

#include "base/float_env.h"
#include "body/refresh.h"
#include "bounds/bounds.h"
#include "bounds/pose.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------ positions */

static pliant_result check_stride(size_t *stride, uint32_t count)
{
    if (*stride == 0) {
        *stride = 3 * sizeof(float);
    }
    size_t bytes = 0;
    if (*stride < 3 * sizeof(float) || *stride % sizeof(float) != 0) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "stride is %zu; it must be 0 or a multiple of 4 from 12 on", *stride);
    }
    if (!pli_size_multiply(*stride, count, &bytes) || bytes > PTRDIFF_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%u positions, %zu bytes apart", count, *stride);
    }
    return PLIANT_OK;
}

static pliant_result check_finite(pli_positions positions, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        const float *p = pli_position(positions, v);
        for (int k = 0; k < 3; k++) {
            if (!isfinite(p[k])) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE, "vertex %u: coordinate %c is %f", v,
                                "xyz"[k], (double)p[k]);
            }
        }
    }
    return PLIANT_OK;
}

/* Whether a body may be given by positions. */
static pliant_result check_by_positions(const pliant_body *body)
{
    const pli_model *model = &body->shape->block->model;
    if (model->mode_count > 0 || model->has_influences) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "positions given to a body whose shape has %u modes and %u joints; set its "
                        "coordinates and transforms",
                        model->mode_count, model->joint_count);
    }
    return PLIANT_OK;
}

/* Checks positions, all of which must be finite, and notes in a pose how large they are; it is
   still to be measured. The largest coordinate decides, as for all bodies with models, so that what
   is refused depends neither on the tree nor on the strategy; pose->local keeps it for later
   transforms. */
static pliant_result measure_positions(const pliant_body *body, pli_positions positions,
                                       pli_pose *pose)
{
    float most = 0.0f;
    pli_vertex_box box;
    uint32_t count = body->shape->vertex_count;
    body->kernels->enclose_range(positions, 0, count, body->shape->node_extras, 0, &box);
    /* A sum that is not finite may have overflowed: a look at each tells. */
    if (!isfinite(box.sum[0] + box.sum[1] + box.sum[2])) {
        pliant_result result = check_finite(positions, count);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    for (int k = 0; k < 3; k++) {
        most = fmaxf(most, fmaxf(-box.lower[k], box.upper[k]));
    }
    pose->local = (double)most + (double)body->shape->block->model.error;
    return PLIANT_OK;
}

/* A buffer of a body that was at rest, or had shared positions, when it was torn may be too small;
   nothing lies in it then. */
pliant_result pli_body_create_copy(pliant_body *body)
{
    size_t count = body->shape->vertex_count;
    if (body->copy != NULL && body->copy_capacity >= count) {
        return PLIANT_OK;
    }
    float *copy = pli_allocate(body->context, 3 * count * sizeof *copy);
    if (copy == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_release(body->context, body->copy, pli_body_copy_size(body));
    body->copy = copy;
    body->copy_capacity = count;
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result try_positions(pliant_body *body, const float *first,
                                                size_t stride, bool shares,
                                                pli_positions *positions, pli_pose *pose)
{
    uint32_t count = body->shape->vertex_count;
    pliant_result result = check_by_positions(body);
    if (result == PLIANT_OK) {
        result = check_stride(&stride, count);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    *positions = pli_view_positions(body->shape, first, stride);
    if (pose->moved) {
        result = measure_positions(body, *positions, pose);
    } else if (!shares) {
        result = check_finite(*positions, count);
    }
    return result == PLIANT_OK && !shares ? pli_body_create_copy(body) : result;
}

static void adopt_positions(pliant_body *body, pli_positions given, bool shares)
{
    body->positions = given;
    body->valid = true;
    if (!shares) {
        for (uint32_t v = 0; v < body->shape->vertex_count; v++) {
            memcpy(body->copy + 3 * (size_t)v, pli_position(given, v), 3 * sizeof(float));
        }
        body->positions = pli_view_positions(body->shape, body->copy, 3 * sizeof(float));
    }
}

/* ------------------------------------------------------------ the world transform */

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

/* Where `placing` of the next pose goes; NULL if there never was a world transform. */
static float *spare_placing(const pliant_body *body)
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

static PLI_NOINLINE pliant_result try_world(pliant_body *body, const float *rows, pli_pose *pose)
{
    pliant_result result = check_world(rows);
    if (result == PLIANT_OK && body->world_block == NULL) {
        body->world_block = pli_allocate(body->context, pli_body_world_size(body));
        result = body->world_block != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (result == PLIANT_OK) {
        float *copy = spare_world(body);
        memcpy(copy, rows, 12 * sizeof *copy);
        pose->world = copy;
    }
    return result;
}

/* ------------------------------------------------------------ a state as a whole */

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
        result = measure_positions(body, body->positions, pose);
    }
    bool follows = state->coordinates != NULL || pose->moved || state->world != NULL;
    return result == PLIANT_OK && follows ? pli_pose_measure(body->shape, pose) : result;
}

/* Positions come last: a transform says whether their size matters. */
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
        result = try_world(body, state->world, pose);
    }
    if (result == PLIANT_OK && (state->transforms != NULL || state->world != NULL)) {
        pli_pose_place(body->shape, spare_placing(body), pose);
    }
    if (result == PLIANT_OK && state->positions != NULL) {
        result = try_positions(body, state->positions, state->position_stride,
                               state->shares_positions, &next->positions, pose);
    }
    return result == PLIANT_OK ? measure(body, state, pose) : result;
}

void pli_body_adopt_state(pliant_body *body, const pliant_state *state, const pli_next_state *next)
{
    pli_body_adopt_pose(body, &next->pose);
    if (state->positions != NULL) {
        adopt_positions(body, next->positions, state->shares_positions);
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

static PLI_NOINLINE pliant_result clear_world(pliant_body *body)
{
    const pli_model *model = &body->shape->block->model;
    pli_pose pose = body->pose;
    pliant_result result = PLIANT_OK;
    pose.world = NULL;
    pli_pose_place(body->shape, spare_placing(body), &pose);
    if (model->joint_count > 0) {
        result = pli_body_measure_transforms(body, &pose);
    } else if (model->mode_count > 0) {
        result = pli_pose_measure(body->shape, &pose);
    } else {
        pose.world_error = model->error; /* positions that nothing moves need no margin */
    }
    if (result == PLIANT_OK) {
        pli_body_adopt_pose(body, &pose);
        pli_body_forget(body);
    }
    return result;
}

/* Takes the world transform away, for a public call. */
static pliant_result clear_idle(pliant_body *body, const char *call)
{
    pliant_result result = pli_body_check_idle(body, call);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = clear_world(body);
        pli_float_env_leave(env);
    }
    return result;
}

/* ------------------------------------------------------------ public calls */

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
    return rows != NULL ? set_idle(body, &state, __func__) : clear_idle(body, __func__);
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

/* ------------------------------------------------------------ where vertices are */

void pli_body_vertex(const pliant_body *body, uint32_t vertex, float position[3])
{
    if (pli_body_has_coefficients(body)) {
        pli_evaluate_vertex(body->shape, &body->pose, vertex, position);
        return;
    }
    const float *p = pli_position(body->positions, vertex);
    memcpy(position, p, 3 * sizeof *p);
    const float *own = pli_body_own_transform(body), *world = body->pose.world;
    if (own != NULL) {
        pli_transform_point(own, position, position);
    }
    if (world != NULL) {
        pli_transform_point(world, position, position);
    }
    if (own != NULL || world != NULL) {
        for (int k = 0; k < 3; k++) {
            position[k] += 0.0f; /* -0 becomes 0 */
        }
    }
}

PLI_NOINLINE void pli_body_vertices(const pliant_body *body, const uint32_t *vertices,
                                    uint32_t count, float *positions)
{
    if (pli_body_has_coefficients(body)) {
        pli_evaluate_vertices(body->shape, &body->pose, vertices, count, positions);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        pli_body_vertex(body, vertices != NULL ? vertices[i] : i, positions + 3 * (size_t)i);
    }
}

pliant_result pliant_body_evaluate(const pliant_body *body, const uint32_t *vertices,
                                   uint32_t count, float *positions)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(positions);
    uint32_t limit = body->shape->vertex_count;
    if (vertices == NULL && count > limit) {
        return pli_fail(PLIANT_ERROR_RANGE, "%u vertices asked for; the shape has %u", count,
                        limit);
    }
    for (uint32_t i = 0; i < count && vertices != NULL; i++) {
        if (vertices[i] >= limit) {
            return pli_fail(PLIANT_ERROR_RANGE, "entry %u asks for vertex %u of %u", i, vertices[i],
                            limit);
        }
    }
    pliant_result result = pli_body_check_valid(body);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        pli_body_vertices(body, vertices, count, positions);
        pli_float_env_leave(env);
    }
    return result;
}
