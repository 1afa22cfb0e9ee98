/*
 * How a shape deforms: displacement fields and influences, checked and copied by vertex. Zeros are
 * left out: a field that does nothing to a vertex, a joint that does not move it.
 */
#include "mesh.h"

#include "base/error.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_MODES = 65536, MOST_NODES = 65536 };

static pliant_result check_model(const pliant_shape_def *def)
{
    if (def->mode_count > MOST_MODES || def->joint_count > MOST_NODES) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE,
                        "%u modes and %u joints; at most 65536 are possible", def->mode_count,
                        def->joint_count);
    }
    if (def->mode_count > 0 && def->modes == NULL) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "mode_count is %u, but modes is NULL",
                        def->mode_count);
    }
    if (def->mode_count > 0 && def->mode_offsets != NULL && def->mode_vertices == NULL) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "mode_offsets is set, but mode_vertices is NULL");
    }
    if (def->influence_offsets != NULL &&
        (def->influence_joints == NULL || def->influence_weights == NULL)) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "influence_offsets is set, but influence_joints or "
                                               "influence_weights is NULL");
    }
    if (def->influence_offsets != NULL && def->joint_count == 0) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "there are influences, but joint_count is 0");
    }
    if (def->influence_offsets == NULL && def->joint_count > 1) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "joint_count is %u, but there are no influences",
                        def->joint_count);
    }
    if (!isfinite(def->error) || def->error < 0.0f) {
        return pli_fail(PLIANT_ERROR_RANGE, "error is %f; it must be a finite distance",
                        (double)def->error);
    }
    if ((unsigned)def->bound > PLIANT_BOUND_AFFINE) {
        return pli_fail(PLIANT_ERROR_RANGE, "bound is %d; there is no such kind", (int)def->bound);
    }
    if ((unsigned)def->sphere_centre > PLIANT_SPHERE_SMALLEST) {
        return pli_fail(PLIANT_ERROR_RANGE, "sphere_centre is %d; there is no such one",
                        (int)def->sphere_centre);
    }
    return PLIANT_OK;
}

pliant_result pli_mesh_allocate_entries(pli_mesh *mesh, pli_entries *entries, size_t capacity,
                                        size_t width)
{
    size_t bytes = 0, start_bytes = ((size_t)mesh->vertex_count + 1) * sizeof *entries->start;
    if (!pli_size_multiply(capacity, width * sizeof(float), &bytes) || bytes > PTRDIFF_MAX ||
        capacity > UINT32_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%zu fields or influences of vertices", capacity);
    }
    capacity = capacity > 0 ? capacity : 1;
    entries->capacity = capacity;
    entries->start = pli_allocate(mesh->context, start_bytes);
    entries->number = pli_allocate(mesh->context, capacity * sizeof *entries->number);
    entries->value = pli_allocate(mesh->context, capacity * width * sizeof *entries->value);
    if (entries->start == NULL || entries->number == NULL || entries->value == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(entries->start, 0, start_bytes);
    return PLIANT_OK;
}

static void release_entries(pli_mesh *mesh, pli_entries *entries, size_t width)
{
    pliant_context *context = mesh->context;
    pli_release(context, entries->start, ((size_t)mesh->vertex_count + 1) * sizeof *entries->start);
    pli_release(context, entries->number, entries->capacity * sizeof *entries->number);
    pli_release(context, entries->value, entries->capacity * width * sizeof *entries->value);
    *entries = (pli_entries){0};
}

/* A field as the caller gives it: entries for some vertices, or for all. */
typedef struct given_modes {
    const pliant_shape_def *def;
    size_t vertex_stride, mode_stride;
} given_modes;

static uint32_t mode_entry_count(const given_modes *given, uint32_t mode)
{
    const uint32_t *offsets = given->def->mode_offsets;
    return offsets != NULL ? offsets[mode + 1] - offsets[mode] : given->def->vertex_count;
}

/* Entry i of a mode: its vertex and its three numbers. */
static uint32_t mode_entry(const given_modes *given, uint32_t mode, uint32_t i, float value[3])
{
    const pliant_shape_def *def = given->def;
    bool sparse = def->mode_offsets != NULL;
    size_t entry = sparse ? (size_t)def->mode_offsets[mode] + i : i;
    size_t offset = entry * given->vertex_stride + (sparse ? 0 : mode * given->mode_stride);
    memcpy(value, (const char *)def->modes + offset, 3 * sizeof *value);
    return sparse ? def->mode_vertices[entry] : i;
}

static pliant_result check_modes(const given_modes *given)
{
    const pliant_shape_def *def = given->def;
    for (uint32_t m = 0; m < def->mode_count; m++) {
        if (def->mode_offsets != NULL && def->mode_offsets[m + 1] < def->mode_offsets[m]) {
            return pli_fail(PLIANT_ERROR_RANGE, "mode_offsets: mode %u ends before it begins", m);
        }
        for (uint32_t i = 0; i < mode_entry_count(given, m); i++) {
            float value[3];
            uint32_t vertex = mode_entry(given, m, i, value);
            if (vertex >= def->vertex_count) {
                return pli_fail(PLIANT_ERROR_RANGE, "mode %u moves vertex %u of %u", m, vertex,
                                def->vertex_count);
            }
            for (int k = 0; k < 3; k++) {
                if (!isfinite(value[k])) {
                    return pli_fail(PLIANT_ERROR_NOT_FINITE,
                                    "mode %u, vertex %u: coordinate %c is %f", m, vertex, "xyz"[k],
                                    (double)value[k]);
                }
            }
        }
    }
    return PLIANT_OK;
}

static bool is_zero(const float value[3])
{
    return value[0] == 0.0f && value[1] == 0.0f && value[2] == 0.0f;
}

/* Counts entries by vertex, then puts them there, mode after mode: ascending within a vertex. */
static pliant_result copy_modes(pli_mesh *mesh, const given_modes *given)
{
    pli_entries *fields = &mesh->fields;
    size_t total = 0;
    for (uint32_t m = 0; m < given->def->mode_count; m++) {
        total += mode_entry_count(given, m);
    }
    pliant_result result = pli_mesh_allocate_entries(mesh, fields, total, 3);
    if (result != PLIANT_OK) {
        return result;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t m = 0; m < given->def->mode_count; m++) {
            for (uint32_t i = 0; i < mode_entry_count(given, m); i++) {
                float value[3];
                uint32_t v = mode_entry(given, m, i, value);
                if (is_zero(value)) {
                    continue;
                }
                if (pass == 0) {
                    fields->start[v + 1]++;
                    continue;
                }
                uint32_t at = fields->start[v]++;
                fields->number[at] = m;
                memcpy(fields->value + 3 * (size_t)at, value, sizeof value);
            }
        }
        for (size_t v = 0; v < mesh->vertex_count && pass == 0; v++) {
            fields->start[v + 1] += fields->start[v];
        }
    }
    memmove(fields->start + 1, fields->start, mesh->vertex_count * sizeof *fields->start);
    fields->start[0] = 0;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        for (uint32_t i = fields->start[v] + 1; i < fields->start[v + 1]; i++) {
            if (fields->number[i] == fields->number[i - 1]) {
                return pli_fail(PLIANT_ERROR_ARGUMENT, "mode %u moves vertex %zu twice",
                                fields->number[i], v);
            }
        }
    }
    return PLIANT_OK;
}

static pliant_result check_influences(const pliant_shape_def *def)
{
    for (uint32_t v = 0; v < def->vertex_count; v++) {
        uint32_t first = def->influence_offsets[v], end = def->influence_offsets[v + 1];
        if (end < first || (v == 0 && first != 0)) {
            return pli_fail(PLIANT_ERROR_RANGE,
                            "influence_offsets: vertex %u goes from %u to %u, and the first is %u",
                            v, first, end, def->influence_offsets[0]);
        }
        for (uint32_t i = first; i < end; i++) {
            float weight = def->influence_weights[i];
            if (def->influence_joints[i] >= def->joint_count) {
                return pli_fail(PLIANT_ERROR_RANGE, "vertex %u is moved by joint %u of %u", v,
                                def->influence_joints[i], def->joint_count);
            }
            if (!isfinite(weight)) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE, "vertex %u: the weight of joint %u is %f",
                                v, def->influence_joints[i], (double)weight);
            }
            if (weight < 0.0f) {
                return pli_fail(PLIANT_ERROR_RANGE,
                                "vertex %u: the weight of joint %u is %g; weights must not be "
                                "negative",
                                v, def->influence_joints[i], (double)weight);
            }
        }
    }
    return PLIANT_OK;
}

/* Adds one influence of a vertex whose entries begin at `first` and end at `end`, in order. */
static uint32_t insert_influence(pli_entries *influences, uint32_t first, uint32_t end,
                                 uint32_t joint, float weight)
{
    uint32_t at = end;
    while (at > first && influences->number[at - 1] >= joint) {
        at--;
    }
    if (at < end && influences->number[at] == joint) {
        influences->value[at] += weight;
        return end;
    }
    memmove(influences->number + at + 1, influences->number + at,
            (end - at) * sizeof *influences->number);
    memmove(influences->value + at + 1, influences->value + at,
            (end - at) * sizeof *influences->value);
    influences->number[at] = joint;
    influences->value[at] = weight;
    return end + 1;
}

/* Divides the weights of a vertex by their sum, unless that is zero. */
static void normalise(float *weights, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        sum += (double)weights[i];
    }
    for (uint32_t i = 0; i < count && sum > 0.0; i++) {
        weights[i] = (float)((double)weights[i] / sum);
    }
}

/* No sum of weights may be larger: bounds of sums are rounded upward and must stay finite. */
#define LARGEST_SUM (0.999999 * (double)FLT_MAX)

/* Bounds of the sum of a vertex's weights, as real numbers; false if it is too large. */
static bool widen_sums(float sums[2], const float *weights, uint32_t count, bool is_first)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        sum += (double)weights[i];
    }
    if (!(sum <= LARGEST_SUM)) {
        return false;
    }
    float low = nextafterf((float)sum, 0.0f), high = nextafterf((float)sum, INFINITY);
    sums[0] = is_first || low < sums[0] ? low : sums[0];
    sums[1] = is_first || high > sums[1] ? high : sums[1];
    return true;
}

/* Coefficients add up the largest weight of each joint, which need not be weights of one vertex. */
static pliant_result check_largest_weights(const pli_mesh *mesh)
{
    const pli_entries *influences = &mesh->influences;
    size_t bytes = mesh->model.joint_count * sizeof(float);
    if ((double)mesh->model.weight_sums[1] * mesh->model.joint_count <= LARGEST_SUM) {
        return PLIANT_OK;
    }
    float *largest = pli_allocate(mesh->context, bytes);
    if (largest == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memset(largest, 0, bytes);
    for (uint32_t i = 0; i < influences->start[mesh->vertex_count]; i++) {
        float *most = &largest[influences->number[i]];
        *most = influences->value[i] > *most ? influences->value[i] : *most;
    }
    double sum = 0.0;
    for (uint32_t j = 0; j < mesh->model.joint_count; j++) {
        sum += (double)largest[j];
    }
    pli_release(mesh->context, largest, bytes);
    return sum <= LARGEST_SUM
               ? PLIANT_OK
               : pli_fail(PLIANT_ERROR_TOO_LARGE,
                          "the largest weights of all joints sum to %g, which is too large", sum);
}

static pliant_result copy_influences(pli_mesh *mesh, const pliant_shape_def *def)
{
    pli_entries *influences = &mesh->influences;
    uint32_t total = def->influence_offsets[def->vertex_count];
    pliant_result result = pli_mesh_allocate_entries(mesh, influences, total, 1);
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t end = 0;
    for (uint32_t v = 0; v < def->vertex_count; v++) {
        uint32_t first = end;
        influences->start[v] = first;
        for (uint32_t i = def->influence_offsets[v]; i < def->influence_offsets[v + 1]; i++) {
            if (def->influence_weights[i] > 0.0f) {
                end = insert_influence(influences, first, end, def->influence_joints[i],
                                       def->influence_weights[i]);
            }
        }
        if (def->normalise_weights) {
            normalise(influences->value + first, end - first);
        }
        uint32_t count = end - first;
        for (uint32_t i = first; i < end; i++) {
            if (!isfinite(influences->value[i])) {
                return pli_fail(PLIANT_ERROR_TOO_LARGE,
                                "vertex %u: the weights of joint %u overflow", v,
                                influences->number[i]);
            }
        }
        if (!widen_sums(mesh->model.weight_sums, influences->value + first, count, v == 0)) {
            return pli_fail(PLIANT_ERROR_TOO_LARGE,
                            "vertex %u: its weights sum to more than a float32 can hold", v);
        }
        if (count > mesh->model.vertex_influences) {
            mesh->model.vertex_influences = count;
        }
    }
    influences->start[def->vertex_count] = end;
    return check_largest_weights(mesh);
}

/* Copies the model of a definition whose influences are lists. */
static pliant_result copy_lists(pli_mesh *mesh, const pliant_shape_def *def)
{
    pliant_result result = check_model(def);
    if (result != PLIANT_OK) {
        return result;
    }
    mesh->model = (pli_model){
        .mode_count = def->mode_count,
        .joint_count = def->joint_count,
        .has_influences = def->influence_offsets != NULL,
        .proxy_triangles = def->proxy_triangles,
        .error = def->error,
        .weight_sums = {1.0f, 1.0f},
        .bound = (uint32_t)def->bound,
        .sphere_centre = (uint32_t)def->sphere_centre,
    };
    if (def->mode_count > 0) {
        given_modes given = {def, def->mode_vertex_stride, def->mode_stride};
        result = pli_resolve_stride("mode_vertex", &given.vertex_stride, 12, 4, def->vertex_count);
        size_t least = given.vertex_stride * def->vertex_count;
        if (result == PLIANT_OK && def->mode_offsets == NULL) {
            given.mode_stride = given.mode_stride == 0 ? least : given.mode_stride;
            result = pli_resolve_stride("mode", &given.mode_stride, 12, 4, def->mode_count);
        }
        if (result == PLIANT_OK) {
            result = check_modes(&given);
        }
        if (result == PLIANT_OK) {
            result = copy_modes(mesh, &given);
        }
    }
    if (result == PLIANT_OK && def->influence_offsets != NULL) {
        result = check_influences(def);
        if (result == PLIANT_OK) {
            result = copy_influences(mesh, def);
        }
    }
    return result;
}

pliant_result pli_mesh_copy_model(pli_mesh *mesh, const pliant_shape_def *def)
{
    if (def->slot_count == 0) {
        return copy_lists(mesh, def);
    }
    pli_slots slots;
    pliant_result result = pli_slots_create(mesh->context, def, &slots);
    if (result == PLIANT_OK) {
        pliant_shape_def lists = *def;
        lists.influence_offsets = slots.offsets;
        lists.influence_joints = slots.joints;
        lists.influence_weights = slots.weights;
        result = copy_lists(mesh, &lists);
        pli_slots_release(mesh->context, &slots);
    }
    return result;
}

void pli_mesh_release_model(pli_mesh *mesh)
{
    release_entries(mesh, &mesh->fields, 3);
    release_entries(mesh, &mesh->influences, 1);
}
