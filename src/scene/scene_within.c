/*
 * Triangles of different bodies of a scene that are within a distance of each other: the pairs of
 * bodies whose boxes are that close are listed, and workers compare them (scene_narrow.c). What is
 * found is sorted there, so that bringing it together is copying, or merging where several workers
 * had a share in one pair.
 */
#include "recording.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "base/observer.h"
#include "query/result.h"
#include "query/within.h"

#include <math.h>
#include <string.h>

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
    if (scene->pair_keys.count >= PLI_MOST_PAIRS) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "more than %u pairs of bodies are that close",
                        (unsigned)PLI_MOST_PAIRS);
    }
    bool done = PLI_PUSH(scene->context, &scene->pair_keys, (uint64_t)a << 32 | b);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Lists one body with those behind it. */
static pliant_result list_pairs_of(pliant_scene *scene, uint32_t a, float distance,
                                   const pliant_scene_options *options)
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
        if (!boxes_far(&box, &other, (double)distance + errors) &&
            pli_scene_may_touch(scene, options, a, b)) {
            result = add_pair(scene, a, b);
        }
    }
    return result;
}

static pliant_result list_pairs(pliant_scene *scene, float distance,
                                const pliant_scene_options *options)
{
    pliant_result result = PLIANT_OK;
    scene->pair_keys.count = 0;
    for (uint32_t a = 0; a < scene->slot_count && result == PLIANT_OK; a++) {
        if (scene->members.data[a].body != NULL) {
            result = list_pairs_of(scene, a, distance, options);
        }
    }
    scene->pairs = scene->pair_keys.data;
    scene->pair_count = result == PLIANT_OK ? (uint32_t)scene->pair_keys.count : 0;
    scene->stats.pairs_broad = scene->pair_count;
    return result;
}

/* ---------------------------------------------------------------- answers */

static bool comes_first(const pliant_proximity *a, const pliant_proximity *b)
{
    return a->a != b->a ? a->a < b->a : a->b < b->b;
}

/* Runs are a heap: none comes before the one above it, which is at (i - 1) / 2. Run i may. */
static void sift_down(pli_rest_of_run *heap, size_t count, size_t i)
{
    for (size_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
        child += child + 1 < count && comes_first(heap[child + 1].next, heap[child].next);
        if (!comes_first(heap[child].next, heap[i].next)) {
            return;
        }
        pli_rest_of_run above = heap[i];
        heap[i] = heap[child];
        heap[child] = above;
        i = child;
    }
}

/* Merges what several workers found about one pair of bodies; returns where it ends. */
static pliant_proximity *merge_runs(pli_rest_of_run *heap, size_t count, pliant_proximity *to)
{
    for (size_t i = count / 2; i-- > 0;) {
        sift_down(heap, count, i);
    }
    while (count > 1) {
        *to++ = *heap[0].next++;
        if (heap[0].next == heap[0].end) {
            heap[0] = heap[--count];
        }
        sift_down(heap, count, 0);
    }
    size_t left = (size_t)(heap[0].end - heap[0].next);
    memcpy(to, heap[0].next, left * sizeof *to);
    return to + left;
}

/* Lists the runs of the pair that run `first` is about; returns how many. */
static size_t list_runs(const pliant_scene *scene, size_t first, pli_rest_of_run *rests)
{
    size_t count = 0;
    for (size_t r = first;
         r < scene->runs.count && scene->runs.data[r].pair == scene->runs.data[first].pair; r++) {
        const pli_result_run *run = &scene->runs.data[r];
        const pliant_query *query = scene->workers[run->worker].query;
        const pliant_proximity *sorted = query->columns[PLI_PROXIMITIES].sorted.data;
        rests[count++] = (pli_rest_of_run){sorted + run->first, sorted + run->first + run->count};
    }
    return count;
}

/* Brings what the workers found together, by pair of bodies. */
static pliant_result gather(pliant_scene *scene, uint64_t total)
{
    if (!PLI_RESERVE(scene->context, &scene->proximities, (size_t)total) ||
        !PLI_RESERVE(scene->context, &scene->rests, scene->runs.count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_proximity *pairs = scene->proximities.data;
    pli_rest_of_run *rests = scene->rests.data;
    for (size_t r = 0; r < scene->runs.count;) {
        size_t count = list_runs(scene, r, rests);
        pairs = merge_runs(rests, count, pairs);
        r += count;
    }
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result within(pliant_scene *scene, float distance,
                                         const pliant_scene_options *options,
                                         pliant_scene_proximities *answer)
{
    uint64_t total = 0;
    pli_scene_start_over(scene);
    pliant_result result = pli_scene_update_boxes(scene);
    if (result == PLIANT_OK) {
        pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_BROAD);
        result = list_pairs(scene, distance, options);
        pli_stage_end(scene->context, PLIANT_STAGE_SCENE_BROAD);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_update_loose_bodies(scene);
    }
    double began = pli_seconds();
    if (result == PLIANT_OK && scene->pair_count > 0) {
        result = pli_scene_compare_pairs(scene, &(pli_scene_comparison){.distance = distance});
    }
    double ended = pli_seconds();
    if (result == PLIANT_OK) {
        result = pli_scene_list_answer(scene, &total);
    }
    if (result == PLIANT_OK && total > 0) {
        pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_SORT);
        result = gather(scene, total);
        pli_stage_end(scene->context, PLIANT_STAGE_SCENE_SORT);
    }
    pli_scene_end_stats(scene, total, began, ended);
    if (result == PLIANT_OK) {
        *answer = (pliant_scene_proximities){
            .bodies = total > 0 ? scene->answer.data : NULL,
            .body_pair_count = scene->stats.pairs_touching,
            .pairs = total > 0 ? scene->proximities.data : NULL,
            .count = total,
        };
    }
    return result;
}

pliant_result pliant_scene_find_within(pliant_scene *scene, float distance,
                                       const pliant_scene_options *options,
                                       pliant_scene_proximities *proximities)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(proximities);
    if (!(distance >= 0.0f) || isinf(distance)) {
        return pli_fail(PLIANT_ERROR_RANGE, "distance is %f; it must be 0 or more and finite",
                        (double)distance);
    }
    pliant_result result = pli_scene_options_check(options);
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_scene_proximities found;
    pli_recorded_question asked = {
        .question = PLIANT_RECORDED_FIND_WITHIN, .options = options, .distance = distance};
    pli_float_env env = pli_float_env_enter();
    pli_recording_ask(scene, &asked);
    result = within(scene, distance, options, &found);
    result = pli_scene_end_call(scene, pli_recording_answer(scene, &asked, result, &found));
    pli_float_env_leave(env);
    if (result == PLIANT_OK) {
        *proximities = found;
    }
    return result;
}
