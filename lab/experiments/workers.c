/*
 * What a second worker gives, or up to as many as the settings allow, by the clock on the wall;
 * setting states counts. Other load on the machine takes time from two threads sooner than from
 * one, so a plain loop is measured between any two plays of a crowd: one thread that runs it twice,
 * against two that run it once each. What that loop gains is all there is to gain.
 */
#include "lab/motions/crowd.h"

#include <math.h>
#include <stdlib.h>

#include "lab/motions/crowd_motion.h"
#include "experiments.h"
#include "lab/harness/machine.h"
#include "lab/harness/plain_loop.h"
#include "gallery/meshless/ring.h"

#define MAX_REPETITIONS 31
#define MOST_COUNTS     5     /* of workers that are compared */
#define LEAST_CONTROL   0.85  /* per worker: a loop that gains less had no cores to itself */
#define FAR_CORES       150.0 /* nanoseconds; cores that share a cache take less */
#define PAIR_TRIANGLES  327680
#define LATE            0.75 /* of the motion is behind */

/* ------------------------------------------------------------ measurement */

/* Numbers of workers: 1, 2, 4, 8 and as many as the settings say, which is 2 by default; ascending.
 */
static uint32_t list_counts(const bench_settings *settings, uint32_t counts[MOST_COUNTS])
{
    uint32_t most = bench_threads(settings) > 2 ? bench_threads(settings) : 2, count = 0;
    for (uint32_t n = 1; n < most && n <= 8; n *= 2) {
        counts[count++] = n;
    }
    counts[count++] = most;
    return count;
}

/* One crowd with every number of workers. */
typedef struct measurement {
    const bench_settings *settings;
    crowd *played;
    uint32_t counts[MOST_COUNTS], count_count;
    crowd_scene views[MOST_COUNTS];
    plain_loop loops[MOST_COUNTS]; /* none for one worker */
    uint32_t repetitions;          /* done */
    bench_summary *expected;       /* per step */
    double *samples;               /* per number of workers, stage, step, repetition */
    double handover;               /* nanoseconds: the longest of before and after */
} measurement;

static double *samples_of(const measurement *m, uint32_t which, uint32_t stage, uint32_t at)
{
    return m->samples +
           (((size_t)which * CROWD_STAGES + stage) * m->played->step_count + at) * MAX_REPETITIONS;
}

static bool play(void *user, uint32_t which, uint32_t round, bench_report *report)
{
    measurement *m = user;
    if (which > 0 && !plain_loop_run(&m->loops[which])) {
        return report_fail(report, "a thread cannot be started");
    }
    for (uint32_t at = 0; at < m->played->step_count; at++) {
        bench_summary found = {0, 0};
        double seconds[CROWD_STAGES];
        crowd_show(m->played, at);
        if (!crowd_scene_step(m->played, &m->views[which], seconds, &found)) {
            return report_fail(report, "%s: step %u of %u workers failed: %s", m->played->title, at,
                               m->counts[which], pliant_last_error());
        }
        for (uint32_t s = 0; s < CROWD_STAGES; s++) {
            samples_of(m, which, s, at)[round] = seconds[s];
        }
        if (which == 0 && round == 0) {
            m->expected[at] = found;
        } else if (found.count != m->expected[at].count || found.hash != m->expected[at].hash) {
            return report_fail(report, "%s: %u workers do not agree with %u at step %u",
                               m->played->title, m->counts[which], m->counts[0], at);
        }
    }
    return true;
}

static bool repeat(measurement *m, const char *name, bench_report *report)
{
    static const uint32_t plays[3] = {3, 5, MAX_REPETITIONS};
    char texts[MOST_COUNTS][24];
    const char *names[MOST_COUNTS];
    for (uint32_t i = 0; i < m->count_count; i++) {
        snprintf(texts[i], sizeof texts[i], "%u workers", m->counts[i]);
        names[i] = texts[i];
    }
    bench_terms turns = {
        name, names, m->count_count, plays[m->settings->length], m->played->step_count, 0.0};
    m->repetitions = bench_plays(m->settings, &turns);
    return bench_take_turns(m->settings, &turns, play, m, report);
}

/* Measures a crowd; measurement_free() is due in any case. */
static bool measure(const bench_settings *settings, crowd *played, const char *name, measurement *m,
                    bench_report *report)
{
    *m = (measurement){.settings = settings, .played = played};
    m->count_count = list_counts(settings, m->counts);
    m->expected = calloc(played->step_count, sizeof *m->expected);
    m->samples = calloc((size_t)MOST_COUNTS * CROWD_STAGES * played->step_count * MAX_REPETITIONS,
                        sizeof *m->samples);
    bool done = m->expected != NULL && m->samples != NULL;
    for (uint32_t i = 0; i < m->count_count && done; i++) {
        done = crowd_scene_create(played, NULL, m->counts[i], settings, &m->views[i]);
        if (i > 0) {
            plain_loop_calibrate(&m->loops[i], m->counts[i]);
        }
    }
    if (!done) {
        return report_fail(report, "%s cannot be made: %s", played->title, pliant_last_error());
    }
    m->handover = plain_loop_handover_ns();
    done = repeat(m, name, report);
    m->handover = fmax(m->handover, plain_loop_handover_ns());
    return done;
}

static void measurement_free(measurement *m)
{
    for (uint32_t i = 0; i < m->count_count; i++) {
        crowd_scene_free(&m->views[i]);
    }
    free(m->expected);
    free(m->samples);
}

/* ----------------------------------------------------------------- report */

enum {
    CROWD,
    PAIR,
    PAIR_LATE,
    BLENDED,
    REDUCED,
    CROWD_DENSE,
    CROWD_SPARSE,
    MODAL,
    FISH,
    CHAIRS,
    PEOPLE,
    CASES
};

static const char *const case_keys[CASES] = {
    "crowd",
    "pair",
    "pair_late",
    "blended",
    "reduced",
    "crowd_1000_dense",
    "crowd_1000_sparse",
    "modal_10000",
    "fish",
    "chairs",
    "people_200",
};
static const char *const meanings[CASES] = {
    "27 bodies",
    "two bodies, whole motion",
    "two bodies, many contacts",
    "blended bodies",
    "reduced bodies",
    "1,000 spheres of 5,120 that touch all neighbours",
    "1,000 spheres of 5,120 that touch few",
    "10,000 reduced bodies",
    "12,000 fish by proxies",
    "3,601 chairs by proxies",
    "200 skinned people",
};

/* What one number of workers gives in a case; ms is 0 in cases that were left out. */
typedef struct gain {
    double ms, speedup, control;
} gain;

typedef struct gains {
    uint32_t counts[MOST_COUNTS], count_count;
    gain of[CASES][MOST_COUNTS];
    double handover[CASES];
} gains;

/* The mean over the steps from `first` on of their medians, in milliseconds. */
static double mean_of_medians(const measurement *m, uint32_t which, uint32_t stage, uint32_t first)
{
    double sum = 0.0;
    for (uint32_t at = first; at < m->played->step_count; at++) {
        sum += 1e3 * bench_median(samples_of(m, which, stage, at), m->repetitions);
    }
    return sum / (m->played->step_count - first);
}

static void add_stages(const measurement *m, uint32_t which, uint32_t first, bench_row *row)
{
    static const char *const keys[CROWD_STAGES] = {NULL,       "set_ms",    "bounds_ms",
                                                   "broad_ms", "narrow_ms", "collect_ms"};
    for (uint32_t s = CROWD_SET; s < CROWD_STAGES; s++) {
        report_cell(row, keys[s], mean_of_medians(m, which, s, first), 3);
    }
}

/* A row per number of workers. */
static void add_rows(measurement *m, const char *name, int number, uint32_t first, gains *all,
                     bench_report *report)
{
    uint64_t pairs = 0;
    for (uint32_t at = first; at < m->played->step_count; at++) {
        pairs += m->expected[at].count;
    }
    gain *of = all->of[number];
    all->handover[number] = m->handover;
    for (uint32_t i = 0; i < m->count_count; i++) {
        of[i] = (gain){mean_of_medians(m, i, CROWD_WHOLE, first), 1.0, 1.0};
        bench_row *row = i == 0 ? report_row(report, "%s", name)
                                : report_row(report, "%s: %u workers", name, m->counts[i]);
        report_cell(row, "pairs", (double)pairs, 0);
        report_cell(row, "one_ms", of[0].ms, 3);
        if (i > 0) {
            report_cell(row, m->counts[i] == 2 ? "two_ms" : "many_ms", of[i].ms, 3);
        }
        add_stages(m, i, first, row);
        if (i > 0) {
            of[i].speedup = of[0].ms / of[i].ms;
            of[i].control = plain_loop_speedup(&m->loops[i]);
            report_cell(row, "speedup", of[i].speedup, 3);
            report_cell(row, "control", of[i].control, 3);
            report_cell(row, "over_control", of[i].speedup / of[i].control, 3);
            report_cell(row, "handover_ns", m->handover, 0);
        }
    }
}

/* Measures a crowd as one of the cases, if it could be made, and frees it. `late`, unless 0, is a
   case too: the last quarter. */
static bool run_case(const bench_settings *settings, bool made, crowd *played, const char *name,
                     int number, int late, gains *all, bench_report *report)
{
    measurement m = {.count_count = 0};
    bool done = made || report_fail(report, "%s: not enough memory", name);
    done = done && measure(settings, played, name, &m, report);
    if (done) {
        add_rows(&m, name, number, 0, all, report);
    }
    if (done && late != 0) {
        char text[64];
        snprintf(text, sizeof text, "%s, last quarter", name);
        add_rows(&m, text, late, (uint32_t)(LATE * played->step_count), all, report);
    }
    measurement_free(&m);
    crowd_free(played);
    return done;
}

/* ------------------------------------------------------------------ cases */

static bool run_crowd(const bench_settings *settings, gains *all, bench_report *report)
{
    static const uint32_t strides[3] = {10, 1, 1};
    crowd_motion recorded;
    crowd played = {0};
    bool done = crowd_motion_record(settings, &gallery_crowd_spheres, strides[settings->length],
                                    &recorded, report);
    if (done) {
        bool made = crowd_of_motion("workers, crowd", &recorded.motion, &played);
        done = run_case(settings, made, &played, "27 bodies of 5,120", CROWD, 0, all, report);
    }
    crowd_motion_free(&recorded);
    return done;
}

/* A motion of a scene, every so many steps. */
static bool run_motion(const bench_settings *settings, const gallery_kind *kind, uint32_t triangles,
                       uint32_t stride, const char *name, int number, int late, gains *all,
                       bench_report *report)
{
    gallery_settings wanted = {.triangles = triangles, .seed = settings->seed};
    gallery_scene *scene = gallery_create(kind, &wanted);
    bench_motion motion = {0};
    crowd played = {0};
    bool made = scene != NULL && bench_motion_of_scene(scene, stride, &motion) &&
                crowd_of_motion("workers, motion", &motion, &played);
    bool done = run_case(settings, made, &played, name, number, late, all, report);
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done;
}

static bool run_pair(const bench_settings *settings, gains *all, bench_report *report)
{
    static const uint32_t strides[3] = {50, 10, 5};
    return run_motion(settings, &gallery_spheres, PAIR_TRIANGLES, strides[settings->length],
                      "two spheres of 327,680", PAIR, PAIR_LATE, all, report);
}

static bool run_blended(const bench_settings *settings, gains *all, bench_report *report)
{
    static const uint32_t strides[3] = {20, 4, 2};
    uint32_t vertices = settings->length == BENCH_QUICK ? 2857 : 45682;
    char name[64];
    snprintf(name, sizeof name, "six blended figures of %u", 2 * (vertices - 2));
    return run_motion(settings, ring_kind(RING_FEW_NODES, true), 2 * (vertices - 2),
                      strides[settings->length], name, BLENDED, 0, all, report);
}

/* Crowds that differ in size only. */
typedef struct crowd_case {
    int number;
    const char *name; /* with a place for the number of bodies */
    uint32_t bodies[3], steps[3];
} crowd_case;

static const crowd_case crowd_cases[] = {
    {REDUCED, "%u reduced stars of 18,000", {125, 1000, 1000}, {4, 16, 40}},
    {CROWD_DENSE, "%u dense spheres of 5,120", {64, 1000, 1000}, {2, 4, 8}},
    {CROWD_SPARSE, "%u sparse spheres of 5,120", {64, 1000, 1000}, {2, 4, 8}},
    {MODAL, "%u reduced stars of 18,000", {512, 10000, 10000}, {2, 4, 16}},
#ifdef PLIANT_HAVE_LAPACKE
    {FISH, "%u fish, by proxies", {512, 12000, 12000}, {2, 6, 16}},
    {CHAIRS, "%u chairs, by proxies", {216, 3601, 3601}, {2, 6, 16}},
#endif
    {PEOPLE, "%u skinned people", {50, 200, 200}, {4, 16, 40}},
};

#define STAR_SPACING     2.058 /* about one contact per star */
#define DENSE            1.79
#define SPARSE           1.94
#define PERSON_TRIANGLES 10000

static bool make_crowd(const crowd_case *c, int length, crowd *played)
{
    uint32_t bodies = c->bodies[length], steps = c->steps[length];
    switch (c->number) {
    case CROWD_DENSE:
        return crowd_make_spheres(bodies, DENSE, steps, played);
    case CROWD_SPARSE:
        return crowd_make_spheres(bodies, SPARSE, steps, played);
#ifdef PLIANT_HAVE_LAPACKE
    case FISH:
        return crowd_make_fish(bodies, steps, played);
    case CHAIRS:
        return crowd_make_chairs(bodies, steps, played);
#endif
    case PEOPLE:
        return crowd_make_people(bodies, PERSON_TRIANGLES, steps, played);
    default:
        return crowd_make_stars(bodies, STAR_SPACING, steps, played);
    }
}

static bool run_crowds(const bench_settings *settings, gains *all, bench_report *report)
{
    bool done = true;
    for (size_t i = 0; i < sizeof crowd_cases / sizeof *crowd_cases && done; i++) {
        const crowd_case *c = &crowd_cases[i];
        crowd played = {0};
        char name[64];
        snprintf(name, sizeof name, c->name, c->bodies[settings->length]);
        bool made = make_crowd(c, (int)settings->length, &played);
        done = run_case(settings, made, &played, name, c->number, 0, all, report);
    }
    return done;
}

/* --------------------------------------------------------------- the whole */

/* A ratio under a key with the number of workers in it, as "speedup_2_crowd". */
static void add_ratio(bench_report *report, const char *start, uint32_t workers, const char *end,
                      double value, const char *meaning)
{
    char key[40];
    snprintf(key, sizeof key, "%s_%u%s%s", start, workers, end[0] != '\0' ? "_" : "", end);
    report_ratio(report, key, value, (double)NAN, meaning);
}

static void add_ratios(const gains *all, uint32_t which, bench_report *report)
{
    uint32_t workers = all->counts[which];
    gain lowest = {.speedup = (double)INFINITY};
    double lowest_share = (double)INFINITY;
    for (int i = 0; i < CASES; i++) {
        const gain *g = &all->of[i][which];
        if (g->ms > 0.0) {
            lowest = g->speedup < lowest.speedup ? *g : lowest;
            lowest_share = fmin(lowest_share, g->speedup / g->control);
        }
    }
    add_ratio(report, "speedup", workers, "", lowest.speedup,
              workers == 2 ? "two workers over one, the lowest of these"
                           : "so many workers over one, the lowest of these");
    for (int i = 0; i < CASES; i++) {
        if (all->of[i][which].ms > 0.0) {
            add_ratio(report, "speedup", workers, case_keys[i], all->of[i][which].speedup,
                      meanings[i]);
        }
    }
    add_ratio(report, "control", workers, "", lowest.control, "what a plain loop gained meanwhile");
    add_ratio(report, "speedup", workers, "over_control", lowest_share,
              "the lowest share of the plain loop's speed-up meanwhile");
}

/* The time with some number of workers over the best with fewer, where that is worst. */
static double worst_growth(const gains *all)
{
    double worst = 0.0;
    for (int i = 0; i < CASES; i++) {
        double best = all->of[i][0].ms;
        for (uint32_t k = 1; k < all->count_count && best > 0.0; k++) {
            worst = fmax(worst, all->of[i][k].ms / best);
            best = fmin(best, all->of[i][k].ms);
        }
    }
    return worst;
}

/* With the other cores taken by others, any share of next to no gain looks good. */
static void add_notes(const gains *all, bench_report *report)
{
    uint32_t last = all->count_count - 1, workers = all->counts[last];
    double control = (double)INFINITY, handover = 0.0;
    for (int i = 0; i < CASES; i++) {
        control = all->of[i][last].ms > 0.0 ? fmin(control, all->of[i][last].control) : control;
        handover = fmax(handover, all->handover[i]);
    }
#ifndef PLIANT_HAVE_LAPACKE
    report_note(report, "fish and chairs are left out: built without LAPACKE");
#endif
    report_note(report, "by the clock on the wall; handover: until one core sees what the other "
                        "wrote, the longer of before and after");
    uint32_t cores = bench_machine_describe(PLIANT_ISA_BEST).cores;
    if (workers > 2) {
        report_note(report, "up to %u workers instead of two, on %u cores", workers, cores);
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
    gains all = {.count_count = 0};
    all.count_count = list_counts(settings, all.counts);
    bool done = run_crowd(settings, &all, report) && run_pair(settings, &all, report) &&
                run_blended(settings, &all, report) && run_crowds(settings, &all, report);
    for (uint32_t k = 1; k < all.count_count && done; k++) {
        add_ratios(&all, k, report);
    }
    if (done) {
        report_ratio(report, "more_over_fewer", worst_growth(&all), (double)NAN,
                     "time over the best with fewer workers, the worst of these");
        add_notes(&all, report);
    }
    return done;
}

const bench_experiment experiment_workers = {
    .name = "workers",
    .description = "two workers against one, or more: 27 bodies, one pair of large ones, blended "
                   "and reduced bodies, crowds of thousands, skinned people",
    .paper = NULL,
    .run = run,
};
