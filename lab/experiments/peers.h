/* What the experiments with other libraries share: a contest between us and all of them. */
#ifndef LAB_EXPERIMENTS_PEERS_H
#define LAB_EXPERIMENTS_PEERS_H

#include "lab/harness/contest.h"

typedef struct peers_contest {
    const bench_settings *settings;
    bench_motion *motion;
    const bench_method *const *ours; /* the ratios are over the first */
    uint32_t our_count;
    const bench_method *avx2; /* the first with AVX2 at most, for a machine that has more */
    bool first_only;
    bool oriented; /* oriented boxes take part: many times slower, so for small bodies only */
    const char *title;
    const char *suffix; /* of the ratios' keys; "" or "_5120" */
    bool headline;      /* the ratios stand under their keys without the suffix as well */
    uint32_t triangles; /* of one body, for the table */
    const char *group;  /* what the rows' names end in; NULL: nothing */
} peers_contest;

/*
 * Runs it and adds a row per method and a ratio per peer, and for three peers also one over us with
 * AVX2 at most, whose key ends in _avx2; that is left out where nothing above AVX2 may be used.
 * Where peers differ from us it is counted, not an error. False, with the reason in the report, if
 * it cannot be run.
 */
bool peers_contest_run(const peers_contest *wanted, bench_report *report);

/* Notes the peers, those left out, and the meaning of the ratios. */
void peers_introduce(bench_report *report);

#endif
