/*
 * What two or more threads can gain on this machine, now: the same plain loop over a few registers,
 * run by one thread as often as there are threads, and once by each of them. And how far apart the
 * cores of two are.
 */
#ifndef LAB_HARNESS_PLAIN_LOOP_H
#define LAB_HARNESS_PLAIN_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#define PLAIN_LOOP_MOST         64
#define PLAIN_LOOP_MOST_THREADS 256

typedef struct plain_loop {
    uint32_t threads;       /* at least 2 */
    uint64_t rounds;        /* of the loop: about 4 ms by one thread */
    volatile uint64_t kept; /* what loops computed, so that their work is not left out */
    uint32_t count;
    double seconds[2][PLAIN_LOOP_MOST]; /* by one thread, by all */
} plain_loop;

/* For 2 to PLAIN_LOOP_MOST_THREADS threads; finds out how long the loop has to be. */
void plain_loop_calibrate(plain_loop *loop, uint32_t threads);

/* Runs it once by one thread and by all, at most PLAIN_LOOP_MOST times; false if a thread cannot be
   started. */
bool plain_loop_run(plain_loop *loop);

/* The median time of one thread over that of all. */
double plain_loop_speedup(plain_loop *loop);

/* Nanoseconds until a thread on another core sees what this one wrote; negative on failure. */
double plain_loop_handover_ns(void);

#endif
