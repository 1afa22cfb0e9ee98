#include "workers.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct worker_thread {
    pthread_t thread;
    struct pli_workers *workers;
    uint32_t number;
} worker_thread;

struct pli_workers {
    pliant_allocator allocator;
    size_t size; /* of this allocation */
    pthread_mutex_t one_run, lock;
    pthread_cond_t wake, done;
    /* The run that is under way: pieces are handed out by counting up. */
    pliant_task task;
    void *argument;
    uint32_t count;
    _Atomic uint32_t next;
    _Atomic uint64_t round;   /* counts runs, so that a worker knows a new one */
    _Atomic uint32_t at_work; /* threads that have not finished the round yet */
    uint32_t asleep;          /* threads that wait on `wake`; under the lock */
    bool leaving;             /* under the lock */
    uint32_t thread_count;    /* threads started */
    worker_thread threads[];
};

/*
 * A scene asks for several runs within microseconds, and waking a thread takes tens of them. So
 * both sides look for a while before they sleep.
 */
enum { LOOKS = 2000 };

static void look_away(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void work_through(struct pli_workers *workers, uint32_t worker)
{
    for (;;) {
        uint32_t index = atomic_fetch_add_explicit(&workers->next, 1, memory_order_relaxed);
        if (index >= workers->count) {
            return;
        }
        workers->task(workers->argument, index, worker);
    }
}

/* Waits for another round than the one seen; false when it is time to leave. */
static bool await_round(struct pli_workers *workers, uint64_t *seen)
{
    for (int i = 0; i < LOOKS; i++) {
        if (atomic_load_explicit(&workers->round, memory_order_acquire) != *seen) {
            break;
        }
        look_away();
    }
    pthread_mutex_lock(&workers->lock);
    while (workers->round == *seen && !workers->leaving) {
        workers->asleep++;
        pthread_cond_wait(&workers->wake, &workers->lock);
        workers->asleep--;
    }
    bool stay = !workers->leaving;
    *seen = workers->round;
    pthread_mutex_unlock(&workers->lock);
    return stay;
}

static void *thread_main(void *argument)
{
    worker_thread *self = argument;
    struct pli_workers *workers = self->workers;
    uint64_t seen = 0;
    while (await_round(workers, &seen)) {
        work_through(workers, self->number);
        if (atomic_fetch_sub_explicit(&workers->at_work, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&workers->lock);
            pthread_cond_signal(&workers->done);
            pthread_mutex_unlock(&workers->lock);
        }
    }
    return NULL;
}

static void begin_round(struct pli_workers *workers, pliant_task task, void *argument,
                        uint32_t count)
{
    pthread_mutex_lock(&workers->lock);
    workers->task = task;
    workers->argument = argument;
    workers->count = count;
    atomic_store_explicit(&workers->next, 0, memory_order_relaxed);
    atomic_store_explicit(&workers->at_work, workers->thread_count, memory_order_relaxed);
    atomic_fetch_add_explicit(&workers->round, 1, memory_order_release);
    if (workers->asleep > 0) {
        pthread_cond_broadcast(&workers->wake);
    }
    pthread_mutex_unlock(&workers->lock);
}

static void await_others(struct pli_workers *workers)
{
    for (int i = 0; i < LOOKS; i++) {
        if (atomic_load_explicit(&workers->at_work, memory_order_acquire) == 0) {
            return;
        }
        look_away();
    }
    pthread_mutex_lock(&workers->lock);
    while (atomic_load_explicit(&workers->at_work, memory_order_acquire) > 0) {
        pthread_cond_wait(&workers->done, &workers->lock);
    }
    pthread_mutex_unlock(&workers->lock);
}

void pli_workers_run(void *user, pliant_task task, void *argument, uint32_t count)
{
    struct pli_workers *workers = user;
    pthread_mutex_lock(&workers->one_run);
    begin_round(workers, task, argument, count);
    work_through(workers, 0);
    await_others(workers);
    pthread_mutex_unlock(&workers->one_run);
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
    pthread_mutex_init(&workers->one_run, NULL);
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->wake, NULL);
    pthread_cond_init(&workers->done, NULL);
    for (uint32_t i = 1; i < count; i++) {
        worker_thread *self = &workers->threads[workers->thread_count];
        *self = (worker_thread){.workers = workers, .number = i};
        if (pthread_create(&self->thread, NULL, thread_main, self) != 0) {
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
    pthread_mutex_lock(&workers->lock);
    workers->leaving = true;
    pthread_cond_broadcast(&workers->wake);
    pthread_mutex_unlock(&workers->lock);
    for (uint32_t i = 0; i < workers->thread_count; i++) {
        pthread_join(workers->threads[i].thread, NULL);
    }
    pthread_cond_destroy(&workers->done);
    pthread_cond_destroy(&workers->wake);
    pthread_mutex_destroy(&workers->lock);
    pthread_mutex_destroy(&workers->one_run);
    const pliant_allocator allocator = workers->allocator;
    allocator.release(allocator.user, workers, workers->size, _Alignof(struct pli_workers));
}
