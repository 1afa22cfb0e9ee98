/* Sizes computed from counts, with overflow noticed. */
#ifndef PLI_BASE_CHECKED_H
#define PLI_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *sum = a * b; false on overflow. */
static inline bool pli_size_multiply(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

/* *sum += count * size; false on overflow. */
static inline bool pli_size_add_array(size_t *sum, size_t count, size_t size)
{
    size_t bytes = 0;
    return pli_size_multiply(count, size, &bytes) && !__builtin_add_overflow(*sum, bytes, sum);
}

/* *size rounded up to a multiple of `alignment`, a power of two; false on overflow. */
static inline bool pli_size_align(size_t *size, size_t alignment)
{
    if (__builtin_add_overflow(*size, alignment - 1, size)) {
        return false;
    }
    *size &= ~(alignment - 1);
    return true;
}

#endif
