/*
 * What a question about a step looks at in place of bodies: their sweeps, whose bounds hold them
 * throughout the step, made by the workers as bodies' own bounds are; and which of them may meet,
 * from a broad phase of their own, which is kept from step to step. A loose box holds a body at
 * both ends of its step, so also in between.
 */
#include "scene.h"

#include "base/clock.h"
#include "base/context.h"
#include "query/near_clusters.h"

#include <math.h>

enum { PORTIONS_PER_WORKER = 16 };

/* ---------------------------------------------------------------- sweeps */

/* Makes sure that a member has a sweep of its present step, and arenas for it. */
static pliant_result get_sweep(pliant_scene *scene, pli_member *member)
{
    pliant_body *sweep = NULL;
    pliant_result result = pli_body_get_sweep(member->body, &sweep);
    if (result == PLIANT_OK && scene->worker_count > 1 && member->sweep_arenas == NULL) {
        member->sweep_arenas = pli_allocate(scene->context, pli_scene_arenas_size(scene));
        member->sweep_arena_state = UINT64_MAX;
        result = member->sweep_arenas != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

static pliant_result prepare_sweep(pliant_scene *scene, uint32_t slot, uint32_t number)
{
    pli_member *member = &scene->members.data[slot];
    pli_worker *worker = &scene->workers[number];
    pliant_result result = get_sweep(scene, member);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_body *sweep = member->body->sweep;
    pli_refresh_counts before = sweep->counts;
    sweep->arena.worker = number; /* pages from a pool of its own */
    result = pli_body_prepare(sweep);
    pli_scene_open_arenas(scene, member, true);
    worker->stats.nodes_refreshed += sweep->counts.nodes - before.nodes;
    worker->stats.clusters_refreshed += sweep->counts.clusters - before.clusters;
    worker->stats.vertices_read += sweep->counts.vertices - before.vertices;
    return result;
}

/* Prepares the sweep of a member; a new one is counted and, without a loose box, told of. */
static void update_sweep(pliant_scene *scene, uint32_t slot, uint32_t number)
{
    pli_member *member = &scene->members.data[slot];
    pliant_result result = prepare_sweep(scene, slot, number);
    if (result != PLIANT_OK) {
        pli_worker_note_failure(&scene->workers[number], slot, result);
    } else if (member->sweep_box_state != member->body->sweep->state) {
        scene->workers[number].bodies_updated++;
        if (member->def.has_loose_box) {
            member->sweep_box_state = member->body->sweep->state;
        } else {
            pli_scene_move_member(scene, slot, true);
        }
    }
}

static void update_task(void *argument, uint32_t index, uint32_t number)
{
    (void)index;
    pliant_scene *scene = argument;
    uint32_t portion = scene->slot_count / (PORTIONS_PER_WORKER * scene->worker_count) + 1;
    uint32_t first = 0, count = 0;
    while ((count = pli_scene_take(scene, number, portion, &first)) > 0) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            const pli_member *member = &scene->members.data[slot];
            if (member->body != NULL && !member->def.has_loose_box) {
                update_sweep(scene, slot, number);
            }
        }
    }
}

/* Large bodies' sweeps are refreshed in parts. */
static pliant_result update_large(pliant_scene *scene)
{
    if (scene->large_count == 0 || scene->worker_count < 2) {
        return PLIANT_OK;
    }
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        pli_member *member = &scene->members.data[i];
        bool large = member->body != NULL && pli_scene_is_large(member->body);
        pliant_result result = large ? get_sweep(scene, member) : PLIANT_OK;
        if (result != PLIANT_OK) {
            pli_worker_note_failure(&scene->workers[0], i, result);
            return pli_scene_body_failure(scene);
        }
    }
    return pli_scene_update_large_bodies(scene, true);
}

static pliant_result update_sweeps(pliant_scene *scene)
{
    pli_scene_forget_failures(scene);
    pliant_result result = update_large(scene);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_scene_distribute(scene, scene->slot_count);
    result = pli_stage_run(scene->context, PLIANT_STAGE_SCENE_BOUNDS, update_task, scene,
                           scene->worker_count);
    return result == PLIANT_OK ? pli_scene_body_failure(scene) : result;
}

/* ----------------------------------------------------------- loose boxes */

/* Lists the bodies with loose boxes that are in a pair, each once. */
static bool list_loose(pliant_scene *scene)
{
    bool done = true;
    scene->slots.count = 0;
    for (uint32_t p = 0; p < scene->pair_count && done; p++) {
        const uint32_t both[2] = {pli_pair_a(scene->pairs[p]), pli_pair_b(scene->pairs[p])};
        for (int i = 0; i < 2 && done; i++) {
            pli_member *member = &scene->members.data[both[i]];
            if (member->def.has_loose_box && !member->named) {
                done = PLI_PUSH(scene->context, &scene->slots, both[i]);
                member->named = done;
            }
        }
    }
    for (size_t i = 0; i < scene->slots.count; i++) {
        scene->members.data[scene->slots.data[i]].named = 0;
    }
    return done;
}

static void loose_task(void *argument, uint32_t index, uint32_t number)
{
    pliant_scene *scene = argument;
    update_sweep(scene, scene->slots.data[index], number);
}

/* Bodies with loose boxes that take part after all must be where their owner vouched. */
static pliant_result update_loose(pliant_scene *scene)
{
    if (scene->loose_count == 0) {
        return PLIANT_OK;
    }
    if (!list_loose(scene)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_scene_forget_failures(scene);
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
    pliant_result result =
        pli_context_run(scene->context, loose_task, scene, (uint32_t)scene->slots.count);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
    result = result == PLIANT_OK ? pli_scene_body_failure(scene) : result;
    for (size_t i = 0; i < scene->slots.count && result == PLIANT_OK; i++) {
        result = pli_scene_check_loose_box(scene, scene->slots.data[i], true);
    }
    return result;
}

/* ----------------------------------------------------------- broad phase */

/* The broad phase learns of members that it does not know. */
static pliant_result admit_members(pliant_scene *scene)
{
    pliant_result result = PLIANT_OK;
    if (scene->swept == NULL) {
        result = pli_broad_create(scene->context, pli_scene_broad_kind(scene), &scene->swept);
    }
    for (uint32_t i = 0; i < scene->slot_count && result == PLIANT_OK; i++) {
        pli_member *member = &scene->members.data[i];
        if (member->body != NULL && !member->in_swept) {
            pliant_box box = pli_scene_first_box(&member->def);
            result = pli_broad_add(scene->swept, i, &box);
            member->in_swept = result == PLIANT_OK;
        }
    }
    if (result == PLIANT_OK) {
        pli_broad_limit_pairs(scene->swept, pli_broad_most_pairs(scene->broad));
    }
    return result;
}

/*
 * How far apart boxes may be whose bodies come within a distance, which for each two of them grows
 * by their errors: by no more than twice the largest one. Loose boxes hold errors already.
 */
static float find_reach(const pliant_scene *scene, float distance)
{
    float error = pli_scene_largest_error(scene, true);
    return pli_distance_with_errors(distance, error, error);
}

/* With a distance of 0 errors do not count, and the broad phase goes on from its last list. */
static pliant_result find_pairs(pliant_scene *scene, const pliant_scene_options *options)
{
    float reach = options->distance > 0.0f ? find_reach(scene, options->distance) : 0.0f;
    return pli_scene_find_pairs(scene, scene->swept, options,
                                options->distance > 0.0f ? &reach : NULL);
}

pliant_result pli_scene_find_swept_work(pliant_scene *scene, const pliant_scene_options *options)
{
    pli_scene_start_over(scene);
    double started = pli_seconds();
    pliant_result result = admit_members(scene);
    if (result == PLIANT_OK) {
        pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
        result = update_sweeps(scene);
        pli_stage_end(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
    }
    double updated = pli_seconds();
    if (result == PLIANT_OK) {
        result = find_pairs(scene, options);
    }
    scene->stats.narrow.seconds_update = updated - started;
    scene->stats.seconds_broad = pli_seconds() - updated;
    return result == PLIANT_OK ? update_loose(scene) : result;
}
