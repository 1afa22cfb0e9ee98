/*
 * Which way to bound a node's children is best at which level: the dual bound about the mean
 * side with one try or several, or about the second largest; the exact maximum; and the paper's
 * two largest. Time per node of eight children and radius over the smallest, on the brain with the
 * tree that bodies have. The two rules go child by child in plain C, the dual bound bounds eight at
 * once; that is part of the comparison.
 */
#include "points.h"

#include <math.h>
#include <stdlib.h>

#include "lab/baselines/baselines.h"
#include "body/body.h"
#include "bounds/bounds.h"

enum { MOST_CHOSEN = 64, VARIANTS = 8 };

static const struct {
    const char *name;
    int tries; /* as of the kernel; -1: by a rule */
    pli_blend_rule rule;
} variants[VARIANTS] = {
    {"dual, 1 try", 1, 0},
    {"dual, 2 tries", 2, 0},
    {"dual, 3 tries", 3, 0},
    {"dual, 4 tries", 4, 0},
    {"dual, 6 tries", 6, 0},
    {"dual, second largest", 0, 0},
    {"exact maximum", -1, PLI_BLEND_EXACT},
    {"two largest", -1, PLI_BLEND_TWO_LARGEST},
};

typedef struct level_run {
    points_brain *brain;
    float *positions;
    uint32_t *vertices;
    double *scratch;
    uint32_t chosen[MOST_CHOSEN]; /* nodes of the level in hand */
    uint32_t chosen_count;
    double joints; /* per chosen node */
    double seconds[VARIANTS], sum[VARIANTS], most[VARIANTS];
    uint64_t boxes, calls;
} level_run;

static void bound(const level_run *run, uint32_t node, int variant, pli_boxes *boxes)
{
    const pliant_shape *shape = run->brain->shape;
    const pli_model_kernels *kernels = run->brain->body->model_kernels;
    const pli_pose *pose = &run->brain->body->pose;
    pli_coefficient_view view = pli_view_coefficients(shape, node, shape->nodes[node].child_count);
    if (variants[variant].tries >= 0) {
        pli_local local;
        kernels->gather_axes(&view, pose, &local);
        kernels->blend_boxes(&view, pose, &local, variants[variant].tries, boxes);
    } else {
        pli_bound_children_by_rule(kernels, &view, pose, variants[variant].rule, run->scratch,
                                   boxes);
    }
}

/* Some nodes of a level, evenly. */
static void choose_nodes(level_run *run, uint32_t level)
{
    const pliant_shape *shape = run->brain->shape;
    uint32_t all = 0, at = 0;
    run->chosen_count = 0;
    run->joints = 0.0;
    for (uint32_t n = 0; n < shape->node_count; n++) {
        all += shape->nodes[n].level == level;
    }
    uint32_t every = 1 + (all > 0 ? (all - 1) / MOST_CHOSEN : 0);
    for (uint32_t n = 0; n < shape->node_count; n++) {
        if (shape->nodes[n].level == level && at++ % every == 0) {
            run->chosen[run->chosen_count++] = n;
            run->joints += shape->coefficients[n].joint_count;
        }
    }
    run->joints /= run->chosen_count;
}

static void bound_chosen(const level_run *run, int variant)
{
    pli_boxes boxes;
    for (uint32_t r = 0; r < run->chosen_count; r++) {
        bound(run, run->chosen[r], variant, &boxes);
    }
}

static void measure_time(level_run *run, uint32_t repetitions)
{
    /* A round that is not timed, so that nobody meets cold caches and a slow clock. */
    for (int variant = 0; variant < VARIANTS; variant++) {
        bound_chosen(run, variant);
    }
    for (int variant = 0; variant < VARIANTS; variant++) {
        double start = bench_seconds();
        for (uint32_t i = 0; i < repetitions; i++) {
            bound_chosen(run, variant);
        }
        run->seconds[variant] += bench_seconds() - start;
    }
    run->calls += (uint64_t)repetitions * run->chosen_count;
}

static void measure_size(level_run *run)
{
    const pliant_shape *shape = run->brain->shape;
    for (uint32_t r = 0; r < run->chosen_count; r++) {
        pli_boxes boxes[VARIANTS];
        for (int variant = 0; variant < VARIANTS; variant++) {
            bound(run, run->chosen[r], variant, &boxes[variant]);
        }
        for (uint32_t lane = 0; lane < shape->nodes[run->chosen[r]].child_count; lane++) {
            uint32_t count = points_list_vertices(shape, run->chosen[r], lane, run->vertices);
            blend_box best = points_smallest_box(run->positions, run->vertices, count);
            for (int variant = 0; variant < VARIANTS; variant++) {
                blend_box box;
                for (int k = 0; k < 3; k++) {
                    box.lower[k] = (double)boxes[variant].side[k][lane];
                    box.upper[k] = (double)boxes[variant].side[3 + k][lane];
                }
                double ratio = blend_box_radius(&box) / blend_box_radius(&best);
                run->sum[variant] += ratio;
                run->most[variant] = fmax(run->most[variant], ratio);
            }
            run->boxes++;
        }
    }
}

static bool measure_level(level_run *run, uint32_t level, uint32_t stride, bench_report *report)
{
    uint32_t steps = run->brain->scene->steps;
    choose_nodes(run, level);
    run->boxes = run->calls = 0;
    for (int variant = 0; variant < VARIANTS; variant++) {
        run->seconds[variant] = run->sum[variant] = run->most[variant] = 0.0;
    }
    for (uint32_t step = stride; step <= steps; step += stride) {
        if (!points_brain_show(run->brain, step)) {
            return report_fail(report, "%s", pliant_last_error());
        }
        baseline_blend_evaluate(run->brain->source.model, run->brain->source.rest,
                                run->brain->shape->vertex_count, run->brain->transforms,
                                run->positions);
        measure_size(run);
        measure_time(run, 1 + MOST_CHOSEN / (4 * run->chosen_count));
    }
    for (int variant = 0; variant < VARIANTS; variant++) {
        bench_row *row =
            report_row(report, "children of level %u: %s", level + 1, variants[variant].name);
        report_cell(row, "nodes", run->brain->source.model->joint_count, 0);
        report_cell(row, "coefficient_joints", run->joints, 1);
        report_cell(row, "us", 1e6 * run->seconds[variant] / (double)run->calls, 3);
        report_cell(row, "mean", run->sum[variant] / (double)run->boxes, 4);
        report_cell(row, "max", run->most[variant], 3);
    }
    return true;
}

static bool allocate(level_run *run, uint32_t *levels)
{
    const pliant_shape *shape = run->brain->shape;
    size_t scratch = 1;
    *levels = 0;
    for (uint32_t n = 0; n < shape->node_count; n++) {
        pli_coefficient_view view = pli_view_coefficients(shape, n, shape->nodes[n].child_count);
        size_t needed = pli_blend_scratch_size(&view);
        scratch = needed > scratch ? needed : scratch;
        *levels = shape->nodes[n].level + 1 > *levels ? shape->nodes[n].level + 1 : *levels;
    }
    run->positions = malloc(3 * (size_t)shape->vertex_count * sizeof *run->positions);
    run->vertices = malloc(shape->vertex_count * sizeof *run->vertices);
    run->scratch = malloc(scratch * sizeof *run->scratch);
    return run->positions != NULL && run->vertices != NULL && run->scratch != NULL;
}

bool points_add_levels(const bench_settings *settings, points_brain *brain, bench_report *report)
{
    static const uint32_t strides[3] = {100, 20, 5};
    level_run run = {.brain = brain};
    uint32_t levels;
    bool done = allocate(&run, &levels);
    if (!done) {
        report_fail(report, "not enough memory");
    }
    for (uint32_t level = 0; done && level < levels; level++) {
        done = measure_level(&run, level, strides[settings->length], report);
    }
    free(run.positions);
    free(run.vertices);
    free(run.scratch);
    return done;
}
