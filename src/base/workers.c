#include "workers.h"

#include "base/atomic.h"
#include "base/clock.h"
#include "base/float_env.h"
#include "base/thread.h"

/* Each sleeps by itself: threads that wait on one condition would, woken together, put each other
   to sleep again over its lock. */
typedef struct worker_thread {
    _Alignas(64) pli_lock lock;
    pli_condition wake;
    PLI_ATOMIC(bool) asleep; /* or about to be; changed under the lock */
    uint32_t number;
    pli_thread thread;
    struct pli_workers *workers;
} worker_thread;

/*
 * A run is open to threads from when it is published until the caller finds no piece left. A thread
 * joins it by counting itself in, which succeeds only while it is open, and counts itself out at
 * the end; the caller waits for those inside, and never for one that has yet to wake. All of that
 * is one number: the run's, then OPEN, then how many threads are inside.
 */
#define OPEN       ((uint64_t)1 << 16)
#define INSIDE     (OPEN - 1)
#define RUN(state) ((state) / (2 * OPEN))

struct pli_workers {
    pliant_allocator allocator;
    size_t size; /* of this allocation */
    pli_lock one_run, lock;
    pli_condition done;
    /* The run that is under way: pieces are handed out by counting up. */
    pliant_task task;
    void *argument;
    PLI_ATOMIC(uint32_t) count;
    uint32_t thread_count;       /* threads started */
    PLI_ATOMIC(bool) leaving;    /* the threads are to end */
    PLI_ATOMIC(bool) is_awaited; /* the caller waits on `done` */
    /* Every thread writes these: they have a cache line each. */
    _Alignas(64) PLI_ATOMIC(uint64_t) state;
    _Alignas(64) PLI_ATOMIC(uint32_t) next;
    worker_thread threads[]; /* of worker 1 and so on */
};

/*
 * A scene asks for several runs within microseconds, and waking a thread takes tens of them. So
 * both sides look for a while before they sleep: first without a pause, then letting others have
 * the core. The caller's pieces are short. A thread goes by how long it waited the last time that
 * its first looks were in vain: where calls come at short intervals, it stays awake between them.
 */
#define LOOKS           2000
#define LONGEST_LOOK    1e-3 /* seconds */
#define CALLER_LOOKS    2e-4
#define LOOKS_PER_YIELD 256

/* Waking a thread takes the waker microseconds: each wakes a few, and they wake others. */
#define WAKES 5

static void work_through(struct pli_workers *workers, uint32_t worker)
{
    for (;;) {
        uint32_t index = atomic_fetch_add_explicit(&workers->next, 1, memory_order_relaxed);
        if (index >= atomic_load_explicit(&workers->count, memory_order_relaxed)) {
            return;
        }
        workers->task(workers->argument, index, worker);
    }
}

/* --------------------------------------------------------------- a thread */

static bool is_news(struct pli_workers *workers, uint64_t seen)
{
    return RUN(atomic_load(&workers->state)) != seen;
}

static void wake_thread(worker_thread *thread)
{
    if (atomic_load(&thread->asleep)) {
        pli_lock_take(&thread->lock); /* it is not between looking and sleeping */
        pli_lock_release(&thread->lock);
        pli_condition_signal(&thread->wake);
    }
}

/* Worker 0 wakes the first few, these the next few and so on, as many as there are pieces for. */
static void wake_others(struct pli_workers *workers, uint32_t worker)
{
    uint32_t count = atomic_load_explicit(&workers->count, memory_order_relaxed);
    uint32_t end = count <= workers->thread_count ? count : workers->thread_count + 1;
    for (uint32_t i = WAKES * worker + 1; i <= WAKES * worker + WAKES && i < end; i++) {
        wake_thread(&workers->threads[i - 1]);
    }
}

/* Looks for another run than the one seen, for so many seconds beyond the first looks. */
static bool look_for_news(struct pli_workers *workers, uint64_t seen, double seconds)
{
    for (int i = 0; i < LOOKS; i++) {
        if (is_news(workers, seen)) {
            return true;
        }
        pli_pause();
    }
    for (double end = pli_seconds() + seconds; seconds > 0.0 && pli_seconds() < end;) {
        for (int i = 0; i < LOOKS_PER_YIELD; i++) {
            if (is_news(workers, seen)) {
                return true;
            }
            pli_pause();
        }
        pli_thread_yield();
    }
    return false;
}

/* Waits for another run than the one seen; *pause is how long that took the last time. */
static void await_news(worker_thread *self, uint64_t seen, double *pause)
{
    struct pli_workers *workers = self->workers;
    double began = pli_seconds();
    if (look_for_news(workers, seen, *pause < LONGEST_LOOK / 2 ? LONGEST_LOOK : 0.0)) {
        return;
    }
    pli_lock_take(&self->lock);
    atomic_store(&self->asleep, true);
    while (!is_news(workers, seen)) { /* who makes news looks for sleepers afterwards */
        pli_condition_wait(&self->wake, &self->lock);
    }
    atomic_store(&self->asleep, false);
    pli_lock_release(&self->lock);
    *pause = pli_seconds() - began;
}

/* Whether the run has pieces left, as far as can be seen from outside. */
static bool has_pieces(struct pli_workers *workers)
{
    return atomic_load_explicit(&workers->next, memory_order_relaxed) <
           atomic_load_explicit(&workers->count, memory_order_relaxed);
}

/* Counts a thread in; false if the run is over already. Either way *seen is its number. */
static bool join_run(struct pli_workers *workers, uint64_t *seen)
{
    uint64_t state = atomic_load_explicit(&workers->state, memory_order_acquire);
    while (state & OPEN && has_pieces(workers)) {
        if (atomic_compare_exchange_weak_explicit(&workers->state, &state, state + 1,
                                                  memory_order_acquire, memory_order_acquire)) {
            *seen = RUN(state);
            return true;
        }
    }
    *seen = RUN(state);
    return false;
}

/* Counts a thread out, and wakes the caller if it sleeps and this was the last. */
static void leave_run(struct pli_workers *workers)
{
    uint64_t left = atomic_fetch_sub(&workers->state, 1) - 1;
    if (!(left & OPEN) && !(left & INSIDE) && atomic_load(&workers->is_awaited)) {
        pli_lock_take(&workers->lock);
        pli_condition_signal(&workers->done);
        pli_lock_release(&workers->lock);
    }
}

static void thread_main(void *argument)
{
    worker_thread *self = argument;
    struct pli_workers *workers = self->workers;
    uint64_t seen = 0;
    double pause = LONGEST_LOOK;
    for (;;) {
        await_news(self, seen, &pause);
        if (atomic_load_explicit(&workers->leaving, memory_order_relaxed)) {
            return;
        }
        if (join_run(workers, &seen)) {
            wake_others(workers, self->number);
            work_through(workers, self->number);
            leave_run(workers);
        }
    }
}

/* ------------------------------------------------------------- the caller */

/* Publishes a run and wakes as many threads as it has pieces for. Nobody is inside of the last. */
static void begin_run(struct pli_workers *workers, pliant_task task, void *argument, uint32_t count)
{
    workers->task = task;
    workers->argument = argument;
    atomic_store_explicit(&workers->count, count, memory_order_relaxed);
    atomic_store_explicit(&workers->next, 0, memory_order_relaxed);
    uint64_t run = RUN(atomic_load_explicit(&workers->state, memory_order_relaxed)) + 1;
    atomic_store(&workers->state, 2 * OPEN * run + (count > 0 ? OPEN : 0));
    wake_others(workers, 0);
}

static bool is_empty(struct pli_workers *workers)
{
    return !(atomic_load(&workers->state) & INSIDE);
}

/* Lets nobody in any more, and waits for those inside. */
static void end_run(struct pli_workers *workers)
{
    atomic_fetch_and(&workers->state, ~OPEN);
    for (int i = 0; i < LOOKS; i++) {
        if (is_empty(workers)) {
            return;
        }
        pli_pause();
    }
    for (double end = pli_seconds() + CALLER_LOOKS; pli_seconds() < end;) {
        for (int i = 0; i < LOOKS_PER_YIELD; i++) {
            if (is_empty(workers)) {
                return;
            }
            pli_pause();
        }
        pli_thread_yield();
    }
    pli_lock_take(&workers->lock);
    atomic_store(&workers->is_awaited, true);
    while (!is_empty(workers)) {
        pli_condition_wait(&workers->done, &workers->lock);
    }
    atomic_store(&workers->is_awaited, false);
    pli_lock_release(&workers->lock);
}

void pli_workers_run(void *user, pliant_task task, void *argument, uint32_t count)
{
    struct pli_workers *workers = user;
    pli_lock_take(&workers->one_run);
    begin_run(workers, task, argument, count);
    work_through(workers, 0);
    end_run(workers);
    pli_lock_release(&workers->one_run);
}

static void destroy_sleep(worker_thread *thread)
{
    pli_condition_destroy(&thread->wake);
    pli_lock_destroy(&thread->lock);
}

pliant_result pli_workers_create(const pliant_allocator *allocator, uint32_t count,
                                 pli_workers **created)
{
    size_t size = sizeof(struct pli_workers) + count * sizeof(worker_thread);
    struct pli_workers *workers =
        allocator->allocate(allocator->user, size, _Alignof(struct pli_workers));
    if (workers == NULL) {
        return pli_fail_memory(size);
    }
    *workers = (struct pli_workers){.allocator = *allocator, .size = size};
    pli_lock_init(&workers->one_run);
    pli_lock_init(&workers->lock);
    pli_condition_init(&workers->done);
    /* Without threads the caller goes through all pieces of a run alone. */
    for (uint32_t i = 1; i < count && PLI_HAVE_THREADS; i++) {
        worker_thread *self = &workers->threads[i - 1];
        *self = (worker_thread){.workers = workers, .number = i};
        pli_lock_init(&self->lock);
        pli_condition_init(&self->wake);
        if (!pli_thread_start(&self->thread, thread_main, self)) {
            destroy_sleep(self);
            pli_workers_destroy(workers);
            return pli_fail(PLIANT_ERROR_OUT_OF_MEMORY, "worker %u of %u cannot be started", i,
                            count);
        }
        workers->thread_count++;
    }
    *created = workers;
    return PLIANT_OK;
}

void pli_workers_destroy(pli_workers *workers)
{
    if (workers == NULL) {
        return;
    }
    atomic_store_explicit(&workers->leaving, true, memory_order_relaxed);
    atomic_fetch_add(&workers->state, 2 * OPEN); /* news for all */
    for (uint32_t i = 0; i < workers->thread_count; i++) {
        wake_thread(&workers->threads[i]);
    }
    for (uint32_t i = 0; i < workers->thread_count; i++) {
        pli_thread_join(&workers->threads[i].thread);
        destroy_sleep(&workers->threads[i]);
    }
    pli_condition_destroy(&workers->done);
    pli_lock_destroy(&workers->lock);
    pli_lock_destroy(&workers->one_run);
    const pliant_allocator allocator = workers->allocator;
    allocator.release(allocator.user, workers, workers->size, _Alignof(struct pli_workers));
}

/* ------------------------------------------------------------ pieces, on these threads or a
 * caller's scheduler */

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
