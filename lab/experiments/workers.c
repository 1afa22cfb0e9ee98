/*
 * What a second worker gives, or more where the settings allow more, by the clock on the wall.
 * Other load on the machine takes time from two threads sooner than from one, so a plain loop is
 * measured between any two plays of a scene: one thread that runs it twice, against two that run it
 * once each. What that loop gains is all there is to gain.
 */
#include "workers.h"

#include <math.h>
#include <stdlib.h>

#include "lab/motions/crowd_motion.h"
#include "experiments.h"
#include "lab/harness/machine.h"
#include "lab/harness/plain_loop.h"
#include "gallery/meshless/ring.h"

#define MAX_REPETITIONS 31
#define LEAST_CONTROL   0.85  /* per worker: a loop that gains less had no cores to itself */
#define FAR_CORES       150.0 /* nanoseconds; cores that share a cache take less */
#define PAIR_TRIANGLES  327680
#define LATE            0.75 /* of the motion is behind */

/* ------------------------------------------------------------ measurement */

/* Two by default. */
static uint32_t most_workers(const bench_settings *settings)
{
    return bench_threads(settings) > 2 ? bench_threads(settings) : 2;
}

/* One scene with one worker and with most_workers(). */
typedef struct measurement {
    const bench_settings *settings;
    workers_scene scene;
    double seconds;          /* to spend, about */
    uint32_t repetitions;    /* done */
    bench_summary *expected; /* per step */
    double *samples;         /* per number of workers, per step, per repetition */
    plain_loop loop;
    double handover; /* nanoseconds: the longest of before and after */
} measurement;

static double *samples_of(const measurement *m, uint32_t which, uint32_t at)
{
    return m->samples + ((size_t)which * m->scene.step_count + at) * MAX_REPETITIONS;
}

static bool play(measurement *m, uint32_t which, uint32_t repetition, bool is_first,
                 bench_report *report)
{
    if (!plain_loop_run(&m->loop)) {
        return report_fail(report, "a thread cannot be started");
    }
    for (uint32_t at = 0; at < m->scene.step_count; at++) {
        bench_summary found = {0, 0};
        double *seconds = &samples_of(m, which, at)[repetition];
        if (!m->scene.step(&m->scene, which, at, seconds, &found)) {
            return report_fail(report, "%s: step %u of %u workers failed: %s", m->scene.title, at,
                               which == 0 ? 1 : most_workers(m->settings), pliant_last_error());
        }
        if (is_first) {
            m->expected[at] = found;
        } else if (found.count != m->expected[at].count || found.hash != m->expected[at].hash) {
            return report_fail(report, "%s: one worker and %u do not agree at step %u",
                               m->scene.title, most_workers(m->settings), at);
        }
    }
    return true;
}

static bool repeat(measurement *m, bench_report *report)
{
    double deadline = bench_wall_seconds() + bench_share(m->settings) * m->seconds;
    uint32_t most = m->settings->length == BENCH_QUICK ? 3 : MAX_REPETITIONS;
    while (m->repetitions < most && (m->repetitions < 3 || bench_wall_seconds() < deadline)) {
        for (uint32_t turn = 0; turn < 2; turn++) {
            bench_progress(m->settings, m->scene.title, 2 * m->repetitions + turn, 2 * most);
            if (!play(m, (turn + m->repetitions) % 2, m->repetitions, m->repetitions + turn == 0,
                      report)) {
                return false;
            }
        }
        m->repetitions++;
    }
    return true;
}

/* Measures a scene; measurement_free() is due in any case. */
static bool measure(const bench_settings *settings, workers_scene scene, double seconds,
                    measurement *m, bench_report *report)
{
    *m = (measurement){.settings = settings, .scene = scene, .seconds = seconds};
    m->expected = calloc(scene.step_count, sizeof *m->expected);
    m->samples = calloc(2 * (size_t)scene.step_count * MAX_REPETITIONS, sizeof *m->samples);
    bool done = m->expected != NULL && m->samples != NULL;
    done = done && scene.start(&m->scene, 0, 1, settings);
    if (!done || !scene.start(&m->scene, 1, most_workers(settings), settings)) {
        return report_fail(report, "%s cannot be made: %s", scene.title, pliant_last_error());
    }
    plain_loop_calibrate(&m->loop, most_workers(settings));
    m->handover = plain_loop_handover_ns();
    done = repeat(m, report);
    m->handover = fmax(m->handover, plain_loop_handover_ns());
    return done;
}

static void measurement_free(measurement *m)
{
    if (m->scene.stop != NULL) {
        m->scene.stop(&m->scene, 0);
        m->scene.stop(&m->scene, 1);
    }
    free(m->expected);
    free(m->samples);
}

/* ----------------------------------------------------------------- report */

/* What a part of a scene gives. */
typedef struct gain {
    double speedup, control, handover;
} gain;

/* The mean over the steps from `first` on of their medians, in milliseconds. */
static double mean_of_medians(const measurement *m, uint32_t which, uint32_t first)
{
    double sum = 0.0;
    for (uint32_t at = first; at < m->scene.step_count; at++) {
        sum += 1e3 * bench_median(samples_of(m, which, at), m->repetitions);
    }
    return sum / (m->scene.step_count - first);
}

static gain add_row(measurement *m, const char *name, uint32_t first, bench_report *report)
{
    double one = mean_of_medians(m, 0, first), many = mean_of_medians(m, 1, first);
    uint64_t pairs = 0;
    for (uint32_t at = first; at < m->scene.step_count; at++) {
        pairs += m->expected[at].count;
    }
    gain g = {one / many, plain_loop_speedup(&m->loop), m->handover};
    bench_row *row = report_row(report, "%s", name);
    report_cell(row, "steps", m->scene.step_count - first, 0);
    report_cell(row, "pairs", (double)pairs, 0);
    report_cell(row, "one_ms", one, 3);
    report_cell(row, most_workers(m->settings) == 2 ? "two_ms" : "many_ms", many, 3);
    report_cell(row, "speedup", g.speedup, 3);
    report_cell(row, "control", g.control, 3);
    report_cell(row, "over_control", g.speedup / g.control, 3);
    report_cell(row, "handover_ns", g.handover, 0);
    return g;
}

/* ----------------------------------------------------------------- scenes */

enum { CROWD, PAIR, PAIR_LATE, BLENDED, REDUCED, GAINS };

static bool run_crowd(const bench_settings *settings, gain *gains, bench_report *report)
{
    static const uint32_t strides[3] = {10, 1, 1};
    static const double seconds[3] = {0.2, 14.0, 120.0};
    crowd_motion crowd;
    measurement m = {.repetitions = 0};
    bool done = crowd_motion_record(settings, &gallery_crowd_spheres, strides[settings->length],
                                    &crowd, report);
    workers_motion own = {.motion = &crowd.motion};
    done = done && measure(settings, workers_scene_of("workers, crowd", &own),
                           seconds[settings->length], &m, report);
    if (done) {
        gains[CROWD] = add_row(&m, "27 bodies of 5,120", 0, report);
    }
    measurement_free(&m);
    crowd_motion_free(&crowd);
    return done;
}

/* A motion of a scene, every so many steps. */
static bool measure_motion(const bench_settings *settings, const gallery_kind *kind,
                           uint32_t triangles, uint32_t stride, double seconds, const char *title,
                           const char *name, gain *whole, gain *late, bench_report *report)
{
    gallery_settings wanted = {.triangles = triangles, .seed = settings->seed};
    gallery_scene *scene = gallery_create(kind, &wanted);
    bench_motion motion = {0};
    measurement m = {.repetitions = 0};
    bool done = scene != NULL && bench_motion_of_scene(scene, stride, &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    workers_motion own = {.motion = &motion};
    done = done && measure(settings, workers_scene_of(title, &own), seconds, &m, report);
    if (done) {
        *whole = add_row(&m, name, 0, report);
    }
    if (done && late != NULL) {
        uint32_t first = (uint32_t)(LATE * m.scene.step_count);
        *late = add_row(&m, "the same, last quarter", first, report);
    }
    measurement_free(&m);
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done;
}

static bool run_pair(const bench_settings *settings, gain *gains, bench_report *report)
{
    static const uint32_t strides[3] = {50, 10, 5};
    static const double seconds[3] = {0.2, 14.0, 120.0};
    return measure_motion(settings, &gallery_spheres, PAIR_TRIANGLES, strides[settings->length],
                          seconds[settings->length], "workers, pair", "two spheres of 327,680",
                          &gains[PAIR], &gains[PAIR_LATE], report);
}

static bool run_blended(const bench_settings *settings, gain *gains, bench_report *report)
{
    static const uint32_t strides[3] = {20, 4, 2};
    static const double seconds[3] = {0.2, 8.0, 60.0};
    uint32_t vertices = settings->length == BENCH_QUICK ? 2857 : 45682;
    char name[64];
    snprintf(name, sizeof name, "six blended figures of %u", 2 * (vertices - 2));
    return measure_motion(settings, ring_kind(RING_FEW_NODES, true), 2 * (vertices - 2),
                          strides[settings->length], seconds[settings->length], "workers, ring",
                          name, &gains[BLENDED], NULL, report);
}

static bool run_reduced(const bench_settings *settings, gain *gains, bench_report *report)
{
    static const uint32_t sides[3] = {5, 10, 10}, steps[3] = {4, 16, 40};
    static const double seconds[3] = {0.2, 8.0, 60.0};
    workers_stars *stars = NULL;
    measurement m = {.repetitions = 0};
    bool done = workers_stars_create(sides[settings->length], steps[settings->length], &stars);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    done = done && measure(settings,
                           workers_scene_of_stars("workers, stars", stars, steps[settings->length]),
                           seconds[settings->length], &m, report);
    if (done) {
        char name[64];
        snprintf(name, sizeof name, "%u reduced stars of 18,000", workers_stars_count(stars));
        gains[REDUCED] = add_row(&m, name, 0, report);
    }
    measurement_free(&m);
    workers_stars_destroy(stars);
    return done;
}

/* --------------------------------------------------------------- the whole */

/* A ratio under a key with the number of workers in it, as "speedup_2_crowd". */
static void add_ratio(bench_report *report, const char *start, uint32_t workers, const char *end,
                      double value, const char *meaning)
{
    char key[40];
    snprintf(key, sizeof key, "%s_%u%s", start, workers, end);
    report_ratio(report, key, value, (double)NAN, meaning);
}

static void add_ratios(const gain *gains, uint32_t workers, bench_report *report)
{
    static const char *const ends[GAINS] = {"_crowd", "_pair", "_pair_late", "_blended",
                                            "_reduced"};
    static const char *const meanings[GAINS] = {"27 bodies", "two bodies, whole motion",
                                                "two bodies, many contacts", "blended bodies",
                                                "reduced bodies"};
    gain lowest = gains[0];
    double lowest_share = (double)INFINITY;
    for (int i = 0; i < GAINS; i++) {
        lowest = gains[i].speedup < lowest.speedup ? gains[i] : lowest;
        lowest_share = fmin(lowest_share, gains[i].speedup / gains[i].control);
    }
    add_ratio(report, "speedup", workers, "", lowest.speedup,
              workers == 2 ? "two workers over one, the lowest of these"
                           : "so many workers over one, the lowest of these");
    for (int i = 0; i < GAINS; i++) {
        add_ratio(report, "speedup", workers, ends[i], gains[i].speedup, meanings[i]);
    }
    add_ratio(report, "control", workers, "", lowest.control, "what a plain loop gained meanwhile");
    add_ratio(report, "speedup", workers, "_over_control", lowest_share,
              "the lowest share of the plain loop's speed-up meanwhile");
}

/* With the other cores taken by others, any share of next to no gain looks good. */
static void add_notes(const gain *gains, uint32_t workers, bench_report *report)
{
    double control = (double)INFINITY, handover = 0.0;
    for (int i = 0; i < GAINS; i++) {
        control = fmin(control, gains[i].control);
        handover = fmax(handover, gains[i].handover);
    }
    report_note(report, "by the clock on the wall; handover: until one core sees what the other "
                        "wrote, the longer of before and after");
    uint32_t cores = bench_machine_describe(PLIANT_ISA_BEST).cores;
    if (workers > 2) {
        report_note(report, "%u workers instead of two, on %u cores", workers, cores);
    }
    /* More workers than cores gain no more than the cores; a single core is always too few. */
    uint32_t useful = cores < 2 || workers < cores ? workers : cores;
    if (control < LEAST_CONTROL * useful) {
        report_note(report,
                    "the plain loop gained only %.2f: the machine was busy, and these figures say "
                    "little about workers",
                    control);
    }
    if (handover > FAR_CORES) {
        report_note(report,
                    "a handover took %.0f ns: cores that share no cache, for which everything that "
                    "both workers touch is slow",
                    handover);
    }
}

static bool run(const bench_settings *settings, bench_report *report)
{
    gain gains[GAINS];
    bool done = run_crowd(settings, gains, report) && run_pair(settings, gains, report) &&
                run_blended(settings, gains, report) && run_reduced(settings, gains, report);
    if (done) {
        add_ratios(gains, most_workers(settings), report);
        add_notes(gains, most_workers(settings), report);
    }
    return done;
}

const bench_experiment experiment_workers = {
    .name = "workers",
    .description = "two workers against one: 27 bodies, one pair of large ones, blended and "
                   "reduced bodies",
    .paper = NULL,
    .run = run,
};
