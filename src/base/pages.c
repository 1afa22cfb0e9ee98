#include "pages.h"

#include "error.h"
#include "atomic.h"
#include "context.h"
#include "thread.h"

/* Descriptions of pages are allocated together. */
enum { BLOCK_PAGES = 42 };

typedef struct page_block {
    struct page_block *next;
    pli_page pages[BLOCK_PAGES];
} page_block;

/*
 * The pages that one worker wrote to last. Each has a lock of its own, in a line of its own: with
 * one lock for all, workers that take pages at the same time put each other to sleep. Pages are
 * returned without a lock, since many workers may return pages of one; who takes a page next puts
 * them on top of the others.
 */
typedef struct worker_pool {
    _Alignas(64) pli_lock lock;
    PLI_ATOMIC(pli_page *) first; /* changed under the lock */
    _Alignas(64) PLI_ATOMIC(pli_page *) returned;
    PLI_ATOMIC(uint64_t) count; /* of both */
} worker_pool;

struct pli_page_pool {
    pliant_allocator allocator;
    pli_lock lock;      /* of the two below */
    page_block *blocks; /* all descriptions there are */
    pli_page *unused;   /* descriptions without a page */
    uint32_t worker_count;
    worker_pool workers[];
};

static size_t pool_size(uint32_t workers)
{
    return sizeof(pli_page_pool) + workers * sizeof(worker_pool);
}

static void *allocate(const pli_page_pool *pool, size_t size)
{
    void *memory = pool->allocator.allocate(pool->allocator.user, size, PLI_ALIGNMENT);
    if (memory == NULL) {
        pli_fail_memory(size);
    }
    return memory;
}

static void release(const pliant_allocator *allocator, void *memory, size_t size)
{
    if (memory != NULL) {
        allocator->release(allocator->user, memory, size, PLI_ALIGNMENT);
    }
}

pliant_result pli_page_pool_create(const pliant_allocator *allocator, uint32_t workers,
                                   pli_page_pool **pool)
{
    size_t size = pool_size(workers);
    pli_page_pool *created = allocator->allocate(allocator->user, size, PLI_ALIGNMENT);
    if (created == NULL) {
        return pli_fail_memory(size);
    }
    *created = (pli_page_pool){.allocator = *allocator, .worker_count = workers};
    pli_lock_init(&created->lock);
    for (uint32_t i = 0; i < workers; i++) {
        created->workers[i] = (worker_pool){.count = 0};
        pli_lock_init(&created->workers[i].lock);
    }
    *pool = created;
    return PLIANT_OK;
}

void pli_page_pool_destroy(pli_page_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    const pliant_allocator allocator = pool->allocator;
    for (page_block *block = pool->blocks; block != NULL;) {
        page_block *next = block->next;
        for (int i = 0; i < BLOCK_PAGES; i++) {
            release(&allocator, block->pages[i].memory, PLI_PAGE_SIZE);
        }
        release(&allocator, block, sizeof *block);
        block = next;
    }
    pli_lock_destroy(&pool->lock);
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        pli_lock_destroy(&pool->workers[i].lock);
    }
    release(&allocator, pool, pool_size(pool->worker_count));
}

/* Puts what was returned on top; the lock is held. */
static void put_on_top(worker_pool *own)
{
    pli_page *returned = atomic_exchange_explicit(&own->returned, NULL, memory_order_acquire);
    pli_page *last = returned;
    if (returned == NULL) {
        return;
    }
    while (last->next != NULL) {
        last = last->next;
    }
    last->next = atomic_load_explicit(&own->first, memory_order_relaxed);
    atomic_store_explicit(&own->first, returned, memory_order_relaxed);
}

static bool has_pages(worker_pool *own)
{
    return atomic_load_explicit(&own->first, memory_order_relaxed) != NULL ||
           atomic_load_explicit(&own->returned, memory_order_relaxed) != NULL;
}

static pli_page *take_from(worker_pool *own)
{
    pli_lock_take(&own->lock);
    if (atomic_load_explicit(&own->returned, memory_order_relaxed) != NULL) {
        put_on_top(own);
    }
    pli_page *page = atomic_load_explicit(&own->first, memory_order_relaxed);
    if (page != NULL) {
        PLI_ASSERT(page->memory != NULL);
        atomic_store_explicit(&own->first, page->next, memory_order_relaxed);
        atomic_fetch_sub_explicit(&own->count, 1, memory_order_relaxed);
    }
    pli_lock_release(&own->lock);
    return page;
}

/* A page that waits in the pool, the worker's own first, or NULL. */
static pli_page *take_pooled(pli_page_pool *pool, uint32_t worker)
{
    pli_page *page = NULL;
    for (uint32_t i = 0; i < pool->worker_count && page == NULL; i++) {
        worker_pool *own = &pool->workers[(worker + i) % pool->worker_count];
        if (has_pages(own)) {
            page = take_from(own);
        }
    }
    return page;
}

/* A description without a page, or NULL; the lock is held. */
static pli_page *take_description(pli_page_pool *pool)
{
    if (pool->unused == NULL) {
        page_block *block = allocate(pool, sizeof *block);
        if (block == NULL) {
            return NULL;
        }
        block->next = pool->blocks;
        pool->blocks = block;
        for (int i = 0; i < BLOCK_PAGES; i++) {
            block->pages[i] = (pli_page){.next = pool->unused};
            pool->unused = &block->pages[i];
        }
    }
    pli_page *page = pool->unused;
    pool->unused = page->next;
    return page;
}

/* A page from the allocator, or NULL; the lock is held. */
static pli_page *allocate_page(pli_page_pool *pool)
{
    pli_page *page = take_description(pool);
    if (page == NULL) {
        return NULL;
    }
    page->memory = allocate(pool, PLI_PAGE_SIZE);
    if (page->memory == NULL) {
        page->next = pool->unused;
        pool->unused = page;
        return NULL;
    }
    return page;
}

/* No page is returned twice. */
#ifdef NDEBUG
#define MARK_POOLED(page, now) ((void)0)
#else
#define MARK_POOLED(page, now)                                                                     \
    do {                                                                                           \
        PLI_ASSERT(!((page)->pooled && (now)));                                                    \
        (page)->pooled = (now);                                                                    \
    } while (0)
#endif

pli_page *pli_page_pool_take(pli_page_pool *pool, uint32_t worker)
{
    pli_page *page = take_pooled(pool, worker);
    if (page == NULL) {
        pli_lock_take(&pool->lock);
        page = allocate_page(pool);
        pli_lock_release(&pool->lock);
    }
    if (page != NULL) {
        page->worker = worker;
        MARK_POOLED(page, false);
    }
    return page;
}

void pli_page_pool_return(pli_page_pool *pool, pli_page *first)
{
    while (first != NULL) {
        uint64_t count = 1;
        pli_page *last = first; /* of those of one worker */
        MARK_POOLED(first, true);
        for (; last->next != NULL && last->next->worker == first->worker; count++) {
            last = last->next;
            MARK_POOLED(last, true);
        }
        pli_page *rest = last->next;
        PLI_ASSERT(first->worker < pool->worker_count);
        worker_pool *own = &pool->workers[first->worker];
        atomic_fetch_add_explicit(&own->count, count, memory_order_relaxed);
        last->next = atomic_load_explicit(&own->returned, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&own->returned, &last->next, first,
                                                      memory_order_release, memory_order_relaxed)) {
        }
        first = rest;
    }
}

uint64_t pli_page_pool_memory(const pli_page_pool *pool)
{
    uint64_t pages = 0;
    for (uint32_t i = 0; i < pool->worker_count; i++) {
        pages += pool->workers[i].count;
    }
    return pool_size(pool->worker_count) + pages * PLI_PAGE_SIZE;
}
