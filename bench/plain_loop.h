/*
 * What two threads can gain on this machine, now: the same plain loop over a few registers, run
 * twice by one thread and once each by two. And how far apart their cores are.
 */
#ifndef BENCH_PLAIN_LOOP_H
#define BENCH_PLAIN_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#define PLAIN_LOOP_MOST 64

typedef struct plain_loop {
    uint64_t rounds;        /* of the loop: about 4 ms by one thread */
    volatile uint64_t kept; /* what loops computed, so that their work is not left out */
    uint32_t count;
    double seconds[2][PLAIN_LOOP_MOST]; /* by one thread, by two */
} plain_loop;

/* Finds out how long the loop has to be. */
void plain_loop_calibrate(plain_loop *loop);

/* Runs it once by one thread and by two, at most PLAIN_LOOP_MOST times; false if no thread can be
   started. */
bool plain_loop_run(plain_loop *loop);

/* The median time of one thread over that of two. */
double plain_loop_speedup(plain_loop *loop);

/* Nanoseconds until a thread on another core sees what this one wrote; negative on failure. */
double plain_loop_handover_ns(void);

#endif
