/* The experiments, one file each. */
#ifndef BENCH_EXPERIMENTS_EXPERIMENTS_H
#define BENCH_EXPERIMENTS_EXPERIMENTS_H

#include "bench/bench.h"

extern const bench_experiment experiment_larsson_1;
extern const bench_experiment experiment_larsson_2;
extern const bench_experiment experiment_exact_triangle;
extern const bench_experiment experiment_build;

#endif
