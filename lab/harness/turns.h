/*
 * A contest: its contestants take turns, so that all of them play alike. In every round each plays
 * once, and another one begins. An experiment that reads the clock outside of a turn fails, unless
 * it has turns of its own (bench.h): no contestant can be measured more often than the others.
 */
#ifndef LAB_HARNESS_TURNS_H
#define LAB_HARNESS_TURNS_H

#include "bench.h"

/* One play of contestant `who`; false if it failed, with the reason in the report. */
typedef bool bench_play(void *user, uint32_t who, uint32_t round, bench_report *report);

/* Lets all contestants play, and notes in the report how often each played and how many states. */
bool bench_take_turns(const bench_settings *settings, const bench_terms *terms, bench_play *play,
                      void *user, bench_report *report);

/* How often each contestant plays in this run. */
uint32_t bench_plays(const bench_settings *settings, const bench_terms *terms);

#endif
