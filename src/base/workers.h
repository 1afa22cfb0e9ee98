/* Pieces of work on several workers: those of a caller's scheduler, or our own threads. */
#ifndef PLI_BASE_WORKERS_H
#define PLI_BASE_WORKERS_H

#include "base/error.h"

enum { PLI_MAX_WORKERS = 256 };

/* Tells the processor that a loop only waits for another thread. */
static inline void pli_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

typedef struct pli_workers pli_workers;

/* Starts `count` - 1 threads, or none where the build has none; the thread that calls
 * pli_workers_run() is worker 0. */
pliant_result pli_workers_create(const pliant_allocator *allocator, uint32_t count,
                                 pli_workers **workers);
void pli_workers_destroy(pli_workers *workers);

/* A scheduler's run(), with the workers as `user`. Runs from several threads wait for each other.
 */
void pli_workers_run(void *user, pliant_task task, void *argument, uint32_t count);

/*
 * Runs task(argument, i, worker) for every i below `count`, in the default floating-point
 * environment, and returns when all are done: in this thread if the scheduler has no function, on
 * `workers` if there are any, or else on the scheduler, a caller's. That is not trusted: it fails
 * where it does not do what its contract says, and some pieces have not been run then.
 */
pliant_result pli_run_pieces(const pliant_scheduler *scheduler, pli_workers *workers,
                             pliant_task task, void *argument, uint32_t count);

#endif
