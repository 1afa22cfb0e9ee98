/*
 * Narrow phase of a scene: compares the pairs of bodies on all workers. Ours.
 *
 * Each worker takes whole pairs. The cost of a pair is not known in advance, so some workers finish
 * while others still walk a large pair. A worker without work is idle and counted. A worker that
 * sees an idle one donates half of its tasks to it. It donates the oldest tasks because they have
 * the largest subtrees. So one large pair is spread like many small ones. The tasks are the same
 * for any number of workers, and so are counts and results.
 *
 * Nothing is locked, and an idle worker reads only its own line of memory. A donor reserves an idle
 * worker by counting down, takes a bit out of the set of idle workers, and writes the tasks to the
 * line of that worker.
 *
 * If one pair of triangles is enough, or the number of tasks is limited, the result depends on the
 * order of the tasks. Then one worker walks each pair of bodies in the order of a single worker:
 * nothing is donated, and it waits for records that another worker is making.
 *
 * No worker waits for one that has not begun: a caller's scheduler may run them one by one.
 */
#include "query_kind.h"

#include "base/error.h"
#include "base/context.h"
#include "base/thread.h"
#include "base/workers.h"

#include <string.h>

typedef struct narrow_run {
    _Alignas(64) pli_idle idle; /* every worker reads it after every task */
    _Alignas(64)
        PLI_ATOMIC(uint64_t) idle_set[PLI_MAX_WORKERS / 64]; /* counted there or reserved */
    PLI_ATOMIC(uint32_t) at_work; /* workers that have tasks, or will be given some */
    _Alignas(64) pliant_scene *scene;
    const pli_comparison *comparison;
    bool shares; /* tasks may be donated */
    bool builds; /* workers other than 0 build the trees that some bodies want */
    PLI_ATOMIC(uint32_t) next_build; /* the slot that is looked at next */
} narrow_run;

enum { LOOKS = 256 }; /* before others are let have the core */

/* --------------------------------------------------------- donated tasks */

/* Reserves an idle worker; false if there is none. */
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

/* Donates half of the tasks on a worker's stack to an idle worker. */
static void donate(narrow_run *run, uint32_t pair, pli_worker *worker)
{
    if (!reserve_idle(run)) {
        return;
    }
    pli_donation *idle = &run->scene->queries->donations.data[take_idle(run)];
    size_t half = worker->tasks.count / 2;
    half = half < PLI_MOST_DONATED ? half : PLI_MOST_DONATED;
    PLI_ASSERT(half > 0 && atomic_load(&idle->count) == 0);
    pli_task *tasks = worker->tasks.data;
    memcpy(idle->tasks, tasks, half * sizeof *tasks);
    idle->pair = pair;
    worker->tasks.count -= half;
    memmove(tasks, tasks + half, worker->tasks.count * sizeof *tasks);
    atomic_fetch_add(&run->at_work, 1); /* in its name */
    atomic_store_explicit(&idle->count, (uint32_t)half, memory_order_release);
}

/* Is idle until tasks are donated; returns how many, 0 if no worker is left that could. */
static uint32_t await_donation(narrow_run *run, uint32_t worker)
{
    PLI_ATOMIC(uint32_t) *donated = &run->scene->queries->donations.data[worker].count;
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

/* Works off all tasks on the worker's stack except those that it donates. */
static pliant_result run_tasks(narrow_run *run, uint32_t number, pli_walk *walk)
{
    pli_worker *worker = walk->run.worker;
    bool shares = run != NULL && run->shares;
    walk->run.idle = shares ? &run->idle : NULL;
    pliant_result result = pli_walk_work(walk);
    while (shares && result == PLIANT_OK && worker->tasks.count > 0 && !walk->run.stopped) {
        donate(run, number, worker);
        result = pli_walk_work(walk);
    }
    return result;
}

/* The visitor of a worker, set up for a pair; NULL if nothing is to be done, or without memory. */
static inline pli_walk *begin(const pli_comparison *c, pli_worker *worker, const pli_pair *pair,
                              pliant_result *result)
{
    bool there = PLI_CREATE(worker->context, &worker->visitor, PLI_VISITOR_BYTES);
    pli_walk *walk = (pli_walk *)(void *)worker->visitor.data;
    *result = there ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    if (!there || !c->kind->begin(walk, worker, c, pair)) {
        return NULL;
    }
    walk->run.budget = c->plan.budget_nodes;
    walk->run.deadline = c->deadline;
    walk->run.keeps_order = c->plan.keeps_order;
    if (walk->makes_records) {
        pli_run_set_arenas(&walk->run, pair->arena[0], pair->arena[1]);
    }
    return walk;
}

pliant_result pli_compare_bodies(const pli_comparison *c, pli_worker *worker, const pli_pair *pair)
{
    pliant_result result;
    pli_walk *walk = begin(c, worker, pair, &result);
    if (walk == NULL || c->kind->work != NULL) {
        return walk != NULL ? c->kind->work(walk) : result;
    }
    result = pli_walk_push_meeting_roots(walk);
    return result == PLIANT_OK ? run_tasks(NULL, 0, walk) : result;
}

/* The tasks of a pair from the start or, if there are some, those. */
static pliant_result work_pair(narrow_run *run, uint32_t number, pli_walk *walk,
                               const pli_task *tasks, uint32_t task_count)
{
    if (run->comparison->kind->work != NULL) {
        return run->comparison->kind->work(walk);
    }
    pliant_result result = task_count == 0 ? pli_walk_push_meeting_roots(walk) : PLIANT_OK;
    for (uint32_t i = 0; i < task_count && result == PLIANT_OK; i++) {
        result = pli_run_push(&walk->run, &tasks[i]);
    }
    return result == PLIANT_OK ? run_tasks(run, number, walk) : result;
}

static void count_run(pliant_scene *scene, uint32_t worker, const pli_run *run)
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

static inline void set_member(pli_pair *pair, int which, const pli_member *member, bool over_step,
                              uint32_t worker)
{
    pair->body[which] = pli_member_body(member, over_step);
    pair->arena[which] = pli_member_arena(member, over_step, worker);
    pair->groups[which] = member->def.groups.bits != NULL ? &member->def.groups : NULL;
    pair->proxies[which] = member->def.proxies;
    PLI_ASSERT(pair->body[which]->ready);
}

static void compare(narrow_run *run, uint32_t worker, uint32_t number, const pli_task *tasks,
                    uint32_t task_count)
{
    pliant_scene *scene = run->scene;
    const pli_comparison *c = run->comparison;
    pli_worker *own = &scene->queries->workers[worker];
    PLI_ASSERT(worker < scene->worker_count && number < scene->pair_count);
    pli_found_before before = pli_worker_found(own, c->kind->list_count);
    const pli_member *members = scene->members.data;
    uint64_t both = scene->pairs[number];
    pli_pair pair;
    set_member(&pair, 0, &members[pli_pair_a(both)], c->kind->over_step, worker);
    set_member(&pair, 1, &members[pli_pair_b(both)], c->kind->over_step, worker);
    pliant_result result;
    pli_walk *walk = begin(c, own, &pair, &result);
    if (walk != NULL) {
        result = work_pair(run, number, walk, tasks, task_count);
        if (walk->makes_records) {
            count_run(scene, worker, &walk->run);
        }
        if (result == PLIANT_OK && !walk->run.complete) {
            result = pli_worker_note_over_budget(own, number);
        }
    }
    if (result == PLIANT_OK && pli_worker_has_found(own, &before, c->kind->list_count)) {
        result = pli_worker_note_found(own, worker, number, &before, c->kind->list_count);
    }
    if (result != PLIANT_OK) {
        pli_team_note_failure(&scene->team, worker, number, result);
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
        if (member->over[false].arenas != NULL) {
            __builtin_prefetch(&member->over[false].arenas[worker], 1);
        }
    }
}

static bool compare_next_pair(narrow_run *run, uint32_t worker)
{
    uint32_t pair = 0, count = pli_team_take(&run->scene->team, worker, 1, &pair);
    if (count > 0) {
        if (run->comparison->kind->fetch_ahead != NULL) {
            run->comparison->kind->fetch_ahead(run->scene, pair);
        } else {
            fetch_ahead(run->scene, pair, worker);
        }
        compare(run, worker, pair, NULL, 0);
    }
    return count > 0;
}

/* Awaits tasks and does them; false when none will come. */
static bool accept_tasks(narrow_run *run, uint32_t worker)
{
    pli_donation *own = &run->scene->queries->donations.data[worker];
    uint32_t count = await_donation(run, worker);
    if (count > 0) {
        compare(run, worker, own->pair, own->tasks, count);
        atomic_store_explicit(&own->count, 0, memory_order_relaxed);
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

pliant_result pli_compare_pairs(pliant_scene *scene, const pli_comparison *c)
{
    if (scene->pair_count == 0) {
        return PLIANT_OK;
    }
    narrow_run run = {.scene = scene, .comparison = c};
    uint32_t workers = scene->worker_count;
    run.builds = workers > 1 && atomic_exchange(&scene->host.builds, false);
    run.shares = workers > 1 && !c->plan.keeps_order;
    if (!run.shares && !run.builds && scene->pair_count < workers) {
        workers = scene->pair_count;
    }
    pli_team_forget_failures(&scene->team);
    pli_team_distribute(&scene->team, scene->pair_count);
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_NARROW);
    pliant_result result =
        pli_stage_run(scene->context, PLIANT_STAGE_SCENE_NARROW, narrow_task, &run, workers);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_NARROW);
    return result == PLIANT_OK ? pli_scene_pair_failure(scene) : result;
}
