/*
 * All contacts of a scene, in stages: pairs of bodies (scene_pairs.c), comparing them
 * (scene_narrow.c), collecting. Bodies, pairs, parts of pairs and results are spread over the
 * workers; what comes out depends on none of that, because every stage ends in a sorted list.
 */
#include "recording.h"
#include "scene_contacts.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "base/observer.h"
#include "base/sort.h"

#include <string.h>

enum {
    FEW_KEYS = 256, /* results that are sorted sooner than shared out */
    PORTIONS_PER_WORKER =
        16 /* of the pairs of bodies to be sorted, so that who is done early helps */
};

pliant_scene_options pliant_scene_options_default(void)
{
    pliant_scene_options options = {.mode = PLIANT_COLLIDE_ALL,
                                    .neighbours = PLIANT_NEIGHBOURS_BEYOND_SHARED,
                                    .tag = PLI_TAG(pliant_scene_options)};
    return options;
}

pliant_result pli_scene_options_check(const pliant_scene_options *options)
{
    if (options == NULL) {
        return PLIANT_OK;
    }
    PLI_REQUIRE_TAG(options, pliant_scene_options);
    return PLIANT_OK;
}

static void reset_workers(pliant_scene *scene)
{
    pli_scene_forget_failures(scene);
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        scene->workers[w].runs.count = scene->workers[w].feature_runs.count = 0;
        scene->workers[w].spent.count = 0;
        scene->workers[w].bodies_updated = 0;
        scene->workers[w].query->keys.count = 0;
        pli_feature_lists_clear(&scene->workers[w].query->features);
        scene->workers[w].query->stats = (pliant_stats){0};
    }
}

void pli_scene_start_over(pliant_scene *scene)
{
    scene->stats = (pliant_scene_stats){.bodies_updated = 0};
    reset_workers(scene);
    scene->pair_count = 0;
    scene->spent.count = 0;
}

/* ---------------------------------------------------------------- collect */

pliant_result pli_scene_note_run(pliant_scene *scene, uint32_t worker, uint32_t pair,
                                 uint64_t first, uint64_t count)
{
    pli_scene_worker *own = &scene->workers[worker];
    bool done = count == 0 ||
                PLI_PUSH(scene->context, &own->runs, (pli_result_run){pair, worker, first, count});
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Where the i-th of all workers' runs is, one worker's after the other's. */
static const pli_result_run *find_run(const pliant_scene *scene, size_t i)
{
    uint32_t w = 0;
    while (i >= scene->workers[w].runs.count) {
        i -= scene->workers[w++].runs.count;
    }
    return &scene->workers[w].runs.data[i];
}

/* Makes room for lists of all runs; scene->runs.count is then their number. */
static pliant_result reserve_runs(pliant_scene *scene)
{
    size_t count = 0;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        count += scene->workers[w].runs.count;
    }
    bool done = PLI_RESERVE(scene->context, &scene->runs, count) &&
                PLI_RESERVE(scene->context, &scene->order, count) &&
                PLI_RESERVE(scene->context, &scene->order_scratch, count) &&
                PLI_RESERVE(scene->context, &scene->answer, count);
    scene->runs.count = done ? count : 0;
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Puts all workers' runs in the order of their pairs. */
static void order_runs(pliant_scene *scene)
{
    uint64_t *order = scene->order.data;
    size_t count = 0;
    bool in_order = true;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        for (size_t r = 0; r < scene->workers[w].runs.count; r++, count++) {
            uint64_t key = (uint64_t)scene->workers[w].runs.data[r].pair << 32 | count;
            in_order = in_order && (count == 0 || order[count - 1] < key);
            order[count] = key;
        }
    }
    if (!in_order) {
        pli_sort_keys(order, scene->order_scratch.data, NULL, NULL, count);
    }
    for (size_t i = 0; i < count; i++) {
        scene->runs.data[i] = *find_run(scene, (uint32_t)order[i]);
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

static pliant_result list_answer(pliant_scene *scene, uint64_t *total)
{
    *total = 0;
    pliant_result result = reserve_runs(scene);
    if (result != PLIANT_OK) {
        return result;
    }
    order_runs(scene);
    uint32_t touching = 0, last = UINT32_MAX;
    for (size_t r = 0; r < scene->runs.count; r++) {
        const pli_result_run *run = &scene->runs.data[r];
        uint64_t pair = scene->pairs[run->pair];
        if (run->pair != last) {
            scene->answer.data[touching] = pli_scene_name_pair(scene, pair);
            scene->answer.data[touching++].first = *total;
            last = run->pair;
        }
        scene->answer.data[touching - 1].count += run->count;
        *total += run->count;
    }
    scene->stats.pairs_touching = touching;
    return PLIANT_OK;
}

pliant_result pli_scene_list_answer(pliant_scene *scene, uint64_t *total)
{
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_COLLECT);
    pliant_result result = list_answer(scene, total);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_COLLECT);
    return result;
}

/* The keys of a range of the answer's pairs become pairs of triangles, in ascending order. */
static void sort_pairs(pliant_scene *scene, uint32_t first, uint32_t end)
{
    for (uint32_t p = first; p < end; p++) {
        const pliant_scene_pair *pair = &scene->answer.data[p];
        uint64_t *keys = scene->keys.data + pair->first;
        pli_sort_keys(keys, scene->key_scratch.data + pair->first, NULL, NULL, (size_t)pair->count);
        for (uint64_t i = 0; i < pair->count; i++) {
            pliant_pair found = {.a = (uint32_t)(keys[i] >> 32), .b = (uint32_t)keys[i]};
            memcpy(&keys[i], &found, sizeof found);
        }
    }
}

static uint32_t sort_portion(const pliant_scene *scene)
{
    return scene->stats.pairs_touching / (PORTIONS_PER_WORKER * scene->worker_count) + 1;
}

static void sort_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    pliant_scene *scene = argument;
    uint32_t portion = sort_portion(scene), first = index * portion;
    uint32_t rest = scene->stats.pairs_touching - first;
    sort_pairs(scene, first, first + (rest < portion ? rest : portion));
}

pliant_result pli_scene_gather_keys(pliant_scene *scene, uint64_t total)
{
    if (total == 0) {
        return PLIANT_OK;
    }
    if (!PLI_RESERVE(scene->context, &scene->keys, (size_t)total) ||
        !PLI_RESERVE(scene->context, &scene->key_scratch, (size_t)total)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    uint64_t *keys = scene->keys.data;
    for (size_t r = 0; r < scene->runs.count; r++) {
        const pli_result_run *run = &scene->runs.data[r];
        memcpy(keys, scene->workers[run->worker].query->keys.data + run->first,
               (size_t)run->count * sizeof *keys);
        keys += run->count;
    }
    uint32_t touching = scene->stats.pairs_touching, portion = sort_portion(scene);
    if (total > FEW_KEYS) {
        return pli_stage_run(scene->context, PLIANT_STAGE_SCENE_SORT, sort_task, scene,
                             (touching - 1) / portion + 1);
    }
    sort_pairs(scene, 0, touching);
    return PLIANT_OK;
}

void pli_scene_add_worker_stats(pliant_scene *scene)
{
    pliant_stats *total = &scene->stats.narrow;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        const pliant_stats *stats = &scene->workers[w].query->stats;
        total->nodes_refreshed += stats->nodes_refreshed;
        total->clusters_refreshed += stats->clusters_refreshed;
        total->vertices_read += stats->vertices_read;
        total->nodes_tested += stats->nodes_tested;
        total->triangle_tests += stats->triangle_tests;
        total->feature_tests += stats->feature_tests;
        total->exact_fallbacks += stats->exact_fallbacks;
        total->lines += stats->lines;
        total->bytes += pli_query_memory(scene->workers[w].query);
        scene->stats.bodies_updated += scene->workers[w].bodies_updated;
    }
}

void pli_scene_end_stats(pliant_scene *scene, uint64_t total, double began, double ended)
{
    pliant_scene_stats *stats = &scene->stats;
    pli_scene_add_worker_stats(scene);
    stats->narrow.pairs = total;
    stats->pairs_narrow = scene->pair_count;
    stats->seconds_narrow = stats->narrow.seconds_traverse = ended - began;
    stats->seconds_collect = stats->narrow.seconds_sort = pli_seconds() - ended;
}

pliant_result pli_scene_find_work(pliant_scene *scene, const pliant_scene_options *options,
                                  const float *distance)
{
    pliant_scene_stats *stats = &scene->stats;
    pli_scene_start_over(scene);
    double started = pli_seconds();
    pliant_result result = pli_scene_update_boxes(scene);
    double updated = pli_seconds();
    if (result == PLIANT_OK) {
        result = pli_scene_find_pairs(scene, options, distance);
    }
    stats->narrow.seconds_update = updated - started;
    stats->seconds_broad = pli_seconds() - updated;
    return result == PLIANT_OK ? pli_scene_update_loose_bodies(scene) : result;
}

static PLI_NOINLINE pliant_result collide(pliant_scene *scene, const pliant_scene_options *options,
                                          pliant_scene_contacts *contacts)
{
    pliant_collide_options narrow = pliant_collide_options_default();
    narrow.mode = options->first_in_all ? PLIANT_COLLIDE_FIRST : options->mode;
    narrow.neighbours = options->neighbours;
    narrow.segments = options->segments;
    narrow.separations = options->separations;
    narrow.separation_side = options->separation_side;
    narrow.budget_nodes = options->budget_nodes;
    pliant_result result = pli_collide_options_check(&narrow);
    if (result == PLIANT_OK) {
        result = pli_scene_find_work(scene, options, NULL);
    }
    return result == PLIANT_OK ? pli_scene_answer_blocks(scene, options, &narrow, contacts)
                               : result;
}

pliant_result pliant_scene_collide(pliant_scene *scene, const pliant_scene_options *options,
                                   pliant_scene_contacts *contacts)
{
    pliant_scene_options defaults = pliant_scene_options_default();
    if (options == NULL) {
        options = &defaults;
    }
    PLI_REQUIRE(scene);
    pliant_result result = pli_scene_options_check(options);
    if (result != PLIANT_OK) {
        return result;
    }
    if (contacts == NULL && options->callback == NULL) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "%s: contacts is NULL, and there is no callback",
                        __func__);
    }
    result = pli_scene_begin_call(scene, __func__);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_scene_contacts found;
    pli_recorded_question asked = {.question = PLIANT_RECORDED_COLLIDE, .options = options};
    pli_float_env env = pli_float_env_enter();
    pli_recording_ask(scene, &asked);
    result = collide(scene, options, &found);
    result = pli_scene_end_call(scene, pli_recording_answer(scene, &asked, result, &found));
    pli_float_env_leave(env);
    if (result == PLIANT_OK && options->events) {
        pli_scene_keep_events(scene);
    }
    if (result == PLIANT_OK && contacts != NULL) {
        *contacts = found;
    }
    return result;
}
