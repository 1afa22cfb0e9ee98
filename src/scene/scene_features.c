/*
 * Features of a scene that are within a distance of each other: those of bodies whose boxes are
 * that close, which workers compare and sort (scene_narrow.c). Each worker has two
 * lists of runs, of features and of triangles that touch; both become an answer by pairs of bodies,
 * one after the other.
 */
#include "recording.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "query/near_clusters.h"

static bool comes_first(const void *first, const void *second)
{
    const pliant_feature_pair *a = first, *b = second;
    if (a->kind != b->kind) {
        return a->kind < b->kind;
    }
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

static const void *found_by(const pliant_query *query)
{
    return query->features.sorted.data;
}

static const pli_sorted_runs feature_runs = {sizeof(pliant_feature_pair), comes_first, found_by};

static pliant_result collect_crossings(pliant_scene *scene, pliant_scene_contacts *crossings)
{
    uint64_t total = 0;
    pliant_result result = pli_scene_list_answer(scene, &total);
    if (result == PLIANT_OK) {
        result = pli_scene_gather_keys(scene, total);
    }
    *crossings = (pliant_scene_contacts){
        .bodies = total > 0 ? scene->answer.data : NULL,
        .body_pair_count = scene->stats.pairs_touching,
        .pairs = total > 0 ? (const pliant_pair *)(void *)scene->keys.data : NULL,
        .count = total,
        .complete = true,
    };
    return result;
}

/* Turns to the other list of runs, and to the other answer, which collecting fills. */
static void turn_lists(pliant_scene *scene)
{
    pli_scene_answer answer = scene->answer;
    scene->answer = scene->feature_answer;
    scene->feature_answer = answer;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        pli_scene_worker *worker = &scene->workers[w];
        pli_result_runs runs = worker->runs;
        worker->runs = worker->feature_runs;
        worker->feature_runs = runs;
    }
}

static pliant_result collect_features(pliant_scene *scene, pliant_scene_features *answer)
{
    const void *pairs = NULL;
    pliant_result result = pli_scene_list_answer(scene, &answer->count);
    if (result == PLIANT_OK) {
        result = pli_scene_merge_runs(scene, &feature_runs, answer->count, &scene->features.array,
                                      &pairs);
    }
    answer->bodies = answer->count > 0 ? scene->answer.data : NULL;
    answer->body_pair_count = scene->stats.pairs_touching;
    answer->pairs = pairs;
    return result;
}

static PLI_NOINLINE pliant_result find_features(pliant_scene *scene, float distance,
                                                const pliant_scene_options *options,
                                                pliant_scene_features *answer)
{
    pliant_result result = pli_scene_find_work(scene, options, &distance);
    double began = pli_seconds();
    if (result == PLIANT_OK) {
        result = pli_scene_compare_pairs(
            scene, &(pli_scene_comparison){.distance = distance, .features = true});
    }
    double ended = pli_seconds();
    if (result == PLIANT_OK) {
        result = collect_crossings(scene, &answer->crossings);
    }
    if (result == PLIANT_OK) {
        turn_lists(scene);
        result = collect_features(scene, answer);
        turn_lists(scene); /* so that each keeps the memory that it needs */
    }
    pli_scene_end_stats(scene, answer->count, began, ended);
    return result;
}

pliant_result pliant_scene_find_features(pliant_scene *scene, float distance,
                                         const pliant_scene_options *options,
                                         pliant_scene_features *features)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(features);
    pliant_result result = pli_distance_check(distance);
    if (result == PLIANT_OK) {
        result = pli_scene_options_check(options, PLIANT_RECORDED_FIND_FEATURES);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_scene_features found = {.count = 0};
    pli_recorded_call call = {.query = PLIANT_RECORDED_FIND_FEATURES,
                              .arguments = {&distance, options}};
    pli_float_env env = pli_float_env_enter();
    pli_recording_ask(scene, &call);
    result = find_features(scene, distance, options, &found);
    result = pli_scene_end_call(scene, pli_recording_answer(scene, &call, result, &found));
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        *features = found;
    }
    return result;
}
