/* The state of a scene's queries, and the entry of each of its calls. */
#include "scene_queries.h"

#include "base/context.h"
#include "base/float_env.h"

PLIANT_DEFINE_DEFAULT(pliant_scene_options)
{
    pliant_scene_options options = {.mode = PLIANT_COLLIDE_ALL,
                                    .neighbours = PLIANT_NEIGHBOURS_BEYOND_SHARED,
                                    .tag = PLI_TAG(pliant_scene_options)};
    return options;
}

#include "scene/described.inl"

pliant_result pli_scene_options_check(const pliant_scene_options *options,
                                      pliant_recorded_question query)
{
    if (options == NULL) {
        return PLIANT_OK;
    }
    PLI_REQUIRE_TAG(options, pliant_scene_options);
    pliant_scene_options defaults = pliant_scene_options_default();
    return pli_check_options(options, &defaults, scene_options_uses,
                             sizeof scene_options_uses / sizeof scene_options_uses[0],
                             (uint32_t)query);
}

static void release(pliant_scene *scene)
{
    pliant_context *context = scene->context;
    pli_scene_queries *q = scene->queries;
    for (size_t w = 0; w < q->worker_array.count; w++) {
        pli_worker_release(&q->workers[w]);
    }
    for (size_t w = 0; w < q->asking.count; w++) {
        pli_asking_release(context, &q->asking.data[w]);
    }
    pli_arrays_release(context, q->asked.arrays, PLI_QUESTION_ARRAYS);
    pli_arrays_release(context, q->found.arrays, PLI_COLLECTION_ARRAYS);
    pli_arrays_release(context, q->features.arrays, PLI_COLLECTION_ARRAYS);
    pli_arrays_release(context, q->arrays, PLI_SCENE_QUERIES_ARRAYS);
    pli_release(context, q, sizeof *q);
    scene->queries = NULL;
}

pliant_result pli_scene_queries_create(pliant_scene *scene)
{
    pliant_context *context = scene->context;
    if (scene->queries != NULL) {
        return PLIANT_OK;
    }
    pli_scene_queries *q = pli_allocate(context, sizeof *q);
    if (q == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *q = (pli_scene_queries){.workers = NULL};
    scene->queries = q;
    scene->release_queries = release;
    bool done = PLI_CREATE(context, &q->worker_array, scene->worker_count) &&
                PLI_CREATE(context, &q->donations, scene->worker_count) &&
                PLI_CREATE(context, &q->asking, scene->worker_count);
    q->workers = q->worker_array.data;
    for (size_t w = 0; w < q->worker_array.count; w++) {
        q->workers[w].context = context;
    }
    if (!done) {
        release(scene);
    }
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

void pli_scene_queries_start_over(pliant_scene *scene)
{
    pli_scene_start_over(scene);
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        pli_worker_clear(&scene->queries->workers[w]);
        scene->queries->workers[w].stats = (pliant_stats){0};
    }
    scene->queries->over_budget.count = 0;
}

void pli_scene_add_stats(pliant_scene *scene)
{
    pli_scene_add_update_stats(scene);
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        pli_stats_add(&scene->stats.narrow, &scene->queries->workers[w].stats);
        scene->stats.narrow.bytes += pli_worker_memory(&scene->queries->workers[w]);
    }
}

pliant_scene_pair pli_scene_name_pair(const pliant_scene *scene, uint64_t pair)
{
    const pli_member *a = &scene->members.data[pli_pair_a(pair)];
    const pli_member *b = &scene->members.data[pli_pair_b(pair)];
    return (pliant_scene_pair){.a = {pli_pair_a(pair), a->generation},
                               .b = {pli_pair_b(pair), b->generation},
                               .user_a = a->def.user,
                               .user_b = b->def.user,
                               .complete = true};
}

pliant_result pli_scene_enter(pliant_scene *scene, pli_scene_call *call)
{
    pliant_result result = pli_scene_begin_call(scene, call->name);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_float_env env = pli_float_env_enter();
    bool recorded = call->recorded.query != 0;
    if (recorded) {
        pli_recording_ask(scene, &call->recorded);
    }
    result = pli_scene_queries_create(scene);
    if (result == PLIANT_OK) {
        result = call->run(scene, call);
    }
    if (recorded) {
        pli_recording_answer(scene, &call->recorded, result, call->answer);
    }
    result = pli_scene_end_call(scene, result);
    pli_float_env_leave(env);
    return result;
}
