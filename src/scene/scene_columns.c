/*
 * Bringing contacts together that have segments or separations, and meetings: the keys of each pair
 * of bodies are sorted together with where each was found, and what was found there follows.
 * Everything is spread over the workers: sorting by pairs of bodies, following by ranges of the
 * answer.
 */
#include "scene_contacts.h"

#include "base/sort.h"
#include "query/result.h"

#include <string.h>

enum {
    PORTIONS_PER_WORKER = 16, /* of the pairs of bodies to be sorted */
    FOLLOWING = 4096          /* elements that follow at a time */
};

typedef struct column_stage {
    pliant_scene *scene;
    uint64_t total;
    uint32_t portion; /* pairs of bodies sorted at a time */
    unsigned columns;
} column_stage;

/* Where a key was found: by which worker, as which of its keys. */
static uint64_t place_of(uint32_t worker, uint64_t number)
{
    return (uint64_t)worker << 48 | number;
}

/* ------------------------------------------------------------------ sorting */

size_t pli_scene_first_run(const pliant_scene *scene, const pliant_scene_pair *pair)
{
    uint64_t key = pli_scene_pair_key(pair->a, pair->b);
    size_t low = 0, high = scene->runs.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (scene->pairs[scene->runs.data[middle].pair] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Copies the keys of a pair of bodies from the workers, run by run from *r on. */
static void copy_keys(pliant_scene *scene, const pliant_scene_pair *pair, size_t *r)
{
    uint64_t at = pair->first;
    for (; at < pair->first + pair->count; ++*r) {
        const pli_result_run *run = &scene->runs.data[*r];
        const uint64_t *keys = scene->workers[run->worker].query->keys.data + run->first;
        memcpy(scene->keys.data + at, keys, (size_t)run->count * sizeof *keys);
        for (uint64_t i = 0; i < run->count; i++) {
            scene->order.data[at + i] = place_of(run->worker, run->first + i);
        }
        at += run->count;
    }
}

static void sort_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const column_stage *stage = argument;
    pliant_scene *scene = stage->scene;
    uint32_t touching = scene->stats.pairs_touching, first = index * stage->portion;
    uint32_t end = touching - first < stage->portion ? touching : first + stage->portion;
    size_t r = pli_scene_first_run(scene, &scene->answer.data[first]);
    for (uint32_t p = first; p < end; p++) {
        const pliant_scene_pair *pair = &scene->answer.data[p];
        uint64_t *keys = scene->keys.data + pair->first;
        copy_keys(scene, pair, &r);
        pli_sort_keys(keys, scene->key_scratch.data + pair->first, scene->order.data + pair->first,
                      scene->order_scratch.data + pair->first, (size_t)pair->count);
        pli_keys_to_pairs(keys, (size_t)pair->count);
    }
}

/* ---------------------------------------------------------------- following */

/* Copies elements of a size that the compiler knows. */
static inline void follow(const pliant_scene *scene, pli_column column, void *to, uint64_t first,
                          uint64_t end, size_t size)
{
    for (uint64_t i = first; i < end; i++) {
        uint64_t place = scene->order.data[i];
        const char *found = scene->workers[place >> 48].query->columns[column].found.data;
        memcpy((char *)to + i * size, found + (place & UINT64_MAX >> 16) * size, size);
    }
}

static void follow_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const column_stage *stage = argument;
    const pliant_scene *scene = stage->scene;
    uint64_t first = (uint64_t)index * FOLLOWING;
    uint64_t end = stage->total - first < FOLLOWING ? stage->total : first + FOLLOWING;
    if (stage->columns >> PLI_SEGMENTS & 1) {
        follow(scene, PLI_SEGMENTS, scene->segments.data, first, end, sizeof(pliant_segment));
    }
    if (stage->columns >> PLI_SEPARATIONS & 1) {
        follow(scene, PLI_SEPARATIONS, scene->separations.data, first, end,
               sizeof(pliant_separation));
    }
    if (stage->columns >> PLI_MEETINGS & 1) {
        follow(scene, PLI_MEETINGS, scene->meetings.data, first, end, sizeof(pliant_meeting));
    }
}

static bool reserve(const column_stage *stage)
{
    pliant_scene *scene = stage->scene;
    pliant_context *context = scene->context;
    size_t total = (size_t)stage->total;
    bool segments = stage->columns >> PLI_SEGMENTS & 1;
    bool separations = stage->columns >> PLI_SEPARATIONS & 1;
    bool meetings = stage->columns >> PLI_MEETINGS & 1;
    return PLI_RESERVE(context, &scene->keys, total) &&
           PLI_RESERVE(context, &scene->key_scratch, total) &&
           PLI_RESERVE(context, &scene->order, total) &&
           PLI_RESERVE(context, &scene->order_scratch, total) &&
           (!segments || PLI_RESERVE(context, &scene->segments, total)) &&
           (!separations || PLI_RESERVE(context, &scene->separations, total)) &&
           (!meetings || (PLI_RESERVE(context, &scene->meetings, total) &&
                          PLI_RESERVE(context, &scene->meeting_scratch, total)));
}

pliant_result pli_scene_gather_columns(pliant_scene *scene, uint64_t total, unsigned columns)
{
    uint32_t touching = scene->stats.pairs_touching;
    column_stage stage = {.scene = scene, .total = total, .columns = columns};
    if (columns == 0 || total == 0) {
        return pli_scene_gather_keys(scene, total);
    }
    if (!reserve(&stage)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    stage.portion = touching / (PORTIONS_PER_WORKER * scene->worker_count) + 1;
    pliant_result result =
        pli_context_run(scene->context, sort_task, &stage, (touching - 1) / stage.portion + 1);
    uint64_t ranges = (total - 1) / FOLLOWING + 1;
    return result == PLIANT_OK
               ? pli_context_run(scene->context, follow_task, &stage, (uint32_t)ranges)
               : result;
}
