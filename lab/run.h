/* Running experiments again and again, and where their figures go. */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "lab/harness/results.h"
#include "tool/cli.h"

typedef struct run_wishes {
    const bench_settings *settings;
    const bench_experiment *const *experiments;
    uint32_t count;
    uint32_t runs;         /* of every experiment, what a file has already included */
    uint32_t minutes;      /* after which no run is begun; 0: no limit */
    const char *json_path; /* written at the end; NULL: not */
    const char *into_path; /* read first, and written after every run; NULL: not */
    const char *page_path; /* NULL: not */
} run_wishes;

cli_status run_experiments(const run_wishes *wishes);

/* Prints how two files differ. Status 1 if any figure changed beyond its spread. */
cli_status run_compare(const char *const *paths, uint32_t count);

#endif
