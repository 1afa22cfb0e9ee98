#include "plain_loop.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "bench/bench.h"

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
    while (atomic_load(work->missing) > 0) {
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

void plain_loop_calibrate(plain_loop *c)
{
    _Atomic uint32_t missing = 1;
    loop work = {.missing = &missing, .rounds = 1000000, .value = 1};
    run_loop(&work);
    double seconds = bench_wall_seconds() - work.start;
    c->rounds = (uint64_t)((double)work.rounds * LOOP_SECONDS / seconds);
    c->kept += work.value;
}

/* Twice the loop by one thread. */
static double loop_alone(plain_loop *c)
{
    _Atomic uint32_t missing = 1;
    loop work = {.missing = &missing, .rounds = 2 * c->rounds, .value = 1};
    run_loop(&work);
    double end = bench_wall_seconds();
    c->kept += work.value;
    return end - work.start;
}

/* The loop by two threads; starting the second one is not part of it. Negative on failure. */
static double loop_together(plain_loop *c)
{
    _Atomic uint32_t missing = 2;
    loop work[2] = {{.missing = &missing, .rounds = c->rounds, .value = 1},
                    {.missing = &missing, .rounds = c->rounds, .value = 2}};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_loop, &work[1]) != 0) {
        return -1.0;
    }
    run_loop(&work[0]);
    pthread_join(thread, NULL);
    double end = bench_wall_seconds();
    c->kept += work[0].value + work[1].value;
    return end - fmin(work[0].start, work[1].start);
}

bool plain_loop_run(plain_loop *c)
{
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
