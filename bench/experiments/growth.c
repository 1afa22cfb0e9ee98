/* How our cost grows with triangles, bodies and contacts: curves, and the exponents fitted. */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>

#include "bench/contest.h"

static const uint32_t sizes[] = {1280, 5120, 20480, 81920, 327680};
static const uint32_t rings[] = {8, 24, 72, 216, 648};
#define SIZES   ((uint32_t)(sizeof sizes / sizeof sizes[0]))
#define RINGS   ((uint32_t)(sizeof rings / sizeof rings[0]))

#define SPACING 1.9 /* of spheres of radius 1 or so in a ring */

enum { RING_TRIANGLES = 1280, CONTACT_TRIANGLES = 81920, MAX_STEPS = 200 };

/* Two spheres go through their motion; the caller reads the contest and frees it. */
static bool run_spheres(const bench_settings *settings, uint32_t triangles, uint32_t stride,
                        double seconds, bench_contest *contest, bench_report *report)
{
    static const bench_method *const methods[] = {&bench_ours_auto};
    scene_settings wanted = {.triangles = triangles, .seed = settings->seed};
    scene_instance *scene = scene_create(&scene_spheres, &wanted);
    bench_motion motion = {0};
    bool done = scene != NULL && bench_motion_of_scene(scene, stride, &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    *contest = (bench_contest){
        .settings = settings,
        .motion = &motion,
        .methods = methods,
        .method_count = 1,
        .seconds = seconds,
        .repetitions = settings->length == BENCH_QUICK ? 3 : 9,
        .least_repetitions = settings->length == BENCH_QUICK ? 1 : 3,
        .title = "growth",
    };
    done = done && contest_run(contest, report);
    contest->motion = NULL; /* it ends here; its number of steps is known to the caller */
    bench_motion_free(&motion);
    scene_destroy(scene);
    return done;
}

static uint32_t steps_of(uint32_t stride)
{
    return scene_spheres.steps / stride;
}

static bool over_triangles(const bench_settings *settings, bench_report *report)
{
    static const uint32_t strides[3] = {50, 10, 2};
    static const double seconds[3] = {0.1, 4.0, 60.0};
    uint32_t count = settings->length == BENCH_QUICK ? 3 : SIZES;
    uint32_t steps = steps_of(strides[settings->length]);
    double triangles[SIZES], times[SIZES];
    for (uint32_t i = 0; i < count; i++) {
        bench_contest contest;
        double total = 0.0, pairs = 0.0;
        bool done = run_spheres(settings, sizes[i], strides[settings->length],
                                seconds[settings->length], &contest, report);
        for (uint32_t at = 0; done && at < steps; at++) {
            total += contest.total_ms[0][at] / steps;
            pairs += (double)contest.pairs[at] / steps;
        }
        contest_free(&contest);
        if (!done) {
            return false;
        }
        triangles[i] = sizes[i];
        times[i] = total;
        bench_row *row = report_row(report, "two spheres of %u triangles", sizes[i]);
        report_cell(row, "triangles", 2.0 * sizes[i], 0);
        report_cell(row, "bodies", 2, 0);
        report_cell(row, "pairs", pairs, 0);
        report_cell(row, "total_ms", total, 4);
        report_cell(row, "ns_per_triangle", 1e6 * total / (2.0 * sizes[i]), 2);
    }
    report_ratio(report, "growth_triangles", bench_fit_exponent(triangles, times, count),
                 (double)NAN, "exponent of time per step over triangles");
    return true;
}

/* What contact adds to steps of the same two bodies, over the number of pairs. */
static bool over_contacts(const bench_settings *settings, bench_report *report)
{
    static const uint32_t strides[3] = {20, 2, 1};
    static const double seconds[3] = {0.3, 10.0, 60.0};
    double pairs[MAX_STEPS], times[MAX_STEPS], apart = (double)INFINITY;
    uint32_t steps = steps_of(strides[settings->length]), count = 0;
    bench_contest contest;
    bool done = run_spheres(settings, CONTACT_TRIANGLES, strides[settings->length],
                            seconds[settings->length], &contest, report);
    for (uint32_t at = 0; done && at < steps; at++) {
        apart = fmin(apart, contest.total_ms[0][at]);
    }
    for (uint32_t at = 0; done && at < steps; at++) {
        double added = contest.total_ms[0][at] - apart;
        if (contest.pairs[at] >= 100 && added > 0.0) {
            pairs[count] = (double)contest.pairs[at];
            times[count++] = added;
        }
    }
    contest_free(&contest);
    for (uint32_t i = 0; i<count; i += count> 6 ? count / 6 : 1) {
        bench_row *row = report_row(report, "%.0f contacts", pairs[i]);
        report_cell(row, "triangles", 2.0 * CONTACT_TRIANGLES, 0);
        report_cell(row, "bodies", 2, 0);
        report_cell(row, "pairs", pairs[i], 0);
        report_cell(row, "total_ms", times[i] + apart, 4);
        report_cell(row, "ns_per_pair", 1e6 * times[i] / pairs[i], 1);
    }
    if (count > 1) {
        report_ratio(report, "growth_contacts", bench_fit_exponent(pairs, times, count),
                     (double)NAN, "exponent of the time that contact adds, over pairs");
    }
    return done;
}

/* Any number of spheres in a closed ring, each touching the two beside it, so that contacts per
   body are the same in every ring. */
typedef struct ring_run {
    scene_instance *source; /* two spheres, which take turns */
    uint32_t count;
    pliant_context *context;
    pliant_shape *shapes[2];
    pliant_body **bodies;
    float **positions;
    pliant_scene *scene;
} ring_run;

static void ring_free(ring_run *run)
{
    pliant_scene_destroy(run->scene);
    for (uint32_t i = 0; i < run->count; i++) {
        if (run->bodies != NULL && run->positions != NULL) {
            pliant_body_destroy(run->bodies[i]);
            free(run->positions[i]);
        }
    }
    pliant_shape_destroy(run->shapes[0]);
    pliant_shape_destroy(run->shapes[1]);
    free(run->bodies);
    free(run->positions);
    pliant_context_destroy(run->context);
    scene_destroy(run->source);
}

static bool ring_add_shape(ring_run *run, uint32_t i)
{
    const scene_mesh *mesh = &run->source->bodies[i];
    pliant_shape_def def = pliant_shape_default();
    def.positions = mesh->positions;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    return pliant_shape_create(run->context, &def, &run->shapes[i]) == PLIANT_OK;
}

static bool ring_add_body(ring_run *run, uint32_t i)
{
    pliant_body_id id;
    size_t size = (size_t)run->source->bodies[i % 2].vertex_count * 3 * sizeof(float);
    run->positions[i] = malloc(size);
    return run->positions[i] != NULL &&
           pliant_body_create(run->shapes[i % 2], NULL, &run->bodies[i]) == PLIANT_OK &&
           pliant_scene_add(run->scene, run->bodies[i], NULL, &id) == PLIANT_OK;
}

static bool ring_create(const bench_settings *settings, uint32_t count, ring_run *run)
{
    scene_settings wanted = {.triangles = RING_TRIANGLES, .seed = settings->seed};
    pliant_context_def def = pliant_context_default();
    def.isa = settings->isa;
    def.workers = 1;
    *run = (ring_run){.source = scene_create(&scene_spheres, &wanted),
                      .count = count,
                      .bodies = calloc(count, sizeof(pliant_body *)),
                      .positions = calloc(count, sizeof *run->positions)};
    bool done = run->source != NULL && run->bodies != NULL && run->positions != NULL &&
                pliant_context_create(&def, &run->context) == PLIANT_OK &&
                pliant_scene_create(run->context, NULL, &run->scene) == PLIANT_OK &&
                ring_add_shape(run, 0) && ring_add_shape(run, 1);
    for (uint32_t i = 0; done && i < count; i++) {
        done = ring_add_body(run, i);
    }
    return done;
}

static void ring_evaluate(ring_run *run, uint32_t step)
{
    double radius = SPACING * run->count / (2.0 * SCENE_PI);
    for (uint32_t i = 0; i < run->count; i++) {
        double angle = 2.0 * SCENE_PI * i / run->count;
        float x = (float)(radius * scene_cos(angle)), y = (float)(radius * scene_sin(angle));
        float *positions = run->positions[i];
        scene_evaluate_local(run->source, i % 2, step, positions);
        for (uint32_t v = 0; v < run->source->bodies[i % 2].vertex_count; v++) {
            positions[3 * v] += x;
            positions[3 * v + 1] += y;
        }
    }
}

static bool ring_step(ring_run *run, uint32_t step, double *seconds, double *pairs)
{
    pliant_scene_contacts contacts;
    ring_evaluate(run, step);
    double start = bench_cpu_seconds();
    bool done = true;
    for (uint32_t i = 0; done && i < run->count; i++) {
        done = pliant_body_share_positions(run->bodies[i], run->positions[i], 0) == PLIANT_OK;
    }
    done = done && pliant_scene_collide(run->scene, NULL, &contacts) == PLIANT_OK;
    *seconds = bench_cpu_seconds() - start;
    *pairs += done ? (double)contacts.count : 0.0;
    return done;
}

static bool over_bodies(const bench_settings *settings, bench_report *report)
{
    static const uint32_t strides[3] = {50, 5, 1};
    uint32_t count = settings->length == BENCH_QUICK ? 3 : RINGS;
    double bodies[RINGS], times[RINGS], seconds[MAX_STEPS];
    for (uint32_t k = 0; k < count; k++) {
        ring_run run;
        uint32_t stride = strides[settings->length], steps = scene_spheres.steps / stride;
        double pairs = 0.0, total = 0.0;
        bool done = ring_create(settings, rings[k], &run);
        for (uint32_t at = 0; done && at < steps; at++) {
            bench_progress(settings, "growth", at, steps);
            done = ring_step(&run, (at + 1) * stride, &seconds[at], &pairs);
            total += seconds[at];
        }
        ring_free(&run);
        if (!done) {
            return report_fail(report, "a ring of %u failed: %s", rings[k], pliant_last_error());
        }
        bodies[k] = rings[k];
        times[k] = 1e3 * total / steps;
        bench_row *row = report_row(report, "a ring of %u", rings[k]);
        report_cell(row, "triangles", (double)RING_TRIANGLES * rings[k], 0);
        report_cell(row, "bodies", rings[k], 0);
        report_cell(row, "pairs", pairs / steps, 0);
        report_cell(row, "total_ms", times[k], 4);
        report_cell(row, "ns_per_triangle", 1e6 * times[k] / (RING_TRIANGLES * bodies[k]), 2);
    }
    report_ratio(report, "growth_bodies", bench_fit_exponent(bodies, times, count), (double)NAN,
                 "exponent of time per step over bodies");
    return true;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    bool done = over_triangles(settings, report) && over_bodies(settings, report) &&
                over_contacts(settings, report);
    if (done) {
        report_note(report, "time grows as the power given of what is counted: 1 is linear; other "
                            "experiments vary nodes and modes");
    }
    return done;
}

const bench_experiment experiment_growth = {
    .name = "growth",
    .description = "how our time grows with triangles, with bodies and with contacts",
    .run = run,
};
