/* The context: what objects share. Allocator hooks, workers, kernels, pages, observers. */
#ifndef PLI_BASE_CONTEXT_H
#define PLI_BASE_CONTEXT_H

#include "error.h"
#include "kernels.h"
#include "pages.h"

#define PLI_ALIGNMENT 64

/* A number for a new object, different from all others of the context and never 0. */
uint32_t pli_context_next_id(pliant_context *context);

/* What keeps a context alive, besides its caller. */
typedef enum pli_object {
    PLI_OBJECT_SHAPE,
    PLI_OBJECT_BODY,
    PLI_OBJECT_QUERY,
    PLI_OBJECT_SCENE,
    PLI_OBJECT_VOLUME,
    PLI_OBJECT_BACKEND,
    PLI_OBJECT_ELSEWHERE, /* of a library beside the core: pliant/extend.h */
    PLI_OBJECT_KINDS
} pli_object;

/* An object that has a pointer to the context begins to live, or has ended: the very last thing
   that it does, since with the last of them the context is gone. Any thread may do so. */
void pli_context_join(pliant_context *context, pli_object kind);
void pli_context_leave(pliant_context *context, pli_object kind);

/*
 * A copy of the library: its address tells those in one program apart. It is the first word of each
 * context, and never has another layout, so that any copy can tell the one that made a context what
 * is wrong: the program that made it reads the sentences of that one.
 */
typedef struct pli_home {
    pliant_result (*fail)(pliant_result result, const char *sentence);
} pli_home;

/* Fails where the context was made by another copy. */
pliant_result pli_context_check_home(const pliant_context *context);

/*
 * Runs task(argument, i, worker) for every i below `count` on the context's workers, in the default
 * floating-point environment, and returns when all are done. Fails if a caller's scheduler does not
 * do what its contract says: some pieces have not been run then.
 */
pliant_result pli_context_run(pliant_context *context, pliant_task task, void *argument,
                              uint32_t count);

/* The kernels that objects of the context use. */
const pli_kernels *pli_context_kernels(const pliant_context *context);

/* Returns memory aligned to 64 bytes, or NULL with pliant_last_error() set. */
void *pli_allocate(pliant_context *context, size_t size);

/* Releases memory of pli_allocate(); `size` as given there. NULL is ignored. */
void pli_release(pliant_context *context, void *memory, size_t size);

/* Takes a page from the context's pool, and gives a list of pages back to it: see pages.h. */
pli_page *pli_page_take(pliant_context *context, uint32_t worker);
void pli_pages_return(pliant_context *context, pli_page *first);

/* ------------------------------------------------------------ who watches: the log, and the hooks
 * that stages begin and end with */

typedef struct pli_observer {
    pliant_logger logger;
    pliant_stage_hooks hooks;
} pli_observer;

const pli_observer *pli_context_observer(const pliant_context *context);

/* Tells the log, if there is one. The thread's last error stays. */
void pli_log(const pliant_context *context, pliant_log_level level, const char *format, ...)
    PLI_PRINTF(3, 4);

/* A stage of a call begins or ends on this thread. Not for what happens per node or pair. */
static inline void pli_stage_begin(const pliant_context *context, pliant_stage stage)
{
    const pliant_stage_hooks *hooks = &pli_context_observer(context)->hooks;
    if (hooks->begin != NULL) {
        hooks->begin(hooks->user, stage, PLIANT_NO_WORKER);
    }
}

static inline void pli_stage_end(const pliant_context *context, pliant_stage stage)
{
    const pliant_stage_hooks *hooks = &pli_context_observer(context)->hooks;
    if (hooks->end != NULL) {
        hooks->end(hooks->user, stage, PLIANT_NO_WORKER);
    }
}

/* Runs pieces as pli_context_run() does, each of which is a worker's share of a stage. For stages
   of few pieces per worker. */
pliant_result pli_stage_run(pliant_context *context, pliant_stage stage, pliant_task task,
                            void *argument, uint32_t count);

#endif
