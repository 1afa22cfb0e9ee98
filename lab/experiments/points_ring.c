/*
 * Based on: D. Steinemann, M. A. Otaduy, M. Gross, "Efficient Bounds for Point-Based Animations",
 * 2007, table 2: six bodies hang from a turning ring and collide; 2,857 or 45,682 vertices, 115 or
 * 550 nodes, small or large contact. Every method gets the nodes' transforms and no positions: what
 * it needs of those it has to evaluate in its own time. The paper's quotient is that of its own two
 * methods, both scalar. Beyond the paper: a vectorised rival, all our strategies, and first
 * contact.
 */
#include "experiments.h"

#include <math.h>

#include "points.h"
#include "gallery/meshless/ring.h"

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof(list)[0]))

/* A line of the paper's table. */
typedef struct ring_case {
    uint32_t vertices, nodes;
    const char *key, *key_simd, *key_first;
    const char *key_paper, *key_plain, *key_vs_paper;
    double paper[6]; /* bottom-up: refit, query, total; theirs: the same */
    bool large, quick;
} ring_case;

#define CASE(v, n, is_large, name, quickly, ...)                                                   \
    {                                                                                              \
        .vertices = (v), .nodes = (n), .large = (is_large), .key = name, .key_simd = name "_simd", \
        .key_first = name "_first", .key_paper = name "_steinemann", .key_plain = name "_plain",   \
        .key_vs_paper = name "_vs_steinemann", .paper = {__VA_ARGS__}, .quick = (quickly)          \
    }
static const ring_case cases[] = {
    CASE(2857, 115, false, "small_2857_115", true, 37.1, 2.12, 39.3, 1.83, 5.72, 7.55),
    CASE(2857, 550, false, "small_2857_550", false, 37.1, 2.12, 39.3, 2.36, 5.60, 7.97),
    CASE(45682, 115, false, "small_45682_115", false, 575.7, 5.89, 581.6, 4.54, 16.6, 21.1),
    CASE(45682, 550, false, "small_45682_550", false, 575.7, 5.89, 581.6, 5.77, 18.7, 24.5),
    CASE(2857, 115, true, "large_2857_115", false, 37.9, 2.48, 40.4, 3.38, 10.0, 13.4),
    CASE(2857, 550, true, "large_2857_550", false, 37.9, 2.48, 40.4, 3.26, 9.28, 12.5),
    CASE(45682, 115, true, "large_45682_115", false, 569.7, 8.84, 578.6, 6.87, 24.5, 31.4),
    CASE(45682, 550, true, "large_45682_550", false, 569.7, 8.84, 578.6, 8.23, 29.3, 37.5),
};

static bool run_contests(const bench_settings *settings, const ring_case *line,
                         bench_motion *motion, double *worst, bench_report *report)
{
    static const uint32_t plays[3] = {1, 1, 3};
    points_contest wanted = {
        .settings = settings,
        .motion = motion,
        .plays = plays[settings->length] * (line->vertices < 10000 ? 3 : 1),
        .title = line->key,
        .vertices = line->vertices,
        .nodes = line->nodes,
        .large = line->large,
    };
    points_result all, first;
    if (!points_contest_run(&wanted, &all, report)) {
        return false;
    }
    report_ratio(report, line->key_paper, all.plain / all.paper, line->paper[2] / line->paper[5],
                 "the paper's two methods, both scalar: bottom-up's time over Steinemann's");
    report_ratio(report, line->key_plain, all.plain / all.ours_plain, (double)NAN,
                 "scalar binary bottom-up's time over ours in plain C");
    report_ratio(report, line->key, all.plain / all.ours, (double)NAN,
                 "scalar binary bottom-up's time over ours with vectors");
    report_ratio(report, line->key_vs_paper, all.paper / all.ours, (double)NAN,
                 "Steinemann's method over ours with vectors");
    report_ratio(report, line->key_simd, all.simd / all.ours, (double)NAN,
                 "all pairs: vectorised bottom-up's time over ours");
    *worst = fmax(*worst, all.auto_over_best);
    wanted.first_only = true;
    if (!points_contest_run(&wanted, &first, report)) {
        return false;
    }
    report_ratio(report, line->key_first, first.plain / first.ours, (double)NAN,
                 "first contact: scalar binary bottom-up's time over ours");
    return true;
}

static bool run_case(const bench_settings *settings, const ring_case *line, double *worst,
                     bench_report *report)
{
    static const double seconds[3] = {0.25, 10.0, 10.0};
    gallery_settings wanted = {.triangles = 2 * (line->vertices - 2), .seed = settings->seed};
    gallery_scene *scene = NULL;
    bench_motion motion;
    bool done = bench_motion_in_time(settings, ring_kind(line->nodes, line->large), wanted,
                                     seconds[settings->length], &scene, &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    done = done && run_contests(settings, line, &motion, worst, report);
    bench_motion_free(&motion);
    if (scene != NULL) {
        gallery_destroy(scene);
    }
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    bool done = true;
    double worst = 0.0;
    for (uint32_t i = 0; done && i < COUNT(cases); i++) {
        if (settings->length != BENCH_QUICK || cases[i].quick) {
            done = run_case(settings, &cases[i], &worst, report);
            bench_progress(settings, "points-ring", i + 1, COUNT(cases) + 1);
        }
    }
    if (done) {
        report_ratio(report, "auto_over_best", worst, (double)NAN,
                     "our automatic choice over our best fixed one, the worst case");
        report_note(report, "times are means per step of all six bodies; everybody starts from the "
                            "nodes' transforms");
    }
    if (done && settings->length == BENCH_QUICK) {
        report_note(report, "a quick run has the smallest bodies only");
    }
    return done;
}

const bench_experiment experiment_points_ring = {
    .name = "points-ring",
    .description = "six elastic figures hang from a turning ring and brush against each other",
    .paper = "5.2, 4.9, 27.5, 23.7 times faster than full bottom-up with small contact; 3.0, 3.2, "
             "18.4, 15.4 with large",
    .run = run,
};
