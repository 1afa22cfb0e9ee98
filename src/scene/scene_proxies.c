/*
 * The contacts of proxies of a whole scene: each pair of bodies is one piece of work, walked to the
 * end or to its budget by one worker, so that what is found depends on no other.
 */
#include "recording.h"
#include "scene_contacts.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "base/context.h"

typedef struct proxy_stage {
    pliant_scene *scene;
    const pliant_scene_options *options;
    double deadline; /* 0: none */
} proxy_stage;

static pliant_result walk_pair(proxy_stage *stage, uint32_t index, uint32_t number)
{
    pliant_scene *scene = stage->scene;
    pli_worker *worker = &scene->workers[number];
    const pli_member *a = &scene->members.data[pli_pair_a(scene->pairs[index])];
    const pli_member *b = &scene->members.data[pli_pair_b(scene->pairs[index])];
    pli_found_before before = pli_worker_found(worker, 1);
    pli_proxy_walk proxy;
    pli_run *run = &proxy.walk.run;
    pli_proxy_walk_init(&proxy, worker, a->body, a->def.proxies, b->body, b->def.proxies);
    run->budget = stage->options->budget_nodes;
    run->deadline = stage->deadline;
    bool counts = !pli_proxy_walk_is_round(&proxy); /* else it refreshes nothing */
    if (counts) {
        pli_scene_set_arenas(run, a, b, number);
    }
    pliant_result result = pli_proxy_walk_work(&proxy);
    if (counts) {
        pli_scene_count_run(scene, number, run);
    }
    if (result == PLIANT_OK && !run->complete) {
        result = pli_worker_note_over_budget(worker, index);
    }
    return result == PLIANT_OK ? pli_worker_note_found(worker, number, index, &before, 1) : result;
}

/* Bodies of a large scene are far from the cache: fetches what the walks to come begin with, their
   second bodies and those bodies' roots. */
static void fetch_ahead(const pliant_scene *scene, uint32_t index)
{
    enum { BODIES = 8, ROOTS = 4 };
    if (index + BODIES < scene->pair_count) {
        const pliant_body *body =
            scene->members.data[pli_pair_b(scene->pairs[index + BODIES])].body;
        __builtin_prefetch(&body->root.child[0]);
        __builtin_prefetch(&body->shape);
        __builtin_prefetch(&body->pose);
        body = scene->members.data[pli_pair_b(scene->pairs[index + ROOTS])].body;
        const char *root = atomic_load_explicit(&body->root.child[0], memory_order_relaxed);
        if (root != NULL) { /* else nobody has opened it */
            __builtin_prefetch(root + sizeof(pli_node_record));
            __builtin_prefetch(root + sizeof(pli_node_record) + 64);
        }
    }
}

static void walk_task(void *argument, uint32_t index, uint32_t number)
{
    (void)index;
    proxy_stage *stage = argument;
    pliant_scene *scene = stage->scene;
    uint32_t at = 0;
    while (pli_scene_take(scene, number, 1, &at) > 0) {
        uint64_t pair = scene->pairs[at];
        fetch_ahead(scene, at);
        pliant_result result =
            pli_pair_a(pair) != pli_pair_b(pair) ? walk_pair(stage, at, number) : PLIANT_OK;
        if (result != PLIANT_OK) {
            pli_worker_note_failure(&scene->workers[number], at, result);
        }
    }
}

static pliant_result walk_pairs(proxy_stage *stage)
{
    pliant_scene *scene = stage->scene;
    uint32_t workers =
        scene->pair_count < scene->worker_count ? scene->pair_count : scene->worker_count;
    pli_scene_forget_failures(scene);
    pli_scene_distribute(scene, scene->pair_count);
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_NARROW);
    pliant_result result = pli_context_run(scene->context, walk_task, stage, workers);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_NARROW);
    return result == PLIANT_OK ? pli_scene_pair_failure(scene) : result;
}

static PLI_NOINLINE pliant_result collide_proxies(pliant_scene *scene,
                                                  const pliant_scene_options *options,
                                                  pliant_scene_proxy_contacts *contacts)
{
    proxy_stage stage = {.scene = scene, .options = options};
    const pli_collecting how = {.list_count = 1, .columns = 1u << PLI_PROXY_CONTACTS};
    pli_collection *found = &scene->found;
    bool complete = true;
    found->total = 0;
    pliant_result result = pli_scene_find_work(scene, options, NULL);
    double began = pli_seconds(), ended = began;
    if (options->budget_microseconds != 0) {
        stage.deadline = began + 1e-6 * (double)options->budget_microseconds;
    }
    if (result == PLIANT_OK) {
        result = walk_pairs(&stage);
        ended = pli_seconds();
    }
    if (result == PLIANT_OK) {
        result = pli_scene_list_results(scene, how, found);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_mark_over_budget(scene, found, &complete);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_sort_results(scene, how, found);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_name_parts(scene, found, &scene->answer);
    }
    pli_scene_end_stats(scene, found->total, began, ended);
    if (result == PLIANT_OK && !complete) {
        pli_log(scene->context, PLIANT_LOG_WARNING,
                "a budget was spent: some of %llu contacts of proxies are coarse",
                (unsigned long long)found->total);
    }
    if (result == PLIANT_OK) {
        *contacts = (pliant_scene_proxy_contacts){
            .bodies = found->total > 0 ? scene->answer.data : NULL,
            .body_pair_count = scene->stats.pairs_touching,
            .contacts = found->total > 0 ? found->column[PLI_PROXY_CONTACTS].data : NULL,
            .count = found->total,
            .complete = complete,
        };
    }
    return result;
}

pliant_result pliant_scene_collide_proxies(pliant_scene *scene, const pliant_scene_options *options,
                                           pliant_scene_proxy_contacts *contacts)
{
    pliant_scene_options defaults = pliant_scene_options_default();
    if (options == NULL) {
        options = &defaults;
    }
    PLI_REQUIRE(scene);
    PLI_REQUIRE(contacts);
    pliant_result result = pli_scene_options_check(options, PLIANT_RECORDED_COLLIDE_PROXIES);
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_scene_proxy_contacts found;
    pli_recorded_call call = {.query = PLIANT_RECORDED_COLLIDE_PROXIES, .arguments = {options}};
    pli_float_env env = pli_float_env_enter();
    pli_recording_ask(scene, &call);
    result = collide_proxies(scene, options, &found);
    result = pli_scene_end_call(scene, pli_recording_answer(scene, &call, result, &found));
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        *contacts = found;
    }
    return result;
}
