/* Accessors: typed numbers in buffer views, with strides, normalisation and sparse replacements. */
#include "gltf.h"
#include "bytes.h"

#include <math.h>
#include <string.h>

/* Component types, as the file numbers them. */
enum { I8 = 5120, U8 = 5121, I16 = 5122, U16 = 5123, U32 = 5125, F32 = 5126 };

typedef struct gltf_accessor {
    uint32_t index;
    uint32_t components;
    uint64_t type; /* of a component */
    size_t component_size;
    bool normalised;
    uint64_t count;
    const uint8_t *at; /* NULL: all zeros */
    uint64_t stride;
    uint64_t sparse_count;
    const uint8_t *sparse_indices, *sparse_values;
    size_t sparse_index_size;
} gltf_accessor;

static size_t size_of(uint64_t type)
{
    return type == I8 || type == U8 ? 1 : type == I16 || type == U16 ? 2 : 4;
}

static uint32_t components_of(const char *type)
{
    static const struct {
        const char *name;
        uint32_t components;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                 {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    for (size_t i = 0; type != NULL && i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(type, types[i].name) == 0) {
            return types[i].components;
        }
    }
    return 0;
}

/* Finds `count` elements, `stride` bytes apart (0: packed), at an offset of a view. */
static pliant_result find_bytes(gltf_doc *doc, uint32_t accessor, const json_t *object,
                                uint64_t count, uint64_t element, uint64_t *stride,
                                const uint8_t **at)
{
    uint32_t view = PLI_NONE;
    uint64_t offset = 0;
    gltf_bytes bytes = {0};
    pliant_result result =
        pli_gltf_get_index(doc, "accessor", accessor, object, "bufferView", doc->views, &view);
    if (result != PLIANT_OK || view == PLI_NONE) {
        *at = NULL;
        return result;
    }
    result = pli_gltf_get_count(doc, "accessor", accessor, object, "byteOffset", 0, &offset);
    result = result == PLIANT_OK ? pli_gltf_view(doc, view, &bytes) : result;
    const json_t *described = json_array_get(doc->views, view);
    const json_t *compression = pli_gltf_compression(described);
    uint64_t given = 0;
    result = result == PLIANT_OK ? pli_gltf_get_count(doc, "bufferView", view,
                                                      compression != NULL ? compression : described,
                                                      "byteStride", 0, &given)
                                 : result;
    if (result != PLIANT_OK) {
        return result;
    }
    if (given != 0 && given < element && count > 1) {
        return pli_gltf_fail(doc, "accessor", accessor,
                             "elements of %llu bytes are %llu bytes apart",
                             (unsigned long long)element, (unsigned long long)given);
    }
    *stride = given != 0 ? given : element;
    /* The last element has no room behind it. All factors are below 2^54. */
    uint64_t apart = 0, needed = 0;
    bool fits = !__builtin_mul_overflow(*stride, count - 1, &apart) &&
                !__builtin_add_overflow(apart, offset + element, &needed) && needed <= bytes.size;
    if (!fits) {
        return pli_gltf_fail(doc, "accessor", accessor,
                             "%llu elements of %llu bytes from %llu on do not fit the view's %llu",
                             (unsigned long long)count, (unsigned long long)element,
                             (unsigned long long)offset, (unsigned long long)bytes.size);
    }
    *at = bytes.at + offset;
    return PLIANT_OK;
}

static pliant_result open_sparse(gltf_doc *doc, gltf_accessor *accessor, const json_t *sparse)
{
    const json_t *indices = json_object_get(sparse, "indices");
    const json_t *values = json_object_get(sparse, "values");
    uint64_t type = 0, packed = 0;
    pliant_result result = pli_gltf_get_count(doc, "accessor", accessor->index, sparse, "count", 0,
                                              &accessor->sparse_count);
    if (result == PLIANT_OK &&
        (accessor->sparse_count == 0 || accessor->sparse_count > accessor->count)) {
        return pli_gltf_fail(doc, "accessor", accessor->index, "%llu sparse elements of %llu",
                             (unsigned long long)accessor->sparse_count,
                             (unsigned long long)accessor->count);
    }
    result = result == PLIANT_OK ? pli_gltf_get_count(doc, "accessor", accessor->index, indices,
                                                      "componentType", 0, &type)
                                 : result;
    if (result == PLIANT_OK && type != U8 && type != U16 && type != U32) {
        return pli_gltf_fail(doc, "accessor", accessor->index, "sparse indices of type %llu",
                             (unsigned long long)type);
    }
    accessor->sparse_index_size = size_of(type);
    result = result == PLIANT_OK
                 ? find_bytes(doc, accessor->index, indices, accessor->sparse_count,
                              accessor->sparse_index_size, &packed, &accessor->sparse_indices)
                 : result;
    result = result == PLIANT_OK ? find_bytes(doc, accessor->index, values, accessor->sparse_count,
                                              accessor->components * accessor->component_size,
                                              &packed, &accessor->sparse_values)
                                 : result;
    if (result == PLIANT_OK &&
        (accessor->sparse_indices == NULL || accessor->sparse_values == NULL)) {
        accessor->sparse_count = 0;
        return pli_gltf_fail(doc, "accessor", accessor->index, "sparse data without a bufferView");
    }
    return result;
}

static pliant_result open_head(gltf_doc *doc, uint32_t index, const json_t *object,
                               gltf_accessor *accessor)
{
    *accessor = (gltf_accessor){.index = index};
    pliant_result result =
        pli_gltf_get_count(doc, "accessor", index, object, "componentType", 0, &accessor->type);
    result = result == PLIANT_OK
                 ? pli_gltf_get_count(doc, "accessor", index, object, "count", 0, &accessor->count)
                 : result;
    if (result != PLIANT_OK) {
        return result;
    }
    if (!(accessor->type >= I8 && accessor->type <= F32) || accessor->type == 5124) {
        return pli_gltf_fail(doc, "accessor", index, "%llu is not a component type",
                             (unsigned long long)accessor->type);
    }
    if (accessor->count == 0 || accessor->count > INT32_MAX) {
        return pli_gltf_fail(doc, "accessor", index, "its count is %llu",
                             (unsigned long long)accessor->count);
    }
    const json_t *normalised = json_object_get(object, "normalized");
    if (normalised != NULL && !json_is_boolean(normalised)) {
        return pli_gltf_fail(doc, "accessor", index, "normalized is neither true nor false");
    }
    accessor->normalised = json_is_true(normalised) && accessor->type != F32;
    accessor->component_size = size_of(accessor->type);
    accessor->components = components_of(json_string_value(json_object_get(object, "type")));
    return PLIANT_OK;
}

static pliant_result open_accessor(gltf_doc *doc, uint32_t index, uint32_t components,
                                   gltf_accessor *accessor)
{
    const json_t *object = json_array_get(doc->accessors, index);
    if (!json_is_object(object)) {
        return pli_gltf_fail(doc, "accessor", index, "it is not an object");
    }
    pliant_result result = open_head(doc, index, object, accessor);
    if (result != PLIANT_OK) {
        return result;
    }
    if (accessor->components != components) {
        return pli_gltf_fail(doc, "accessor", index, "its type has %u numbers where %u are needed",
                             accessor->components, components);
    }
    const gltf_decoded *decoded = &doc->decoded[index];
    if (decoded->at != NULL) {
        accessor->type = decoded->type;
        accessor->component_size = size_of(decoded->type);
        accessor->stride = components * accessor->component_size;
        accessor->at = decoded->at;
        accessor->count = decoded->count;
        return PLIANT_OK;
    }
    result = find_bytes(doc, index, object, accessor->count, components * accessor->component_size,
                        &accessor->stride, &accessor->at);
    const json_t *sparse = NULL;
    result = result == PLIANT_OK
                 ? pli_gltf_get_object(doc, "accessor", index, object, "sparse", &sparse)
                 : result;
    return result == PLIANT_OK && sparse != NULL ? open_sparse(doc, accessor, sparse) : result;
}

pliant_result pli_gltf_accessor_form(gltf_doc *doc, uint32_t accessor, uint32_t *components,
                                     uint32_t *type, uint64_t *count)
{
    const json_t *object = json_array_get(doc->accessors, accessor);
    gltf_accessor head = {0};
    pliant_result result = open_head(doc, accessor, object, &head);
    *components = head.components;
    *type = (uint32_t)head.type;
    *count = head.count;
    return result;
}

pliant_result pli_gltf_accessor_count(gltf_doc *doc, uint32_t accessor, uint64_t *count)
{
    const json_t *object = json_array_get(doc->accessors, accessor);
    if (doc->decoded[accessor].at != NULL) {
        *count = doc->decoded[accessor].count;
        return PLIANT_OK;
    }
    pliant_result result = pli_gltf_get_count(doc, "accessor", accessor, object, "count", 0, count);
    if (result == PLIANT_OK && (*count == 0 || *count > INT32_MAX)) {
        return pli_gltf_fail(doc, "accessor", accessor, "its count is %llu",
                             (unsigned long long)*count);
    }
    return result;
}

static float read_float(const gltf_accessor *accessor, const uint8_t *at)
{
    bool n = accessor->normalised;
    switch (accessor->type) {
    case I8: {
        double value = (int8_t)at[0];
        return (float)(n ? fmax(value / 127.0, -1.0) : value);
    }
    case U8:
        return (float)(n ? at[0] / 255.0 : at[0]);
    case I16: {
        double value = (int16_t)pli_bytes_u16(at, false);
        return (float)(n ? fmax(value / 32767.0, -1.0) : value);
    }
    case U16: {
        double value = pli_bytes_u16(at, false);
        return (float)(n ? value / 65535.0 : value);
    }
    case U32: {
        double value = pli_bytes_u32(at, false);
        return (float)(n ? value / 4294967295.0 : value);
    }
    default:
        return pli_bytes_f32(at, false);
    }
}

static uint32_t read_integer(size_t size, const uint8_t *at)
{
    return size == 1 ? at[0] : size == 2 ? pli_bytes_u16(at, false) : pli_bytes_u32(at, false);
}

/* Element `i` of the sparse ones; its place among all is checked. */
static pliant_result sparse_place(const gltf_doc *doc, const gltf_accessor *accessor, uint64_t i,
                                  uint64_t *place)
{
    *place = read_integer(accessor->sparse_index_size,
                          accessor->sparse_indices + i * accessor->sparse_index_size);
    return *place < accessor->count
               ? PLIANT_OK
               : pli_gltf_fail(doc, "accessor", accessor->index,
                               "sparse index %llu is %llu of %llu", (unsigned long long)i,
                               (unsigned long long)*place, (unsigned long long)accessor->count);
}

static pliant_result read_floats(const gltf_doc *doc, const gltf_accessor *accessor, float *values)
{
    uint32_t components = accessor->components;
    size_t size = accessor->component_size;
    for (uint64_t i = 0; accessor->at != NULL && i < accessor->count; i++) {
        const uint8_t *at = accessor->at + i * accessor->stride;
        for (uint32_t k = 0; k < components; k++) {
            values[i * components + k] = read_float(accessor, at + k * size);
        }
    }
    for (uint64_t i = 0; i < accessor->sparse_count; i++) {
        uint64_t place = 0;
        pliant_result result = sparse_place(doc, accessor, i, &place);
        if (result != PLIANT_OK) {
            return result;
        }
        for (uint32_t k = 0; k < components; k++) {
            values[place * components + k] =
                read_float(accessor, accessor->sparse_values + (i * components + k) * size);
        }
    }
    return PLIANT_OK;
}

pliant_result pli_gltf_floats(gltf_doc *doc, uint32_t accessor, uint32_t components,
                              gltf_numbers *numbers)
{
    pliant_result result = pli_gltf_any_floats(doc, accessor, components, numbers);
    for (uint64_t i = 0; result == PLIANT_OK && i < numbers->count * components; i++) {
        if (!isfinite(numbers->at[i])) {
            return pli_read_fail_with(doc->reader, PLIANT_ERROR_NOT_FINITE,
                                      "accessor %u: element %llu is not finite", accessor,
                                      (unsigned long long)(i / components));
        }
    }
    return result;
}

pliant_result pli_gltf_any_floats(gltf_doc *doc, uint32_t accessor, uint32_t components,
                                  gltf_numbers *numbers)
{
    gltf_numbers *known = &doc->numbers[accessor];
    if (known->at != NULL && known->components == components) {
        *numbers = *known;
        return PLIANT_OK;
    }
    gltf_accessor opened = {0};
    pliant_result result = open_accessor(doc, accessor, components, &opened);
    if (result != PLIANT_OK) {
        return result;
    }
    float *values = pli_memory_get(doc->memory, opened.count, components * sizeof *values);
    if (values == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    result = read_floats(doc, &opened, values);
    *known = (gltf_numbers){values, opened.count, components};
    *numbers = *known;
    return result;
}

void pli_gltf_forget(gltf_doc *doc, uint32_t accessor)
{
    pli_memory_drop(doc->memory, (void *)doc->numbers[accessor].at);
    doc->numbers[accessor] = (gltf_numbers){0};
}

pliant_result pli_gltf_integers(gltf_doc *doc, uint32_t accessor, uint32_t components,
                                uint32_t **values, uint64_t *count)
{
    gltf_accessor opened = {0};
    pliant_result result = open_accessor(doc, accessor, components, &opened);
    if (result != PLIANT_OK) {
        return result;
    }
    if ((opened.type != U8 && opened.type != U16 && opened.type != U32) || opened.normalised) {
        return pli_gltf_fail(doc, "accessor", accessor, "it must hold unsigned whole numbers");
    }
    uint32_t *read = pli_memory_get(doc->memory, opened.count, components * sizeof *read);
    if (read == NULL) {
        return pli_read_fail_memory(doc->reader);
    }
    size_t size = opened.component_size;
    for (uint64_t i = 0; opened.at != NULL && i < opened.count; i++) {
        for (uint32_t k = 0; k < components; k++) {
            read[i * components + k] = read_integer(size, opened.at + i * opened.stride + k * size);
        }
    }
    for (uint64_t i = 0; result == PLIANT_OK && i < opened.sparse_count; i++) {
        uint64_t place = 0;
        result = sparse_place(doc, &opened, i, &place);
        for (uint32_t k = 0; result == PLIANT_OK && k < components; k++) {
            read[place * components + k] =
                read_integer(size, opened.sparse_values + (i * components + k) * size);
        }
    }
    *values = read;
    *count = opened.count;
    return result;
}
