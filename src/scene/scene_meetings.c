/*
 * What meets in a scene while its bodies move: pairs of bodies whose boxes throughout the step meet
 * (a sort along one axis), and pliant_find_meetings() for each of them, on the workers.
 *
 * Sweeps are refreshed as far as pairs of bodies ask for it. Other than bodies they have no arenas
 * for several workers at once: who compares two bodies holds a lock of each, the lower one first.
 */
#include "scene.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "base/observer.h"
#include "base/sort.h"
#include "base/thread.h"
#include "body/refresh.h"
#include "query/meeting_order.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- a step */

/* Bodies that have no start yet are named until the call ends. */
static pliant_result prepare_steps(pliant_scene *scene)
{
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < scene->slot_count && result == PLIANT_OK; i++) {
        pli_member *member = &scene->members.data[i];
        if (member->body != NULL) {
            member->named = member->body->start == NULL;
            result = pli_body_prepare_step(member->body);
        }
        if (result != PLIANT_OK) {
            char message[160];
            snprintf(message, sizeof message, "%s", pliant_last_error());
            result = pli_fail(result, "body %u: %s", i, message);
        }
    }
    return result;
}

static PLI_NOINLINE pliant_result begin_step(pliant_scene *scene)
{
    pliant_result result = prepare_steps(scene);
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        pli_member *member = &scene->members.data[i];
        if (member->body != NULL && result == PLIANT_OK) {
            pli_body_start_step(member->body);
        } else if (member->named != 0 && member->body->start != NULL) {
            pli_body_drop_start(member->body);
        }
        member->named = 0;
    }
    return result;
}

pliant_result pliant_scene_begin_step(pliant_scene *scene)
{
    PLI_REQUIRE(scene);
    pliant_result result = pli_scene_begin_call(scene, __func__);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_float_env env = pli_float_env_enter();
    result = pli_scene_end_call(scene, begin_step(scene));
    pli_float_env_leave(env);
    return result;
}

/* ---------------------------------------------------------------- sweeps */

static void prepare_sweep(void *argument, uint32_t slot, uint32_t number)
{
    pliant_scene *scene = argument;
    pli_scene_worker *worker = &scene->workers[number];
    pliant_body *body = scene->members.data[slot].body;
    if (body == NULL) {
        return;
    }
    pliant_body *sweep = body->sweep;
    pli_refresh_counts before = sweep->counts;
    worker->bodies_updated += !sweep->ready;
    sweep->arena.worker = number; /* pages from a pool of its own */
    pliant_result result = pli_body_prepare(sweep);
    if (result != PLIANT_OK) {
        pli_scene_note_failure(worker, slot, result);
    }
    worker->met.stats.nodes_refreshed += sweep->counts.nodes - before.nodes;
    worker->met.stats.clusters_refreshed += sweep->counts.clusters - before.clusters;
    worker->met.stats.vertices_read += sweep->counts.vertices - before.vertices;
}

/* Makes the sweeps of all bodies, and their boxes. */
static pliant_result prepare_sweeps(pliant_scene *scene)
{
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        pliant_body *body = scene->members.data[i].body, *sweep = NULL;
        pliant_result result = body != NULL ? pli_body_get_sweep(body, &sweep) : PLIANT_OK;
        if (result != PLIANT_OK) {
            pli_scene_note_failure(&scene->workers[0], i, result);
            return pli_scene_body_failure(scene);
        }
    }
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
    pliant_result result = pli_context_run(scene->context, prepare_sweep, scene, scene->slot_count);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_BOUNDS);
    return result == PLIANT_OK ? pli_scene_body_failure(scene) : result;
}

/* ----------------------------------------------------------- broad phase */

/* A number that is in the order of a float and fits above 32 bits. */
static uint64_t order_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint64_t)(bits >> 31 ? ~bits : bits | 0x80000000u) << 32;
}

static pliant_result add_pair(pliant_scene *scene, uint32_t a, uint32_t b)
{
    uint64_t most = pli_broad_most_pairs(scene->broad);
    if (scene->swept_pairs.count >= most) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "more than %llu pairs of bodies may meet",
                        (unsigned long long)most);
    }
    uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    return PLI_PUSH(scene->context, &scene->swept_pairs, key) ? PLIANT_OK
                                                              : PLIANT_ERROR_OUT_OF_MEMORY;
}

static pliant_box swept_box(const pliant_scene *scene, uint32_t slot)
{
    return pli_scene_body_box(scene->members.data[slot].body->sweep);
}

/* Adds the pairs of one body and those behind it in the order of the lower ends along x. */
static pliant_result add_pairs(pliant_scene *scene, size_t i)
{
    uint32_t slot = (uint32_t)scene->keys.data[i];
    pliant_box box = swept_box(scene, slot);
    pliant_result result = PLIANT_OK;
    for (size_t j = i + 1; j < scene->keys.count && result == PLIANT_OK; j++) {
        uint32_t other = (uint32_t)scene->keys.data[j];
        pliant_box next = swept_box(scene, other);
        if (next.lower[0] > box.upper[0]) {
            break;
        }
        if (next.lower[1] <= box.upper[1] && box.lower[1] <= next.upper[1] &&
            next.lower[2] <= box.upper[2] && box.lower[2] <= next.upper[2]) {
            result = add_pair(scene, slot, other);
        }
    }
    return result;
}

/* Lists the pairs of bodies whose sweeps' boxes meet, ascending. */
static pliant_result list_pairs(pliant_scene *scene)
{
    if (!PLI_RESERVE(scene->context, &scene->keys, scene->slot_count) ||
        !PLI_RESERVE(scene->context, &scene->key_scratch, scene->slot_count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    scene->keys.count = scene->swept_pairs.count = 0;
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        if (scene->members.data[i].body != NULL) {
            scene->keys.data[scene->keys.count++] = order_of(swept_box(scene, i).lower[0]) | i;
        }
    }
    pli_sort_keys(scene->keys.data, scene->key_scratch.data, NULL, NULL, scene->keys.count);
    pliant_result result = PLIANT_OK;
    for (size_t i = 0; i < scene->keys.count && result == PLIANT_OK; i++) {
        result = add_pairs(scene, i);
    }
    size_t count = scene->swept_pairs.count;
    if (result == PLIANT_OK && !PLI_RESERVE(scene->context, &scene->key_scratch, count)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (result == PLIANT_OK) {
        pli_sort_keys(scene->swept_pairs.data, scene->key_scratch.data, NULL, NULL, count);
    }
    return result;
}

static pliant_result find_work(pliant_scene *scene, const pliant_scene_options *options)
{
    double started = pli_seconds();
    pliant_result result = prepare_sweeps(scene);
    double updated = pli_seconds();
    if (result == PLIANT_OK && options != NULL && options->only_self) {
        result = pli_scene_find_pairs(scene, options, NULL);
    } else if (result == PLIANT_OK) {
        result = list_pairs(scene);
        if (result == PLIANT_OK) {
            result = pli_scene_filter_pairs(scene, options, scene->swept_pairs.data,
                                            scene->swept_pairs.count);
        }
    }
    scene->stats.narrow.seconds_update = updated - started;
    scene->stats.seconds_broad = pli_seconds() - updated;
    return result;
}

/* ---------------------------------------------------------- narrow phase */

/* Bodies share locks, by their slots. */
enum { LOCKS = 64 };

typedef struct meeting_run {
    pliant_scene *scene;
    pliant_collide_mode mode;
    pli_lock locks[LOCKS];
} meeting_run;

static void lock_bodies(meeting_run *run, uint32_t a, uint32_t b, bool locks)
{
    uint32_t low = a % LOCKS, high = b % LOCKS;
    if (low > high) {
        low = b % LOCKS;
        high = a % LOCKS;
    }
    void (*change)(pli_lock *) = locks ? pli_lock_take : pli_lock_release;
    change(&run->locks[low]);
    if (high != low) {
        change(&run->locks[high]);
    }
}

static void add_stats(pliant_stats *sum, const pliant_stats *one)
{
    sum->nodes_refreshed += one->nodes_refreshed;
    sum->clusters_refreshed += one->clusters_refreshed;
    sum->vertices_read += one->vertices_read;
    sum->nodes_tested += one->nodes_tested;
    sum->triangle_tests += one->triangle_tests;
    sum->exact_fallbacks += one->exact_fallbacks;
}

static bool keep(pliant_scene *scene, pli_found_meetings *met, const pliant_meetings *found)
{
    size_t count = (size_t)found->count;
    if (!PLI_RESERVE_MORE(scene->context, &met->pairs, count) ||
        !PLI_RESERVE_MORE(scene->context, &met->meetings, count)) {
        return false;
    }
    if (count > 0) {
        memcpy(met->pairs.data + met->pairs.count, found->pairs, count * sizeof *found->pairs);
        memcpy(met->meetings.data + met->meetings.count, found->meetings,
               count * sizeof *found->meetings);
    }
    met->pairs.count += count;
    met->meetings.count += count;
    return true;
}

static pliant_result meet_pair(meeting_run *run, uint32_t worker, uint32_t pair)
{
    pliant_scene *scene = run->scene;
    pli_scene_worker *own = &scene->workers[worker];
    uint32_t slot_a = pli_pair_a(scene->pairs[pair]), slot_b = pli_pair_b(scene->pairs[pair]);
    const pli_member *a = &scene->members.data[slot_a], *b = &scene->members.data[slot_b];
    pliant_meeting_options options = pliant_meeting_options_default();
    options.mode = run->mode;
    options.groups_a = a->def.groups;
    options.groups_b = b->def.groups;
    pliant_meetings found;
    lock_bodies(run, slot_a, slot_b, true);
    a->body->sweep->arena.worker = b->body->sweep->arena.worker = worker;
    pliant_result result =
        a == b ? pliant_find_meetings_self(own->query, a->body, &options, &found)
               : pliant_find_meetings(own->query, a->body, b->body, &options, &found);
    lock_bodies(run, slot_a, slot_b, false);
    if (result != PLIANT_OK) {
        return result;
    }
    uint64_t first = own->met.pairs.count;
    add_stats(&own->met.stats, &own->query->stats);
    return keep(scene, &own->met, &found)
               ? pli_scene_note_run(scene, worker, pair, first, found.count)
               : PLIANT_ERROR_OUT_OF_MEMORY;
}

static void meet_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)index;
    meeting_run *run = argument;
    uint32_t pair = 0;
    while (pli_scene_take(run->scene, worker, 1, &pair) > 0) {
        pliant_result result = meet_pair(run, worker, pair);
        if (result != PLIANT_OK) {
            pli_scene_note_failure(&run->scene->workers[worker], pair, result);
        }
    }
}

static pliant_result meet_pairs(pliant_scene *scene, pliant_collide_mode mode)
{
    meeting_run run = {.scene = scene, .mode = mode};
    for (int i = 0; i < LOCKS; i++) {
        pli_lock_init(&run.locks[i]);
    }
    pli_scene_forget_failures(scene);
    pli_scene_distribute(scene, scene->pair_count);
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_NARROW);
    pliant_result result = pli_stage_run(scene->context, PLIANT_STAGE_SCENE_NARROW, meet_task, &run,
                                         scene->worker_count);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_NARROW);
    for (int i = 0; i < LOCKS; i++) {
        pli_lock_destroy(&run.locks[i]);
    }
    return result == PLIANT_OK ? pli_scene_pair_failure(scene) : result;
}

/* ---------------------------------------------------------------- answer */

static pliant_result collect(pliant_scene *scene, pliant_scene_meetings *answer)
{
    pliant_result result = pli_scene_list_answer(scene, &answer->count);
    size_t count = (size_t)answer->count;
    if (result != PLIANT_OK || count == 0) {
        return result;
    }
    if (!PLI_RESERVE(scene->context, &scene->met_pairs, count) ||
        !PLI_RESERVE(scene->context, &scene->meetings, count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < scene->runs.count; i++) {
        const pli_result_run *run = &scene->runs.data[i];
        const pli_found_meetings *met = &scene->workers[run->worker].met;
        memcpy(scene->met_pairs.data + run->to, met->pairs.data + run->first,
               (size_t)run->count * sizeof *met->pairs.data);
        memcpy(scene->meetings.data + run->to, met->meetings.data + run->first,
               (size_t)run->count * sizeof *met->meetings.data);
    }
    answer->bodies = scene->answer.data;
    answer->body_pair_count = scene->stats.pairs_touching;
    answer->pairs = scene->met_pairs.data;
    answer->meetings = scene->meetings.data;
    return result;
}

static pli_timed_pair timed_pair(const pliant_scene *scene, uint32_t i)
{
    const pliant_scene_pair *bodies = &scene->answer.data[i];
    pliant_pair pair = scene->met_pairs.data[bodies->first];
    return (pli_timed_pair){{scene->members.data[bodies->a.index].body->sweep,
                             scene->members.data[bodies->b.index].body->sweep},
                            (uint64_t)pair.a << 32 | pair.b,
                            &scene->meetings.data[bodies->first]};
}

/* Of the earliest of each pair of bodies, only the earliest stays; of equal ones the first. */
static void keep_earliest(pliant_scene *scene, pliant_scene_meetings *answer)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < answer->body_pair_count; i++) {
        pli_timed_pair one = timed_pair(scene, i), other = timed_pair(scene, best);
        best = pli_compare_meetings(&one, &other) < 0 ? i : best;
    }
    if (answer->count > 0) {
        pliant_scene_pair bodies = scene->answer.data[best];
        answer->pairs += bodies.first;
        answer->meetings += bodies.first;
        bodies.first = 0;
        scene->answer.data[0] = bodies;
        answer->count = answer->body_pair_count = scene->stats.pairs_touching = 1;
    }
}

static void reset(pliant_scene *scene)
{
    pli_scene_start_over(scene);
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        pli_found_meetings *met = &scene->workers[w].met;
        met->pairs.count = met->meetings.count = 0;
        met->stats = (pliant_stats){0};
    }
}

static PLI_NOINLINE pliant_result find_meetings(pliant_scene *scene,
                                                const pliant_scene_options *options,
                                                pliant_scene_meetings *answer)
{
    bool one = options != NULL && options->first_in_all;
    pliant_collide_mode mode = options != NULL ? options->mode : PLIANT_COLLIDE_ALL;
    reset(scene);
    pliant_result result = find_work(scene, options);
    double began = pli_seconds();
    if (result == PLIANT_OK) {
        result = meet_pairs(scene, one ? PLIANT_COLLIDE_FIRST : mode);
    }
    double ended = pli_seconds();
    if (result == PLIANT_OK) {
        result = collect(scene, answer);
    }
    if (result == PLIANT_OK && one) {
        keep_earliest(scene, answer);
    }
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        scene->workers[w].query->stats = scene->workers[w].met.stats;
    }
    pli_scene_end_stats(scene, answer->count, began, ended);
    return result;
}

pliant_result pliant_scene_find_meetings(pliant_scene *scene, const pliant_scene_options *options,
                                         pliant_scene_meetings *meetings)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(meetings);
    pliant_result result = pli_scene_options_check(options);
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_scene_meetings found = {.count = 0};
    pli_recording *recording = scene->recording;
    scene->recording = NULL; /* which knows no steps: what the filter says stays out of it too */
    pli_float_env env = pli_float_env_enter();
    result = find_meetings(scene, options, &found);
    scene->recording = recording;
    result = pli_scene_end_call(scene, result);
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        *meetings = found;
    }
    return result;
}
