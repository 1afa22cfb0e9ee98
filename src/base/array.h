/*
 * The one growing array: elements side by side, aligned to 64 bytes, from the context's allocator.
 * An array of zero bytes is empty and has no memory. Growing at least doubles the memory, so that
 * adding n elements one by one copies O(n) of them; it keeps all that was written, whether it was
 * counted or not. Where there is no memory, or a size overflows, the array stays as it is.
 *
 * An owner of many arrays keeps them side by side, so that releasing and measuring are loops:
 *
 *     union {
 *         struct {
 *             PLI_ARRAY(float) weights;
 *             pli_keys keys, scratch;
 *         };
 *         pli_array arrays[3];
 *     };
 */
#ifndef PLI_BASE_ARRAY_H
#define PLI_BASE_ARRAY_H

#include <stddef.h>

#include "base/context.h"
#include "pliant/extend.h"

typedef pliant_array pli_array;
#define PLI_ARRAY PLIANT_ARRAY

typedef PLI_ARRAY(uint64_t) pli_keys;
typedef PLI_ARRAY(uint32_t) pli_indices;

/* An owner whose last member is such a union: does the number in it count all of its arrays? */
#define PLI_CHECK_ARRAYS(owner)                                                                    \
    _Static_assert(sizeof(owner) - offsetof(owner, arrays) - sizeof((owner *)0)->arrays <          \
                       sizeof(pli_array),                                                          \
                   "arrays[] of " #owner " is too short")

/* Capacity for `count` elements where there is less, and for more to come. */
bool pli_array_grow(pliant_context *context, pli_array *array, size_t count, size_t element_size);

/* Capacity for `count` elements; false when there is no memory, with the error set. */
static inline bool pli_array_reserve(pliant_context *context, pli_array *array, size_t count,
                                     size_t element_size)
{
    return count <= array->capacity || pli_array_grow(context, array, count, element_size);
}

/* The same for `more` elements behind those that are counted. */
bool pli_array_grow_by(pliant_context *context, pli_array *array, size_t more, size_t element_size);
static inline bool pli_array_reserve_more(pliant_context *context, pli_array *array, size_t more,
                                          size_t element_size)
{
    return more <= array->capacity - array->count ||
           pli_array_grow_by(context, array, more, element_size);
}

/* Adds `count` zeroed elements and returns where they are; NULL always means no memory. */
void *pli_array_extend(pliant_context *context, pli_array *array, size_t count,
                       size_t element_size);

/* A table that will not grow: exactly `count` zeroed elements, unless it is there already. */
bool pli_array_fill(pliant_context *context, pli_array *array, size_t count, size_t element_size);
static inline bool pli_array_create(pliant_context *context, pli_array *array, size_t count,
                                    size_t element_size)
{
    return array->data != NULL || pli_array_fill(context, array, count, element_size);
}

/* Gives the memory back; the array is then empty, and may be used or released again. */
void pli_array_release(pliant_context *context, pli_array *array);

/* For arrays side by side: gives all their memory back, and says how much it is in bytes. */
void pli_arrays_release(pliant_context *context, pli_array *arrays, size_t count);
uint64_t pli_arrays_bytes(const pli_array *arrays, size_t count);

/* The same for arrays of a type. They use their arguments more than once. */
#define PLI_RESERVE(context, typed, wanted)                                                        \
    pli_array_reserve((context), &(typed)->array, (wanted), sizeof *(typed)->data)
#define PLI_RESERVE_MORE(context, typed, more)                                                     \
    pli_array_reserve_more((context), &(typed)->array, (more), sizeof *(typed)->data)
#define PLI_EXTEND(context, typed, more)                                                           \
    pli_array_extend((context), &(typed)->array, (more), sizeof *(typed)->data)
#define PLI_CREATE(context, typed, exactly)                                                        \
    pli_array_create((context), &(typed)->array, (exactly), sizeof *(typed)->data)

/* Adds an element, not one of the array's own, for these move; false when there is no memory. */
#define PLI_PUSH(context, typed, ...)                                                              \
    (PLI_RESERVE_MORE((context), (typed), 1) &&                                                    \
     ((typed)->data[(typed)->count] = (__VA_ARGS__), ++(typed)->count, true))

#endif
