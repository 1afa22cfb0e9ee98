/*
 * Comparing the pairs of bodies of a scene, on all workers. Ours.
 *
 * Workers take whole pairs, one after the other. How much work a pair is shows only on the way, so
 * towards the end some have nothing left while others are still at a large pair. Whoever has
 * nothing left is idle and counted; a worker that sees somebody idle donates half of its tasks,
 * those that it would come to last, since they are the least opened. So one large pair is spread
 * like many small ones, and nothing is cut up while nobody is idle. Tasks are the same however
 * they are spread, and so are counts and results.
 *
 * Where one pair of triangles is enough, or only so many tasks are allowed, what is found depends
 * on the order of the tasks. There each pair of bodies is walked by one worker in the order that a
 * worker alone would take: nothing is donated, and a record that another worker is making is waited
 * for.
 *
 * Nobody waits for a worker that has not begun: a caller's scheduler may run one after the other.
 */
#include "scene_contacts.h"

#include "base/assert.h"
#include "base/observer.h"
#include "base/workers.h"
#include "query/features.h"
#include "query/result.h"
#include "query/within.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

typedef struct narrow_run narrow_run;

/* Compares a pair from the start or, where there are tasks, does these. */
typedef pliant_result compare_pair(narrow_run *run, uint32_t worker, uint32_t pair,
                                   const pli_task *tasks, uint32_t task_count);

struct narrow_run {
    _Alignas(64) pli_idle idle; /* everybody looks at it after every task */
    pliant_scene *scene;
    pli_scene_comparison comparison;
    size_t donated_count; /* of scene->donated; under the lock, and idle.donated follows it */
    pthread_mutex_t lock;
    _Atomic uint32_t at_work; /* workers that have tasks, or are about to */
    bool shares;              /* tasks may be donated */
    compare_pair *compare;
};

enum {
    LOOKS = 256,    /* before others are let have the core */
    MOST_TAKEN = 64 /* tasks at a time */
};

pliant_result pli_scene_pair_failure(const pliant_scene *scene)
{
    const pli_scene_worker *failure = pli_scene_first_failure(scene);
    if (failure == NULL) {
        return PLIANT_OK;
    }
    uint64_t pair = scene->pairs[failure->failed_at];
    return pli_fail(failure->result, "bodies %u and %u: %s", pli_pair_a(pair), pli_pair_b(pair),
                    failure->message);
}

/* --------------------------------------------------------- donated tasks */

/* Donates half of the tasks on a worker's stack; without memory, none. */
static void donate(narrow_run *run, uint32_t pair, pliant_query *query)
{
    pliant_scene *scene = run->scene;
    size_t half = query->tasks.count / 2;
    pthread_mutex_lock(&run->lock);
    if (PLI_RESERVE(scene->context, &scene->donated, run->donated_count + half)) {
        pli_task *tasks = query->tasks.data;
        for (size_t i = 0; i < half; i++) {
            scene->donated.data[run->donated_count++] = (pli_donated_task){pair, tasks[i]};
        }
        query->tasks.count -= half;
        memmove(tasks, tasks + half, query->tasks.count * sizeof *tasks);
        atomic_store(&run->idle.donated, (uint32_t)run->donated_count);
    }
    pthread_mutex_unlock(&run->lock);
}

/* Takes a share of what has been donated, all of one pair; returns how many tasks. */
static uint32_t take(narrow_run *run, uint32_t *pair, pli_task tasks[MOST_TAKEN])
{
    uint32_t taken = 0;
    pthread_mutex_lock(&run->lock);
    if (run->donated_count > 0) {
        const pli_donated_task *last = &run->scene->donated.data[run->donated_count - 1];
        size_t share = run->donated_count / (atomic_load(&run->idle.workers) + 1) + 1;
        *pair = last->pair;
        while (run->donated_count > 0 && taken < share && taken < MOST_TAKEN &&
               last->pair == *pair) {
            tasks[taken++] = last->task;
            last--;
            run->donated_count--;
        }
        atomic_store(&run->idle.donated, (uint32_t)run->donated_count);
    }
    pthread_mutex_unlock(&run->lock);
    return taken;
}

/* Is idle until something is donated; false when nobody is left who could. */
static bool await_donation(narrow_run *run)
{
    atomic_fetch_sub(&run->at_work, 1);
    atomic_fetch_add(&run->idle.workers, 1);
    bool donated = false, others = true;
    for (uint32_t i = 1; !donated && others; i++) {
        others = atomic_load(&run->at_work) > 0; /* asked first: they donate before they leave */
        donated = atomic_load(&run->idle.donated) > 0;
        if (i % LOOKS == 0) {
            sched_yield();
        }
        pli_pause();
    }
    atomic_fetch_add(&run->at_work, 1);
    atomic_fetch_sub(&run->idle.workers, 1);
    return donated;
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
    pliant_stats *stats = &scene->workers[worker].query->stats;
    stats->nodes_refreshed += made->nodes;
    stats->clusters_refreshed += made->clusters;
    stats->vertices_read += made->vertices;
    bool wanted = body->automatic || body->opened != NULL; /* its strategy goes by these */
    if (scene->worker_count > 1 && wanted) {
        pli_refresh_counts *all = &body->counts;
        __atomic_fetch_add(&all->vertices_on_demand, made->vertices_on_demand, __ATOMIC_RELAXED);
        __atomic_fetch_add(&all->clusters_on_demand, made->clusters_on_demand, __ATOMIC_RELAXED);
    }
}

void pli_scene_count_run(pliant_scene *scene, uint32_t worker, const pli_run *run)
{
    for (int i = 0; i < 2; i++) {
        pli_refresh_counts made = pli_run_refreshed(run, i);
        if (made.nodes != 0 || made.clusters != 0) {
            pli_scene_add_counts(scene, worker, run->body[i], &made);
        }
    }
}

/* Works off all tasks on the worker's stack but those that it donates. */
static pliant_result run_tasks(narrow_run *run, uint32_t pair, pli_walk *walk)
{
    pliant_query *query = walk->run.query;
    walk->run.idle = run->shares ? &run->idle : NULL;
    pliant_result result = pli_walk_work(walk);
    while (run->shares && result == PLIANT_OK && query->tasks.count > 0 && !walk->run.stopped) {
        size_t before = query->tasks.count;
        donate(run, pair, query);
        if (query->tasks.count == before) {
            walk->run.idle = NULL; /* there is no memory for what is donated */
        }
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
    pli_collision_init(&collision, scene->workers[worker].query, a->body, b->body, options);
    collision.walk.run.deadline = run->comparison.deadline;
    pli_scene_set_arenas(&collision.walk.run, a, b, worker);
    pliant_result result = walk_pair(run, pair, &collision.walk, tasks, task_count);
    pli_scene_count_run(scene, worker, &collision.walk.run);
    return result == PLIANT_OK && !collision.walk.run.complete
               ? pli_scene_note_spent(scene, worker, pair)
               : result;
}

/* What is found within a distance is sorted at once, so that parts of it only have to be merged. */
static pliant_result measure_pair(narrow_run *run, uint32_t worker, uint32_t pair,
                                  const pli_task *tasks, uint32_t task_count)
{
    pliant_scene *scene = run->scene;
    pliant_query *query = scene->workers[worker].query;
    size_t first = query->keys.count;
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
    pli_within_init(&within, query, a->body, b->body, run->comparison.distance, &options);
    pli_scene_set_arenas(&within.walk.run, a, b, worker);
    pli_near_prepared(&within.near, &within.walk);
    pliant_result result = walk_pair(run, pair, &within.walk, tasks, task_count);
    pli_scene_count_run(scene, worker, &within.walk.run);
    return result == PLIANT_OK ? pli_result_sort(query, first, 1u << PLI_PROXIMITIES) : result;
}

/* Features too; the triangles that touch are left as pliant_scene_collide() leaves them. */
static pliant_result find_features(narrow_run *run, uint32_t worker, uint32_t pair,
                                   const pli_task *tasks, uint32_t task_count)
{
    pliant_scene *scene = run->scene;
    pli_scene_worker *own = &scene->workers[worker];
    pli_feature_lists *lists = &own->query->features;
    const pli_member *a = &scene->members.data[pli_pair_a(scene->pairs[pair])];
    const pli_member *b = &scene->members.data[pli_pair_b(scene->pairs[pair])];
    pliant_feature_options options = pliant_feature_options_default();
    options.groups_a = a->def.groups;
    options.groups_b = b->def.groups;
    pli_feature_walk features;
    pli_features_init(&features, own->query, a->body, b->body, run->comparison.distance, &options);
    pli_walk *walk = &features.collision.walk;
    pli_scene_set_arenas(&walk->run, a, b, worker);
    pli_features_prepared(&features);
    pliant_result result = walk_pair(run, pair, walk, tasks, task_count);
    pli_scene_count_run(scene, worker, &walk->run);
    pli_result_run found = {pair, worker, lists->sorted.count, 0};
    if (result == PLIANT_OK) {
        result = pli_feature_lists_sort(scene->context, lists, &found.count);
    }
    bool noted = found.count == 0 || PLI_PUSH(scene->context, &own->feature_runs, found);
    return noted ? result : PLIANT_ERROR_OUT_OF_MEMORY;
}

static void compare(narrow_run *run, uint32_t worker, uint32_t pair, const pli_task *tasks,
                    uint32_t task_count)
{
    pliant_scene *scene = run->scene;
    const pliant_query *query = scene->workers[worker].query;
    uint64_t first = query->keys.count;
    PLI_ASSERT(worker < scene->worker_count && pair < scene->pair_count);
    pliant_result result = run->compare(run, worker, pair, tasks, task_count);
    if (result == PLIANT_OK) {
        result = pli_scene_note_run(scene, worker, pair, first, query->keys.count - first);
    }
    if (result != PLIANT_OK) {
        pli_scene_note_failure(&scene->workers[worker], pair, result);
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

static bool accept_tasks(narrow_run *run, uint32_t worker)
{
    pli_task tasks[MOST_TAKEN];
    uint32_t pair = 0, count = take(run, &pair, tasks);
    while (count == 0 && await_donation(run)) {
        count = take(run, &pair, tasks);
    }
    if (count > 0) {
        compare(run, worker, pair, tasks, count);
    }
    return count > 0;
}

static void narrow_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)index;
    narrow_run *run = argument;
    atomic_fetch_add(&run->at_work, 1);
    while (compare_next_pair(run, worker)) {
    }
    while (run->shares && accept_tasks(run, worker)) {
    }
    atomic_fetch_sub(&run->at_work, 1);
}

pliant_result pli_scene_compare_pairs(pliant_scene *scene, const pli_scene_comparison *comparison)
{
    if (scene->pair_count == 0) {
        return PLIANT_OK;
    }
    const pliant_collide_options *collide = comparison->collide;
    narrow_run run = {.scene = scene, .comparison = *comparison};
    run.compare = collide != NULL        ? collide_pair
                  : comparison->features ? find_features
                                         : measure_pair;
    run.shares =
        scene->worker_count > 1 && (collide == NULL || !pli_collision_keeps_order(collide));
    pthread_mutex_init(&run.lock, NULL);
    pli_scene_forget_failures(scene);
    pli_scene_distribute(scene, scene->pair_count);
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_NARROW);
    pliant_result result = pli_stage_run(scene->context, PLIANT_STAGE_SCENE_NARROW, narrow_task,
                                         &run, scene->worker_count);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_NARROW);
    pthread_mutex_destroy(&run.lock);
    return result == PLIANT_OK ? pli_scene_pair_failure(scene) : result;
}
