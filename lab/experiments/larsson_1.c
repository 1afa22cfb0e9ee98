/*
 * Based on: T. Larsson, T. Akenine-Moller, "Collision Detection for Continuously Deforming Bodies",
 * 2001, experiment 1 and figure 3: the paper's own methods, scalar against scalar, and ours. Beyond
 * the paper: bottom-up rivals, scalar and modern, the same at 327,680 triangles, our other trees,
 * instruction sets and orders of vertices.
 */
#include "experiments.h"

#include <math.h>
#include <string.h>

#include "lab/baselines/baselines.h"
#include "lab/harness/machine.h"
#include "modern.h"

#define TRIANGLES      20480
#define MANY_TRIANGLES 327680
#define TENTHS         10

/* The question of a part, which decides what is worked out from its times. */
typedef enum part_kind { ALL_PAIRS, FIRST_PAIR, TREES, LARGE } part_kind;

typedef struct contest_part {
    const char *title;
    const bench_method *const *methods;
    uint32_t strides[3]; /* by length; 0: left out */
    uint32_t method_count;
    uint32_t triangles;
    part_kind kind;
} contest_part;

/* Those under an instruction set that the machine lacks, or the settings forbid, are left out. */
static const bench_method *const all_methods[] = {
    &bench_van_den_bergen,    &bench_van_den_bergen_8, &bench_larsson,      &bench_larsson_top_down,
    &bench_larsson_bottom_up, &bench_bottom_up,        &bench_modern_plain, &bench_modern,
    &bench_ours_bottom_up,    &bench_ours_top_down,    &bench_ours_hybrid,  &bench_ours_auto,
    &bench_ours_tree_order,   &bench_ours_copied,      &bench_ours_avx2,    &bench_ours_baseline,
    &bench_ours_plain};
static const bench_method *const first_methods[] = {
    &bench_van_den_bergen,       &bench_van_den_bergen_8,     &bench_larsson,
    &bench_larsson_top_down,     &bench_larsson_bottom_up,    &bench_bottom_up,
    &bench_ours_first_bottom_up, &bench_ours_first_top_down,  &bench_ours_first_hybrid,
    &bench_ours_first_auto,      &bench_ours_first_remembered};
static const bench_method *const tree_methods[] = {
    &bench_ours_trees[0], &bench_ours_trees[1], &bench_ours_trees[2], &bench_ours_trees[3],
    &bench_ours_trees[4], &bench_ours_trees[5], &bench_ours_trees[6], &bench_ours_trees[7],
    &bench_ours_trees[8], &bench_larsson_2,     &bench_larsson_4,     &bench_larsson};
static const bench_method *const many_methods[] = {&bench_bottom_up, &bench_ours_hybrid,
                                                   &bench_ours_auto};

static const contest_part parts[] = {
    {"all pairs", all_methods, {20, 1, 1}, 17, TRIANGLES, ALL_PAIRS},
    {"first pair", first_methods, {20, 1, 1}, 11, TRIANGLES, FIRST_PAIR},
    {"trees", tree_methods, {20, 4, 1}, 12, TRIANGLES, TREES},
    {"all pairs, large", many_methods, {0, 20, 2}, 3, MANY_TRIANGLES, LARGE},
};
#define PARTS ((uint32_t)(sizeof parts / sizeof parts[0]))

/* Which of a part's methods can run here. */
static uint32_t choose_methods(const contest_part *part, const bench_settings *settings,
                               const bench_method **chosen)
{
    pliant_isa isa = bench_machine_describe(settings->isa).isa;
    uint32_t count = 0;
    for (uint32_t m = 0; m < part->method_count; m++) {
        if (part->methods[m]->isa <= isa) {
            chosen[count++] = part->methods[m];
        }
    }
    return count;
}

static double total_of(const bench_contest *contest, const bench_method *method)
{
    return contest_total_ms(contest, contest_find(contest, method));
}

static double update_of(const bench_contest *contest, const bench_method *method)
{
    return contest_update_ms(contest, contest_find(contest, method));
}

static void add_rows(const contest_part *part, const bench_contest *contest, bench_report *report)
{
    double steps = contest->motion->step_count;
    for (uint32_t m = 0; m < contest->method_count; m++) {
        double update = contest_update_ms(contest, m) / steps;
        double total = contest_total_ms(contest, m) / steps;
        bench_row *row = report_row(report, "%s", contest->methods[m]->name);
        report_cell(row, "triangles", part->triangles, 0);
        report_cell(row, "first_only", part->kind == FIRST_PAIR ? 1 : 0, 0);
        report_cell(row, "update_ms", update, 4);
        report_cell(row, "query_ms", total - update, 4);
        report_cell(row, "total_ms", total, 4);
        report_cell(row, "pairs", (double)contest_pairs(contest), 0);
    }
}

static bool add_step_series(const bench_contest *contest, bench_report *report)
{
    double values[200] = {0};
    for (uint32_t i = 0; i < contest->motion->step_count; i++) {
        values[i] = contest->motion->steps[i];
    }
    if (!report_series(report, "step", values, contest->motion->step_count)) {
        return false;
    }
    for (uint32_t i = 0; i < contest->motion->step_count; i++) {
        values[i] = (double)contest->pairs[i];
    }
    return report_series(report, "pairs", values, contest->motion->step_count);
}

static bool add_series(const bench_contest *contest, bench_report *report)
{
    bool done = contest->first_only || add_step_series(contest, report);
    for (uint32_t m = 0; done && m < contest->method_count; m++) {
        char name[96];
        snprintf(name, sizeof name, "%s, %s, ms", contest->title, contest->methods[m]->name);
        done = report_series(report, name, contest->total_ms[m], contest->motion->step_count);
    }
    return done;
}

/* The time of one method in one tenth of the run. */
static double tenth_of(const bench_contest *contest, const bench_method *method, uint32_t tenth)
{
    const double *times = contest->total_ms[contest_find(contest, method)];
    double sum = 0.0;
    for (uint32_t i = contest->motion->step_count * tenth / TENTHS;
         i < contest->motion->step_count * (tenth + 1) / TENTHS; i++) {
        sum += times[i];
    }
    return sum;
}

/* The same claim of the paper's own method: its hybrid over the better of its other two. */
static void add_larsson_tenths(const bench_contest *contest, bench_report *report)
{
    double worst = 0.0;
    for (uint32_t tenth = 0; tenth < TENTHS; tenth++) {
        double better = fmin(tenth_of(contest, &bench_larsson_top_down, tenth),
                             tenth_of(contest, &bench_larsson_bottom_up, tenth));
        worst = fmax(worst, tenth_of(contest, &bench_larsson, tenth) / better);
    }
    report_ratio(report, "larsson_hybrid_tenth_worst", worst, (double)NAN,
                 "Larsson's hybrid over the better of his other two, in its worst tenth");
}

/* The paper's claim that hybrid update suits easy and hard cases alike, tenth by tenth. */
static bool add_tenths(const bench_contest *contest, bench_report *report)
{
    double ratios[TENTHS], worst = 0.0;
    char text[8 * TENTHS + 1] = "";
    for (uint32_t tenth = 0; tenth < TENTHS; tenth++) {
        double better = fmin(tenth_of(contest, &bench_ours_top_down, tenth),
                             tenth_of(contest, &bench_ours_bottom_up, tenth));
        ratios[tenth] = tenth_of(contest, &bench_ours_hybrid, tenth) / better;
        worst = fmax(worst, ratios[tenth]);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " %.2f", ratios[tenth]);
    }
    report_ratio(report, "hybrid_tenth_worst", worst, (double)NAN,
                 "hybrid over the better of top-down and bottom-up, in its worst tenth");
    report_note(report, "hybrid over the better of top-down and bottom-up, by tenth:%s", text);
    return report_series(report, "tenths, hybrid over better", ratios, TENTHS);
}

/* What each instruction set gives, and whether any is slower than plain C. */
static void add_isa_ratios(const bench_contest *contest, bench_report *report)
{
    static const struct {
        const bench_method *method;
        const char *key, *meaning;
    } sets[] = {
        {&bench_ours_avx2, "all_vs_bottom_up_avx2", "the same with AVX2 at most"},
        {&bench_ours_baseline, "all_vs_bottom_up_baseline", "the same with SSE2 at most"},
        {&bench_ours_plain, "all_vs_bottom_up_plain", "the same in plain C"},
    };
    double plain_total = total_of(contest, &bench_ours_plain);
    double plain_update = update_of(contest, &bench_ours_plain);
    double worst = fmax(total_of(contest, &bench_ours_auto) / plain_total,
                        update_of(contest, &bench_ours_auto) / plain_update);
    for (uint32_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (contest_find(contest, sets[i].method) < contest->method_count) {
            double total = total_of(contest, sets[i].method);
            report_ratio(report, sets[i].key, total_of(contest, &bench_bottom_up) / total,
                         (double)NAN, sets[i].meaning);
            if (sets[i].method != &bench_ours_plain) {
                worst = fmax(worst, total / plain_total);
                worst = fmax(worst, update_of(contest, sets[i].method) / plain_update);
            }
        }
    }
    report_ratio(report, "isa_over_plain_worst", worst, (double)NAN,
                 "slowest instruction set over plain C, update or total: at most 1");
}

/* The paper's two methods against each other, then ours in plain C and with vectors against each.
 */
static void add_paper_ratios(const bench_contest *contest, bench_report *report)
{
    double bergen = total_of(contest, &bench_van_den_bergen);
    double larsson = total_of(contest, &bench_larsson);
    double plain = total_of(contest, &bench_ours_plain);
    double ours = total_of(contest, &bench_ours_auto);
    report_ratio(report, "larsson_vs_van_den_bergen", bergen / larsson, 5.0,
                 "the paper's two methods, both scalar: van den Bergen's time over Larsson's");
    report_ratio(report, "all_vs_van_den_bergen_plain", bergen / plain, (double)NAN,
                 "van den Bergen's time over ours in plain C");
    report_ratio(report, "all_vs_van_den_bergen", bergen / ours, (double)NAN,
                 "van den Bergen's time over ours with vectors");
    report_ratio(report, "all_vs_larsson_plain", larsson / plain, (double)NAN,
                 "Larsson's hybrid, 8-ary, over ours in plain C");
    report_ratio(report, "all_vs_larsson", larsson / ours, (double)NAN,
                 "Larsson's hybrid, 8-ary, over ours with vectors");
    report_ratio(report, "van_den_bergen_binary_over_8",
                 bergen / total_of(contest, &bench_van_den_bergen_8), 1.15,
                 "van den Bergen, binary over 8-ary (the paper: 1.1 to 1.2)");
}

static void add_all_ratios(const bench_contest *contest, bench_report *report)
{
    double ours = total_of(contest, &bench_ours_auto);
    add_paper_ratios(contest, report);
    modern_add_ratios(&(modern_times){total_of(contest, &bench_bottom_up),
                                      total_of(contest, &bench_modern_plain),
                                      total_of(contest, &bench_modern), ours},
                      report);
    report_ratio(report, "all_vs_bottom_up", total_of(contest, &bench_bottom_up) / ours,
                 (double)NAN, "all pairs: scalar binary bottom-up's time over ours");
    report_ratio(report, "all_vs_bottom_up_tree_order",
                 total_of(contest, &bench_bottom_up) / total_of(contest, &bench_ours_tree_order),
                 (double)NAN, "the same with vertices in tree order");
    report_ratio(report, "update_vs_bottom_up",
                 update_of(contest, &bench_bottom_up) / update_of(contest, &bench_ours_auto),
                 (double)NAN, "refit of all boxes over our update before the query");
    report_ratio(report, "update_vs_bottom_up_tree_order",
                 update_of(contest, &bench_bottom_up) / update_of(contest, &bench_ours_tree_order),
                 (double)NAN, "the same with vertices in tree order");
    double best =
        fmin(total_of(contest, &bench_ours_hybrid), fmin(total_of(contest, &bench_ours_top_down),
                                                         total_of(contest, &bench_ours_bottom_up)));
    report_ratio(report, "auto_over_best", ours / best, (double)NAN,
                 "our automatic choice over our best fixed one");
    add_isa_ratios(contest, report);
}

static void add_first_ratios(const bench_contest *contest, bench_report *report)
{
    report_ratio(report, "first_larsson_vs_van_den_bergen",
                 total_of(contest, &bench_van_den_bergen) / total_of(contest, &bench_larsson), 5.0,
                 "first pair: the paper's two methods, both scalar");
    report_ratio(report, "first_vs_larsson",
                 total_of(contest, &bench_larsson) / total_of(contest, &bench_ours_first_auto),
                 (double)NAN,
                 "first pair: Larsson's hybrid over ours, a fresh query in every step");
    double rival = total_of(contest, &bench_bottom_up);
    report_ratio(report, "first_vs_bottom_up",
                 rival / total_of(contest, &bench_ours_first_remembered), (double)NAN,
                 "first pair: scalar binary bottom-up's time over ours, one query kept");
    report_ratio(report, "first_vs_bottom_up_no_memory",
                 rival / total_of(contest, &bench_ours_first_auto), (double)NAN,
                 "the same with a fresh query in every step");
}

static void add_first_contact_note(const bench_contest *contest, bench_report *report)
{
    uint32_t first = 0;
    while (first < contest->motion->step_count && contest->pairs[first] == 0) {
        first++;
    }
    uint32_t last = contest->motion->step_count - 1;
    if (first <= last) {
        report_note(report,
                    "first contact at step %u (paper: 60); %llu pairs at step %u (paper: 3760): "
                    "the spheres' paths and bumps were chosen to meet these two figures",
                    contest->motion->steps[first], (unsigned long long)contest->pairs[last],
                    contest->motion->steps[last]);
    }
}

static bool add_results(const contest_part *part, const bench_contest *contest,
                        bench_report *report)
{
    add_rows(part, contest, report);
    switch (part->kind) {
    case ALL_PAIRS:
        add_all_ratios(contest, report);
        add_first_contact_note(contest, report);
        add_larsson_tenths(contest, report);
        return add_tenths(contest, report) && add_series(contest, report);
    case FIRST_PAIR:
        add_first_ratios(contest, report);
        return add_series(contest, report);
    case TREES:
        report_ratio(report, "larsson_binary_over_8",
                     total_of(contest, &bench_larsson_2) / total_of(contest, &bench_larsson),
                     (double)NAN, "Larsson's hybrid, binary over 8-ary (\"slightly better\")");
        report_ratio(report, "larsson_4_over_8",
                     total_of(contest, &bench_larsson_4) / total_of(contest, &bench_larsson),
                     (double)NAN, "Larsson's hybrid, 4-ary over 8-ary");
        break;
    case LARGE:
        report_ratio(report, "all_vs_bottom_up_327680",
                     total_of(contest, &bench_bottom_up) / total_of(contest, &bench_ours_auto),
                     (double)NAN, "all pairs with 327,680 triangles");
        break;
    }
    return true;
}

static bool run_part(const bench_settings *settings, const contest_part *part, bench_report *report)
{
    const bench_method *methods[CONTEST_MAX_METHODS];
    if (part->method_count > CONTEST_MAX_METHODS) {
        return report_fail(report, "%s: too many methods", part->title);
    }
    bench_contest contest = {
        .settings = settings,
        .methods = methods,
        .method_count = choose_methods(part, settings, methods),
        .first_only = part->kind == FIRST_PAIR,
        .title = part->title,
    };
    uint32_t stride = part->strides[settings->length];
    if (stride == 0) {
        report_note(report, "%u triangles are left out of a quick run", part->triangles);
        return true;
    }
    gallery_settings wanted = {.triangles = part->triangles, .seed = settings->seed};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    if (scene == NULL) {
        return report_fail(report, "not enough memory");
    }
    bench_motion motion;
    bool done = bench_motion_of_scene(scene, stride, &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    contest.motion = &motion;
    done = done && contest_run(&contest, report) && add_results(part, &contest, report);
    contest_free(&contest);
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    bool done = true;
    for (uint32_t i = 0; done && i < PARTS; i++) {
        done = run_part(settings, &parts[i], report);
    }
    return done;
}

const bench_experiment experiment_larsson_1 = {
    .name = "larsson-1",
    .description = "two bumpy spheres of 20,480 triangles move into each other over 200 steps",
    .paper =
        "hybrid about 5 times faster than van den Bergen; first contact at step 60, 3,760 pairs "
        "at step 200",
    .run = run,
};
