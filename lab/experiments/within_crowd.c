/*
 * Triangles of a crowd of 200 bodies that are within a distance of each other, beside colliding.
 * The reference is the way without kernels: it has to measure at least the pairs that are reported,
 * each by plain_distance(), so its time is underrated. Several workers are timed by the wall clock.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/baselines/plain_distance.h"
#include "lab/motions/crowd.h"
#include "gallery/gallery.h"
#include "pliant/pliant.h"

#define DISTANCE 0.1f /* a twentieth of a body */

enum { RUNS = 7, STEP = 100 };

/* A scene of the gallery, in a step, as a crowd. */
typedef struct within_run {
    gallery_scene *scene;
    crowd spheres;
    crowd_scene own;
} within_run;

static bool run_create(const bench_settings *settings, uint32_t workers, within_run *r)
{
    static const uint32_t bodies[3] = {40, 200, 200};
    gallery_settings wanted = {.bodies = bodies[settings->length],
                               .triangles = 1280,
                               .steps = 200,
                               .seed = settings->seed};
    *r = (within_run){.scene = gallery_create(&gallery_crowd_spheres, &wanted)};
    return r->scene != NULL && crowd_of_scene(r->scene, STEP, &r->spheres) &&
           crowd_scene_create(&r->spheres, NULL, workers, settings, &r->own);
}

static void run_free(within_run *r)
{
    crowd_scene_free(&r->own);
    crowd_free(&r->spheres);
    gallery_destroy(r->scene);
}

/* Seconds of one question in a fresh state, by `clock`; negative on failure. */
static double ask(within_run *r, bool collide, double (*clock)(void),
                  pliant_scene_proximities *near)
{
    pliant_scene_contacts contacts;
    for (uint32_t i = 0; i < r->own.body_count; i++) {
        if (pliant_body_share_positions(r->own.bodies[i], crowd_positions(&r->spheres, 0, i), 0) !=
            PLIANT_OK) {
            return -1.0;
        }
    }
    double start = clock();
    pliant_result result = collide ? pliant_scene_collide(r->own.scene, NULL, &contacts)
                                   : pliant_scene_find_within(r->own.scene, DISTANCE, NULL, near);
    return result == PLIANT_OK ? clock() - start : -1.0;
}

static bool time_questions(within_run *r, double (*clock)(void), double *collide, double *within,
                           pliant_scene_proximities *near)
{
    double runs[2][RUNS];
    for (int run = 0; run < RUNS; run++) {
        runs[0][run] = ask(r, true, clock, near);
        runs[1][run] = ask(r, false, clock, near);
        if (runs[0][run] < 0.0 || runs[1][run] < 0.0) {
            return false;
        }
    }
    *collide = bench_median(runs[0], RUNS);
    *within = bench_median(runs[1], RUNS);
    return true;
}

static pliant_triangle corners(const within_run *r, uint32_t body, uint32_t triangle)
{
    pliant_triangle t;
    for (size_t k = 0; k < 3; k++) {
        uint32_t vertex = r->scene->bodies[body].triangles[3 * (size_t)triangle + k];
        memcpy(t.corner[k], crowd_positions(&r->spheres, 0, body) + 3 * (size_t)vertex,
               sizeof t.corner[k]);
    }
    return t;
}

/* Measures the reported pairs in the plain way; those that are apart must agree. */
static bool time_reference(const within_run *r, const pliant_scene_proximities *near,
                           double *seconds)
{
    bool agree = true;
    double runs[RUNS];
    for (int run = 0; run < RUNS; run++) {
        double start = bench_seconds();
        for (uint32_t p = 0; p < near->body_pair_count; p++) {
            const pliant_scene_pair *bodies = &near->bodies[p];
            for (uint64_t i = bodies->first; i < bodies->first + bodies->count; i++) {
                const pliant_proximity *pair = &near->pairs[i];
                pliant_triangle a = corners(r, bodies->a.index, pair->a),
                                b = corners(r, bodies->b.index, pair->b);
                double distance = plain_distance(&a, &b);
                agree = agree &&
                        (pair->gap.distance == 0.0 || fabs(distance - pair->gap.distance) < 1e-9);
            }
        }
        runs[run] = bench_seconds() - start;
    }
    *seconds = bench_median(runs, RUNS);
    return agree;
}

/* The same with several workers; its answer must be as long. */
static bool time_workers(const bench_settings *settings, double one, uint64_t count,
                         bench_report *report)
{
    within_run r;
    double collide = 0.0, within = 0.0;
    pliant_scene_proximities near;
    uint32_t workers = bench_threads(settings) > 2 ? bench_threads(settings) : 2;
    bool done = run_create(settings, workers, &r) &&
                time_questions(&r, bench_wall_seconds, &collide, &within, &near);
    if (done && near.count != count) {
        done = report_fail(report, "%llu pairs with %u workers, %llu with one",
                           (unsigned long long)near.count, workers, (unsigned long long)count);
    }
    if (done) {
        report_cell(report_row(report, "within, %u workers", workers), "ms", 1e3 * within, 2);
        report_ratio(report, "workers", one / within, (double)NAN,
                     "one worker over several, by the clock on the wall");
    }
    run_free(&r);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    within_run r;
    double collide = 0.0, within = 0.0, wall_collide = 0.0, wall = 0.0, plain = 0.0;
    pliant_scene_proximities near = {0};
    bool done = run_create(settings, 1, &r) &&
                time_questions(&r, bench_wall_seconds, &wall_collide, &wall, &near) &&
                time_questions(&r, bench_seconds, &collide, &within, &near);
    if (!done) {
        report_fail(report, "the crowd could not be asked: %s", pliant_last_error());
    } else if (!time_reference(&r, &near, &plain)) {
        done = report_fail(report, "distances differ from those of the plain way");
    }
    if (done) {
        report_cell(report_row(report, "collide"), "ms", 1e3 * collide, 2);
        report_cell(report_row(report, "within, 1 worker"), "ms", 1e3 * within, 2);
        report_cell(report_row(report, "plain distances alone"), "ms", 1e3 * plain, 2);
        report_contest(report,
                       &(bench_terms){"crowd",
                                      (const char *const[]){"collide", "within", "plain distances"},
                                      3, RUNS, 1, 0.0});
        report_ratio(report, "vs_plain", plain / within, (double)NAN,
                     "plain distances of the reported pairs alone, over our whole question");
        report_ratio(report, "over_collide", within / collide, (double)NAN, "within over collide");
        report_note(report, "%u bodies of 1,280 triangles, %llu pairs within %g", r.own.body_count,
                    (unsigned long long)near.count, (double)DISTANCE);
    }
    uint64_t count = near.count;
    run_free(&r);
    return done && time_workers(settings, wall, count, report);
}

const bench_experiment experiment_within_crowd = {
    .name = "within-crowd",
    .description = "triangles of 200 bodies within a distance of each other, one worker and more",
    .paper = NULL,
    .own_turns = true,
    .run = run,
};
