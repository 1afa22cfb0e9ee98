/* Pieces of work on several workers: those of the context, or those of a caller's scheduler. */
#ifndef PLI_BASE_PIECES_H
#define PLI_BASE_PIECES_H

#include "error.h"
#include "workers.h"

/*
 * Runs task(argument, i, worker) for every i below `count`, in the default floating-point
 * environment, and returns when all are done: in this thread if the scheduler has no function, on
 * `workers` if there are any, or else on the scheduler, a caller's. That is not trusted: it fails
 * where it does not do what its contract says, and some pieces have not been run then.
 */
pliant_result pli_run_pieces(const pliant_scheduler *scheduler, pli_workers *workers,
                             pliant_task task, void *argument, uint32_t count);

#endif
