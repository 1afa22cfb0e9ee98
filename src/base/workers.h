/* Threads of our own, for callers who bring no job system. */
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

#endif
