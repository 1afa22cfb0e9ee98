/*
 * Triangles of a scene that are within a distance of each other: those of bodies whose boxes are
 * that close, which workers compare and sort (scene_narrow.c).
 */
#include "recording.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "base/context.h"
#include "query/near_clusters.h"

static pliant_result collect(pliant_scene *scene, pliant_scene_proximities *answer)
{
    pli_collection *found = &scene->found;
    pliant_result result = pli_scene_collect(
        scene, (pli_collecting){.list_count = 1, .columns = 1u << PLI_PROXIMITIES}, found,
        &scene->answer);
    bool any = found->total > 0;
    *answer = (pliant_scene_proximities){
        .bodies = any ? scene->answer.data : NULL,
        .body_pair_count = (uint32_t)found->parts.count,
        .pairs = any ? found->column[PLI_PROXIMITIES].data : NULL,
        .count = found->total,
    };
    return result;
}

static PLI_NOINLINE pliant_result within(pliant_scene *scene, float distance,
                                         const pliant_scene_options *options,
                                         pliant_scene_proximities *answer)
{
    pliant_result result = pli_scene_find_work(scene, options, &distance);
    double began = pli_seconds();
    if (result == PLIANT_OK) {
        result = pli_scene_compare_pairs(
            scene,
            &(pli_scene_comparison){.distance = distance,
                                    .across_groups = options != NULL && options->across_groups});
    }
    double ended = pli_seconds();
    if (result == PLIANT_OK) {
        result = collect(scene, answer);
    }
    pli_scene_end_stats(scene, answer->count, began, ended);
    return result;
}

pliant_result pliant_scene_find_within(pliant_scene *scene, float distance,
                                       const pliant_scene_options *options,
                                       pliant_scene_proximities *proximities)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(proximities);
    pliant_result result = pli_distance_check(distance);
    if (result == PLIANT_OK) {
        result = pli_scene_options_check(options, PLIANT_RECORDED_FIND_WITHIN);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_scene_proximities found = {.count = 0};
    pli_recorded_call call = {.query = PLIANT_RECORDED_FIND_WITHIN,
                              .arguments = {&distance, options}};
    pli_float_env env = pli_float_env_enter();
    pli_recording_ask(scene, &call);
    result = within(scene, distance, options, &found);
    result = pli_scene_end_call(scene, pli_recording_answer(scene, &call, result, &found));
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        *proximities = found;
    }
    return result;
}
