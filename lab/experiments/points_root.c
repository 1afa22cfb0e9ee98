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

enum { STEPS = 20, METHODS = 6, MOST_PASSES = 1000 };

static const char *const names[METHODS] = {
    "ours", "two largest", "all corners", "all of W", "accumulation", "evaluate all vertices",
};

typedef struct root_run {
    points_brain brain;
    blend_patch patch;
    float *transforms[STEPS];
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

/* Microseconds per bound: the lower quartile over passes through all steps, for bounds take so
   little time that what else runs on the machine would show in a median. False if one failed. */
static bool measure(root_run *run, int method, double budget, double *microseconds)
{
    double passes[MOST_PASSES], start = bench_wall_seconds(), sum = 0.0;
    uint32_t count = 0;
    while (count < MOST_PASSES && (count < 2 || bench_wall_seconds() - start < budget)) {
        double before = bench_seconds();
        for (int i = 0; i < STEPS; i++) {
            sum += bound_root(run, method, run->transforms[i]);
        }
        passes[count++] = 1e6 * (bench_seconds() - before) / STEPS;
    }
    bench_median(passes, count); /* sorts them */
    *microseconds = passes[count / 4];
    return isfinite(sum);
}

static const uint32_t vertex_counts[3] = {3500, 30000, 145000};
static const uint32_t node_counts[3] = {65, 225, 509};
static const double paper[3][3] = {{15, 35, 90}, {18, 48, 100}, {18, 46, 100}};
static const double paper_optimal[3] = {2.0e3, 17.2e3, 82.5e3};

static bool run_one(const bench_settings *settings, uint32_t v, uint32_t n, double *ours,
                    bench_report *report)
{
    static const double budgets[3] = {0.01, 0.3, 1.0};
    root_run run;
    bool done = root_run_create(settings, vertex_counts[v], node_counts[n], &run, report);
    for (int method = 0; done && method < METHODS; method++) {
        double microseconds;
        if (!measure(&run, method, bench_share(settings) * budgets[settings->length],
                     &microseconds)) {
            done = report_fail(report, "%s: %s", names[method], pliant_last_error());
            break;
        }
        bench_row *row = report_row(report, "%s", names[method]);
        report_cell(row, "vertices", run.brain.scene->bodies[0].vertex_count, 0);
        report_cell(row, "nodes", node_counts[n], 0);
        report_cell(row, "us", microseconds, 3);
        if (method == 0 || method == 5) {
            report_cell(row, "paper_us", method == 0 ? paper[v][n] : paper_optimal[v], 0);
        }
        *ours = method == 0 ? microseconds : *ours;
    }
    root_run_free(&run);
    return done;
}

static void add_ratios(double ours[3][3], uint32_t sizes, bench_report *report)
{
    double x[3], mean[3] = {0.0, 0.0, 0.0}, worst = 0.0;
    for (int n = 0; n < 3; n++) {
        x[n] = node_counts[n];
        for (uint32_t v = 0; v < sizes; v++) {
            mean[n] += ours[v][n] / sizes;
        }
        worst = fmax(worst, ours[2][n] / ours[0][n]);
    }
    if (sizes == 3) {
        report_ratio(report, "time_145k_over_3k5", worst, 18.0 / 15.0,
                     "with 145,000 vertices over with 3,500, for the worst number of nodes");
    }
    report_ratio(report, "time_509_over_65", mean[2] / mean[0], 290.0 / 51.0,
                 "with 509 nodes over with 65; 7.8 is linear");
    report_ratio(report, "nodes_exponent", bench_fit_exponent(x, mean, 3), (double)NAN,
                 "time grows as the nodes to this power");
}

static bool run(const bench_settings *settings, bench_report *report)
{
    uint32_t sizes = settings->length == BENCH_QUICK ? 1 : 3;
    double ours[3][3] = {{0}};
    bool done = true;
    for (uint32_t v = 0; done && v < sizes; v++) {
        for (uint32_t n = 0; done && n < 3; n++) {
            done = run_one(settings, v, n, &ours[v][n], report);
            bench_progress(settings, "points-root", 3 * v + n + 1, 3 * sizes + 1);
        }
    }
    if (done) {
        add_ratios(ours, sizes, report);
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
