/* What the experiments with blended bodies have in common: a pulled brain, and contests. */
#ifndef LAB_EXPERIMENTS_POINTS_H
#define LAB_EXPERIMENTS_POINTS_H

#include "lab/baselines/blend_bounds.h"
#include "lab/harness/bench.h"
#include "lab/motions/motion.h"
#include "pliant/body.h"
#include "gallery/meshless/nodes.h"

/* A brain, and bodies that follow it. */
typedef struct points_brain {
    gallery_scene *scene;
    node_cloud nodes;
    blend_source source;
    float *transforms; /* of the step shown */
    double size;       /* of the body at rest, about */
    pliant_context *context;
    pliant_shape *binary_shape; /* with a binary tree down to single triangles, if asked for */
    pliant_body *binary_body;
    pliant_shape *shape; /* with the usual tree */
    pliant_body *body;
} points_brain;

/* False, with the reason in the report, when it cannot be made; free it in either case. */
bool points_brain_create(const bench_settings *settings, uint32_t vertices, uint32_t nodes,
                         bool binary_tree, points_brain *brain, bench_report *report);
void points_brain_free(points_brain *brain);

/* Puts the bodies into the state of a step. */
bool points_brain_show(points_brain *brain, uint32_t step);

/* Siblings of a shape, the children of node n or, as node_count + c, the leaves of cluster c: how
   many there are, and the vertices of one. Those of a leaf may be listed more than once. */
uint32_t points_count_lanes(const pliant_shape *shape, uint32_t siblings);
uint32_t points_list_vertices(const pliant_shape *shape, uint32_t siblings, uint32_t lane,
                              uint32_t *vertices);

/* The smallest box of `count` vertices, listed or the first ones. */
blend_box points_smallest_box(const float *positions, const uint32_t *vertices, uint32_t count);

/* Adds rows that compare our ways to bound a node's children, level by level: time and size. */
bool points_add_levels(const bench_settings *settings, points_brain *brain, bench_report *report);

/* Contests of blended bodies in a scene: the rivals, the paper's own method, all our strategies and
   ours in plain C; for first contact the rivals of old and our automatic choice. */
typedef struct points_contest {
    const bench_settings *settings;
    bench_motion *motion;
    bool first_only;
    uint32_t plays; /* 0: as many as usual */
    const char *title;
    uint32_t vertices, nodes;
    bool large; /* contact, where there is a choice */
} points_contest;

/* What came of it: milliseconds over all steps. */
typedef struct points_result {
    double plain, simd, ours; /* bottom-up, scalar and vectorised; ours with vectors */
    double paper, ours_plain; /* the paper's own method, scalar; ours in plain C: all pairs only */
    double auto_over_best;    /* NAN for first contact */
    uint64_t pairs;
} points_result;

/* Runs it and adds a row per method; false if methods disagree. */
bool points_contest_run(const points_contest *wanted, points_result *result, bench_report *report);

#endif
