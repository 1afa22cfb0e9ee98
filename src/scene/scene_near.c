/*
 * What questions about a distance have in common in a scene: the pairs of bodies whose boxes are
 * that close, and bringing together what the workers found. That is sorted run by run, so that it
 * is copied, or merged where several workers had a share in one pair.
 */
#include "scene_contacts.h"

#include <math.h>
#include <string.h>

enum {
    FEW_BYTES = 1 << 16, /* that are copied sooner than shared out */
    PORTIONS_PER_WORKER = 16
};

/* ------------------------------------------------------- pairs of bodies */

/* Whether no point of one box is within `distance` of the other, along one axis alone. */
static bool boxes_far(const pliant_box *a, const pliant_box *b, double distance)
{
    for (int k = 0; k < 3; k++) {
        double gap = fmax((double)a->lower[k] - (double)b->upper[k],
                          (double)b->lower[k] - (double)a->upper[k]);
        if (gap > distance * (1.0 + 0x1p-20)) {
            return true;
        }
    }
    return false;
}

static pliant_result add_pair(pliant_scene *scene, uint32_t a, uint32_t b)
{
    if (scene->near_pairs.count >= PLI_MOST_PAIRS) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "more than %u pairs of bodies are that close",
                        (unsigned)PLI_MOST_PAIRS);
    }
    bool done = PLI_PUSH(scene->context, &scene->near_pairs, (uint64_t)a << 32 | b);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Lists one body with those behind it. */
static pliant_result list_pairs_of(pliant_scene *scene, uint32_t a, float distance)
{
    const pli_member *first = &scene->members.data[a];
    pliant_box box = pli_scene_member_box(first);
    pliant_result result = PLIANT_OK;
    for (uint32_t b = a + 1; b < scene->slot_count && result == PLIANT_OK; b++) {
        const pli_member *second = &scene->members.data[b];
        if (second->body == NULL) {
            continue;
        }
        pliant_box other = pli_scene_member_box(second);
        double errors =
            (double)first->body->pose.world_error + (double)second->body->pose.world_error;
        if (!boxes_far(&box, &other, (double)distance + errors)) {
            result = add_pair(scene, a, b);
        }
    }
    return result;
}

pliant_result pli_scene_list_near_pairs(pliant_scene *scene, float distance)
{
    pliant_result result = PLIANT_OK;
    scene->near_pairs.count = 0;
    for (uint32_t a = 0; a < scene->slot_count && result == PLIANT_OK; a++) {
        if (scene->members.data[a].body != NULL) {
            result = list_pairs_of(scene, a, distance);
        }
    }
    return result;
}

/* ---------------------------------------------------------------- answers */

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
