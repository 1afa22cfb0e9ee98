#include "context.h"

#include "atomic.h"
#include "kernels.h"
#include "workers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const pli_home home = {pliant_fail};

struct pliant_context {
    const pli_home *home; /* the copy that made it; first, so that every copy finds it */
    pliant_allocator allocator;
    pliant_isa isa;
    const pli_kernels *kernels; /* of that set */
    pliant_scheduler scheduler;
    pli_workers *workers; /* NULL with one worker or a caller's scheduler */
    PLI_ATOMIC(uint32_t) last_id;
    PLI_ATOMIC(uint64_t) users; /* objects, and the caller until it destroys the context */
    PLI_ATOMIC(uint64_t) objects[PLI_OBJECT_KINDS];
    pli_page_pool *pool;
    pli_observer observer;
};

static void *default_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    if (!pli_size_align(&size, alignment)) {
        return NULL;
    }
#if defined(_WIN32)
    return _aligned_malloc(size, alignment);
#else
    return aligned_alloc(alignment, size);
#endif
}

static void default_release(void *user, void *memory, size_t size, size_t alignment)
{
    (void)user;
    (void)size;
    (void)alignment;
#if defined(_WIN32)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

PLIANT_DEFINE_DEFAULT(pliant_context_def)
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

    if ((def->hooks.begin == NULL) != (def->hooks.end == NULL)) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "hooks: only one of begin and end is set");
    }
    pliant_result result = check_workers(def);
    if (result != PLIANT_OK) {
        return result;
    }
    const pliant_allocator *allocator = &def->allocator;
    uint32_t workers = def->scheduler.run == NULL ? def->workers : def->scheduler.worker_count;
    pliant_context *created = allocator->allocate(allocator->user, sizeof *created, PLI_ALIGNMENT);
    if (created == NULL) {
        return pli_fail_memory(sizeof *created);
    }
    *created = (pliant_context){.home = &home,
                                .allocator = *allocator,
                                .isa = pli_isa_choose(def->isa),
                                .kernels = pli_kernels_for(pli_isa_choose(def->isa)),
                                .scheduler = def->scheduler,
                                .observer = {def->logger, def->hooks},
                                .users = 1};
    result = pli_page_pool_create(allocator, workers, &created->pool);
    if (result == PLIANT_OK && def->scheduler.run == NULL && def->workers > 1) {
        result = pli_workers_create(allocator, def->workers, &created->workers);
        created->scheduler = (pliant_scheduler){pli_workers_run, created->workers, def->workers};
    }
    if (result != PLIANT_OK) {
        pliant_context_destroy(created);
        return result;
    }
    if (def->isa > created->isa) {
        pli_log(created, PLIANT_LOG_INFO, "the instruction set %s was asked for; %s is used",
                pliant_isa_get_name(def->isa), pliant_isa_get_name(created->isa));
    }
    *context = created;
    return PLIANT_OK;
}

static void free_context(pliant_context *context)
{
    pli_page_pool_destroy(context->pool);
    pli_workers_destroy(context->workers);
    const pliant_allocator allocator = context->allocator;
    allocator.release(allocator.user, context, sizeof *context, PLI_ALIGNMENT);
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

pliant_result pli_context_check_home(const pliant_context *context)
{
    if (context->home != &home) {
        return context->home->fail(
            PLIANT_ERROR_ARGUMENT,
            "the context was made by another copy of the library: link a program and all libraries "
            "that it uses with one libpliant, shared or static");
    }
    return PLIANT_OK;
}

pliant_result pliant_context_join(pliant_context *context)
{
    PLI_REQUIRE(context);
    pliant_result result = pli_context_check_home(context);
    if (result == PLIANT_OK) {
        pli_context_join(context, PLI_OBJECT_ELSEWHERE);
    }
    return result;
}

void pliant_context_leave(pliant_context *context)
{
    if (context != NULL) {
        pli_context_leave(context, PLI_OBJECT_ELSEWHERE);
    }
}

#ifdef PLI_DEBUG
/* What is alive, for the sentence of an assert. */
static const char *list_objects(const pliant_context *context, char text[256])
{
    static const char *const names[PLI_OBJECT_KINDS] = {
        "shapes",  "bodies",   "queries (scenes have some)", "scenes",
        "volumes", "backends", "objects of other libraries"};
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

const pli_observer *pli_context_observer(const pliant_context *context)
{
    return &context->observer;
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
    return context != NULL ? sizeof *context + pli_page_pool_memory(context->pool) : 0;
}

uint32_t pliant_context_get_worker_count(const pliant_context *context)
{
    if (context == NULL) {
        return 0;
    }
    return context->scheduler.run != NULL ? context->scheduler.worker_count : 1;
}

pliant_result pli_context_run(pliant_context *context, pliant_task task, void *argument,
                              uint32_t count)
{
    return pli_run_pieces(&context->scheduler, context->workers, task, argument, count);
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

void *pliant_context_allocate(pliant_context *context, size_t size)
{
    if (context == NULL) {
        pli_fail(PLIANT_ERROR_ARGUMENT, "%s: context is NULL", __func__);
        return NULL;
    }
    return pli_allocate(context, size);
}

void pliant_context_release(pliant_context *context, void *memory, size_t size)
{
    if (context != NULL) {
        pli_release(context, memory, size);
    }
}

pli_page *pli_page_take(pliant_context *context, uint32_t worker)
{
    return pli_page_pool_take(context->pool, worker);
}

void pli_pages_return(pliant_context *context, pli_page *first)
{
    pli_page_pool_return(context->pool, first);
}

/* ------------------------------------------------------------ who watches */

void pli_log(const pliant_context *context, pliant_log_level level, const char *format, ...)
{
    const pliant_logger *logger = &pli_context_observer(context)->logger;
    if (logger->log == NULL) {
        return;
    }
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    logger->log(logger->user, level, sentence);
}

const char *pliant_stage_get_name(pliant_stage stage)
{
    static const char *const names[] = {
        [PLIANT_STAGE_SCENE_BOUNDS] = "scene bounds",
        [PLIANT_STAGE_SCENE_BROAD] = "scene broad",
        [PLIANT_STAGE_SCENE_FILTER] = "scene filter",
        [PLIANT_STAGE_SCENE_NARROW] = "scene narrow",
        [PLIANT_STAGE_SCENE_COLLECT] = "scene collect",
        [PLIANT_STAGE_SCENE_SORT] = "scene sort",
        [PLIANT_STAGE_QUERY_UPDATE] = "query update",
        [PLIANT_STAGE_QUERY_TRAVERSE] = "query traverse",
        [PLIANT_STAGE_QUERY_SORT] = "query sort",
        [PLIANT_STAGE_VOLUME_IMAGE] = "volume image",
        [PLIANT_STAGE_VOLUME_QUERY] = "volume query",
        [PLIANT_STAGE_SHAPE_MESH] = "shape mesh",
        [PLIANT_STAGE_SHAPE_TREE] = "shape tree",
        [PLIANT_STAGE_SHAPE_LAYOUT] = "shape layout",
        [PLIANT_STAGE_SHAPE_MODEL] = "shape model",
    };
    return (unsigned)stage <= PLIANT_STAGE_SHAPE_MODEL ? names[stage] : "unknown";
}

typedef struct stage_share {
    const pliant_stage_hooks *hooks;
    pliant_stage stage;
    pliant_task task;
    void *argument;
} stage_share;

static void announced_task(void *argument, uint32_t index, uint32_t worker)
{
    const stage_share *share = argument;
    share->hooks->begin(share->hooks->user, share->stage, worker);
    share->task(share->argument, index, worker);
    share->hooks->end(share->hooks->user, share->stage, worker);
}

pliant_result pli_stage_run(pliant_context *context, pliant_stage stage, pliant_task task,
                            void *argument, uint32_t count)
{
    const pliant_stage_hooks *hooks = &pli_context_observer(context)->hooks;
    if (hooks->begin == NULL) {
        return pli_context_run(context, task, argument, count);
    }
    stage_share share = {hooks, stage, task, argument};
    return pli_context_run(context, announced_task, &share, count);
}
