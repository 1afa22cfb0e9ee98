#include "query.h"

#include "base/context.h"
#include "base/thread.h"

void pli_run_init(pli_run *run, pli_worker *worker, pliant_body *a, pliant_body *b)
{
    /* Member by member: clearing it whole takes as long as many a pair of bodies in a scene. */
    run->worker = worker;
    run->body[0] = a;
    run->body[1] = b;
    run->arena[0] = run->arena[1] = NULL;
    run->idle = NULL;
    run->tested = run->budget = 0;
    run->started = run->deadline = 0.0;
    run->self = a == b;
    run->keeps_order = run->stopped = false;
    run->complete = true;
    worker->tasks.count = worker->deferred.count = 0;
}

pliant_result pli_run_open(pli_run *run)
{
    pli_worker *worker = run->worker;
    const pliant_body *a = run->body[0], *b = run->body[1];
    if (a->context != worker->context || (b != NULL && b->context != worker->context)) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "the query and the %s have different contexts",
                        b != NULL ? "bodies" : "body");
    }
    run->started = pli_seconds();
    worker->stats = (pliant_stats){0};
    worker->visits.count = 0;
    pli_worker_clear(worker);
    pli_run_set_arenas(run, NULL, NULL);
    return PLIANT_OK;
}

pliant_result pli_run_prepare(pli_run *run)
{
    const pliant_context *context = run->worker->context;
    pli_stage_begin(context, PLIANT_STAGE_QUERY_UPDATE);
    pliant_result result = pli_body_prepare_walk(run->body[0]);
    if (result == PLIANT_OK && run->body[1] != NULL) {
        result = pli_body_prepare_walk(run->body[1]);
    }
    pli_stage_end(context, PLIANT_STAGE_QUERY_UPDATE);
    run->worker->stats.seconds_update = pli_seconds() - run->started;
    return result;
}

pliant_result pli_run_begin(pli_run *run)
{
    pliant_result result = pli_run_open(run);
    return result == PLIANT_OK ? pli_run_prepare(run) : result;
}

void pli_run_set_arenas(pli_run *run, pli_arena *a, pli_arena *b)
{
    run->arena[0] = a;
    run->arena[1] = b;
    for (int i = 0; i < 2; i++) {
        bool own = run->arena[i] == NULL && run->body[i] != NULL;
        run->counts[i] = own ? run->body[i]->counts : (pli_refresh_counts){0};
    }
}

pli_refresh_counts pli_run_refreshed(const pli_run *run, int which)
{
    const pli_refresh_counts *before = &run->counts[which], *now = &run->body[which]->counts;
    if (run->arena[which] != NULL) {
        return run->counts[which];
    }
    pli_refresh_counts made = {0};
    if (which == 0 || !run->self) { /* a body with itself is counted once */
        made.nodes = now->nodes - before->nodes;
        made.clusters = now->clusters - before->clusters;
        made.vertices = now->vertices - before->vertices;
        made.measured = now->measured - before->measured;
        made.sizes = now->sizes - before->sizes;
        made.cut_sizes = now->cut_sizes - before->cut_sizes;
    }
    return made;
}

void pli_run_set_budget(pli_run *run, uint64_t nodes, uint64_t microseconds)
{
    run->budget = nodes;
    run->deadline = microseconds != 0 ? pli_seconds() + 1e-6 * (double)microseconds : 0.0;
}

/* All that the worker found is of one pair. */
static pliant_result note_all(pli_worker *worker)
{
    for (int i = 0; i < PLI_RESULT_LISTS; i++) {
        worker->results[i].ranges.count = 0;
    }
    return pli_worker_note_found(worker, 0, 0, &(pli_found_before){{0}}, PLI_RESULT_LISTS);
}

pliant_result pli_run_collect(const pli_run *run, pli_collecting how, pli_collection *collection)
{
    pli_worker *worker = run->worker;
    double started = pli_seconds();
    how.context = worker->context;
    how.workers = worker;
    how.worker_count = how.pair_count = 1;
    how.stage = PLIANT_STAGE_QUERY_SORT;
    pli_stage_begin(worker->context, how.stage);
    pliant_result result = note_all(worker);
    if (result == PLIANT_OK) {
        result = pli_collect_ranges(&how, collection);
    }
    if (result == PLIANT_OK) {
        result = pli_collect_results(&how, collection);
    }
    pli_stage_end(worker->context, how.stage);
    worker->stats.seconds_sort += pli_seconds() - started;
    return result;
}

void pli_run_end(pliant_query *query, const pli_run *run, uint64_t reported)
{
    pliant_stats *stats = &run->worker->stats;
    stats->seconds_traverse =
        pli_seconds() - run->started - stats->seconds_update - stats->seconds_sort;
    stats->bytes = pli_query_memory(query);
    stats->pairs = reported;
    if (!run->complete && ((run->budget != 0 && run->tested >= run->budget) ||
                           (run->deadline > 0.0 && pli_seconds() >= run->deadline))) {
        pli_log(run->worker->context, PLIANT_LOG_WARNING,
                "a budget was spent after %llu pairs of nodes", (unsigned long long)run->tested);
    }
    for (int i = 0; i < 2 && run->body[i] != NULL && !(i == 1 && run->self); i++) {
        pli_refresh_counts refreshed = pli_run_refreshed(run, i);
        stats->nodes_refreshed += refreshed.nodes;
        stats->clusters_refreshed += refreshed.clusters;
        stats->vertices_read += refreshed.vertices;
        stats->bound_sizes += refreshed.sizes;
        stats->bound_sizes_at_cut += refreshed.cut_sizes;
        pli_body_count_tests(run->body[i], stats->nodes_tested);
        stats->bytes += pliant_body_get_memory(run->body[i]).bounds;
    }
}

pliant_result pli_run_enter(pliant_query *query, pliant_body *a, pliant_body *b, const char *call)
{
    pliant_result result = pli_use_begin(&query->use, call, "the query");
    if (result == PLIANT_OK) {
        pli_body_begin_call(a);
        pli_body_begin_call(b);
    }
    return result;
}

void pli_run_leave(pliant_query *query, pliant_body *a, pliant_body *b)
{
    pli_body_end_call(a); /* the same body counts twice, and goes with the second */
    pli_body_end_call(b);
    if (pli_use_end(&query->use)) {
        pliant_query_destroy(query);
    }
}

pliant_result pli_run_push(pli_run *run, const pli_task *task)
{
    bool done = PLI_PUSH(run->worker->context, &run->worker->tasks, *task);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Puts a task aside until the others are done. */
static pliant_result defer(pli_run *run, const pli_task *task)
{
    pli_worker *worker = run->worker;
    if (!PLI_PUSH(worker->context, &worker->deferred, *task)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    run->tested--; /* it will be counted when it comes again */
    return PLIANT_OK;
}

void pli_run_resume_deferred(pli_run *run)
{
    pli_worker *worker = run->worker;
    pli_task_array done = worker->tasks;
    pli_thread_yield(); /* what is awaited takes a microsecond, and nothing else is left to do */
    worker->tasks = worker->deferred;
    worker->deferred = done;
    worker->deferred.count = 0;
}

pliant_result pli_run_refresh(pli_run *run, int which, const pli_task *task, void **record)
{
    pliant_body *body = run->body[which];
    pli_node_record *parent = which == 0 ? task->parent_a : task->parent_b;
    uint32_t lane = which == 0 ? task->lane_a : task->lane_b;
    uint32_t child = which == 0 ? task->child_a : task->child_b;
    pli_arena *arena = run->arena[which];
    if (arena == NULL) {
        return pli_body_peek(body, parent, lane, child, record);
    }
    arena->counts = &run->counts[which];
    if (run->keeps_order) {
        return pli_body_await_child(body, arena, parent, lane, child, record);
    }
    pliant_result result = pli_body_claim_child(body, arena, parent, lane, child, record);
    return result == PLIANT_OK && *record == NULL ? defer(run, task) : result;
}
