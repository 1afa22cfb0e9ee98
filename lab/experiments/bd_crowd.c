/*
 * Based on: D. L. James, D. K. Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced
 * Deformable Models", 2004: thousands of reduced bodies in one scene. Here 1,000 stars of 18,000
 * triangles and 10 modes each, dense and sparse, against a rival that evaluates all vertices with
 * SIMD and refits trees of boxes. The rival would take most of a second per step, so it gets a
 * block of the crowd, and its time is scaled up; on that block the answers must agree.
 */
#include "bd_crowd.h"
#include "experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRIANGLES 18000
#define MAX_PLAYS 31

static const crowd_size sizes[3] = {{6, 3, 3, 3}, {10, 4, 12, 15}, {10, 6, 40, 31}};

static const crowd_variant variants[2] = {
    {"dense", "pairs_1000", "evaluate all and refit over ours, about 1,083 pairs a step",
     "pairs_1000_modern", 2.058},
    {"sparse", "pairs_12", "the same with about 12 pairs a step", "pairs_12_modern", 2.315},
};

typedef struct crowd_method {
    const char *name;
    pliant_bound_kind bound;
    bool coherent;
} crowd_method;

static const crowd_method methods[] = {
    {"ours, auto", PLIANT_BOUND_AUTO, false},
    {"ours, boxes", PLIANT_BOUND_BOX, false},
    {"ours, spheres", PLIANT_BOUND_SPHERE, false},
    {"ours, auto, coherent", PLIANT_BOUND_AUTO, true},
};
enum { METHODS = sizeof methods / sizeof methods[0], REFIT = METHODS, MODERN, CONTESTANTS };

static bool crowd_create(const bench_settings *settings, const crowd_variant *variant, crowd *c)
{
    *c = (crowd){.settings = settings, .variant = variant, .size = sizes[settings->length]};
    c->count = c->size.side * c->size.side * c->size.side;
    c->block_count = c->size.block * c->size.block * c->size.block;
    c->states = malloc((size_t)c->count * c->size.steps * sizeof *c->states);
    c->ranges = malloc((size_t)c->block_count * c->block_count * sizeof *c->ranges);
    if (c->states == NULL || c->ranges == NULL || !star_make(TRIANGLES, &c->mesh, &c->model)) {
        return false;
    }
    for (uint32_t step = 0; step < c->size.steps; step++) {
        for (uint32_t i = 0; i < c->count; i++) {
            crowd_state *state = &c->states[(size_t)step * c->count + i];
            star_state(i, c->size.side, variant->spacing, step, state->coordinates,
                       state->transform);
        }
    }
    return true;
}

static void crowd_free(crowd *c)
{
    free(c->states);
    free(c->ranges);
    mesh_free(&c->mesh);
    gallery_model_free(&c->model);
}

/* -------------------------------------------------------------------- ours */

static bool ours_create(const crowd *c, const crowd_method *method, crowd_ours *own)
{
    pliant_shape_def def = reduced_shape_def(&c->mesh, &c->model);
    pliant_body_def body_def = pliant_body_def_default();
    def.bound = method->bound;
    body_def.coherent = method->coherent;
    *own = (crowd_ours){.bodies = calloc(c->count, sizeof(pliant_body *))};
    bool done = own->bodies != NULL && reduced_create_context(c->settings, &own->context) &&
                pliant_shape_create(own->context, &def, &own->shape) == PLIANT_OK &&
                pliant_scene_create(own->context, NULL, &own->scene) == PLIANT_OK;
    for (uint32_t i = 0; done && i < c->count; i++) {
        pliant_body_id id;
        done = pliant_body_create(own->shape, &body_def, &own->bodies[i]) == PLIANT_OK &&
               pliant_scene_add(own->scene, own->bodies[i], NULL, &id) == PLIANT_OK;
    }
    return done;
}

static void ours_destroy(const crowd *c, crowd_ours *own)
{
    pliant_scene_destroy(own->scene);
    for (uint32_t i = 0; own->bodies != NULL && i < c->count; i++) {
        pliant_body_destroy(own->bodies[i]);
    }
    free(own->bodies);
    pliant_shape_destroy(own->shape);
    pliant_context_destroy(own->context);
}

/* The answer as a whole, and what of it concerns the block. */
static void summarise(crowd *c, const pliant_scene_contacts *contacts, bench_summary *total,
                      bench_summary *block)
{
    bench_outcome outcome = {.pairs = contacts->pairs, .ranges = c->ranges};
    *total = reduced_summarise(contacts->pairs, contacts->count);
    for (uint32_t i = 0; i < contacts->body_pair_count; i++) {
        const pliant_scene_pair *pair = &contacts->bodies[i];
        if (crowd_in_block(c, pair->a.index) && crowd_in_block(c, pair->b.index)) {
            c->ranges[outcome.range_count++] = (bench_range){
                .a = pair->a.index, .b = pair->b.index, .first = pair->first, .count = pair->count};
        }
    }
    *block = bench_summarise(&outcome);
}

bool crowd_ours_step(crowd *c, crowd_ours *own, uint32_t step, pliant_scene_contacts *contacts)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const crowd_state *state = crowd_state_of(c, i, step);
        if (!reduced_set(own->bodies[i], &c->model, state->coordinates, state->transform)) {
            return false;
        }
    }
    return pliant_scene_collide(own->scene, NULL, contacts) == PLIANT_OK;
}

/* -------------------------------------------------------------------- contest */

/* Milliseconds of a contestant per step, and the work of one of our methods. */
typedef struct crowd_cost {
    double update, total, evaluate;
    double broad, narrow, nodes, clusters, bytes; /* per step; bytes held in the end */
} crowd_cost;

typedef struct crowd_game {
    crowd *crowd;
    crowd_ours own[METHODS];
    crowd_rival *rival;
    crowd_cost costs[CONTESTANTS];
    double update[CONTESTANTS][CROWD_MAX_STEPS][MAX_PLAYS];
    double total[CONTESTANTS][CROWD_MAX_STEPS][MAX_PLAYS];
} crowd_game;

/* Compares an answer with the first. */
static bool check_answer(crowd *c, uint32_t who, uint32_t round, uint32_t step,
                         const pliant_scene_contacts *contacts, bench_report *report)
{
    bench_summary total, block;
    summarise(c, contacts, &total, &block);
    if (who == 0 && round == 0) {
        c->totals[step] = total;
        c->answers[step] = block;
    }
    return (crowd_same(total, c->totals[step]) && crowd_same(block, c->answers[step])) ||
           report_fail(report, "%s and %s do not agree at step %u", methods[0].name,
                       methods[who].name, step);
}

static bool step_ours(crowd_game *g, uint32_t who, uint32_t round, uint32_t step,
                      bench_report *report)
{
    pliant_scene_contacts contacts;
    double start = bench_seconds();
    if (!crowd_ours_step(g->crowd, &g->own[who], step, &contacts)) {
        return report_fail(report, "%s failed: %s", methods[who].name, pliant_last_error());
    }
    g->total[who][step][round] = 1e3 * (bench_seconds() - start);
    const pliant_scene_stats *stats = pliant_scene_get_stats(g->own[who].scene);
    crowd_cost *cost = &g->costs[who];
    cost->broad += stats->pairs_broad;
    cost->narrow += (double)stats->narrow.nodes_tested;
    cost->nodes += (double)stats->narrow.nodes_refreshed;
    cost->clusters += (double)stats->narrow.clusters_refreshed;
    return check_answer(g->crowd, who, round, step, &contacts, report);
}

static bool step_rival(crowd_game *g, uint32_t who, uint32_t round, uint32_t step,
                       bench_report *report)
{
    rival_cost cost = {0};
    bool done = crowd_rival_step(g->crowd, g->rival, who == MODERN, step, &cost, report);
    g->update[who][step][round] = cost.evaluate + cost.refit;
    g->total[who][step][round] = cost.evaluate + cost.refit + cost.query;
    g->costs[who].evaluate += cost.evaluate;
    return done;
}

static bool play(void *user, uint32_t who, uint32_t round, bench_report *report)
{
    crowd_game *g = user;
    bool done = true;
    for (uint32_t step = 0; done && step < g->crowd->size.steps; step++) {
        done = (who < METHODS ? step_ours : step_rival)(g, who, round, step, report);
    }
    return done;
}

/* Medians of times, and means of what was counted. */
static void keep_costs(crowd_game *g, uint32_t plays)
{
    uint32_t steps = g->crowd->size.steps;
    double share = 1.0 / ((double)steps * plays);
    for (uint32_t who = 0; who < CONTESTANTS; who++) {
        crowd_cost *cost = &g->costs[who];
        for (uint32_t step = 0; step < steps; step++) {
            cost->update += bench_median(g->update[who][step], plays) / steps;
            cost->total += bench_median(g->total[who][step], plays) / steps;
        }
        cost->evaluate *= share;
        cost->broad *= share;
        cost->narrow *= share;
        cost->nodes *= share;
        cost->clusters *= share;
        for (uint32_t i = 0; who < METHODS && i < g->crowd->count; i++) {
            cost->bytes += (double)pliant_body_get_memory(g->own[who].bodies[i]).bounds;
        }
    }
}

static bool hold_contest(crowd_game *g, bench_report *report)
{
    const crowd *c = g->crowd;
    const char *names[CONTESTANTS] = {
        [REFIT] = "evaluate all, refit", [MODERN] = "evaluate all, modern bottom-up"};
    for (uint32_t m = 0; m < METHODS; m++) {
        names[m] = methods[m].name;
    }
    bench_terms turns = {c->variant->name, names, CONTESTANTS, c->size.plays, c->size.steps, 0.0};
    bool done = bench_take_turns(c->settings, &turns, play, g, report);
    if (done) {
        keep_costs(g, bench_plays(c->settings, &turns));
    }
    return done;
}

/* ------------------------------------------------------------------ report */

static double pairs_per_step(const crowd *c, const bench_summary *answers)
{
    double sum = 0.0;
    for (uint32_t step = 0; step < c->size.steps; step++) {
        sum += (double)answers[step].count;
    }
    return sum / c->size.steps;
}

static void add_row(const crowd_game *g, uint32_t who, const char *name, bench_report *report)
{
    const crowd *c = g->crowd;
    const crowd_cost *cost = &g->costs[who];
    bench_row *row = report_row(report, "%s: %s", c->variant->name, name);
    report_cell(row, "bodies", c->count, 0);
    report_cell(row, "pairs", pairs_per_step(c, c->totals), 1);
    report_cell(row, "update_ms", who < METHODS ? (double)NAN : cost->update, 3);
    report_cell(row, "total_ms", cost->total, 3);
    report_cell(row, "over_ours", cost->total / g->costs[0].total, 2);
    if (who < METHODS) {
        report_cell(row, "body_pairs", cost->broad, 0);
        report_cell(row, "nodes_tested", cost->narrow, 0);
        report_cell(row, "nodes", cost->nodes, 0);
        report_cell(row, "clusters", cost->clusters, 0);
        report_cell(row, "bytes_a_body", cost->bytes / c->count, 0);
    }
}

static void add_results(const crowd_game *g, bench_report *report)
{
    const crowd *c = g->crowd;
    const crowd_cost *costs = g->costs;
    add_row(g, REFIT, "evaluate all, refit", report);
    add_row(g, MODERN, "evaluate all, modern bottom-up", report);
    for (uint32_t m = 0; m < METHODS; m++) {
        add_row(g, m, methods[m].name, report);
    }
    report_ratio(report, c->variant->key, costs[REFIT].total / costs[0].total, (double)NAN,
                 c->variant->meaning);
    report_ratio(report, c->variant->key_modern, costs[MODERN].total / costs[0].total, (double)NAN,
                 "the same with modern bottom-up, refitted and compared with vectors");
    report_note(report,
                "%s: rivals did %u of %u bodies (%.1f of %.1f pairs a step), and are scaled up by "
                "bodies and by pairs of bodies; evaluating is %.0f %% of the scalar one's time",
                c->variant->name, c->block_count, c->count, pairs_per_step(c, c->answers),
                pairs_per_step(c, c->totals), 100.0 * costs[REFIT].evaluate / costs[REFIT].total);
}

static bool run_variant(const bench_settings *settings, const crowd_variant *variant,
                        bench_report *report)
{
    static crowd_game g;
    crowd c;
    memset(&g, 0, sizeof g);
    g.crowd = &c;
    bool done = crowd_create(settings, variant, &c) && (g.rival = crowd_rival_create(&c)) != NULL;
    if (!done) {
        report_fail(report, "not enough memory");
    }
    for (uint32_t m = 0; done && m < METHODS; m++) {
        done = ours_create(&c, &methods[m], &g.own[m]) ||
               report_fail(report, "%s failed: %s", methods[m].name, pliant_last_error());
    }
    done = done && crowd_rival_prepare(&c, &g.own[0], g.rival, report) && hold_contest(&g, report);
    if (done) {
        add_results(&g, report);
    }
    for (uint32_t m = 0; m < METHODS; m++) {
        ours_destroy(&c, &g.own[m]);
    }
    crowd_rival_destroy(&c, g.rival);
    crowd_free(&c);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    return run_variant(settings, &variants[0], report) &&
           run_variant(settings, &variants[1], report);
}

const bench_experiment experiment_bd_crowd = {
    .name = "bd-crowd",
    .description = "1,000 bodies of 18,000 triangles and 10 modes, moving rigidly as well",
    .paper = NULL,
    .run = run,
};
