/*
 * One run of a question from its beginning to its statistics: which bodies it is about, the tasks
 * it still has, the records it asks for, its budget, and what it leaves to idle workers.
 */
#ifndef PLI_QUERY_RUN_H
#define PLI_QUERY_RUN_H

#include "base/clock.h"
#include "query/collect.h"

/* How many workers have no tasks and have been promised none. */
typedef struct pli_idle {
    PLI_ATOMIC(uint32_t) workers;
} pli_idle;

typedef struct pli_run {
    pli_worker *worker;
    pliant_body *body[2]; /* the second is NULL in a question about one body */
    pli_arena *arena[2];  /* this worker's in the bodies; NULL where no other worker is about */
    pli_idle *idle;       /* NULL: no tasks are donated */
    uint64_t tested;      /* tasks so far */
    uint64_t budget;      /* tasks that are allowed; 0: all */
    double started;
    double deadline;  /* 0: none */
    bool self;        /* both bodies are the same */
    bool keeps_order; /* what is found depends on the order of tasks, so that none is put aside */
    bool stopped;     /* enough found, or not allowed to go on */
    bool complete;
    /* Without an arena: what the body had refreshed when the run began. With one: what the run
       has. */
    pli_refresh_counts counts[2];
} pli_run;

/* Sets up a run without a budget; `b` may be NULL, or `a` again. That is all that one needs which
   is part of a scene's, if it asks for no records. */
void pli_run_init(pli_run *run, pli_worker *worker, pliant_body *a, pliant_body *b);

/* Begins a run of its own: checks contexts and forgets earlier results, prepares the bodies, or
   both. */
pliant_result pli_run_open(pli_run *run);
pliant_result pli_run_prepare(pli_run *run);
pliant_result pli_run_begin(pli_run *run);

/* From now on counts what is refreshed; records are made in these arenas, or in the bodies' own. */
void pli_run_set_arenas(pli_run *run, pli_arena *a, pli_arena *b);

/* What has been refreshed of a body; of one that is there twice, without arenas, in the first. */
pli_refresh_counts pli_run_refreshed(const pli_run *run, int which);

/* Tasks and microseconds from now on; 0: no limit. */
void pli_run_set_budget(pli_run *run, uint64_t nodes, uint64_t microseconds);

/* Collects some lists of what the worker found about two bodies, as `how` says: lists, columns and
   conversion. */
pliant_result pli_run_collect(const pli_run *run, pli_collecting how, pli_collection *collection);

/* Fills in statistics. */
void pli_run_end(pliant_query *query, const pli_run *run, uint64_t reported);

/* A callback runs the caller's code, which may come back to the query and the bodies: with one they
   are in use from enter to leave. */
pliant_result pli_run_enter(pliant_query *query, pliant_body *a, pliant_body *b, const char *call);
void pli_run_leave(pliant_query *query, pliant_body *a, pliant_body *b);

/*
 * Room for `count` more tasks, which the caller fills in and then adds to tasks.count; NULL when
 * there is no memory. Tasks are written in place, since a copy of one that was just put together
 * has to wait until its parts have all reached memory.
 */
static inline pli_task *pli_run_reserve(pli_worker *worker, size_t count)
{
    return PLI_RESERVE_MORE(worker->context, &worker->tasks, count)
               ? worker->tasks.data + worker->tasks.count
               : NULL;
}

pliant_result pli_run_push(pli_run *run, const pli_task *task);

/* Whether a budget is spent. The clock is asked once in 64 tasks. */
static inline bool pli_run_is_spent(const pli_run *run)
{
    return (run->budget != 0 && run->tested >= run->budget) ||
           (run->deadline > 0.0 && run->tested % 64 == 0 && pli_seconds() >= run->deadline);
}

/* Fewer tasks are done sooner than donated. */
enum { PLI_LEAST_SHARED = 4 };

/* Whether tasks should be donated: somebody is idle. */
static inline bool pli_run_is_asked(const pli_run *run)
{
    return run->idle != NULL && run->worker->tasks.count >= PLI_LEAST_SHARED &&
           atomic_load_explicit(&run->idle->workers, memory_order_relaxed) > 0;
}

/* Lets those run who make what deferred tasks wait for, and takes up these again. */
void pli_run_resume_deferred(pli_run *run);

/* Takes the next task, which stays where it is until another is pushed; NULL when there is none,
   the run has stopped or spent its budget, or some of its tasks should be donated first. */
static inline const pli_task *pli_run_pop(pli_run *run)
{
    pli_worker *worker = run->worker;
    if (run->stopped) {
        return NULL;
    }
    if (worker->tasks.count == 0 && worker->deferred.count > 0) {
        pli_run_resume_deferred(run);
    }
    if (worker->tasks.count == 0 || pli_run_is_asked(run)) {
        return NULL;
    }
    if (pli_run_is_spent(run)) {
        run->stopped = true;
        run->complete = false;
        return NULL;
    }
    run->tested++;
    return &worker->tasks.data[--worker->tasks.count];
}

/* Makes the record of a task's child in body `which`, which was found stale or claimed. *record is
   NULL if another worker is making it and order does not matter: the task has then been deferred.
 */
pliant_result pli_run_refresh(pli_run *run, int which, const pli_task *task, void **record);

/* The record of a task's child in body `which`, refreshed if it is stale; clusters may be in their
   first stage. */
static inline pliant_result pli_run_record(pli_run *run, int which, const pli_task *task,
                                           void **record)
{
    pli_node_record *parent = which == 0 ? task->parent_a : task->parent_b;
    uint32_t lane = which == 0 ? task->lane_a : task->lane_b;
    void *found = atomic_load_explicit(&parent->child[lane], memory_order_acquire);
    if (found == NULL || found == PLI_CLAIMED) {
        return pli_run_refresh(run, which, task, record);
    }
    pli_body_mark_opened(run->body[which], which == 0 ? task->child_a : task->child_b);
    *record = found;
    return PLIANT_OK;
}

#endif
