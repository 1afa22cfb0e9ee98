/*
 * The rivals of bd-crowd: all vertices of a block of the crowd are evaluated with SIMD. Then boxes
 * are refitted and compared: once scalar and binary, once with the library's own layout and kernels
 * ("modern bottom-up"), whose scene also finds the pairs.
 */
#include "bd_crowd.h"

#include <stdlib.h>

#include "body/refresh.h"
#include "lab/baselines/baselines.h"
#include "lab/baselines/fields.h"

struct bd_rival {
    crowd_scene modern;
    baseline_fields fields;
    baseline_tree *trees;
    float **positions;
    uint32_t *names; /* of the block's bodies in the bd_crowd */
    baseline_scratch scratch;
};

/* Free bodies whose boxes are all refitted. */
static bool create_modern(const bd_crowd *c, crowd_scene *modern)
{
    const gallery_model none = {.mode_count = 0};
    crowd block = {.body_count = c->block_count, .shape = reduced_shape_def(&c->stars.mesh, &none)};
    pliant_body_def def = pliant_body_def_default();
    def.update = PLIANT_UPDATE_BOTTOM_UP;
    return crowd_scene_create(&block, &def, bench_threads(c->settings), c->settings, modern);
}

bd_rival *bd_rival_create(const bd_crowd *c)
{
    bd_rival *rival = malloc(sizeof *rival);
    if (rival == NULL) {
        return NULL;
    }
    *rival = (bd_rival){.trees = calloc(c->block_count, sizeof *rival->trees),
                        .positions = calloc(c->block_count, sizeof *rival->positions),
                        .names = calloc(c->block_count, sizeof *rival->names)};
    bool done =
        rival->trees != NULL && rival->positions != NULL && rival->names != NULL &&
        baseline_fields_create(&c->stars.mesh, &c->stars.model, c->settings->isa, &rival->fields) &&
        create_modern(c, &rival->modern);
    for (uint32_t i = 0; done && i < c->block_count; i++) {
        rival->names[i] = bd_block_body(c, i);
        rival->positions[i] = baseline_fields_positions(&rival->fields);
        done =
            rival->positions[i] != NULL && baseline_tree_build(&c->stars.mesh, 2, &rival->trees[i]);
    }
    if (!done) {
        bd_rival_destroy(c, rival);
    }
    return done ? rival : NULL;
}

void bd_rival_destroy(const bd_crowd *c, bd_rival *rival)
{
    if (rival == NULL) {
        return;
    }
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
    crowd_scene_free(&rival->modern);
    free(rival);
}

/* All trees refitted, then all pairs walked; in milliseconds. */
static bool scalar_step(bd_crowd *c, bd_rival *rival, bd_rival_cost *cost, bench_summary *found)
{
    double start = bench_seconds();
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
                !baseline_close_range(&rival->scratch, bd_block_body(c, a), bd_block_body(c, b),
                                      first)) {
                return false;
            }
        }
    }
    cost->refit = 1e3 * (refitted - start);
    cost->query = 1e3 * (bench_seconds() - refitted);
    bench_outcome outcome = {0};
    baseline_scratch_show(&rival->scratch, &outcome);
    *found = bench_summarise(&outcome);
    return true;
}

/* The same with the library's layout and kernels. */
static bool modern_step(bd_rival *rival, bd_rival_cost *cost, bench_summary *found)
{
    crowd_scene *own = &rival->modern;
    pliant_scene_contacts contacts = {0};
    double start = bench_seconds();
    for (uint32_t i = 0; i < own->body_count; i++) {
        if (pliant_body_share_positions(own->bodies[i], rival->positions[i], 0) != PLIANT_OK ||
            pli_body_prepare(own->bodies[i]) != PLIANT_OK) {
            return false;
        }
    }
    double refitted = bench_seconds();
    if (pliant_scene_collide(own->scene, NULL, &contacts) != PLIANT_OK) {
        return false;
    }
    cost->refit = 1e3 * (refitted - start);
    cost->query = 1e3 * (bench_seconds() - refitted);
    return crowd_scene_summarise(own, contacts.bodies, contacts.body_pair_count, contacts.pairs,
                                 rival->names, found);
}

bool bd_rival_step(bd_crowd *c, bd_rival *rival, bool modern, uint32_t step, bd_rival_cost *cost,
                   bench_report *report)
{
    bench_summary found = {0, 0};
    double start = bench_seconds(), bodies = (double)c->count / c->block_count;
    for (uint32_t i = 0; i < c->block_count; i++) {
        uint32_t body = bd_block_body(c, i);
        baseline_fields_evaluate(&rival->fields, crowd_coordinates(&c->stars, step, body),
                                 crowd_transforms(&c->stars, step, body), rival->positions[i]);
    }
    cost->evaluate = 1e3 * bodies * (bench_seconds() - start);
    if (!modern && !scalar_step(c, rival, cost, &found)) {
        return report_fail(report, "not enough memory");
    }
    if (modern && !modern_step(rival, cost, &found)) {
        return report_fail(report, "modern bottom-up failed: %s", pliant_last_error());
    }
    cost->refit *= bodies;
    cost->query *= c->pair_scale[step];
    return bd_same(found, c->answers[step]) ||
           report_fail(report,
                       "ours and the %s rival do not agree on their common bodies at step %u (%llu "
                       "and %llu pairs)",
                       modern ? "modern" : "scalar", step,
                       (unsigned long long)c->answers[step].count, (unsigned long long)found.count);
}

/* How many times more pairs of bodies there are to walk in all than in the block. */
static double pair_scale(const bd_crowd *c, crowd_scene *own, uint32_t step)
{
    double all = 0.0, block = 0.0;
    pliant_box *boxes = malloc(c->count * sizeof *boxes);
    for (uint32_t i = 0; boxes != NULL && i < c->count; i++) {
        bd_set(c, own, i, step);
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
            block += meet && bd_in_block(c, a) && bd_in_block(c, b);
        }
    }
    free(boxes);
    return block > 0.0 ? all / block : (double)c->count / c->block_count;
}

/* The block may touch little: so a few pairs of bodies that do touch are compared as well. */
static bool check_touching(bd_crowd *c, crowd_scene *own, bd_rival *rival, uint32_t step,
                           bench_report *report)
{
    pliant_scene_contacts contacts = {0};
    if (!bd_ours_step(c, own, step, &contacts)) {
        return report_fail(report, "ours failed: %s", pliant_last_error());
    }
    for (uint32_t i = 0; i < contacts.body_pair_count && i < 4; i++) {
        const pliant_scene_pair *pair = &contacts.bodies[i];
        uint32_t bodies[2] = {pair->a.index, pair->b.index};
        for (int k = 0; k < 2; k++) {
            uint32_t body = bodies[k];
            baseline_fields_evaluate(&rival->fields, crowd_coordinates(&c->stars, step, body),
                                     crowd_transforms(&c->stars, step, body), rival->positions[k]);
            baseline_tree_refit(&rival->trees[k], rival->positions[k]);
        }
        baseline_scratch_clear(&rival->scratch);
        if (!baseline_collide_trees(&rival->trees[0], rival->positions[0], &rival->trees[1],
                                    rival->positions[1], &rival->scratch)) {
            return report_fail(report, "not enough memory");
        }
        bench_summary found = reduced_summarise(rival->scratch.pairs, rival->scratch.pair_count);
        if (!bd_same(found, reduced_summarise(contacts.pairs + pair->first, pair->count))) {
            return report_fail(report, "ours and the rival do not agree on bodies %u and %u",
                               bodies[0], bodies[1]);
        }
    }
    return true;
}

bool bd_rival_prepare(bd_crowd *c, crowd_scene *own, bd_rival *rival, bench_report *report)
{
    bool done = true;
    for (uint32_t step = 0; done && step < c->size.steps; step++) {
        c->pair_scale[step] = pair_scale(c, own, step);
        done = check_touching(c, own, rival, step, report);
    }
    return done;
}
