/*
 * Whether the patches and rows of a block from outside can be used without reading out of bounds
 * and without overflow: every list lies in its section, every number in it is in range, and no
 * value is larger than the figures that states are checked by allow (bounds/pose.c). That rows
 * bound their patches is not proved again; the checksum guards against accidents.
 */
#include "shape/shape.h"

#include <float.h>
#include <math.h>

static pliant_result corrupt(const char *what, uint64_t where)
{
    return pli_fail(PLIANT_ERROR_DATA, "shape block: %s at %llu", what, (unsigned long long)where);
}

static bool counts_are_sound(const pliant_shape *shape)
{
    const pli_model *model = &shape->block->model;
    const uint64_t *count = shape->block->count;
    bool free = model->mode_count == 0 && model->joint_count == 0;
    bool has_patches = model->mode_count > 0 || model->has_influences != 0;
    bool proxies = model->proxy_triangles > 0;
    uint64_t rows = shape->node_count + (proxies ? (uint64_t)shape->cluster_count : 0);
    if (model->mode_count > 65536 || model->joint_count > 65536 || model->has_influences > 1 ||
        model->row_kind > PLI_ROW_BLEND || (model->row_kind == PLI_ROW_NONE) != free ||
        (model->row_kind == PLI_ROW_BLEND) != (model->has_influences == 1) ||
        (model->has_influences && model->joint_count == 0) ||
        (!model->has_influences && model->joint_count > 1) || !isfinite(model->error) ||
        model->error < 0.0f || !(model->weight_sums[0] >= 0.0f) ||
        !(model->weight_sums[1] >= model->weight_sums[0]) || !isfinite(model->weight_sums[1])) {
        return false;
    }
    for (size_t i = 0; i < sizeof model->reserved / sizeof model->reserved[0]; i++) {
        if (model->reserved[i] != 0) {
            return false;
        }
    }
    if (model->vertex_influences > (model->has_influences ? model->joint_count : 0) ||
        (!model->has_influences &&
         (model->weight_sums[0] != 1.0f || model->weight_sums[1] != 1.0f))) {
        return false;
    }
    return count[PLI_SECTION_REACH] == (free ? 0 : 1 + (uint64_t)model->mode_count) &&
           count[PLI_SECTION_ROWS] == (free ? 0 : rows) &&
           (count[PLI_SECTION_PATCHES] > 0) == has_patches &&
           count[PLI_SECTION_VERTEX_PLACE] == (has_patches ? shape->vertex_count : 0) &&
           (has_patches ||
            (count[PLI_SECTION_PATCH_MODES] == 0 && count[PLI_SECTION_PATCH_JOINTS] == 0 &&
             count[PLI_SECTION_PATCH_VALUES] == 0)) &&
           (!free || (count[PLI_SECTION_ROW_MODES] == 0 && count[PLI_SECTION_ROW_JOINTS] == 0 &&
                      count[PLI_SECTION_ROW_VALUES] == 0));
}

/* A list that must begin at *next, be ascending, and stay below the limit. */
static bool list_is_sound(const uint32_t *list, uint64_t *next, uint64_t all, uint32_t first,
                          uint32_t count, uint32_t limit)
{
    if (first != *next || count > all - *next) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (list[first + i] >= limit || (i > 0 && list[first + i] <= list[first + i - 1])) {
            return false;
        }
    }
    *next += count;
    return true;
}

static bool values_lie_in(const float *values, size_t count, double low, double high)
{
    for (size_t i = 0; i < count; i++) {
        if (!((double)values[i] >= low && (double)values[i] <= high)) {
            return false;
        }
    }
    return true;
}

/* The vertex that an entry of a patch is about; padding repeats the last one. */
static uint32_t patch_vertex(const pliant_shape *shape, uint64_t p, uint32_t i)
{
    const pli_patch *patch = &shape->patches[p];
    if (p < shape->cluster_count) {
        return shape->cluster_vertices[shape->clusters[p].first_vertex + i];
    }
    uint32_t last = patch->vertex_count - 1u;
    return shape->vertex_order[patch->first_place + (i < last ? i : last)];
}

/* The weights of one entry of a patch, `stride` apart: as many, and of such a sum, as the model
   says that there are. */
static bool weights_are_sound(const pli_model *model, const float *weights, size_t stride,
                              uint32_t count)
{
    double sum = 0.0;
    uint32_t used = 0;
    for (uint32_t j = 0; j < count; j++) {
        float weight = weights[stride * j];
        if (!(weight >= 0.0f && weight <= FLT_MAX)) {
            return false;
        }
        sum += (double)weight;
        used += weight > 0.0f;
    }
    return used <= model->vertex_influences && sum >= (double)model->weight_sums[0] &&
           sum <= (double)model->weight_sums[1];
}

/* Vertices of a patch rest where they do, and no field or weight is larger than it may be. */
static bool patch_values_are_sound(const pliant_shape *shape, uint64_t p)
{
    const pli_model *model = &shape->block->model;
    const pli_patch *patch = &shape->patches[p];
    size_t stride = pli_padded_count(patch->vertex_count);
    const float *rest = shape->patch_values + patch->first_value;
    const float *fields = rest + 3 * stride;
    const float *weights = fields + 3 * stride * patch->mode_count;
    for (uint32_t i = 0; i < stride; i++) {
        const float *position = shape->positions + 3 * (size_t)patch_vertex(shape, p, i);
        for (size_t k = 0; k < 3; k++) {
            if (rest[k * stride + i] != position[k]) {
                return false;
            }
        }
        if (model->has_influences &&
            !weights_are_sound(model, weights + i, stride, patch->joint_count)) {
            return false;
        }
    }
    for (uint32_t m = 0; m < patch->mode_count; m++) {
        double most = (double)shape->reach[1 + shape->patch_modes[patch->first_mode + m]];
        if (!values_lie_in(fields + 3 * stride * m, 3 * stride, -most, most)) {
            return false;
        }
    }
    return true;
}

/* Where lists and values must go on. */
typedef struct model_places {
    uint64_t mode, joint, value;
} model_places;

static bool patch_is_sound(const pliant_shape *shape, uint64_t p, model_places *next,
                           uint32_t *place)
{
    const uint64_t *count = shape->block->count;
    const pli_model *model = &shape->block->model;
    const pli_patch *patch = &shape->patches[p];
    if (p < shape->cluster_count) {
        const pli_cluster *cluster = &shape->clusters[p];
        if (patch->vertex_count != cluster->vertex_count ||
            patch->own_count != cluster->owned_count || patch->first_place != *place) {
            return false;
        }
    } else if (patch->vertex_count < 1 || patch->vertex_count > PLI_PATCH_VERTICES ||
               patch->own_count != patch->vertex_count || patch->first_place != *place ||
               patch->own_count > shape->vertex_count - *place) {
        return false;
    }
    *place += patch->own_count;
    if (!list_is_sound(shape->patch_modes, &next->mode, count[PLI_SECTION_PATCH_MODES],
                       patch->first_mode, patch->mode_count, model->mode_count) ||
        !list_is_sound(shape->patch_joints, &next->joint, count[PLI_SECTION_PATCH_JOINTS],
                       patch->first_joint, patch->joint_count, model->joint_count)) {
        return false;
    }
    uint64_t size = pli_padded_count(patch->vertex_count) *
                    (3 + 3 * (uint64_t)patch->mode_count + patch->joint_count);
    if (patch->first_value != next->value || size > count[PLI_SECTION_PATCH_VALUES] - next->value) {
        return false;
    }
    next->value += size;
    return true;
}

static pliant_result check_patches(const pliant_shape *shape)
{
    const uint64_t *count = shape->block->count;
    model_places next = {0, 0, 0};
    uint32_t place = 0;
    if (count[PLI_SECTION_PATCHES] > 0 && count[PLI_SECTION_PATCHES] < shape->cluster_count) {
        return corrupt("too few patches", 0);
    }
    for (uint64_t p = 0; p < count[PLI_SECTION_PATCHES]; p++) {
        if (!patch_is_sound(shape, p, &next, &place)) {
            return corrupt("a wrong patch", p);
        }
    }
    if (count[PLI_SECTION_PATCHES] > 0 && place != shape->vertex_count) {
        return corrupt("patches that do not hold all vertices", place);
    }
    for (uint64_t v = 0; v < count[PLI_SECTION_VERTEX_PLACE]; v++) {
        if (shape->vertex_place[v] >= shape->vertex_count ||
            shape->vertex_order[shape->vertex_place[v]] != v) {
            return corrupt("a wrong place of vertex", v);
        }
    }
    if (next.mode != count[PLI_SECTION_PATCH_MODES] ||
        next.joint != count[PLI_SECTION_PATCH_JOINTS] ||
        next.value != count[PLI_SECTION_PATCH_VALUES]) {
        return corrupt("wrong values of patches", 0);
    }
    for (uint64_t p = 0; p < count[PLI_SECTION_PATCHES]; p++) {
        if (!patch_values_are_sound(shape, p)) {
            return corrupt("wrong values of patch", p);
        }
    }
    return PLIANT_OK;
}

/* The rest positions, and what modes and errors reach. */
static pliant_result check_reach(const pliant_shape *shape)
{
    const uint64_t *count = shape->block->count;
    if (count[PLI_SECTION_REACH] == 0) {
        return PLIANT_OK;
    }
    double most = (double)shape->reach[0];
    if (!values_lie_in(shape->reach, count[PLI_SECTION_REACH], 0.0, (double)FLT_MAX) ||
        !values_lie_in(shape->positions, count[PLI_SECTION_POSITIONS], -most, most)) {
        return corrupt("a reach that is exceeded", 0);
    }
    return PLIANT_OK;
}

/* The largest value that belongs in a set of a row: of the rest positions (0) or of a mode. */
static double largest_value(const pliant_shape *shape, const pli_row *row, uint32_t set)
{
    double reach = set == 0 ? (double)shape->reach[0] + (double)shape->block->model.error
                            : (double)shape->reach[1 + shape->row_modes[row->first_mode + set - 1]];
    return reach < (double)PLI_FAR_OUT ? PLI_ROW_REACH * reach : (double)FLT_MAX;
}

/* Runs of (centre | size): sizes are not negative. */
static bool halves_are_sound(const float *values, size_t runs, double most)
{
    for (size_t i = 0; i < runs; i++, values += PLI_HALVES) {
        if (!values_lie_in(values, PLI_WIDTH, -most, most) ||
            !values_lie_in(values + PLI_WIDTH, PLI_WIDTH, 0.0, most)) {
            return false;
        }
    }
    return true;
}

/* What follows the boxes of a blend's row: sums, their ranges, ranges per joint, shares. */
static bool ranges_are_sound(const pli_model *model, const pli_row *row, const float *values)
{
    double most = 2.0 * (double)model->weight_sums[1];
    const float *ranges = values + 2 * PLI_HALVES;
    const float *shares = ranges + PLI_HALVES * (size_t)row->joint_count;
    if (!values_lie_in(values, PLI_HALVES, 0.0, most) ||
        !values_lie_in(values + PLI_HALVES, PLI_HALVES, 0.0, most * row->joint_count) ||
        !values_lie_in(shares, row->joint_count, 0.0, 1.0)) {
        return false;
    }
    for (uint32_t j = 0; j < row->joint_count; j++, ranges += PLI_HALVES) {
        for (int lane = 0; lane < PLI_WIDTH; lane++) {
            if (!values_lie_in(ranges + lane, 1, 0.0, (double)ranges[PLI_WIDTH + lane])) {
                return false;
            }
        }
        if (!values_lie_in(ranges + PLI_WIDTH, PLI_WIDTH, 0.0, most)) {
            return false;
        }
    }
    return true;
}

/* What follows the sets of a row: how fast they grow, boxes for rows without modes, weights. */
static bool row_end_is_sound(const pliant_shape *shape, const pli_row *row, const float *end)
{
    double most = largest_value(shape, row, 0);
    switch ((pli_row_kind)row->kind) {
    case PLI_ROW_NONE:
        break;
    case PLI_ROW_SPHERE:
        return values_lie_in(end, PLI_HALVES, 0.0, (double)FLT_MAX);
    case PLI_ROW_AFFINE:
        return values_lie_in(end, PLI_ROW_COLUMNS, 0.0, (double)FLT_MAX) &&
               (row->mode_count > 0 || halves_are_sound(end + PLI_ROW_COLUMNS, 3, most));
    case PLI_ROW_BOX:
        return values_lie_in(end, PLI_ROW_COLUMNS, 0.0, (double)FLT_MAX);
    case PLI_ROW_BLEND:
        return ranges_are_sound(&shape->block->model, row, end);
    }
    return false;
}

/* Frames and gradients of affine rows only have to be finite: what is made of them may overflow,
   and is cut off. */
static bool row_values_are_sound(const pliant_shape *shape, const pli_row *row)
{
    const float *values = shape->row_values + row->first_value;
    bool affine = row->kind == PLI_ROW_AFFINE, sphere = row->kind == PLI_ROW_SPHERE;
    size_t step = sphere ? 2 * PLI_HALVES : PLI_ROW_AXES + (affine ? PLI_ROW_FRAME : 0);
    for (uint32_t set = 0; set <= row->mode_count; set++) {
        double most = largest_value(shape, row, set);
        bool sound = sphere ? values_lie_in(values, PLI_HALVES, -most, most) &&
                                  halves_are_sound(values + PLI_HALVES, 1, most)
                            : halves_are_sound(values, 3, most);
        if (!sound) {
            return false;
        }
        values += step;
        if (affine && set == 0) {
            if (!values_lie_in(values, PLI_ROW_COLUMNS, 0.0, most)) {
                return false; /* half sizes along the frame */
            }
            values += PLI_ROW_COLUMNS;
        }
    }
    return row_end_is_sound(shape, row, values);
}

static pliant_result check_rows(const pliant_shape *shape)
{
    const uint64_t *count = shape->block->count;
    const pli_model *model = &shape->block->model;
    model_places next = {0, 0, 0};
    for (uint64_t r = 0; r < count[PLI_SECTION_ROWS]; r++) {
        const pli_row *row = &shape->rows[r];
        if (!list_is_sound(shape->row_modes, &next.mode, count[PLI_SECTION_ROW_MODES],
                           row->first_mode, row->mode_count, model->mode_count) ||
            !list_is_sound(shape->row_joints, &next.joint, count[PLI_SECTION_ROW_JOINTS],
                           row->first_joint, row->joint_count, model->joint_count)) {
            return corrupt("a wrong row", r);
        }
        bool boxed = model->row_kind == PLI_ROW_AFFINE && row->kind == PLI_ROW_BOX;
        if ((row->kind != model->row_kind && !boxed) || row->reserved != 0) {
            return corrupt("a wrong row", r);
        }
        uint64_t size = pli_row_size((pli_row_kind)row->kind, row->mode_count, row->joint_count);
        if (row->first_value != next.value || size > count[PLI_SECTION_ROW_VALUES] - next.value) {
            return corrupt("a wrong row", r);
        }
        next.value += size;
    }
    if (next.mode != count[PLI_SECTION_ROW_MODES] || next.joint != count[PLI_SECTION_ROW_JOINTS] ||
        next.value != count[PLI_SECTION_ROW_VALUES] ||
        !values_lie_in(shape->row_values, next.value, -(double)FLT_MAX, (double)FLT_MAX)) {
        return corrupt("wrong values of rows", 0);
    }
    for (uint64_t r = 0; r < count[PLI_SECTION_ROWS]; r++) {
        if (!row_values_are_sound(shape, &shape->rows[r])) {
            return corrupt("wrong values of row", r);
        }
    }
    return PLIANT_OK;
}

pliant_result pli_model_check(const pliant_shape *shape)
{
    if (!counts_are_sound(shape)) {
        return corrupt("an inconsistent model", 0);
    }
    pliant_result result = check_reach(shape);
    if (result == PLIANT_OK) {
        result = check_patches(shape);
    }
    return result == PLIANT_OK ? check_rows(shape) : result;
}
