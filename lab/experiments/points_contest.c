#include "points.h"

#include <math.h>

#include "lab/baselines/baselines.h"

static const bench_method *const all_methods[] = {
    &bench_blend_bottom_up, &bench_blend_simd,     &bench_steinemann,
    &bench_scene_bottom_up, &bench_scene_top_down, &bench_scene_hybrid,
    &bench_scene_front,     &bench_scene_auto,     &bench_scene_plain,
};
static const bench_method *const first_methods[] = {
    &bench_blend_bottom_up,
    &bench_blend_simd,
    &bench_scene_auto,
};
#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof(list)[0]))

static double total_of(const bench_contest *contest, const bench_method *method)
{
    return contest_total_ms(contest, contest_find(contest, method));
}

static void add_row(const points_contest *wanted, const bench_contest *contest, uint32_t m,
                    bench_report *report)
{
    double steps = contest->motion->step_count;
    double update = contest_update_ms(contest, m) / steps;
    double total = contest_total_ms(contest, m) / steps;
    bench_row *row = report_row(report, "%s", contest->methods[m]->name);
    report_cell(row, "vertices", wanted->vertices, 0);
    report_cell(row, "nodes", wanted->nodes, 0);
    report_cell(row, "large", wanted->large, 0);
    report_cell(row, "first_only", contest->first_only, 0);
    report_cell(row, "update_ms", update, 4);
    report_cell(row, "query_ms", total - update, 4);
    report_cell(row, "total_ms", total, 4);
    report_cell(row, "over_ours", total * steps / total_of(contest, &bench_scene_auto), 2);
    report_cell(row, "pairs", (double)contest_pairs(contest) / steps, 1);
}

static double best_of_ours(const bench_contest *contest)
{
    static const bench_method *const fixed[] = {&bench_scene_bottom_up, &bench_scene_top_down,
                                                &bench_scene_hybrid, &bench_scene_front};
    double best = (double)INFINITY;
    for (uint32_t i = 0; i < COUNT(fixed); i++) {
        best = fmin(best, total_of(contest, fixed[i]));
    }
    return best;
}

bool points_contest_run(const points_contest *wanted, points_result *result, bench_report *report)
{
    char title[48];
    snprintf(title, sizeof title, "%s%s", wanted->title,
             wanted->first_only ? ", first contact" : "");
    bench_contest contest = {
        .settings = wanted->settings,
        .motion = wanted->motion,
        .methods = wanted->first_only ? first_methods : all_methods,
        .method_count = wanted->first_only ? COUNT(first_methods) : COUNT(all_methods),
        .first_only = wanted->first_only,
        .plays = wanted->plays,
        .title = title,
    };
    bool done = contest_run(&contest, report);
    if (done) {
        for (uint32_t m = 0; m < contest.method_count; m++) {
            add_row(wanted, &contest, m, report);
        }
        *result = (points_result){
            .plain = total_of(&contest, &bench_blend_bottom_up),
            .simd = total_of(&contest, &bench_blend_simd),
            .ours = total_of(&contest, &bench_scene_auto),
            .auto_over_best = (double)NAN,
            .pairs = contest_pairs(&contest),
        };
        if (!wanted->first_only) {
            result->auto_over_best = result->ours / best_of_ours(&contest);
            result->paper = total_of(&contest, &bench_steinemann);
            result->ours_plain = total_of(&contest, &bench_scene_plain);
        }
    }
    contest_free(&contest);
    return done;
}
