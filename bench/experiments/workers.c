/*
 * What a second worker gives, by the clock on the wall. Other load on the machine takes time from
 * two threads sooner than from one, so a plain loop is measured between any two plays of a motion:
 * one thread that runs it twice, against two that run it once each. What that loop gains is all
 * there is to gain.
 */
#include "experiments.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "bench/contest.h"
#include "bench/crowd_motion.h"

#define MAX_REPETITIONS 31
#define MAX_CONTROLS    64
#define LOOP_SECONDS    0.004 /* one run of the plain loop, alone */
#define LEAST_CONTROL   1.7   /* a loop that gains less had no second core to itself */
#define PAIR_TRIANGLES  327680
#define LATE            0.75 /* of the motion is behind */

/* ---------------------------------------------------------------- control */

/* The same loop with one thread and with two, again and again. */
typedef struct control {
    uint64_t rounds;        /* of the loop: about LOOP_SECONDS */
    volatile uint64_t kept; /* what loops computed, so that their work is not left out */
    uint32_t count;
    double seconds[2][MAX_CONTROLS]; /* by one thread, by two */
} control;

typedef struct loop {
    _Atomic uint32_t *missing; /* threads that are not there yet: all begin together */
    uint64_t rounds;
    uint64_t value;
    double start;
} loop;

static void *run_loop(void *argument)
{
    loop *work = argument;
    uint64_t x = work->value;
    atomic_fetch_sub(work->missing, 1);
    while (atomic_load(work->missing) > 0) {
    }
    work->start = bench_wall_seconds();
    for (uint64_t i = 0; i < work->rounds; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    work->value = x;
    return NULL;
}

static void calibrate(control *c)
{
    _Atomic uint32_t missing = 1;
    loop work = {.missing = &missing, .rounds = 1000000, .value = 1};
    run_loop(&work);
    double seconds = bench_wall_seconds() - work.start;
    c->rounds = (uint64_t)((double)work.rounds * LOOP_SECONDS / seconds);
    c->kept += work.value;
}

/* Twice the loop by one thread. */
static double loop_alone(control *c)
{
    _Atomic uint32_t missing = 1;
    loop work = {.missing = &missing, .rounds = 2 * c->rounds, .value = 1};
    run_loop(&work);
    double end = bench_wall_seconds();
    c->kept += work.value;
    return end - work.start;
}

/* The loop by two threads; starting the second one is not part of it. Negative on failure. */
static double loop_together(control *c)
{
    _Atomic uint32_t missing = 2;
    loop work[2] = {{.missing = &missing, .rounds = c->rounds, .value = 1},
                    {.missing = &missing, .rounds = c->rounds, .value = 2}};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_loop, &work[1]) != 0) {
        return -1.0;
    }
    run_loop(&work[0]);
    pthread_join(thread, NULL);
    double end = bench_wall_seconds();
    c->kept += work[0].value + work[1].value;
    return end - fmin(work[0].start, work[1].start);
}

static bool run_control(control *c)
{
    double alone = loop_alone(c), together = loop_together(c);
    c->seconds[0][c->count] = alone;
    c->seconds[1][c->count++] = together;
    return together > 0.0;
}

static double control_speedup(control *c)
{
    return bench_median(c->seconds[0], c->count) / bench_median(c->seconds[1], c->count);
}

/* ------------------------------------------------------------ measurement */

/* One motion with one worker and with two. */
typedef struct measurement {
    const bench_settings *settings;
    const char *title;
    bench_motion *motion;
    double seconds; /* to spend, about */
    uint32_t repetitions, least_repetitions;
    void *states[2];
    bench_summary *expected; /* per step */
    double *samples;         /* per number of workers, per step, per repetition */
    control *controls;
} measurement;

static const bench_method *const methods[2] = {&bench_scene_workers_1, &bench_scene_workers_2};

static double *samples_of(const measurement *m, uint32_t which, uint32_t at)
{
    return m->samples + ((size_t)which * m->motion->step_count + at) * MAX_REPETITIONS;
}

static bool play(measurement *m, uint32_t which, uint32_t repetition, bool is_first,
                 bench_report *report)
{
    if (!run_control(m->controls)) {
        return report_fail(report, "a thread cannot be started");
    }
    for (uint32_t at = 0; at < m->motion->step_count; at++) {
        bench_outcome outcome = {0};
        const bench_frame *live = bench_motion_show(m->motion, at);
        if (!methods[which]->step(m->states[which], live, false, &outcome)) {
            return report_fail(report, "%s failed at step %u: %s", methods[which]->name,
                               m->motion->steps[at], pliant_last_error());
        }
        samples_of(m, which, at)[repetition] = outcome.total_seconds;
        bench_summary found = bench_summarise(&outcome);
        if (is_first) {
            m->expected[at] = found;
        } else if (found.count != m->expected[at].count || found.hash != m->expected[at].hash) {
            return report_fail(report, "%s: one worker and two do not agree at step %u", m->title,
                               m->motion->steps[at]);
        }
    }
    return true;
}

static bool start(measurement *m)
{
    size_t steps = m->motion->step_count;
    m->expected = calloc(steps, sizeof *m->expected);
    m->samples = calloc(2 * steps * MAX_REPETITIONS, sizeof *m->samples);
    bool done = m->expected != NULL && m->samples != NULL;
    for (int i = 0; i < 2; i++) {
        m->states[i] = methods[i]->create(methods[i], m->motion, m->settings->isa);
        done = done && m->states[i] != NULL;
    }
    calibrate(m->controls);
    return done;
}

static void stop(measurement *m)
{
    for (int i = 0; i < 2; i++) {
        if (m->states[i] != NULL) {
            methods[i]->destroy(m->states[i]);
        }
    }
    free(m->expected);
    free(m->samples);
}

/* Returns the repetitions done; 0 after a failure. */
static uint32_t repeat(measurement *m, bench_report *report)
{
    double deadline = bench_wall_seconds() + m->seconds;
    uint32_t repetition = 0;
    while (repetition < m->repetitions &&
           (repetition < m->least_repetitions || bench_wall_seconds() < deadline)) {
        for (uint32_t turn = 0; turn < 2; turn++) {
            bench_progress(m->settings, m->title, 2 * repetition + turn, 2 * m->repetitions);
            if (!play(m, (turn + repetition) % 2, repetition, repetition + turn == 0, report)) {
                return 0;
            }
        }
        repetition++;
    }
    return repetition;
}

/* ----------------------------------------------------------------- report */

/* The steps from `first` on: the sum of medians, in milliseconds. */
static double sum_of_medians(const measurement *m, uint32_t which, uint32_t first,
                             uint32_t repetitions)
{
    double sum = 0.0;
    for (uint32_t at = first; at < m->motion->step_count; at++) {
        sum += 1e3 * bench_median(samples_of(m, which, at), repetitions);
    }
    return sum;
}

/* What a part of a motion gives. */
typedef struct gain {
    double speedup, control;
} gain;

static gain add_row(const measurement *m, const char *name, uint32_t first, uint32_t repetitions,
                    bench_report *report)
{
    double steps = m->motion->step_count - first;
    double one = sum_of_medians(m, 0, first, repetitions) / steps;
    double two = sum_of_medians(m, 1, first, repetitions) / steps;
    uint64_t pairs = 0;
    for (uint32_t at = first; at < m->motion->step_count; at++) {
        pairs += m->expected[at].count;
    }
    gain g = {.speedup = one / two, .control = control_speedup(m->controls)};
    bench_row *row = report_row(report, "%s", name);
    report_cell(row, "steps", steps, 0);
    report_cell(row, "pairs", (double)pairs, 0);
    report_cell(row, "one_ms", one, 3);
    report_cell(row, "two_ms", two, 3);
    report_cell(row, "speedup", g.speedup, 3);
    report_cell(row, "control", g.control, 3);
    report_cell(row, "over_control", g.speedup / g.control, 3);
    return g;
}

/* --------------------------------------------------------------- the whole */

enum { CROWD, PAIR, PAIR_LATE, GAINS };

static bool measure(measurement *m, gain *gains, bool is_pair, bench_report *report)
{
    bool done = start(m);
    if (!done) {
        report_fail(report, "workers cannot be made: %s", pliant_last_error());
    }
    uint32_t repetitions = done ? repeat(m, report) : 0;
    if (repetitions > 0 && is_pair) {
        uint32_t late = (uint32_t)(LATE * m->motion->step_count);
        gains[PAIR] = add_row(m, "two spheres of 327,680", 0, repetitions, report);
        gains[PAIR_LATE] = add_row(m, "the same, last quarter", late, repetitions, report);
    } else if (repetitions > 0) {
        gains[CROWD] = add_row(m, "27 bodies of 5,120", 0, repetitions, report);
    }
    stop(m);
    return repetitions > 0;
}

static bool run_crowd(const bench_settings *settings, control *c, gain *gains, bench_report *report)
{
    static const uint32_t strides[3] = {10, 1, 1};
    static const double seconds[3] = {0.4, 20.0, 120.0};
    crowd_motion crowd;
    bool done = crowd_motion_record(settings, &scene_crowd_spheres, strides[settings->length],
                                    &crowd, report);
    measurement m = {.settings = settings,
                     .title = "workers, crowd",
                     .motion = &crowd.motion,
                     .seconds = seconds[settings->length],
                     .repetitions = settings->length == BENCH_QUICK ? 5 : MAX_REPETITIONS,
                     .least_repetitions = 3,
                     .controls = c};
    done = done && measure(&m, gains, false, report);
    crowd_motion_free(&crowd);
    return done;
}

static bool run_pair(const bench_settings *settings, control *c, gain *gains, bench_report *report)
{
    static const uint32_t strides[3] = {50, 10, 5};
    static const double seconds[3] = {0.5, 20.0, 120.0};
    scene_settings wanted = {.triangles = PAIR_TRIANGLES, .seed = settings->seed};
    scene_instance *scene = scene_create(&scene_spheres, &wanted);
    bench_motion motion = {0};
    bool done = scene != NULL && bench_motion_of_scene(scene, strides[settings->length], &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    measurement m = {.settings = settings,
                     .title = "workers, pair",
                     .motion = &motion,
                     .seconds = seconds[settings->length],
                     .repetitions = settings->length == BENCH_QUICK ? 5 : MAX_REPETITIONS,
                     .least_repetitions = 3,
                     .controls = c};
    done = done && measure(&m, gains, true, report);
    bench_motion_free(&motion);
    scene_destroy(scene);
    return done;
}

static void add_ratios(const gain *gains, bench_report *report)
{
    gain lowest = gains[0];
    double lowest_share = (double)INFINITY;
    for (int i = 0; i < GAINS; i++) {
        lowest = gains[i].speedup < lowest.speedup ? gains[i] : lowest;
        lowest_share = fmin(lowest_share, gains[i].speedup / gains[i].control);
    }
    double nan = (double)NAN;
    report_ratio(report, "speedup_2", lowest.speedup, nan,
                 "two workers over one, the lowest of these");
    report_ratio(report, "speedup_2_crowd", gains[CROWD].speedup, nan, "27 bodies");
    report_ratio(report, "speedup_2_pair", gains[PAIR].speedup, nan, "two bodies, whole motion");
    report_ratio(report, "speedup_2_pair_late", gains[PAIR_LATE].speedup, nan,
                 "two bodies, many contacts");
    report_ratio(report, "control_2", lowest.control, nan, "what a plain loop gained meanwhile");
    report_ratio(report, "speedup_2_over_control", lowest_share, nan,
                 "the lowest share of the plain loop's speed-up meanwhile");
}

/* With the second core taken by others, any share of next to no gain looks good. */
static void add_busy_note(const gain *gains, bench_report *report)
{
    double least = fmin(gains[CROWD].control, gains[PAIR].control);
    if (least < LEAST_CONTROL) {
        report_note(report,
                    "the plain loop gained only %.2f: the machine was busy, and these figures say "
                    "little about workers",
                    least);
    }
}

static bool run(const bench_settings *settings, bench_report *report)
{
    gain gains[GAINS];
    control *controls = calloc(2, sizeof *controls);
    if (controls == NULL) {
        return report_fail(report, "not enough memory");
    }
    bool done = run_crowd(settings, &controls[0], gains, report) &&
                run_pair(settings, &controls[1], gains, report);
    if (done) {
        add_ratios(gains, report);
        report_note(report, "by the clock on the wall; the plain loop ran %u times in between",
                    controls[0].count + controls[1].count);
        add_busy_note(gains, report);
    }
    free(controls);
    return done;
}

const bench_experiment experiment_workers = {
    .name = "workers",
    .description = "two workers against one: a crowd of 27 bodies, and one pair of large ones",
    .paper = NULL,
    .run = run,
};
