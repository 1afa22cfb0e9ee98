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
#include "query/result.h"

enum {
    FIRST_BLOCK = 256,   /* pairs of bodies; each block is twice as large as the one before, */
    EARLIEST_BLOCK = 16, /* where the earliest is looked for, which each block makes cheaper, */
    LAST_BLOCK = 8192    /* up to this */
};

typedef struct block_stage {
    pliant_scene *scene;
    const pliant_scene_options *options;
    pli_scene_comparison comparison;
    unsigned columns;
    const uint64_t *pairs; /* of all blocks; scene->pairs are those of one */
    uint32_t pair_count, compared, decided;
    uint32_t touching;     /* pairs of bodies in the answer, or given to the callback */
    uint64_t total;        /* pairs of triangles */
    uint64_t found;        /* the same of the block that was compared last */
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

static void forget_block(pliant_scene *scene)
{
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        pli_scene_worker *worker = &scene->workers[w];
        worker->runs.count = worker->spent.count = worker->query->keys.count = 0;
    }
}

/* The pairs of bodies of a block that has been compared become its answer. */
static pliant_result collect_block(block_stage *stage)
{
    pliant_scene *scene = stage->scene;
    bool complete = true, first = stage->options->first_in_all && !seeks_earliest(stage);
    pliant_result result = pli_scene_list_answer(scene, &stage->found);
    if (result == PLIANT_OK) {
        result = pli_scene_mark_spent(scene, &complete);
    }
    if (first && stage->found > 0) { /* those behind it are as if they had not been compared */
        stage->found = scene->runs.count = scene->stats.pairs_touching = 1;
    }
    stage->complete = stage->complete && (complete || first);
    if (result == PLIANT_OK) {
        pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_SORT);
        result = pli_scene_gather_columns(scene, stage->found, stage->columns);
        if (result == PLIANT_OK && stage->comparison.meet != NULL) {
            result =
                pli_scene_order_meetings(scene, &stage->comparison, stage->found, &stage->complete);
        }
        pli_stage_end(scene->context, PLIANT_STAGE_SCENE_SORT);
    }
    return result;
}

static pliant_result compare_block(block_stage *stage, uint32_t count)
{
    pliant_scene *scene = stage->scene;
    double began = pli_seconds();
    forget_block(scene);
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

static bool give(const block_stage *stage, uint32_t number)
{
    const pliant_scene *scene = stage->scene;
    pliant_scene_pair pair = scene->answer.data[number];
    const pliant_scene_options *options = stage->options;
    pliant_contacts contacts = {
        .pairs = (const pliant_pair *)(void *)scene->keys.data + pair.first,
        .segments = options->segments ? scene->segments.data + pair.first : NULL,
        .separations = options->separations ? scene->separations.data + pair.first : NULL,
        .count = pair.count,
        .complete = pair.complete};
    uint64_t first = pair.first;
    pair.first = 0;
    if (stage->comparison.meet == NULL) {
        return options->callback(options->callback_user, &pair, &contacts);
    }
    pliant_meetings meetings = {.pairs = contacts.pairs,
                                .meetings = scene->meetings.data + first,
                                .count = pair.count,
                                .complete = pair.complete};
    return options->meetings_callback(options->callback_user, &pair, &meetings);
}

/* No pair behind this one of the answer has had its turn. */
static void stop_at(block_stage *stage, const pliant_scene_pair *named)
{
    stage->stopped = true;
    if (seeks_earliest(stage)) { /* for which those before had theirs too */
        return;
    }
    pli_keys *spent = &stage->scene->spent;
    uint64_t pair = pli_scene_pair_key(named->a, named->b);
    while (spent->count > 0 && spent->data[spent->count - 1] > pair) {
        spent->count--;
    }
    stage->decided = stage->compared + 1;
    while (stage->pairs[stage->decided - 1] != pair) {
        stage->decided++;
    }
}

/* Hands on what a block found: to the callback and the events. */
static pliant_result settle_block(block_stage *stage)
{
    pliant_scene *scene = stage->scene;
    const pliant_scene_options *options = stage->options;
    for (uint32_t i = 0; i < scene->stats.pairs_touching && !stage->stopped; i++) {
        const pliant_scene_pair *pair = &scene->answer.data[i];
        uint64_t key = pli_scene_pair_key(pair->a, pair->b);
        if (options->events && !PLI_PUSH(scene->context, &scene->touching, key)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        stage->touching++;
        stage->total += pair->count;
        bool goes_on = !has_callback(stage) || give(stage, i);
        stage->complete = stage->complete && goes_on;
        if (!goes_on || options->first_in_all) {
            stop_at(stage, pair);
        }
    }
    return PLIANT_OK;
}

/* A block's earliest meeting is the limit for the next one; the earliest of all is the answer. */
static pliant_result settle_earliest(block_stage *stage, bool is_last)
{
    pliant_scene *scene = stage->scene;
    pli_earliest *earliest = &stage->earliest;
    pli_scene_keep_earliest(scene, earliest);
    scene->stats.pairs_touching = 0;
    if (earliest->bodies.count == 0) {
        return PLIANT_OK;
    }
    stage->comparison.limit = earliest->meeting.time.high;
    bool is_start = earliest->meeting.time.high == 0.0; /* of the lowest bodies already */
    if (!is_last && !is_start) {
        return PLIANT_OK;
    }
    if (!PLI_RESERVE(scene->context, &scene->answer, 1) ||
        !PLI_RESERVE(scene->context, &scene->keys, 1) ||
        !PLI_RESERVE(scene->context, &scene->meetings, 1)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    scene->answer.data[0] = earliest->bodies;
    *(pliant_pair *)(void *)scene->keys.data = earliest->pair;
    scene->meetings.data[0] = earliest->meeting;
    scene->stats.pairs_touching = 1;
    return settle_block(stage);
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
            stage->touching = stage->scene->stats.pairs_touching; /* nobody wants them one by one */
            stage->total = stage->found;
        } else if (result == PLIANT_OK && seeks_earliest(stage)) {
            result = settle_earliest(stage, stage->decided == stage->pair_count);
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
    bool stored = stage->total > 0 && !has_callback(stage);
    uint32_t undecided = (uint32_t)scene->spent.count;
    *contacts = (pliant_scene_contacts){
        .bodies = stored ? scene->answer.data : NULL,
        .body_pair_count = stage->touching,
        .pairs = stored ? (const pliant_pair *)(void *)scene->keys.data : NULL,
        .segments = stored && options->segments ? scene->segments.data : NULL,
        .separations = stored && options->separations ? scene->separations.data : NULL,
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
                         .columns = comparison->meet != NULL
                                        ? 1u << PLI_MEETINGS
                                        : pli_collision_columns(comparison->collide),
                         .pairs = scene->pairs,
                         .pair_count = scene->pair_count,
                         .complete = true};
    stage.comparison.deadline = microseconds != 0 ? pli_seconds() + 1e-6 * (double)microseconds : 0;
    scene->touching.count = 0;
    pliant_result result = compare_blocks(&stage);
    scene->pairs = stage.pairs;
    scene->pair_count = stage.pair_count;
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
