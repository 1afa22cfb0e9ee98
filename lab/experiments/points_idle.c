/*
 * What bodies cost that touch nothing: the six figures of points-ring, moved apart, with 4,568 and
 * with ten times as many vertices. Bounds follow from the nodes, so the time should hardly differ.
 * Ours; the paper says only that bounds do not depend on the number of vertices.
 */
#include "experiments.h"

#include <math.h>

#include "points.h"
#include "gallery/meshless/ring.h"

#define APART 1.0 /* how much farther from the middle of the ring */

/* Moves every body away from the middle of the ring. */
static void move_apart(bench_motion *motion, uint32_t node_count)
{
    for (uint32_t step = 0; step < motion->step_count; step++) {
        for (uint32_t body = 0; body < motion->body_count; body++) {
            double angle = 2.0 * GALLERY_PI * (double)body / (double)motion->body_count;
            float *transforms = motion->frames[step].transforms[body];
            for (size_t j = 0; j < node_count; j++) {
                transforms[12 * j + 3] += (float)(APART * gallery_cos(angle));
                transforms[12 * j + 7] += (float)(APART * gallery_sin(angle));
            }
        }
    }
}

static bool run_vertices(const bench_settings *settings, uint32_t vertices, points_result *result,
                         bench_report *report)
{
    static const double seconds[3] = {0.25, 0.5, 10.0};
    gallery_settings wanted = {.triangles = 2 * (vertices - 2), .seed = settings->seed};
    gallery_scene *scene = NULL;
    bench_motion motion;
    bool done = bench_motion_in_time(settings, ring_kind(RING_FEW_NODES, false), wanted,
                                     seconds[settings->length], &scene, &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    if (done) {
        move_apart(&motion, RING_FEW_NODES);
        points_contest contest = {
            .settings = settings,
            .motion = &motion,
            .title = "points-idle",
            .vertices = vertices,
            .nodes = RING_FEW_NODES,
        };
        done = points_contest_run(&contest, result, report);
        if (done && result->pairs != 0) {
            done = report_fail(report, "bodies that were moved apart touch");
        }
    }
    bench_motion_free(&motion);
    if (scene != NULL) {
        gallery_destroy(scene);
    }
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    uint32_t few = settings->length == BENCH_QUICK ? 1000 : 4568;
    uint32_t many = settings->length == BENCH_QUICK ? 10000 : 45682;
    points_result small = {0}, large = {0};
    if (!run_vertices(settings, few, &small, report) ||
        !run_vertices(settings, many, &large, report)) {
        return false;
    }
    report_ratio(report, "time_10x_vertices", large.ours / small.ours, (double)NAN,
                 "ours with ten times the vertices over ours, nothing touching");
    report_ratio(report, "plain_10x_vertices", large.plain / small.plain, (double)NAN,
                 "the same of scalar binary bottom-up");
    report_ratio(report, "auto_over_best", fmax(small.auto_over_best, large.auto_over_best),
                 (double)NAN, "our automatic choice over our best fixed one, the worse case");
    return true;
}

const bench_experiment experiment_points_idle = {
    .name = "points-idle",
    .description = "six elastic figures that touch nothing, with 4,568 and 45,682 vertices each",
    .run = run,
};
