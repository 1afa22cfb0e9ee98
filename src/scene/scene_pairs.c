/*
 * Which bodies of a scene are to be compared: the bounds of those that have moved, the broad phase,
 * and the filters.
 */
#include "recording.h"

#include "base/error.h"
#include "base/context.h"

#include <stdio.h>
#include <string.h>

/* Bodies are given out in so many portions per worker, so that who is done early helps others. */
enum { PORTIONS_PER_WORKER = 16 };

/* So many pairs are filtered by all workers. */
enum { MANY_PAIRS = 4096 };

const pli_worker *pli_scene_first_failure(const pliant_scene *scene)
{
    const pli_worker *first = NULL;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        const pli_worker *worker = &scene->workers[w];
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

/* The box in lane 0, larger by an error on every side. */
static pliant_box first_box(const pli_boxes *boxes, float error)
{
    pliant_box box;
    for (int k = 0; k < 3; k++) {
        box.lower[k] = pli_below(boxes->side[k][0], error);
        box.upper[k] = -pli_below(-boxes->side[3 + k][0], error);
    }
    return box;
}

pliant_box pli_scene_body_box(const pliant_body *body)
{
    return first_box(&body->root.box, 0.0f);
}

pliant_box pli_scene_state_box(const pliant_body *body, float error)
{
    pli_boxes whole;
    pli_body_state_box(body, &whole);
    return first_box(&whole, error);
}

float pli_scene_largest_error(const pliant_scene *scene, bool swept)
{
    float error = 0.0f;
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        const pli_member *member = &scene->members.data[i];
        if (member->body != NULL && !member->def.has_loose_box) {
            error = fmaxf(error, pli_member_body(member, swept)->pose.world_error);
        }
    }
    return error;
}

void pli_scene_open_arenas(const pliant_scene *scene, pli_member *member, bool swept)
{
    pli_arena *arenas = pli_member_arenas(member, swept);
    uint64_t *state = swept ? &member->sweep_arena_state : &member->arena_state;
    if (arenas != NULL && *state != pli_member_body(member, swept)->state) {
        for (uint32_t w = 0; w < scene->worker_count; w++) {
            arenas[w] = (pli_arena){.worker = w};
        }
        *state = pli_member_body(member, swept)->state;
    }
}

/* Prepares a member's body on one of the workers; false after a failure, which has been noted. */
static bool prepare_member(pliant_scene *scene, uint32_t slot, pli_worker *worker)
{
    pliant_body *body = scene->members.data[slot].body;
    pli_refresh_counts before = body->counts;
    body->arena.worker = (uint32_t)(worker - scene->workers); /* pages from a pool of its own */
    /* Large bodies that were opened in the last state are refreshed with their bounds, since
       several workers do that in parts (scene_large.c); then by one worker too. */
    pliant_result result = pli_scene_is_large(body) ? pli_body_prepare_walk(body) : PLIANT_OK;
    result = result == PLIANT_OK ? pli_body_prepare(body) : result;
    if (result != PLIANT_OK) {
        pli_worker_note_failure(worker, slot, result);
        return false;
    }
    pli_scene_open_arenas(scene, &scene->members.data[slot], false);
    pliant_stats *stats = &worker->stats;
    stats->nodes_refreshed += body->counts.nodes - before.nodes;
    stats->clusters_refreshed += body->counts.clusters - before.clusters;
    stats->vertices_read += body->counts.vertices - before.vertices;
    stats->bound_sizes += body->counts.sizes - before.sizes;
    stats->bound_sizes_at_cut += body->counts.cut_sizes - before.cut_sizes;
    worker->bodies_updated++;
    return true;
}

/* Tells the broad phase where the mesh that is meant may be. What meets in a step is asked about
   vertices as they are rounded. */
void pli_scene_move_member(pliant_scene *scene, uint32_t slot, bool swept)
{
    pli_member *member = &scene->members.data[slot];
    const pliant_body *body = pli_member_body(member, swept);
    pliant_box box = first_box(&body->root.box, swept ? 0.0f : body->pose.world_error);
    if (swept) {
        pli_broad_move(scene->swept, slot, &box);
        member->sweep_box_state = body->state;
        return;
    }
    pli_broad_move(scene->broad, slot, &box);
    member->box_state = body->state;
}

void pli_scene_distribute(pliant_scene *scene, uint32_t count)
{
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        uint64_t all = count, workers = scene->worker_count;
        atomic_store_explicit(&scene->shares.data[w].next, (uint32_t)(all * w / workers),
                              memory_order_relaxed);
        scene->shares.data[w].end = (uint32_t)(all * (w + 1) / workers);
    }
}

uint32_t pli_scene_take(pliant_scene *scene, uint32_t worker, uint32_t portion, uint32_t *first)
{
    for (uint32_t i = 0; i < scene->worker_count; i++) {
        pli_share *from = &scene->shares.data[(worker + i) % scene->worker_count];
        uint32_t at = atomic_load_explicit(&from->next, memory_order_relaxed);
        if (at < from->end) {
            at = atomic_fetch_add_explicit(&from->next, portion, memory_order_relaxed);
        }
        if (at < from->end) {
            *first = at;
            return from->end - at < portion ? from->end - at : portion;
        }
    }
    return 0;
}

static void update_member(pliant_scene *scene, uint32_t slot, uint32_t number)
{
    const pli_member *member = &scene->members.data[slot];
    if (!scene->changed.data[slot]) {
        return;
    }
    if (member->body != NULL && !member->def.has_loose_box &&
        (member->box_state != member->body->state || !member->body->ready)) {
        if (!prepare_member(scene, slot, &scene->workers[number])) {
            return;
        }
        pli_scene_move_member(scene, slot, false);
    }
    scene->changed.data[slot] = 0;
}

/* How many bodies have another state; counted to no more than `most`. */
static uint32_t count_changed(const pliant_scene *scene, uint32_t most)
{
    const unsigned char *changed = (const unsigned char *)scene->changed.data;
    uint32_t count = 0;
    for (size_t i = 0; i < scene->slot_count && count < most; i++) {
        const unsigned char *next = memchr(changed + i, 1, scene->slot_count - i);
        if (next == NULL) {
            break;
        }
        i = (size_t)(next - changed);
        count++;
    }
    return count;
}

static void update_task(void *argument, uint32_t index, uint32_t number)
{
    (void)index;
    pliant_scene *scene = argument;
    PLI_ASSERT(number < scene->worker_count);
    uint32_t portion = scene->slot_count / (PORTIONS_PER_WORKER * scene->worker_count) + 1;
    uint32_t first = 0, count = pli_scene_take(scene, number, portion, &first);
    while (count > 0) {
        for (uint32_t i = 0; i < count; i++) {
            update_member(scene, first + i, number);
        }
        count = pli_scene_take(scene, number, portion, &first);
    }
}

pliant_result pli_scene_body_failure(const pliant_scene *scene)
{
    const pli_worker *failure = pli_scene_first_failure(scene);
    return failure == NULL
               ? PLIANT_OK
               : pli_fail(failure->result, "body %u: %s", failure->failed_at, failure->message);
}

static pliant_result update_boxes(pliant_scene *scene)
{
    uint32_t workers = count_changed(scene, scene->worker_count); /* that have something to do */
    if (workers == 0) {
        return PLIANT_OK;
    }
    pliant_result result =
        pli_scene_update_large_bodies(scene, false); /* which are up to date below */
    if (result != PLIANT_OK) {
        return result;
    }
    pli_scene_forget_failures(scene);
    pli_scene_distribute(scene, scene->slot_count);
    result = pli_stage_run(scene->context, PLIANT_STAGE_SCENE_BOUNDS, update_task, scene, workers);
    return result == PLIANT_OK ? pli_scene_body_failure(scene) : result;
}

pliant_result pli_scene_update_boxes(pliant_scene *scene)
{
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
    pliant_result result = update_boxes(scene);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
    return result;
}

static bool is_inside(const pliant_box *box, const pliant_box *other)
{
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        inside = inside && box->lower[k] >= other->lower[k] && box->upper[k] <= other->upper[k];
    }
    return inside;
}

/* Checks the declared box of a body that is to be read. Whether it holds the body depends on the
   state alone. */
pliant_result pli_scene_check_loose_box(const pliant_scene *scene, uint32_t slot, bool swept)
{
    const pli_member *member = &scene->members.data[slot];
    if (!member->def.has_loose_box) {
        return PLIANT_OK;
    }
    const pliant_body *body = pli_member_body(member, swept);
    pliant_box box = pli_scene_body_box(body);
    /* Computing the smallest box of moved positions reads them all; the root's box holds it. */
    if (!swept && (pli_body_has_coefficients(body) || !is_inside(&box, &member->def.loose_box))) {
        box = pli_scene_state_box(body, 0.0f);
    }
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

/* Lists the bodies with loose boxes that are in a pair and in a new state. */
static pliant_result list_loose_bodies(pliant_scene *scene)
{
    scene->slots.count = 0;
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        const uint32_t both[2] = {pli_pair_a(scene->pairs[p]), pli_pair_b(scene->pairs[p])};
        for (int i = 0; i < 2; i++) {
            pli_member *member = &scene->members.data[both[i]];
            if (member->def.has_loose_box && member->box_state != member->body->state) {
                if (!PLI_PUSH(scene->context, &scene->slots, both[i])) {
                    return PLIANT_ERROR_OUT_OF_MEMORY;
                }
                member->box_state = member->body->state; /* listed once */
            }
        }
    }
    return PLIANT_OK;
}

static void prepare_task(void *argument, uint32_t index, uint32_t number)
{
    pliant_scene *scene = argument;
    prepare_member(scene, scene->slots.data[index], &scene->workers[number]);
}

pliant_result pli_scene_update_loose_bodies(pliant_scene *scene)
{
    if (scene->loose_count == 0) {
        return PLIANT_OK;
    }
    pliant_result result = list_loose_bodies(scene);
    if (result == PLIANT_OK) {
        pli_scene_forget_failures(scene);
        pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
        result = pli_context_run(scene->context, prepare_task, scene, (uint32_t)scene->slots.count);
        pli_stage_end(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_body_failure(scene);
    }
    for (size_t i = 0; i < scene->slots.count; i++) {
        uint32_t slot = scene->slots.data[i];
        if (result == PLIANT_OK) {
            result = pli_scene_check_loose_box(scene, slot, false);
        }
        if (result != PLIANT_OK) {
            scene->members.data[slot].box_state = UINT64_MAX; /* look again next time */
        }
    }
    return result;
}

bool pli_scene_may_touch(const pliant_scene *scene, const pliant_scene_options *options, uint32_t a,
                         uint32_t b)
{
    const pli_member *x = &scene->members.data[a], *y = &scene->members.data[b];
    if (!(x->def.category & y->def.mask) || !(y->def.category & x->def.mask) ||
        (x->def.is_static && y->def.is_static)) {
        return false;
    }
    if (options == NULL || options->filter == NULL) {
        return true;
    }
    bool passes = options->filter(options->filter_user, (pliant_body_id){a, x->generation},
                                  (pliant_body_id){b, y->generation});
    return pli_recording_note_filter(scene, a, b, passes);
}

static pliant_result add_pair_key(pliant_scene *scene, uint32_t a, uint32_t b)
{
    uint64_t most = pli_broad_most_pairs(scene->broad);
    if (scene->pair_keys.count >= most) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "more than %llu pairs of bodies are to be compared",
                        (unsigned long long)most);
    }
    bool done = PLI_PUSH(scene->context, &scene->pair_keys, (uint64_t)a << 32 | b);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Adds every member from *next on up to `last` that is to be compared with itself. */
static pliant_result add_selves(pliant_scene *scene, uint32_t *next, uint32_t last)
{
    pliant_result result = PLIANT_OK;
    for (; *next <= last && *next < scene->slot_count && result == PLIANT_OK; ++*next) {
        const pli_member *member = &scene->members.data[*next];
        if (member->body != NULL && member->def.self) {
            result = add_pair_key(scene, *next, *next);
        }
    }
    return result;
}

/* The pairs that filters let through, and members with themselves, in ascending order. */
static pliant_result filter_pairs(pliant_scene *scene, const pliant_scene_options *options,
                                  const uint64_t *keys, size_t count)
{
    uint32_t next = scene->self_count > 0 ? 0 : scene->slot_count;
    pliant_result result = PLIANT_OK;
    scene->pair_keys.count = 0;
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        uint32_t a = pli_pair_a(keys[i]), b = pli_pair_b(keys[i]);
        result = add_selves(scene, &next, a);
        if (result == PLIANT_OK && pli_scene_may_touch(scene, options, a, b)) {
            result = add_pair_key(scene, a, b);
        }
    }
    return result == PLIANT_OK ? add_selves(scene, &next, UINT32_MAX) : result;
}

/* Every member with itself, and nothing else. */
static pliant_result list_selves(pliant_scene *scene)
{
    pliant_result result = PLIANT_OK;
    scene->pair_keys.count = 0;
    for (uint32_t i = 0; i < scene->slot_count && result == PLIANT_OK; i++) {
        if (scene->members.data[i].body != NULL) {
            result = add_pair_key(scene, i, i);
        }
    }
    scene->pairs = scene->pair_keys.data;
    scene->pair_count = result == PLIANT_OK ? (uint32_t)scene->pair_keys.count : 0;
    return result;
}

/* Filters, and members with themselves, for a broad phase's `count` keys, ascending. */
static pliant_result filter_keys(pliant_scene *scene, const pliant_scene_options *options,
                                 const uint64_t *keys, size_t count)
{
    pliant_result result = PLIANT_OK;
    scene->stats.pairs_broad = (uint32_t)count;
    bool asks = options != NULL && options->filter != NULL;
    if (asks || scene->filtered_count > 0 || scene->static_count > 1 || scene->self_count > 0) {
        bool many = scene->worker_count > 1 && count >= MANY_PAIRS && !asks;
        pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_FILTER);
        result = many ? pli_scene_filter_many(scene, keys, count)
                      : filter_pairs(scene, options, keys, count);
        pli_stage_end(scene->context, PLIANT_STAGE_SCENE_FILTER);
        keys = scene->pair_keys.data;
        count = scene->pair_keys.count;
    }
    if (result == PLIANT_OK) {
        PLI_ASSERT(count <= pli_broad_most_pairs(scene->broad));
        scene->pairs = keys;
        scene->pair_count = (uint32_t)count;
    }
    return result;
}

/* Broad phase and filters. */
pliant_result pli_scene_find_pairs(pliant_scene *scene, pli_broad *broad,
                                   const pliant_scene_options *options, const float *distance)
{
    const uint64_t *keys = NULL;
    size_t count = 0;
    scene->pair_count = 0;
    if (options != NULL && options->only_self) {
        return list_selves(scene);
    }
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_BROAD);
    pliant_result result = distance == NULL
                               ? pli_broad_pairs(broad, &keys, &count)
                               : pli_broad_pairs_within(broad, (double)*distance, &keys, &count);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_BROAD);
    return result == PLIANT_OK ? filter_keys(scene, options, keys, count) : result;
}
