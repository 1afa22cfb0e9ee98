/*
 * Which bodies of a scene are to be compared: the bounds of those that have moved, the broad phase,
 * and the filters.
 */
#include "scene.h"

#include "base/sort.h"

#include <stdio.h>

/* A failure on a worker: kept with the number of the piece, since the lowest one is reported. */
void pli_scene_note_failure(pli_scene_worker *worker, uint32_t piece, pliant_result result)
{
    if (piece < worker->failed_at) {
        worker->failed_at = piece;
        worker->result = result;
        snprintf(worker->message, sizeof worker->message, "%s", pliant_last_error());
    }
}

/* The worker with the lowest failed piece, or NULL. */
const pli_scene_worker *pli_scene_first_failure(const pliant_scene *scene)
{
    const pli_scene_worker *first = NULL;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        const pli_scene_worker *worker = &scene->workers[w];
        if (worker->failed_at != UINT32_MAX &&
            (first == NULL || worker->failed_at < first->failed_at)) {
            first = worker;
        }
    }
    return first;
}

void pli_scene_forget_failures(pliant_scene *scene)
{
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        scene->workers[w].failed_at = UINT32_MAX;
    }
}

static void prepare_task(void *argument, uint32_t index, uint32_t worker)
{
    pliant_scene *scene = argument;
    pliant_body *body = scene->members[scene->slots[index]].body;
    pli_refresh_counts before = body->counts;
    pliant_result result = pli_body_prepare(body);
    if (result != PLIANT_OK) {
        pli_scene_note_failure(&scene->workers[worker], index, result);
    }
    pliant_stats *stats = &scene->workers[worker].query->stats;
    stats->nodes_refreshed += body->counts.nodes - before.nodes;
    stats->clusters_refreshed += body->counts.clusters - before.clusters;
    stats->vertices_read += body->counts.vertices - before.vertices;
}

static pliant_result list_slot(pliant_scene *scene, uint32_t slot)
{
    uint32_t *slots = pli_grow(scene->context, scene->slots, &scene->slot_list_room,
                               scene->slot_list_count + 1, sizeof *slots);
    if (slots == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    scene->slots = slots;
    slots[scene->slot_list_count++] = slot;
    return PLIANT_OK;
}

/* Prepares the listed bodies. */
static pliant_result prepare_listed(pliant_scene *scene)
{
    pli_scene_forget_failures(scene);
    pli_context_run(scene->context, prepare_task, scene, (uint32_t)scene->slot_list_count);
    const pli_scene_worker *failure = pli_scene_first_failure(scene);
    if (failure != NULL) {
        return pli_fail(failure->result, "body %u: %s", scene->slots[failure->failed_at],
                        failure->message);
    }
    scene->stats.bodies_updated += (uint32_t)scene->slot_list_count;
    return PLIANT_OK;
}

pliant_box pli_scene_body_box(const pliant_body *body)
{
    pliant_box box;
    for (int k = 0; k < 3; k++) {
        box.lower[k] = body->top.box.side[k][0];
        box.upper[k] = body->top.box.side[3 + k][0];
    }
    return box;
}

/* Tells the broad phase the boxes of all bodies in a new state, but for those with a loose box. */
pliant_result pli_scene_update_boxes(pliant_scene *scene)
{
    scene->slot_list_count = 0;
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        const pli_member *member = &scene->members[i];
        if (member->body != NULL && !member->def.has_loose_box &&
            (member->box_state != member->body->state || !member->body->ready)) {
            pliant_result result = list_slot(scene, i);
            if (result != PLIANT_OK) {
                return result;
            }
        }
    }
    pliant_result result = prepare_listed(scene);
    for (size_t i = 0; i < scene->slot_list_count && result == PLIANT_OK; i++) {
        pli_member *member = &scene->members[scene->slots[i]];
        pliant_box box = pli_scene_body_box(member->body);
        for (int k = 0; k < 3; k++) { /* where the mesh that is meant may be */
            box.lower[k] = pli_below(box.lower[k], member->body->pose.world_error);
            box.upper[k] = -pli_below(-box.upper[k], member->body->pose.world_error);
        }
        pli_broad_move(scene->broad, scene->slots[i], &box);
        member->box_state = member->body->state;
    }
    return result;
}

/* A body with a loose box that is to be read: it must be where its owner vouched it would be. */
pliant_result pli_scene_check_loose_box(const pliant_scene *scene, uint32_t slot)
{
    const pli_member *member = &scene->members[slot];
    if (!member->def.has_loose_box) {
        return PLIANT_OK;
    }
    pliant_box box = pli_scene_body_box(member->body);
    for (int k = 0; k < 3; k++) {
        if (box.lower[k] < member->def.loose_box.lower[k] ||
            box.upper[k] > member->def.loose_box.upper[k]) {
            return pli_fail(PLIANT_ERROR_RANGE,
                            "body %u: along %c it reaches from %g to %g, its loose box only from "
                            "%g to %g",
                            slot, "xyz"[k], (double)box.lower[k], (double)box.upper[k],
                            (double)member->def.loose_box.lower[k],
                            (double)member->def.loose_box.upper[k]);
        }
    }
    return PLIANT_OK;
}

/* Prepares bodies with loose boxes that take part in a pair after all. */
pliant_result pli_scene_update_loose_bodies(pliant_scene *scene)
{
    scene->slot_list_count = 0;
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        const uint32_t both[2] = {scene->pairs[p].a, scene->pairs[p].b};
        for (int i = 0; i < 2; i++) {
            pli_member *member = &scene->members[both[i]];
            if (member->def.has_loose_box && member->box_state != member->body->state) {
                member->box_state = member->body->state; /* listed once */
                pliant_result result = list_slot(scene, both[i]);
                if (result != PLIANT_OK) {
                    return result;
                }
            }
        }
    }
    pliant_result result = prepare_listed(scene);
    for (size_t i = 0; i < scene->slot_list_count; i++) {
        if (result == PLIANT_OK) {
            result = pli_scene_check_loose_box(scene, scene->slots[i]);
        }
        if (result != PLIANT_OK) {
            scene->members[scene->slots[i]].box_state = UINT64_MAX; /* look again next time */
        }
    }
    return result;
}

bool pli_scene_may_touch(const pliant_scene *scene, const pliant_scene_options *options, uint32_t a,
                         uint32_t b)
{
    const pli_member *x = &scene->members[a], *y = &scene->members[b];
    if (!(x->def.category & y->def.mask) || !(y->def.category & x->def.mask)) {
        return false;
    }
    return options == NULL || options->filter == NULL ||
           options->filter(options->filter_user, (pliant_body_id){a, x->generation},
                           (pliant_body_id){b, y->generation});
}

static pliant_result add_pair_key(pliant_scene *scene, uint32_t a, uint32_t b)
{
    uint64_t *keys = pli_grow(scene->context, scene->pair_keys, &scene->pair_key_room,
                              scene->pair_key_count + 1, sizeof *keys);
    if (keys == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    scene->pair_keys = keys;
    keys[scene->pair_key_count++] = (uint64_t)a << 32 | b;
    return PLIANT_OK;
}

/* Orders the keys and makes the list of pairs of them. */
static pliant_result list_pairs(pliant_scene *scene)
{
    size_t count = scene->pair_key_count;
    scene->pair_count = 0;
    if (count == 0) {
        return PLIANT_OK;
    }
    uint64_t *scratch = pli_grow(scene->context, scene->pair_key_scratch,
                                 &scene->pair_key_scratch_room, count, sizeof *scratch);
    scene->pair_key_scratch = scratch != NULL ? scratch : scene->pair_key_scratch;
    pli_body_pair *pairs =
        pli_grow(scene->context, scene->pairs, &scene->pair_room, count, sizeof *pairs);
    scene->pairs = pairs != NULL ? pairs : scene->pairs;
    if (scratch == NULL || pairs == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_sort_keys(scene->pair_keys, scratch, NULL, NULL, count);
    for (size_t i = 0; i < count; i++) {
        uint64_t key = scene->pair_keys[i];
        pairs[i] = (pli_body_pair){.a = (uint32_t)(key >> 32), .b = (uint32_t)key};
    }
    scene->pair_count = (uint32_t)count;
    return PLIANT_OK;
}

/* Broad phase and filters. */
pliant_result pli_scene_find_pairs(pliant_scene *scene, const pliant_scene_options *options)
{
    const uint64_t *keys = NULL;
    size_t count = 0;
    scene->pair_key_count = 0;
    pliant_result result = pli_broad_pairs(scene->broad, &keys, &count);
    scene->stats.pairs_broad = (uint32_t)count;
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        uint32_t a = (uint32_t)(keys[i] >> 32), b = (uint32_t)keys[i];
        if (pli_scene_may_touch(scene, options, a, b)) {
            result = add_pair_key(scene, a, b);
        }
    }
    for (uint32_t i = 0; i < scene->slot_count && result == PLIANT_OK; i++) {
        if (scene->members[i].body != NULL && scene->members[i].def.self) {
            result = add_pair_key(scene, i, i);
        }
    }
    return result == PLIANT_OK ? list_pairs(scene) : result;
}
