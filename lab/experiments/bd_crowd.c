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

#define MAX_PLAYS 31

static const bd_size sizes[3] = {{6, 3, 3, 3}, {10, 4, 12, 15}, {10, 6, 40, 31}};

static const bd_variant variants[2] = {
    {"dense", "pairs_1000", "evaluate all and refit over ours, about 1,083 pairs a step",
     "pairs_1000_modern", 2.058},
    {"sparse", "pairs_12", "the same with about 12 pairs a step", "pairs_12_modern", 2.315},
};

typedef struct bd_method {
    const char *name;
    pliant_bound_kind bound;
    bool coherent;
} bd_method;

static const bd_method methods[] = {
    {"ours, auto", PLIANT_BOUND_AUTO, false},
    {"ours, boxes", PLIANT_BOUND_BOX, false},
    {"ours, spheres", PLIANT_BOUND_SPHERE, false},
    {"ours, auto, coherent", PLIANT_BOUND_AUTO, true},
};
enum { METHODS = sizeof methods / sizeof methods[0], REFIT = METHODS, MODERN, CONTESTANTS };

static bool create(const bench_settings *settings, const bd_variant *variant, bd_crowd *c)
{
    *c = (bd_crowd){.settings = settings, .variant = variant, .size = sizes[settings->length]};
    c->count = c->size.side * c->size.side * c->size.side;
    c->block_count = c->size.block * c->size.block * c->size.block;
    c->ranges = malloc((size_t)c->block_count * c->block_count * sizeof *c->ranges);
    return crowd_make_stars(c->count, variant->spacing, c->size.steps, &c->stars) &&
           c->ranges != NULL;
}

/* -------------------------------------------------------------------- ours */

static bool ours_create(const bd_crowd *c, const bd_method *method, crowd_scene *own)
{
    crowd stars = c->stars; /* borrows */
    pliant_body_def def = pliant_body_def_default();
    stars.shape.bound = method->bound;
    def.coherent = method->coherent;
    return crowd_scene_create(&stars, &def, bench_threads(c->settings), c->settings, own);
}

/* Summarises the whole answer, and the part inside the block. */
static void summarise(bd_crowd *c, const pliant_scene_contacts *contacts, bench_summary *total,
                      bench_summary *block)
{
    bench_outcome outcome = {.pairs = contacts->pairs, .ranges = c->ranges};
    *total = reduced_summarise(contacts->pairs, contacts->count);
    for (uint32_t i = 0; i < contacts->body_pair_count; i++) {
        const pliant_scene_pair *pair = &contacts->bodies[i];
        if (bd_in_block(c, pair->a.index) && bd_in_block(c, pair->b.index)) {
            c->ranges[outcome.range_count++] = (bench_range){
                .a = pair->a.index, .b = pair->b.index, .first = pair->first, .count = pair->count};
        }
    }
    *block = bench_summarise(&outcome);
}

bool bd_set(const bd_crowd *c, crowd_scene *own, uint32_t body, uint32_t step)
{
    return reduced_set(own->bodies[body], &c->stars.model, crowd_coordinates(&c->stars, step, body),
                       crowd_transforms(&c->stars, step, body));
}

bool bd_ours_step(const bd_crowd *c, crowd_scene *own, uint32_t step,
                  pliant_scene_contacts *contacts)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (!bd_set(c, own, i, step)) {
            return false;
        }
    }
    return pliant_scene_collide(own->scene, NULL, contacts) == PLIANT_OK;
}

/* -------------------------------------------------------------------- contest */

/* Milliseconds of a contestant per step, and the work of one of our methods. */
typedef struct bd_cost {
    double update, total, evaluate;
    double broad, narrow, nodes, clusters, bytes; /* per step; bytes held in the end */
} bd_cost;

typedef struct bd_game {
    bd_crowd *crowd;
    crowd_scene own[METHODS];
    bd_rival *rival;
    bd_cost costs[CONTESTANTS];
    double update[CONTESTANTS][BD_MAX_STEPS][MAX_PLAYS];
    double total[CONTESTANTS][BD_MAX_STEPS][MAX_PLAYS];
} bd_game;

/* Compares an answer with the first. */
static bool check_answer(bd_crowd *c, uint32_t who, uint32_t round, uint32_t step,
                         const pliant_scene_contacts *contacts, bench_report *report)
{
    bench_summary total, block;
    summarise(c, contacts, &total, &block);
    if (who == 0 && round == 0) {
        c->totals[step] = total;
        c->answers[step] = block;
    }
    return (bd_same(total, c->totals[step]) && bd_same(block, c->answers[step])) ||
           report_fail(report, "%s and %s do not agree at step %u", methods[0].name,
                       methods[who].name, step);
}

static bool step_ours(bd_game *g, uint32_t who, uint32_t round, uint32_t step, bench_report *report)
{
    pliant_scene_contacts contacts;
    double start = bench_seconds();
    if (!bd_ours_step(g->crowd, &g->own[who], step, &contacts)) {
        return report_fail(report, "%s failed: %s", methods[who].name, pliant_last_error());
    }
    g->total[who][step][round] = 1e3 * (bench_seconds() - start);
    const pliant_scene_stats *stats = pliant_scene_get_stats(g->own[who].scene);
    bd_cost *cost = &g->costs[who];
    cost->broad += stats->pairs_broad;
    cost->narrow += (double)stats->narrow.nodes_tested;
    cost->nodes += (double)stats->narrow.nodes_refreshed;
    cost->clusters += (double)stats->narrow.clusters_refreshed;
    return check_answer(g->crowd, who, round, step, &contacts, report);
}

static bool step_rival(bd_game *g, uint32_t who, uint32_t round, uint32_t step,
                       bench_report *report)
{
    bd_rival_cost cost = {0};
    bool done = bd_rival_step(g->crowd, g->rival, who == MODERN, step, &cost, report);
    g->update[who][step][round] = cost.evaluate + cost.refit;
    g->total[who][step][round] = cost.evaluate + cost.refit + cost.query;
    g->costs[who].evaluate += cost.evaluate;
    return done;
}

static bool play(void *user, uint32_t who, uint32_t round, bench_report *report)
{
    bd_game *g = user;
    bool done = true;
    for (uint32_t step = 0; done && step < g->crowd->size.steps; step++) {
        done = (who < METHODS ? step_ours : step_rival)(g, who, round, step, report);
    }
    return done;
}

/* Medians of times, and means of what was counted. */
static void keep_costs(bd_game *g, uint32_t plays)
{
    uint32_t steps = g->crowd->size.steps;
    double share = 1.0 / ((double)steps * plays);
    for (uint32_t who = 0; who < CONTESTANTS; who++) {
        bd_cost *cost = &g->costs[who];
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

static bool hold_contest(bd_game *g, bench_report *report)
{
    const bd_crowd *c = g->crowd;
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

static double pairs_per_step(const bd_crowd *c, const bench_summary *answers)
{
    double sum = 0.0;
    for (uint32_t step = 0; step < c->size.steps; step++) {
        sum += (double)answers[step].count;
    }
    return sum / c->size.steps;
}

static void add_row(const bd_game *g, uint32_t who, const char *name, bench_report *report)
{
    const bd_crowd *c = g->crowd;
    const bd_cost *cost = &g->costs[who];
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

static void add_results(const bd_game *g, bench_report *report)
{
    const bd_crowd *c = g->crowd;
    const bd_cost *costs = g->costs;
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

static bool run_variant(const bench_settings *settings, const bd_variant *variant,
                        bench_report *report)
{
    static bd_game g;
    bd_crowd c;
    memset(&g, 0, sizeof g);
    g.crowd = &c;
    bool done = create(settings, variant, &c) && (g.rival = bd_rival_create(&c)) != NULL;
    if (!done) {
        report_fail(report, "not enough memory");
    }
    for (uint32_t m = 0; done && m < METHODS; m++) {
        done = ours_create(&c, &methods[m], &g.own[m]) ||
               report_fail(report, "%s failed: %s", methods[m].name, pliant_last_error());
    }
    done = done && bd_rival_prepare(&c, &g.own[0], g.rival, report) && hold_contest(&g, report);
    if (done) {
        add_results(&g, report);
    }
    for (uint32_t m = 0; m < METHODS; m++) {
        crowd_scene_free(&g.own[m]);
    }
    bd_rival_destroy(&c, g.rival);
    free(c.ranges);
    crowd_free(&c.stars);
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
