/*
 * What layout, vectors and laziness give each: from scalar binary bottom-up to ours in three steps.
 */
#ifndef LAB_EXPERIMENTS_MODERN_H
#define LAB_EXPERIMENTS_MODERN_H

#include "lab/harness/bench.h"

/* Times of the four, each having one thing that the one before it has not. */
typedef struct modern_times {
    double scalar;       /* binary bottom-up, one box at a time */
    double modern_plain; /* our nodes of eight and clusters, refitted whole, in plain C */
    double modern;       /* the same with vectors */
    double ours;         /* refitted only where a query comes */
} modern_times;

/* Adds the three quotients; their product is the first over the last. */
void modern_add_ratios(const modern_times *times, bench_report *report);

#endif
