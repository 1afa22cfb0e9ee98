#include "contest.h"

#include <stdlib.h>

#include "differences.h"

#define MAX_PLAYS 31

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

bench_summary bench_summarise(const bench_outcome *outcome)
{
    bench_summary summary = {0};
    for (uint32_t r = 0; r < outcome->range_count; r++) {
        const bench_range *range = &outcome->ranges[r];
        const pliant_pair *pairs = range->count > 0 ? outcome->pairs + range->first : NULL;
        uint64_t bodies = mix((uint64_t)range->a << 32 | range->b);
        for (uint64_t i = 0; i < range->count; i++) {
            summary.hash += mix(bodies ^ mix((uint64_t)pairs[i].a << 32 | pairs[i].b));
        }
        summary.count += range->count;
    }
    return summary;
}

/* Whether what a first-contact query found is one pair for each two bodies, and touches. */
static bool witnesses_touch(const bench_contest *contest, const bench_frame *frame,
                            const bench_outcome *outcome)
{
    for (uint32_t r = 0; r < outcome->range_count; r++) {
        const bench_range *range = &outcome->ranges[r];
        if (range->count > 1 ||
            (range->count == 1 &&
             !bench_pair_touches(contest->motion, frame, range, outcome->pairs[range->first]))) {
            return false;
        }
    }
    return true;
}

/* Which bodies touch, whatever pairs of triangles say so. */
static uint64_t hash_bodies(const bench_outcome *outcome)
{
    uint64_t hash = 0;
    for (uint32_t r = 0; r < outcome->range_count; r++) {
        const bench_range *range = &outcome->ranges[r];
        hash += range->count > 0 ? mix((uint64_t)range->a << 32 | range->b) : 0;
    }
    return hash;
}

static bool check_answer(const bench_contest *contest, const bench_frame *frame, uint32_t step,
                         const char *method, const bench_outcome *outcome, bench_summary *expected,
                         bool is_first, bench_report *report)
{
    bench_summary found = bench_summarise(outcome);
    if (contest->first_only) {
        found.hash = hash_bodies(outcome);
        if (!witnesses_touch(contest, frame, outcome)) {
            return report_fail(report, "%s reports a first contact that is none at step %u", method,
                               step);
        }
    }
    if (is_first) {
        *expected = found;
    } else if (found.count != expected->count || found.hash != expected->hash) {
        return report_fail(report, "%s and %s do not agree on the pairs at step %u (%llu and %llu)",
                           contest->methods[0]->name, method, step,
                           (unsigned long long)expected->count, (unsigned long long)found.count);
    }
    return true;
}

/* What is measured on the way to the results. */
typedef struct samples {
    bench_summary *expected; /* per step */
    bench_pair_set *sets;    /* the same, pair by pair, if there are peers */
    double *update, *total;  /* per method, per step, per play */
} samples;

static bool has_peers(const bench_contest *contest)
{
    bool found = false;
    for (uint32_t m = 0; m < contest->method_count; m++) {
        found = found || contest->methods[m]->peer;
    }
    return found;
}

static bool samples_allocate(const bench_contest *contest, samples *s)
{
    size_t steps = contest->motion->step_count;
    size_t count = contest->method_count * steps * MAX_PLAYS;
    *s = (samples){.expected = calloc(steps, sizeof *s->expected),
                   .sets = calloc(steps, sizeof *s->sets),
                   .update = calloc(count, sizeof *s->update),
                   .total = calloc(count, sizeof *s->total)};
    return s->expected != NULL && s->sets != NULL && s->update != NULL && s->total != NULL;
}

static void samples_free(const bench_contest *contest, samples *s)
{
    for (uint32_t at = 0; s->sets != NULL && at < contest->motion->step_count; at++) {
        bench_pair_set_free(&s->sets[at]);
    }
    free(s->sets);
    free(s->expected);
    free(s->update);
    free(s->total);
}

static size_t sample_index(const bench_contest *contest, uint32_t method, uint32_t at)
{
    return ((size_t)method * contest->motion->step_count + at) * MAX_PLAYS;
}

/* Collects the first method's answer, and counts in what a peer's first one differs. */
static bool compare_peers(bench_contest *contest, samples *s, uint32_t which, uint32_t at,
                          const bench_frame *frame, const bench_outcome *outcome, bool is_first,
                          bench_report *report)
{
    bench_pair_set found = {0};
    if (!bench_pair_set_collect(contest->motion, frame, contest->first_only, outcome, &found)) {
        return report_fail(report, "not enough memory");
    }
    if (is_first) {
        s->sets[at] = found;
    } else {
        bench_pair_set_compare(&s->sets[at], &found, &contest->differences[which]);
        bench_pair_set_free(&found);
    }
    return true;
}

/* A contest in progress. */
typedef struct game {
    bench_contest *contest;
    void **states; /* of the methods */
    samples samples;
    bool has_peers;
} game;

/* One method goes through all steps once. */
static bool play(void *user, uint32_t which, uint32_t round, bench_report *report)
{
    game *g = user;
    bench_contest *contest = g->contest;
    samples *s = &g->samples;
    const bench_method *method = contest->methods[which];
    bench_motion *motion = contest->motion;
    bool is_first = round == 0 && which == 0;
    bool compares = g->has_peers && round == 0 && (is_first || method->peer);
    for (uint32_t at = 0; at < motion->step_count; at++) {
        bench_outcome outcome = {0};
        const bench_frame *live = bench_motion_show(motion, at);
        if (!method->step(g->states[which], live, contest->first_only, &outcome)) {
            return report_fail(report, "%s failed at step %u: %s", method->name, motion->steps[at],
                               pliant_last_error());
        }
        size_t sample = sample_index(contest, which, at) + round;
        s->update[sample] = outcome.update_seconds;
        s->total[sample] = outcome.total_seconds;
        if (!method->peer && !check_answer(contest, live, motion->steps[at], method->name, &outcome,
                                           &s->expected[at], is_first, report)) {
            return false;
        }
        if (compares && !compare_peers(contest, s, which, at, live, &outcome, is_first, report)) {
            return false;
        }
    }
    return true;
}

static void keep_medians(bench_contest *contest, samples *s, uint32_t plays)
{
    for (uint32_t which = 0; which < contest->method_count; which++) {
        for (uint32_t at = 0; at < contest->motion->step_count; at++) {
            size_t sample = sample_index(contest, which, at);
            contest->update_ms[which][at] = 1e3 * bench_median(s->update + sample, plays);
            contest->total_ms[which][at] = 1e3 * bench_median(s->total + sample, plays);
        }
    }
    for (uint32_t at = 0; at < contest->motion->step_count; at++) {
        contest->pairs[at] = s->expected[at].count;
    }
}

static bool run_steps(bench_contest *contest, void **states, bench_report *report)
{
    const char *names[CONTEST_MAX_METHODS];
    game g = {.contest = contest, .states = states, .has_peers = has_peers(contest)};
    for (uint32_t m = 0; m < contest->method_count; m++) {
        names[m] = contest->methods[m]->name;
    }
    bench_terms turns = {contest->title,
                         names,
                         contest->method_count,
                         contest->plays,
                         contest->motion->step_count,
                         contest->motion->states_per_second};
    bool done = samples_allocate(contest, &g.samples) || report_fail(report, "not enough memory");
    done = done && bench_take_turns(contest->settings, &turns, play, &g, report);
    if (done) {
        keep_medians(contest, &g.samples, bench_plays(contest->settings, &turns));
    }
    samples_free(contest, &g.samples);
    return done;
}

static bool allocate_results(bench_contest *contest)
{
    uint32_t steps = contest->motion->step_count;
    contest->pairs = calloc(steps, sizeof *contest->pairs);
    bool done = contest->pairs != NULL;
    for (uint32_t m = 0; m < contest->method_count; m++) {
        contest->update_ms[m] = calloc(steps, sizeof(double));
        contest->total_ms[m] = calloc(steps, sizeof(double));
        done = done && contest->update_ms[m] != NULL && contest->total_ms[m] != NULL;
    }
    return done;
}

bool contest_run(bench_contest *contest, bench_report *report)
{
    void *states[CONTEST_MAX_METHODS] = {NULL};
    if (contest->method_count > CONTEST_MAX_METHODS || contest->plays > MAX_PLAYS) {
        contest->method_count = 0; /* contest_free() has nothing to free */
        return report_fail(report, "%s: too many methods or plays", contest->title);
    }
    bool done = allocate_results(contest);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    for (uint32_t m = 0; done && m < contest->method_count; m++) {
        const bench_method *method = contest->methods[m];
        states[m] = method->create(method, contest->motion, contest->settings);
        done = states[m] != NULL;
        if (!done) {
            report_fail(report, "%s cannot be made: %s", method->name, pliant_last_error());
        }
    }
    done = done && run_steps(contest, states, report);
    for (uint32_t m = 0; m < contest->method_count; m++) {
        if (states[m] != NULL) {
            contest->methods[m]->destroy(states[m]);
        }
    }
    return done;
}

void contest_free(bench_contest *contest)
{
    free(contest->pairs);
    for (uint32_t m = 0; m < contest->method_count; m++) {
        free(contest->update_ms[m]);
        free(contest->total_ms[m]);
    }
}

static double sum(const double *values, uint32_t count)
{
    double total = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        total += values[i];
    }
    return total;
}

double contest_update_ms(const bench_contest *contest, uint32_t method)
{
    return sum(contest->update_ms[method], contest->motion->step_count);
}

double contest_total_ms(const bench_contest *contest, uint32_t method)
{
    return sum(contest->total_ms[method], contest->motion->step_count);
}

uint64_t contest_pairs(const bench_contest *contest)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < contest->motion->step_count; i++) {
        total += contest->pairs[i];
    }
    return total;
}

uint32_t contest_find(const bench_contest *contest, const bench_method *method)
{
    uint32_t m = 0;
    while (m < contest->method_count && contest->methods[m] != method) {
        m++;
    }
    return m;
}
