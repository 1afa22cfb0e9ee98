/*
 * The figures of one machine: every experiment with all of its runs. A file of them is written by
 * pliant-bench and read by it again, to add runs or to compare two files; docs/bench-json.md
 * describes it, and scripts/figures makes the tables of the documentation from it.
 */
#ifndef LAB_HARNESS_RESULTS_H
#define LAB_HARNESS_RESULTS_H

#include <stdio.h>

#include "bench.h"

#define RESULTS_SCHEMA          2
#define RESULTS_MAX_EXPERIMENTS 64
#define RESULTS_MAX_RUNS        31

/* By whom, with what and on what the figures were made. Fields that were not known are empty. */
typedef struct results_origin {
    char version[32];
    char commit[64]; /* of the sources; ends in "-dirty" if they were changed */
    char date[32];   /* of the last run, UTC */
    char length[16]; /* quick, default or full */
    char cpu[128];
    char cores[16];
    char threads[16];
    char governor[32];
    char system[128];
    char compiler[128];
    char flags[512];
    char isa[16];
    char libraries[256]; /* other libraries, with versions */
    char renderer[128];  /* what draws by OpenGL */
} results_origin;

/* Runs of one experiment with the same rows and ratios. Series and notes are kept of the last. */
typedef struct results_experiment {
    char name[40];
    bench_report *runs[RESULTS_MAX_RUNS];
    uint32_t run_count;
} results_experiment;

typedef struct bench_results {
    results_origin origin;
    results_experiment experiments[RESULTS_MAX_EXPERIMENTS];
    uint32_t experiment_count;
    void *source; /* the text that was read, in which strings of its reports lie */
} bench_results;

/* What went wrong, in a sentence. */
typedef struct results_error {
    char text[512];
} results_error;

/* Of this program, on this machine, now; without the renderer, which takes starting OpenGL. */
results_origin results_origin_here(const bench_settings *settings);

/* The experiment of that name, or NULL. */
results_experiment *results_find(const bench_results *results, const char *name);

/*
 * Adds a run and takes the report over, which is then empty. False, with a sentence, if there is no
 * room or the run has other rows, ratios or contests than those before it.
 */
bool results_add(bench_results *results, const char *name, bench_report *report,
                 results_error *error);
void results_free(bench_results *results);

/* Writes all of it as JSON. Write errors stay in the stream. */
void results_write(FILE *stream, const bench_results *results);

/*
 * Reads a file. False, with a sentence that names the file and what is wrong in it, if it cannot be
 * read or is no such file; results_free() is due in any case.
 */
bool results_read(const char *path, bench_results *results, results_error *error);

/* The first thing in which two origins differ so that their runs do not belong into one file, with
   both values; NULL if there is none. The date may differ. */
const char *results_origin_difference(const results_origin *a, const results_origin *b,
                                      const char **value_a, const char **value_b);

/* Whether two runs of an experiment had the same contestants, plays, steps and states a second. */
bool results_same_contests(const bench_report *a, const bench_report *b);

/* Median and quartiles of some values; those that are no numbers do not count. */
typedef struct results_spread {
    double lower, median, upper;
    uint32_t count;
} results_spread;

results_spread results_spread_of(const double *values, uint32_t count);

/* All runs' values of a cell of a row, or of a ratio. Returns how many. */
uint32_t results_cell_values(const results_experiment *experiment, uint32_t row, uint32_t cell,
                             double values[RESULTS_MAX_RUNS]);
uint32_t results_ratio_values(const results_experiment *experiment, uint32_t ratio,
                              double values[RESULTS_MAX_RUNS]);

/* "ms", "us", "ns", "GB/s", ..., "count" or "ratio": by how a key ends, and whether it has
   decimals. */
const char *results_unit(const char *key, int decimals);

/* How two files differ. */
typedef struct results_comparison {
    uint32_t beyond;  /* figures whose quartiles do not overlap, or counts that differ */
    uint32_t within;  /* figures that differ within their quartiles */
    uint32_t unknown; /* figures that differ where one side has a single run */
    uint32_t same;
    uint32_t missing; /* figures and experiments that only one file has */
} results_comparison;

/* Prints what changed from `a` to `b`, and whether beyond the spread. */
results_comparison results_compare(FILE *stream, const bench_results *a, const bench_results *b);

#endif
