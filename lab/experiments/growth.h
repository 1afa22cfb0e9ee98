/* Parts of the experiment `growth`. */
#ifndef LAB_EXPERIMENTS_GROWTH_H
#define LAB_EXPERIMENTS_GROWTH_H

#include "lab/harness/bench.h"

/* Each adds rows and an exponent. */
bool growth_over_modes(const bench_settings *settings, bench_report *report);
bool growth_over_nodes(const bench_settings *settings, bench_report *report);

#endif
