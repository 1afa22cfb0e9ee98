/*
 * The contacts of proxies of a whole scene: each pair of bodies is one piece of work, walked to the
 * end or to its budget by one worker, so that what is found depends on no other.
 */
#include "scene.h"

#include "base/clock.h"
#include "base/float_env.h"

#include <string.h>

typedef struct proxy_stage {
    pliant_scene *scene;
    const pliant_scene_options *options;
    double deadline; /* 0: none */
    _Atomic bool incomplete;
} proxy_stage;

static pliant_result walk_pair(proxy_stage *stage, uint32_t index, uint32_t number)
{
    pliant_scene *scene = stage->scene;
    pli_scene_worker *worker = &scene->workers[number];
    const pli_body_pair *pair = &scene->pairs[index];
    const pli_member *a = &scene->members[pair->a], *b = &scene->members[pair->b];
    uint64_t first = worker->query->proxy_count;
    pli_proxy_run run;
    pli_proxy_run_init(&run, worker->query, a->body, a->def.proxies, b->body, b->def.proxies);
    run.side[0].room = pli_scene_room(scene, pair->a, number);
    run.side[1].room = pli_scene_room(scene, pair->b, number);
    run.budget_nodes = stage->options->budget_nodes;
    run.deadline = stage->deadline;
    pliant_result result = pli_proxy_run_walk(&run);
    if (result == PLIANT_OK && !run.complete) {
        atomic_store_explicit(&stage->incomplete, true, memory_order_relaxed);
    }
    return result == PLIANT_OK
               ? pli_scene_note_run(worker, index, first, worker->query->proxy_count - first)
               : result;
}

static void walk_task(void *argument, uint32_t index, uint32_t number)
{
    proxy_stage *stage = argument;
    const pli_body_pair *pair = &stage->scene->pairs[index];
    pliant_result result = pair->a != pair->b ? walk_pair(stage, index, number) : PLIANT_OK;
    if (result != PLIANT_OK) {
        pli_scene_note_failure(&stage->scene->workers[number], index, result);
    }
}

static pliant_result walk_pairs(proxy_stage *stage)
{
    pliant_scene *scene = stage->scene;
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        pli_scene_open_rooms(scene, &scene->pairs[p]);
    }
    pli_scene_run_narrow(scene, walk_task, stage, scene->pair_count);
    const pli_scene_worker *failure = pli_scene_first_failure(scene);
    if (failure != NULL) {
        const pli_body_pair *pair = &scene->pairs[failure->failed_at];
        return pli_fail(failure->result, "bodies %u and %u: %s", pair->a, pair->b,
                        failure->message);
    }
    return PLIANT_OK;
}

/* Brings the workers' contacts together, by pair. */
static pliant_result gather_contacts(pliant_scene *scene, uint64_t total)
{
    if (total == 0) {
        return PLIANT_OK;
    }
    pliant_proxy_contact *contacts = pli_grow(scene->context, scene->proxies, &scene->proxy_room,
                                              (size_t)total, sizeof *contacts);
    if (contacts == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    scene->proxies = contacts;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        const pli_scene_worker *worker = &scene->workers[w];
        for (size_t r = 0; r < worker->run_count; r++) {
            pli_key_run run = worker->runs[r];
            memcpy(contacts + scene->pairs[run.pair].first,
                   worker->query->sorted_proxies + run.first, (size_t)run.count * sizeof *contacts);
        }
    }
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result collide_proxies(pliant_scene *scene,
                                                  const pliant_scene_options *options,
                                                  pliant_scene_proxy_contacts *contacts)
{
    proxy_stage stage = {.scene = scene, .options = options};
    uint64_t total = 0;
    uint32_t touching = 0;
    pliant_result result = pli_scene_find_work(scene, options);
    double began = pli_seconds(), ended = began;
    if (options->budget_microseconds != 0) {
        stage.deadline = began + 1e-6 * (double)options->budget_microseconds;
    }
    if (result == PLIANT_OK) {
        result = walk_pairs(&stage);
        ended = pli_seconds();
    }
    if (result == PLIANT_OK) {
        total = pli_scene_place_pairs(scene);
        result = gather_contacts(scene, total);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_list_answer(scene, &touching);
    }
    pli_scene_end_stats(scene, total, began, ended);
    if (result == PLIANT_OK) {
        *contacts = (pliant_scene_proxy_contacts){
            .bodies = touching > 0 ? scene->answer : NULL,
            .body_pair_count = touching,
            .contacts = total > 0 ? scene->proxies : NULL,
            .count = total,
            .complete = !stage.incomplete,
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
    pliant_result result = pli_scene_options_check(options);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = collide_proxies(scene, options, contacts);
        pli_float_env_leave(env);
    }
    return result;
}
