/* From a mesh, its tree and how it deforms to the whole block. */
#include "layout.h"

#include "model/builder.h"

#include <math.h>
#include <string.h>

/* Modes beyond this number make affine coefficients large and their refresh slow; boxes serve then.
 */
enum { MOST_AFFINE_MODES = 48 };

pli_coefficient_kind pli_choose_coefficients(const pli_model *model)
{
    if (model->has_influences) {
        return PLI_COEFFICIENTS_BLEND;
    }
    if (model->mode_count == 0 && model->joint_count == 0) {
        return PLI_COEFFICIENTS_NONE;
    }
    switch ((pliant_bound_kind)model->bound) {
    case PLIANT_BOUND_BOX:
        return PLI_COEFFICIENTS_BOX;
    case PLIANT_BOUND_SPHERE:
        return PLI_COEFFICIENTS_SPHERE;
    case PLIANT_BOUND_AFFINE:
        return PLI_COEFFICIENTS_AFFINE;
    case PLIANT_BOUND_AUTO:
        break;
    }
    return model->mode_count <= MOST_AFFINE_MODES ? PLI_COEFFICIENTS_AFFINE : PLI_COEFFICIENTS_BOX;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

/* The largest absolute coordinate of the rest positions and of each field, over all vertices; and
   the size of the whole. */
static void measure_mesh(pli_model_builder *builder)
{
    const pli_mesh *mesh = builder->mesh;
    const pli_entries *fields = &mesh->fields;
    float *reach = builder->reach.data;
    for (size_t k = 0; k < 3; k++) {
        double low = (double)mesh->positions[k], high = low;
        for (size_t i = k; i < 3 * (size_t)mesh->vertex_count; i += 3) {
            double x = (double)mesh->positions[i];
            reach[0] = larger(reach[0], fabsf(mesh->positions[i]));
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        builder->size = fmax(builder->size, 0.5 * (high - low));
    }
    for (uint32_t e = 0; fields->start != NULL && e < fields->start[mesh->vertex_count]; e++) {
        float *of_mode = reach + 1 + fields->number[e];
        for (size_t k = 0; k < 3; k++) {
            *of_mode = larger(*of_mode, fabsf(fields->value[3 * (size_t)e + k]));
        }
    }
}

static pliant_result allocate_scratch(pli_model_builder *builder)
{
    size_t modes = builder->model.mode_count, joints = builder->model.joint_count;
    size_t numbers = (modes > joints ? modes : joints) + 1;
    if (!PLI_CREATE(builder->context, &builder->mark, numbers) ||
        !PLI_CREATE(builder->context, &builder->mode_slot, numbers) ||
        !PLI_CREATE(builder->context, &builder->joint_slot, numbers) ||
        !PLI_CREATE(builder->context, &builder->reach, 1 + modes)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    measure_mesh(builder);
    return PLIANT_OK;
}

static void copy_section(pli_block_header *block, pli_section section, const pli_array *array)
{
    if (array->count > 0) {
        memcpy(pli_block_section(block, section), array->data, array->count * array->element_size);
    }
}

static pliant_result make_block(pli_model_builder *builder, pli_block_header *old,
                                pli_block_header **out)
{
    pli_block_header *block = NULL;
    bool has_skin_blocks = builder->skin_blocks.count > 0;
    uint64_t count[PLI_SECTION_COUNT];
    memcpy(count, old->count, sizeof count);
    count[PLI_SECTION_SKIN_BLOCKS] = builder->skin_blocks.count;
    count[PLI_SECTION_SKIN_BLOCK_MODES] = builder->skin_block_modes.count;
    count[PLI_SECTION_SKIN_BLOCK_JOINTS] = builder->skin_block_joints.count;
    count[PLI_SECTION_SKIN_BLOCK_VALUES] = builder->skin_block_values.count;
    count[PLI_SECTION_VERTEX_PLACE] = has_skin_blocks ? builder->mesh->vertex_count : 0;
    count[PLI_SECTION_COEFFICIENTS] = builder->coefficients.count;
    count[PLI_SECTION_COEFFICIENT_MODES] = builder->coefficient_modes.count;
    count[PLI_SECTION_COEFFICIENT_JOINTS] = builder->coefficient_joints.count;
    count[PLI_SECTION_COEFFICIENT_VALUES] = builder->coefficient_values.count;
    count[PLI_SECTION_REACH] = builder->reach.count;
    pliant_result result = pli_block_allocate(builder->context, count, &block);
    if (result != PLIANT_OK) {
        return result;
    }
    block->partition = old->partition;
    block->arity = old->arity;
    block->leaf_size = old->leaf_size;
    block->is_closed = old->is_closed;
    block->islands = old->islands;
    block->quality = old->quality;
    block->model = builder->model;
    for (int s = 0; s < PLI_SECTION_SKIN_BLOCKS; s++) {
        memcpy(pli_block_section(block, (pli_section)s), pli_block_section(old, (pli_section)s),
               (size_t)old->count[s] * pli_section_element_size((pli_section)s));
    }
    copy_section(block, PLI_SECTION_SKIN_BLOCKS, &builder->skin_blocks.array);
    copy_section(block, PLI_SECTION_SKIN_BLOCK_MODES, &builder->skin_block_modes.array);
    copy_section(block, PLI_SECTION_SKIN_BLOCK_JOINTS, &builder->skin_block_joints.array);
    copy_section(block, PLI_SECTION_SKIN_BLOCK_VALUES, &builder->skin_block_values.array);
    copy_section(block, PLI_SECTION_COEFFICIENTS, &builder->coefficients.array);
    copy_section(block, PLI_SECTION_COEFFICIENT_MODES, &builder->coefficient_modes.array);
    copy_section(block, PLI_SECTION_COEFFICIENT_JOINTS, &builder->coefficient_joints.array);
    copy_section(block, PLI_SECTION_COEFFICIENT_VALUES, &builder->coefficient_values.array);
    uint32_t *place = pli_block_section(block, PLI_SECTION_VERTEX_PLACE);
    for (uint32_t i = 0; i < builder->mesh->vertex_count && has_skin_blocks; i++) {
        place[builder->tree.vertex_order[i]] = i;
    }
    copy_section(block, PLI_SECTION_REACH, &builder->reach.array);
    *out = block;
    return PLIANT_OK;
}

pliant_result pli_lay_out_model(const pli_mesh *mesh, const pliant_shape *shape,
                                pli_block_header **block)
{
    pli_model_builder builder = {
        .context = mesh->context,
        .mesh = mesh,
        .tree = pli_shape_tree(shape),
        .centre = (pliant_sphere_centre)mesh->model.sphere_centre,
        .model = mesh->model,
    };
    builder.model.coefficient_kind = (uint32_t)pli_choose_coefficients(&builder.model);
    builder.may_mix = builder.model.bound == PLIANT_BOUND_AUTO &&
                      builder.model.coefficient_kind == PLI_COEFFICIENTS_AFFINE;
    pliant_result result = allocate_scratch(&builder);
    if (result == PLIANT_OK && (mesh->fields.start != NULL || mesh->influences.start != NULL)) {
        result = pli_build_skin_blocks(&builder);
    }
    if (result == PLIANT_OK) {
        result = pli_build_coefficients(&builder);
    }
    if (result == PLIANT_OK) {
        result = make_block(&builder, shape->block, block);
    }
    pli_arrays_release(mesh->context, builder.arrays, PLI_MODEL_ARRAYS);
    return result;
}
