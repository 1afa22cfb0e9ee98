#include "plain_loop.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "bench.h"

#define LOOP_SECONDS     0.004 /* one run of the loop, alone */
#define HANDOVERS        200
#define HANDOVER_SECONDS 0.02

typedef struct loop {
    _Atomic uint32_t *missing; /* threads that are not there yet: all begin together */
    uint64_t rounds;
    uint64_t value;
    double start;
} loop;

static void *run_loop(void *argument)
{
    loop *work = argument;
    uint64_t x = work->value;
    atomic_fetch_sub(work->missing, 1);
    for (uint32_t i = 1; atomic_load(work->missing) > 0; i++) {
        if (i % 4096 == 0) {
            sched_yield(); /* there may be more threads than cores */
        }
    }
    work->start = bench_wall_seconds();
    for (uint64_t i = 0; i < work->rounds; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    work->value = x;
    return NULL;
}

void plain_loop_calibrate(plain_loop *c, uint32_t threads)
{
    _Atomic uint32_t missing = 1;
    loop work = {.missing = &missing, .rounds = 1000000, .value = 1};
    run_loop(&work);
    double seconds = bench_wall_seconds() - work.start;
    c->threads = threads;
    c->rounds = (uint64_t)((double)work.rounds * LOOP_SECONDS / seconds);
    c->kept += work.value;
}

/* The loops of all by one thread. */
static double loop_alone(plain_loop *c)
{
    _Atomic uint32_t missing = 1;
    loop work = {.missing = &missing, .rounds = c->threads * c->rounds, .value = 1};
    run_loop(&work);
    double end = bench_wall_seconds();
    c->kept += work.value;
    return end - work.start;
}

/* The loop by all threads; starting them is not part of it. Negative on failure. */
static double loop_together(plain_loop *c)
{
    _Atomic uint32_t missing = c->threads;
    loop work[PLAIN_LOOP_MOST_THREADS] = {{.missing = &missing, .rounds = c->rounds, .value = 1}};
    pthread_t others[PLAIN_LOOP_MOST_THREADS];
    uint32_t count = 1; /* with this one */
    for (uint32_t i = 1; i < c->threads; i++) {
        work[i] = (loop){.missing = &missing, .rounds = c->rounds, .value = i + 1};
    }
    while (count < c->threads &&
           pthread_create(&others[count], NULL, run_loop, &work[count]) == 0) {
        count++;
    }
    atomic_fetch_sub(&missing, c->threads - count); /* nobody waits for those that never come */
    run_loop(&work[0]);
    for (uint32_t i = 1; i < count; i++) {
        pthread_join(others[i], NULL);
    }
    double end = bench_wall_seconds(), start = work[0].start;
    for (uint32_t i = 0; i < count; i++) {
        c->kept += work[i].value;
        start = fmin(start, work[i].start);
    }
    return count == c->threads ? end - start : -1.0;
}

bool plain_loop_run(plain_loop *c)
{
    if (c->threads > PLAIN_LOOP_MOST_THREADS || c->count == PLAIN_LOOP_MOST) {
        return false;
    }
    double alone = loop_alone(c), together = loop_together(c);
    c->seconds[0][c->count] = alone;
    c->seconds[1][c->count++] = together;
    return together > 0.0;
}

double plain_loop_speedup(plain_loop *c)
{
    return bench_median(c->seconds[0], c->count) / bench_median(c->seconds[1], c->count);
}

/* Two threads take turns in counting; UINT32_MAX ends it. */
static void await_turn(const _Atomic uint32_t *turn, uint32_t wanted)
{
    for (uint32_t i = 1; atomic_load(turn) != wanted && atomic_load(turn) != UINT32_MAX; i++) {
        if (i % 4096 == 0) {
            sched_yield(); /* both may be on one core */
        }
    }
}

static void *take_turns(void *argument)
{
    _Atomic uint32_t *turn = argument;
    for (uint32_t i = 1;; i += 2) {
        await_turn(turn, i);
        uint32_t now = i;
        if (!atomic_compare_exchange_strong(turn, &now, i + 1)) {
            return NULL;
        }
    }
}

double plain_loop_handover_ns(void)
{
    _Alignas(64) _Atomic uint32_t turn = 0;
    pthread_t thread;
    if (pthread_create(&thread, NULL, take_turns, &turn) != 0) {
        return -1.0;
    }
    double best = (double)INFINITY, end = bench_wall_seconds() + HANDOVER_SECONDS;
    for (uint32_t now = 0; bench_wall_seconds() < end;) {
        double began = bench_wall_seconds();
        for (uint32_t i = 0; i < HANDOVERS; i += 2, now += 2) { /* others may interrupt a few */
            atomic_store(&turn, now + 1);
            await_turn(&turn, now + 2);
        }
        best = fmin(best, 1e9 * (bench_wall_seconds() - began) / HANDOVERS);
    }
    atomic_store(&turn, UINT32_MAX);
    pthread_join(thread, NULL);
    return best;
}
