/*
 * The parts of the documentation that hold measurements. They are written from the reports of one
 * run of the experiments, between lines <!-- begin NAME --> and <!-- end NAME -->, so that no
 * figure in the documentation is older than the run that made it.
 */
#ifndef LAB_DOCS_DOCS_H
#define LAB_DOCS_DOCS_H

#include <stdio.h>

#include "lab/harness/bench.h"

/* One run of all experiments: reports[i] belongs to bench_experiments[i]. */
typedef struct docs_results {
    const bench_settings *settings;
    const bench_report *reports;
} docs_results;

/* A part of a file, and who writes it. */
typedef struct docs_block {
    const char *file; /* below the folder of the documentation */
    const char *name;
    void (*write)(FILE *stream, const docs_results *results);
} docs_block;

extern const docs_block docs_larsson_blocks[], docs_figures_blocks[];
extern const unsigned docs_larsson_block_count, docs_figures_block_count;
extern const docs_block docs_heidelberger_blocks[];
extern const unsigned docs_heidelberger_block_count;
extern const docs_block docs_steinemann_blocks[];
extern const unsigned docs_steinemann_block_count;
extern const docs_block docs_james_blocks[];
extern const unsigned docs_james_block_count;

/* Beside other libraries: only filled in by a build that has some. */
extern const docs_block docs_peers_blocks[], docs_growth_blocks[];
extern const unsigned docs_peers_block_count, docs_growth_block_count;

/* Whether the page about other libraries shows an experiment. */
bool docs_peers_show(const bench_experiment *experiment);

/* Whether a file under `folder` can be read and has the block's two marks; prints one line if not.
 */
bool docs_check(const char *folder, const docs_block *block);

/* Replaces a block that is there. Prints one line and returns false on failure. */
bool docs_fill(const char *folder, const docs_block *block, const docs_results *results);

/* Draws the curves of the paper's figure 3 into the folder's images. The same on failure. */
bool docs_draw_larsson_figures(const char *folder, const docs_results *results);

/* Draws two bodies and what they have in common into the folder's images. The same on failure. */
bool docs_draw_overlap(const char *folder);
/* The same for figure 5 of Steinemann, Otaduy & Gross, and the numbers behind it as CSV. */
bool docs_draw_steinemann_figure(const char *folder, const docs_results *results);

/* Opens folder/name for writing; prints one line and returns NULL on failure. docs_close() likewise
   returns false if anything could not be written. */
FILE *docs_open(const char *folder, const char *name, const char *mode);
bool docs_close(FILE *file, const char *folder, const char *name);

const bench_report *docs_report(const docs_results *results, const char *experiment);

/* A figure of an experiment's ratios, or of the row of that name whose cells `triangles` and
   `first_only` are as given; NAN if there is none. */
double docs_ratio(const bench_report *report, const char *key);
double docs_cell(const bench_report *report, const char *method, double triangles, bool first_only,
                 const char *key);

/* Writes a figure with about three digits and no exponent, or a dash. */
void docs_number(FILE *stream, double value);

/* Writes a whole number with commas. */
void docs_count(FILE *stream, double value);

/* The line that says what the measurements were made on. */
void docs_write_machine(FILE *stream, const docs_results *results);

#endif
