/*
 * The clocks of the benchmarks. Asking for the CPU time of a thread is a call of the system, which
 * takes about half a microsecond. Whoever is asked for a step in 16 microseconds would be charged a
 * few percent for it, and whoever takes a millisecond nothing, so that the ratios of the fastest
 * would be wrong. What reading the clock takes is therefore measured, and taken off for every
 * reading: any two times differ by what was done between them, for all methods alike.
 */
#include "bench.h"

#include <time.h>

#define READINGS 2000

typedef struct cpu_clock {
    double cost; /* of one reading, in seconds */
    uint64_t readings;
    double latest; /* the time that was last told */
    bool measured;
} cpu_clock;

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The lower quartile of many: most of them agree to a hundredth, those that were disturbed are
   longer, and no more must be taken off than a reading takes. */
static double measure_reading(void)
{
    double costs[READINGS];
    double before = read_clock(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < READINGS; i++) {
        double now = read_clock(CLOCK_THREAD_CPUTIME_ID);
        costs[i] = now - before;
        before = now;
    }
    bench_median(costs, READINGS); /* sorts them */
    return costs[READINGS / 4];
}

static bool runs, read_outside;

void bench_let_clock_run(bool now)
{
    runs = now;
}

bool bench_take_read_outside(void)
{
    bool was = read_outside;
    read_outside = false;
    return was;
}

double bench_cpu_seconds(void)
{
    static _Thread_local cpu_clock own;
    if (!own.measured) {
        own.cost = measure_reading();
        own.measured = true;
    }
    double now = read_clock(CLOCK_THREAD_CPUTIME_ID) - own.cost * (double)own.readings;
    own.readings++;
    /* A reading that took less than usual must not turn the time back. */
    own.latest = now > own.latest ? now : own.latest;
    return own.latest;
}

double bench_wall_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static bool measures_by_wall;

void bench_choose_clock(const bench_settings *settings)
{
    measures_by_wall = bench_threads(settings) > 1;
}

double bench_seconds(void)
{
    read_outside = read_outside || !runs;
    return measures_by_wall ? bench_wall_seconds() : bench_cpu_seconds();
}
