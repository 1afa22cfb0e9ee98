#include "pieces.h"

#include "atomic.h"
#include "float_env.h"

/* A run as its pieces see it. */
typedef struct guarded_run {
    pliant_task task;
    void *argument;
} guarded_run;

static PLI_NOINLINE void run_piece(const guarded_run *run, uint32_t index, uint32_t worker)
{
    run->task(run->argument, index, worker);
}

/* Threads may come with any floating-point environment. */
static void guarded_task(void *argument, uint32_t index, uint32_t worker)
{
    pli_float_env env = pli_float_env_enter();
    run_piece(argument, index, worker);
    pli_float_env_leave(env);
}

/* What a caller's scheduler may do wrong. */
typedef enum fault_kind {
    NO_FAULT,
    WORKER_OUT_OF_RANGE,
    WORKER_TWICE_AT_ONCE,
    PIECE_OUT_OF_RANGE,
    PIECE_RUN_TWICE
} fault_kind;

/* Portions that a caller's scheduler gets: several pieces each, where there are more. */
enum { MOST_PORTIONS = 4096 };

/*
 * A run on a caller's scheduler. Workers' numbers are places in memory, and each of them belongs to
 * one thread at a time: a call that breaks the contract is turned away before it touches anything.
 */
typedef struct foreign_run {
    guarded_run run;
    uint32_t count, portion, portions, worker_count;
    PLI_ATOMIC(uint64_t) fault; /* the first one: its kind, then the number that is wrong */
    PLI_ATOMIC(bool) at_work[PLI_MAX_WORKERS];
    PLI_ATOMIC(uint64_t) begun[MOST_PORTIONS / 64]; /* a bit per portion */
} foreign_run;

static void note_fault(foreign_run *run, fault_kind kind, uint32_t number)
{
    uint64_t none = NO_FAULT;
    atomic_compare_exchange_strong(&run->fault, &none, (uint64_t)kind << 32 | number);
}

static void run_portion(foreign_run *run, uint32_t index, uint32_t worker)
{
    uint64_t bit = (uint64_t)1 << index % 64;
    if (atomic_fetch_or(&run->begun[index / 64], bit) & bit) {
        note_fault(run, PIECE_RUN_TWICE, index);
        return;
    }
    uint32_t first = index * run->portion, rest = run->count - first;
    for (uint32_t i = 0; i < run->portion && i < rest; i++) {
        guarded_task(&run->run, first + i, worker);
    }
}

static void foreign_task(void *argument, uint32_t index, uint32_t worker)
{
    foreign_run *run = argument;
    if (worker >= run->worker_count) {
        note_fault(run, WORKER_OUT_OF_RANGE, worker);
    } else if (index >= run->portions) {
        note_fault(run, PIECE_OUT_OF_RANGE, index);
    } else if (atomic_exchange(&run->at_work[worker], true)) {
        note_fault(run, WORKER_TWICE_AT_ONCE, worker);
    } else {
        run_portion(run, index, worker);
        atomic_store(&run->at_work[worker], false);
    }
}

/* Fails if the scheduler did something wrong, or left something out. */
static pliant_result check_foreign_run(foreign_run *run)
{
    uint64_t fault = atomic_load(&run->fault);
    uint32_t number = (uint32_t)fault;
    switch ((fault_kind)(fault >> 32)) {
    case WORKER_OUT_OF_RANGE:
        return pli_fail(PLIANT_ERROR_RANGE, "the scheduler ran a piece as worker %u of %u", number,
                        run->worker_count);
    case WORKER_TWICE_AT_ONCE:
        return pli_fail(PLIANT_ERROR_STATE,
                        "the scheduler ran two pieces at the same time as worker %u", number);
    case PIECE_OUT_OF_RANGE:
        return pli_fail(PLIANT_ERROR_RANGE, "the scheduler ran piece %u of %u", number,
                        run->portions);
    case PIECE_RUN_TWICE:
        return pli_fail(PLIANT_ERROR_STATE, "the scheduler ran piece %u twice", number);
    case NO_FAULT:
        break;
    }
    for (uint32_t i = 0; i < run->portions; i++) {
        if (!(atomic_load(&run->begun[i / 64]) >> i % 64 & 1)) {
            return pli_fail(PLIANT_ERROR_STATE, "the scheduler did not run piece %u of %u", i,
                            run->portions);
        }
    }
    return PLIANT_OK;
}

static pliant_result run_on_scheduler(const pliant_scheduler *scheduler, guarded_run guarded,
                                      uint32_t count)
{
    uint32_t portion = (count - 1) / MOST_PORTIONS + 1;
    foreign_run run = {.run = guarded,
                       .count = count,
                       .portion = portion,
                       .portions = (count - 1) / portion + 1,
                       .worker_count = scheduler->worker_count};
    scheduler->run(scheduler->user, foreign_task, &run, run.portions);
    return check_foreign_run(&run);
}

pliant_result pli_run_pieces(const pliant_scheduler *scheduler, pli_workers *workers,
                             pliant_task task, void *argument, uint32_t count)
{
    guarded_run run = {task, argument};
    if (scheduler->run == NULL || count <= 1) {
        for (uint32_t i = 0; i < count; i++) {
            guarded_task(&run, i, 0);
        }
        return PLIANT_OK;
    }
    if (workers == NULL) {
        return run_on_scheduler(scheduler, run, count);
    }
    pli_workers_run(workers, guarded_task, &run, count);
    return PLIANT_OK;
}
