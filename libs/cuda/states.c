/* States of bodies: from the program they are checked by a body of the core and copied, on the
   device they are borrowed. */
#include "library.h"

#include <string.h>

/* A part of a member's own numbers on the device. */
static float *own_part(const pli_cuda_member *member, const pliant_shape_view *view, int part)
{
    float *own = member->state.data;
    size_t transforms = view->mode_count, world = transforms + 12 * (size_t)view->joint_count;
    return own + (part == 0 ? 0 : part == 1 ? transforms : world);
}

/* Rows of numbers, `stride` bytes apart, side by side on the device. */
static pliant_result upload_rows(pliant_cuda_scene *scene, float *to, const float *from,
                                 uint32_t rows, size_t row, size_t stride)
{
    size_t size = pli_cuda_bytes(rows, row * sizeof(float));
    if (stride == 0 || stride == row * sizeof(float)) {
        return pli_cuda_upload_bytes(scene->cuda, to, from, size);
    }
    char *packed = pliant_context_allocate(scene->context, size);
    if (packed == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < rows; i++) {
        memcpy(packed + i * row * sizeof(float), (const char *)from + i * stride,
               row * sizeof(float));
    }
    pliant_result result = pli_cuda_upload_bytes(scene->cuda, to, packed, size);
    pliant_context_release(scene->context, packed, size);
    return result;
}

/* What changes once everything that can be refused has been done. */
static void adopt(pliant_cuda_scene *scene, pli_cuda_member *member, const pli_cuda_body *device)
{
    bool is_free = device->positions != NULL;
    scene->is_laid_out = scene->is_laid_out && is_free == member->is_free;
    member->is_free = is_free;
    if (memcmp(&member->device, device, sizeof *device) != 0) {
        member->device = *device;
        scene->bodies_change = true;
    }
}

static pliant_result set_from_host(pliant_cuda_scene *scene, pli_cuda_member *member,
                                   const pliant_state *state)
{
    const pliant_shape_view *view = &scene->uploads.data[member->shape].view;
    pli_cuda_body device = member->device;
    pliant_result result = PLIANT_OK;
    if (state->positions != NULL) {
        size_t size = 3 * (size_t)view->vertex_count * sizeof(float);
        result = pli_cuda_replace(scene->cuda, &member->positions, size);
    }
    if (result == PLIANT_OK) {
        pliant_state copied = *state;
        copied.shares_positions = false;
        result = pliant_body_set_state(member->body, &copied);
    }
    if (result == PLIANT_OK && state->positions != NULL) {
        result = upload_rows(scene, member->positions.data, state->positions, view->vertex_count, 3,
                             state->position_stride);
        device.positions = member->positions.data;
        device.position_stride = 3;
    }
    if (result == PLIANT_OK && state->coordinates != NULL) {
        float *own = own_part(member, view, 0);
        result = upload_rows(scene, own, state->coordinates, view->mode_count, 1, 0);
        device.coordinates = own;
    }
    if (result == PLIANT_OK && state->transforms != NULL) {
        float *own = own_part(member, view, 1);
        result = upload_rows(scene, own, state->transforms, view->joint_count, 12,
                             state->transform_stride);
        device.transforms = own;
        device.transform_stride = 12;
    }
    if (result == PLIANT_OK && state->world != NULL) {
        float *own = own_part(member, view, 2);
        result = upload_rows(scene, own, state->world, 1, 12, 0);
        device.world = own;
    }
    if (result == PLIANT_OK) {
        adopt(scene, member, &device);
    }
    return result;
}

static pliant_result check_lent(const pliant_shape_view *view, const pliant_state *state)
{
    bool nothing = state->positions == NULL && state->coordinates == NULL &&
                   state->transforms == NULL && state->world == NULL;
    if (nothing) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, "the state has nothing to set");
    }
    if (state->positions != NULL && (view->mode_count > 0 || view->has_influences)) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT,
                           "positions are given to a body that has modes or influences");
    }
    if (state->position_stride % sizeof(float) != 0 ||
        state->transform_stride % sizeof(float) != 0) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT,
                           "a stride on the device is no multiple of 4 bytes");
    }
    if (state->coordinates != NULL && state->coordinate_count != view->mode_count) {
        return pli_cuda_fail(PLIANT_ERROR_ARGUMENT, "%u coordinates for %u modes",
                             state->coordinate_count, view->mode_count);
    }
    if (state->transforms != NULL && state->transform_count != view->joint_count) {
        return pli_cuda_fail(PLIANT_ERROR_ARGUMENT, "%u transforms for %u joints",
                             state->transform_count, view->joint_count);
    }
    return PLIANT_OK;
}

static pliant_result set_from_device(pliant_cuda_scene *scene, pli_cuda_member *member,
                                     const pliant_state *state)
{
    const pliant_shape_view *view = &scene->uploads.data[member->shape].view;
    pliant_result result = check_lent(view, state);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_cuda_body device = member->device;
    if (state->positions != NULL) {
        size_t stride = state->position_stride / sizeof(float);
        device.positions = state->positions;
        device.position_stride = stride > 0 ? stride : 3;
    }
    if (state->coordinates != NULL) {
        device.coordinates = state->coordinates;
    }
    if (state->transforms != NULL) {
        size_t stride = state->transform_stride / sizeof(float);
        device.transforms = state->transforms;
        device.transform_stride = stride > 0 ? stride : 12;
    }
    if (state->world != NULL) {
        device.world = state->world;
    }
    adopt(scene, member, &device);
    return PLIANT_OK;
}

pliant_result pliant_cuda_scene_set_state(pliant_cuda_scene *scene, uint32_t body,
                                          const pliant_state *state, pliant_cuda_memory memory)
{
    if (scene == NULL || state == NULL) {
        return pli_cuda_fail(PLIANT_ERROR_ARGUMENT, "pliant_cuda_scene_set_state: %s is NULL",
                             scene == NULL ? "scene" : "state");
    }
    if (body >= scene->members.count) {
        return pli_cuda_fail(PLIANT_ERROR_RANGE, "body %u of %zu", body, scene->members.count);
    }
    pli_cuda_member *member = &scene->members.data[body];
    switch (memory) {
    case PLIANT_CUDA_HOST:
        return set_from_host(scene, member, state);
    case PLIANT_CUDA_DEVICE:
        return set_from_device(scene, member, state);
    }
    return pli_cuda_fail(PLIANT_ERROR_RANGE, "memory is %d; there is no such one", (int)memory);
}
