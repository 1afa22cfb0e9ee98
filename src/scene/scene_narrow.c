/*
 * Comparing the pairs of bodies of a scene, on all workers. Ours.
 *
 * Workers take whole pairs, one after the other. How much work a pair is shows only on the way, so
 * towards the end some have nothing left while others are still at a large pair. Whoever has
 * nothing left is idle and counted; a worker that sees somebody idle donates half of its tasks to
 * one of them, those that it would come to last, since they are the least opened. So one large pair
 * is spread like many small ones, and nothing is cut up while nobody is idle. Tasks are the same
 * however they are spread, and so are counts and results.
 *
 * Nothing is locked, and who is idle looks at lines of memory that nobody else writes to in vain: a
 * donor reserves one of the idle by counting down, takes a bit out of the set of them, and writes
 * the tasks to where that worker, and only it, looks for them.
 *
 * Where one pair of triangles is enough, or only so many tasks are allowed, what is found depends
 * on the order of the tasks. There each pair of bodies is walked by one worker in the order that a
 * worker alone would take: nothing is donated, and a record that another worker is making is waited
 * for.
 *
 * Nobody waits for a worker that has not begun: a caller's scheduler may run one after the other.
 */
#include "scene_contacts.h"

#include "base/error.h"
#include "base/context.h"
#include "base/thread.h"
#include "base/workers.h"
#include "query/features.h"
#include "query/meetings.h"
#include "query/within.h"

#include <string.h>

typedef struct narrow_run narrow_run;

/* Compares a pair from the start or, where there are tasks, does these. */
typedef pliant_result compare_pair(narrow_run *run, uint32_t worker, uint32_t pair,
                                   const pli_task *tasks, uint32_t task_count);

struct narrow_run {
    _Alignas(64) pli_idle idle; /* everybody looks at it after every task */
    _Alignas(64)
        PLI_ATOMIC(uint64_t) idle_set[PLI_MAX_WORKERS / 64]; /* counted there or reserved */
    PLI_ATOMIC(uint32_t) at_work; /* workers that have tasks, or will be given some */
    _Alignas(64) pliant_scene *scene;
    pli_scene_comparison comparison;
    bool shares; /* tasks may be donated */
    bool builds; /* some bodies want their trees built, by others than worker 0: */
    PLI_ATOMIC(uint32_t) next_build; /* who looks next at slots from there on */
    compare_pair *compare;
};

enum { LOOKS = 256 }; /* before others are let have the core */

pliant_result pli_scene_pair_failure(const pliant_scene *scene)
{
    const pli_worker *failure = pli_scene_first_failure(scene);
    if (failure == NULL) {
        return PLIANT_OK;
    }
    uint64_t pair = scene->pairs[failure->failed_at];
    return pli_fail(failure->result, "bodies %u and %u: %s", pli_pair_a(pair), pli_pair_b(pair),
                    failure->message);
}

/* --------------------------------------------------------- donated tasks */

/* Reserves one of those who are idle; false if there is none. */
static bool reserve_idle(narrow_run *run)
{
    uint32_t count = atomic_load_explicit(&run->idle.workers, memory_order_relaxed);
    while (count > 0) {
        if (atomic_compare_exchange_weak(&run->idle.workers, &count, count - 1)) {
            return true;
        }
    }
    return false;
}

/* Takes a worker out of the set of the idle, after a reservation: there is one then. */
static uint32_t take_idle(narrow_run *run)
{
    for (uint32_t i = 0;; i = (i + 1) % (PLI_MAX_WORKERS / 64)) {
        uint64_t set = atomic_load_explicit(&run->idle_set[i], memory_order_relaxed);
        while (set != 0) {
            uint64_t lowest = set & (~set + 1);
            if (atomic_fetch_and(&run->idle_set[i], ~lowest) & lowest) {
                return 64 * i + (uint32_t)__builtin_ctzll(lowest);
            }
            set = atomic_load_explicit(&run->idle_set[i], memory_order_relaxed);
        }
    }
}

/* Takes a worker itself out of the set, if no donor has: false then, and tasks will come. */
static bool withdraw(narrow_run *run, uint32_t worker)
{
    uint64_t bit = (uint64_t)1 << worker % 64;
    if (!reserve_idle(run)) {
        return false;
    }
    if (atomic_fetch_and(&run->idle_set[worker / 64], ~bit) & bit) {
        return true;
    }
    atomic_fetch_add(&run->idle.workers, 1); /* reserved for nothing */
    return false;
}

/* Donates half of the tasks on a worker's stack to somebody who is idle. */
static void donate(narrow_run *run, uint32_t pair, pli_worker *worker)
{
    if (!reserve_idle(run)) {
        return;
    }
    pli_share *idle = &run->scene->shares.data[take_idle(run)];
    size_t half = worker->tasks.count / 2;
    half = half < PLI_MOST_DONATED ? half : PLI_MOST_DONATED;
    PLI_ASSERT(half > 0 && atomic_load(&idle->donated_count) == 0);
    pli_task *tasks = worker->tasks.data;
    memcpy(idle->donated, tasks, half * sizeof *tasks);
    idle->donated_pair = pair;
    worker->tasks.count -= half;
    memmove(tasks, tasks + half, worker->tasks.count * sizeof *tasks);
    atomic_fetch_add(&run->at_work, 1); /* in its name */
    atomic_store_explicit(&idle->donated_count, (uint32_t)half, memory_order_release);
}

/* Is idle until tasks are donated; returns how many, 0 when nobody is left who could. */
static uint32_t await_donation(narrow_run *run, uint32_t worker)
{
    PLI_ATOMIC(uint32_t) *donated = &run->scene->shares.data[worker].donated_count;
    atomic_fetch_or(&run->idle_set[worker / 64], (uint64_t)1 << worker % 64);
    atomic_fetch_add(&run->idle.workers, 1);
    atomic_fetch_sub(&run->at_work, 1);
    for (uint32_t i = 1;; i++) {
        uint32_t count = atomic_load_explicit(donated, memory_order_acquire);
        if (count > 0) {
            return count;
        }
        if (atomic_load_explicit(&run->at_work, memory_order_relaxed) == 0 &&
            withdraw(run, worker)) {
            return 0;
        }
        if (i % LOOKS == 0) {
            pli_thread_yield();
        }
        pli_pause();
    }
}

/* ----------------------------------------------------------------- a pair */

void pli_scene_set_arenas(pli_run *run, const pli_member *a, const pli_member *b, uint32_t worker)
{
    pli_run_set_arenas(run, a->arenas != NULL ? &a->arenas[worker] : NULL,
                       b->arenas != NULL ? &b->arenas[worker] : NULL);
}

void pli_scene_add_counts(pliant_scene *scene, uint32_t worker, pliant_body *body,
                          const pli_refresh_counts *made)
{
    pliant_stats *stats = &scene->workers[worker].stats;
    stats->nodes_refreshed += made->nodes;
    stats->clusters_refreshed += made->clusters;
    stats->vertices_read += made->vertices;
    stats->bound_sizes += made->sizes;
    stats->bound_sizes_at_cut += made->cut_sizes;
    bool wanted = body->automatic || body->opened != NULL; /* its strategy goes by these */
    if (scene->worker_count > 1 && made->measured > 0) {
        pli_refresh_counts *all = &body->counts;
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &all->measured), made->measured,
                                  memory_order_relaxed);
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &all->sizes), made->sizes,
                                  memory_order_relaxed);
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &all->cut_sizes), made->cut_sizes,
                                  memory_order_relaxed);
    }
    wanted = wanted || body->rebuild != NULL;
    if (scene->worker_count > 1 && wanted) {
        pli_refresh_counts *all = &body->counts;
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &all->vertices_on_demand),
                                  made->vertices_on_demand, memory_order_relaxed);
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &all->clusters_on_demand),
                                  made->clusters_on_demand, memory_order_relaxed);
    }
}

void pli_scene_count_run(pliant_scene *scene, uint32_t worker, const pli_run *run)
{
    for (int i = 0; i < 2; i++) {
        pli_refresh_counts made = pli_run_refreshed(run, i);
        if (made.nodes != 0 || made.clusters != 0) {
            pli_scene_add_counts(scene, worker, run->body[i], &made);
        }
        if (i == 0 || !run->self) {
            pli_body_count_tests(run->body[i], run->tested);
        }
    }
}

/* Works off all tasks on the worker's stack but those that it donates. */
static pliant_result run_tasks(narrow_run *run, uint32_t pair, pli_walk *walk)
{
    pli_worker *worker = walk->run.worker;
    walk->run.idle = run->shares ? &run->idle : NULL;
    pliant_result result = pli_walk_work(walk);
    while (run->shares && result == PLIANT_OK && worker->tasks.count > 0 && !walk->run.stopped) {
        donate(run, pair, worker);
        result = pli_walk_work(walk);
    }
    return result;
}

/* The tasks of a walk from the start or, where there are tasks, those. */
static pliant_result walk_pair(narrow_run *run, uint32_t pair, pli_walk *walk,
                               const pli_task *tasks, uint32_t task_count)
{
    pliant_result result = task_count == 0 ? pli_walk_push_meeting_roots(walk) : PLIANT_OK;
    for (uint32_t i = 0; i < task_count && result == PLIANT_OK; i++) {
        result = pli_run_push(&walk->run, &tasks[i]);
    }
    return result == PLIANT_OK ? run_tasks(run, pair, walk) : result;
}

static pliant_result collide_pair(narrow_run *run, uint32_t worker, uint32_t pair,
                                  const pli_task *tasks, uint32_t task_count)
{
    pliant_scene *scene = run->scene;
    const pli_member *a = &scene->members.data[pli_pair_a(scene->pairs[pair])];
    const pli_member *b = &scene->members.data[pli_pair_b(scene->pairs[pair])];
    pliant_collide_options with_groups;
    const pliant_collide_options *options = run->comparison.collide;
    if (scene->grouped_count > 0) {
        options = pli_scene_pair_options(options, a, b, &with_groups);
    }
    pli_collision collision;
    PLI_ASSERT(a->body->ready && b->body->ready);
    pli_collision_init(&collision, &scene->workers[worker], a->body, b->body, options);
    collision.walk.run.deadline = run->comparison.deadline;
    pli_scene_set_arenas(&collision.walk.run, a, b, worker);
    pliant_result result = walk_pair(run, pair, &collision.walk, tasks, task_count);
    pli_scene_count_run(scene, worker, &collision.walk.run);
    return result == PLIANT_OK && !collision.walk.run.complete
               ? pli_worker_note_over_budget(&scene->workers[worker], pair)
               : result;
}

/* Of sweeps; when only the first is asked for, it is that of a pair of bodies. */
static pliant_result meet_pair(narrow_run *run, uint32_t worker, uint32_t pair,
                               const pli_task *tasks, uint32_t task_count)
{
    pliant_scene *scene = run->scene;
    const pli_member *a = &scene->members.data[pli_pair_a(scene->pairs[pair])];
    const pli_member *b = &scene->members.data[pli_pair_b(scene->pairs[pair])];
    pliant_meeting_options options = *run->comparison.meet;
    options.groups_a = a->def.groups;
    options.groups_b = b->def.groups;
    pli_meeting_walk meetings;
    pli_run *walked = &meetings.walk.run;
    PLI_ASSERT(a->body->sweep->ready && b->body->sweep->ready);
    pli_meetings_init(&meetings, &scene->workers[worker], a->body->sweep, b->body->sweep, &options);
    pli_meetings_prepared(&meetings);
    meetings.limit = run->comparison.limit;
    walked->deadline = run->comparison.deadline;
    pli_run_set_arenas(walked, a->sweep_arenas != NULL ? &a->sweep_arenas[worker] : NULL,
                       b->sweep_arenas != NULL ? &b->sweep_arenas[worker] : NULL);
    pliant_result result = walk_pair(run, pair, &meetings.walk, tasks, task_count);
    pli_scene_count_run(scene, worker, walked);
    return result == PLIANT_OK && !walked->complete
               ? pli_worker_note_over_budget(&scene->workers[worker], pair)
               : result;
}

/* What is within a distance. */
static pliant_result measure_pair(narrow_run *run, uint32_t worker, uint32_t pair,
                                  const pli_task *tasks, uint32_t task_count)
{
    pliant_scene *scene = run->scene;
    const pli_member *a = &scene->members.data[pli_pair_a(scene->pairs[pair])];
    const pli_member *b = &scene->members.data[pli_pair_b(scene->pairs[pair])];
    pliant_within_options options = pliant_within_options_default();
    options.groups_a = a->def.groups;
    options.groups_b = b->def.groups;
    options.across_groups = run->comparison.across_groups && a == b;
    if (options.across_groups && a->body->shape->groups == NULL) {
        return PLIANT_OK; /* all triangles are of one group */
    }
    pli_within within;
    pli_within_init(&within, &scene->workers[worker], a->body, b->body, run->comparison.distance,
                    &options);
    pli_scene_set_arenas(&within.walk.run, a, b, worker);
    pli_near_prepared(&within.near, &within.walk);
    pliant_result result = walk_pair(run, pair, &within.walk, tasks, task_count);
    pli_scene_count_run(scene, worker, &within.walk.run);
    return result;
}

static pliant_result find_features(narrow_run *run, uint32_t worker, uint32_t pair,
                                   const pli_task *tasks, uint32_t task_count)
{
    pliant_scene *scene = run->scene;
    const pli_member *a = &scene->members.data[pli_pair_a(scene->pairs[pair])];
    const pli_member *b = &scene->members.data[pli_pair_b(scene->pairs[pair])];
    pliant_feature_options options = pliant_feature_options_default();
    options.groups_a = a->def.groups;
    options.groups_b = b->def.groups;
    pli_feature_walk features;
    pli_features_init(&features, &scene->workers[worker], a->body, b->body,
                      run->comparison.distance, &options);
    pli_walk *walk = &features.collision.walk;
    pli_scene_set_arenas(&walk->run, a, b, worker);
    pli_features_prepared(&features);
    pliant_result result = walk_pair(run, pair, walk, tasks, task_count);
    pli_scene_count_run(scene, worker, &walk->run);
    return result;
}

static void compare(narrow_run *run, uint32_t worker, uint32_t pair, const pli_task *tasks,
                    uint32_t task_count)
{
    pliant_scene *scene = run->scene;
    pli_worker *own = &scene->workers[worker];
    uint32_t lists = run->comparison.features ? PLI_RESULT_LISTS : 1;
    pli_found_before before = pli_worker_found(own, lists);
    PLI_ASSERT(worker < scene->worker_count && pair < scene->pair_count);
    pliant_result result = run->compare(run, worker, pair, tasks, task_count);
    if (result == PLIANT_OK) {
        result = pli_worker_note_found(own, worker, pair, &before, lists);
    }
    if (result != PLIANT_OK) {
        pli_worker_note_failure(own, pair, result);
    }
}

/* --------------------------------------------------------------- a worker */

/*
 * Fetches ahead what the pairs behind this one need first: of one the bodies, of the next one what
 * leads to them. The first body of a pair mostly is that of the pair before.
 */
static void fetch_ahead(const pliant_scene *scene, uint32_t pair, uint32_t worker)
{
    if (pair + 2 < scene->pair_count) {
        __builtin_prefetch(&scene->members.data[pli_pair_b(scene->pairs[pair + 2])]);
    }
    if (pair + 1 < scene->pair_count) {
        const pli_member *member = &scene->members.data[pli_pair_b(scene->pairs[pair + 1])];
        const char *body = (const char *)member->body;
        for (size_t i = 0; i < sizeof *member->body; i += 64) {
            __builtin_prefetch(body + i);
        }
        if (member->arenas != NULL) {
            __builtin_prefetch(&member->arenas[worker], 1);
        }
    }
}

static bool compare_next_pair(narrow_run *run, uint32_t worker)
{
    uint32_t pair = 0, count = pli_scene_take(run->scene, worker, 1, &pair);
    if (count > 0) {
        fetch_ahead(run->scene, pair, worker);
        compare(run, worker, pair, NULL, 0);
    }
    return count > 0;
}

/* Awaits tasks and does them; false when none will come. */
static bool accept_tasks(narrow_run *run, uint32_t worker)
{
    pli_share *own = &run->scene->shares.data[worker];
    uint32_t count = await_donation(run, worker);
    if (count > 0) {
        compare(run, worker, own->donated_pair, own->donated, count);
        atomic_store_explicit(&own->donated_count, 0, memory_order_relaxed);
    }
    return count > 0;
}

/* Builds trees for states to come, of which nothing here depends. */
static void build_trees(narrow_run *run)
{
    pliant_scene *scene = run->scene;
    uint32_t slot = 0;
    while ((slot = atomic_fetch_add(&run->next_build, 1)) < scene->slot_count) {
        pliant_body *body = scene->members.data[slot].body;
        if (body != NULL && pli_body_wants_build(body)) {
            pli_body_build(body);
        }
    }
}

static void narrow_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)index;
    narrow_run *run = argument;
    if (run->builds && worker > 0) {
        build_trees(run);
    }
    atomic_fetch_add(&run->at_work, 1);
    while (compare_next_pair(run, worker)) {
    }
    while (run->shares && accept_tasks(run, worker)) {
    }
    if (!run->shares) {
        atomic_fetch_sub(&run->at_work, 1);
    }
}

pliant_result pli_scene_compare_pairs(pliant_scene *scene, const pli_scene_comparison *comparison)
{
    if (scene->pair_count == 0) {
        return PLIANT_OK;
    }
    const pliant_collide_options *collide = comparison->collide;
    const pliant_meeting_options *meet = comparison->meet;
    narrow_run run = {.scene = scene, .comparison = *comparison};
    run.builds = scene->worker_count > 1 && atomic_exchange(&scene->host.builds, false);
    run.compare = collide != NULL        ? collide_pair
                  : meet != NULL         ? meet_pair
                  : comparison->features ? find_features
                                         : measure_pair;
    run.shares = scene->worker_count > 1 &&
                 (collide == NULL || !pli_collision_keeps_order(collide)) &&
                 (meet == NULL || !pli_meetings_keep_order(meet));
    pli_scene_forget_failures(scene);
    pli_scene_distribute(scene, scene->pair_count);
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_NARROW);
    pliant_result result = pli_stage_run(scene->context, PLIANT_STAGE_SCENE_NARROW, narrow_task,
                                         &run, scene->worker_count);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_NARROW);
    return result == PLIANT_OK ? pli_scene_pair_failure(scene) : result;
}
