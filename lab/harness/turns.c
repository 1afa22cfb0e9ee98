#include "turns.h"

uint32_t bench_plays(const bench_settings *settings, const bench_terms *terms)
{
    uint32_t usual = settings->length == BENCH_QUICK ? 1 : 9;
    return bench_repetitions(settings, terms->plays > 0 ? terms->plays : usual);
}

bool bench_take_turns(const bench_settings *settings, const bench_terms *terms, bench_play *play,
                      void *user, bench_report *report)
{
    bench_terms held = *terms;
    bool done = true;
    held.plays = bench_plays(settings, terms);
    for (uint32_t i = 0; done && i < held.plays * held.count; i++) {
        uint32_t round = i / held.count;
        /* Another one begins each round, so that the order favours no contestant. */
        uint32_t who = (i + round) % held.count;
        bench_progress(settings, held.title, i, (uint64_t)held.plays * held.count);
        if (held.names[who] != NULL) {
            bench_let_clock_run(true);
            done = play(user, who, round, report);
            bench_let_clock_run(false);
        }
    }
    if (done) {
        report_contest(report, &held);
    }
    return done && report->error[0] == '\0';
}
