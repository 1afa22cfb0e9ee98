/*
 * Based on: T. Larsson, T. Akenine-Moller, "Collision Detection for Continuously Deforming Bodies",
 * 2001, experiment 2 and table 1: how time grows with the number of triangles, of the paper's own
 * method and of ours; once with the bumps of experiment 1, where triangles touch along a few curves
 * and their number grows as the square root of all, and once with bumps as fine as the mesh, where
 * it grows as in the paper.
 */
#include "experiments.h"

#include <math.h>

#include "lab/baselines/baselines.h"

typedef struct paper_row {
    uint32_t triangles;
    double first_ms, worst_ms, pairs;
} paper_row;

static const paper_row paper[] = {
    {1280, 2, 4, 138},     {5120, 6, 15, 562},     {8192, 8, 28, 1010},     {16384, 15, 64, 2422},
    {20480, 20, 98, 3760}, {32768, 30, 151, 4775}, {65536, 62, 334, 12358},
};
#define SIZES ((uint32_t)(sizeof paper / sizeof paper[0]))

enum { OURS, RIVAL, LARSSON, METHODS };
static const bench_method *const methods[METHODS] = {
    [OURS] = &bench_ours_auto, [RIVAL] = &bench_bottom_up, [LARSSON] = &bench_larsson};

/* The two motions, and what is said of them. */
typedef struct growth_motion {
    const gallery_kind *kind;
    const char *name; /* before that of a method */
    const char *key_first, *key_worst, *key_pairs, *key_larsson_first, *key_larsson_worst;
} growth_motion;

static const growth_motion motions[2] = {
    {&gallery_spheres, "", "growth_first", "growth_worst", "growth_pairs", "growth_first_larsson",
     "growth_worst_larsson"},
    {&gallery_spheres_fine, "fine bumps: ", "growth_first_fine", "growth_worst_fine",
     "growth_pairs_fine", "growth_first_fine_larsson", "growth_worst_fine_larsson"},
};

/* Times at the first step with a contact and at the worst step. */
typedef struct size_extremes {
    uint32_t first_step;
    double first_ms[METHODS], worst_ms[METHODS];
    uint64_t worst_pairs; /* where ours is slowest */
} size_extremes;

static bool find_extremes(const bench_contest *contest, size_extremes *extremes)
{
    uint32_t first = 0;
    while (first < contest->motion->step_count && contest->pairs[first] == 0) {
        first++;
    }
    if (first == contest->motion->step_count) {
        return false;
    }
    extremes->first_step = contest->motion->steps[first];
    for (uint32_t m = 0; m < METHODS; m++) {
        extremes->first_ms[m] = contest->total_ms[m][first];
        extremes->worst_ms[m] = 0.0;
        for (uint32_t i = 0; i < contest->motion->step_count; i++) {
            if (contest->total_ms[m][i] > extremes->worst_ms[m]) {
                extremes->worst_ms[m] = contest->total_ms[m][i];
                extremes->worst_pairs = m == OURS ? contest->pairs[i] : extremes->worst_pairs;
            }
        }
    }
    return true;
}

static bool run_size(const bench_settings *settings, const growth_motion *kind, uint32_t size,
                     size_extremes *extremes, bench_report *report)
{
    static const uint32_t strides[3] = {10, 1, 1};
    gallery_settings wanted = {.triangles = paper[size].triangles, .seed = settings->seed};
    gallery_scene *scene = gallery_create(kind->kind, &wanted);
    if (scene == NULL) {
        return report_fail(report, "not enough memory");
    }
    bench_motion motion;
    bool done = bench_motion_of_scene(scene, strides[settings->length], &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    bench_contest contest = {
        .settings = settings,
        .motion = &motion,
        .methods = methods,
        .method_count = METHODS,
        .title = "larsson-2",
    };
    done = done && contest_run(&contest, report);
    if (done && !find_extremes(&contest, extremes)) {
        done = report_fail(report, "%u triangles never touch", paper[size].triangles);
    }
    contest_free(&contest);
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done;
}

static void add_rows(const growth_motion *motion, uint32_t size, const size_extremes *extremes,
                     bench_report *report)
{
    uint32_t triangles = paper[size].triangles;
    bench_row *row = report_row(report, "%sours, auto, %u triangles", motion->name, triangles);
    report_cell(row, "first_step", extremes->first_step, 0);
    report_cell(row, "first_ms", extremes->first_ms[OURS], 3);
    report_cell(row, "paper_first_ms", paper[size].first_ms, 0);
    report_cell(row, "rival_first_ms", extremes->first_ms[RIVAL], 3);
    report_cell(row, "worst_ms", extremes->worst_ms[OURS], 3);
    report_cell(row, "paper_worst_ms", paper[size].worst_ms, 0);
    report_cell(row, "rival_worst_ms", extremes->worst_ms[RIVAL], 3);
    report_cell(row, "pairs", (double)extremes->worst_pairs, 0);
    report_cell(row, "paper_pairs", paper[size].pairs, 0);
    report_cell(row, "triangles", triangles, 0);
    row = report_row(report, "%sLarsson, hybrid, 8-ary, %u triangles", motion->name, triangles);
    report_cell(row, "first_ms", extremes->first_ms[LARSSON], 3);
    report_cell(row, "paper_first_ms", paper[size].first_ms, 0);
    report_cell(row, "worst_ms", extremes->worst_ms[LARSSON], 3);
    report_cell(row, "paper_worst_ms", paper[size].worst_ms, 0);
    report_cell(row, "triangles", triangles, 0);
}

/* What grows with the number of triangles, and how fast. */
typedef struct growth_curve {
    double triangles[SIZES], ours[SIZES], larsson[SIZES], paper[SIZES];
} growth_curve;

static void add_growth(const growth_curve *curve, uint32_t sizes, const char *key_larsson,
                       const char *key, const char *meaning, bench_report *report)
{
    report_ratio(report, key_larsson, bench_fit_exponent(curve->triangles, curve->larsson, sizes),
                 bench_fit_exponent(curve->triangles, curve->paper, sizes), meaning);
    report_ratio(report, key, bench_fit_exponent(curve->triangles, curve->ours, sizes), (double)NAN,
                 "the same of ours");
}

static bool run_motion(const bench_settings *settings, const growth_motion *motion,
                       bench_report *report)
{
    growth_curve first, worst;
    double pairs[SIZES], paper_pairs[SIZES];
    uint32_t sizes = settings->length == BENCH_QUICK ? 5 : SIZES;
    for (uint32_t i = 0; i < sizes; i++) {
        size_extremes extremes = {0};
        if (!run_size(settings, motion, i, &extremes, report)) {
            return false;
        }
        add_rows(motion, i, &extremes, report);
        first.triangles[i] = worst.triangles[i] = paper[i].triangles;
        first.ours[i] = extremes.first_ms[OURS];
        worst.ours[i] = extremes.worst_ms[OURS];
        first.larsson[i] = extremes.first_ms[LARSSON];
        worst.larsson[i] = extremes.worst_ms[LARSSON];
        first.paper[i] = paper[i].first_ms;
        worst.paper[i] = paper[i].worst_ms;
        pairs[i] = (double)extremes.worst_pairs;
        paper_pairs[i] = paper[i].pairs;
    }
    add_growth(&first, sizes, motion->key_larsson_first, motion->key_first,
               "exponent of Larsson's time at first contact", report);
    add_growth(&worst, sizes, motion->key_larsson_worst, motion->key_worst,
               "exponent of Larsson's time at the worst step", report);
    report_ratio(report, motion->key_pairs, bench_fit_exponent(worst.triangles, pairs, sizes),
                 bench_fit_exponent(worst.triangles, paper_pairs, sizes),
                 "exponent of the pairs at the worst step");
    return true;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    if (!run_motion(settings, &motions[0], report) || !run_motion(settings, &motions[1], report)) {
        return false;
    }
    report_note(report, "rival: scalar binary bottom-up on the same steps; the paper's 550 MHz "
                        "Pentium III measured in 2001");
    report_note(report, "fine bumps: as fine as the mesh, chosen so that the pairs grow with the "
                        "triangles as the paper's do; at 20,480 triangles both motions are one");
    return true;
}

const bench_experiment experiment_larsson_2 = {
    .name = "larsson-2",
    .description = "the same spheres from 1,280 to 65,536 triangles: time at the first contact and "
                   "at the worst step",
    .paper = "time grows about linearly with the number of triangles",
    .run = run,
};
