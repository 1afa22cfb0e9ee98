#include "counting_allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(at, size)   ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

/* In front of each allocation, at the start of as many bytes as its alignment. */
typedef struct front {
    size_t size, alignment;
} front;

static void *counting_allocate(void *user, size_t size, size_t alignment)
{
    counting_allocator *counting = user;
    counting->calls++;
    bool fails = counting->fail_at != 0 &&
                 (counting->calls == counting->fail_at ||
                  (counting->fail_from_there && counting->calls > counting->fail_at));
    if (fails || alignment < sizeof(front) || size > SIZE_MAX - 2 * alignment) {
        return NULL;
    }
    size_t rounded = (size + alignment - 1) / alignment * alignment;
    front *before = aligned_alloc(alignment, alignment + rounded);
    if (before == NULL) {
        return NULL;
    }
    *before = (front){size, alignment};
    ASAN_POISON_MEMORY_REGION(before, alignment);
    counting->live++;
    counting->live_bytes += size;
    if (counting->live_bytes > counting->peak_bytes) {
        counting->peak_bytes = counting->live_bytes;
    }
    return (char *)before + alignment;
}

static void counting_release(void *user, void *memory, size_t size, size_t alignment)
{
    enum { ENOUGH = 4096 };
    counting_allocator *counting = user;
    front *before = (front *)(void *)((char *)memory - alignment);
    ASAN_UNPOISON_MEMORY_REGION(before, alignment);
    if (before->size != size || before->alignment != alignment) {
        fprintf(stderr, "%zu bytes aligned to %zu are released as %zu bytes aligned to %zu\n",
                before->size, before->alignment, size, alignment);
        abort();
    }
    counting->live--;
    counting->live_bytes -= size;
    /* The next user must not find what this one left, which may be right by chance. */
    memset(memory, 0xa5, size < ENOUGH ? size : ENOUGH);
    free(before);
}

pliant_allocator counting_allocator_get(counting_allocator *counting)
{
    return (pliant_allocator){counting_allocate, counting_release, counting};
}
