/*
 * Sorting of many keys on all workers: they are cut into buckets by splitters from a sample. Pieces
 * of the keys are counted and then moved, in order, so that sorting is stable.
 */
#include "sort.h"

#include "workers.h"

#include <string.h>

enum { MOST_PIECES = 64, MOST_BUCKETS = 64, SAMPLES_PER_BUCKET = 8 };

typedef struct bucket_sort {
    pli_sorted_arrays of;
    size_t count;
    uint32_t pieces, buckets;
    void (*convert)(uint64_t *keys, size_t count);
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
        samples[i] = sort->of.keys[sort->count * i / count];
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
        sort->at[index][find_bucket(sort, sort->of.keys[i])]++;
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
        uint64_t key = sort->of.keys[i];
        size_t to = sort->at[index][find_bucket(sort, key)]++;
        sort->of.key_scratch[to] = key;
        if (sort->of.values != NULL) {
            sort->of.value_scratch[to] = sort->of.values[i];
        }
    }
}

static void sort_bucket(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const bucket_sort *sort = argument;
    size_t first = sort->begin[index], count = sort->begin[index + 1] - first;
    size_t bytes = count * sizeof *sort->of.keys;
    bool valued = sort->of.values != NULL;
    pli_sort_keys(sort->of.key_scratch + first, sort->of.keys + first,
                  valued ? sort->of.value_scratch + first : NULL,
                  valued ? sort->of.values + first : NULL, count);
    memcpy(sort->of.keys + first, sort->of.key_scratch + first, bytes);
    if (valued) {
        memcpy(sort->of.values + first, sort->of.value_scratch + first, bytes);
    }
    if (sort->convert != NULL) {
        sort->convert(sort->of.keys + first, count);
    }
}

pliant_result pli_sort_shared(pliant_context *context, pli_sorted_arrays arrays, size_t count,
                              void (*convert)(uint64_t *keys, size_t count))
{
    uint32_t workers = pliant_context_get_worker_count(context);
    bucket_sort sort = {.of = arrays,
                        .count = count,
                        .pieces = workers < MOST_PIECES ? workers : MOST_PIECES,
                        .buckets = 2 * workers < MOST_BUCKETS ? 2 * workers : MOST_BUCKETS,
                        .convert = convert};
    choose_splitters(&sort);
    pliant_result result = pli_context_run(context, count_piece, &sort, sort.pieces);
    if (result == PLIANT_OK) {
        place_buckets(&sort);
        result = pli_context_run(context, scatter_piece, &sort, sort.pieces);
    }
    return result == PLIANT_OK ? pli_context_run(context, sort_bucket, &sort, sort.buckets)
                               : result;
}
