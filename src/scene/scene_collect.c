/*
 * Bringing the results of all workers together, by pair of bodies. Few are listed by one worker.
 * Where there are many, all do: they count what each pair has, blocks of pairs are summed, and from
 * the sums each pair knows where its results begin. What comes out is the same.
 */
#include "scene.h"

#include "base/context.h"
#include "base/sort.h"

#include <string.h>

enum {
    FEW_RUNS = 1024,    /* are listed sooner than shared out */
    FEW_RESULTS = 4096, /* are copied sooner */
    MOST_BLOCKS = 64,   /* of pairs of bodies */
    PIECES_PER_WORKER = 4
};

pliant_result pli_scene_note_run(pliant_scene *scene, uint32_t worker, uint32_t pair,
                                 uint64_t first, uint64_t count)
{
    pli_scene_worker *own = &scene->workers[worker];
    bool done = count == 0 || PLI_PUSH(scene->context, &own->runs,
                                       (pli_result_run){pair, worker, first, count, 0});
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Whether so many runs are listed by all workers. */
static bool is_spread(const pliant_scene *scene, size_t count)
{
    return scene->worker_count > 1 && count >= FEW_RUNS;
}

/* Makes room for lists of all runs; scene->runs.count is then their number. */
static pliant_result reserve_runs(pliant_scene *scene)
{
    size_t count = 0;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        count += scene->workers[w].runs.count;
    }
    bool many = is_spread(scene, count) && count < scene->pair_count;
    size_t most = many ? scene->pair_count : count; /* counts by pair, else a key per run */
    bool done = PLI_RESERVE(scene->context, &scene->runs, count) &&
                PLI_RESERVE(scene->context, &scene->order, most) &&
                PLI_RESERVE(scene->context, &scene->order_scratch, most) &&
                PLI_RESERVE(scene->context, &scene->answer, count);
    scene->runs.count = done ? count : 0;
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_scene_pair pli_scene_name_pair(const pliant_scene *scene, uint64_t pair)
{
    const pli_member *a = &scene->members.data[pli_pair_a(pair)];
    const pli_member *b = &scene->members.data[pli_pair_b(pair)];
    return (pliant_scene_pair){.a = {pli_pair_a(pair), a->generation},
                               .b = {pli_pair_b(pair), b->generation},
                               .user_a = a->def.user,
                               .user_b = b->def.user,
                               .complete = true};
}

/* ----------------------------------------------------------- by one worker */

/* Where the i-th of all workers' runs is, one worker's after the other's. */
static const pli_result_run *find_run(const pliant_scene *scene, size_t i)
{
    uint32_t w = 0;
    while (i >= scene->workers[w].runs.count) {
        i -= scene->workers[w++].runs.count;
    }
    return &scene->workers[w].runs.data[i];
}

/* Puts all workers' runs in the order of their pairs. */
static void order_runs(pliant_scene *scene)
{
    uint64_t *order = scene->order.data;
    size_t count = 0;
    bool in_order = true;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        for (size_t r = 0; r < scene->workers[w].runs.count; r++, count++) {
            uint64_t key = (uint64_t)scene->workers[w].runs.data[r].pair << 32 | count;
            in_order = in_order && (count == 0 || order[count - 1] < key);
            order[count] = key;
        }
    }
    if (!in_order) {
        pli_sort_keys(order, scene->order_scratch.data, NULL, NULL, count);
    }
    for (size_t i = 0; i < count; i++) {
        scene->runs.data[i] = *find_run(scene, (uint32_t)order[i]);
    }
}

static uint64_t list_few(pliant_scene *scene)
{
    uint64_t total = 0;
    uint32_t touching = 0, last = UINT32_MAX;
    order_runs(scene);
    for (size_t r = 0; r < scene->runs.count; r++) {
        pli_result_run *run = &scene->runs.data[r];
        if (run->pair != last) {
            scene->answer.data[touching] = pli_scene_name_pair(scene, scene->pairs[run->pair]);
            scene->answer.data[touching++].first = total;
            last = run->pair;
        }
        scene->answer.data[touching - 1].count += run->count;
        run->to = total;
        total += run->count;
    }
    scene->stats.pairs_touching = touching;
    return total;
}

/* ---------------------------------------------------------- by all workers */

/* Pairs that have results, runs and results. */
typedef struct block_sum {
    uint64_t pairs, runs, results;
} block_sum;

/* A listing that is spread: counts per pair are in scene->order (results) and scene->order_scratch
   (runs), and become where the next one goes. */
typedef struct listing {
    pliant_scene *scene;
    block_sum sums[MOST_BLOCKS + 1]; /* of each block, then of all before */
} listing;

static uint32_t block_begin(const pliant_scene *scene, uint32_t block)
{
    return (uint32_t)((uint64_t)scene->pair_count * block / MOST_BLOCKS);
}

static void clear_block(void *argument, uint32_t block, uint32_t worker)
{
    (void)worker;
    const pliant_scene *scene = ((const listing *)argument)->scene;
    uint32_t first = block_begin(scene, block), count = block_begin(scene, block + 1) - first;
    memset(scene->order.data + first, 0, count * sizeof *scene->order.data);
    memset(scene->order_scratch.data + first, 0, count * sizeof *scene->order.data);
}

static void count_runs(void *argument, uint32_t list, uint32_t worker)
{
    (void)worker;
    const pliant_scene *scene = ((const listing *)argument)->scene;
    const pli_scene_worker *from = &scene->workers[list];
    for (size_t r = 0; r < from->runs.count; r++) {
        const pli_result_run *run = &from->runs.data[r];
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &scene->order.data[run->pair]), run->count,
                                  memory_order_relaxed);
        atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &scene->order_scratch.data[run->pair]), 1,
                                  memory_order_relaxed);
    }
}

static void sum_block(void *argument, uint32_t block, uint32_t worker)
{
    (void)worker;
    listing *all = argument;
    const pliant_scene *scene = all->scene;
    block_sum sum = {0, 0, 0};
    for (uint32_t p = block_begin(scene, block); p < block_begin(scene, block + 1); p++) {
        sum.pairs += scene->order_scratch.data[p] > 0;
        sum.runs += scene->order_scratch.data[p];
        sum.results += scene->order.data[p];
    }
    all->sums[block] = sum;
}

/* Sums of single blocks become those of all blocks before each. */
static void add_up(listing *all)
{
    block_sum before = {0, 0, 0};
    for (uint32_t i = 0; i <= MOST_BLOCKS; i++) {
        block_sum own = all->sums[i];
        all->sums[i] = before;
        before.pairs += own.pairs;
        before.runs += own.runs;
        before.results += own.results;
    }
}

static void list_block(void *argument, uint32_t block, uint32_t worker)
{
    (void)worker;
    const listing *all = argument;
    pliant_scene *scene = all->scene;
    block_sum at = all->sums[block];
    for (uint32_t p = block_begin(scene, block); p < block_begin(scene, block + 1); p++) {
        uint64_t results = scene->order.data[p], runs = scene->order_scratch.data[p];
        if (runs > 0) {
            pliant_scene_pair *pair = &scene->answer.data[at.pairs++];
            *pair = pli_scene_name_pair(scene, scene->pairs[p]);
            pair->first = at.results;
            pair->count = results;
        }
        scene->order.data[p] = at.results;
        scene->order_scratch.data[p] = at.runs;
        at.results += results;
        at.runs += runs;
    }
}

static void place_runs(void *argument, uint32_t list, uint32_t worker)
{
    (void)worker;
    pliant_scene *scene = ((listing *)argument)->scene;
    const pli_scene_worker *from = &scene->workers[list];
    for (size_t r = 0; r < from->runs.count; r++) {
        pli_result_run run = from->runs.data[r];
        run.to = atomic_fetch_add_explicit(PLI_SHARED(uint64_t, &scene->order.data[run.pair]),
                                           run.count, memory_order_relaxed);
        uint64_t at = atomic_fetch_add_explicit(
            PLI_SHARED(uint64_t, &scene->order_scratch.data[run.pair]), 1, memory_order_relaxed);
        scene->runs.data[at] = run;
    }
}

static pliant_result list_many(pliant_scene *scene, uint64_t *total)
{
    listing all = {.scene = scene};
    pliant_context *context = scene->context;
    pliant_result result = pli_context_run(context, clear_block, &all, MOST_BLOCKS);
    if (result == PLIANT_OK) {
        result = pli_context_run(context, count_runs, &all, scene->worker_count);
    }
    if (result == PLIANT_OK) {
        result = pli_context_run(context, sum_block, &all, MOST_BLOCKS);
    }
    add_up(&all);
    if (result == PLIANT_OK) {
        result = pli_context_run(context, list_block, &all, MOST_BLOCKS);
    }
    if (result == PLIANT_OK) {
        result = pli_context_run(context, place_runs, &all, scene->worker_count);
    }
    *total = all.sums[MOST_BLOCKS].results;
    scene->stats.pairs_touching = (uint32_t)all.sums[MOST_BLOCKS].pairs;
    return result;
}

static pliant_result list_answer(pliant_scene *scene, uint64_t *total)
{
    *total = 0;
    pliant_result result = reserve_runs(scene);
    if (result != PLIANT_OK) {
        return result;
    }
    if (is_spread(scene, scene->runs.count)) {
        return list_many(scene, total);
    }
    *total = list_few(scene);
    return PLIANT_OK;
}

pliant_result pli_scene_list_answer(pliant_scene *scene, uint64_t *total)
{
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_COLLECT);
    pliant_result result = list_answer(scene, total);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_COLLECT);
    return result;
}

/* ----------------------------------------------------------------- copying */

typedef struct copying {
    const pliant_scene *scene;
    char *to;
    pli_array_of_results source;
    size_t size; /* of a result */
    uint32_t pieces;
} copying;

static void copy_piece(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const copying *all = argument;
    const pliant_scene *scene = all->scene;
    size_t first = scene->runs.count * index / all->pieces;
    size_t end = scene->runs.count * (index + 1) / all->pieces;
    for (size_t r = first; r < end; r++) {
        const pli_result_run *run = &scene->runs.data[r];
        const char *from = all->source(scene->workers[run->worker].query);
        memcpy(all->to + run->to * all->size, from + run->first * all->size,
               (size_t)run->count * all->size);
    }
}

pliant_result pli_scene_copy_results(pliant_scene *scene, uint64_t total,
                                     pli_array_of_results source, size_t size, void *to)
{
    bool few = total < FEW_RESULTS || scene->worker_count == 1;
    copying all = {.scene = scene,
                   .to = to,
                   .source = source,
                   .size = size,
                   .pieces = few ? 1 : PIECES_PER_WORKER * scene->worker_count};
    return pli_context_run(scene->context, copy_piece, &all, all.pieces);
}
