/* The volumes that bodies of a scene have in common, one pair after the other: the workers share
   the work on each. */
#include "volume/volume.h"

#include "query/scene_queries.h"

#include <string.h>

/* Which pairs to look at, in scene->pairs. */
static pliant_result find_pairs(pliant_scene *scene, const pliant_scene_options *options)
{
    pliant_result result = pli_scene_update(scene, false);
    if (result == PLIANT_OK) {
        result = pli_scene_find_pairs(scene, false, options, NULL);
    }
    return result == PLIANT_OK ? pli_scene_update_loose(scene, false) : result;
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
    bool done = PLI_PUSH(scene->context, &scene->queries->volumes, found);
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

typedef struct volume_run {
    pliant_volume *volume;
    const pliant_scene_options *scene_options;
    pliant_volume_options options;
    pliant_scene_volumes found;
} volume_run;

static pliant_result measure_scene(pliant_scene *scene, pli_scene_call *call)
{
    volume_run *run = call->argument;
    pliant_volume_stats stats = {0};
    scene->queries->volumes.count = 0;
    pliant_result result = find_pairs(scene, run->scene_options);
    for (uint32_t p = 0; p < scene->pair_count && result == PLIANT_OK; p++) {
        result = measure_pair(run->volume, scene, scene->pairs[p], &run->options);
        add_stats(&stats, &run->volume->stats);
    }
    if (result == PLIANT_OK) {
        run->volume->stats = stats;
        uint32_t count = (uint32_t)scene->queries->volumes.count;
        run->found = (pliant_scene_volumes){count > 0 ? scene->queries->volumes.data : NULL, count};
    }
    return result;
}

/* Both are in use: the filter may come back to either. */
static pliant_result enter(pliant_volume *volume, pliant_scene *scene, pli_scene_call *call)
{
    pliant_result result = pli_use_begin(&volume->use, call->name, "the volume");
    if (result == PLIANT_OK) {
        result = pli_scene_enter(scene, call);
        if (pli_use_end(&volume->use)) {
            pliant_volume_destroy(volume);
            result =
                pli_fail(PLIANT_ERROR_STATE, "the volume was destroyed while it was in a call");
        }
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
    volume_run run = {.volume = volume,
                      .scene_options = scene_options,
                      .options = options != NULL ? *options : pliant_volume_options_default()};
    run.options.spans = run.options.gradients = false;
    pli_scene_call call = {.name = __func__,
                           .recorded = {.query = PLIANT_RECORDED_INTERSECT_VOLUMES,
                                        .arguments = {scene_options, options},
                                        .unrepeatable = volume->backend != NULL},
                           .run = measure_scene,
                           .argument = &run,
                           .answer = &run.found};
    result = enter(volume, scene, &call);
    if (result == PLIANT_OK) {
        *volumes = run.found;
    }
    return result;
}
