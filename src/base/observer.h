/* Who watches a context: its log, and the hooks that stages begin and end with. */
#ifndef PLI_BASE_OBSERVER_H
#define PLI_BASE_OBSERVER_H

#include "context.h"

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
