/*
 * Whole bodies between two steps: all pairs of triangles that meet on the way, beside the pairs
 * that touch at its end, which is what is asked without continuous detection.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>

#include "gallery/gallery.h"
#include "pliant/pliant.h"

enum { RUNS = 5, MOST_BODIES = 2 };

/* One or two free bodies of a scene. */
typedef struct moving_scene {
    gallery_scene *scene;
    uint32_t count;
    float *at[2][MOST_BODIES]; /* by end of the step */
    pliant_context *context;
    pliant_shape *shape[MOST_BODIES];
    pliant_body *body[MOST_BODIES];
    pliant_query *query;
} moving_scene;

static bool add_body(moving_scene *m, uint32_t i)
{
    const gallery_mesh *mesh = &m->scene->bodies[i];
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = mesh->positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    size_t bytes = (size_t)3 * mesh->vertex_count * sizeof(float);
    m->at[0][i] = malloc(bytes);
    m->at[1][i] = malloc(bytes);
    return m->at[0][i] != NULL && m->at[1][i] != NULL &&
           pliant_shape_create(m->context, &def, &m->shape[i]) == PLIANT_OK &&
           pliant_body_create(m->shape[i], NULL, &m->body[i]) == PLIANT_OK;
}

static bool moving_create(const bench_settings *settings, const gallery_kind *kind,
                          uint32_t triangles, uint32_t count, moving_scene *m)
{
    gallery_settings wanted = {.triangles = triangles, .seed = settings->seed};
    pliant_context_def def = pliant_context_def_default();
    def.isa = settings->isa;
    m->count = count;
    m->scene = gallery_create(kind, &wanted);
    bool done = m->scene != NULL && pliant_context_create(&def, &m->context) == PLIANT_OK &&
                pliant_query_create(m->context, &m->query) == PLIANT_OK;
    for (uint32_t i = 0; i < count && done; i++) {
        done = add_body(m, i);
    }
    return done;
}

static void moving_free(moving_scene *m)
{
    pliant_query_destroy(m->query);
    for (uint32_t i = 0; i < m->count; i++) {
        pliant_body_destroy(m->body[i]);
        pliant_shape_destroy(m->shape[i]);
        free(m->at[0][i]);
        free(m->at[1][i]);
    }
    pliant_context_destroy(m->context);
    gallery_destroy(m->scene);
}

/* All bodies at one end of the step. */
static bool set(moving_scene *m, int end)
{
    bool done = true;
    for (uint32_t i = 0; i < m->count && done; i++) {
        done = pliant_body_share_positions(m->body[i], m->at[end][i], 0) == PLIANT_OK;
    }
    return done;
}

/* What is asked in a fresh state, and how long that takes, setting included. */
static bool ask_static(moving_scene *m, double *seconds, uint64_t *pairs)
{
    pliant_contacts contacts;
    double start = bench_seconds();
    bool done =
        set(m, 1) && (m->count == 1 ? pliant_collide_self(m->query, m->body[0], NULL, &contacts)
                                    : pliant_collide(m->query, m->body[0], m->body[1], NULL,
                                                     &contacts)) == PLIANT_OK;
    *seconds = bench_seconds() - start;
    *pairs = done ? contacts.count : 0;
    return done;
}

static bool ask_moving(moving_scene *m, double *seconds, uint64_t *pairs)
{
    pliant_meetings meetings;
    bool done = set(m, 0);
    double start = bench_seconds();
    for (uint32_t i = 0; i < m->count && done; i++) {
        done = pliant_body_begin_step(m->body[i]) == PLIANT_OK;
    }
    done = done && set(m, 1) &&
           (m->count == 1 ? pliant_find_meetings_self(m->query, m->body[0], NULL, &meetings)
                          : pliant_find_meetings(m->query, m->body[0], m->body[1], NULL,
                                                 &meetings)) == PLIANT_OK;
    *seconds = bench_seconds() - start;
    *pairs = done ? meetings.count : 0;
    return done;
}

/* Sums over all steps. */
typedef struct step_sums {
    double at_end, moving;
    uint64_t touch, meet, tests, fallbacks;
} step_sums;

static bool time_step(moving_scene *m, uint32_t step, step_sums *sums)
{
    double runs[2][RUNS];
    uint64_t touch = 0, meet = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        gallery_evaluate(m->scene, i, step, m->at[0][i]);
        gallery_evaluate(m->scene, i, step + 1, m->at[1][i]);
    }
    for (int run = 0; run < RUNS; run++) {
        if (!ask_static(m, &runs[0][run], &touch) || !ask_moving(m, &runs[1][run], &meet)) {
            return false;
        }
    }
    sums->at_end += bench_median(runs[0], RUNS);
    sums->moving += bench_median(runs[1], RUNS);
    sums->touch += touch;
    sums->meet += meet;
    sums->tests += pliant_query_get_stats(m->query)->triangle_tests;
    sums->fallbacks += pliant_query_get_stats(m->query)->exact_fallbacks;
    return meet >= touch || m->count == 1;
}

static bool run_scene(const bench_settings *settings, const gallery_kind *kind, uint32_t triangles,
                      uint32_t count, bench_report *report)
{
    static const uint32_t counts[3] = {4, 12, 60};
    moving_scene m = {0};
    step_sums sums = {0};
    uint32_t steps = counts[settings->length];
    bool done = moving_create(settings, kind, triangles, count, &m);
    for (uint32_t i = 0; i < steps && done; i++) {
        bench_progress(settings, kind->name, i, steps);
        done = time_step(&m, (m.scene->steps - 1) * i / steps, &sums);
    }
    if (!done) {
        report_fail(report, "%s", pliant_last_error());
    } else {
        bench_row *row = report_row(report, "touching at the end");
        report_cell(row, "ms", 1e3 * sums.at_end / steps, 3);
        report_cell(row, "pairs", (double)sums.touch / steps, 0);
        row = report_row(report, "meeting on the way");
        report_cell(row, "ms", 1e3 * sums.moving / steps, 3);
        report_cell(row, "pairs", (double)sums.meet / steps, 0);
        report_contest(report, &(bench_terms){kind->name,
                                              (const char *const[]){"touching at the end",
                                                                    "meeting on the way"},
                                              2, RUNS, steps, 0.0});
        report_ratio(report, "over_static", sums.moving / sums.at_end, (double)NAN,
                     "all pairs that meet in a step over all that touch at its end");
        report_note(report, "%u steps; %llu pairs of triangles tested, %llu by exact arithmetic",
                    steps, (unsigned long long)sums.tests, (unsigned long long)sums.fallbacks);
    }
    moving_free(&m);
    return done;
}

static bool run_larsson(const bench_settings *settings, bench_report *report)
{
    return run_scene(settings, &gallery_spheres, 0, 2, report);
}

static bool run_cloth(const bench_settings *settings, bench_report *report)
{
    return run_scene(settings, &gallery_cloth, settings->length == BENCH_QUICK ? 5000 : 92160, 1,
                     report);
}

const bench_experiment experiment_continuous_larsson = {
    .name = "continuous-larsson",
    .description = "larsson-1 between its steps: what meets on the way",
    .paper = NULL,
    .own_turns = true,
    .run = run_larsson,
};

const bench_experiment experiment_continuous_cloth = {
    .name = "continuous-cloth",
    .description = "a cloth of 92,000 triangles with itself between two steps",
    .paper = NULL,
    .own_turns = true,
    .run = run_cloth,
};
