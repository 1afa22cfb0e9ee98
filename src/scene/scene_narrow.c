/*
 * Comparing the pairs of bodies of a scene, on all workers. Ours.
 *
 * Workers take whole pairs, one after the other. How much work a pair is shows only on the way, so
 * towards the end some have nothing left while others are still at a large pair. Whoever has
 * nothing left waits and is counted; a worker that sees somebody waiting gives away half of its
 * tasks, those that it would come to last, since they are the least opened. So one large pair is
 * spread like many small ones, and nothing is cut up while nobody waits. Tasks are the same however
 * they are spread, and so are counts and results.
 *
 * Where one pair of triangles is enough, what is found depends on the order of the tasks. There
 * each pair of bodies is walked by one worker in the order that a worker alone would take: nothing
 * is given away, and a record that another worker is making is waited for.
 *
 * Nobody waits for a worker that has not begun: a caller's scheduler may run one after the other.
 */
#include "scene.h"

#include "base/assert.h"
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

typedef struct narrow_run {
    _Alignas(64) pli_hunger hunger; /* everybody looks at it after every task */
    pliant_scene *scene;
    const pliant_collide_options *options;
    size_t gift_count; /* of scene->gifts; under the lock, and hunger.given follows it */
    pthread_mutex_t lock;
    _Atomic uint32_t at_work; /* workers that have tasks, or are about to */
    bool shares;              /* tasks may be given away */
} narrow_run;

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

/* ------------------------------------------------------------------ gifts */

/* Gives away half of the tasks on a worker's stack; without memory, none. */
static void give(narrow_run *run, uint32_t pair, pliant_query *query)
{
    pliant_scene *scene = run->scene;
    size_t half = query->task_count / 2;
    pthread_mutex_lock(&run->lock);
    pli_gift *gifts = pli_grow(scene->context, scene->gifts, &scene->gift_room,
                               run->gift_count + half, sizeof *gifts);
    if (gifts != NULL) {
        scene->gifts = gifts;
        for (size_t i = 0; i < half; i++) {
            gifts[run->gift_count++] = (pli_gift){pair, query->tasks[i]};
        }
        query->task_count -= half;
        memmove(query->tasks, query->tasks + half, query->task_count * sizeof *query->tasks);
        atomic_store(&run->hunger.given, (uint32_t)run->gift_count);
    }
    pthread_mutex_unlock(&run->lock);
}

/* Takes a share of what has been given away, all of one pair; returns how many tasks. */
static uint32_t take(narrow_run *run, uint32_t *pair, pli_task tasks[MOST_TAKEN])
{
    uint32_t taken = 0;
    pthread_mutex_lock(&run->lock);
    if (run->gift_count > 0) {
        const pli_gift *last = &run->scene->gifts[run->gift_count - 1];
        size_t share = run->gift_count / (atomic_load(&run->hunger.waiting) + 1) + 1;
        *pair = last->pair;
        while (run->gift_count > 0 && taken < share && taken < MOST_TAKEN && last->pair == *pair) {
            tasks[taken++] = last->task;
            last--;
            run->gift_count--;
        }
        atomic_store(&run->hunger.given, (uint32_t)run->gift_count);
    }
    pthread_mutex_unlock(&run->lock);
    return taken;
}

/* Waits until something is given away; false when nobody is left who could. */
static bool await_gift(narrow_run *run)
{
    atomic_fetch_sub(&run->at_work, 1);
    atomic_fetch_add(&run->hunger.waiting, 1);
    bool given = false, others = true;
    for (uint32_t i = 1; !given && others; i++) {
        others = atomic_load(&run->at_work) > 0; /* asked first: they give before they leave */
        given = atomic_load(&run->hunger.given) > 0;
        if (i % LOOKS == 0) {
            sched_yield();
        }
        pli_pause();
    }
    atomic_fetch_add(&run->at_work, 1);
    atomic_fetch_sub(&run->hunger.waiting, 1);
    return given;
}

/* ----------------------------------------------------------------- a pair */

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

/* Works off all tasks on the worker's stack but those that it gives away. */
static pliant_result run_tasks(narrow_run *run, uint32_t pair, pli_collision *collision)
{
    pliant_query *query = collision->query;
    collision->hunger = run->shares ? &run->hunger : NULL;
    pliant_result result = pli_collision_run(collision);
    while (run->shares && result == PLIANT_OK && query->task_count > 0) {
        size_t before = query->task_count;
        give(run, pair, query);
        if (query->task_count == before) {
            collision->hunger = NULL; /* there is no memory for gifts */
        }
        result = pli_collision_run(collision);
    }
    return result;
}

/* Compares a pair from the start or, where there are tasks, does these. */
static void compare(narrow_run *run, uint32_t worker, uint32_t pair, const pli_task *tasks,
                    uint32_t task_count)
{
    pliant_scene *scene = run->scene;
    pliant_query *query = scene->workers[worker].query;
    uint64_t first = query->key_count;
    const pli_member *members[2] = {&scene->members[pli_pair_a(scene->pairs[pair])],
                                    &scene->members[pli_pair_b(scene->pairs[pair])]};
    pli_refresh_counts before[2];
    pli_collision collision;
    PLI_ASSERT(worker < scene->worker_count && pair < scene->pair_count);
    PLI_ASSERT(members[0]->body->ready && members[1]->body->ready);
    pli_collision_init(&collision, query, members[0]->body, members[1]->body, run->options);
    for (int i = 0; i < 2; i++) {
        collision.room[i] = members[i]->rooms != NULL ? &members[i]->rooms[worker] : NULL;
        before[i] = collision.room[i] == NULL ? members[i]->body->counts : (pli_refresh_counts){0};
    }
    pliant_result result = task_count == 0 ? pli_collision_push_root(&collision) : PLIANT_OK;
    for (uint32_t i = 0; i < task_count && result == PLIANT_OK; i++) {
        result = pli_query_push(collision.query, &tasks[i]);
    }
    if (result == PLIANT_OK) {
        result = run_tasks(run, pair, &collision);
    }
    for (int i = 0; i < 2; i++) {
        pli_refresh_counts made = collision.made[i];
        if (collision.room[i] == NULL && (i == 0 || !collision.within)) {
            made.nodes = members[i]->body->counts.nodes - before[i].nodes;
            made.clusters = members[i]->body->counts.clusters - before[i].clusters;
            made.vertices = members[i]->body->counts.vertices - before[i].vertices;
        }
        if (made.nodes != 0 || made.clusters != 0) {
            pli_scene_add_counts(scene, worker, members[i]->body, &made);
        }
    }
    if (result == PLIANT_OK) {
        result = pli_scene_note_run(scene, worker, pair, first, query->key_count - first);
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
        __builtin_prefetch(&scene->members[pli_pair_b(scene->pairs[pair + 2])]);
    }
    if (pair + 1 < scene->pair_count) {
        const pli_member *member = &scene->members[pli_pair_b(scene->pairs[pair + 1])];
        const char *body = (const char *)member->body;
        for (size_t i = 0; i < sizeof *member->body; i += 64) {
            __builtin_prefetch(body + i);
        }
        if (member->rooms != NULL) {
            __builtin_prefetch(&member->rooms[worker], 1);
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

static bool accept_gift(narrow_run *run, uint32_t worker)
{
    pli_task tasks[MOST_TAKEN];
    uint32_t pair = 0, count = take(run, &pair, tasks);
    while (count == 0 && await_gift(run)) {
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
    while (run->shares && accept_gift(run, worker)) {
    }
    atomic_fetch_sub(&run->at_work, 1);
}

pliant_result pli_scene_compare_pairs(pliant_scene *scene, const pliant_collide_options *options)
{
    if (scene->pair_count == 0) {
        return PLIANT_OK;
    }
    narrow_run run = {.scene = scene, .options = options};
    run.shares = scene->worker_count > 1 && options->mode == PLIANT_COLLIDE_ALL;
    pthread_mutex_init(&run.lock, NULL);
    pli_scene_forget_failures(scene);
    pli_scene_deal(scene, scene->pair_count);
    pliant_result result = pli_context_run(scene->context, narrow_task, &run, scene->worker_count);
    pthread_mutex_destroy(&run.lock);
    return result == PLIANT_OK ? pli_scene_pair_failure(scene) : result;
}
