/*
 * Based on: D. Steinemann, M. A. Otaduy, M. Gross, "Efficient Bounds for Point-Based Animations",
 * 2007, figure 7: 24 fish with 8,000 vertices and 96 nodes each swim and collide.
 */
#include "experiments.h"

#include <math.h>

#include "points.h"

static bool run(const bench_settings *settings, bench_report *report)
{
    static const double seconds[3] = {0.25, 6.0, 6.0};
    static const uint32_t plays[3] = {1, 3, 9};
    bool quick = settings->length == BENCH_QUICK;
    uint32_t vertices = quick ? 2000 : 8000;
    gallery_settings wanted = {
        .triangles = 2 * (vertices - 2), .seed = settings->seed, .bodies = quick ? 8 : 0};
    gallery_scene *scene = NULL;
    bench_motion motion;
    points_result all, first;
    bool done = bench_motion_in_time(settings, &gallery_school, wanted, seconds[settings->length],
                                     &scene, &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    points_contest contest = {
        .settings = settings,
        .motion = &motion,
        .plays = plays[settings->length],
        .title = "points-fish",
        .vertices = vertices,
        .nodes = done ? scene->models[0].joint_count : 0,
    };
    done = done && points_contest_run(&contest, &all, report);
    if (done) {
        report_ratio(report, "steinemann", all.plain / all.paper, 12.0,
                     "the paper's two methods, both scalar: bottom-up's time over Steinemann's");
        report_ratio(report, "ours_plain", all.plain / all.ours_plain, (double)NAN,
                     "scalar binary bottom-up's time over ours in plain C");
        report_ratio(report, "plain", all.plain / all.ours, (double)NAN,
                     "scalar binary bottom-up's time over ours with vectors");
        report_ratio(report, "vs_steinemann", all.paper / all.ours, (double)NAN,
                     "Steinemann's method over ours with vectors");
        report_ratio(report, "simd", all.simd / all.ours, (double)NAN,
                     "all pairs: vectorised bottom-up's time over ours");
        report_ratio(report, "auto_over_best", all.auto_over_best, (double)NAN,
                     "our automatic choice over our best fixed one");
    }
    contest.first_only = true;
    done = done && points_contest_run(&contest, &first, report);
    if (done) {
        report_ratio(report, "first", first.plain / first.ours, (double)NAN,
                     "first contact: scalar binary bottom-up's time over ours");
        report_note(report, "%u fish touch in %.0f pairs of triangles on average",
                    scene->body_count, (double)all.pairs / motion.step_count);
    }
    bench_motion_free(&motion);
    if (scene != NULL) {
        gallery_destroy(scene);
    }
    return done;
}

const bench_experiment experiment_points_fish = {
    .name = "points-fish",
    .description = "24 elastic fish of 8,000 vertices and 96 nodes swim through each other",
    .paper =
        "refit 401.7 and query 16.6 ms with full bottom-up, 5.3 and 26.3 with theirs: 12 times "
        "faster",
    .run = run,
};
