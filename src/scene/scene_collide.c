/*
 * All contacts of a scene, in stages: pairs of bodies (scene_pairs.c), comparing them
 * (scene_narrow.c), collecting (scene_collect.c). Bodies, pairs, parts of pairs and
 * results are spread over the workers; what comes out depends on none of that, because every stage
 * ends in a sorted list.
 */
#include "recording.h"
#include "scene_contacts.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "base/context.h"

#include <float.h>
#include <math.h>

PLIANT_DEFINE_DEFAULT(pliant_scene_options)
{
    pliant_scene_options options = {.mode = PLIANT_COLLIDE_ALL,
                                    .neighbours = PLIANT_NEIGHBOURS_BEYOND_SHARED,
                                    .tag = PLI_TAG(pliant_scene_options)};
    return options;
}

#include "described.inl"

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

static void reset_workers(pliant_scene *scene)
{
    pli_scene_forget_failures(scene);
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        pli_worker_clear(&scene->workers[w]);
        scene->workers[w].bodies_updated = 0;
        scene->workers[w].stats = (pliant_stats){0};
    }
}

void pli_scene_start_over(pliant_scene *scene)
{
    scene->stats = (pliant_scene_stats){.bodies_updated = 0};
    reset_workers(scene);
    scene->pair_count = 0;
    scene->over_budget.count = 0;
}

void pli_scene_add_worker_stats(pliant_scene *scene)
{
    pliant_stats *total = &scene->stats.narrow;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        const pliant_stats *stats = &scene->workers[w].stats;
        total->nodes_refreshed += stats->nodes_refreshed;
        total->clusters_refreshed += stats->clusters_refreshed;
        total->vertices_read += stats->vertices_read;
        total->bound_sizes += stats->bound_sizes;
        total->bound_sizes_at_cut += stats->bound_sizes_at_cut;
        total->nodes_tested += stats->nodes_tested;
        total->triangle_tests += stats->triangle_tests;
        total->feature_tests += stats->feature_tests;
        total->exact_fallbacks += stats->exact_fallbacks;
        total->lines += stats->lines;
        total->bytes += pli_worker_memory(&scene->workers[w]);
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

/* Boxes hold the errors of their bodies. A distance that grew by them was rounded up by less than
   2^-21 of itself (pli_distance_with_errors()): so much farther apart boxes may be. */
static float find_reach(const pliant_scene *scene, float distance)
{
    float error = pli_scene_largest_error(scene, false);
    return error > 0.0f ? fminf(nextafterf(distance + 0x1p-20f * error, INFINITY), FLT_MAX)
                        : distance;
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
        float reach = distance != NULL ? find_reach(scene, *distance) : 0.0f;
        result =
            pli_scene_find_pairs(scene, scene->broad, options, distance != NULL ? &reach : NULL);
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
    return result == PLIANT_OK
               ? pli_scene_answer_blocks(scene, options,
                                         &(pli_scene_comparison){.collide = &narrow}, contacts)
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
    pliant_result result = pli_scene_options_check(options, PLIANT_RECORDED_COLLIDE);
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
    pli_recorded_call call = {.query = PLIANT_RECORDED_COLLIDE, .arguments = {options}};
    pli_float_env env = pli_float_env_enter();
    pli_recording_ask(scene, &call);
    result = collide(scene, options, &found);
    result = pli_scene_end_call(scene, pli_recording_answer(scene, &call, result, &found));
    pli_float_env_leave(env);
    if (result == PLIANT_OK && options->events) {
        pli_scene_keep_events(scene);
    }
    if (result == PLIANT_OK && contacts != NULL) {
        *contacts = found;
    }
    return result;
}
