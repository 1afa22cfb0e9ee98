/* Growing arrays in place. */
#ifndef PLI_VOLUME_GROW_H
#define PLI_VOLUME_GROW_H

#include "base/context.h"

#include <string.h>

/* Makes room for `count` elements in the array that the pointer at `pointer` points to. */
static inline bool pli_grow_at(pliant_context *context, void *pointer, size_t *room, size_t count,
                               size_t size)
{
    void *array;
    memcpy(&array, pointer, sizeof array);
    array = pli_grow(context, array, room, count, size);
    if (array == NULL) {
        return false;
    }
    memcpy(pointer, &array, sizeof array);
    return true;
}

#define PLI_GROW_AT(context, array, room, count)                                                   \
    pli_grow_at((context), &(array), &(room), (count), sizeof *(array))

#endif
