/* Rows of the experiment elements that are no contest between equal answers. */
#ifndef PLIANT_BENCH_ELEMENTS_MORE_H
#define PLIANT_BENCH_ELEMENTS_MORE_H

#include "lab/harness/bench.h"
#include "lab/harness/ours.h"

/* The same motion with budgets of pairs of nodes: what is left out, and what it saves. */
bool elements_add_budgets(const bench_settings *settings, bench_motion *motion,
                          bench_report *report);

/* Bodies on a grid, too far from each other to touch, with loose boxes and without. */
bool elements_add_loose(const bench_settings *settings, bench_report *report);

#endif
