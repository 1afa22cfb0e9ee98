/*
 * Tearing a body. It gets a shape of its own the first time, which is edited from then on. Whatever
 * can fail is done before the body changes.
 */
#include "body/body.h"

#include "base/float_env.h"
#include "body/refresh.h"
#include "shape/tearing.h"

#include <string.h>

static pliant_result check_arrays(const pliant_tear *tear)
{
    const void *const given[3] = {tear->removed, tear->split, tear->corners};
    const uint32_t count[3] = {tear->removed_count, tear->split_count, tear->corner_count};
    static const char *const names[3] = {"removed", "split", "corners"};
    for (int i = 0; i < 3; i++) {
        if (given[i] == NULL && count[i] > 0) {
            return pli_fail(PLIANT_ERROR_ARGUMENT, "%s is NULL, and has %u entries", names[i],
                            count[i]);
        }
    }
    if (tear->added_count > 0) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "added_count is %u: triangles cannot be added to a body; make a shape of "
                        "all of them",
                        tear->added_count);
    }
    return PLIANT_OK;
}

static pliant_result check_body(const pliant_body *body)
{
    const pli_model *model = &body->shape->block->model;
    if (model->mode_count > 0 || model->joint_count > 0) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "only free bodies can be torn: the shape of this one has %u modes and %u "
                        "joints",
                        model->mode_count, model->joint_count);
    }
    if (body->host != NULL && body->host->recorded) {
        return pli_fail(PLIANT_ERROR_STATE,
                        "body %u is in a scene that is being recorded, and recordings have no "
                        "tears",
                        body->slot);
    }
    return pli_body_check_valid(body);
}

/* Whether nobody but the body and what belongs to it uses its shape, so that it may change. */
static bool owns_shape(const pliant_body *body)
{
    uint64_t own = 1;
    own += body->start != NULL && body->start->shape == body->shape;
    own += body->sweep != NULL && body->sweep->shape == body->shape;
    return body->shape->tearing != NULL && body->shape->users == own;
}

/* Where the positions go: nowhere while the body is at rest, into its copy if that has room for
   copies of vertices, or else into a larger one. */
typedef struct torn_positions {
    float *copy;
    size_t capacity; /* in vertices */
    bool at_rest;
} torn_positions;

static pliant_result place_positions(const pliant_body *body, uint32_t more, torn_positions *to)
{
    uint32_t count = body->shape->vertex_count;
    *to = (torn_positions){.copy = body->copy,
                           .capacity = body->copy_capacity,
                           .at_rest = body->positions.first == body->given->positions};
    bool fits = body->positions.first == body->copy && body->shape->tearing != NULL &&
                body->copy_capacity >= (size_t)count + more;
    if (to->at_rest || fits) {
        return PLIANT_OK;
    }
    size_t wanted = (size_t)count + more;
    to->capacity = wanted + wanted / 8; /* so that tearing again and again copies it seldom */
    to->copy = pli_allocate(body->context, 3 * to->capacity * sizeof *to->copy);
    if (to->copy == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t v = 0; v < count; v++) {
        memcpy(to->copy + 3 * (size_t)v, pli_position(body->positions, v), 3 * sizeof(float));
    }
    return PLIANT_OK;
}

static void release_positions(const pliant_body *body, const torn_positions *to)
{
    if (to->copy != body->copy) {
        pli_release(body->context, to->copy, 3 * to->capacity * sizeof *to->copy);
    }
}

/* What cannot fail. */
static void adopt(pliant_body *body, pliant_shape *own, const torn_positions *to,
                  const pliant_tear *tear, const pli_tear_begun *begun)
{
    uint32_t before = own->vertex_count;
    pli_host *host = body->host;
    if (host != NULL) {
        host->count(host, body, -1);
    }
    pli_body_forget(body);
    if (body->start != NULL) {
        pli_body_drop_start(body);
    }
    pli_islands_release(body);
    if (body->sweep != NULL) { /* its records are of the tree as it was, too */
        pli_body_forget(body->sweep);
    }
    pli_shape_end_tear(own, tear, begun);
    if (own != body->shape) {
        if (body->given != body->shape) {
            pli_shape_leave(body->given);
        }
        pli_shape_leave(body->shape);
        body->shape = body->given = own;
    }
    body->nodes = own->nodes;
    /* Scenes know the sweep by its states, so that it is kept and its states go on. */
    pli_body_follow_shape(body->sweep, own);
    if (!to->at_rest) {
        if (to->copy != body->copy) {
            pli_release(body->context, body->copy, pli_body_copy_size(body));
            body->copy = to->copy;
            body->copy_capacity = to->capacity;
        }
        for (uint32_t i = 0; i < tear->split_count; i++) {
            memcpy(body->copy + 3 * (size_t)(before + i), body->copy + 3 * (size_t)tear->split[i],
                   3 * sizeof(float));
        }
    }
    body->positions =
        pli_view_positions(own, to->at_rest ? own->positions : body->copy, 3 * sizeof(float));
    if (host != NULL) {
        host->count(host, body, 1);
    }
}

static PLI_NOINLINE pliant_result tear_body(pliant_body *body, const pliant_tear *tear)
{
    pli_body_end_rebuild(body);
    pliant_shape *own = (pliant_shape *)body->shape;
    torn_positions to;
    pli_tear_begun begun;
    pliant_result result = place_positions(body, tear->split_count, &to);
    if (result != PLIANT_OK) {
        return result;
    }
    bool owned = owns_shape(body);
    if (!owned) {
        result = pli_shape_make_tearable(body->shape, &own);
    }
    if (result == PLIANT_OK) {
        result = pli_shape_begin_tear(own, tear, &begun);
        if (result != PLIANT_OK && !owned) {
            pli_shape_leave(own);
        }
    }
    if (result != PLIANT_OK) {
        release_positions(body, &to);
        return result;
    }
    adopt(body, own, &to, tear, &begun);
    return PLIANT_OK;
}

pliant_result pliant_body_tear(pliant_body *body, const pliant_tear *tear)
{
    PLI_REQUIRE(body);
    PLI_REQUIRE(tear);
    pliant_result result = check_arrays(tear);
    if (result == PLIANT_OK) {
        result = pli_body_check_idle(body, __func__);
    }
    if (result == PLIANT_OK) {
        result = check_body(body);
    }
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = tear_body(body, tear);
        pli_float_env_leave(env);
    }
    return result;
}
