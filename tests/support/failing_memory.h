/*
 * T10 for any set of calls: whichever allocation of a call fails, once or from then on, the call
 * ends with the right error, nothing that was there has changed, the same call then succeeds with
 * the answer it would have given, and nothing is leaked.
 */
#ifndef PLIANT_TESTS_FAILING_MEMORY_H
#define PLIANT_TESTS_FAILING_MEMORY_H

#include "fixture.h"

/* Folds bytes into a running hash. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);

/* What calls are made on: made anew for every failure. */
typedef struct failing_world {
    void *(*create)(counting_allocator *allocator);
    void (*destroy)(void *world);
    /* A hash of all that a failed call must leave alone; it allocates nothing. */
    uint64_t (*fingerprint)(const void *world);
    /* A hash of an answer that needs all of the world; asked after the repeated call. */
    uint64_t (*answer)(void *world);
} failing_world;

/* A call, or several in a row: stops at the first failure, else sets a hash of the answers. */
typedef struct failing_call {
    const char *name;
    pliant_result (*call)(void *world, uint64_t *hash);
} failing_call;

/* Tries every failure of one call. Of long rows of allocations, those behind the first few
   are sampled. Returns how many were tried. */
uint64_t try_failing_call(const failing_world *kind, const failing_call *call);

#endif
