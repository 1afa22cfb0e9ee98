/*
 * Six elastic figures that hang from a ring, given by the transforms of their nodes, between two
 * steps: all pairs of triangles that meet on the way, beside those that touch at its end. Bounds
 * throughout a step follow from the transforms at both ends, so that vertices are evaluated only
 * where such bounds meet. The same figures with all vertices evaluated give the same answers.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gallery/meshless/ring.h"
#include "lab/harness/ours.h"

enum { RUNS = 5, BODIES = 6 };

/* The figures in a scene: blended, or free. */
typedef struct figures {
    pliant_context *context;
    pliant_scene *scene;
    pliant_shape *shape[BODIES];
    pliant_body *body[BODIES];
} figures;

typedef struct ring_run {
    bench_motion motion;
    figures blended, free;
    float *at[BODIES]; /* evaluated */
    uint64_t vertices; /* of all bodies */
} ring_run;

static bool figures_create(const bench_settings *settings, const bench_motion *motion, bool free,
                           figures *f)
{
    static const bench_method method = {.workers = 1};
    bool done = ours_create_context(&method, settings, &f->context) &&
                pliant_scene_create(f->context, NULL, &f->scene) == PLIANT_OK;
    for (uint32_t i = 0; i < BODIES && done; i++) {
        pliant_body_id id;
        done = (free ? ours_create_shape(f->context, &method, &motion->meshes[i], &f->shape[i])
                     : ours_create_shape_of(f->context, &method, motion, i, &f->shape[i])) &&
               pliant_body_create(f->shape[i], NULL, &f->body[i]) == PLIANT_OK &&
               pliant_scene_add(f->scene, f->body[i], NULL, &id) == PLIANT_OK;
    }
    return done;
}

static void figures_free(figures *f)
{
    pliant_scene_destroy(f->scene);
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_body_destroy(f->body[i]);
        pliant_shape_destroy(f->shape[i]);
    }
    pliant_context_destroy(f->context);
}

static bool set(const ring_run *r, uint32_t frame)
{
    bool done = true;
    for (uint32_t i = 0; i < BODIES && done; i++) {
        done = ours_set_state(r->blended.body[i], &r->motion, &r->motion.frames[frame], i);
    }
    return done;
}

/* Evaluates the blended figures as they are, and gives the free ones their positions. */
static bool set_evaluated(const ring_run *r)
{
    bool done = true;
    for (uint32_t i = 0; i < BODIES && done; i++) {
        uint32_t count = r->motion.meshes[i].vertex_count;
        done = pliant_body_evaluate(r->blended.body[i], NULL, count, r->at[i]) == PLIANT_OK &&
               pliant_body_set_positions(r->free.body[i], r->at[i], 0) == PLIANT_OK;
    }
    return done;
}

/* ---------------------------------------------------------------- one step */

/* Sums over all steps. */
typedef struct ring_sums {
    double at_end, moving, evaluated;
    uint64_t touch, meet, read_at_end, read_moving, tests, fallbacks;
} ring_sums;

static bool ask_static(const ring_run *r, uint32_t frame, double *seconds, ring_sums *sums)
{
    pliant_scene_contacts contacts;
    double start = bench_seconds();
    bool done =
        set(r, frame + 1) && pliant_scene_collide(r->blended.scene, NULL, &contacts) == PLIANT_OK;
    *seconds = bench_seconds() - start;
    sums->touch = done ? contacts.count : 0;
    sums->read_at_end = pliant_scene_get_stats(r->blended.scene)->narrow.vertices_read;
    return done;
}

static bool ask_moving(const ring_run *r, uint32_t frame, double *seconds, ring_sums *sums,
                       pliant_scene_meetings *meetings)
{
    bool done = set(r, frame);
    double start = bench_seconds();
    done = done && pliant_scene_begin_step(r->blended.scene) == PLIANT_OK && set(r, frame + 1) &&
           pliant_scene_find_meetings(r->blended.scene, NULL, meetings) == PLIANT_OK;
    *seconds = bench_seconds() - start;
    sums->meet = done ? meetings->count : 0;
    const pliant_stats *stats = &pliant_scene_get_stats(r->blended.scene)->narrow;
    sums->read_moving = stats->vertices_read;
    sums->tests = stats->triangle_tests;
    sums->fallbacks = stats->exact_fallbacks;
    return done;
}

/* The same by positions, of which those at the start are there: they were the last step's end. */
static bool ask_evaluated(const ring_run *r, uint32_t frame, double *seconds,
                          pliant_scene_meetings *meetings)
{
    bool done = set(r, frame) && set_evaluated(r);
    double start = bench_seconds();
    done = done && pliant_scene_begin_step(r->free.scene) == PLIANT_OK && set(r, frame + 1) &&
           set_evaluated(r) &&
           pliant_scene_find_meetings(r->free.scene, NULL, meetings) == PLIANT_OK;
    *seconds = bench_seconds() - start;
    return done;
}

static bool are_equal(const pliant_scene_meetings *a, const pliant_scene_meetings *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->pairs, b->pairs, (size_t)a->count * sizeof *a->pairs) == 0);
}

static bool time_step(const ring_run *r, uint32_t frame, ring_sums *sums, bench_report *report)
{
    double runs[3][RUNS];
    ring_sums one = {0};
    pliant_scene_meetings meetings, others;
    for (int run = 0; run < RUNS; run++) {
        if (!ask_static(r, frame, &runs[0][run], &one) ||
            !ask_evaluated(r, frame, &runs[2][run], &others) ||
            !ask_moving(r, frame, &runs[1][run], &one, &meetings)) {
            return report_fail(report, "%s", pliant_last_error());
        }
        if (!are_equal(&meetings, &others) || one.meet < one.touch) {
            return report_fail(report, "step %u: answers differ", frame);
        }
    }
    sums->at_end += bench_median(runs[0], RUNS);
    sums->moving += bench_median(runs[1], RUNS);
    sums->evaluated += bench_median(runs[2], RUNS);
    sums->touch += one.touch;
    sums->meet += one.meet;
    sums->read_at_end += one.read_at_end;
    sums->read_moving += one.read_moving;
    sums->tests += one.tests;
    sums->fallbacks += one.fallbacks;
    return true;
}

/* ----------------------------------------------------------------- report */

static void add_row(bench_report *report, const char *name, double seconds, uint64_t pairs,
                    double share, double steps)
{
    bench_row *row = report_row(report, "%s", name);
    report_cell(row, "ms", 1e3 * seconds / steps, 3);
    report_cell(row, "pairs", (double)pairs / steps, 0);
    report_cell(row, "vertices evaluated, %", 100.0 * share, 2);
}

static void tell(const ring_run *r, const ring_sums *sums, uint32_t steps, bench_report *report)
{
    double all = (double)r->vertices * steps;
    double at_end = (double)sums->read_at_end / all, moving = (double)sums->read_moving / (2 * all);
    add_row(report, "touching at the end", sums->at_end, sums->touch, at_end, steps);
    add_row(report, "meeting on the way", sums->moving, sums->meet, moving, steps);
    add_row(report, "the same, all evaluated first", sums->evaluated, sums->meet, 1.0, steps);
    report_contest(report,
                   &(bench_terms){"ring",
                                  (const char *const[]){"touching at the end", "meeting on the way",
                                                        "all evaluated first"},
                                  3, RUNS, steps, 0.0});
    report_ratio(report, "over_static", sums->moving / sums->at_end, (double)NAN,
                 "all pairs that meet in a step over all that touch at its end");
    report_ratio(report, "vs_evaluated", sums->evaluated / sums->moving, (double)NAN,
                 "time with all vertices evaluated first over ours");
    report_ratio(report, "vertices_share", moving, (double)NAN,
                 "vertices evaluated at both ends of a step, of all");
    report_note(report,
                "%u steps; %u bodies of %u vertices and %u nodes, in a scene, one thread; %llu "
                "pairs of triangles tested, %llu by exact arithmetic",
                steps, BODIES, r->motion.meshes[0].vertex_count, r->motion.models[0]->joint_count,
                (unsigned long long)sums->tests, (unsigned long long)sums->fallbacks);
}

static bool ring_create(const bench_settings *settings, const gallery_scene *scene, ring_run *r)
{
    bool done = bench_motion_of_scene(scene, 1, &r->motion) && r->motion.body_count == BODIES &&
                figures_create(settings, &r->motion, false, &r->blended) &&
                figures_create(settings, &r->motion, true, &r->free);
    for (uint32_t i = 0; i < BODIES && done; i++) {
        size_t count = r->motion.meshes[i].vertex_count;
        r->at[i] = malloc(3 * count * sizeof *r->at[i]);
        r->vertices += count;
        done = r->at[i] != NULL;
    }
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    static const uint32_t vertices[3] = {2857, 45682, 45682}, counts[3] = {4, 24, 120};
    gallery_settings wanted = {.triangles = 2 * (vertices[settings->length] - 2),
                               .seed = settings->seed};
    gallery_scene *scene = gallery_create(ring_kind(RING_FEW_NODES, false), &wanted);
    ring_run r = {0};
    ring_sums sums = {0};
    uint32_t steps = counts[settings->length];
    bool done = scene != NULL && ring_create(settings, scene, &r);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    for (uint32_t i = 0; i < steps && done; i++) {
        bench_progress(settings, "continuous-ring", i, steps);
        done = time_step(&r, (r.motion.step_count - 2) * i / steps, &sums, report);
    }
    if (done) {
        tell(&r, &sums, steps, report);
    }
    figures_free(&r.blended);
    figures_free(&r.free);
    for (uint32_t i = 0; i < BODIES; i++) {
        free(r.at[i]);
    }
    bench_motion_free(&r.motion);
    gallery_destroy(scene);
    return done;
}

const bench_experiment experiment_continuous_ring = {
    .name = "continuous-ring",
    .description = "six blended figures on a ring between two steps: what meets on the way",
    .own_turns = true,
    .run = run,
};
