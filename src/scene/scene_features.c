/*
 * Features of a scene that are within a distance of each other: those of bodies whose boxes are
 * that close, which workers compare (scene_narrow.c).
 */
#include "recording.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "query/near_clusters.h"

/* Triangles that touch, and features, each by pairs of bodies. */
static pliant_result collect(pliant_scene *scene, pliant_scene_features *answer)
{
    pli_collection *touching = &scene->found, *features = &scene->features;
    pliant_result result =
        pli_scene_collect(scene, (pli_collecting){.list_count = 1, .convert = pli_keys_to_pairs},
                          touching, &scene->answer);
    if (result == PLIANT_OK) {
        result = pli_scene_collect(scene,
                                   (pli_collecting){.first_list = 1,
                                                    .list_count = PLI_FEATURE_LISTS,
                                                    .columns = 1u << PLI_FEATURES},
                                   features, &scene->feature_answer);
    }
    answer->bodies = features->total > 0 ? scene->feature_answer.data : NULL;
    answer->body_pair_count = (uint32_t)features->parts.count;
    answer->pairs = features->total > 0 ? features->column[PLI_FEATURES].data : NULL;
    answer->count = features->total;
    answer->crossings = (pliant_scene_contacts){
        .bodies = touching->total > 0 ? scene->answer.data : NULL,
        .body_pair_count = (uint32_t)touching->parts.count,
        .pairs = touching->total > 0 ? (const pliant_pair *)(void *)touching->found : NULL,
        .count = touching->total,
        .complete = true,
    };
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
        result = collect(scene, answer);
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
