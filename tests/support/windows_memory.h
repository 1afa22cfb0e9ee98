/*
 * Included before everything else in tests for Windows, whose C library has no aligned_alloc():
 * what its aligned functions allocate only they may release, so all of a test's memory comes from
 * them.
 */
#ifndef PLIANT_TESTS_WINDOWS_MEMORY_H
#define PLIANT_TESTS_WINDOWS_MEMORY_H

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static inline void *test_calloc(size_t count, size_t size)
{
    void *memory =
        size == 0 || count <= (size_t)-1 / size ? _aligned_malloc(count * size, 16) : NULL;
    return memory != NULL ? memset(memory, 0, count * size) : NULL;
}

#define aligned_alloc(alignment, size) _aligned_malloc(size, alignment)
#define malloc(size)                   _aligned_malloc(size, 16)
#define calloc(count, size)            test_calloc(count, size)
#define realloc(memory, size)          _aligned_realloc(memory, size, 16)
#define free(memory)                   _aligned_free(memory)

#endif
