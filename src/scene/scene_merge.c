/*
 * Bringing together what the workers found within a distance. That is sorted run by run, so that it
 * is copied, or merged where several workers had a share in one pair.
 */
#include "scene_contacts.h"

#include <string.h>

enum {
    FEW_BYTES = 1 << 16, /* that are copied sooner than shared out */
    PORTIONS_PER_WORKER = 16
};

typedef struct merging {
    pliant_scene *scene;
    const pli_sorted_runs *sorted;
    char *to;
    uint32_t portion; /* pairs of bodies at a time */
} merging;

/* Runs are a heap: none comes before the one above it, which is at (i - 1) / 2. Run i may. */
static void sift_down(const pli_sorted_runs *sorted, pli_rest_of_run *heap, size_t count, size_t i)
{
    for (size_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
        child += child + 1 < count && sorted->comes_first(heap[child + 1].next, heap[child].next);
        if (!sorted->comes_first(heap[child].next, heap[i].next)) {
            return;
        }
        pli_rest_of_run above = heap[i];
        heap[i] = heap[child];
        heap[child] = above;
        i = child;
    }
}

/* Merges what several workers found about one pair of bodies. */
static void merge_pair(const pli_sorted_runs *sorted, pli_rest_of_run *heap, size_t count, char *to)
{
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(sorted, heap, count, i);
    }
    for (; count > 1; to += sorted->size) {
        memcpy(to, heap[0].next, sorted->size);
        heap[0].next += sorted->size;
        if (heap[0].next == heap[0].end) {
            heap[0] = heap[--count];
        }
        sift_down(sorted, heap, count, 0);
    }
    memcpy(to, heap[0].next, (size_t)(heap[0].end - heap[0].next));
}

/* Lists the runs of the pair that run `first` is about; returns how many. */
static size_t list_runs(const merging *m, size_t first, pli_rest_of_run *rests)
{
    const pliant_scene *scene = m->scene;
    size_t count = 0;
    for (size_t r = first;
         r < scene->runs.count && scene->runs.data[r].pair == scene->runs.data[first].pair; r++) {
        const pli_result_run *run = &scene->runs.data[r];
        const char *found = m->sorted->found(scene->workers[run->worker].query);
        found += run->first * m->sorted->size;
        rests[count++] = (pli_rest_of_run){found, found + run->count * m->sorted->size};
    }
    return count;
}

static void merge_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const merging *m = argument;
    const pliant_scene *scene = m->scene;
    uint32_t first = index * m->portion, rest = scene->stats.pairs_touching - first;
    uint32_t end = first + (rest < m->portion ? rest : m->portion);
    size_t run = pli_scene_first_run(scene, &scene->answer.data[first]);
    for (uint32_t p = first; p < end; p++) {
        pli_rest_of_run *rests = scene->rests.data + run; /* nobody else's */
        size_t count = list_runs(m, run, rests);
        merge_pair(m->sorted, rests, count, m->to + scene->answer.data[p].first * m->sorted->size);
        run += count;
    }
}

pliant_result pli_scene_merge_runs(pliant_scene *scene, const pli_sorted_runs *sorted,
                                   uint64_t total, pli_array *scratch, const void **merged)
{
    uint32_t pairs = scene->stats.pairs_touching;
    *merged = NULL;
    if (pairs == 0) {
        return PLIANT_OK;
    }
    if (scene->worker_count == 1) { /* who took the pairs in their order */
        *merged = sorted->found(scene->workers[0].query);
        return PLIANT_OK;
    }
    if (!pli_array_reserve(scene->context, scratch, (size_t)total, sorted->size) ||
        !PLI_RESERVE(scene->context, &scene->rests, scene->runs.count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    merging m = {scene, sorted, scratch->data,
                 pairs / (PORTIONS_PER_WORKER * scene->worker_count) + 1};
    *merged = scratch->data;
    if (total * sorted->size > FEW_BYTES) {
        return pli_context_run(scene->context, merge_task, &m, (pairs - 1) / m.portion + 1);
    }
    m.portion = pairs;
    merge_task(&m, 0, 0);
    return PLIANT_OK;
}
