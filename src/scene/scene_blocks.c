/*
 * The contacts of a scene from its list of pairs, or what meets in a step: all at once or, where
 * they go to a callback or the first is enough, block by block, so that little is compared that
 * nobody wants and little is kept. What meets later than the earliest in the blocks before is not
 * looked for. Blocks have sizes of their own, never those of workers, and each is finished before
 * anything is decided: what was compared, and what that cost, is the same for any number of
 * workers.
 */
#include "scene_contacts.h"

#include "base/clock.h"
#include "base/context.h"

#include <string.h>

enum {
    FIRST_BLOCK = 256,   /* pairs of bodies; each block is twice as large as the one before, */
    EARLIEST_BLOCK = 16, /* where the earliest is looked for, which each block makes cheaper, */
    LAST_BLOCK = 8192    /* up to this */
};

typedef struct block_stage {
    pliant_scene *scene;
    const pliant_scene_options *options;
    pli_scene_comparison comparison;
    pli_collecting how;    /* how results are collected */
    const uint64_t *pairs; /* of all blocks; scene->pairs are those of one */
    uint32_t pair_count, compared, decided;
    uint32_t touching;     /* pairs of bodies in the answer, or given to the callback */
    uint64_t total;        /* pairs of triangles */
    pli_earliest earliest; /* where that is asked for */
    bool stopped, complete;
    double seconds_narrow, seconds_collect;
} block_stage;

static bool seeks_earliest(const block_stage *stage)
{
    return stage->comparison.meet != NULL && stage->options->first_in_all;
}

static bool has_callback(const block_stage *stage)
{
    return stage->comparison.meet != NULL ? stage->options->meetings_callback != NULL
                                          : stage->options->callback != NULL;
}

/* Whether what a block found is part of the answer. */
static bool is_stored(const block_stage *stage)
{
    return !has_callback(stage) && !seeks_earliest(stage);
}

/* The results of a block that has been compared are collected. */
static pliant_result collect_block(block_stage *stage)
{
    pliant_scene *scene = stage->scene;
    pli_collection *found = &scene->found;
    bool complete = true, first = stage->options->first_in_all && !seeks_earliest(stage);
    pliant_result result = pli_scene_list_results(scene, stage->how, found);
    if (result == PLIANT_OK) {
        result = pli_scene_mark_over_budget(scene, found, &complete);
    }
    if (first && found->total > 0) { /* pairs after the first count as not compared */
        found->total = found->ranges.count = found->parts.count = 1;
    }
    stage->complete = stage->complete && (complete || first);
    if (result == PLIANT_OK) {
        result = pli_scene_sort_results(scene, stage->how, found);
    }
    if (result == PLIANT_OK && stage->comparison.meet != NULL) {
        result = pli_scene_order_meetings(scene, &stage->comparison, &stage->complete);
    }
    return result == PLIANT_OK && is_stored(stage)
               ? pli_scene_name_parts(scene, found, &scene->answer)
               : result;
}

static pliant_result compare_block(block_stage *stage, uint32_t count)
{
    pliant_scene *scene = stage->scene;
    double began = pli_seconds();
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        pli_worker_clear(&scene->workers[w]);
    }
    scene->pairs = stage->pairs + stage->compared;
    scene->pair_count = count;
    pliant_result result = pli_scene_compare_pairs(scene, &stage->comparison);
    double ended = pli_seconds();
    if (result == PLIANT_OK) {
        result = collect_block(stage);
    }
    stage->seconds_narrow += ended - began;
    stage->seconds_collect += pli_seconds() - ended;
    return result;
}

/* Gives the results of a part to the callback. */
static bool give(const block_stage *stage, const pli_pair_results *part)
{
    const pliant_scene *scene = stage->scene;
    const pli_collection *found = &scene->found;
    const pliant_scene_options *options = stage->options;
    pliant_scene_pair named = pli_scene_name_pair(scene, scene->pairs[part->pair]);
    named.count = part->count;
    named.complete = part->complete;
    const pliant_pair *pairs = (const pliant_pair *)(void *)found->found + part->first;
    if (stage->comparison.meet != NULL) {
        const pliant_meeting *all = found->column[PLI_MEETINGS].data;
        pliant_meetings meetings = {pairs, all + part->first, part->count, part->complete};
        return options->meetings_callback(options->callback_user, &named, &meetings);
    }
    const pliant_segment *segments = found->column[PLI_SEGMENTS].data;
    const pliant_separation *separations = found->column[PLI_SEPARATIONS].data;
    pliant_contacts contacts = {.pairs = pairs,
                                .segments = options->segments ? segments + part->first : NULL,
                                .separations =
                                    options->separations ? separations + part->first : NULL,
                                .count = part->count,
                                .complete = part->complete};
    return options->callback(options->callback_user, &named, &contacts);
}

/* Stops at a part of a block: later pairs count as not compared. */
static void stop_at(block_stage *stage, const pli_pair_results *part)
{
    pli_keys *spent = &stage->scene->over_budget;
    stage->stopped = true;
    if (seeks_earliest(stage)) { /* which needs every earlier pair compared */
        return;
    }
    stage->decided = stage->compared + part->pair + 1;
    while (spent->count > 0 && spent->data[spent->count - 1] > stage->scene->pairs[part->pair]) {
        spent->count--;
    }
}

/* Hands on what a block found: to the callback and the events. */
static pliant_result settle_block(block_stage *stage)
{
    pliant_scene *scene = stage->scene;
    const pliant_scene_options *options = stage->options;
    for (size_t i = 0; i < scene->found.parts.count && !stage->stopped; i++) {
        const pli_pair_results *part = &scene->found.parts.data[i];
        if (options->events &&
            !PLI_PUSH(scene->context, &scene->touching, scene->pairs[part->pair])) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        stage->touching++;
        stage->total += part->count;
        bool goes_on = !has_callback(stage) || give(stage, part);
        stage->complete = stage->complete && goes_on;
        if (!goes_on || options->first_in_all) {
            stop_at(stage, part);
        }
    }
    return PLIANT_OK;
}

/* A block's earliest meeting is the limit for the next one. */
static void settle_earliest(block_stage *stage)
{
    pli_earliest *earliest = &stage->earliest;
    pli_scene_keep_earliest(stage->scene, stage->compared, earliest);
    if (earliest->part.count > 0) {
        stage->comparison.limit = earliest->meeting.time.high;
        stage->stopped = earliest->meeting.time.high == 0.0; /* of the lowest bodies already */
    }
}

/* The earliest meeting of all blocks becomes the only result. */
static pliant_result give_earliest(block_stage *stage)
{
    pliant_scene *scene = stage->scene;
    const pli_earliest *earliest = &stage->earliest;
    pli_collection *found = &scene->found;
    found->parts.count = (size_t)earliest->part.count;
    if (earliest->part.count == 0) {
        return PLIANT_OK;
    }
    found->parts.data[0] = earliest->part;
    memcpy(found->found, &earliest->pair, sizeof earliest->pair);
    memcpy(found->column[PLI_MEETINGS].data, &earliest->meeting, sizeof earliest->meeting);
    stage->stopped = false;
    pliant_result result = settle_block(stage);
    return result == PLIANT_OK ? pli_scene_name_parts(scene, found, &scene->answer) : result;
}

static pliant_result compare_blocks(block_stage *stage)
{
    bool whole = !has_callback(stage) && !stage->options->first_in_all;
    uint32_t size = whole                   ? stage->pair_count
                    : seeks_earliest(stage) ? EARLIEST_BLOCK
                                            : FIRST_BLOCK;
    pliant_result result = PLIANT_OK;
    while (stage->compared < stage->pair_count && !stage->stopped && result == PLIANT_OK) {
        uint32_t rest = stage->pair_count - stage->compared, count = size < rest ? size : rest;
        stage->decided = stage->compared + count;
        result = compare_block(stage, count);
        if (result == PLIANT_OK && whole && !stage->options->events) {
            stage->touching = (uint32_t)stage->scene->found.parts.count; /* not one by one */
            stage->total = stage->scene->found.total;
        } else if (result == PLIANT_OK && seeks_earliest(stage)) {
            settle_earliest(stage);
        } else if (result == PLIANT_OK) {
            result = settle_block(stage);
        }
        stage->compared += count;
        size = size < LAST_BLOCK ? 2 * size : size;
    }
    return result;
}

static void end_stats(const block_stage *stage)
{
    pliant_scene *scene = stage->scene;
    double now = pli_seconds();
    scene->pair_count = stage->compared;
    scene->stats.pairs_touching = stage->touching;
    pli_scene_end_stats(scene, stage->total, now - stage->seconds_narrow, now);
    scene->stats.seconds_collect = scene->stats.narrow.seconds_sort = stage->seconds_collect;
}

static void fill_answer(const block_stage *stage, pliant_scene_contacts *contacts)
{
    const pliant_scene *scene = stage->scene;
    const pliant_scene_options *options = stage->options;
    const pli_collection *found = &scene->found;
    bool stored = stage->total > 0 && !has_callback(stage);
    uint32_t undecided = (uint32_t)scene->over_budget.count;
    *contacts = (pliant_scene_contacts){
        .bodies = stored ? scene->answer.data : NULL,
        .body_pair_count = stage->touching,
        .pairs = stored ? (const pliant_pair *)(void *)found->found : NULL,
        .segments = stored && options->segments ? found->column[PLI_SEGMENTS].data : NULL,
        .separations = stored && options->separations ? found->column[PLI_SEPARATIONS].data : NULL,
        .count = stage->total,
        .undecided = undecided > 0 ? scene->undecided.data : NULL,
        .undecided_count = undecided,
        .complete = stage->complete && undecided == 0,
    };
}

pliant_result pli_scene_answer_blocks(pliant_scene *scene, const pliant_scene_options *options,
                                      const pli_scene_comparison *comparison,
                                      pliant_scene_contacts *contacts)
{
    uint64_t microseconds = options->budget_microseconds;
    block_stage stage = {.scene = scene,
                         .options = options,
                         .comparison = *comparison,
                         .how = {.list_count = 1,
                                 .columns = comparison->meet != NULL
                                                ? 1u << PLI_MEETINGS
                                                : pli_collision_columns(comparison->collide),
                                 .convert = pli_keys_to_pairs},
                         .pairs = scene->pairs,
                         .pair_count = scene->pair_count,
                         .complete = true};
    stage.comparison.deadline = microseconds != 0 ? pli_seconds() + 1e-6 * (double)microseconds : 0;
    scene->touching.count = 0;
    pliant_result result = compare_blocks(&stage);
    scene->pairs = stage.pairs;
    scene->pair_count = stage.pair_count;
    if (result == PLIANT_OK && seeks_earliest(&stage)) {
        result = give_earliest(&stage);
    }
    if (result == PLIANT_OK && options->events) {
        result = pli_scene_find_events(scene, stage.decided);
    }
    if (result == PLIANT_OK) {
        result = pli_scene_name_undecided(scene);
    }
    end_stats(&stage);
    if (result == PLIANT_OK) {
        fill_answer(&stage, contacts);
    }
    return result;
}
