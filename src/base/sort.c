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

/* Digits of this many bits are sorted by at a time: wider ones need fewer passes, but each pass
   then has more counts to go through, which only many keys are worth. */
enum { NARROW_BITS = 8, WIDE_BITS = 11, WIDE_FROM = 1024 };

/* One stable pass of a radix sort by the digit at `shift`. */
static inline void scatter(const uint64_t *keys, const uint64_t *values, uint64_t *sorted_keys,
                           uint64_t *sorted_values, size_t count, unsigned shift, unsigned bits)
{
    size_t start[(size_t)1 << WIDE_BITS];
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    memset(start, 0, sizeof *start << bits);
    for (size_t i = 0; i < count; i++) {
        start[(keys[i] >> shift) & mask]++;
    }
    size_t sum = 0;
    for (size_t b = 0; b <= mask; b++) {
        size_t size = start[b];
        start[b] = sum;
        sum += size;
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = start[(keys[i] >> shift) & mask]++;
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
    /* Digits in which all keys agree need no pass: triangle numbers rarely use all bits. */
    uint64_t differing = 0;
    for (size_t i = 1; i < count; i++) {
        differing |= keys[i] ^ keys[0];
    }
    const unsigned bits = count < WIDE_FROM ? NARROW_BITS : WIDE_BITS;
    uint64_t *from_keys = keys, *to_keys = key_scratch;
    uint64_t *from_values = values, *to_values = value_scratch;
    while (differing != 0) {
        unsigned shift = (unsigned)__builtin_ctzll(differing);
        if (bits == WIDE_BITS) { /* a constant each, which the compiler makes good use of */
            scatter(from_keys, from_values, to_keys, to_values, count, shift, WIDE_BITS);
        } else {
            scatter(from_keys, from_values, to_keys, to_values, count, shift, NARROW_BITS);
        }
        differing &= ~((((uint64_t)1 << bits) - 1) << shift);
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
