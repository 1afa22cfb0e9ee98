/*
 * Based on: T. Larsson, T. Akenine-Moller, "Collision Detection for Continuously Deforming Bodies",
 * 2001, experiment 2 and table 1: how time grows with the number of triangles.
 */
#include "experiments.h"

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

static const bench_method *const methods[] = {&bench_ours_auto, &bench_bottom_up};

/* Times at the first step with a contact and at the worst step. */
typedef struct size_extremes {
    uint32_t first_step;
    double first_ms[2], worst_ms[2]; /* ours, rival's */
    uint64_t worst_pairs;
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
    for (uint32_t m = 0; m < 2; m++) {
        extremes->first_ms[m] = contest->total_ms[m][first];
        extremes->worst_ms[m] = 0.0;
        for (uint32_t i = 0; i < contest->motion->step_count; i++) {
            if (contest->total_ms[m][i] > extremes->worst_ms[m]) {
                extremes->worst_ms[m] = contest->total_ms[m][i];
                extremes->worst_pairs = m == 0 ? contest->pairs[i] : extremes->worst_pairs;
            }
        }
    }
    return true;
}

static bool run_size(const bench_settings *settings, uint32_t size, size_extremes *extremes,
                     bench_report *report)
{
    static const uint32_t strides[3] = {10, 1, 1};
    static const double seconds[3] = {1.6, 48.0, 300.0};
    gallery_settings wanted = {.triangles = paper[size].triangles, .seed = settings->seed};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
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
        .method_count = 2,
        /* Large bodies get more of the time. */
        .seconds = seconds[settings->length] * paper[size].triangles / 149760.0,
        .repetitions = settings->length == BENCH_QUICK ? 3 : 9,
        .least_repetitions = settings->length == BENCH_QUICK ? 1 : 3,
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

static void add_row(uint32_t size, const size_extremes *extremes, bench_report *report)
{
    bench_row *row = report_row(report, "ours, auto, %u triangles", paper[size].triangles);
    report_cell(row, "first_step", extremes->first_step, 0);
    report_cell(row, "first_ms", extremes->first_ms[0], 3);
    report_cell(row, "paper_first_ms", paper[size].first_ms, 0);
    report_cell(row, "rival_first_ms", extremes->first_ms[1], 3);
    report_cell(row, "worst_ms", extremes->worst_ms[0], 3);
    report_cell(row, "paper_worst_ms", paper[size].worst_ms, 0);
    report_cell(row, "rival_worst_ms", extremes->worst_ms[1], 3);
    report_cell(row, "pairs", (double)extremes->worst_pairs, 0);
    report_cell(row, "paper_pairs", paper[size].pairs, 0);
    report_cell(row, "triangles", paper[size].triangles, 0);
}

static bool run(const bench_settings *settings, bench_report *report)
{
    double triangles[SIZES], first[SIZES], worst[SIZES], paper_first[SIZES], paper_worst[SIZES];
    uint32_t sizes = settings->length == BENCH_QUICK ? 5 : SIZES;
    for (uint32_t i = 0; i < sizes; i++) {
        size_extremes extremes = {0};
        if (!run_size(settings, i, &extremes, report)) {
            return false;
        }
        add_row(i, &extremes, report);
        triangles[i] = paper[i].triangles;
        first[i] = extremes.first_ms[0];
        worst[i] = extremes.worst_ms[0];
        paper_first[i] = paper[i].first_ms;
        paper_worst[i] = paper[i].worst_ms;
    }
    report_ratio(report, "growth_first", bench_fit_exponent(triangles, first, sizes),
                 bench_fit_exponent(triangles, paper_first, sizes),
                 "exponent of time at first contact");
    report_ratio(report, "growth_worst", bench_fit_exponent(triangles, worst, sizes),
                 bench_fit_exponent(triangles, paper_worst, sizes),
                 "exponent of time at the worst step");
    report_note(report, "rival: plain bottom-up on the same steps; the paper's 550 MHz Pentium III "
                        "measured in 2001");
    return true;
}

const bench_experiment experiment_larsson_2 = {
    .name = "larsson-2",
    .description = "the same spheres from 1,280 to 65,536 triangles: time at the first contact and "
                   "at the worst step",
    .paper = "time grows about linearly with the number of triangles",
    .run = run,
};
