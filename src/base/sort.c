#include "sort.h"

#include <string.h>

static void insertion_sort(uint64_t *keys, uint64_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        uint64_t value = values != NULL ? values[i] : 0;
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) {
            keys[j] = keys[j - 1];
            if (values != NULL) {
                values[j] = values[j - 1];
            }
        }
        keys[j] = key;
        if (values != NULL) {
            values[j] = value;
        }
    }
}

/* One stable pass of a radix sort by the byte at `shift`. */
static void scatter_by_byte(const uint64_t *keys, const uint64_t *values, uint64_t *sorted_keys,
                            uint64_t *sorted_values, size_t count, unsigned shift)
{
    size_t start[256] = {0};
    for (size_t i = 0; i < count; i++) {
        start[(keys[i] >> shift) & 255]++;
    }
    size_t sum = 0;
    for (size_t b = 0; b < 256; b++) {
        size_t size = start[b];
        start[b] = sum;
        sum += size;
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = start[(keys[i] >> shift) & 255]++;
        sorted_keys[at] = keys[i];
        if (values != NULL) {
            sorted_values[at] = values[i];
        }
    }
}

void pli_sort_keys(uint64_t *keys, uint64_t *key_scratch, uint64_t *values, uint64_t *value_scratch,
                   size_t count)
{
    if (count <= 48) {
        insertion_sort(keys, values, count);
        return;
    }
    /* Bytes in which all keys agree need no pass: triangle numbers rarely use all eight. */
    uint64_t differing = 0;
    for (size_t i = 1; i < count; i++) {
        differing |= keys[i] ^ keys[0];
    }
    uint64_t *from_keys = keys, *to_keys = key_scratch;
    uint64_t *from_values = values, *to_values = value_scratch;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((differing >> shift) & 255) == 0) {
            continue;
        }
        scatter_by_byte(from_keys, from_values, to_keys, to_values, count, shift);
        uint64_t *swap = from_keys;
        from_keys = to_keys;
        to_keys = swap;
        swap = from_values;
        from_values = to_values;
        to_values = swap;
    }
    if (from_keys != keys) {
        memcpy(keys, from_keys, count * sizeof *keys);
        if (values != NULL) {
            memcpy(values, from_values, count * sizeof *values);
        }
    }
}
