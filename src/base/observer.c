#include "observer.h"

#include <stdarg.h>
#include <stdio.h>

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
