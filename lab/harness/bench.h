/*
 * Benchmarks: the papers' experiments, our methods and their rivals side by side on the same
 * scenes. An experiment whose methods do not agree on the pairs fails instead of printing a time.
 */
#ifndef LAB_HARNESS_BENCH_H
#define LAB_HARNESS_BENCH_H

#include <stdio.h>

#include "report.h"
#include "pliant/base.h"

typedef enum bench_length {
    BENCH_QUICK,   /* about 2 seconds per experiment: does it work */
    BENCH_DEFAULT, /* a minute or two per experiment */
    BENCH_FULL     /* every step of the paper, many repetitions */
} bench_length;

typedef struct bench_settings {
    bench_length length;
    uint64_t seed;
    pliant_isa isa;       /* our own methods use at most this instruction set */
    uint32_t threads;     /* and so many threads; 0 stands for 1, of which CPU time is measured */
    uint32_t repetitions; /* the experiment is run so often: each run makes its share of the plays;
                             0 stands for 1 */
    uint32_t rate;        /* states a second of motions in time; 0 stands for 60 */
    const char *const *files; /* the user's own meshes, for the experiment that plays them */
    uint32_t file_count;
    FILE *progress; /* a terminal, or NULL: silent */
} bench_settings;

typedef struct bench_experiment {
    const char *name;
    const char *description; /* one sentence */
    const char *paper;       /* what the paper says, in a line; NULL: not from a paper */
    bool peers;              /* sets us beside other libraries: run only when asked for */
    /* Reads the clock outside of turns (turns.h): it times one method alone, or plays its own
       contestants in a loop, all alike, and reports them by report_contest(). */
    bool own_turns;
    bool (*run)(const bench_settings *settings, bench_report *report); /* NULL: left out */
} bench_experiment;

/* All experiments, in the order in which they are listed. */
extern const bench_experiment *const bench_experiments[];
extern const uint32_t bench_experiment_count;
const bench_experiment *bench_find(const char *name);

/* Whether this build has any other library to set beside us. */
bool bench_has_peers(void);

/* Runs one experiment; false if it failed, with the reason in report->error. */
bool bench_run(const bench_experiment *experiment, const bench_settings *settings,
               bench_report *report);

/* Prints what the measurements are made on, and with which instruction set. */
void bench_print_machine(FILE *stream, const bench_settings *settings);

/* "quick", "default" or "full". */
const char *bench_length_name(bench_length length);

/* Prints the report as a table for people. */
void bench_print(FILE *stream, const bench_experiment *experiment, const bench_report *report);

/* Of so many repetitions those that one of several runs makes, at least 1. */
uint32_t bench_repetitions(const bench_settings *settings, uint32_t all);

/* States a second of motions in time. */
static inline uint32_t bench_rate(const bench_settings *settings)
{
    return settings->rate > 0 ? settings->rate : 60;
}

/* How many threads our own methods may use, at least 1. */
uint32_t bench_threads(const bench_settings *settings);

/* CPU time of this thread less what reading it takes, never going back, and wall-clock time, in
   seconds. Two times differ by the work between them, however often the clock was read in it. */
double bench_cpu_seconds(void);
double bench_wall_seconds(void);

/*
 * The clock by which everybody is measured, rivals and other libraries too: CPU time of this
 * thread, or the clock on the wall, because CPU time of one thread leaves out what others do for
 * it. bench_run() chooses it by the settings, for the whole program.
 */
double bench_seconds(void);
void bench_choose_clock(const bench_settings *settings);

/* Opens a turn and closes it; and whether the clock was read outside of turns since the last call.
   For turns.c and bench.c, and to play a method without measuring it. */
void bench_let_clock_run(bool now);
bool bench_take_read_outside(void);

/* The median of `count` values, which get sorted. */
double bench_median(double *values, uint64_t count);

/* The slope of the least-squares line through log y over log x: the power of x that y grows as. */
double bench_fit_exponent(const double *x, const double *y, uint32_t count);

/* Shows how far an experiment is, if somebody watches. */
void bench_progress(const bench_settings *settings, const char *what, uint64_t done, uint64_t all);

#endif
