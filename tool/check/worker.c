/* What touches in one pose: bodies are set by coordinates and transforms, and only vertices near a
 * contact are ever computed. */
#include "worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void check_worker_destroy(check_worker *worker)
{
    if (worker == NULL) {
        return;
    }
    for (uint32_t i = 0; i < worker->state->body_count; i++) {
        pliant_body_destroy(worker->bodies != NULL ? worker->bodies[i] : NULL);
        if (worker->caches != NULL) {
            free(worker->caches[i].slots);
            free(worker->caches[i].vertices);
            free(worker->caches[i].positions);
        }
    }
    pliant_query_destroy(worker->query);
    pliant_volume_destroy(worker->volume);
    pliant_contours_destroy(worker->contours);
    pliant_asset_pose_destroy(worker->pose);
    free((void *)worker->bodies);
    free(worker->is_here);
    free(worker->is_placed);
    free(worker->boxes);
    free(worker->caches);
    free(worker->records);
    free(worker->found);
    free(worker);
}

/* Gets everything that has as many entries as there are bodies. */
static bool get_lists(check_worker *worker)
{
    size_t bodies = (size_t)worker->state->body_count + 1;
    worker->bodies = (pliant_body **)calloc(bodies, sizeof(pliant_body *));
    worker->is_here = calloc(bodies, sizeof *worker->is_here);
    worker->is_placed = calloc(bodies, sizeof *worker->is_placed);
    worker->boxes = calloc(bodies, sizeof *worker->boxes);
    worker->caches = calloc(bodies, sizeof *worker->caches);
    return worker->bodies != NULL && worker->is_here != NULL && worker->is_placed != NULL &&
           worker->boxes != NULL && worker->caches != NULL;
}

static pliant_result create_objects(check_worker *worker)
{
    const check *state = worker->state;
    pliant_result result = pliant_asset_pose_create(state->asset, &worker->pose);
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
        const check_body *body = &state->bodies[i];
        if (body->shape != NULL) {
            result = pliant_body_create(body->shape, NULL, &worker->bodies[i]);
        }
    }
    return result;
}

check_worker *check_worker_create(const check *state, pliant_result *result)
{
    check_worker *worker = calloc(1, sizeof *worker);
    *result = PLIANT_ERROR_OUT_OF_MEMORY;
    if (worker == NULL) {
        return NULL;
    }
    worker->state = state;
    *result = get_lists(worker) ? create_objects(worker) : PLIANT_ERROR_OUT_OF_MEMORY;
    if (*result != PLIANT_OK) {
        check_worker_destroy(worker);
        return NULL;
    }
    return worker;
}

static pliant_result place_body(check_worker *worker, uint32_t index, check_frame *frame)
{
    pliant_asset_state state = pliant_asset_pose_get_state(worker->pose, index);
    worker->is_here[index] = worker->bodies[index] != NULL && !state.hidden;
    if (!worker->is_here[index]) {
        if (worker->bodies[index] != NULL) {
            frame->hidden[frame->hidden_count++] = index;
        }
        return PLIANT_OK;
    }
    bool still = pliant_asset_get_body(worker->state->asset, index)->motion == PLIANT_ASSET_STILL;
    if (still && worker->is_placed[index]) {
        return PLIANT_OK; /* its bounds stay as they are */
    }
    pliant_result result = pliant_asset_pose_apply(worker->pose, index, worker->bodies[index]);
    worker->is_placed[index] = result == PLIANT_OK;
    return result == PLIANT_OK
               ? pliant_body_get_bounds(worker->bodies[index], &worker->boxes[index])
               : result;
}

static bool may_meet(const check_worker *worker, uint32_t a, uint32_t b)
{
    const pliant_box *first = &worker->boxes[a], *second = &worker->boxes[b];
    double reach = worker->state->settings.clearance;
    for (int k = 0; k < 3; k++) {
        if ((double)first->lower[k] - (double)second->upper[k] > reach ||
            (double)second->lower[k] - (double)first->upper[k] > reach) {
            return false;
        }
    }
    return true;
}

const check_found *check_find(const check_frame *frame, uint32_t a, uint32_t b)
{
    check_found wanted = {.a = a, .b = b};
    return frame->found_count == 0 ? NULL
                                   : bsearch(&wanted, frame->found, frame->found_count,
                                             sizeof *frame->found, check_compare_found);
}

/* All about two bodies, or about one and itself. */
static pliant_result compare_bodies(check_worker *worker, uint32_t a, uint32_t b,
                                    const check_frame *reference, bool keep)
{
    worker->record_count = 0;
    pliant_result result = check_ask(worker, a, b);
    return result == PLIANT_OK && worker->record_count > 0
               ? check_add_found(worker, a, b, reference, keep)
               : result;
}

static pliant_result compare_all(check_worker *worker, const check_frame *reference, bool keep)
{
    const check *state = worker->state;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < state->body_count; i++) {
        if (!worker->is_here[i]) {
            continue;
        }
        if (state->settings.self || state->bodies[i].part_count > 1) {
            result = compare_bodies(worker, i, i, reference, keep);
        }
        for (uint32_t j = i + 1; result == PLIANT_OK && j < state->body_count; j++) {
            if (worker->is_here[j] && may_meet(worker, i, j)) {
                result = compare_bodies(worker, i, j, reference, keep);
            }
        }
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return result;
}

/* Copies what was found to the frame, which keeps no more than it needs. */
static pliant_result store(check_worker *worker, check_frame *frame)
{
    frame->found = malloc((worker->found_count + 1) * sizeof *frame->found);
    if (frame->found == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    frame->found_count = (uint32_t)worker->found_count;
    if (frame->found_count > 0) {
        qsort(worker->found, worker->found_count, sizeof *worker->found, check_compare_found);
        memcpy(frame->found, worker->found, worker->found_count * sizeof *frame->found);
    }
    worker->found_count = 0;
    if (frame->hidden_count == 0) {
        free(frame->hidden);
        frame->hidden = NULL;
    }
    return PLIANT_OK;
}

static void drop_found(check_worker *worker)
{
    for (size_t i = 0; i < worker->found_count; i++) {
        free(worker->found[i].pairs);
        free(worker->found[i].is_new);
        check_free_contours(&worker->found[i].contours);
    }
    worker->found_count = 0;
}

pliant_result check_worker_look(check_worker *worker, check_frame *frame,
                                const check_frame *reference, bool keep_triangles)
{
    const check *state = worker->state;
    uint32_t clip = frame->clip == CHECK_NONE ? PLIANT_ASSET_REST : state->clips[frame->clip].index;
    frame->hidden_count = 0;
    frame->hidden = malloc(((size_t)state->body_count + 1) * sizeof *frame->hidden);
    if (frame->hidden == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = pliant_asset_pose_sample(worker->pose, clip, frame->time);
    for (uint32_t i = 0; result == PLIANT_OK && i < state->body_count; i++) {
        result = place_body(worker, i, frame);
    }
    if (result == PLIANT_OK) {
        result = compare_all(worker, reference, keep_triangles);
    }
    if (result == PLIANT_OK) {
        result = store(worker, frame);
    }
    drop_found(worker);
    return result;
}
