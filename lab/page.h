/* The page of a benchmark: the papers' figures beside ours. */
#ifndef LAB_PAGE_H
#define LAB_PAGE_H

#include "lab/harness/bench.h"

/* Write errors stay in the stream; false: there was no memory. */
bool bench_write_page(FILE *stream, const bench_settings *settings,
                      const bench_experiment *const *experiments, const bench_report *reports,
                      uint32_t count);

#endif
