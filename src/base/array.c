#include "array.h"

#include "base/error.h"
#include "base/context.h"

#include <string.h>

enum {
    LEAST_GROWN = 64,      /* elements: arrays of a few are not grown again and again */
    LEAST_LOGGED = 1 << 20 /* bytes of an array that the log is told of */
};

/* New memory for an array, with what the old had in it. */
static bool move_to(pliant_context *context, pli_array *array, size_t capacity, size_t element_size)
{
    size_t bytes = 0;
    if (!pli_size_multiply(capacity, element_size, &bytes) || bytes > PTRDIFF_MAX) {
        pli_fail_memory(SIZE_MAX);
        return false;
    }
    void *data = pli_allocate(context, bytes);
    if (data == NULL) {
        return false;
    }
    size_t old_bytes = array->capacity * element_size;
    if (array->data != NULL) {
        memcpy(data, array->data, old_bytes);
        pli_release(context, array->data, old_bytes);
    }
    array->data = data;
    array->capacity = capacity;
    array->element_size = element_size;
    if (bytes >= LEAST_LOGGED) {
        pli_log(context, PLIANT_LOG_INFO, "an array grew from %zu to %zu bytes", old_bytes, bytes);
    }
    return true;
}

bool pli_array_grow(pliant_context *context, pli_array *array, size_t count, size_t element_size)
{
    size_t doubled = 2 * array->capacity; /* memory does not suffice for this to overflow */
    size_t wanted = doubled < LEAST_GROWN ? LEAST_GROWN : doubled;
    return move_to(context, array, count < wanted ? wanted : count, element_size);
}

bool pli_array_grow_by(pliant_context *context, pli_array *array, size_t more, size_t element_size)
{
    size_t count = 0;
    if (__builtin_add_overflow(array->count, more, &count)) {
        pli_fail_memory(SIZE_MAX);
        return false;
    }
    return pli_array_grow(context, array, count, element_size);
}

void *pli_array_extend(pliant_context *context, pli_array *array, size_t count, size_t element_size)
{
    bool there = array->data != NULL && count <= array->capacity - array->count;
    if (!there && !pli_array_grow_by(context, array, count, element_size)) {
        return NULL;
    }
    void *added = (char *)array->data + array->count * element_size;
    memset(added, 0, count * element_size);
    array->count += count;
    return added;
}

bool pli_array_fill(pliant_context *context, pli_array *array, size_t count, size_t element_size)
{
    if (!move_to(context, array, count, element_size)) {
        return false;
    }
    memset(array->data, 0, count * element_size);
    array->count = count;
    return true;
}

void pli_array_release(pliant_context *context, pli_array *array)
{
    pli_release(context, array->data, array->capacity * array->element_size);
    *array = (pli_array){0};
}

void pli_arrays_release(pliant_context *context, pli_array *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pli_array_release(context, &arrays[i]);
    }
}

uint64_t pli_arrays_bytes(const pli_array *arrays, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += arrays[i].capacity * arrays[i].element_size;
    }
    return bytes;
}
