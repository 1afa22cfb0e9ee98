#include "context.h"

#include "assert.h"
#include "checked.h"
#include "float_env.h"
#include "kernels.h"
#include "workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Descriptions of pages are allocated together. */
enum { BLOCK_PAGES = 42 };

typedef struct page_block {
    struct page_block *next;
    pli_page pages[BLOCK_PAGES];
} page_block;

/*
 * The pages that one worker wrote to last. Each has a lock of its own, in a line of its own: with
 * one lock for all, workers that take pages at the same time put each other to sleep.
 */
typedef struct page_pool {
    _Alignas(64) pthread_mutex_t lock;
    _Atomic(pli_page *) first; /* changed under the lock */
    uint64_t count;
} page_pool;

struct pliant_context {
    pliant_allocator allocator;
    pliant_isa isa;
    const pli_kernels *kernels; /* of that set */
    pliant_scheduler scheduler;
    pli_workers *workers; /* NULL with one worker or a caller's scheduler */
    _Atomic uint32_t last_id;
    _Atomic uint64_t users; /* objects, and the caller until it destroys the context */
    _Atomic uint64_t objects[PLI_OBJECT_KINDS];
    pthread_mutex_t page_lock; /* of the two below */
    page_block *page_blocks;   /* all descriptions there are */
    pli_page *unused;          /* descriptions without a page */
    uint32_t pool_count;
    page_pool pools[]; /* one per worker */
};

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

pliant_context_def pliant_context_def_default(void)
{
    pliant_context_def def = {
        .allocator = {.allocate = default_allocate, .release = default_release, .user = NULL},
        .workers = 1,
        .tag = PLI_TAG(pliant_context_def),
    };
    return def;
}

static pliant_result check_workers(const pliant_context_def *def)
{
    bool own = def->scheduler.run == NULL;
    uint32_t count = own ? def->workers : def->scheduler.worker_count;
    if (count < 1 || count > PLI_MAX_WORKERS) {
        return pli_fail(PLIANT_ERROR_RANGE, "%s is %u; it must be 1 to %u",
                        own ? "workers" : "scheduler.worker_count", count,
                        (unsigned)PLI_MAX_WORKERS);
    }
    return PLIANT_OK;
}

static size_t context_size(uint32_t workers)
{
    return sizeof(pliant_context) + workers * sizeof(page_pool);
}

pliant_result pliant_context_create(const pliant_context_def *def, pliant_context **context)
{
    pliant_context_def defaults = pliant_context_def_default();
    if (def == NULL) {
        def = &defaults;
    }
    PLI_REQUIRE(context);
    PLI_REQUIRE_TAG(def, pliant_context_def);
    PLI_REQUIRE(def->allocator.allocate);
    PLI_REQUIRE(def->allocator.release);
    if ((unsigned)def->isa > PLIANT_ISA_AVX512) {
        return pli_fail(PLIANT_ERROR_RANGE, "isa is %d; there is no such one", (int)def->isa);
    }

    pliant_result result = check_workers(def);
    if (result != PLIANT_OK) {
        return result;
    }
    const pliant_allocator *allocator = &def->allocator;
    uint32_t workers = def->scheduler.run == NULL ? def->workers : def->scheduler.worker_count;
    size_t size = context_size(workers);
    pliant_context *created = allocator->allocate(allocator->user, size, _Alignof(pliant_context));
    if (created == NULL) {
        return pli_fail_memory(size);
    }
    *created = (pliant_context){.allocator = *allocator,
                                .isa = pli_isa_choose(def->isa),
                                .kernels = pli_kernels_for(pli_isa_choose(def->isa)),
                                .scheduler = def->scheduler,
                                .users = 1,
                                .pool_count = workers};
    pthread_mutex_init(&created->page_lock, NULL);
    for (uint32_t i = 0; i < workers; i++) {
        created->pools[i] = (page_pool){.count = 0};
        pthread_mutex_init(&created->pools[i].lock, NULL);
    }
    if (def->scheduler.run == NULL && def->workers > 1) {
        result = pli_workers_create(allocator, def->workers, &created->workers);
        if (result != PLIANT_OK) {
            pliant_context_destroy(created);
            return result;
        }
        created->scheduler = (pliant_scheduler){pli_workers_run, created->workers, def->workers};
    }
    *context = created;
    return PLIANT_OK;
}

static void free_context(pliant_context *context)
{
    for (page_block *block = context->page_blocks; block != NULL;) {
        page_block *next = block->next;
        for (int i = 0; i < BLOCK_PAGES; i++) {
            pli_release(context, block->pages[i].memory, PLI_PAGE_SIZE);
        }
        pli_release(context, block, sizeof *block);
        block = next;
    }
    pli_workers_destroy(context->workers);
    pthread_mutex_destroy(&context->page_lock);
    for (uint32_t i = 0; i < context->pool_count; i++) {
        pthread_mutex_destroy(&context->pools[i].lock);
    }
    const pliant_allocator allocator = context->allocator;
    allocator.release(allocator.user, context, context_size(context->pool_count),
                      _Alignof(pliant_context));
}

static void drop_user(pliant_context *context)
{
    uint64_t before = atomic_fetch_sub(&context->users, 1);
    PLI_ASSERT(before > 0);
    if (before == 1) {
        free_context(context);
    }
}

void pli_context_join(pliant_context *context, pli_object kind)
{
    atomic_fetch_add_explicit(&context->objects[kind], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&context->users, 1, memory_order_relaxed);
}

void pli_context_leave(pliant_context *context, pli_object kind)
{
    uint64_t before = atomic_fetch_sub_explicit(&context->objects[kind], 1, memory_order_relaxed);
    PLI_ASSERT(before > 0);
    (void)before;
    drop_user(context);
}

#ifdef PLI_DEBUG
/* What is alive, for the sentence of an assert. */
static const char *list_objects(const pliant_context *context, char text[256])
{
    static const char *const names[PLI_OBJECT_KINDS] = {
        "shapes", "bodies", "queries (scenes have some)", "scenes", "volumes", "assets",
        "poses",  "fits"};
    size_t length = 0;
    for (int i = 0; i < PLI_OBJECT_KINDS; i++) {
        uint64_t count = context->objects[i];
        if (count > 0) {
            length += (size_t)snprintf(text + length, 256 - length, "%s%llu %s",
                                       length > 0 ? ", " : "", (unsigned long long)count, names[i]);
        }
    }
    return text;
}
#endif

void pliant_context_destroy(pliant_context *context)
{
    if (context != NULL) {
        PLI_ASSERT_UNUSED(context->users == 1,
                          "pliant_context_destroy: the context is used by %s; destroy them first",
                          list_objects(context, (char[256]){""}));
        drop_user(context);
    }
}

const pli_kernels *pli_context_kernels(const pliant_context *context)
{
    return context->kernels;
}

pliant_isa pliant_context_get_isa(const pliant_context *context)
{
    return context != NULL ? context->isa : (pliant_isa)0;
}

uint64_t pliant_context_get_memory(const pliant_context *context)
{
    if (context == NULL) {
        return 0;
    }
    uint64_t pages = 0;
    for (uint32_t i = 0; i < context->pool_count; i++) {
        /* The lock is not part of the value that const speaks of. */
        pthread_mutex_t *lock = (pthread_mutex_t *)&context->pools[i].lock;
        pthread_mutex_lock(lock);
        pages += context->pools[i].count;
        pthread_mutex_unlock(lock);
    }
    return context_size(context->pool_count) + pages * PLI_PAGE_SIZE;
}

uint32_t pliant_context_get_worker_count(const pliant_context *context)
{
    if (context == NULL) {
        return 0;
    }
    return context->scheduler.run != NULL ? context->scheduler.worker_count : 1;
}

/* A run as its pieces see it. */
typedef struct guarded_run {
    pliant_task task;
    void *argument;
} guarded_run;

static PLI_NOINLINE void run_piece(const guarded_run *run, uint32_t index, uint32_t worker)
{
    run->task(run->argument, index, worker);
}

/* Threads may come with any floating-point environment. */
static void guarded_task(void *argument, uint32_t index, uint32_t worker)
{
    pli_float_env env = pli_float_env_enter();
    run_piece(argument, index, worker);
    pli_float_env_leave(env);
}

/* What a caller's scheduler may do wrong. */
typedef enum fault_kind {
    NO_FAULT,
    WORKER_OUT_OF_RANGE,
    WORKER_TWICE_AT_ONCE,
    PIECE_OUT_OF_RANGE,
    PIECE_RUN_TWICE
} fault_kind;

/* Portions that a caller's scheduler gets: several pieces each, where there are more. */
enum { MOST_PORTIONS = 4096 };

/*
 * A run on a caller's scheduler. Workers' numbers are places in memory, and each of them belongs to
 * one thread at a time: a call that breaks the contract is turned away before it touches anything.
 */
typedef struct foreign_run {
    guarded_run run;
    uint32_t count, portion, portions, worker_count;
    _Atomic uint64_t fault; /* the first one: its kind, then the number that is wrong */
    _Atomic bool at_work[PLI_MAX_WORKERS];
    _Atomic uint64_t begun[MOST_PORTIONS / 64]; /* a bit per portion */
} foreign_run;

static void note_fault(foreign_run *run, fault_kind kind, uint32_t number)
{
    uint64_t none = NO_FAULT;
    atomic_compare_exchange_strong(&run->fault, &none, (uint64_t)kind << 32 | number);
}

static void run_portion(foreign_run *run, uint32_t index, uint32_t worker)
{
    uint64_t bit = (uint64_t)1 << index % 64;
    if (atomic_fetch_or(&run->begun[index / 64], bit) & bit) {
        note_fault(run, PIECE_RUN_TWICE, index);
        return;
    }
    uint32_t first = index * run->portion, rest = run->count - first;
    for (uint32_t i = 0; i < run->portion && i < rest; i++) {
        guarded_task(&run->run, first + i, worker);
    }
}

static void foreign_task(void *argument, uint32_t index, uint32_t worker)
{
    foreign_run *run = argument;
    if (worker >= run->worker_count) {
        note_fault(run, WORKER_OUT_OF_RANGE, worker);
    } else if (index >= run->portions) {
        note_fault(run, PIECE_OUT_OF_RANGE, index);
    } else if (atomic_exchange(&run->at_work[worker], true)) {
        note_fault(run, WORKER_TWICE_AT_ONCE, worker);
    } else {
        run_portion(run, index, worker);
        atomic_store(&run->at_work[worker], false);
    }
}

/* Fails if the scheduler did something wrong, or left something out. */
static pliant_result check_foreign_run(foreign_run *run)
{
    uint64_t fault = atomic_load(&run->fault);
    uint32_t number = (uint32_t)fault;
    switch ((fault_kind)(fault >> 32)) {
    case WORKER_OUT_OF_RANGE:
        return pli_fail(PLIANT_ERROR_RANGE, "the scheduler ran a piece as worker %u of %u", number,
                        run->worker_count);
    case WORKER_TWICE_AT_ONCE:
        return pli_fail(PLIANT_ERROR_STATE,
                        "the scheduler ran two pieces at the same time as worker %u", number);
    case PIECE_OUT_OF_RANGE:
        return pli_fail(PLIANT_ERROR_RANGE, "the scheduler ran piece %u of %u", number,
                        run->portions);
    case PIECE_RUN_TWICE:
        return pli_fail(PLIANT_ERROR_STATE, "the scheduler ran piece %u twice", number);
    case NO_FAULT:
        break;
    }
    for (uint32_t i = 0; i < run->portions; i++) {
        if (!(atomic_load(&run->begun[i / 64]) >> i % 64 & 1)) {
            return pli_fail(PLIANT_ERROR_STATE, "the scheduler did not run piece %u of %u", i,
                            run->portions);
        }
    }
    return PLIANT_OK;
}

static pliant_result run_on_scheduler(const pliant_context *context, guarded_run guarded,
                                      uint32_t count)
{
    uint32_t portion = (count - 1) / MOST_PORTIONS + 1;
    foreign_run run = {.run = guarded,
                       .count = count,
                       .portion = portion,
                       .portions = (count - 1) / portion + 1,
                       .worker_count = context->scheduler.worker_count};
    context->scheduler.run(context->scheduler.user, foreign_task, &run, run.portions);
    return check_foreign_run(&run);
}

pliant_result pli_context_run(pliant_context *context, pliant_task task, void *argument,
                              uint32_t count)
{
    guarded_run run = {task, argument};
    if (context->scheduler.run == NULL || count <= 1) {
        for (uint32_t i = 0; i < count; i++) {
            guarded_task(&run, i, 0);
        }
        return PLIANT_OK;
    }
    if (context->workers == NULL) {
        return run_on_scheduler(context, run, count);
    }
    pli_workers_run(context->workers, guarded_task, &run, count);
    return PLIANT_OK;
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

static pli_page *take_from(page_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pli_page *page = atomic_load_explicit(&pool->first, memory_order_relaxed);
    if (page != NULL) {
        PLI_ASSERT(pool->count > 0 && page->memory != NULL);
        atomic_store_explicit(&pool->first, page->next, memory_order_relaxed);
        pool->count--;
    }
    pthread_mutex_unlock(&pool->lock);
    return page;
}

/* A page from the pools, the worker's own one first, or NULL. */
static pli_page *take_pooled(pliant_context *context, uint32_t worker)
{
    pli_page *page = NULL;
    for (uint32_t i = 0; i < context->pool_count && page == NULL; i++) {
        page_pool *pool = &context->pools[(worker + i) % context->pool_count];
        if (atomic_load_explicit(&pool->first, memory_order_relaxed) != NULL) {
            page = take_from(pool);
        }
    }
    return page;
}

/* A description without a page, or NULL; the lock is held. */
static pli_page *take_description(pliant_context *context)
{
    if (context->unused == NULL) {
        page_block *block = pli_allocate(context, sizeof *block);
        if (block == NULL) {
            return NULL;
        }
        block->next = context->page_blocks;
        context->page_blocks = block;
        for (int i = 0; i < BLOCK_PAGES; i++) {
            block->pages[i] = (pli_page){.next = context->unused};
            context->unused = &block->pages[i];
        }
    }
    pli_page *page = context->unused;
    context->unused = page->next;
    return page;
}

/* A page from the allocator, or NULL; the lock is held. */
static pli_page *allocate_page(pliant_context *context)
{
    pli_page *page = take_description(context);
    if (page == NULL) {
        return NULL;
    }
    page->memory = pli_allocate(context, PLI_PAGE_SIZE);
    if (page->memory == NULL) {
        page->next = context->unused;
        context->unused = page;
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

pli_page *pli_page_take(pliant_context *context, uint32_t worker)
{
    pli_page *page = take_pooled(context, worker);
    if (page == NULL) {
        pthread_mutex_lock(&context->page_lock);
        page = allocate_page(context);
        pthread_mutex_unlock(&context->page_lock);
    }
    if (page != NULL) {
        page->worker = worker;
        MARK_POOLED(page, false);
    }
    return page;
}

void pli_pages_return(pliant_context *context, pli_page *first)
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
        PLI_ASSERT(first->worker < context->pool_count);
        page_pool *pool = &context->pools[first->worker];
        pthread_mutex_lock(&pool->lock);
        last->next = atomic_load_explicit(&pool->first, memory_order_relaxed);
        atomic_store_explicit(&pool->first, first, memory_order_relaxed);
        pool->count += count;
        pthread_mutex_unlock(&pool->lock);
        first = rest;
    }
}
