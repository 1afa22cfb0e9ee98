#include "context.h"

#include "checked.h"
#include "isa.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT_COOKIE 0x50436f6eu

struct pliant_context {
    pliant_allocator allocator;
    pliant_isa isa;
    pthread_mutex_t pool_lock;
    pli_page *pool;
    uint64_t pool_pages;
    _Atomic uint32_t last_id;
};

const char *pliant_version(void)
{
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
    return TEXT(PLIANT_VERSION_MAJOR) "." TEXT(PLIANT_VERSION_MINOR) "." TEXT(PLIANT_VERSION_PATCH);
#undef TEXT
#undef TEXT_OF
}

static void *default_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (!pli_size_align(&size, alignment)) {
        return NULL;
    }
    return aligned_alloc(alignment, size);
}

static void default_release(void *user, void *memory, size_t size, size_t alignment)
{
    (void)user;
    (void)size;
    (void)alignment;
    free(memory);
}

pliant_context_def pliant_context_default(void)
{
    pliant_context_def def = {
        .allocator = {.allocate = default_allocate, .release = default_release, .user = NULL},
        .cookie = CONTEXT_COOKIE,
    };
    return def;
}

pliant_result pliant_context_create(const pliant_context_def *def, pliant_context **context)
{
    pliant_context_def defaults = pliant_context_default();
    if (def == NULL) {
        def = &defaults;
    }
    PLI_REQUIRE(context);
    PLI_REQUIRE_COOKIE(def, CONTEXT_COOKIE, "pliant_context_default");
    PLI_REQUIRE(def->allocator.allocate);
    PLI_REQUIRE(def->allocator.release);
    if ((unsigned)def->isa > PLIANT_ISA_AVX512) {
        return pli_fail(PLIANT_ERROR_RANGE, "isa is %d; there is no such one", (int)def->isa);
    }

    const pliant_allocator *allocator = &def->allocator;
    pliant_context *created =
        allocator->allocate(allocator->user, sizeof *created, _Alignof(pliant_context));
    if (created == NULL) {
        return pli_fail_memory(sizeof *created);
    }
    *created = (pliant_context){.allocator = *allocator, .isa = pli_isa_choose(def->isa)};
    if (pthread_mutex_init(&created->pool_lock, NULL) != 0) {
        allocator->release(allocator->user, created, sizeof *created, _Alignof(pliant_context));
        return pli_fail(PLIANT_ERROR_OUT_OF_MEMORY, "no mutex for the context");
    }
    *context = created;
    return PLIANT_OK;
}

void pliant_context_destroy(pliant_context *context)
{
    if (context == NULL) {
        return;
    }
    for (pli_page *page = context->pool; page != NULL;) {
        pli_page *next = page->next;
        pli_release(context, page, PLI_PAGE_SIZE);
        page = next;
    }
    pthread_mutex_destroy(&context->pool_lock);
    const pliant_allocator allocator = context->allocator;
    allocator.release(allocator.user, context, sizeof *context, _Alignof(pliant_context));
}

pliant_isa pliant_context_isa(const pliant_context *context)
{
    return context != NULL ? context->isa : PLIANT_ISA_PLAIN;
}

uint64_t pliant_context_memory(const pliant_context *context)
{
    if (context == NULL) {
        return 0;
    }
    /* The lock is not part of the value that const speaks of. */
    pthread_mutex_t *lock = (pthread_mutex_t *)&context->pool_lock;
    pthread_mutex_lock(lock);
    uint64_t pages = context->pool_pages;
    pthread_mutex_unlock(lock);
    return sizeof *context + pages * PLI_PAGE_SIZE;
}

uint32_t pli_context_next_id(pliant_context *context)
{
    return atomic_fetch_add_explicit(&context->last_id, 1, memory_order_relaxed) + 1;
}

void *pli_allocate(pliant_context *context, size_t size)
{
    void *memory = context->allocator.allocate(context->allocator.user, size, PLI_ALIGNMENT);
    if (memory == NULL) {
        pli_fail_memory(size);
    }
    return memory;
}

void pli_release(pliant_context *context, void *memory, size_t size)
{
    if (memory != NULL) {
        context->allocator.release(context->allocator.user, memory, size, PLI_ALIGNMENT);
    }
}

void *pli_grow(pliant_context *context, void *array, size_t *capacity, size_t count,
               size_t element_size)
{
    if (count <= *capacity) {
        return array;
    }
    size_t wanted = *capacity < 32 ? 64 : 2 * *capacity;
    wanted = wanted < count ? count : wanted;
    size_t bytes = 0;
    if (!pli_size_multiply(wanted, element_size, &bytes)) {
        pli_fail_memory(SIZE_MAX);
        return NULL;
    }
    void *grown = pli_allocate(context, bytes);
    if (grown != NULL) {
        if (*capacity > 0) {
            memcpy(grown, array, *capacity * element_size);
            pli_release(context, array, *capacity * element_size);
        }
        *capacity = wanted;
    }
    return grown;
}

pli_page *pli_page_take(pliant_context *context)
{
    pthread_mutex_lock(&context->pool_lock);
    pli_page *page = context->pool;
    if (page != NULL) {
        context->pool = page->next;
        context->pool_pages--;
    }
    pthread_mutex_unlock(&context->pool_lock);
    return page != NULL ? page : pli_allocate(context, PLI_PAGE_SIZE);
}

void pli_pages_return(pliant_context *context, pli_page *first)
{
    if (first == NULL) {
        return;
    }
    uint64_t count = 1;
    pli_page *last = first;
    while (last->next != NULL) {
        last = last->next;
        count++;
    }
    pthread_mutex_lock(&context->pool_lock);
    last->next = context->pool;
    context->pool = first;
    context->pool_pages += count;
    pthread_mutex_unlock(&context->pool_lock);
}
