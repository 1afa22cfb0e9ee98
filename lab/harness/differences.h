/* How the answers of two methods differ, pair by pair. */
#ifndef LAB_HARNESS_DIFFERENCES_H
#define LAB_HARNESS_DIFFERENCES_H

#include "contest.h"

/* The pairs of one answer, sorted, each once. */
typedef struct bench_pair_set {
    struct bench_pair_key *keys;
    uint64_t count;
} bench_pair_set;

/*
 * Collects an answer. For first contacts it is which bodies touch; a witness that does not touch
 * counts as a pair that nobody else has. False when there is no memory.
 */
bool bench_pair_set_collect(const bench_motion *motion, const bench_frame *frame, bool first_only,
                            const bench_outcome *outcome, bench_pair_set *set);
void bench_pair_set_free(bench_pair_set *set);

/* Adds what one answer lacks and has beyond another. */
void bench_pair_set_compare(const bench_pair_set *expected, const bench_pair_set *found,
                            bench_differences *differences);

/* Whether one pair of triangles touches: the exact test. */
bool bench_pair_touches(const bench_motion *motion, const bench_frame *frame,
                        const bench_range *bodies, pliant_pair pair);

#endif
