/*
 * Queries about pairs of bodies: check arguments and options, enter, record, run in the default
 * floating-point environment, leave. Two bodies are the case of one pair and one worker.
 */
#include "query_kind.h"

#include "base/clock.h"
#include "base/context.h"
#include "base/float_env.h"
#include "query/near_clusters.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------------- two bodies */

static pliant_result find_sweeps(pliant_body *body[2])
{
    pliant_result result = pli_body_get_sweep(body[0], &body[0]);
    return result == PLIANT_OK ? pli_body_get_sweep(body[1], &body[1]) : result;
}

/* Prepares the bodies and compares them. */
static pliant_result compare(pli_comparison *c, pli_run *run, const pli_pair *pair)
{
    uint64_t microseconds = c->plan.budget_microseconds;
    pliant_result result = pli_run_prepare(run);
    if (result == PLIANT_OK) {
        c->deadline = microseconds != 0 ? pli_seconds() + 1e-6 * (double)microseconds : 0.0;
        pli_stage_begin(run->worker->context, PLIANT_STAGE_QUERY_TRAVERSE);
        result = pli_compare_bodies(c, run->worker, pair);
        pli_stage_end(run->worker->context, PLIANT_STAGE_QUERY_TRAVERSE);
    }
    return result;
}

/* Looks for the result of the last call again; *found: it is one of this call too. */
static pliant_result recall(const pli_comparison *c, pli_run *run, const pli_pair *pair,
                            bool *found)
{
    pli_worker *worker = run->worker;
    if (!PLI_CREATE(worker->context, &worker->visitor, PLI_VISITOR_BYTES)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_walk *walk = (pli_walk *)(void *)worker->visitor.data;
    c->kind->begin(walk, worker, c, pair);
    pliant_result result = c->kind->recall(walk);
    *found = walk->run.stopped;
    return result;
}

/* Puts results in another order, within the budget. */
static void arrange(pli_comparison *c, pli_run *run)
{
    const pli_collection *found = &c->query->found;
    if (!c->kind->arrange(c, run->body, found, found->parts.data)) {
        run->complete = false;
        pli_log(run->worker->context, PLIANT_LOG_WARNING,
                "a budget was spent after %llu exact comparisons of times",
                (unsigned long long)c->compared);
    }
    run->worker->stats.exact_fallbacks += c->compared;
}

/* Collects results, or gives the rest to the callback. */
static pliant_result collect(pli_comparison *c, pli_run *run, pli_report *report)
{
    pliant_query *query = c->query;
    pli_walk *walk = (pli_walk *)(void *)query->worker.visitor.data;
    query->found.total = query->features.total = 0;
    if (c->plan.has_callback) {
        report->count = c->kind->flush(walk);
        run->complete = walk->run.complete;
        return PLIANT_OK;
    }
    bool has_lists = c->kind->list_count > 1;
    pliant_result result =
        pli_run_collect(run,
                        (pli_collecting){.list_count = 1,
                                         .columns = has_lists ? 0 : c->plan.columns,
                                         .convert = pli_keys_to_pairs},
                        &query->found);
    if (result == PLIANT_OK && has_lists) {
        result = pli_run_collect(run,
                                 (pli_collecting){.first_list = 1,
                                                  .list_count = c->kind->list_count - 1,
                                                  .columns = c->plan.columns},
                                 &query->features);
    }
    if (result == PLIANT_OK && c->kind->arrange != NULL && query->found.total > 1) {
        arrange(c, run);
    }
    report->count = has_lists ? query->features.total : query->found.total;
    return result;
}

static PLI_NOINLINE pliant_result run_bodies(pli_comparison *c, pliant_body *a, pliant_body *b,
                                             void *result)
{
    const pliant_proxy_options *proxies = c->options;
    pliant_query *query = c->query;
    pliant_body *body[2] = {a, b};
    pliant_result status = c->kind->over_step ? find_sweeps(body) : PLIANT_OK;
    if (status != PLIANT_OK) {
        return status;
    }
    bool recalled = false;
    pli_pair pair = {.body = {body[0], body[1]}};
    if (c->kind == &pli_proxies_kind) {
        pair.proxies[0] = proxies->proxies_a;
        pair.proxies[1] = proxies->proxies_b;
    }
    pli_run run;
    pli_run_init(&run, &query->worker, body[0], body[1]);
    status = pli_run_open(&run);
    if (status == PLIANT_OK && c->kind->recall != NULL && c->plan.first) {
        status = recall(c, &run, &pair, &recalled);
    }
    if (status == PLIANT_OK && !recalled) {
        status = compare(c, &run, &pair);
    }
    if (status != PLIANT_OK) {
        return status;
    }
    const pli_walk *walk = (const pli_walk *)(const void *)query->worker.visitor.data;
    pli_report report = {
        .found = &query->found, .features = &query->features, .columns = c->plan.columns};
    run.tested = walk->run.tested;
    run.budget = walk->run.budget;
    run.deadline = walk->run.deadline;
    run.complete = walk->run.complete;
    status = collect(c, &run, &report);
    if (status == PLIANT_OK) {
        pli_run_end(query, &run, report.count);
        report.complete = run.complete;
        report.stored = query->found.total > 0;
        if (result != NULL) {
            c->kind->report(&report, result);
        }
    }
    return status;
}

pliant_result pli_query_bodies(const pli_query_kind *kind, const char *name, pliant_query *query,
                               pliant_body *a, pliant_body *b, bool self, float distance,
                               const void *options, void *result)
{
    pli_comparison c = {.kind = kind,
                        .options = options != NULL ? options : kind->defaults,
                        .distance = distance,
                        .limit = 1.0,
                        .query = query};
    if (a == b && !self) {
        return kind->has_self
                   ? pli_fail(PLIANT_ERROR_ARGUMENT, "%s: both bodies are the same; use %s_self",
                              name, name)
                   : pli_fail(PLIANT_ERROR_ARGUMENT, "%s: both bodies are the same", name);
    }
    pliant_result status = kind->plan(&c);
    if (status == PLIANT_OK && result == NULL && !c.plan.has_callback) {
        status = pli_fail(PLIANT_ERROR_ARGUMENT, "%s: %s is NULL, and there is no callback", name,
                          kind->result);
    }
    if (status == PLIANT_OK) {
        status = c.plan.has_callback ? pli_run_enter(query, a, b, name)
                                     : pli_use_check(&query->use, name, "the query");
    }
    if (status == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        status = run_bodies(&c, a, b, result);
        pli_float_env_leave(env);
        if (c.plan.has_callback) {
            pli_run_leave(query, a, b);
        }
    }
    return status;
}

/* ------------------------------------------------------------------- scenes */

/*
 * How far apart boxes may be whose bodies come within a distance. In states, boxes hold the errors
 * of their bodies; a distance that grew by them was rounded up by less than 2^-21 of itself. Over a
 * step, the distance grows by the errors of both. Declared boxes hold errors already.
 */
static float find_reach(const pliant_scene *scene, bool over_step, float distance)
{
    float error = pli_scene_largest_error(scene, over_step);
    if (over_step) {
        return pli_distance_with_errors(distance, error, error);
    }
    return error > 0.0f ? fminf(nextafterf(distance + 0x1p-20f * error, INFINITY), FLT_MAX)
                        : distance;
}

/* Lists the pairs of bodies to be compared. With a distance of 0 over a step errors do not count,
   and the broad phase goes on from its last list. */
static pliant_result find_pairs(pliant_scene *scene, const pli_comparison *c,
                                const pliant_scene_options *options)
{
    bool over_step = c->kind->over_step;
    pliant_scene_stats *stats = &scene->stats;
    pli_scene_queries_start_over(scene);
    double started = pli_seconds();
    pliant_result result = pli_scene_update(scene, over_step);
    double updated = pli_seconds();
    if (result == PLIANT_OK) {
        bool near = c->kind->takes_distance && (!over_step || c->distance > 0.0f);
        float reach = near ? find_reach(scene, over_step, c->distance) : 0.0f;
        result = pli_scene_find_pairs(scene, over_step, options, near ? &reach : NULL);
    }
    stats->narrow.seconds_update = updated - started;
    stats->seconds_broad = pli_seconds() - updated;
    return result == PLIANT_OK ? pli_scene_update_loose(scene, over_step) : result;
}

/* Leaves out pairs of bodies of which neither moves. */
static pliant_result drop_still_pairs(pliant_scene *scene, const bool *moving)
{
    const uint64_t *pairs = scene->pairs;
    size_t count = 0;
    if (!PLI_RESERVE(scene->context, &scene->pair_keys, scene->pair_count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t p = 0; p < scene->pair_count; p++) {
        if (moving[pli_pair_a(pairs[p])] || moving[pli_pair_b(pairs[p])]) {
            scene->pair_keys.data[count++] = pairs[p];
        }
    }
    scene->pairs = scene->pair_keys.data;
    scene->pair_count = (uint32_t)count;
    return PLIANT_OK;
}

pliant_result pli_query_pairs(pliant_scene *scene, pli_comparison *c,
                              const pliant_scene_options *options, const bool *moving,
                              pli_report *report)
{
    pliant_result result = c->kind->plan(c);
    if (result == PLIANT_OK) {
        result = find_pairs(scene, c, options);
    }
    if (result == PLIANT_OK && moving != NULL) {
        result = drop_still_pairs(scene, moving);
    }
    return result == PLIANT_OK ? pli_compare_blocks(scene, c, options, report) : result;
}

typedef union scene_result {
    pliant_scene_contacts contacts;
    pliant_scene_proximities proximities;
    pliant_scene_features features;
    pliant_scene_meetings meetings;
    pliant_scene_proxy_contacts proxies;
} scene_result;

typedef struct scene_run {
    pli_comparison c;
    pli_own_options own;
    const pliant_scene_options *options;
    scene_result found;
} scene_run;

static pliant_result run_scene(pliant_scene *scene, pli_scene_call *call)
{
    scene_run *run = call->argument;
    pli_report report;
    pliant_result result = pli_query_pairs(scene, &run->c, run->options, NULL, &report);
    if (result == PLIANT_OK) {
        run->c.kind->report_scene(&report, &run->found);
    }
    return result;
}

pliant_result pli_query_scene(const pli_query_kind *kind, const char *name, pliant_scene *scene,
                              float distance, const pliant_scene_options *options, void *result)
{
    pliant_scene_options defaults = pliant_scene_options_default();
    scene_run run = {.c = {.kind = kind, .distance = distance, .limit = 1.0},
                     .options = options != NULL ? options : &defaults};
    pliant_result status = pli_scene_options_check(options, kind->number);
    if (status != PLIANT_OK) {
        return status;
    }
    kind->adopt(run.options, &run.own);
    run.c.options = &run.own;
    status = kind->plan(&run.c);
    bool has_callback = run.options->callback != NULL || run.options->meetings_callback != NULL;
    if (status == PLIANT_OK && result == NULL && !has_callback) {
        status = pli_fail(PLIANT_ERROR_ARGUMENT, "%s: %s is NULL, and there is no callback", name,
                          kind->result);
    }
    if (status != PLIANT_OK) {
        return status;
    }
    pli_scene_call call = {.name = name,
                           .recorded = {.query = kind->number, .arguments = {options}},
                           .run = run_scene,
                           .argument = &run,
                           .answer = &run.found};
    if (kind->takes_number) {
        call.recorded.arguments[0] = &run.c.distance;
        call.recorded.arguments[1] = options;
    }
    status = pli_scene_enter(scene, &call);
    if (status == PLIANT_OK && run.options->events) {
        pli_scene_keep_events(scene);
    }
    if (status == PLIANT_OK && result != NULL) {
        memcpy(result, &run.found, kind->scene_result_size);
    }
    return status;
}
