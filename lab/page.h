/* The page of a benchmark: the papers' figures beside ours. */
#ifndef LAB_PAGE_H
#define LAB_PAGE_H

#include "lab/harness/results.h"

/* Write errors stay in the stream; false: there was no memory. */
bool bench_write_page(FILE *stream, const bench_experiment *const *experiments, uint32_t count,
                      const bench_results *results);

#endif
