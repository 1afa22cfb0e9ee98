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

#define TRIANGLES       18000
#define MAX_REPETITIONS 31

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
enum { METHODS = sizeof methods / sizeof methods[0] };

static bool crowd_create(const bench_settings *settings, const crowd_variant *variant, crowd *c)
{
    *c = (crowd){.settings = settings, .variant = variant, .size = sizes[settings->length]};
    c->size.repetitions = bench_repetitions(settings, c->size.repetitions);
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

double crowd_ours_step(crowd *c, crowd_ours *own, uint32_t step, pliant_scene_contacts *contacts)
{
    double start = bench_seconds();
    for (uint32_t i = 0; i < c->count; i++) {
        const crowd_state *state = crowd_state_of(c, i, step);
        if (!reduced_set(own->bodies[i], &c->model, state->coordinates, state->transform)) {
            return -1.0;
        }
    }
    if (pliant_scene_collide(own->scene, NULL, contacts) != PLIANT_OK) {
        return -1.0;
    }
    return bench_seconds() - start;
}

/* What one of our methods took per step, in milliseconds, and what it did. */
typedef struct crowd_cost {
    double ms;
    double broad, narrow, nodes, clusters, bytes; /* per step; bytes held in the end */
} crowd_cost;

static bool play(crowd *c, const crowd_method *method, crowd_ours *own, crowd_cost *cost,
                 bench_report *report)
{
    static double samples[CROWD_MAX_STEPS][MAX_REPETITIONS];
    for (uint32_t r = 0; r < c->size.repetitions; r++) {
        bench_progress(c->settings, method->name, r, c->size.repetitions);
        for (uint32_t step = 0; step < c->size.steps; step++) {
            pliant_scene_contacts contacts;
            samples[step][r] = crowd_ours_step(c, own, step, &contacts);
            if (samples[step][r] < 0.0) {
                return report_fail(report, "%s failed: %s", method->name, pliant_last_error());
            }
            bench_summary total, block;
            summarise(c, &contacts, &total, &block);
            if (method == methods && r == 0) {
                c->totals[step] = total;
                c->answers[step] = block;
            } else if (!crowd_same(total, c->totals[step]) ||
                       !crowd_same(block, c->answers[step])) {
                return report_fail(report, "%s and %s do not agree at step %u", methods[0].name,
                                   method->name, step);
            }
            const pliant_scene_stats *stats = pliant_scene_get_stats(own->scene);
            double share = 1.0 / ((double)c->size.steps * c->size.repetitions);
            cost->broad += share * stats->pairs_broad;
            cost->narrow += share * (double)stats->narrow.nodes_tested;
            cost->nodes += share * (double)stats->narrow.nodes_refreshed;
            cost->clusters += share * (double)stats->narrow.clusters_refreshed;
        }
    }
    for (uint32_t step = 0; step < c->size.steps; step++) {
        cost->ms += 1e3 * bench_median(samples[step], c->size.repetitions) / c->size.steps;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        cost->bytes += (double)pliant_body_get_memory(own->bodies[i]).bounds;
    }
    return true;
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

static void add_row(const crowd *c, const char *name, double update, double total,
                    const crowd_cost *cost, double ours, bench_report *report)
{
    bench_row *row = report_row(report, "%s: %s", c->variant->name, name);
    report_cell(row, "bodies", c->count, 0);
    report_cell(row, "pairs", pairs_per_step(c, c->totals), 1);
    report_cell(row, "update_ms", update, 3);
    report_cell(row, "total_ms", total, 3);
    report_cell(row, "over_ours", total / ours, 2);
    if (cost != NULL) {
        report_cell(row, "body_pairs", cost->broad, 0);
        report_cell(row, "nodes_tested", cost->narrow, 0);
        report_cell(row, "nodes", cost->nodes, 0);
        report_cell(row, "clusters", cost->clusters, 0);
        report_cell(row, "bytes_a_body", cost->bytes / c->count, 0);
    }
}

static bool run_variant(const bench_settings *settings, const crowd_variant *variant,
                        bench_report *report)
{
    crowd c;
    bool done = crowd_create(settings, variant, &c);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    double ours = 0.0;
    rival_cost rival = {0};
    for (uint32_t m = 0; done && m < METHODS; m++) {
        crowd_ours own;
        crowd_cost cost = {0};
        done = ours_create(&c, &methods[m], &own) ||
               report_fail(report, "%s failed: %s", methods[m].name, pliant_last_error());
        done = done && play(&c, &methods[m], &own, &cost, report);
        ours = m == 0 ? cost.ms : ours;
        if (done && m == 0) {
            done = crowd_play_rival(&c, &own, &rival, report);
            double update = rival.evaluate + rival.refit;
            add_row(&c, "evaluate all, refit", update, update + rival.query, NULL, ours, report);
            update = rival.evaluate + rival.modern_refit;
            add_row(&c, "evaluate all, modern bottom-up", update, update + rival.modern_query, NULL,
                    ours, report);
        }
        if (done) {
            add_row(&c, methods[m].name, (double)NAN, cost.ms, &cost, ours, report);
        }
        ours_destroy(&c, &own);
    }
    if (done) {
        report_ratio(report, variant->key, (rival.evaluate + rival.refit + rival.query) / ours,
                     (double)NAN, variant->meaning);
        report_ratio(report, variant->key_modern,
                     (rival.evaluate + rival.modern_refit + rival.modern_query) / ours, (double)NAN,
                     "the same with modern bottom-up, refitted and compared with vectors");
        report_note(report,
                    "%s: the rival did %u of %u bodies (%.1f of %.1f pairs a step), and is scaled "
                    "up by bodies and by pairs of bodies; evaluating is %.0f %% of its time",
                    variant->name, c.block_count, c.count, pairs_per_step(&c, c.answers),
                    pairs_per_step(&c, c.totals),
                    100.0 * rival.evaluate / (rival.evaluate + rival.refit + rival.query));
    }
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
