/* Bodies that are given by the positions of their vertices, and where the vertices of any body are.
 */
#include "body/body.h"

#include "base/error.h"
#include "base/float_env.h"
#include "body/refresh.h"
#include "bounds/evaluate.h"

#include <math.h>
#include <string.h>

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

/* The largest coordinate decides, as for all bodies with models, so that what is refused depends
   neither on the tree nor on the strategy; pose->local keeps it for later transforms. */
pliant_result pli_body_measure_positions(const pliant_body *body, pli_positions positions,
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

pliant_result pli_body_try_positions(pliant_body *body, const float *first, size_t stride,
                                     bool shares, pli_positions *positions, pli_pose *pose)
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
        result = pli_body_measure_positions(body, *positions, pose);
    } else if (!shares) {
        result = check_finite(*positions, count);
    }
    return result == PLIANT_OK && !shares ? pli_body_create_copy(body) : result;
}

void pli_body_adopt_positions(pliant_body *body, pli_positions given, bool shares)
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
