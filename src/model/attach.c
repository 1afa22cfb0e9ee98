/*
 * From simulation nodes to influences and transforms.
 * Based on: M. Mueller, R. Keiser, A. Nealen, M. Pauly, M. Gross, M. Alexa, Point Based Animation
 * of Elastic, Plastic and Melting Objects, Symposium on Computer Animation 2004 (the kernel), and
 * D. Steinemann, M. A. Otaduy, M. Gross, Efficient Bounds for Point-Based Animations, Symposium on
 * Point-Based Graphics 2007 (deformed vertices as convex combinations of transforms).
 *
 * Everything is computed in double from basic operations and rounded once, so that all machines
 * give the same bits.
 */
#include "pliant/attach.h"

#include "base/error.h"
#include "base/float_env.h"

#include <math.h>
#include <string.h>

enum { MOST_JOINTS = 65536 };

PLIANT_DEFINE_DEFAULT(pliant_attach_def)
{
    return (pliant_attach_def){.tag = PLI_TAG(pliant_attach_def)};
}

static inline const float *point_at(const float *points, size_t stride, size_t i)
{
    return (const float *)(const void *)((const char *)points + stride * i);
}

static pliant_result check_point(const char *what, uint32_t i, const float *point)
{
    for (int k = 0; k < 3; k++) {
        if (!isfinite(point[k])) {
            return pli_fail(PLIANT_ERROR_NOT_FINITE, "%s %u: coordinate %c is %f", what, i,
                            "xyz"[k], (double)point[k]);
        }
    }
    return PLIANT_OK;
}

static pliant_result check_stride(const char *name, size_t *stride)
{
    *stride = *stride > 0 ? *stride : 3 * sizeof(float);
    if (*stride < 3 * sizeof(float) || *stride % sizeof(float) != 0) {
        return pli_fail(PLIANT_ERROR_RANGE, "%s is %zu; it must be 0 or a multiple of 4 from 12 on",
                        name, *stride);
    }
    return PLIANT_OK;
}

/* Checks everything but the vertices, which are checked as they are met, and fills in strides. */
static pliant_result check_definition(pliant_attach_def *def)
{
    PLI_REQUIRE(def->joint_positions);
    PLI_REQUIRE(def->joint_radii);
    PLI_REQUIRE(def->positions);
    if (def->joint_count == 0 || def->vertex_count == 0) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "%u joints and %u vertices; at least one of each is due", def->joint_count,
                        def->vertex_count);
    }
    if (def->joint_count > MOST_JOINTS || def->vertex_count > INT32_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE,
                        "%u joints and %u vertices; at most 65536 and 2^31 - 1 are possible",
                        def->joint_count, def->vertex_count);
    }
    pliant_result result = check_stride("joint_stride", &def->joint_stride);
    if (result == PLIANT_OK) {
        result = check_stride("position_stride", &def->position_stride);
    }
    for (uint32_t j = 0; j < def->joint_count && result == PLIANT_OK; j++) {
        float radius = def->joint_radii[j];
        result = check_point("joint", j, point_at(def->joint_positions, def->joint_stride, j));
        if (result == PLIANT_OK && !isfinite(radius)) {
            return pli_fail(PLIANT_ERROR_NOT_FINITE, "joint %u: the radius is %f", j,
                            (double)radius);
        }
        if (result == PLIANT_OK && radius <= 0.0f) {
            return pli_fail(PLIANT_ERROR_RANGE, "joint %u: the radius is %g; it must be above 0", j,
                            (double)radius);
        }
    }
    return result;
}

static double squared_distance(const pliant_attach_def *def, uint32_t joint, const float *vertex)
{
    const float *place = point_at(def->joint_positions, def->joint_stride, joint);
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double difference = (double)vertex[k] - (double)place[k];
        sum += difference * difference;
    }
    return sum;
}

/* 0 at the radius and beyond. */
static double kernel(const pliant_attach_def *def, uint32_t joint, const float *vertex)
{
    double radius = (double)def->joint_radii[joint];
    double rest = 1.0 - squared_distance(def, joint, vertex) / (radius * radius);
    return rest > 0.0 ? rest * rest * rest : 0.0;
}

static uint32_t find_nearest(const pliant_attach_def *def, const float *vertex)
{
    uint32_t nearest = 0;
    double least = squared_distance(def, 0, vertex);
    for (uint32_t j = 1; j < def->joint_count; j++) {
        double square = squared_distance(def, j, vertex);
        if (square < least) {
            least = square;
            nearest = j;
        }
    }
    return nearest;
}

/* Where influences go. With joints NULL they are only counted. */
typedef struct influence_list {
    uint32_t *joints;
    float *weights;
    uint64_t capacity, count;
} influence_list;

static pliant_result add_influence(influence_list *list, uint32_t joint, float weight)
{
    if (list->count == UINT32_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "more than 2^32 - 1 influences");
    }
    if (list->joints != NULL) {
        if (list->count == list->capacity) {
            return pli_fail(PLIANT_ERROR_RANGE, "there is room for %llu influences only",
                            (unsigned long long)list->capacity);
        }
        list->joints[list->count] = joint;
        list->weights[list->count] = weight;
    }
    list->count++;
    return PLIANT_OK;
}

/* A vertex that no joint reaches. */
static pliant_result add_stray(const pliant_attach_def *def, uint32_t v, const float *vertex,
                               influence_list *list)
{
    uint32_t nearest = find_nearest(def, vertex);
    if (!def->attach_to_nearest) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "vertex %u: no joint reaches it; the nearest is joint %u, which reaches %g "
                        "and is %g away",
                        v, nearest, (double)def->joint_radii[nearest],
                        sqrt(squared_distance(def, nearest, vertex)));
    }
    return add_influence(list, nearest, 1.0f);
}

static pliant_result add_vertex(const pliant_attach_def *def, uint32_t v, influence_list *list)
{
    const float *vertex = point_at(def->positions, def->position_stride, v);
    pliant_result result = check_point("vertex", v, vertex);
    double sum = 0.0;
    if (result != PLIANT_OK) {
        return result;
    }
    for (uint32_t j = 0; j < def->joint_count; j++) {
        sum += kernel(def, j, vertex);
    }
    if (sum == 0.0) {
        return add_stray(def, v, vertex, list);
    }
    for (uint32_t j = 0; j < def->joint_count && result == PLIANT_OK; j++) {
        float weight = (float)(kernel(def, j, vertex) / sum);
        if (weight > 0.0f) {
            result = add_influence(list, j, weight);
        }
    }
    return result;
}

PLI_NOINLINE static pliant_result add_vertices(const pliant_attach_def *given, uint32_t *offsets,
                                               influence_list *list)
{
    pliant_attach_def def = *given;
    pliant_result result = check_definition(&def);
    for (uint32_t v = 0; v < def.vertex_count && result == PLIANT_OK; v++) {
        if (offsets != NULL) {
            offsets[v] = (uint32_t)list->count;
        }
        result = add_vertex(&def, v, list);
    }
    if (offsets != NULL && result == PLIANT_OK) {
        offsets[def.vertex_count] = (uint32_t)list->count;
    }
    return result;
}

pliant_result pliant_attach_vertices(const pliant_attach_def *def, uint32_t *offsets,
                                     uint32_t *joints, float *weights, uint64_t capacity,
                                     uint64_t *count)
{
    PLI_REQUIRE(def);
    PLI_REQUIRE(count);
    PLI_REQUIRE_TAG(def, pliant_attach_def);
    if (joints != NULL) {
        PLI_REQUIRE(offsets);
        PLI_REQUIRE(weights);
    }
    influence_list list = {joints, weights, capacity, 0};
    pli_float_env saved = pli_float_env_enter();
    pliant_result result = add_vertices(def, joints != NULL ? offsets : NULL, &list);
    pli_float_env_leave(saved);
    if (result == PLIANT_OK) {
        *count = list.count;
    }
    return result;
}

PLI_NOINLINE static pliant_result make_transform(const float reference[3],
                                                 const float displacement[3],
                                                 const float gradient[9], float transform[12])
{
    float made[12];
    for (int k = 0; k < 3; k++) {
        double moved = (double)displacement[k];
        for (int i = 0; i < 3; i++) {
            double slope = (double)gradient[3 * i + k];
            made[4 * k + i] = (float)(i == k ? slope + 1.0 : slope);
            moved -= slope * (double)reference[i];
        }
        made[4 * k + 3] = (float)moved;
    }
    for (int i = 0; i < 12; i++) {
        if (!isfinite(made[i])) {
            return pli_fail(PLIANT_ERROR_RANGE, "number %d of the transform overflows", i);
        }
    }
    memcpy(transform, made, sizeof made);
    return PLIANT_OK;
}

static pliant_result check_numbers(const char *name, const float *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) {
            return pli_fail(PLIANT_ERROR_NOT_FINITE, "number %d of the %s is %f", i, name,
                            (double)numbers[i]);
        }
    }
    return PLIANT_OK;
}

pliant_result pliant_compute_joint_transform(const float reference[3], const float displacement[3],
                                             const float gradient[9], float transform[12])
{
    PLI_REQUIRE(reference);
    PLI_REQUIRE(displacement);
    PLI_REQUIRE(gradient);
    PLI_REQUIRE(transform);
    pliant_result result = check_numbers("reference position", reference, 3);
    if (result == PLIANT_OK) {
        result = check_numbers("displacement", displacement, 3);
    }
    if (result == PLIANT_OK) {
        result = check_numbers("gradient", gradient, 9);
    }
    if (result == PLIANT_OK) {
        pli_float_env saved = pli_float_env_enter();
        result = make_transform(reference, displacement, gradient, transform);
        pli_float_env_leave(saved);
    }
    return result;
}
