/*
 * Based on: T. Larsson, T. Akenine-Moller, "Collision Detection for Continuously Deforming Bodies",
 * 2001, experiment 1 and figure 3. Beyond the paper: a plain modern rival, the same at 327,680
 * triangles, and our other trees.
 */
#include "experiments.h"

#include <math.h>
#include <string.h>

#include "bench/baselines/baselines.h"

#define TRIANGLES      20480
#define MANY_TRIANGLES 327680

typedef struct contest_part {
    const char *title;
    uint32_t triangles;
    bool first_only;
    const bench_method *const *methods;
    uint32_t method_count;
    uint32_t strides[3]; /* by length; 0: left out */
    double seconds[3];   /* by length */
} contest_part;

static const bench_method *const all_methods[] = {
    &bench_van_den_bergen, &bench_van_den_bergen_8, &bench_bottom_up, &bench_ours_bottom_up,
    &bench_ours_top_down,  &bench_ours_hybrid,      &bench_ours_auto, &bench_ours_copied,
    &bench_ours_shape,     &bench_ours_connectivity};
static const bench_method *const first_methods[] = {
    &bench_van_den_bergen, &bench_van_den_bergen_8, &bench_bottom_up, &bench_ours_bottom_up,
    &bench_ours_top_down,  &bench_ours_hybrid,      &bench_ours_auto};
static const bench_method *const many_methods[] = {&bench_bottom_up, &bench_ours_hybrid,
                                                   &bench_ours_auto};

static const contest_part parts[] = {
    {"all pairs", TRIANGLES, false, all_methods, 10, {20, 1, 1}, {0.8, 26.0, 300.0}},
    {"first pair", TRIANGLES, true, first_methods, 7, {20, 1, 1}, {0.5, 12.0, 120.0}},
    {"all pairs, large", MANY_TRIANGLES, false, many_methods, 3, {0, 20, 2}, {0.0, 14.0, 300.0}},
};

/* Where a method stands in a part. */
static uint32_t index_of(const contest_part *part, const bench_method *method)
{
    uint32_t m = 0;
    while (part->methods[m] != method) {
        m++;
    }
    return m;
}

static void add_rows(const contest_part *part, const bench_contest *contest, bench_report *report)
{
    double steps = contest->step_count;
    for (uint32_t m = 0; m < part->method_count; m++) {
        double update = contest_update_ms(contest, m) / steps;
        double total = contest_total_ms(contest, m) / steps;
        bench_row *row = report_row(report, "%s", part->methods[m]->name);
        report_cell(row, "triangles", part->triangles, 0);
        report_cell(row, "first_only", part->first_only ? 1 : 0, 0);
        report_cell(row, "update_ms", update, 4);
        report_cell(row, "query_ms", total - update, 4);
        report_cell(row, "total_ms", total, 4);
        report_cell(row, "pairs", (double)contest_pairs(contest), 0);
    }
}

static bool add_series(const contest_part *part, const bench_contest *contest, bench_report *report)
{
    double values[200] = {0};
    uint32_t count = contest->step_count;
    char name[96];
    if (!part->first_only) {
        for (uint32_t i = 0; i < count; i++) {
            values[i] = contest->steps[i];
        }
        if (!report_series(report, "step", values, count)) {
            return false;
        }
        for (uint32_t i = 0; i < count; i++) {
            values[i] = (double)contest->pairs[i];
        }
        if (!report_series(report, "pairs", values, count)) {
            return false;
        }
    }
    for (uint32_t m = 0; m < part->method_count; m++) {
        snprintf(name, sizeof name, "%s, %s, ms", part->title, part->methods[m]->name);
        if (!report_series(report, name, contest->total_ms[m], count)) {
            return false;
        }
    }
    return true;
}

/* The rival's time over ours. */
static double ratio(const contest_part *part, const bench_contest *contest,
                    const bench_method *rival)
{
    return contest_total_ms(contest, index_of(part, rival)) /
           contest_total_ms(contest, index_of(part, &bench_ours_auto));
}

static void add_all_ratios(const contest_part *part, const bench_contest *contest,
                           bench_report *report)
{
    report_ratio(report, "all_vs_van_den_bergen", ratio(part, contest, &bench_van_den_bergen), 5.0,
                 "all pairs: van den Bergen's time over ours");
    report_ratio(report, "all_vs_bottom_up", ratio(part, contest, &bench_bottom_up), (double)NAN,
                 "all pairs: plain bottom-up's time over ours");
    report_ratio(report, "update_vs_bottom_up",
                 contest_update_ms(contest, index_of(part, &bench_bottom_up)) /
                     contest_update_ms(contest, index_of(part, &bench_ours_auto)),
                 (double)NAN, "refit of all boxes over our update before the query");
    double best = contest_total_ms(contest, index_of(part, &bench_ours_hybrid));
    best = fmin(best, contest_total_ms(contest, index_of(part, &bench_ours_top_down)));
    best = fmin(best, contest_total_ms(contest, index_of(part, &bench_ours_bottom_up)));
    report_ratio(report, "auto_over_best",
                 contest_total_ms(contest, index_of(part, &bench_ours_auto)) / best, (double)NAN,
                 "our automatic choice over our best fixed one");
}

static void add_first_contact_note(const bench_contest *contest, bench_report *report)
{
    uint32_t first = 0;
    while (first < contest->step_count && contest->pairs[first] == 0) {
        first++;
    }
    uint32_t last = contest->step_count - 1;
    if (first <= last) {
        report_note(report,
                    "first contact at step %u (paper: 60); %llu pairs at step %u (paper: "
                    "3760 at step 200)",
                    contest->steps[first], (unsigned long long)contest->pairs[last],
                    contest->steps[last]);
    }
    report_note(report, "times are means per step of medians over at least %u repetitions",
                contest->repetitions_done);
}

static bool run_part(const bench_settings *settings, uint32_t which, bench_report *report)
{
    const contest_part *part = &parts[which];
    bench_contest contest = {
        .settings = settings,
        .methods = part->methods,
        .method_count = part->method_count,
        .first_only = part->first_only,
        .stride = part->strides[settings->length],
        .seconds = part->seconds[settings->length],
        .repetitions = settings->length == BENCH_QUICK ? 3 : 9,
        .least_repetitions = settings->length == BENCH_QUICK ? 1 : 3,
        .title = part->title,
    };
    if (contest.stride == 0) {
        report_note(report, "%u triangles are left out of a quick run", part->triangles);
        return true;
    }
    scene_settings wanted = {.triangles = part->triangles, .seed = settings->seed};
    scene_instance *scene = scene_create(&scene_spheres, &wanted);
    if (scene == NULL) {
        return report_fail(report, "not enough memory");
    }
    contest.scene = scene;
    bool done = contest_run(&contest, report);
    if (done) {
        add_rows(part, &contest, report);
        if (part->triangles == MANY_TRIANGLES) {
            report_ratio(report, "all_vs_bottom_up_327680", ratio(part, &contest, &bench_bottom_up),
                         (double)NAN, "the same with 327,680 triangles");
        } else if (part->first_only) {
            report_ratio(report, "first_vs_bottom_up", ratio(part, &contest, &bench_bottom_up),
                         (double)NAN, "first pair: plain bottom-up's time over ours");
            done = add_series(part, &contest, report);
        } else {
            add_all_ratios(part, &contest, report);
            add_first_contact_note(&contest, report);
            done = add_series(part, &contest, report);
        }
    }
    contest_free(&contest);
    scene_destroy(scene);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    return run_part(settings, 0, report) && run_part(settings, 1, report) &&
           run_part(settings, 2, report);
}

const bench_experiment experiment_larsson_1 = {
    .name = "larsson-1",
    .description = "two bumpy spheres of 20,480 triangles move into each other over 200 steps",
    .paper =
        "hybrid about 5 times faster than van den Bergen; first contact at step 60, 3,760 pairs "
        "at step 200",
    .run = run,
};
