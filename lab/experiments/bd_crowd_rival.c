/*
 * The rivals of bd-crowd: all vertices of a block of the crowd are evaluated with SIMD; then boxes
 * are refitted and compared, once scalar and binary, once modern (bd_crowd_modern.h).
 */
#include "bd_crowd.h"

#include <stdlib.h>

#include "bd_crowd_modern.h"
#include "lab/baselines/baselines.h"
#include "lab/baselines/fields.h"

typedef struct crowd_rival {
    baseline_fields fields;
    baseline_tree *trees;
    float **positions;
    uint32_t *names; /* of the block's bodies in the crowd */
    baseline_scratch scratch;
} crowd_rival;

static bool rival_create(const crowd *c, crowd_rival *rival)
{
    *rival = (crowd_rival){.trees = calloc(c->block_count, sizeof *rival->trees),
                           .positions = calloc(c->block_count, sizeof *rival->positions),
                           .names = calloc(c->block_count, sizeof *rival->names)};
    bool done = rival->trees != NULL && rival->positions != NULL && rival->names != NULL &&
                baseline_fields_create(&c->mesh, &c->model, c->settings->isa, &rival->fields);
    for (uint32_t i = 0; done && i < c->block_count; i++) {
        rival->names[i] = crowd_block_body(c, i);
        rival->positions[i] = baseline_fields_positions(&rival->fields);
        done = rival->positions[i] != NULL && baseline_tree_build(&c->mesh, 2, &rival->trees[i]);
    }
    return done;
}

static void rival_free(const crowd *c, crowd_rival *rival)
{
    for (uint32_t i = 0; i < c->block_count; i++) {
        if (rival->trees != NULL) {
            baseline_tree_free(&rival->trees[i]);
        }
        if (rival->positions != NULL) {
            free(rival->positions[i]);
        }
    }
    free(rival->trees);
    free(rival->positions);
    free(rival->names);
    baseline_fields_free(&rival->fields);
    baseline_scratch_free(&rival->scratch);
}

static bool rival_step(crowd *c, crowd_rival *rival, uint32_t step, rival_cost *cost)
{
    double start = bench_seconds();
    for (uint32_t i = 0; i < c->block_count; i++) {
        const crowd_state *state = crowd_state_of(c, crowd_block_body(c, i), step);
        baseline_fields_evaluate(&rival->fields, state->coordinates, state->transform,
                                 rival->positions[i]);
    }
    double evaluated = bench_seconds();
    for (uint32_t i = 0; i < c->block_count; i++) {
        baseline_tree_refit(&rival->trees[i], rival->positions[i]);
    }
    double refitted = bench_seconds();
    baseline_scratch_clear(&rival->scratch);
    for (uint32_t a = 0; a < c->block_count; a++) {
        for (uint32_t b = a + 1; b < c->block_count; b++) {
            size_t first = rival->scratch.pair_count;
            if (!baseline_collide_trees(&rival->trees[a], rival->positions[a], &rival->trees[b],
                                        rival->positions[b], &rival->scratch) ||
                !baseline_close_range(&rival->scratch, crowd_block_body(c, a),
                                      crowd_block_body(c, b), first)) {
                return false;
            }
        }
    }
    double end = bench_seconds();
    cost->evaluate += 1e3 * (evaluated - start);
    cost->refit += 1e3 * (refitted - evaluated);
    cost->query += 1e3 * (end - refitted);
    return true;
}

/* How many times more pairs of bodies there are to walk in all than in the block. */
static double pair_scale(const crowd *c, crowd_ours *own, uint32_t step)
{
    double all = 0.0, block = 0.0;
    pliant_box *boxes = malloc(c->count * sizeof *boxes);
    for (uint32_t i = 0; boxes != NULL && i < c->count; i++) {
        const crowd_state *state = crowd_state_of(c, i, step);
        reduced_set(own->bodies[i], &c->model, state->coordinates, state->transform);
        pliant_body_get_bounds(own->bodies[i], &boxes[i]);
    }
    for (uint32_t a = 0; boxes != NULL && a < c->count; a++) {
        for (uint32_t b = a + 1; b < c->count; b++) {
            bool meet = true;
            for (int k = 0; k < 3; k++) {
                meet = meet && boxes[a].lower[k] <= boxes[b].upper[k] &&
                       boxes[b].lower[k] <= boxes[a].upper[k];
            }
            all += meet;
            block += meet && crowd_in_block(c, a) && crowd_in_block(c, b);
        }
    }
    free(boxes);
    return block > 0.0 ? all / block : (double)c->count / c->block_count;
}

/* The block may touch little: so a few pairs of bodies that do touch are compared as well. */
static bool check_touching(crowd *c, crowd_ours *own, crowd_rival *rival, uint32_t step,
                           bench_report *report)
{
    pliant_scene_contacts contacts = {0};
    if (crowd_ours_step(c, own, step, &contacts) < 0.0) {
        return report_fail(report, "ours failed: %s", pliant_last_error());
    }
    for (uint32_t i = 0; i < contacts.body_pair_count && i < 4; i++) {
        const pliant_scene_pair *pair = &contacts.bodies[i];
        uint32_t bodies[2] = {pair->a.index, pair->b.index};
        for (int k = 0; k < 2; k++) {
            const crowd_state *state = crowd_state_of(c, bodies[k], step);
            baseline_fields_evaluate(&rival->fields, state->coordinates, state->transform,
                                     rival->positions[k]);
            baseline_tree_refit(&rival->trees[k], rival->positions[k]);
        }
        baseline_scratch_clear(&rival->scratch);
        if (!baseline_collide_trees(&rival->trees[0], rival->positions[0], &rival->trees[1],
                                    rival->positions[1], &rival->scratch)) {
            return report_fail(report, "not enough memory");
        }
        bench_summary found = reduced_summarise(rival->scratch.pairs, rival->scratch.pair_count);
        if (!crowd_same(found, reduced_summarise(contacts.pairs + pair->first, pair->count))) {
            return report_fail(report, "ours and the rival do not agree on bodies %u and %u",
                               bodies[0], bodies[1]);
        }
    }
    return true;
}

/* The same positions refitted and compared with vectors. */
static bool modern_step(crowd *c, crowd_rival *rival, crowd_modern *modern, uint32_t step,
                        rival_cost *cost, bench_report *report)
{
    crowd_modern_step_result result;
    uint32_t plays = step == 0 ? 2 : 1; /* once to make room, which no later step needs */
    bool done = true;
    for (uint32_t i = 0; done && i < plays; i++) {
        done = crowd_modern_step(modern, rival->positions, rival->names, &result);
    }
    if (!done) {
        return report_fail(report, "modern bottom-up failed: %s", pliant_last_error());
    }
    cost->modern_refit = result.refit;
    cost->modern_query = result.query;
    return crowd_same(result.found, c->answers[step]) ||
           report_fail(report, "ours and modern bottom-up do not agree at step %u", step);
}

bool crowd_play_rival(crowd *c, crowd_ours *own, rival_cost *scaled, bench_report *report)
{
    crowd_rival rival;
    crowd_modern modern = {0};
    bool done = rival_create(c, &rival) &&
                crowd_modern_create(c->settings, &c->mesh, c->block_count, &modern);
    uint32_t steps = c->size.steps;
    if (!done) {
        report_fail(report, "not enough memory");
    }
    for (uint32_t step = 0; done && step < steps; step++) {
        rival_cost cost = {0};
        bench_progress(c->settings, "evaluate all and refit", step, steps);
        if (!rival_step(c, &rival, step, &cost)) {
            done = report_fail(report, "not enough memory");
            break;
        }
        bench_outcome outcome = {0};
        baseline_scratch_show(&rival.scratch, &outcome);
        bench_summary found = bench_summarise(&outcome);
        if (!crowd_same(found, c->answers[step])) {
            done = report_fail(
                report,
                "ours and the rival do not agree on their common bodies at step %u (%llu "
                "and %llu pairs)",
                step, (unsigned long long)c->answers[step].count, (unsigned long long)found.count);
        }
        done = done && modern_step(c, &rival, &modern, step, &cost, report);
        double bodies = (double)c->count / c->block_count, pairs = pair_scale(c, own, step);
        scaled->evaluate += bodies * cost.evaluate / steps;
        scaled->refit += bodies * cost.refit / steps;
        scaled->query += pairs * cost.query / steps;
        scaled->modern_refit += bodies * cost.modern_refit / steps;
        scaled->modern_query += pairs * cost.modern_query / steps;
        done = done && check_touching(c, own, &rival, step, report);
    }
    crowd_modern_free(&modern);
    rival_free(c, &rival);
    return done;
}
