/*
 * Based on: D. Steinemann, M. A. Otaduy, M. Gross, "Efficient Bounds for Point-Based Animations",
 * 2007, table 1: the time to bound a whole body from its nodes' transforms, with 3,500, 30,000 and
 * 145,000 vertices and 65, 225 and 509 nodes; and to evaluate all vertices for the smallest box.
 *
 * Ours is what a user sees: pliant_body_set_transforms() with its checks and
 * pliant_body_get_bounds(), which bounds the whole from joint boxes. The others, all in plain C,
 * are one formula over all vertices each, and no check.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/baselines/baselines.h"
#include "points.h"

enum { STEPS = 20, METHODS = 6, MOST_PASSES = 81 };

static const char *const names[METHODS] = {
    "ours", "two largest", "all corners", "all of W", "accumulation", "evaluate all vertices",
};

typedef struct root_run {
    points_brain brain;
    blend_patch patch;
    float *transforms[STEPS];
    double passes[METHODS][MOST_PASSES];
    float *positions;
} root_run;

static void root_run_free(root_run *run)
{
    points_brain_free(&run->brain);
    blend_patch_free(&run->patch);
    for (int i = 0; i < STEPS; i++) {
        free(run->transforms[i]);
    }
    free(run->positions);
}

static bool root_run_create(const bench_settings *settings, uint32_t vertices, uint32_t nodes,
                            root_run *run, bench_report *report)
{
    memset(run, 0, sizeof *run);
    if (!points_brain_create(settings, vertices, nodes, false, &run->brain, report)) {
        return false;
    }
    uint32_t vertex_count = run->brain.scene->bodies[0].vertex_count;
    bool done = blend_patch_allocate(nodes, &run->patch);
    run->positions = malloc(3 * (size_t)vertex_count * sizeof(float));
    done = done && run->positions != NULL;
    for (uint32_t i = 0; i < STEPS; i++) {
        float nothing = 0.0f;
        run->transforms[i] = malloc(12 * (size_t)nodes * sizeof(float));
        done = done && run->transforms[i] != NULL;
        if (done) {
            gallery_state(run->brain.scene, 0, (i + 1) * run->brain.scene->steps / STEPS, &nothing,
                          run->transforms[i]);
        }
    }
    if (!done) {
        return report_fail(report, "not enough memory");
    }
    blend_patch_measure(&run->brain.source, NULL, vertex_count, &run->patch);
    return true;
}

/* The upper end of the box along x, which the compiler must not leave out. */
static double bound_root(root_run *run, int method, const float *transforms)
{
    const blend_source *source = &run->brain.source;
    uint32_t vertices = run->brain.scene->bodies[0].vertex_count;
    blend_box box;
    pliant_box ours;
    double centre[3];
    switch (method) {
    case 0:
        return pliant_body_set_transforms(run->brain.body, transforms, source->model->joint_count,
                                          0) == PLIANT_OK &&
                       pliant_body_get_bounds(run->brain.body, &ours) == PLIANT_OK
                   ? (double)ours.upper[0]
                   : (double)NAN;
    case 1:
        blend_bound(&run->patch, BLEND_TWO_LARGEST, transforms, &box);
        return box.upper[0];
    case 2:
        blend_bound(&run->patch, BLEND_ALL_CORNERS, transforms, &box);
        return box.upper[0];
    case 3:
        blend_bound(&run->patch, BLEND_ALL_OF_W, transforms, &box);
        return box.upper[0];
    case 4:
        return blend_accumulate(source, &run->patch, BLEND_VECTORS, transforms, centre) + centre[0];
    default:
        baseline_blend_evaluate(source->model, source->rest, vertices, transforms, run->positions);
        box = points_smallest_box(run->positions, NULL, vertices);
        return box.upper[0];
    }
}

/* A pass through all steps; another one before it brings what it needs to the caches. */
static bool play(void *user, uint32_t method, uint32_t round, bench_report *report)
{
    root_run *run = user;
    double before = 0.0, sum = 0.0;
    for (int i = -STEPS; i < STEPS; i++) {
        before = i == 0 ? bench_seconds() : before;
        sum += bound_root(run, (int)method, run->transforms[i < 0 ? -1 - i : i]);
    }
    run->passes[method][round] = 1e6 * (bench_seconds() - before) / STEPS;
    return isfinite(sum) || report_fail(report, "%s: %s", names[method], pliant_last_error());
}

/* Microseconds per bound of each method: the lower quartile over passes, for bounds take so little
   time that what else runs on the machine would show in a median. */
static bool measure(const bench_settings *settings, root_run *run, const char *title,
                    double microseconds[METHODS], bench_report *report)
{
    static const uint32_t plays[3] = {2, 27, MOST_PASSES};
    bench_terms turns = {title, names, METHODS, plays[settings->length], STEPS, 0.0};
    if (!bench_take_turns(settings, &turns, play, run, report)) {
        return false;
    }
    for (uint32_t method = 0; method < METHODS; method++) {
        bench_median(run->passes[method], bench_plays(settings, &turns)); /* sorts them */
        microseconds[method] = run->passes[method][bench_plays(settings, &turns) / 4];
    }
    return true;
}

static const uint32_t vertex_counts[3] = {3500, 30000, 145000};
static const uint32_t node_counts[3] = {65, 225, 509};
static const double paper[3][3] = {{15, 35, 90}, {18, 48, 100}, {18, 46, 100}};
static const double paper_optimal[3] = {2.0e3, 17.2e3, 82.5e3};

static bool run_one(const bench_settings *settings, uint32_t v, uint32_t n, double *ours,
                    double *paper_rule, bench_report *report)
{
    double microseconds[METHODS];
    char title[48];
    snprintf(title, sizeof title, "%u vertices, %u nodes", vertex_counts[v], node_counts[n]);
    root_run run;
    bool done = root_run_create(settings, vertex_counts[v], node_counts[n], &run, report) &&
                measure(settings, &run, title, microseconds, report);
    for (int method = 0; done && method < METHODS; method++) {
        bench_row *row = report_row(report, "%s", names[method]);
        report_cell(row, "vertices", run.brain.scene->bodies[0].vertex_count, 0);
        report_cell(row, "nodes", node_counts[n], 0);
        report_cell(row, "us", microseconds[method], 3);
        if (method == 0 || method == 5) {
            report_cell(row, "paper_us", method == 0 ? paper[v][n] : paper_optimal[v], 0);
        }
    }
    *ours = done ? microseconds[0] : 0.0;
    *paper_rule = done ? microseconds[1] : 0.0;
    root_run_free(&run);
    return done;
}

static void add_ratios(double ours[3][3], double paper_rule[3][3], uint32_t sizes,
                       bench_report *report)
{
    double x[3], mean[3] = {0.0, 0.0, 0.0}, paper_mean[3] = {0.0, 0.0, 0.0}, worst = 0.0;
    for (int n = 0; n < 3; n++) {
        x[n] = node_counts[n];
        for (uint32_t v = 0; v < sizes; v++) {
            mean[n] += ours[v][n] / sizes;
            paper_mean[n] += paper_rule[v][n] / sizes;
        }
        worst = fmax(worst, ours[2][n] / ours[0][n]);
    }
    if (sizes == 3) {
        report_ratio(report, "time_145k_over_3k5", worst, (double)NAN,
                     "with 145,000 vertices over with 3,500, for the worst number of nodes");
    }
    report_ratio(report, "two_largest_509_over_65", paper_mean[2] / paper_mean[0], 290.0 / 51.0,
                 "the paper's rule with 509 nodes over with 65; 7.8 is linear");
    report_ratio(report, "time_509_over_65", mean[2] / mean[0], (double)NAN, "the same of ours");
    report_ratio(report, "nodes_exponent", bench_fit_exponent(x, mean, 3), (double)NAN,
                 "time grows as the nodes to this power");
}

static bool run(const bench_settings *settings, bench_report *report)
{
    uint32_t sizes = settings->length == BENCH_QUICK ? 1 : 3;
    double ours[3][3] = {{0}}, paper_rule[3][3] = {{0}};
    bool done = true;
    for (uint32_t v = 0; done && v < sizes; v++) {
        for (uint32_t n = 0; done && n < 3; n++) {
            done = run_one(settings, v, n, &ours[v][n], &paper_rule[v][n], report);
            bench_progress(settings, "points-root", 3 * v + n + 1, 3 * sizes + 1);
        }
    }
    if (done) {
        add_ratios(ours, paper_rule, sizes, report);
        report_note(report, "ours includes the check of the transforms");
    }
    if (done && sizes < 3) {
        report_note(report, "30,000 and 145,000 vertices are left out of a quick run");
    }
    return done;
}

const bench_experiment experiment_points_root = {
    .name = "points-root",
    .description = "the time to bound a whole brain from its nodes' transforms",
    .paper = "15 to 18 us with 65 nodes, 35 to 48 with 225, 90 to 100 with 509; for the smallest "
             "box 2,000, 17,200 and 82,500 us",
    .run = run,
};
