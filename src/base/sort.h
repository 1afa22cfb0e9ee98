/* Sorting of 64-bit keys. The C library's qsort may allocate; this never does. */
#ifndef PLI_BASE_SORT_H
#define PLI_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sorts `count` keys ascending, and `values` alongside unless it is NULL. Both scratch arrays have
 * room for `count` entries (`value_scratch` may be NULL with `values`). Equal keys keep their
 * order.
 */
void pli_sort_keys(uint64_t *keys, uint64_t *key_scratch, uint64_t *values, uint64_t *value_scratch,
                   size_t count);

#endif
