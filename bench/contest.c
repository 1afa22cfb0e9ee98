#include "contest.h"

#include <stdlib.h>
#include <string.h>

#define MAX_REPETITIONS 31

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
        const pliant_pair *pairs = outcome->pairs + range->first;
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
    const bench_motion *motion = contest->motion;
    for (uint32_t r = 0; r < outcome->range_count; r++) {
        const bench_range *range = &outcome->ranges[r];
        if (range->count == 0) {
            continue;
        }
        pliant_pair pair = outcome->pairs[range->first];
        float a[3][3], b[3][3];
        if (range->count > 1 || pair.a >= motion->meshes[range->a].triangle_count ||
            pair.b >= motion->meshes[range->b].triangle_count) {
            return false;
        }
        bench_motion_corners(motion, frame, range->a, pair.a, a);
        bench_motion_corners(motion, frame, range->b, pair.b, b);
        if (!pliant_triangle_overlap((const float(*)[3])a, (const float(*)[3])b)) {
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
    double *update, *total;  /* per method, per step, per repetition */
} samples;

static bool samples_allocate(const bench_contest *contest, samples *s)
{
    size_t steps = contest->motion->step_count;
    size_t count = contest->method_count * steps * MAX_REPETITIONS;
    *s = (samples){.expected = calloc(steps, sizeof *s->expected),
                   .update = calloc(count, sizeof *s->update),
                   .total = calloc(count, sizeof *s->total)};
    return s->expected != NULL && s->update != NULL && s->total != NULL;
}

static void samples_free(samples *s)
{
    free(s->expected);
    free(s->update);
    free(s->total);
}

static size_t sample_index(const bench_contest *contest, uint32_t method, uint32_t at)
{
    return ((size_t)method * contest->motion->step_count + at) * MAX_REPETITIONS;
}

/* One method goes through all steps once. */
static bool run_method(bench_contest *contest, samples *s, uint32_t which, void *state,
                       uint32_t repetition, bool is_first, bench_report *report)
{
    const bench_method *method = contest->methods[which];
    bench_motion *motion = contest->motion;
    for (uint32_t at = 0; at < motion->step_count; at++) {
        bench_outcome outcome = {0};
        const bench_frame *live = bench_motion_show(motion, at);
        if (!method->step(state, live, contest->first_only, &outcome)) {
            return report_fail(report, "%s failed at step %u: %s", method->name, motion->steps[at],
                               pliant_last_error());
        }
        size_t sample = sample_index(contest, which, at) + repetition;
        s->update[sample] = outcome.update_seconds;
        s->total[sample] = outcome.total_seconds;
        if (!check_answer(contest, live, motion->steps[at], method->name, &outcome,
                          &s->expected[at], is_first, report)) {
            return false;
        }
    }
    return true;
}

static void keep_medians(bench_contest *contest, samples *s)
{
    uint32_t done = contest->repetitions_done;
    for (uint32_t which = 0; which < contest->method_count; which++) {
        for (uint32_t at = 0; at < contest->motion->step_count; at++) {
            size_t sample = sample_index(contest, which, at);
            contest->update_ms[which][at] = 1e3 * bench_median(s->update + sample, done);
            contest->total_ms[which][at] = 1e3 * bench_median(s->total + sample, done);
        }
    }
    for (uint32_t at = 0; at < contest->motion->step_count; at++) {
        contest->pairs[at] = s->expected[at].count;
    }
}

static bool run_steps(bench_contest *contest, void **states, bench_report *report)
{
    samples s;
    bool done = samples_allocate(contest, &s);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    double start = bench_wall_seconds(), deadline = start + contest->seconds;
    uint32_t repetition = 0;
    while (done && repetition < contest->repetitions &&
           (repetition < contest->least_repetitions || bench_wall_seconds() < deadline)) {
        for (uint32_t turn = 0; done && turn < contest->method_count; turn++) {
            /* Another method begins each time: who follows whom must not favour anybody. */
            uint32_t which = (turn + repetition) % contest->method_count;
            done = run_method(contest, &s, which, states[which], repetition,
                              repetition == 0 && turn == 0, report);
            bench_progress(contest->settings, contest->title,
                           repetition * contest->method_count + turn,
                           contest->repetitions * contest->method_count);
        }
        repetition++;
    }
    contest->repetitions_done = repetition;
    if (done) {
        keep_medians(contest, &s);
    }
    samples_free(&s);
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
    contest->repetitions_done = contest->repetitions;
    bool done = allocate_results(contest);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    for (uint32_t m = 0; done && m < contest->method_count; m++) {
        const bench_method *method = contest->methods[m];
        states[m] = method->create(method, contest->motion, contest->settings->isa);
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
