/*
 * Budgets and loose boxes, two more elements. A budget gives other answers than none, so that no
 * contest can compare them: rows say how many pairs are left. Loose boxes only matter where bodies
 * are apart, so that they have bodies of their own.
 */
#include "elements_more.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUDGETS = 4,
    PLAYS = 5,
    SIDE = 4,
    BODIES = SIDE * SIDE * SIDE,
    LOOSE_TRIANGLES = 1280,
    STEPS = 20
};

static uint32_t plays_of(const bench_settings *settings)
{
    return settings->length == BENCH_QUICK ? 1 : PLAYS;
}

/* ------------------------------------------------------------------ budgets */

typedef struct budget_run {
    pliant_context *context;
    pliant_shape *shapes[2];
    pliant_body *bodies[2];
    pliant_query *query;
} budget_run;

static void budget_free(budget_run *run)
{
    pliant_query_destroy(run->query);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(run->bodies[i]);
        pliant_shape_destroy(run->shapes[i]);
    }
    pliant_context_destroy(run->context);
}

static bool budget_create(const bench_settings *settings, const bench_motion *motion,
                          budget_run *run)
{
    *run = (budget_run){0};
    bool done = ours_create_context(&bench_ours_auto, settings, &run->context) &&
                pliant_query_create(run->context, &run->query) == PLIANT_OK;
    for (uint32_t i = 0; i < 2 && done; i++) {
        done = ours_create_shape(run->context, &bench_ours_auto, &motion->meshes[i],
                                 &run->shapes[i]) &&
               pliant_body_create(run->shapes[i], NULL, &run->bodies[i]) == PLIANT_OK;
    }
    return done;
}

/* The whole motion once: milliseconds per step, and pairs in all. */
static bool budget_play(budget_run *run, bench_motion *motion, uint64_t nodes, double *ms,
                        double *pairs)
{
    pliant_collide_options options = pliant_collide_options_default();
    options.budget_nodes = nodes;
    double seconds = 0.0;
    *pairs = 0.0;
    for (uint32_t at = 0; at < motion->step_count; at++) {
        const bench_frame *live = bench_motion_show(motion, at);
        pliant_contacts contacts;
        double start = bench_seconds();
        if (!ours_set_state(run->bodies[0], motion, live, 0) ||
            !ours_set_state(run->bodies[1], motion, live, 1) ||
            pliant_collide(run->query, run->bodies[0], run->bodies[1], &options, &contacts) !=
                PLIANT_OK) {
            return false;
        }
        seconds += bench_seconds() - start;
        *pairs += (double)contacts.count;
    }
    *ms = 1e3 * seconds / motion->step_count;
    return true;
}

bool elements_add_budgets(const bench_settings *settings, bench_motion *motion,
                          bench_report *report)
{
    static const uint64_t nodes[BUDGETS] = {0, 1600, 400, 100};
    static const char *const names[BUDGETS] = {"budget: none", "budget: 1,600 pairs of nodes",
                                               "budget: 400 pairs of nodes",
                                               "budget: 100 pairs of nodes"};
    double samples[BUDGETS][PLAYS], pairs[BUDGETS], ms[BUDGETS];
    budget_run run;
    bool done = budget_create(settings, motion, &run);
    for (uint32_t play = 0; done && play < plays_of(settings); play++) {
        for (uint32_t b = 0; done && b < BUDGETS; b++) {
            done = budget_play(&run, motion, nodes[b], &samples[b][play], &pairs[b]);
        }
    }
    budget_free(&run);
    if (!done) {
        return report_fail(report, "budgets: %s", pliant_last_error());
    }
    for (uint32_t b = 0; b < BUDGETS; b++) {
        ms[b] = bench_median(samples[b], plays_of(settings));
        bench_row *row = report_row(report, "%s", names[b]);
        report_cell(row, "total_ms", ms[b], 4);
        report_cell(row, "over_first", ms[b] / ms[0], 2);
        report_cell(row, "pairs", pairs[b], 0);
    }
    report_contest(report, &(bench_terms){"budgets", names, BUDGETS, plays_of(settings),
                                          motion->step_count, 0.0});
    report_ratio(report, "budget_400_over_none", ms[2] / ms[0], (double)NAN,
                 "time with a budget of 400 pairs of nodes over none");
    report_ratio(report, "budget_400_pairs_share", pairs[0] > 0.0 ? pairs[2] / pairs[0] : 1.0,
                 (double)NAN, "pairs found with that budget over all pairs");
    return true;
}

/* -------------------------------------------------------------- loose boxes */

typedef struct loose_run {
    pliant_context *context;
    pliant_shape *shape;
    pliant_body *bodies[BODIES];
    pliant_scene *scene;
    float *positions; /* of all bodies, one after the other */
    uint32_t vertices;
    double reach; /* no vertex is farther from its body's place on an axis */
} loose_run;

static void loose_free(loose_run *run)
{
    pliant_scene_destroy(run->scene);
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_body_destroy(run->bodies[i]);
    }
    pliant_shape_destroy(run->shape);
    pliant_context_destroy(run->context);
    free(run->positions);
}

static void place_of(uint32_t i, double reach, double place[3])
{
    const uint32_t at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
    for (int axis = 0; axis < 3; axis++) {
        place[axis] = 3.0 * reach * at[axis];
    }
}

static bool loose_add_body(loose_run *run, const gallery_mesh *mesh, uint32_t i, bool loose)
{
    pliant_member_def def = pliant_member_def_default();
    double place[3];
    place_of(i, run->reach, place);
    float *positions = run->positions + (size_t)3 * run->vertices * i;
    for (uint32_t k = 0; k < 3 * run->vertices; k++) {
        positions[k] = mesh->positions[k] + (float)place[k % 3];
    }
    def.has_loose_box = loose;
    for (int axis = 0; axis < 3; axis++) {
        def.loose_box.lower[axis] = (float)(place[axis] - 1.4 * run->reach);
        def.loose_box.upper[axis] = (float)(place[axis] + 1.4 * run->reach);
    }
    pliant_body_id id;
    return pliant_body_create(run->shape, NULL, &run->bodies[i]) == PLIANT_OK &&
           pliant_scene_add(run->scene, run->bodies[i], &def, &id) == PLIANT_OK;
}

static bool loose_create(const bench_settings *settings, const gallery_mesh *mesh, bool loose,
                         loose_run *run)
{
    *run = (loose_run){.vertices = mesh->vertex_count};
    for (uint32_t k = 0; k < 3 * mesh->vertex_count; k++) {
        run->reach = fmax(run->reach, fabs((double)mesh->positions[k]));
    }
    run->positions = malloc((size_t)3 * run->vertices * BODIES * sizeof *run->positions);
    bool done = run->positions != NULL &&
                ours_create_context(&bench_scene_auto, settings, &run->context) &&
                pliant_scene_create(run->context, NULL, &run->scene) == PLIANT_OK &&
                ours_create_shape(run->context, &bench_scene_auto, mesh, &run->shape);
    for (uint32_t i = 0; done && i < BODIES; i++) {
        done = loose_add_body(run, mesh, i, loose);
    }
    return done;
}

/* Some steps, each with new states: microseconds per step. */
static bool loose_play(loose_run *run, double *us)
{
    double start = bench_seconds();
    for (uint32_t step = 0; step < STEPS; step++) {
        pliant_scene_contacts contacts;
        bool done = true;
        for (uint32_t i = 0; done && i < BODIES; i++) {
            done = pliant_body_share_positions(run->bodies[i],
                                               run->positions + (size_t)3 * run->vertices * i,
                                               0) == PLIANT_OK;
        }
        if (!done || pliant_scene_collide(run->scene, NULL, &contacts) != PLIANT_OK ||
            contacts.count != 0) {
            return false;
        }
    }
    *us = 1e6 * (bench_seconds() - start) / STEPS;
    return true;
}

bool elements_add_loose(const bench_settings *settings, bench_report *report)
{
    static const char *const names[2] = {"64 bodies apart: no loose boxes",
                                         "64 bodies apart: loose boxes"};
    gallery_settings wanted = {.triangles = LOOSE_TRIANGLES, .seed = settings->seed};
    gallery_scene *source = gallery_create(&gallery_spheres, &wanted);
    double samples[2][PLAYS], us[2];
    loose_run runs[2];
    memset(runs, 0, sizeof runs);
    bool done = source != NULL && loose_create(settings, &source->bodies[0], false, &runs[0]) &&
                loose_create(settings, &source->bodies[0], true, &runs[1]);
    for (uint32_t play = 0; done && play < plays_of(settings); play++) {
        done = loose_play(&runs[0], &samples[0][play]) && loose_play(&runs[1], &samples[1][play]);
    }
    loose_free(&runs[0]);
    loose_free(&runs[1]);
    gallery_destroy(source);
    if (!done) {
        return report_fail(report, "loose boxes: %s", pliant_last_error());
    }
    for (int i = 0; i < 2; i++) {
        us[i] = bench_median(samples[i], plays_of(settings));
        bench_row *row = report_row(report, "%s", names[i]);
        report_cell(row, "total_ms", 1e-3 * us[i], 4);
        report_cell(row, "over_first", us[i] / us[0], 2);
        report_cell(row, "pairs", 0, 0);
    }
    report_contest(report, &(bench_terms){"loose boxes", names, 2, plays_of(settings), STEPS, 0.0});
    report_ratio(report, "loose_over_none", us[1] / us[0], (double)NAN,
                 "time of a step with loose boxes over none, 64 bodies that touch nobody");
    return true;
}
