/* The state of bodies with models: coordinates and transforms. */
#include "body.h"

#include "bounds/pose.h"
#include "geometry/orient.h"

#include <math.h>
#include <string.h>

/* Numbers in one copy of the pose: coordinates, then transforms. */
static size_t pose_numbers(const pliant_body *body)
{
    const pli_model *model = &body->shape->block->model;
    return model->mode_count + 12 * (size_t)model->joint_count;
}

pli_local_memory **pli_body_create_memories(const pliant_shape *shape)
{
    size_t bytes = shape->node_count * sizeof(pli_local_memory *);
    pli_local_memory **memories = pli_allocate(shape->context, bytes);
    if (memories != NULL) {
        memset(memories, 0, bytes);
    }
    return memories;
}

pliant_result pli_body_create_pose(pliant_body *body)
{
    const pli_model *model = &body->shape->block->model;
    size_t numbers = pose_numbers(body);
    if (numbers == 0) {
        body->pose.world_error = model->error;
        return PLIANT_OK;
    }
    float *block = pli_allocate(body->context, 2 * numbers * sizeof *block);
    if (block == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(block, 0, 2 * numbers * sizeof *block);
    body->pose_block = block;
    body->pose.coordinates = block;
    body->pose.transforms = block + model->mode_count;
    body->spare_coordinates = block + numbers;
    body->spare_transforms = block + numbers + model->mode_count;
    for (size_t j = 0; j < model->joint_count; j++) {
        for (size_t k = 0; k < 3; k++) {
            body->pose.transforms[12 * j + 5 * k] = 1.0f;
        }
    }
    pli_pose_place(body->shape, NULL, &body->pose);
    if (body->coherent) {
        body->memory = pli_body_create_memories(body->shape);
        if (body->memory == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    pli_pose_measure_coordinates(body->shape, &body->pose);
    return pli_body_measure_transforms(body, &body->pose);
}

void pli_body_release_memories(pliant_body *body)
{
    for (uint32_t n = 0; n < body->shape->node_count && body->memory != NULL; n++) {
        pli_release(body->context, body->memory[n], sizeof *body->memory[n]);
    }
    pli_release(body->context, body->memory, body->shape->node_count * sizeof(pli_local_memory *));
    body->memory = NULL;
}

void pli_body_release_pose(pliant_body *body)
{
    pli_body_release_memories(body);
    pli_release(body->context, body->pose_block, 2 * pose_numbers(body) * sizeof(float));
    pli_release(body->context, body->world_block, pli_body_world_size(body));
}

uint64_t pli_body_pose_memory(const pliant_body *body)
{
    uint64_t bytes = 2 * pose_numbers(body) * sizeof(float);
    bytes += body->world_block != NULL ? pli_body_world_size(body) : 0;
    for (uint32_t n = 0; n < body->shape->node_count && body->memory != NULL; n++) {
        bytes += sizeof(pli_local_memory *) + (body->memory[n] != NULL ? sizeof **body->memory : 0);
    }
    return bytes;
}

/* The length of the way between two sets of coordinates, not below it: up to 2^16 squares are
   added. */
static double distance(const float *from, const float *to, uint32_t count)
{
    double square = 0.0;
    for (uint32_t m = 0; m < count; m++) {
        double step = (double)to[m] - (double)from[m];
        square += step * step;
    }
    return sqrt(square) * (1.0 + 1e-11);
}

pliant_result pli_body_try_coordinates(const pliant_body *body, const float *coordinates,
                                       uint32_t count, pli_pose *pose)
{
    uint32_t modes = body->shape->block->model.mode_count;
    if (count != modes || modes == 0) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "%u coordinates given; the shape has %u modes",
                        count, modes);
    }
    for (uint32_t m = 0; m < count; m++) {
        if (!isfinite(coordinates[m])) {
            return pli_fail(PLIANT_ERROR_NOT_FINITE, "coordinate %u is %f", m,
                            (double)coordinates[m]);
        }
    }
    pose->coordinates = body->spare_coordinates;
    memcpy(pose->coordinates, coordinates, count * sizeof *coordinates);
    pli_pose_measure_coordinates(body->shape, pose);
    return PLIANT_OK;
}

bool pli_transform_is_singular(const float *rows)
{
    const float origin[3] = {0.0f, 0.0f, 0.0f};
    return pli_orient3d(rows, rows + 4, rows + 8, origin, NULL) == 0;
}

size_t pli_first_not_finite(const float *numbers, size_t count)
{
    size_t i = 0;
    while (i < count && isfinite(numbers[i])) {
        i++;
    }
    return i;
}

static pliant_result check_finite(const float *transforms, uint32_t count)
{
    size_t i = pli_first_not_finite(transforms, 12 * (size_t)count);
    return i == 12 * (size_t)count
               ? PLIANT_OK
               : pli_fail(PLIANT_ERROR_NOT_FINITE, "transform %u: row %d, column %d is %f",
                          (unsigned)(i / 12), (int)(i % 12 / 4), (int)(i % 4),
                          (double)transforms[i]);
}

static void copy_transforms(const float *transforms, uint32_t count, size_t stride, float *copy)
{
    const size_t size = 12 * sizeof *copy;
    if (transforms == copy) {
        return;
    }
    if (stride == size) {
        memcpy(copy, transforms, count * size);
        return;
    }
    for (uint32_t j = 0; j < count; j++) {
        memcpy(copy + 12 * (size_t)j, (const char *)transforms + j * stride, size);
    }
}

pliant_result pli_body_measure_transforms(const pliant_body *body, pli_pose *pose)
{
    uint32_t count = body->shape->block->model.joint_count;
    if (count > 1) {
        pli_reach reach =
            body->model_kernels->measure(pose->transforms, count, pli_pose_local(pose));
        return reach.finite ? pli_pose_measure_by(body->shape, &reach, pose)
                            : check_finite(pose->transforms, count);
    }
    pliant_result result = check_finite(pose->transforms, count);
    if (result == PLIANT_OK && pli_body_own_transform(body) != NULL &&
        pli_transform_is_singular(pose->transforms)) {
        result = pli_fail(PLIANT_ERROR_RANGE,
                          "transform 0 is singular: it would flatten the whole body");
    }
    return result == PLIANT_OK ? pli_pose_measure(body->shape, pose) : result;
}

pliant_result pli_body_try_transforms(const pliant_body *body, const float *transforms,
                                      uint32_t count, size_t stride, pli_pose *pose)
{
    uint32_t joints = body->shape->block->model.joint_count;
    if (count != joints || joints == 0) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "%u transforms given; the shape has %u joints",
                        count, joints);
    }
    stride = stride == 0 ? 12 * sizeof(float) : stride;
    if (stride < 12 * sizeof(float) || stride % sizeof(float) != 0) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "stride is %zu; it must be 0 or a multiple of 4 from 48 on", stride);
    }
    pose->transforms = body->spare_transforms;
    if (transforms != pose->transforms) { /* matrices have been made rows of there */
        copy_transforms(transforms, count, stride, pose->transforms);
    }
    return PLIANT_OK;
}

void pli_body_adopt_pose(pliant_body *body, const pli_pose *pose)
{
    float *coordinates = body->pose.coordinates, *transforms = body->pose.transforms;
    if (pose->coordinates != coordinates) {
        uint32_t count = body->shape->block->model.mode_count;
        if (body->coherent) {
            pli_path_add(&body->path, distance(coordinates, pose->coordinates, count));
        }
        body->spare_coordinates = coordinates;
    }
    if (pose->transforms != transforms) {
        body->spare_transforms = transforms;
    }
    body->pose = *pose;
}

/* ------------------------------------------- the same as matrices, by columns */

pliant_result pli_rows_of_matrix(const float *matrix, uint32_t index, float rows[12])
{
    for (int i = 0; i < 12; i++) {
        rows[i] = matrix[4 * (i % 4) + i / 4];
    }
    if (matrix[3] == 0.0f && matrix[7] == 0.0f && matrix[11] == 0.0f && matrix[15] == 1.0f) {
        return PLIANT_OK;
    }
    return pli_fail(PLIANT_ERROR_RANGE,
                    "matrix %u: the last row is %g %g %g %g; it must be 0 0 0 1", index,
                    (double)matrix[3], (double)matrix[7], (double)matrix[11], (double)matrix[15]);
}

pliant_result pliant_body_set_matrices(pliant_body *body, const float *matrices, uint32_t count,
                                       size_t stride)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(matrices);
    const size_t size = 16 * sizeof(float);
    stride = stride == 0 ? size : stride;
    if (stride < size || stride % sizeof(float) != 0) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "stride is %zu; it must be 0 or a multiple of 4 from %zu on", stride, size);
    }
    pliant_result result = pli_body_check_idle(body, __func__);
    uint32_t joints = body->shape->block->model.joint_count;
    for (uint32_t j = 0; j < count && count == joints && result == PLIANT_OK; j++) {
        const char *at = (const char *)matrices + j * stride;
        result = pli_rows_of_matrix((const float *)(const void *)at, j,
                                    body->spare_transforms + 12 * (size_t)j);
    }
    return result == PLIANT_OK ? pliant_body_set_transforms(body, body->spare_transforms, count, 0)
                               : result;
}
