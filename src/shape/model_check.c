/*
 * Whether the patches and rows of a block from outside can be used without reading out of bounds:
 * every list lies in its section, every number in it is in range, every value finite. That rows
 * bound their patches is not proved again; the checksum guards against accidents.
 */
#include "shape/shape.h"

#include <math.h>

static pliant_result corrupt(const char *what, uint64_t where)
{
    return pli_fail(PLIANT_ERROR_DATA, "shape block: %s at %llu", what, (unsigned long long)where);
}

static bool counts_are_sound(const pliant_shape *shape)
{
    const pli_model *model = &shape->block->model;
    const uint64_t *count = shape->block->count;
    bool free = model->mode_count == 0 && model->node_count == 0;
    bool has_patches = model->mode_count > 0 || model->has_influences != 0;
    bool proxies = model->proxy_triangles > 0;
    uint64_t rows = shape->node_count + (proxies ? (uint64_t)shape->cluster_count : 0);
    if (model->mode_count > 65536 || model->node_count > 65536 || model->has_influences > 1 ||
        model->row_kind > PLI_ROW_BLEND || (model->row_kind == PLI_ROW_NONE) != free ||
        (model->row_kind == PLI_ROW_BLEND) != (model->has_influences == 1) ||
        (model->has_influences && model->node_count == 0) ||
        (!model->has_influences && model->node_count > 1) || !isfinite(model->error) ||
        model->error < 0.0f || !(model->weight_sums[0] >= 0.0f) ||
        !(model->weight_sums[1] >= model->weight_sums[0]) || !isfinite(model->weight_sums[1])) {
        return false;
    }
    return count[PLI_SECTION_REACH] == (free ? 0 : 1 + (uint64_t)model->mode_count) &&
           count[PLI_SECTION_ROWS] == (free ? 0 : rows) &&
           (count[PLI_SECTION_PATCHES] > 0) == has_patches &&
           count[PLI_SECTION_VERTEX_PLACE] == (has_patches ? shape->vertex_count : 0) &&
           (has_patches ||
            (count[PLI_SECTION_PATCH_MODES] == 0 && count[PLI_SECTION_PATCH_NODES] == 0 &&
             count[PLI_SECTION_PATCH_VALUES] == 0)) &&
           (!free || (count[PLI_SECTION_ROW_MODES] == 0 && count[PLI_SECTION_ROW_NODES] == 0 &&
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

static bool values_are_finite(const float *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

/* Where lists and values must go on. */
typedef struct model_places {
    uint64_t mode, node, value;
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
        !list_is_sound(shape->patch_nodes, &next->node, count[PLI_SECTION_PATCH_NODES],
                       patch->first_node, patch->node_count, model->node_count)) {
        return false;
    }
    uint64_t size = pli_padded_count(patch->vertex_count) *
                    (3 + 3 * (uint64_t)patch->mode_count + patch->node_count);
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
        next.node != count[PLI_SECTION_PATCH_NODES] ||
        next.value != count[PLI_SECTION_PATCH_VALUES] ||
        !values_are_finite(shape->patch_values, next.value)) {
        return corrupt("wrong values of patches", 0);
    }
    return PLIANT_OK;
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
            !list_is_sound(shape->row_nodes, &next.node, count[PLI_SECTION_ROW_NODES],
                           row->first_node, row->node_count, model->node_count)) {
            return corrupt("a wrong row", r);
        }
        bool boxed = model->row_kind == PLI_ROW_AFFINE && row->kind == PLI_ROW_BOX;
        if ((row->kind != model->row_kind && !boxed) || row->reserved != 0) {
            return corrupt("a wrong row", r);
        }
        uint64_t size = pli_row_size((pli_row_kind)row->kind, row->mode_count, row->node_count);
        if (row->first_value != next.value || size > count[PLI_SECTION_ROW_VALUES] - next.value) {
            return corrupt("a wrong row", r);
        }
        next.value += size;
    }
    if (next.mode != count[PLI_SECTION_ROW_MODES] || next.node != count[PLI_SECTION_ROW_NODES] ||
        next.value != count[PLI_SECTION_ROW_VALUES] ||
        !values_are_finite(shape->row_values, next.value) ||
        !values_are_finite(shape->reach, count[PLI_SECTION_REACH])) {
        return corrupt("wrong values of rows", 0);
    }
    return PLIANT_OK;
}

pliant_result pli_model_check(const pliant_shape *shape)
{
    if (!counts_are_sound(shape)) {
        return corrupt("an inconsistent model", 0);
    }
    pliant_result result = check_patches(shape);
    return result == PLIANT_OK ? check_rows(shape) : result;
}
