/*
 * Whether the skin blocks and coefficients of a block from outside can be used without reading out
 * of bounds and without overflow: every list lies in its section, every number in it is in range,
 * and no value is larger than the figures that states are checked by allow (bounds/pose.c). That
 * coefficients bound their skin blocks is not proved again; the checksum guards against accidents.
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
    bool has_skin_blocks = model->mode_count > 0 || model->has_influences != 0;
    uint64_t bounded = pli_shape_bounded_count(shape);
    if (model->mode_count > 65536 || model->joint_count > 65536 || model->has_influences > 1 ||
        model->coefficient_kind > PLI_COEFFICIENTS_BLEND ||
        (model->coefficient_kind == PLI_COEFFICIENTS_NONE) != free ||
        (model->coefficient_kind == PLI_COEFFICIENTS_BLEND) != (model->has_influences == 1) ||
        (model->has_influences && model->joint_count == 0) ||
        (!model->has_influences && model->joint_count > 1) || !isfinite(model->error) ||
        model->error < 0.0f || !(model->weight_sums[0] >= 0.0f) ||
        !(model->weight_sums[1] >= model->weight_sums[0]) || !isfinite(model->weight_sums[1])) {
        return false;
    }
    if (model->bound > PLIANT_BOUND_AFFINE || model->sphere_centre > PLIANT_SPHERE_SMALLEST ||
        model->coefficient_kind != pli_choose_coefficients(model) || model->reserved != 0) {
        return false;
    }
    if (model->vertex_influences > (model->has_influences ? model->joint_count : 0) ||
        (!model->has_influences &&
         (model->weight_sums[0] != 1.0f || model->weight_sums[1] != 1.0f))) {
        return false;
    }
    return count[PLI_SECTION_REACH] == (free ? 0 : 1 + (uint64_t)model->mode_count) &&
           (free ? count[PLI_SECTION_COEFFICIENTS] == 0
                 : count[PLI_SECTION_COEFFICIENTS] >= bounded + !model->has_influences) &&
           (count[PLI_SECTION_SKIN_BLOCKS] > 0) == has_skin_blocks &&
           count[PLI_SECTION_VERTEX_PLACE] == (has_skin_blocks ? shape->vertex_count : 0) &&
           (has_skin_blocks || (count[PLI_SECTION_SKIN_BLOCK_MODES] == 0 &&
                                count[PLI_SECTION_SKIN_BLOCK_JOINTS] == 0 &&
                                count[PLI_SECTION_SKIN_BLOCK_VALUES] == 0)) &&
           (!free || (count[PLI_SECTION_COEFFICIENT_MODES] == 0 &&
                      count[PLI_SECTION_COEFFICIENT_JOINTS] == 0 &&
                      count[PLI_SECTION_COEFFICIENT_VALUES] == 0));
}

/* A list that must begin at *next, be ascending by at least `step` each time, and stay below the
   limit. */
static bool list_is_sound(const uint32_t *list, uint64_t *next, uint64_t all, uint32_t first,
                          uint32_t count, uint32_t limit, uint32_t step)
{
    if (first != *next || count > all - *next) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (list[first + i] >= limit || (i > 0 && list[first + i] < list[first + i - 1] + step)) {
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

/* The vertex that an entry of a skin block is about; padding repeats the last one. */
static uint32_t skin_block_vertex(const pliant_shape *shape, uint64_t p, uint32_t i)
{
    const pli_skin_block *skin_block = &shape->skin_blocks[p];
    if (p < shape->cluster_count) {
        return shape->cluster_vertices[shape->clusters[p].first_vertex + i];
    }
    uint32_t last = skin_block->vertex_count - 1u;
    return shape->vertex_order[skin_block->first_place + (i < last ? i : last)];
}

/* The weights of one entry of a skin block, `stride` apart: as many, and of such a sum, as the
   model says that there are. */
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

/* Vertices of a skin block rest where they do, and no field or weight is larger than it may be. */
static bool skin_block_values_are_sound(const pliant_shape *shape, uint64_t p)
{
    const pli_model *model = &shape->block->model;
    const pli_skin_block *skin_block = &shape->skin_blocks[p];
    size_t stride = pli_padded_count(skin_block->vertex_count);
    const float *rest = shape->skin_block_values + skin_block->first_value;
    const float *fields = rest + 3 * stride;
    const float *weights = fields + 3 * stride * skin_block->mode_count;
    for (uint32_t i = 0; i < stride; i++) {
        const float *position = shape->positions + 3 * (size_t)skin_block_vertex(shape, p, i);
        for (size_t k = 0; k < 3; k++) {
            if (rest[k * stride + i] != position[k]) {
                return false;
            }
        }
        if (model->has_influences &&
            !weights_are_sound(model, weights + i, stride, skin_block->joint_count)) {
            return false;
        }
    }
    for (uint32_t m = 0; m < skin_block->mode_count; m++) {
        double most = (double)shape->reach[1 + shape->skin_block_modes[skin_block->first_mode + m]];
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

static bool skin_block_is_sound(const pliant_shape *shape, uint64_t p, model_places *next,
                                uint32_t *place)
{
    const uint64_t *count = shape->block->count;
    const pli_model *model = &shape->block->model;
    const pli_skin_block *skin_block = &shape->skin_blocks[p];
    if (p < shape->cluster_count) {
        const pli_cluster *cluster = &shape->clusters[p];
        if (skin_block->vertex_count != cluster->vertex_count ||
            skin_block->own_count != cluster->owned_count || skin_block->first_place != *place) {
            return false;
        }
    } else if (skin_block->vertex_count < 1 || skin_block->vertex_count > PLI_SKIN_BLOCK_VERTICES ||
               skin_block->own_count != skin_block->vertex_count ||
               skin_block->first_place != *place ||
               skin_block->own_count > shape->vertex_count - *place) {
        return false;
    }
    *place += skin_block->own_count;
    if (!list_is_sound(shape->skin_block_modes, &next->mode, count[PLI_SECTION_SKIN_BLOCK_MODES],
                       skin_block->first_mode, skin_block->mode_count, model->mode_count, 1) ||
        !list_is_sound(shape->skin_block_joints, &next->joint, count[PLI_SECTION_SKIN_BLOCK_JOINTS],
                       skin_block->first_joint, skin_block->joint_count, model->joint_count, 1)) {
        return false;
    }
    uint64_t size = pli_padded_count(skin_block->vertex_count) *
                    (3 + 3 * (uint64_t)skin_block->mode_count + skin_block->joint_count);
    if (skin_block->first_value != next->value ||
        size > count[PLI_SECTION_SKIN_BLOCK_VALUES] - next->value) {
        return false;
    }
    next->value += size;
    return true;
}

static pliant_result check_skin_blocks(const pliant_shape *shape)
{
    const uint64_t *count = shape->block->count;
    model_places next = {0, 0, 0};
    uint32_t place = 0;
    if (count[PLI_SECTION_SKIN_BLOCKS] > 0 &&
        count[PLI_SECTION_SKIN_BLOCKS] < shape->cluster_count) {
        return corrupt("too few skin blocks", 0);
    }
    for (uint64_t p = 0; p < count[PLI_SECTION_SKIN_BLOCKS]; p++) {
        if (!skin_block_is_sound(shape, p, &next, &place)) {
            return corrupt("a wrong skin block", p);
        }
    }
    if (count[PLI_SECTION_SKIN_BLOCKS] > 0 && place != shape->vertex_count) {
        return corrupt("skin blocks that do not hold all vertices", place);
    }
    for (uint64_t v = 0; v < count[PLI_SECTION_VERTEX_PLACE]; v++) {
        if (shape->vertex_place[v] >= shape->vertex_count ||
            shape->vertex_order[shape->vertex_place[v]] != v) {
            return corrupt("a wrong place of vertex", v);
        }
    }
    if (next.mode != count[PLI_SECTION_SKIN_BLOCK_MODES] ||
        next.joint != count[PLI_SECTION_SKIN_BLOCK_JOINTS] ||
        next.value != count[PLI_SECTION_SKIN_BLOCK_VALUES]) {
        return corrupt("wrong values of skin blocks", 0);
    }
    for (uint64_t p = 0; p < count[PLI_SECTION_SKIN_BLOCKS]; p++) {
        if (!skin_block_values_are_sound(shape, p)) {
            return corrupt("wrong values of skin block", p);
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

/* The largest value that may stand among a node's coefficients for the rest positions (set 0), or
   for a mode. */
static double largest_value(const pliant_shape *shape, const pli_coefficients *coefficients,
                            uint32_t set)
{
    double reach =
        set == 0
            ? (double)shape->reach[0] + (double)shape->block->model.error
            : (double)
                  shape->reach[1 + shape->coefficient_modes[coefficients->first_mode + set - 1]];
    return reach < (double)PLI_FAR_OUT ? PLI_COEFFICIENT_REACH * reach : (double)FLT_MAX;
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

/* What a blend has behind its boxes: sums, their ranges, ranges per joint, shares. */
static bool ranges_are_sound(const pli_model *model, const pli_coefficients *coefficients,
                             const float *values)
{
    double most = 2.0 * (double)model->weight_sums[1];
    const float *ranges = values + 2 * PLI_HALVES;
    const float *shares = ranges + PLI_HALVES * (size_t)coefficients->joint_count;
    if (!values_lie_in(values, PLI_HALVES, 0.0, most) ||
        !values_lie_in(values + PLI_HALVES, PLI_HALVES, 0.0, most * coefficients->joint_count) ||
        !values_lie_in(shares, coefficients->joint_count, 0.0, 1.0)) {
        return false;
    }
    for (uint32_t j = 0; j < coefficients->joint_count; j++, ranges += PLI_HALVES) {
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

/* What follows the sets: how fast they grow, boxes where there are no modes, weights. */
static bool coefficient_end_is_sound(const pliant_shape *shape,
                                     const pli_coefficients *coefficients, const float *end)
{
    double most = largest_value(shape, coefficients, 0);
    switch ((pli_coefficient_kind)coefficients->kind) {
    case PLI_COEFFICIENTS_NONE:
        break;
    case PLI_COEFFICIENTS_SPHERE:
        return values_lie_in(end, PLI_HALVES, 0.0, (double)FLT_MAX);
    case PLI_COEFFICIENTS_AFFINE:
        return values_lie_in(end, PLI_COEFFICIENT_COLUMNS, 0.0, (double)FLT_MAX) &&
               (coefficients->mode_count > 0 ||
                halves_are_sound(end + PLI_COEFFICIENT_COLUMNS, 3, most));
    case PLI_COEFFICIENTS_BOX:
        return values_lie_in(end, PLI_COEFFICIENT_COLUMNS, 0.0, (double)FLT_MAX);
    case PLI_COEFFICIENTS_BLEND:
        return ranges_are_sound(&shape->block->model, coefficients, end);
    case PLI_COEFFICIENTS_JOINTS:
        return true;
    }
    return false;
}

/* Frames and gradients of affine coefficients only have to be finite: what is made of them may
   overflow, and is cut off. */
static bool coefficient_values_are_sound(const pliant_shape *shape,
                                         const pli_coefficients *coefficients)
{
    const float *values = shape->coefficient_values + coefficients->first_value;
    bool affine = coefficients->kind == PLI_COEFFICIENTS_AFFINE,
         sphere = coefficients->kind == PLI_COEFFICIENTS_SPHERE;
    size_t step =
        sphere ? 2 * PLI_HALVES : PLI_COEFFICIENT_AXES + (affine ? PLI_COEFFICIENT_FRAME : 0);
    uint32_t sets = 1 + coefficients->mode_count;
    uint64_t times = coefficients->kind == PLI_COEFFICIENTS_JOINTS ? coefficients->joint_count : 1;
    for (uint64_t i = 0; i < times * sets; i++) {
        uint32_t set = (uint32_t)(i % sets);
        double most = largest_value(shape, coefficients, set);
        bool sound = sphere ? values_lie_in(values, PLI_HALVES, -most, most) &&
                                  halves_are_sound(values + PLI_HALVES, 1, most)
                            : halves_are_sound(values, 3, most);
        if (!sound) {
            return false;
        }
        values += step;
        if (affine && set == 0) {
            if (!values_lie_in(values, PLI_COEFFICIENT_COLUMNS, 0.0, most)) {
                return false; /* half sizes along the frame */
            }
            values += PLI_COEFFICIENT_COLUMNS;
        }
    }
    return coefficient_end_is_sound(shape, coefficients, values);
}

static bool kind_is_sound(const pli_model *model, const pli_coefficients *coefficients,
                          bool of_joints)
{
    if (of_joints) {
        return coefficients->kind == PLI_COEFFICIENTS_JOINTS && coefficients->joint_count > 0;
    }
    return coefficients->kind == model->coefficient_kind ||
           (model->coefficient_kind == PLI_COEFFICIENTS_AFFINE &&
            coefficients->kind == PLI_COEFFICIENTS_BOX);
}

static pliant_result check_coefficients(const pliant_shape *shape)
{
    const uint64_t *count = shape->block->count;
    const pli_model *model = &shape->block->model;
    uint64_t bounded = pli_shape_bounded_count(shape);
    uint32_t joints = model->joint_count;
    model_places next = {0, 0, 0};
    for (uint64_t r = 0; r < count[PLI_SECTION_COEFFICIENTS]; r++) {
        const pli_coefficients *coefficients = &shape->coefficients[r];
        bool of_joints = r >= bounded;
        if (!list_is_sound(shape->coefficient_modes, &next.mode,
                           count[PLI_SECTION_COEFFICIENT_MODES], coefficients->first_mode,
                           coefficients->mode_count, model->mode_count, 1) ||
            !list_is_sound(shape->coefficient_joints, &next.joint,
                           count[PLI_SECTION_COEFFICIENT_JOINTS], coefficients->first_joint,
                           coefficients->joint_count, of_joints && joints == 0 ? 1 : joints,
                           of_joints ? 0 : 1) ||
            !kind_is_sound(model, coefficients, of_joints) || coefficients->reserved != 0) {
            return corrupt("wrong coefficients", r);
        }
        uint64_t size = pli_coefficient_count((pli_coefficient_kind)coefficients->kind,
                                              coefficients->mode_count, coefficients->joint_count);
        if (coefficients->first_value != next.value ||
            size > count[PLI_SECTION_COEFFICIENT_VALUES] - next.value) {
            return corrupt("wrong coefficients", r);
        }
        next.value += size;
    }
    if (next.mode != count[PLI_SECTION_COEFFICIENT_MODES] ||
        next.joint != count[PLI_SECTION_COEFFICIENT_JOINTS] ||
        next.value != count[PLI_SECTION_COEFFICIENT_VALUES] ||
        !values_lie_in(shape->coefficient_values, next.value, -(double)FLT_MAX, (double)FLT_MAX)) {
        return corrupt("wrong values of coefficients", 0);
    }
    for (uint64_t r = 0; r < count[PLI_SECTION_COEFFICIENTS]; r++) {
        if (!coefficient_values_are_sound(shape, &shape->coefficients[r])) {
            return corrupt("wrong values of coefficients", r);
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
        result = check_skin_blocks(shape);
    }
    return result == PLIANT_OK ? check_coefficients(shape) : result;
}
