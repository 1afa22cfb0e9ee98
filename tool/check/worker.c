/* What touches in one pose: bodies are set by coordinates and transforms, and only vertices near a
 * contact are ever computed. */
#include "worker.h"

#include <stdlib.h>
#include <string.h>

void check_worker_destroy(check_worker *worker)
{
    if (worker == NULL) {
        return;
    }
    pliant_scene_destroy(worker->scene);
    for (uint32_t i = 0; worker->members != NULL && i < worker->state->body_count; i++) {
        check_member *member = &worker->members[i];
        pliant_body_destroy(member->body);
        check_close_positions(&member->known);
    }
    pliant_query_destroy(worker->query);
    pliant_volume_destroy(worker->volume);
    pliant_contours_destroy(worker->contours);
    pliant_asset_pose_destroy(worker->pose);
    check_regions_destroy(worker->regions);
    free(worker->members);
    free(worker->records);
    free(worker->found);
    free(worker);
}

/* How a body takes part. A hidden one stays in the scene, so that the order of bodies is that of
   the file. */
static pliant_member_def describe_member(const check *state, uint32_t index, bool shown)
{
    pliant_member_def def = pliant_member_def_default();
    def.mask = shown ? def.mask : 0;
    def.self = shown && (state->settings.self || state->bodies[index].part_count > 1);
    def.user = &state->bodies[index];
    return def;
}

static pliant_result add_body(check_worker *worker, uint32_t index)
{
    check_member *member = &worker->members[index];
    pliant_member_def def = describe_member(worker->state, index, true);
    pliant_result result =
        pliant_body_create(worker->state->bodies[index].shape, NULL, &member->body);
    member->is_shown = true;
    return result == PLIANT_OK ? pliant_scene_add(worker->scene, member->body, &def, &member->id)
                               : result;
}

static pliant_result create_objects(check_worker *worker)
{
    const check *state = worker->state;
    pliant_result result = pliant_asset_pose_create(state->asset, &worker->pose);
    if (result == PLIANT_OK) {
        result = pliant_scene_create(state->context, NULL, &worker->scene);
    }
    if (result == PLIANT_OK) {
        result = pliant_query_create(state->context, &worker->query);
    }
    if (result == PLIANT_OK && state->settings.volume) {
        result = pliant_volume_create(state->context, NULL, &worker->volume);
    }
    if (result == PLIANT_OK && state->settings.contours) {
        result = pliant_contours_create(state->context, &worker->contours);
    }
    for (uint32_t i = 0; result == PLIANT_OK && i < state->body_count; i++) {
        if (state->bodies[i].shape != NULL) {
            result = add_body(worker, i);
        }
    }
    return result;
}

check_worker *check_worker_create(const check *state, bool is_reference, pliant_result *result)
{
    check_worker *worker = calloc(1, sizeof *worker);
    *result = PLIANT_ERROR_OUT_OF_MEMORY;
    if (worker == NULL) {
        return NULL;
    }
    worker->state = state;
    worker->is_reference = is_reference;
    worker->members = calloc((size_t)state->body_count + 1, sizeof *worker->members);
    worker->regions = check_regions_create();
    *result = worker->members != NULL && worker->regions != NULL ? create_objects(worker)
                                                                 : PLIANT_ERROR_OUT_OF_MEMORY;
    if (*result != PLIANT_OK) {
        check_worker_destroy(worker);
        return NULL;
    }
    return worker;
}

static pliant_result show_body(check_worker *worker, uint32_t index, bool shown)
{
    check_member *member = &worker->members[index];
    pliant_member_def def = describe_member(worker->state, index, shown);
    if (member->is_shown == shown) {
        return PLIANT_OK;
    }
    member->is_shown = shown;
    return pliant_scene_set_member(worker->scene, member->id, &def);
}

static pliant_result place_body(check_worker *worker, uint32_t index, check_frame *frame)
{
    check_member *member = &worker->members[index];
    if (member->body == NULL) {
        return PLIANT_OK;
    }
    bool hidden = pliant_asset_pose_get_state(worker->pose, index).hidden;
    bool still = pliant_asset_get_body(worker->state->asset, index)->motion == PLIANT_ASSET_STILL;
    pliant_result result = show_body(worker, index, !hidden);
    if (hidden) {
        frame->hidden[frame->hidden_count++] = index;
    } else if (result == PLIANT_OK && !(still && member->is_placed)) {
        result = pliant_asset_pose_apply(worker->pose, index, member->body);
        member->is_placed = result == PLIANT_OK;
    }
    return result;
}

const check_found *check_find(const check_frame *frame, uint32_t a, uint32_t b)
{
    check_found wanted = {.a = a, .b = b};
    return frame->found_count == 0 ? NULL
                                   : bsearch(&wanted, frame->found, frame->found_count,
                                             sizeof *frame->found, check_compare_found);
}

void check_sort_found(check_worker *worker)
{
    if (worker->found_count > 0) {
        qsort(worker->found, worker->found_count, sizeof *worker->found, check_compare_found);
    }
}

pliant_result check_reserve_found(check_worker *worker)
{
    if (worker->found_count == CHECK_MOST_FOUND) {
        snprintf(worker->error, sizeof worker->error,
                 "more than %d pairs of bodies touch; --ignore leaves out bodies, or pairs of them",
                 CHECK_MOST_FOUND);
        return PLIANT_ERROR_DATA;
    }
    check_found *grown =
        check_grow(worker->found, &worker->found_capacity, worker->found_count, sizeof *grown);
    worker->found = grown != NULL ? grown : worker->found;
    return grown != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_result check_store(check_worker *worker, check_frame *frame)
{
    frame->found = malloc((worker->found_count + 1) * sizeof *frame->found);
    if (frame->found == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    frame->found_count = (uint32_t)worker->found_count;
    if (frame->found_count > 0) {
        check_sort_found(worker);
        memcpy(frame->found, worker->found, worker->found_count * sizeof *frame->found);
    }
    worker->found_count = 0;
    if (frame->hidden_count == 0) {
        free(frame->hidden);
        frame->hidden = NULL;
    }
    return PLIANT_OK;
}

void check_drop_found(check_worker *worker)
{
    for (size_t i = 0; i < worker->found_count; i++) {
        check_free_found(&worker->found[i]);
    }
    worker->found_count = 0;
}

pliant_result check_place(check_worker *worker, check_frame *frame, double time)
{
    const check *state = worker->state;
    uint32_t clip = frame->clip == CHECK_NONE ? PLIANT_ASSET_REST : state->clips[frame->clip].index;
    frame->hidden_count = 0;
    worker->pose_epoch++;
    if (frame->hidden == NULL) {
        frame->hidden = malloc(((size_t)state->body_count + 1) * sizeof *frame->hidden);
    }
    if (frame->hidden == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = pliant_asset_pose_sample(worker->pose, clip, time);
    for (uint32_t i = 0; result == PLIANT_OK && i < state->body_count; i++) {
        result = place_body(worker, i, frame);
    }
    return result;
}

pliant_result check_worker_look(check_worker *worker, check_frame *frame,
                                const check_acceptance *accepted, bool keep_triangles)
{
    pliant_result result = check_place(worker, frame, frame->time);
    if (result == PLIANT_OK) {
        result = check_ask(worker, accepted, keep_triangles);
    }
    if (result == PLIANT_OK) {
        result = check_find_contained(worker, accepted);
    }
    if (result == PLIANT_OK) {
        result = check_store(worker, frame);
    }
    check_drop_found(worker);
    return result;
}
