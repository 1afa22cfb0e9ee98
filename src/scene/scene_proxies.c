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

/* One worker's way into a member's body. */
typedef struct proxy_visit {
    pliant_body *body;
    pli_room *room;            /* NULL with one worker */
    pli_refresh_counts counts; /* one worker: the body's before; else: since */
} proxy_visit;

static void begin_visit(const pli_member *member, uint32_t worker, proxy_visit *visit)
{
    *visit = (proxy_visit){.body = member->body};
    if (member->rooms == NULL) {
        visit->counts = member->body->counts;
    } else {
        visit->room = &member->rooms[worker];
        visit->room->counts = &visit->counts;
    }
}

static void end_visit(pliant_scene *scene, uint32_t worker, proxy_visit *visit)
{
    pli_refresh_counts *counts = &visit->counts, *all = &visit->body->counts;
    if (visit->room == NULL) {
        counts->nodes = all->nodes - counts->nodes;
        counts->clusters = all->clusters - counts->clusters;
        counts->vertices = all->vertices - counts->vertices;
    }
    pli_scene_add_counts(scene, worker, visit->body, counts);
}

/* A walk that may refresh records of the two members' bodies. */
static pliant_result visit_members(pliant_scene *scene, const pli_member *const members[2],
                                   uint32_t number, pli_proxy_run *run)
{
    proxy_visit visits[2];
    for (int s = 0; s < 2; s++) {
        begin_visit(members[s], number, &visits[s]);
        run->side[s].room = visits[s].room;
    }
    pliant_result result = pli_proxy_run_walk(run);
    for (int s = 0; s < 2; s++) {
        end_visit(scene, number, &visits[s]);
    }
    return result;
}

static pliant_result walk_pair(proxy_stage *stage, uint32_t index, uint32_t number)
{
    pliant_scene *scene = stage->scene;
    pliant_query *query = scene->workers[number].query;
    const pli_member *a = &scene->members[pli_pair_a(scene->pairs[index])];
    const pli_member *b = &scene->members[pli_pair_b(scene->pairs[index])];
    uint64_t first = query->proxy_count;
    pli_proxy_run run;
    pli_proxy_run_init(&run, query, a->body, a->def.proxies, b->body, b->def.proxies);
    run.budget_nodes = stage->options->budget_nodes;
    run.deadline = stage->deadline;
    pliant_result result =
        pli_proxy_run_is_round(&run)
            ? pli_proxy_run_walk(&run)
            : visit_members(scene, (const pli_member *const[2]){a, b}, number, &run);
    if (result == PLIANT_OK && !run.complete) {
        atomic_store_explicit(&stage->incomplete, true, memory_order_relaxed);
    }
    return result == PLIANT_OK
               ? pli_scene_note_run(scene, number, index, first, query->proxy_count - first)
               : result;
}

/* Bodies of a large scene are far from the cache: fetches what the walks to come begin with, their
   second bodies and those bodies' roots. */
static void fetch_ahead(const pliant_scene *scene, uint32_t index)
{
    enum { BODIES = 8, ROOTS = 4 };
    if (index + BODIES < scene->pair_count) {
        const pliant_body *body = scene->members[pli_pair_b(scene->pairs[index + BODIES])].body;
        __builtin_prefetch(&body->top.child[0]);
        __builtin_prefetch(&body->shape);
        __builtin_prefetch(&body->pose);
        body = scene->members[pli_pair_b(scene->pairs[index + ROOTS])].body;
        const char *root = atomic_load_explicit(&body->top.child[0], memory_order_relaxed);
        __builtin_prefetch(root + sizeof(pli_node_record));
        __builtin_prefetch(root + sizeof(pli_node_record) + 64);
    }
}

static void walk_task(void *argument, uint32_t index, uint32_t number)
{
    proxy_stage *stage = argument;
    fetch_ahead(stage->scene, index);
    uint64_t pair = stage->scene->pairs[index];
    pliant_result result =
        pli_pair_a(pair) != pli_pair_b(pair) ? walk_pair(stage, index, number) : PLIANT_OK;
    if (result != PLIANT_OK) {
        pli_scene_note_failure(&stage->scene->workers[number], index, result);
    }
}

static pliant_result walk_pairs(proxy_stage *stage)
{
    pliant_result result =
        pli_context_run(stage->scene->context, walk_task, stage, stage->scene->pair_count);
    return result == PLIANT_OK ? pli_scene_pair_failure(stage->scene) : result;
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
    for (size_t r = 0; r < scene->run_count; r++) {
        const pli_result_run *run = &scene->runs[r];
        const pliant_query *query = scene->workers[run->worker].query;
        memcpy(contacts, query->sorted_proxies + run->first, (size_t)run->count * sizeof *contacts);
        contacts += run->count;
    }
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result collide_proxies(pliant_scene *scene,
                                                  const pliant_scene_options *options,
                                                  pliant_scene_proxy_contacts *contacts)
{
    proxy_stage stage = {.scene = scene, .options = options};
    uint64_t total = 0;
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
        result = pli_scene_list_answer(scene, &total);
    }
    if (result == PLIANT_OK) {
        result = gather_contacts(scene, total);
    }
    pli_scene_end_stats(scene, total, began, ended);
    if (result == PLIANT_OK) {
        *contacts = (pliant_scene_proxy_contacts){
            .bodies = total > 0 ? scene->answer : NULL,
            .body_pair_count = scene->stats.pairs_touching,
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
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_scene_proxy_contacts found;
    pli_float_env env = pli_float_env_enter();
    result = pli_scene_end_call(scene, collide_proxies(scene, options, &found));
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        *contacts = found;
    }
    return result;
}
