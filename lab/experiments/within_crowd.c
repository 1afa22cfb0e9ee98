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
#include "gallery/gallery.h"
#include "pliant/pliant.h"

#define DISTANCE 0.1f /* a twentieth of a body */

enum { RUNS = 7 };

typedef struct crowd {
    gallery_scene *scene;
    uint32_t count, step;
    float **positions;
    pliant_context *context;
    pliant_scene *bodies_scene;
    pliant_shape **shapes;
    pliant_body **bodies;
} crowd;

static bool add_body(crowd *c, uint32_t i)
{
    const gallery_mesh *mesh = &c->scene->bodies[i];
    pliant_shape_def def = pliant_shape_def_default();
    pliant_body_id id;
    def.positions = mesh->positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    c->positions[i] = malloc((size_t)3 * mesh->vertex_count * sizeof(float));
    if (c->positions[i] == NULL) {
        return false;
    }
    gallery_evaluate(c->scene, i, c->step, c->positions[i]);
    return pliant_shape_create(c->context, &def, &c->shapes[i]) == PLIANT_OK &&
           pliant_body_create(c->shapes[i], NULL, &c->bodies[i]) == PLIANT_OK &&
           pliant_scene_add(c->bodies_scene, c->bodies[i], NULL, &id) == PLIANT_OK;
}

static bool crowd_create(const bench_settings *settings, uint32_t workers, crowd *c)
{
    static const uint32_t bodies[3] = {40, 200, 200};
    gallery_settings wanted = {.bodies = bodies[settings->length],
                               .triangles = 1280,
                               .steps = 200,
                               .seed = settings->seed};
    pliant_context_def def = pliant_context_def_default();
    def.isa = settings->isa;
    def.workers = workers;
    *c = (crowd){.scene = gallery_create(&gallery_crowd_spheres, &wanted), .step = 100};
    if (c->scene == NULL) {
        return false;
    }
    c->count = c->scene->body_count;
    c->positions = calloc(c->count, sizeof *c->positions);
    c->shapes = calloc(c->count, sizeof(pliant_shape *));
    c->bodies = calloc(c->count, sizeof(pliant_body *));
    bool done = c->positions != NULL && c->shapes != NULL && c->bodies != NULL &&
                pliant_context_create(&def, &c->context) == PLIANT_OK &&
                pliant_scene_create(c->context, NULL, &c->bodies_scene) == PLIANT_OK;
    for (uint32_t i = 0; done && i < c->count; i++) {
        done = add_body(c, i);
    }
    return done;
}

static void crowd_free(crowd *c)
{
    pliant_scene_destroy(c->bodies_scene);
    for (uint32_t i = 0; i < c->count; i++) {
        pliant_body_destroy(c->bodies != NULL ? c->bodies[i] : NULL);
        pliant_shape_destroy(c->shapes != NULL ? c->shapes[i] : NULL);
        free(c->positions != NULL ? c->positions[i] : NULL);
    }
    free((void *)c->positions);
    free((void *)c->shapes);
    free((void *)c->bodies);
    pliant_context_destroy(c->context);
    gallery_destroy(c->scene);
}

/* Seconds of one question in a fresh state, by `clock`; negative on failure. */
static double ask(crowd *c, bool collide, double (*clock)(void), pliant_scene_proximities *near)
{
    pliant_scene_contacts contacts;
    for (uint32_t i = 0; i < c->count; i++) {
        if (pliant_body_share_positions(c->bodies[i], c->positions[i], 0) != PLIANT_OK) {
            return -1.0;
        }
    }
    double start = clock();
    pliant_result result = collide
                               ? pliant_scene_collide(c->bodies_scene, NULL, &contacts)
                               : pliant_scene_find_within(c->bodies_scene, DISTANCE, NULL, near);
    return result == PLIANT_OK ? clock() - start : -1.0;
}

static bool time_questions(crowd *c, double (*clock)(void), double *collide, double *within,
                           pliant_scene_proximities *near)
{
    double runs[2][RUNS];
    for (int run = 0; run < RUNS; run++) {
        runs[0][run] = ask(c, true, clock, near);
        runs[1][run] = ask(c, false, clock, near);
        if (runs[0][run] < 0.0 || runs[1][run] < 0.0) {
            return false;
        }
    }
    *collide = bench_median(runs[0], RUNS);
    *within = bench_median(runs[1], RUNS);
    return true;
}

static pliant_triangle corners(const crowd *c, uint32_t body, uint32_t triangle)
{
    pliant_triangle t;
    for (size_t k = 0; k < 3; k++) {
        uint32_t vertex = c->scene->bodies[body].triangles[3 * (size_t)triangle + k];
        memcpy(t.corner[k], c->positions[body] + 3 * (size_t)vertex, sizeof t.corner[k]);
    }
    return t;
}

/* Measures the reported pairs in the plain way; those that are apart must agree. */
static bool time_reference(const crowd *c, const pliant_scene_proximities *near, double *seconds)
{
    bool agree = true;
    double runs[RUNS];
    for (int run = 0; run < RUNS; run++) {
        double start = bench_seconds();
        for (uint32_t p = 0; p < near->body_pair_count; p++) {
            const pliant_scene_pair *bodies = &near->bodies[p];
            for (uint64_t i = bodies->first; i < bodies->first + bodies->count; i++) {
                const pliant_proximity *pair = &near->pairs[i];
                pliant_triangle a = corners(c, bodies->a.index, pair->a),
                                b = corners(c, bodies->b.index, pair->b);
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
    crowd c;
    double collide = 0.0, within = 0.0;
    pliant_scene_proximities near;
    uint32_t workers = bench_threads(settings) > 2 ? bench_threads(settings) : 2;
    bool done = crowd_create(settings, workers, &c) &&
                time_questions(&c, bench_wall_seconds, &collide, &within, &near);
    if (done && near.count != count) {
        done = report_fail(report, "%llu pairs with %u workers, %llu with one",
                           (unsigned long long)near.count, workers, (unsigned long long)count);
    }
    if (done) {
        report_cell(report_row(report, "within, %u workers", workers), "ms", 1e3 * within, 2);
        report_ratio(report, "workers", one / within, (double)NAN,
                     "one worker over several, by the clock on the wall");
    }
    crowd_free(&c);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    crowd c;
    double collide = 0.0, within = 0.0, wall_collide = 0.0, wall = 0.0, plain = 0.0;
    pliant_scene_proximities near = {0};
    bool done = crowd_create(settings, 1, &c) &&
                time_questions(&c, bench_wall_seconds, &wall_collide, &wall, &near) &&
                time_questions(&c, bench_seconds, &collide, &within, &near);
    if (!done) {
        report_fail(report, "the crowd could not be asked: %s", pliant_last_error());
    } else if (!time_reference(&c, &near, &plain)) {
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
        report_note(report, "%u bodies of 1,280 triangles, %llu pairs within %g", c.count,
                    (unsigned long long)near.count, (double)DISTANCE);
    }
    uint64_t count = near.count;
    crowd_free(&c);
    return done && time_workers(settings, wall, count, report);
}

const bench_experiment experiment_within_crowd = {
    .name = "within-crowd",
    .description = "triangles of 200 bodies within a distance of each other, one worker and more",
    .paper = NULL,
    .own_turns = true,
    .run = run,
};
