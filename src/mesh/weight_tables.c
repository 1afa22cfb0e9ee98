/*
 * Influences as engines have them: a table of so many joints and weights for every vertex, in types
 * of few bits. They become the lists that pliant_shape_def.influence_offsets describes, without the
 * slots of weight 0, so that what follows knows one form only.
 */
#include "mesh.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { MOST_SLOTS = 65536 };

/* Bytes of a number. */
static size_t size_of(pliant_number type)
{
    switch (type) {
    case PLIANT_NUMBER_UINT8:
        return sizeof(uint8_t);
    case PLIANT_NUMBER_UINT16:
        return sizeof(uint16_t);
    case PLIANT_NUMBER_UINT32:
        return sizeof(uint32_t);
    case PLIANT_NUMBER_FLOAT32:
        return sizeof(float);
    }
    return 0;
}

static uint32_t read_integer(pliant_number type, const char *at)
{
    uint8_t byte = 0;
    uint16_t half = 0;
    uint32_t word = 0;
    switch (type) {
    case PLIANT_NUMBER_UINT8:
        memcpy(&byte, at, sizeof byte);
        return byte;
    case PLIANT_NUMBER_UINT16:
        memcpy(&half, at, sizeof half);
        return half;
    case PLIANT_NUMBER_UINT32:
    case PLIANT_NUMBER_FLOAT32:
        break;
    }
    memcpy(&word, at, sizeof word);
    return word;
}

/* Integers stand for shares of their largest; both are float32 numbers, so that the quotient is
   rounded once. */
static float read_weight(pliant_number type, const char *at)
{
    float weight = 0.0f;
    if (type == PLIANT_NUMBER_FLOAT32) {
        memcpy(&weight, at, sizeof weight);
        return weight;
    }
    return (float)read_integer(type, at) / (type == PLIANT_NUMBER_UINT8 ? 255.0f : 65535.0f);
}

static pliant_result check_table(const pliant_shape_def *def)
{
    if (def->slot_count > MOST_SLOTS) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "slot_count is %u; at most 65536 are possible",
                        def->slot_count);
    }
    if (def->slot_joints == NULL || def->slot_weights == NULL) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "slot_count is %u, but slot_joints or slot_weights is NULL",
                        def->slot_count);
    }
    if (def->influence_offsets != NULL) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "influences are given twice: by influence_offsets and by slot_count");
    }
    if ((unsigned)def->slot_joint_type > PLIANT_NUMBER_UINT32) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "slot_joint_type is %d; joints are of 8, 16 or 32 bits without a sign",
                        (int)def->slot_joint_type);
    }
    if (def->slot_weight_type != PLIANT_NUMBER_UINT8 &&
        def->slot_weight_type != PLIANT_NUMBER_UINT16 &&
        def->slot_weight_type != PLIANT_NUMBER_FLOAT32) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "slot_weight_type is %d; weights are float32, or of 8 or 16 bits",
                        (int)def->slot_weight_type);
    }
    return PLIANT_OK;
}

/* The table with its strides resolved. */
typedef struct slot_table {
    const pliant_shape_def *def;
    size_t joint_stride, weight_stride; /* from vertex to vertex */
} slot_table;

static pliant_result resolve_strides(slot_table *table)
{
    const pliant_shape_def *def = table->def;
    size_t joint = size_of(def->slot_joint_type), weight = size_of(def->slot_weight_type);
    pliant_result result = pli_resolve_stride("slot_joint", &table->joint_stride,
                                              def->slot_count * joint, joint, def->vertex_count);
    return result == PLIANT_OK
               ? pli_resolve_stride("slot_weight", &table->weight_stride, def->slot_count * weight,
                                    weight, def->vertex_count)
               : result;
}

/* Appends what is in one slot, unless that is nothing. */
static pliant_result read_slot(const slot_table *table, uint32_t vertex, uint32_t slot,
                               pli_slots *slots, uint32_t *count)
{
    const pliant_shape_def *def = table->def;
    size_t joint_size = size_of(def->slot_joint_type), weight_size = size_of(def->slot_weight_type);
    float weight =
        read_weight(def->slot_weight_type, (const char *)def->slot_weights +
                                               vertex * table->weight_stride + slot * weight_size);
    if (weight == 0.0f) {
        return PLIANT_OK;
    }
    uint32_t joint =
        read_integer(def->slot_joint_type, (const char *)def->slot_joints +
                                               vertex * table->joint_stride + slot * joint_size);
    if (!isfinite(weight)) {
        return pli_fail(PLIANT_ERROR_NOT_FINITE, "vertex %u, slot %u: the weight is %f", vertex,
                        slot, (double)weight);
    }
    if (weight < 0.0f) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "vertex %u, slot %u: the weight is %g; weights must not be negative",
                        vertex, slot, (double)weight);
    }
    if (joint >= def->joint_count) {
        return pli_fail(PLIANT_ERROR_RANGE, "vertex %u, slot %u: joint %u of %u", vertex, slot,
                        joint, def->joint_count);
    }
    slots->joints[*count] = joint;
    slots->weights[*count] = weight;
    ++*count;
    return PLIANT_OK;
}

static pliant_result read_slots(const slot_table *table, pli_slots *slots)
{
    uint32_t count = 0;
    pliant_result result = PLIANT_OK;
    for (uint32_t v = 0; v < table->def->vertex_count; v++) {
        slots->offsets[v] = count;
        for (uint32_t s = 0; s < table->def->slot_count && result == PLIANT_OK; s++) {
            result = read_slot(table, v, s, slots, &count);
        }
        if (result != PLIANT_OK) {
            return result;
        }
    }
    slots->offsets[table->def->vertex_count] = count;
    return PLIANT_OK;
}

pliant_result pli_slots_create(pliant_context *context, const pliant_shape_def *def,
                               pli_slots *slots)
{
    slot_table table = {def, def->slot_joint_stride, def->slot_weight_stride};
    *slots = (pli_slots){.vertex_count = def->vertex_count};
    pliant_result result = check_table(def);
    if (result == PLIANT_OK) {
        result = resolve_strides(&table);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    uint64_t all = (uint64_t)def->slot_count * def->vertex_count;
    if (all > UINT32_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%u slots of %u vertices; 2^32 are too many",
                        def->slot_count, def->vertex_count);
    }
    slots->capacity = (size_t)all;
    slots->offsets =
        pli_allocate(context, ((size_t)def->vertex_count + 1) * sizeof *slots->offsets);
    slots->joints = pli_allocate(context, slots->capacity * sizeof *slots->joints);
    slots->weights = pli_allocate(context, slots->capacity * sizeof *slots->weights);
    result = slots->offsets != NULL && slots->joints != NULL && slots->weights != NULL
                 ? read_slots(&table, slots)
                 : PLIANT_ERROR_OUT_OF_MEMORY;
    if (result != PLIANT_OK) {
        pli_slots_release(context, slots);
    }
    return result;
}

void pli_slots_release(pliant_context *context, pli_slots *slots)
{
    size_t offsets = (size_t)slots->vertex_count + 1;
    pli_release(context, slots->offsets, offsets * sizeof *slots->offsets);
    pli_release(context, slots->joints, slots->capacity * sizeof *slots->joints);
    pli_release(context, slots->weights, slots->capacity * sizeof *slots->weights);
    *slots = (pli_slots){0};
}
