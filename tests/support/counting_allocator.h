/*
 * The allocator of every test in which allocations fail. It counts, fails on demand, and ends the
 * program with a message if memory is released with another size or alignment than it was
 * allocated with.
 */
#ifndef PLIANT_TESTS_COUNTING_ALLOCATOR_H
#define PLIANT_TESTS_COUNTING_ALLOCATOR_H

#include "pliant/base.h"

/* It has no lock: only one thread at a time may allocate. */
typedef struct counting_allocator {
    uint64_t calls; /* allocations so far */
    uint64_t live;  /* not yet released */
    uint64_t live_bytes, peak_bytes;
    uint64_t fail_at;     /* the allocation with this number fails (counted from 1; 0: none) */
    bool fail_from_there; /* all allocations after it fail as well */
} counting_allocator;

/* The functions to define a context with. `counting` must live as long as the context. */
pliant_allocator counting_allocator_get(counting_allocator *counting);

#endif
