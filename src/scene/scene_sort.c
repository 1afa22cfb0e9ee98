/*
 * Sorting the keys of each pair of bodies of the answer. Workers take some pairs at a time; one
 * with more than a worker's share of all keys is cut into buckets first, by splitters from a
 * sample, so that all workers sort it.
 */
#include "scene.h"

#include "base/context.h"
#include "base/sort.h"
#include "base/workers.h"
#include "query/result.h"

#include <string.h>

enum {
    FEW_KEYS = 1024,  /* are sorted sooner than shared out */
    MANY_KEYS = 2048, /* of one pair may be cut up */
    PORTIONS_PER_WORKER = 16,
    MOST_PIECES = 64,
    MOST_BUCKETS = 64,
    SAMPLES_PER_BUCKET = 8
};

/* ----------------------------------------------------------- one large pair */

typedef struct bucket_sort {
    uint64_t *keys, *scratch;
    size_t count;
    uint32_t pieces, buckets;
    uint64_t splitters[MOST_BUCKETS]; /* bucket b has what is below splitters[b] */
    /* Per piece and bucket: how many keys, then where they go; per bucket where it begins. */
    size_t at[MOST_PIECES][MOST_BUCKETS], begin[MOST_BUCKETS + 1];
} bucket_sort;

static uint32_t find_bucket(const bucket_sort *sort, uint64_t key)
{
    uint32_t low = 0, high = sort->buckets - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (key < sort->splitters[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void choose_splitters(bucket_sort *sort)
{
    uint64_t samples[MOST_BUCKETS * SAMPLES_PER_BUCKET], scratch[MOST_BUCKETS * SAMPLES_PER_BUCKET];
    size_t count = (size_t)sort->buckets * SAMPLES_PER_BUCKET;
    for (size_t i = 0; i < count; i++) {
        samples[i] = sort->keys[sort->count * i / count];
    }
    pli_sort_keys(samples, scratch, NULL, NULL, count);
    for (uint32_t b = 0; b + 1 < sort->buckets; b++) {
        sort->splitters[b] = samples[(b + 1) * SAMPLES_PER_BUCKET];
    }
}

static void count_piece(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    bucket_sort *sort = argument;
    size_t end = sort->count * (index + 1) / sort->pieces;
    for (uint32_t b = 0; b < sort->buckets; b++) {
        sort->at[index][b] = 0;
    }
    for (size_t i = sort->count * index / sort->pieces; i < end; i++) {
        sort->at[index][find_bucket(sort, sort->keys[i])]++;
    }
}

static void place_buckets(bucket_sort *sort)
{
    size_t next = 0;
    for (uint32_t b = 0; b < sort->buckets; b++) {
        sort->begin[b] = next;
        for (uint32_t p = 0; p < sort->pieces; p++) {
            size_t count = sort->at[p][b];
            sort->at[p][b] = next;
            next += count;
        }
    }
    sort->begin[sort->buckets] = next;
}

static void scatter_piece(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    bucket_sort *sort = argument;
    size_t end = sort->count * (index + 1) / sort->pieces;
    for (size_t i = sort->count * index / sort->pieces; i < end; i++) {
        uint64_t key = sort->keys[i];
        sort->scratch[sort->at[index][find_bucket(sort, key)]++] = key;
    }
}

static void sort_bucket(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const bucket_sort *sort = argument;
    size_t first = sort->begin[index], count = sort->begin[index + 1] - first;
    pli_sort_keys(sort->scratch + first, sort->keys + first, NULL, NULL, count);
    memcpy(sort->keys + first, sort->scratch + first, count * sizeof *sort->keys);
    pli_keys_to_pairs(sort->keys + first, count);
}

static pliant_result sort_large(pliant_scene *scene, const pliant_scene_pair *pair)
{
    uint32_t workers = scene->worker_count;
    bucket_sort sort = {.keys = scene->keys.data + pair->first,
                        .scratch = scene->key_scratch.data + pair->first,
                        .count = (size_t)pair->count,
                        .pieces = workers < MOST_PIECES ? workers : MOST_PIECES,
                        .buckets = 2 * workers < MOST_BUCKETS ? 2 * workers : MOST_BUCKETS};
    choose_splitters(&sort);
    pliant_result result = pli_context_run(scene->context, count_piece, &sort, sort.pieces);
    if (result == PLIANT_OK) {
        place_buckets(&sort);
        result = pli_context_run(scene->context, scatter_piece, &sort, sort.pieces);
    }
    return result == PLIANT_OK ? pli_context_run(scene->context, sort_bucket, &sort, sort.buckets)
                               : result;
}

/* ---------------------------------------------------------------- all pairs */

typedef struct pair_sort {
    pliant_scene *scene;
    uint64_t large; /* pairs of so many keys or more are listed instead */
    uint32_t portion;
    PLI_ATOMIC(uint32_t) large_count;
    uint32_t large_pairs[PLI_MAX_WORKERS]; /* each has more than a worker's share */
} pair_sort;

/* The keys of some of the answer's pairs become pairs of triangles, in ascending order. */
static void sort_portion(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    pair_sort *sort = argument;
    const pliant_scene *scene = sort->scene;
    uint32_t first = index * sort->portion, rest = scene->stats.pairs_touching - first;
    for (uint32_t p = first; p - first < sort->portion && p - first < rest; p++) {
        const pliant_scene_pair *pair = &scene->answer.data[p];
        if (pair->count >= sort->large) {
            sort->large_pairs[sort->large_count++] = p;
            continue;
        }
        uint64_t *keys = scene->keys.data + pair->first;
        pli_sort_keys(keys, scene->key_scratch.data + pair->first, NULL, NULL, (size_t)pair->count);
        pli_keys_to_pairs(keys, (size_t)pair->count);
    }
}

pliant_result pli_scene_sort_keys(pliant_scene *scene, uint64_t total)
{
    uint32_t touching = scene->stats.pairs_touching, workers = scene->worker_count;
    pair_sort sort = {.scene = scene, .large = UINT64_MAX, .portion = touching};
    if (workers > 1 && total > FEW_KEYS) {
        sort.portion = touching / (PORTIONS_PER_WORKER * workers) + 1;
        sort.large = total / workers < MANY_KEYS ? MANY_KEYS : total / workers + 1;
    }
    uint32_t pieces = touching > 0 ? (touching - 1) / sort.portion + 1 : 0;
    pliant_result result =
        pli_stage_run(scene->context, PLIANT_STAGE_SCENE_SORT, sort_portion, &sort, pieces);
    for (uint32_t i = 0; i < sort.large_count && result == PLIANT_OK; i++) {
        result = sort_large(scene, &scene->answer.data[sort.large_pairs[i]]);
    }
    return result;
}
