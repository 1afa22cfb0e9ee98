/*
 * Based on: T. Larsson, T. Akenine-Moller, "Collision Detection for Continuously Deforming Bodies",
 * 2001, experiment 3: 27 bodies of 5,120 triangles that translate, rotate and deform, with a simple
 * response, once as bumpy spheres and once as bodies with arms: the paper's two methods, scalar
 * against scalar, and ours. Beyond the paper: bottom-up rivals, scalar and modern, and our broad
 * phases.
 */
#include "experiments.h"

#include <math.h>

#include "lab/baselines/baselines.h"
#include "lab/motions/crowd_motion.h"
#include "modern.h"

#define TRIANGLES 5120

static const bench_method *const methods[] = {
    &bench_van_den_bergen,  &bench_van_den_bergen_8,   &bench_larsson,
    &bench_bottom_up,       &bench_scene_modern_plain, &bench_scene_modern,
    &bench_scene_bottom_up, &bench_scene_top_down,     &bench_scene_hybrid,
    &bench_scene_auto,      &bench_scene_sweep,        &bench_scene_grid,
    &bench_scene_plain};
#define METHODS ((uint32_t)(sizeof methods / sizeof methods[0]))

static double total_of(const bench_contest *contest, const bench_method *method)
{
    return contest_total_ms(contest, contest_find(contest, method));
}

static void add_rows(const bench_contest *contest, bench_report *report)
{
    double steps = contest->motion->step_count;
    double ours = total_of(contest, &bench_scene_auto);
    for (uint32_t m = 0; m < contest->method_count; m++) {
        double update = contest_update_ms(contest, m) / steps;
        double total = contest_total_ms(contest, m) / steps;
        bench_row *row = report_row(report, "%s", contest->methods[m]->name);
        report_cell(row, "triangles", TRIANGLES, 0);
        report_cell(row, "first_only", 0, 0);
        report_cell(row, "update_ms", update, 4);
        report_cell(row, "query_ms", total - update, 4);
        report_cell(row, "total_ms", total, 4);
        report_cell(row, "over_ours", total * steps / ours, 2);
        report_cell(row, "pairs", (double)contest_pairs(contest), 0);
    }
}

static bool add_series(const bench_contest *contest, bench_report *report)
{
    double values[200] = {0};
    uint32_t count = contest->motion->step_count;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = contest->motion->steps[i];
    }
    bool done = report_series(report, "step", values, count);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = (double)contest->pairs[i];
    }
    done = done && report_series(report, "pairs", values, count);
    for (uint32_t m = 0; done && m < contest->method_count; m++) {
        char name[96];
        snprintf(name, sizeof name, "%s, ms", contest->methods[m]->name);
        done = report_series(report, name, contest->total_ms[m], count);
    }
    return done;
}

/* The paper's two methods against each other, then ours in plain C and with vectors against each.
 */
static void add_paper_ratios(const bench_contest *contest, double paper, bench_report *report)
{
    double bergen = total_of(contest, &bench_van_den_bergen);
    double larsson = total_of(contest, &bench_larsson);
    double plain = total_of(contest, &bench_scene_plain);
    double ours = total_of(contest, &bench_scene_auto);
    report_ratio(report, "larsson_vs_van_den_bergen", bergen / larsson, paper,
                 "the paper's two methods, both scalar: van den Bergen's time over Larsson's");
    report_ratio(report, "all_vs_van_den_bergen_plain", bergen / plain, (double)NAN,
                 "van den Bergen's time over ours in plain C");
    report_ratio(report, "all_vs_van_den_bergen", bergen / ours, (double)NAN,
                 "van den Bergen's time over ours with vectors");
    report_ratio(report, "all_vs_van_den_bergen_8",
                 total_of(contest, &bench_van_den_bergen_8) / ours, (double)NAN,
                 "the same with an 8-ary tree");
    report_ratio(report, "all_vs_larsson_plain", larsson / plain, (double)NAN,
                 "Larsson's hybrid, 8-ary, over ours in plain C");
    report_ratio(report, "all_vs_larsson", larsson / ours, (double)NAN,
                 "Larsson's hybrid, 8-ary, over ours with vectors");
}

static void add_ratios(const bench_contest *contest, double paper, bench_report *report)
{
    double ours = total_of(contest, &bench_scene_auto);
    double best = fmin(
        total_of(contest, &bench_scene_bottom_up),
        fmin(total_of(contest, &bench_scene_top_down), total_of(contest, &bench_scene_hybrid)));
    add_paper_ratios(contest, paper, report);
    modern_add_ratios(&(modern_times){total_of(contest, &bench_bottom_up),
                                      total_of(contest, &bench_scene_modern_plain),
                                      total_of(contest, &bench_scene_modern), ours},
                      report);
    report_ratio(report, "all_vs_bottom_up", total_of(contest, &bench_bottom_up) / ours,
                 (double)NAN, "all pairs: scalar binary bottom-up's time over ours");
    report_ratio(report, "auto_over_best", ours / best, (double)NAN,
                 "our automatic choice over our best fixed one");
}

static void add_notes(const bench_contest *contest, bench_report *report)
{
    uint32_t touching = 0;
    for (uint32_t i = 0; i < contest->motion->step_count; i++) {
        touching += contest->pairs[i] > 0;
    }
    report_note(report, "bodies touch in %u of %u steps, in %.0f pairs of triangles on average",
                touching, contest->motion->step_count,
                (double)contest_pairs(contest) / contest->motion->step_count);
    uint32_t workers = bench_threads(contest->settings);
    report_note(report, "times are means per step of medians over all plays; %u worker%s", workers,
                workers == 1 ? "" : "s");
    if (contest->settings->length == BENCH_QUICK) {
        report_note(report, "a quick run plays a motion that was recorded with a rough test");
    }
}

static bool run_crowd(const bench_settings *settings, const gallery_kind *kind, double paper,
                      bench_report *report)
{
    static const uint32_t strides[3] = {20, 1, 1};
    crowd_motion crowd;
    bool done = crowd_motion_record(settings, kind, strides[settings->length], &crowd, report);
    bench_contest contest = {
        .settings = settings,
        .motion = &crowd.motion,
        .methods = methods,
        .method_count = METHODS,
        .title = kind->name,
    };
    done = done && contest_run(&contest, report);
    if (done) {
        add_rows(&contest, report);
        add_ratios(&contest, paper, report);
        add_notes(&contest, report);
        done = add_series(&contest, report);
    }
    contest_free(&contest);
    crowd_motion_free(&crowd);
    return done;
}

static bool run_spheres(const bench_settings *settings, bench_report *report)
{
    return run_crowd(settings, &gallery_crowd_spheres, 5.6, report);
}

static bool run_arms(const bench_settings *settings, bench_report *report)
{
    return run_crowd(settings, &gallery_crowd_arms, 4.5, report);
}

const bench_experiment experiment_larsson_3_spheres = {
    .name = "larsson-3-spheres",
    .description = "27 bumpy spheres of 5,120 triangles crowd together over 200 steps",
    .paper = "hybrid 5.6 times faster than van den Bergen",
    .run = run_spheres,
};

const bench_experiment experiment_larsson_3_arms = {
    .name = "larsson-3-arms",
    .description = "27 bodies with arms, of 5,120 triangles, crowd together over 200 steps",
    .paper = "hybrid 4.5 times faster than van den Bergen",
    .run = run_arms,
};
