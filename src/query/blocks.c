/*
 * Compares the pairs of bodies of a scene and collects results. All pairs are compared at once,
 * unless results go to a callback or the first is enough. Then they are compared block by block, so
 * that less is compared and stored. Meetings later than the earliest in the blocks before are not
 * searched. Blocks have fixed sizes, and each is finished before anything is decided. So the same
 * pairs are compared, at the same cost, for any number of workers.
 */
#include "query_kind.h"

#include "base/clock.h"
#include "base/context.h"
#include "base/sort.h"
#include "query/meeting_order.h"

#include <string.h>

enum {
    FIRST_BLOCK = 256,   /* pairs of bodies; each block is twice as large as the one before, */
    EARLIEST_BLOCK = 16, /* where the earliest is looked for, which each block makes cheaper, */
    LAST_BLOCK = 8192,   /* up to this */
    FEW_PARTS = 1024,    /* one worker names fewer faster */
    PORTIONS_PER_WORKER = 16
};

/* The earliest meeting so far of all pairs of bodies. */
typedef struct earliest_meeting {
    pli_pair_results part; /* of all pairs, not of a block's; count 0: nothing meets */
    uint64_t bodies;
    pliant_pair pair;
    pliant_meeting meeting;
} earliest_meeting;

typedef struct block_stage {
    pliant_scene *scene;
    pli_scene_queries *queries;
    const pliant_scene_options *options;
    pli_comparison *c;
    const uint64_t *pairs; /* of all blocks; scene->pairs are those of one */
    uint32_t pair_count, compared, decided;
    uint32_t touching; /* pairs of bodies with results, those given to the callback too */
    uint64_t total;    /* results */
    bool has_callback, seeks_earliest;
    earliest_meeting earliest;
    bool stopped, complete;
    double seconds_narrow, seconds_collect;
} block_stage;

/* Returns true if what a block found is part of the result. */
static bool is_stored(const block_stage *stage)
{
    return !stage->has_callback && !stage->seeks_earliest;
}

/* ------------------------------------------------------------ budgets spent */

/* Lists the numbers of the pairs that workers have noted in c->order, ascending; several workers
   may have noted one that they shared. */
static pliant_result order_over_budget(const pliant_scene *scene, pli_collection *c, size_t *count)
{
    size_t all = 0;
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        all += scene->queries->workers[w].over_budget.count;
    }
    *count = 0;
    if (!PLI_RESERVE(scene->context, &c->order, all) ||
        !PLI_RESERVE(scene->context, &c->order_scratch, all)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        const pli_indices *noted = &scene->queries->workers[w].over_budget;
        for (size_t i = 0; i < noted->count; i++) {
            c->order.data[(*count)++] = noted->data[i];
        }
    }
    pli_sort_keys(c->order.data, c->order_scratch.data, NULL, NULL, all);
    return PLIANT_OK;
}

pliant_result pli_scene_mark_over_budget(pliant_scene *scene, pli_collection *c, bool *complete)
{
    pli_keys *undecided = &scene->queries->over_budget;
    size_t count = 0, at = 0;
    pliant_result result = order_over_budget(scene, c, &count);
    const uint64_t *noted = c->order.data;
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        while (at < c->parts.count && c->parts.data[at].pair < noted[i]) {
            at++;
        }
        bool again = i > 0 && noted[i - 1] == noted[i];
        if (at < c->parts.count && c->parts.data[at].pair == noted[i]) {
            c->parts.data[at].complete = false;
        } else if (!again && !PLI_PUSH(scene->context, undecided, scene->pairs[noted[i]])) {
            result = PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    *complete = count == 0;
    return result;
}

/* Pairs whose budget was spent before a result was found get their names. */
static pliant_result name_undecided(const block_stage *stage)
{
    pli_scene_queries *queries = stage->queries;
    size_t count = queries->over_budget.count;
    if (!PLI_RESERVE(stage->scene->context, &queries->undecided, count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        queries->undecided.data[i] =
            pli_scene_name_pair(stage->scene, queries->over_budget.data[i]);
        queries->undecided.data[i].complete = false;
    }
    return PLIANT_OK;
}

/* ------------------------------------------------------------------ collect */

typedef struct naming {
    const pliant_scene *scene;
    const pli_collection *c;
    pliant_scene_pair *to;
    uint32_t pieces;
} naming;

static void name_piece(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const naming *all = argument;
    size_t parts = all->c->parts.count, end = parts * (index + 1) / all->pieces;
    for (size_t i = parts * index / all->pieces; i < end; i++) {
        const pli_pair_results *part = &all->c->parts.data[i];
        all->to[i] = pli_scene_name_pair(all->scene, all->scene->pairs[part->pair]);
        all->to[i].first = part->first;
        all->to[i].count = part->count;
        all->to[i].complete = part->complete;
    }
}

/* Names the pairs of bodies that have results. */
static pliant_result name_parts(const pliant_scene *scene, const pli_collection *c,
                                pli_scene_pairs *pairs)
{
    if (!PLI_RESERVE(scene->context, pairs, c->parts.count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    naming all = {scene, c, pairs->data, c->parts.count < FEW_PARTS ? 1 : scene->worker_count};
    return pli_context_run(scene->context, name_piece, &all, all.pieces);
}

typedef struct arranging {
    const block_stage *stage;
    size_t portion; /* parts at a time */
} arranging;

static void arrange_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const arranging *all = argument;
    const pliant_scene *scene = all->stage->scene;
    const pli_collection *found = &all->stage->queries->found;
    pli_comparison c = *all->stage->c;
    size_t parts = found->parts.count, first = index * all->portion;
    size_t end = parts - first < all->portion ? parts : first + all->portion;
    for (size_t i = first; i < end; i++) {
        pli_pair_results *part = &found->parts.data[i];
        uint64_t pair = scene->pairs[part->pair];
        bool over_step = c.kind->over_step;
        pliant_body *const body[2] = {
            pli_member_body(&scene->members.data[pli_pair_a(pair)], over_step),
            pli_member_body(&scene->members.data[pli_pair_b(pair)], over_step)};
        if (part->count > 1 && !c.kind->arrange(&c, body, found, part)) {
            part->complete = false;
        }
    }
}

/* Puts the results of each part in another order. */
static pliant_result arrange_parts(block_stage *stage)
{
    const pliant_scene *scene = stage->scene;
    const pli_collection *found = &stage->queries->found;
    size_t parts = found->parts.count;
    if (found->total == parts) { /* one each */
        return PLIANT_OK;
    }
    arranging all = {stage, parts / ((size_t)PORTIONS_PER_WORKER * scene->worker_count) + 1};
    pliant_result result = pli_context_run(scene->context, arrange_task, &all,
                                           (uint32_t)((parts - 1) / all.portion + 1));
    for (size_t i = 0; i < parts; i++) {
        stage->complete = stage->complete && found->parts.data[i].complete;
    }
    return result;
}

static pli_collecting of_scene(const pliant_scene *scene, pli_collecting how)
{
    how.context = scene->context;
    how.workers = scene->queries->workers;
    how.worker_count = scene->worker_count;
    how.pair_count = scene->pair_count;
    how.stage = PLIANT_STAGE_SCENE_SORT;
    return how;
}

pliant_result pli_scene_list_results(pliant_scene *scene, pli_collecting how, pli_collection *c)
{
    how = of_scene(scene, how);
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_COLLECT);
    pliant_result result = pli_collect_ranges(&how, c);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_COLLECT);
    return result;
}

pliant_result pli_scene_sort_results(pliant_scene *scene, pli_collecting how, pli_collection *c)
{
    how = of_scene(scene, how);
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_SORT);
    pliant_result result = pli_collect_results(&how, c);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_SORT);
    return result;
}

/* The results of features, which have lists of their own. */
static pliant_result collect_features(block_stage *stage)
{
    pli_collection *features = &stage->queries->features;
    const pli_collecting how = {.first_list = 1,
                                .list_count = stage->c->kind->list_count - 1,
                                .columns = stage->c->plan.columns};
    pliant_result result = pli_scene_list_results(stage->scene, how, features);
    if (result == PLIANT_OK) {
        result = pli_scene_sort_results(stage->scene, how, features);
    }
    return result == PLIANT_OK ? name_parts(stage->scene, features, &stage->queries->feature_pairs)
                               : result;
}

/* The results of a block that has been compared are collected. */
static pliant_result collect_block(block_stage *stage)
{
    pliant_scene *scene = stage->scene;
    pli_collection *found = &stage->queries->found;
    bool has_lists = stage->c->kind->list_count > 1, complete = true;
    bool first = stage->options->first_in_all && !stage->seeks_earliest;
    const pli_collecting how = {.list_count = 1,
                                .columns = has_lists ? 0 : stage->c->plan.columns,
                                .convert = pli_keys_to_pairs};
    pliant_result result = pli_scene_list_results(scene, how, found);
    if (result == PLIANT_OK) {
        result = pli_scene_mark_over_budget(scene, found, &complete);
    }
    if (first && found->total > 0) { /* pairs after the first count as not compared */
        found->total = found->ranges.count = found->parts.count = 1;
    }
    stage->complete = stage->complete && (complete || first);
    if (result == PLIANT_OK) {
        result = pli_scene_sort_results(scene, how, found);
    }
    if (result == PLIANT_OK && stage->c->kind->arrange != NULL) {
        result = arrange_parts(stage);
    }
    if (result == PLIANT_OK && is_stored(stage)) {
        result = name_parts(scene, found, &stage->queries->pairs);
    }
    return result == PLIANT_OK && has_lists ? collect_features(stage) : result;
}

static pliant_result compare_block(block_stage *stage, uint32_t count)
{
    pliant_scene *scene = stage->scene;
    double began = pli_seconds();
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        pli_worker_clear(&stage->queries->workers[w]);
    }
    scene->pairs = stage->pairs + stage->compared;
    scene->pair_count = count;
    pliant_result result = pli_compare_pairs(scene, stage->c);
    double ended = pli_seconds();
    if (result == PLIANT_OK) {
        result = collect_block(stage);
    }
    stage->seconds_narrow += ended - began;
    stage->seconds_collect += pli_seconds() - ended;
    return result;
}

/* ----------------------------------------------------- callbacks and events */

/* Gives the results of a part to the callback. */
static bool give(const block_stage *stage, const pli_pair_results *part)
{
    const pliant_scene *scene = stage->scene;
    pliant_scene_pair named = pli_scene_name_pair(scene, scene->pairs[part->pair]);
    named.count = part->count;
    named.complete = part->complete;
    const pli_report report = {
        .found = &stage->queries->found, .columns = stage->c->plan.columns, .stored = true};
    return stage->c->kind->give(stage->options, &named, &report, part);
}

/* Stops at a part of a block: later pairs count as not compared. */
static void stop_at(block_stage *stage, const pli_pair_results *part)
{
    pli_keys *undecided = &stage->queries->over_budget;
    uint64_t pair = stage->scene->pairs[part->pair];
    stage->stopped = true;
    if (stage->seeks_earliest) { /* which needs every earlier pair compared */
        return;
    }
    stage->decided = stage->compared + part->pair + 1;
    while (undecided->count > 0 && undecided->data[undecided->count - 1] > pair) {
        undecided->count--;
    }
}

/* Hands on what a block found: to the callback and the events. */
static pliant_result settle_block(block_stage *stage)
{
    pliant_scene *scene = stage->scene;
    const pli_collection *found = &stage->queries->found;
    for (size_t i = 0; i < found->parts.count && !stage->stopped; i++) {
        const pli_pair_results *part = &found->parts.data[i];
        if (stage->options->events &&
            !PLI_PUSH(scene->context, &stage->queries->touching, scene->pairs[part->pair])) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        stage->touching++;
        stage->total += part->count;
        bool goes_on = !stage->has_callback || give(stage, part);
        stage->complete = stage->complete && goes_on;
        if (!goes_on || stage->options->first_in_all) {
            stop_at(stage, part);
        }
    }
    return PLIANT_OK;
}

/* ----------------------------------------------------- the earliest meeting */

static pli_timed_pair timed_pair(const pliant_scene *scene, uint64_t bodies, pliant_pair pair,
                                 const pliant_meeting *meeting)
{
    const pli_member *members = scene->members.data;
    return (pli_timed_pair){
        {members[pli_pair_a(bodies)].body->sweep, members[pli_pair_b(bodies)].body->sweep},
        (uint64_t)pair.a << 32 | pair.b,
        meeting};
}

/* Keeps the earliest meeting of a block, each of whose parts has one, if it is earlier or as early
   and of lower bodies. It is the limit for the next block. */
static void settle_earliest(block_stage *stage)
{
    const pliant_scene *scene = stage->scene;
    const pli_collection *found = &stage->queries->found;
    const pliant_pair *pairs = (const pliant_pair *)(const void *)found->found;
    const pliant_meeting *meetings = found->column[PLI_MEETINGS].data;
    earliest_meeting *earliest = &stage->earliest;
    for (size_t i = 0; i < found->parts.count; i++) {
        const pli_pair_results *part = &found->parts.data[i];
        uint64_t bodies = scene->pairs[part->pair];
        const pliant_meeting *meeting = &meetings[part->first];
        bool earlier = earliest->part.count == 0;
        if (!earlier) {
            pli_timed_pair here = timed_pair(scene, bodies, pairs[part->first], meeting);
            pli_timed_pair first =
                timed_pair(scene, earliest->bodies, earliest->pair, &earliest->meeting);
            earlier = pli_compare_meetings(&here, &first) < 0;
        }
        if (earlier) { /* bodies come in ascending order: of equal times the first stays */
            *earliest =
                (earliest_meeting){.part = {stage->compared + part->pair, part->complete, 0, 1},
                                   .bodies = bodies,
                                   .pair = pairs[part->first],
                                   .meeting = *meeting};
        }
    }
    if (earliest->part.count > 0) {
        stage->c->limit = earliest->meeting.time.high;
        stage->stopped = earliest->meeting.time.high == 0.0; /* of the lowest bodies already */
    }
}

/* The earliest meeting of all blocks becomes the only result. */
static pliant_result give_earliest(block_stage *stage)
{
    const earliest_meeting *earliest = &stage->earliest;
    pli_collection *found = &stage->queries->found;
    found->parts.count = (size_t)earliest->part.count;
    if (earliest->part.count == 0) {
        return PLIANT_OK;
    }
    found->total = 1;
    found->parts.data[0] = earliest->part;
    memcpy(found->found, &earliest->pair, sizeof earliest->pair);
    memcpy(found->column[PLI_MEETINGS].data, &earliest->meeting, sizeof earliest->meeting);
    stage->stopped = false;
    pliant_result result = settle_block(stage);
    return result == PLIANT_OK ? name_parts(stage->scene, found, &stage->queries->pairs) : result;
}

/* --------------------------------------------------------------- all blocks */

static pliant_result compare_blocks(block_stage *stage)
{
    bool whole = !stage->has_callback && !stage->options->first_in_all;
    const pli_scene_queries *queries = stage->queries;
    bool has_lists = stage->c->kind->list_count > 1;
    const pli_collection *main = has_lists ? &queries->features : &queries->found;
    uint32_t size = whole                   ? stage->pair_count
                    : stage->seeks_earliest ? EARLIEST_BLOCK
                                            : FIRST_BLOCK;
    pliant_result result = PLIANT_OK;
    while (stage->compared < stage->pair_count && !stage->stopped && result == PLIANT_OK) {
        uint32_t rest = stage->pair_count - stage->compared, count = size < rest ? size : rest;
        stage->decided = stage->compared + count;
        result = compare_block(stage, count);
        if (result == PLIANT_OK && whole && !stage->options->events) {
            stage->touching = (uint32_t)main->parts.count; /* not one by one */
            stage->total = main->total;
        } else if (result == PLIANT_OK && stage->seeks_earliest) {
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
    pliant_scene_stats *stats = &stage->scene->stats;
    stage->scene->pair_count = stage->compared;
    pli_scene_add_stats(stage->scene);
    stats->narrow.pairs = stage->total;
    stats->pairs_narrow = stage->compared;
    stats->pairs_touching = stage->touching;
    stats->seconds_narrow = stats->narrow.seconds_traverse = stage->seconds_narrow;
    stats->seconds_collect = stats->narrow.seconds_sort = stage->seconds_collect;
}

static void fill_report(const block_stage *stage, pli_report *report)
{
    const pli_scene_queries *queries = stage->queries;
    uint32_t undecided = (uint32_t)queries->over_budget.count;
    *report = (pli_report){
        .found = &queries->found,
        .features = &queries->features,
        .count = stage->total,
        .complete = stage->complete && undecided == 0,
        .stored = queries->found.total > 0 && !stage->has_callback,
        .columns = stage->c->plan.columns,
        .bodies = queries->found.total > 0 && !stage->has_callback ? queries->pairs.data : NULL,
        .feature_bodies = queries->features.total > 0 ? queries->feature_pairs.data : NULL,
        .undecided = undecided > 0 ? queries->undecided.data : NULL,
        .body_count = stage->touching,
        .undecided_count = undecided,
    };
}

pliant_result pli_compare_blocks(pliant_scene *scene, pli_comparison *c,
                                 const pliant_scene_options *options, pli_report *report)
{
    uint64_t microseconds = c->plan.budget_microseconds;
    block_stage stage = {.scene = scene,
                         .queries = scene->queries,
                         .options = options,
                         .c = c,
                         .pairs = scene->pairs,
                         .pair_count = scene->pair_count,
                         .has_callback =
                             options->callback != NULL || options->meetings_callback != NULL,
                         .seeks_earliest = c->kind->over_step && options->first_in_all,
                         .complete = true};
    c->deadline = microseconds != 0 ? pli_seconds() + 1e-6 * (double)microseconds : 0;
    scene->queries->touching.count = 0;
    scene->queries->found.total = scene->queries->features.total = 0;
    scene->queries->found.parts.count = scene->queries->features.parts.count = 0;
    pliant_result result = compare_blocks(&stage);
    scene->pairs = stage.pairs;
    scene->pair_count = stage.pair_count;
    if (result == PLIANT_OK && stage.seeks_earliest) {
        result = give_earliest(&stage);
    }
    if (result == PLIANT_OK && options->events) {
        result = pli_scene_find_events(scene, stage.decided);
    }
    if (result == PLIANT_OK) {
        result = name_undecided(&stage);
    }
    end_stats(&stage);
    if (result == PLIANT_OK) {
        fill_report(&stage, report);
    }
    if (result == PLIANT_OK && !report->complete && c->kind->over_budget != NULL) {
        pli_log(scene->context, PLIANT_LOG_WARNING, "a budget was spent: %s", c->kind->over_budget);
    }
    return result;
}
