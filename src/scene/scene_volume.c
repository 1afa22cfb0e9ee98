/* The volumes that bodies of a scene have in common, one pair after the other: the workers share
   the work on each. */
#include "recording.h"

#include "base/float_env.h"
#include "body/refresh.h"
#include "volume/volume.h"

#include <string.h>

/* Which pairs to look at, in scene->pairs. */
static pliant_result find_pairs(pliant_scene *scene, const pliant_scene_options *options)
{
    pli_scene_forget_failures(scene);
    pliant_result result = pli_scene_update_boxes(scene);
    if (result == PLIANT_OK) {
        result = pli_scene_find_pairs(scene, scene->broad, options, NULL);
    }
    return result == PLIANT_OK ? pli_scene_update_loose_bodies(scene) : result;
}

/*
 * Whether what no ray runs through may be listed: the broad phase finds two bodies for certain if
 * the smallest boxes around them meet. If only its own ones do, that depends on how tight earlier
 * questions have made them.
 */
static bool smallest_boxes_meet(const pliant_body *a, const pliant_body *b)
{
    pli_boxes p, q;
    pli_body_enclose_vertices(a, &p);
    pli_body_enclose_vertices(b, &q);
    bool meet = true;
    for (int k = 0; k < 3; k++) {
        meet = meet && p.side[k][0] <= q.side[3 + k][0] && q.side[k][0] <= p.side[3 + k][0];
    }
    return meet;
}

static pliant_result measure_pair(pliant_volume *volume, pliant_scene *scene, uint64_t pair,
                                  const pliant_volume_options *options)
{
    uint32_t slot_a = pli_pair_a(pair), slot_b = pli_pair_b(pair);
    const pli_member *a = &scene->members.data[slot_a], *b = &scene->members.data[slot_b];
    pliant_volume_measure measure;
    pliant_result result = pli_volume_intersect(volume, a->body, b->body, options, &measure);
    if (result != PLIANT_OK) {
        char reason[160];
        strncpy(reason, pliant_last_error(), sizeof reason - 1);
        reason[sizeof reason - 1] = '\0';
        return pli_fail(result, "bodies %u and %u: %s", slot_a, slot_b, reason);
    }
    if (!(measure.most > 0.0) || (!measure.overlap && !smallest_boxes_meet(a->body, b->body))) {
        return PLIANT_OK;
    }
    pliant_scene_volume found = {
        .a = {slot_a, a->generation}, .b = {slot_b, b->generation}, .measure = measure};
    bool done = PLI_PUSH(scene->context, &scene->volumes, found);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

static void add_stats(pliant_volume_stats *sum, const pliant_volume_stats *one)
{
    sum->clusters_refreshed += one->clusters_refreshed;
    sum->vertices_read += one->vertices_read;
    sum->triangles += one->triangles;
    sum->fragments += one->fragments;
    sum->images += one->images;
    sum->seconds_image += one->seconds_image;
    sum->seconds_query += one->seconds_query;
    for (int i = 0; i < 2; i++) {
        uint32_t here = one->depth_complexity[i];
        sum->depth_complexity[i] =
            here > sum->depth_complexity[i] ? here : sum->depth_complexity[i];
    }
}

static PLI_NOINLINE pliant_result measure_scene(pliant_volume *volume, pliant_scene *scene,
                                                const pliant_scene_options *scene_options,
                                                const pliant_volume_options *options,
                                                pliant_scene_volumes *volumes)
{
    pliant_volume_stats stats = {0};
    scene->volumes.count = 0;
    pliant_result result = find_pairs(scene, scene_options);
    for (uint32_t p = 0; p < scene->pair_count && result == PLIANT_OK; p++) {
        result = measure_pair(volume, scene, scene->pairs[p], options);
        add_stats(&stats, &volume->stats);
    }
    if (result == PLIANT_OK) {
        volume->stats = stats;
        uint32_t count = (uint32_t)scene->volumes.count;
        *volumes = (pliant_scene_volumes){count > 0 ? scene->volumes.data : NULL, count};
    }
    return result;
}

/* Both are in use: the filter may come back to either. */
static pliant_result begin_calls(pliant_volume *volume, pliant_scene *scene, const char *call)
{
    pliant_result result = pli_use_begin(&volume->use, call, "the volume");
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, call);
        if (result != PLIANT_OK) {
            pli_use_end(&volume->use);
        }
    }
    return result;
}

static pliant_result end_calls(pliant_volume *volume, pliant_scene *scene, pliant_result result)
{
    result = pli_scene_end_call(scene, result);
    if (pli_use_end(&volume->use)) {
        pliant_volume_destroy(volume);
        result = pli_fail(PLIANT_ERROR_STATE, "the volume was destroyed while it was in a call");
    }
    return result;
}

pliant_result pliant_volume_intersect_scene(pliant_volume *volume, pliant_scene *scene,
                                            const pliant_scene_options *scene_options,
                                            const pliant_volume_options *options,
                                            pliant_scene_volumes *volumes)
{
    PLI_REQUIRE(volume);
    PLI_REQUIRE(scene);
    PLI_REQUIRE(volumes);
    if (scene->context != volume->context) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "the volume and the scene have different contexts");
    }
    pliant_result result = pli_volume_options_check(options);
    if (result == PLIANT_OK) {
        result = pli_scene_options_check(scene_options, PLIANT_RECORDED_INTERSECT_VOLUMES);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_volume_options once = options != NULL ? *options : pliant_volume_options_default();
    once.spans = once.gradients = false;
    result = begin_calls(volume, scene, __func__);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_scene_volumes found;
    pli_recorded_call call = {.query = PLIANT_RECORDED_INTERSECT_VOLUMES,
                              .arguments = {scene_options, options},
                              .unrepeatable = volume->backend != NULL};
    pli_float_env env = pli_float_env_enter();
    pli_recording_ask(scene, &call);
    result = measure_scene(volume, scene, scene_options, &once, &found);
    result = end_calls(volume, scene, pli_recording_answer(scene, &call, result, &found));
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        *volumes = found;
    }
    return result;
}
