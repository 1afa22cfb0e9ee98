/* Scenes on a device, and the bodies in them. */
#include "library.h"

#include <string.h>

enum { SWEEP_FROM = 16384 }; /* below, comparing all boxes with all is quicker than sorting them */

static pliant_result require(const void *pointer, const char *call, const char *name)
{
    return pointer != NULL ? PLIANT_OK
                           : pli_cuda_fail(PLIANT_ERROR_ARGUMENT, "%s: %s is NULL", call, name);
}

pliant_result pliant_cuda_scene_create(pliant_cuda *cuda, pliant_cuda_scene **scene)
{
    pliant_result result = require(cuda, __func__, "cuda");
    if (result == PLIANT_OK) {
        result = require(scene, __func__, "scene");
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_cuda_scene *made = pliant_context_allocate(cuda->context, sizeof *made);
    if (made == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(made, 0, sizeof *made);
    made->cuda = cuda;
    made->context = cuda->context;
    made->sweep_from = SWEEP_FROM;
    made->most_triangles = 1;
    made->report.is_shared = true;
    cuda->users++;
    *scene = made;
    return PLIANT_OK;
}

static void release_member(pliant_cuda *cuda, pli_cuda_member *member)
{
    pli_cuda_release(cuda, &member->positions);
    pli_cuda_release(cuda, &member->state);
    pli_cuda_release(cuda, &member->groups);
    pliant_body_destroy(member->body);
}

void pliant_cuda_scene_destroy(pliant_cuda_scene *scene)
{
    if (scene == NULL) {
        return;
    }
    pliant_cuda *cuda = scene->cuda;
    for (uint32_t i = 0; i < scene->uploads.count; i++) {
        pli_cuda_upload_release(cuda, &scene->uploads.data[i]);
    }
    for (uint32_t i = 0; i < scene->members.count; i++) {
        release_member(cuda, &scene->members.data[i]);
    }
    for (int t = 0; t < PLI_CUDA_TABLES; t++) {
        pli_cuda_release(cuda, &scene->table[t]);
    }
    for (int s = 0; s < PLI_CUDA_STORES; s++) {
        pli_cuda_release(cuda, &scene->store[s]);
    }
    pliant_context_release_array(scene->context, &scene->members.array);
    pliant_context_release_array(scene->context, &scene->uploads.array);
    pli_cuda_release(cuda, &scene->report);
    pliant_context_release_array(scene->context, &scene->keys.array);
    pliant_context_release(scene->context, scene, sizeof *scene);
    pli_cuda_leave(cuda);
}

/* ------------------------------------------------------------ adding */

static pliant_result check_member_def(const pliant_member_def *def)
{
    pliant_result result =
        pliant_check_tag(def->tag, pliant_member_def_default().tag, "pliant_member_def");
    if (result != PLIANT_OK) {
        return result;
    }
    if (def->proxies || def->has_loose_box) {
        return pli_cuda_fail(PLIANT_ERROR_ARGUMENT,
                             "pliant_member_def: %s cannot be used on a "
                             "device yet",
                             def->proxies ? "proxies" : "loose boxes");
    }
    return PLIANT_OK;
}

/* The number of a shape among those on the device, which it is brought to if it is not there. */
static pliant_result find_upload(pliant_cuda_scene *scene, const pliant_shape *shape,
                                 uint32_t *number)
{
    for (uint32_t i = 0; i < scene->uploads.count; i++) {
        if (scene->uploads.data[i].of == shape) {
            *number = i;
            return PLIANT_OK;
        }
    }
    if (!pliant_context_reserve_array(scene->context, scene->uploads.count + 1,
                                      sizeof *scene->uploads.data, &scene->uploads.array)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_cuda_upload upload;
    pliant_float_env env;
    pliant_float_env_enter(&env);
    pliant_result result = pli_cuda_upload_shape(scene->cuda, shape, &upload);
    pliant_float_env_leave(&env);
    if (result == PLIANT_OK) {
        *number = scene->uploads.count;
        scene->uploads.data[scene->uploads.count++] = upload;
    }
    return result;
}

/* Gives a body its own numbers on the device: rest positions, or coordinates of 0 and transforms
   that change nothing. */
static pliant_result set_rest(pliant_cuda_scene *scene, pli_cuda_member *member,
                              const pliant_shape_view *view)
{
    pliant_cuda *cuda = scene->cuda;
    size_t numbers = (size_t)view->mode_count + 12 * (size_t)view->joint_count + 12;
    pliant_result result = pli_cuda_replace(cuda, &member->state, numbers * sizeof(float));
    if (result == PLIANT_OK && member->is_free) {
        size_t size = 3 * (size_t)view->vertex_count * sizeof(float);
        result = pli_cuda_replace(cuda, &member->positions, size);
        if (result == PLIANT_OK) {
            result = pli_cuda_upload_bytes(cuda, member->positions.data, view->positions, size);
        }
    }
    if (result != PLIANT_OK) {
        return result;
    }
    float *rest = pliant_context_allocate(scene->context, numbers * sizeof *rest);
    if (rest == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(rest, 0, numbers * sizeof *rest);
    for (size_t j = 0; j <= view->joint_count; j++) {
        for (size_t k = 0; k < 3; k++) {
            rest[view->mode_count + 12 * j + 5 * k] = 1.0f;
        }
    }
    result = pli_cuda_upload_bytes(cuda, member->state.data, rest, numbers * sizeof *rest);
    pliant_context_release(scene->context, rest, numbers * sizeof *rest);
    float *own = member->state.data;
    member->device.positions = member->positions.data;
    member->device.position_stride = 3;
    member->device.coordinates = own;
    member->device.transforms = own + view->mode_count;
    member->device.transform_stride = 12;
    return result;
}

static pliant_result set_groups(pliant_cuda_scene *scene, pli_cuda_member *member,
                                const pliant_groups *groups)
{
    if (groups->bits == NULL) {
        return PLIANT_OK;
    }
    size_t size = ((size_t)groups->count + 63) / 64 * sizeof *groups->bits;
    pliant_result result = pli_cuda_replace(scene->cuda, &member->groups, size > 0 ? size : 1);
    if (result == PLIANT_OK) {
        result = pli_cuda_upload_bytes(scene->cuda, member->groups.data, groups->bits, size);
    }
    member->device.group_bits = member->groups.data;
    member->device.group_count = groups->count;
    return result;
}

static pliant_result make_member(pliant_cuda_scene *scene, const pliant_shape *shape,
                                 const pliant_member_def *def, pli_cuda_member *member)
{
    pliant_result result = pliant_body_create(shape, NULL, &member->body);
    if (result == PLIANT_OK) {
        result = find_upload(scene, shape, &member->shape);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    const pli_cuda_upload *upload = &scene->uploads.data[member->shape];
    member->is_free = upload->view.mode_count == 0 && upload->view.joint_count == 0;
    member->device.shape = upload->self.data;
    member->device.category = def->category;
    member->device.mask = def->mask;
    member->device.self = def->self;
    member->device.is_static = def->is_static;
    member->device.mode_count = upload->view.mode_count;
    result = set_rest(scene, member, &upload->view);
    return result == PLIANT_OK ? set_groups(scene, member, &def->groups) : result;
}

pliant_result pliant_cuda_scene_add(pliant_cuda_scene *scene, const pliant_shape *shape,
                                    const pliant_member_def *def, uint32_t *body)
{
    pliant_member_def settings = pliant_member_def_default();
    pliant_result result = require(scene, __func__, "scene");
    if (result == PLIANT_OK) {
        result = require(shape, __func__, "shape");
    }
    if (result == PLIANT_OK) {
        result = require(body, __func__, "body");
    }
    if (result == PLIANT_OK && def != NULL) {
        result = check_member_def(def);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    settings = def != NULL ? *def : settings;
    if (!pliant_context_reserve_array(scene->context, scene->members.count + 1,
                                      sizeof *scene->members.data, &scene->members.array)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    uint32_t uploads = scene->uploads.count;
    pli_cuda_member member = {0};
    result = make_member(scene, shape, &settings, &member);
    if (result != PLIANT_OK) {
        if (scene->uploads.count > uploads) { /* nobody keeps its shape */
            pli_cuda_upload_release(scene->cuda, &scene->uploads.data[--scene->uploads.count]);
        }
        release_member(scene->cuda, &member);
        return result;
    }
    *body = scene->members.count;
    scene->members.data[scene->members.count++] = member;
    scene->is_laid_out = false;
    return PLIANT_OK;
}

uint32_t pliant_cuda_scene_get_body_count(const pliant_cuda_scene *scene)
{
    return scene != NULL ? scene->members.count : 0;
}
