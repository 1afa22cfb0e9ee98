/*
 * What an experiment found: rows of a table, series over steps, ratios, notes. An experiment fills
 * it in through the functions below; bench.h prints it as text and as JSON.
 */
#ifndef LAB_HARNESS_REPORT_H
#define LAB_HARNESS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/* A figure under a heading. The same heading in several rows makes a column. */
typedef struct bench_cell {
    const char *key;
    double value;
    int decimals;
} bench_cell;

#define BENCH_MAX_CELLS 12

typedef struct bench_row {
    char method[64];
    bench_cell cells[BENCH_MAX_CELLS];
    uint32_t cell_count;
    struct bench_report *report; /* that it stands in */
} bench_row;

typedef struct bench_series {
    char name[64];
    double *values;
    uint64_t count;
} bench_series;

/* How a contestant was measured. Figures of contestants of one contest may be compared. */
typedef struct bench_contestant {
    char contest[48], name[64];
    uint32_t plays;           /* its figures are medians over these */
    uint32_t steps;           /* states in a play */
    double states_per_second; /* 0: no motion in time */
} bench_contestant;

/* How a contest is held. */
typedef struct bench_terms {
    const char *title;
    const char *const *names; /* of the contestants; NULL: of one that is left out */
    uint32_t count;           /* contestants */
    uint32_t plays;           /* of each; for turns in all runs together, and 0: 9, 1 if quick */
    uint32_t steps;           /* states in a play */
    double states_per_second; /* 0: no motion in time */
} bench_terms;

typedef struct bench_ratio {
    char key[40];
    char contest[48]; /* the latest before it; empty: none */
    double value;
    double paper;        /* the paper's figure; NAN: it gives none */
    const char *meaning; /* a few words for the text table */
} bench_ratio;

#define BENCH_MAX_ROWS        96
#define BENCH_MAX_SERIES      32
#define BENCH_MAX_RATIOS      64
#define BENCH_MAX_NOTES       8
#define BENCH_MAX_CONTESTANTS 160

typedef struct bench_report {
    bench_row rows[BENCH_MAX_ROWS];
    uint32_t row_count;
    bench_row beyond; /* for rows that there is no room for: the experiment has failed */
    bench_series series[BENCH_MAX_SERIES];
    uint32_t series_count;
    bench_ratio ratios[BENCH_MAX_RATIOS];
    uint32_t ratio_count;
    bench_contestant contestants[BENCH_MAX_CONTESTANTS];
    uint32_t contestant_count;
    char contest[48]; /* the latest */
    char notes[BENCH_MAX_NOTES][200];
    uint32_t note_count;
    uint64_t seed;
    double seconds;  /* how long the experiment took */
    char error[256]; /* why it failed; empty otherwise */
} bench_report;

#if defined(__GNUC__)
#define BENCH_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define BENCH_PRINTF(text, first)
#endif

/* Fails the experiment with a sentence; always false, so that `return report_fail(...)` reads well.
 */
bool report_fail(bench_report *report, const char *format, ...) BENCH_PRINTF(2, 3);

/* Adds a row; the cells follow. Here and below, more than there is room for fails the experiment.
 */
bench_row *report_row(bench_report *report, const char *format, ...) BENCH_PRINTF(2, 3);
void report_cell(bench_row *row, const char *key, double value, int decimals);

/* Adds the contestants of a contest, which becomes the latest; names that are NULL are left out.
   The experiment fails if a contest of that name was held in another way before. */
void report_contest(bench_report *report, const bench_terms *terms);

void report_ratio(bench_report *report, const char *key, double value, double paper,
                  const char *meaning);
void report_note(bench_report *report, const char *format, ...) BENCH_PRINTF(2, 3);

/* Copies a series of values; false, and the experiment failed, when there is no memory. */
bool report_series(bench_report *report, const char *name, const double *values, uint64_t count);

/* The first contestant of a contest, or NULL. */
const bench_contestant *report_find_contest(const bench_report *report, const char *contest);

/* What is called so, or NULL. */
const bench_cell *report_find_cell(const bench_row *row, const char *key);
const bench_ratio *report_find_ratio(const bench_report *report, const char *key);

void report_free(bench_report *report);

#endif
