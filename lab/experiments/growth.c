/* How our cost grows with triangles, nodes, modes, bodies and contacts: curves, and the exponents
   fitted. */
#include "experiments.h"
#include "growth.h"

#include <math.h>
#include <stdlib.h>

#include "lab/harness/ours.h"

static const uint32_t sizes[] = {1280, 5120, 20480, 81920, 327680};
static const uint32_t rings[] = {8, 24, 72, 216, 648};
#define SIZES   ((uint32_t)(sizeof sizes / sizeof sizes[0]))
#define RINGS   ((uint32_t)(sizeof rings / sizeof rings[0]))

#define SPACING 1.9 /* of spheres of radius 1 or so in a ring */

enum { RING_TRIANGLES = 1280, CONTACT_TRIANGLES = 81920, MAX_STEPS = 200, RING_PLAYS = 5 };

/* What was counted in one step, whatever the machine. */
typedef struct growth_work {
    double nodes;    /* pairs of nodes or clusters compared */
    double clusters; /* refreshed */
    double tests;    /* pairs of triangles tested */
    double vertices; /* read */
} growth_work;

static growth_work work_of(const pliant_stats *stats)
{
    return (growth_work){.nodes = (double)stats->nodes_tested,
                         .clusters = (double)stats->clusters_refreshed,
                         .tests = (double)stats->triangle_tests,
                         .vertices = (double)stats->vertices_read};
}

static void add_work(growth_work *sum, growth_work more, double share)
{
    sum->nodes += share * more.nodes;
    sum->clusters += share * more.clusters;
    sum->tests += share * more.tests;
    sum->vertices += share * more.vertices;
}

static void report_work(bench_row *row, growth_work work)
{
    report_cell(row, "nodes", work.nodes, 0);
    report_cell(row, "clusters", work.clusters, 0);
    report_cell(row, "tests", work.tests, 0);
    report_cell(row, "vertices", work.vertices, 0);
}

/* Goes through a motion of two bodies once more, untimed, and counts. */
static bool count_work(const bench_settings *settings, bench_motion *motion, growth_work *work)
{
    pliant_context *context = NULL;
    pliant_shape *shapes[2] = {NULL, NULL};
    pliant_body *bodies[2] = {NULL, NULL};
    pliant_query *query = NULL;
    bool done = ours_create_context(&bench_ours_auto, settings, &context) &&
                pliant_query_create(context, &query) == PLIANT_OK;
    for (uint32_t i = 0; i < 2 && done; i++) {
        done = ours_create_shape(context, &bench_ours_auto, &motion->meshes[i], &shapes[i]) &&
               pliant_body_create(shapes[i], NULL, &bodies[i]) == PLIANT_OK;
    }
    for (uint32_t at = 0; at < motion->step_count && done; at++) {
        const bench_frame *live = bench_motion_show(motion, at);
        pliant_contacts contacts;
        done = ours_set_state(bodies[0], motion, live, 0) &&
               ours_set_state(bodies[1], motion, live, 1) &&
               pliant_collide(query, bodies[0], bodies[1], NULL, &contacts) == PLIANT_OK;
        work[at] = done ? work_of(pliant_query_get_stats(query)) : work[at];
    }
    pliant_query_destroy(query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(bodies[i]);
        pliant_shape_destroy(shapes[i]);
    }
    pliant_context_destroy(context);
    return done;
}

/* Two spheres go through their motion; the caller reads the contest and frees it. `work` has room
   for MAX_STEPS. */
static bool run_spheres(const bench_settings *settings, uint32_t triangles, uint32_t stride,
                        const char *title, bench_contest *contest, growth_work *work,
                        bench_report *report)
{
    static const bench_method *const methods[] = {&bench_ours_auto};
    gallery_settings wanted = {.triangles = triangles, .seed = settings->seed};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    bench_motion motion = {0};
    bool done = scene != NULL && bench_motion_of_scene(scene, stride, &motion);
    if (!done) {
        report_fail(report, "not enough memory");
    } else if (motion.step_count > MAX_STEPS) {
        done = report_fail(report, "more than %d steps", MAX_STEPS);
    }
    *contest = (bench_contest){
        .settings = settings,
        .motion = &motion,
        .methods = methods,
        .method_count = 1,
        .title = title,
    };
    done = done && contest_run(contest, report);
    if (done && !count_work(settings, &motion, work)) {
        done = report_fail(report, "counting failed: %s", pliant_last_error());
    }
    contest->motion = NULL; /* it ends here; its number of steps is known to the caller */
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done;
}

static uint32_t steps_of(uint32_t stride)
{
    return gallery_spheres.steps / stride;
}

static bool over_triangles(const bench_settings *settings, bench_report *report)
{
    static const uint32_t strides[3] = {50, 10, 2};
    uint32_t count = settings->length == BENCH_QUICK ? 3 : SIZES;
    uint32_t steps = steps_of(strides[settings->length]);
    double triangles[SIZES], times[SIZES];
    growth_work work[MAX_STEPS] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        bench_contest contest;
        double total = 0.0, pairs = 0.0;
        growth_work sum = {0};
        bool done = run_spheres(settings, sizes[i], strides[settings->length], "triangles",
                                &contest, work, report);
        for (uint32_t at = 0; done && at < steps; at++) {
            total += contest.total_ms[0][at] / steps;
            pairs += (double)contest.pairs[at] / steps;
            add_work(&sum, work[at], 1.0 / steps);
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
        report_work(row, sum);
    }
    report_ratio(report, "growth_triangles", bench_fit_exponent(triangles, times, count),
                 (double)NAN, "exponent of time per step over triangles");
    return true;
}

/* What contact adds to steps of the same two bodies, over the number of pairs. */
static bool over_contacts(const bench_settings *settings, bench_report *report)
{
    static const uint32_t strides[3] = {20, 2, 1};
    double pairs[MAX_STEPS], times[MAX_STEPS], tests[MAX_STEPS], clusters[MAX_STEPS];
    double apart = (double)INFINITY;
    growth_work work[MAX_STEPS] = {{0}};
    uint32_t steps = steps_of(strides[settings->length]), count = 0;
    bench_contest contest;
    bool done = run_spheres(settings, CONTACT_TRIANGLES, strides[settings->length], "contacts",
                            &contest, work, report);
    for (uint32_t at = 0; done && at < steps; at++) {
        apart = fmin(apart, contest.total_ms[0][at]);
    }
    for (uint32_t at = 0; done && at < steps; at++) {
        /* At least a nanosecond, so that noise does not choose the steps that count. */
        double added = fmax(contest.total_ms[0][at] - apart, 1e-6);
        if (contest.pairs[at] >= 100) {
            pairs[count] = (double)contest.pairs[at];
            tests[count] = work[at].tests;
            clusters[count] = work[at].clusters;
            work[count] = work[at];
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
        report_work(row, work[i]);
    }
    if (count > 1) {
        report_ratio(report, "growth_contacts", bench_fit_exponent(pairs, times, count),
                     (double)NAN, "exponent of the time that contact adds, over pairs");
        report_ratio(report, "growth_contacts_tests", bench_fit_exponent(pairs, tests, count),
                     (double)NAN, "of the pairs of triangles tested");
        report_ratio(report, "growth_contacts_clusters", bench_fit_exponent(pairs, clusters, count),
                     (double)NAN, "of the clusters refreshed");
        report_ratio(report, "growth_contacts_work", bench_fit_exponent(tests, times, count),
                     (double)NAN, "of the time that contact adds, over triangles tested");
    }
    return done;
}

/* Any number of spheres in a closed ring, each touching the two beside it, so that contacts per
   body are the same in every ring. */
typedef struct ring_run {
    gallery_scene *source; /* two spheres, which take turns */
    uint32_t count;
    pliant_context *context;
    pliant_shape *shapes[2];
    pliant_body **bodies;
    float **positions;
    pliant_scene *scene;
} ring_run;

/* Means per step. */
typedef struct ring_result {
    double ms, pairs, bytes;
    growth_work work;
} ring_result;

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
    gallery_destroy(run->source);
}

static bool ring_add_shape(ring_run *run, uint32_t i)
{
    const gallery_mesh *mesh = &run->source->bodies[i];
    pliant_shape_def def = pliant_shape_def_default();
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
    gallery_settings wanted = {.triangles = RING_TRIANGLES, .seed = settings->seed};
    *run = (ring_run){.source = gallery_create(&gallery_spheres, &wanted),
                      .count = count,
                      .bodies = calloc(count, sizeof(pliant_body *)),
                      .positions = calloc(count, sizeof *run->positions)};
    bool done = run->source != NULL && run->bodies != NULL && run->positions != NULL &&
                ours_create_context(&bench_scene_auto, settings, &run->context) &&
                pliant_scene_create(run->context, NULL, &run->scene) == PLIANT_OK &&
                ring_add_shape(run, 0) && ring_add_shape(run, 1);
    for (uint32_t i = 0; done && i < count; i++) {
        done = ring_add_body(run, i);
    }
    return done;
}

static void ring_evaluate(ring_run *run, uint32_t step)
{
    double radius = SPACING * run->count / (2.0 * GALLERY_PI);
    for (uint32_t i = 0; i < run->count; i++) {
        double angle = 2.0 * GALLERY_PI * i / run->count;
        float x = (float)(radius * gallery_cos(angle)), y = (float)(radius * gallery_sin(angle));
        float *positions = run->positions[i];
        gallery_evaluate_local(run->source, i % 2, step, positions);
        for (uint32_t v = 0; v < run->source->bodies[i % 2].vertex_count; v++) {
            positions[3 * v] += x;
            positions[3 * v + 1] += y;
        }
    }
}

static bool ring_step(ring_run *run, uint32_t step, double *seconds, double *pairs,
                      growth_work *work)
{
    pliant_scene_contacts contacts;
    ring_evaluate(run, step);
    double start = bench_seconds();
    bool done = true;
    for (uint32_t i = 0; done && i < run->count; i++) {
        done = pliant_body_share_positions(run->bodies[i], run->positions[i], 0) == PLIANT_OK;
    }
    done = done && pliant_scene_collide(run->scene, NULL, &contacts) == PLIANT_OK;
    *seconds = bench_seconds() - start;
    *pairs += done ? (double)contacts.count : 0.0;
    add_work(work, work_of(&pliant_scene_get_stats(run->scene)->narrow), 1.0);
    return done;
}

/* Bytes of positions and of what bodies hold. */
static double ring_bytes(const ring_run *run)
{
    double bytes = 0.0;
    for (uint32_t i = 0; i < run->count; i++) {
        bytes += (double)pliant_body_get_memory(run->bodies[i]).bounds +
                 12.0 * run->source->bodies[i % 2].vertex_count;
    }
    return bytes;
}

/* The whole motion several times over: the median of each step. */
static bool ring_play(const bench_settings *settings, ring_run *run, uint32_t stride,
                      uint32_t steps, ring_result *result)
{
    static double samples[MAX_STEPS][RING_PLAYS];
    uint32_t plays = settings->length == BENCH_QUICK ? 1 : RING_PLAYS;
    *result = (ring_result){.ms = 0.0};
    if (steps > MAX_STEPS) {
        return false;
    }
    for (uint32_t play = 0; play < plays; play++) {
        for (uint32_t at = 0; at < steps; at++) {
            bench_progress(settings, "growth", at, steps);
            double pairs = 0.0;
            growth_work work = {0};
            if (!ring_step(run, (at + 1) * stride, &samples[at][play], &pairs, &work)) {
                return false;
            }
            result->pairs += pairs / (plays * steps);
            add_work(&result->work, work, 1.0 / (plays * steps));
        }
    }
    for (uint32_t at = 0; at < steps; at++) {
        result->ms += 1e3 * bench_median(samples[at], plays) / steps;
    }
    result->bytes = ring_bytes(run);
    return true;
}

static bool over_bodies(const bench_settings *settings, bench_report *report)
{
    static const uint32_t strides[3] = {50, 5, 1};
    uint32_t count = settings->length == BENCH_QUICK ? 3 : RINGS;
    uint32_t stride = strides[settings->length], steps = gallery_spheres.steps / stride;
    double bodies[RINGS], times[RINGS], tests[RINGS];
    for (uint32_t k = 0; k < count; k++) {
        ring_run run;
        ring_result result;
        bool done = ring_create(settings, rings[k], &run) &&
                    ring_play(settings, &run, stride, steps, &result);
        ring_free(&run);
        if (!done) {
            return report_fail(report, "a ring of %u failed: %s", rings[k], pliant_last_error());
        }
        bodies[k] = rings[k];
        times[k] = result.ms;
        tests[k] = result.work.tests;
        bench_row *row = report_row(report, "a ring of %u", rings[k]);
        report_cell(row, "triangles", (double)RING_TRIANGLES * rings[k], 0);
        report_cell(row, "bodies", rings[k], 0);
        report_cell(row, "pairs", result.pairs, 0);
        report_cell(row, "total_ms", result.ms, 4);
        report_cell(row, "ns_per_triangle", 1e6 * result.ms / (RING_TRIANGLES * bodies[k]), 2);
        report_work(row, result.work);
        report_cell(row, "megabytes", 1e-6 * result.bytes, 2);
    }
    report_ratio(report, "growth_bodies", bench_fit_exponent(bodies, times, count), (double)NAN,
                 "exponent of time per step over bodies");
    report_ratio(report, "growth_bodies_tests", bench_fit_exponent(bodies, tests, count),
                 (double)NAN, "of the pairs of triangles tested");
    report_ratio(report, "growth_bodies_last",
                 bench_fit_exponent(bodies + count - 2, times + count - 2, 2), (double)NAN,
                 "of time per step, the two largest alone");
    return true;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    bool done = over_triangles(settings, report) && growth_over_nodes(settings, report) &&
                growth_over_modes(settings, report) && over_bodies(settings, report) &&
                over_contacts(settings, report);
    if (done) {
        report_note(report, "time grows as the power given of what is counted: 1 is linear");
    }
    return done;
}

const bench_experiment experiment_growth = {
    .name = "growth",
    .description = "how our time grows with triangles, nodes, modes, bodies and contacts",
    .own_turns = true,
    .run = run,
};
