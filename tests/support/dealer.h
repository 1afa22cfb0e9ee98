/* A scheduler of the caller's for tests: a new thread per worker each time, which takes every n-th
   piece, the last ones first. */
#ifndef PLIANT_TESTS_DEALER_H
#define PLIANT_TESTS_DEALER_H

#include "assert_ok.h"

/* The scheduler's run(); `user` points to how many workers there are, at most 8. */
void dealer_run(void *user, pliant_task task, void *argument, uint32_t count);

/* A context with so many workers of this kind; the number must stay where it is. */
pliant_context *dealer_context(uint32_t *workers);

#endif
