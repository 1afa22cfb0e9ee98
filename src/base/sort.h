/* Sorting of 64-bit keys. The C library's qsort may allocate; this never does. */
#ifndef PLI_BASE_SORT_H
#define PLI_BASE_SORT_H

#include "base/context.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Sorts `count` keys ascending, and `values` alongside unless it is NULL. Both scratch arrays have
 * room for `count` entries (`value_scratch` may be NULL with `values`). Equal keys keep their
 * order.
 */
void pli_sort_keys(uint64_t *keys, uint64_t *key_scratch, uint64_t *values, uint64_t *value_scratch,
                   size_t count);

typedef struct pli_sorted_arrays {
    uint64_t *keys, *key_scratch, *values, *value_scratch; /* as for pli_sort_keys() */
} pli_sorted_arrays;

/* Sorts many keys on all workers of a context. Equal keys keep their order.
   `convert`, if not NULL, then gets each part of the sorted keys, on some worker. */
pliant_result pli_sort_shared(pliant_context *context, pli_sorted_arrays arrays, size_t count,
                              void (*convert)(uint64_t *keys, size_t count));

#endif
