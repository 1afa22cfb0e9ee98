/*
 * Based on: G. van den Bergen, "Efficient Collision Detection of Complex Deformable Models using
 * AABB Trees", 1997, as Larsson and Akenine-Moller (2001) describe and extend him: a binary tree
 * (also an 8-ary one) of boxes in each body's own frame, refitted whole from the leaves up every
 * step; between bodies, all pairs of them, these are oriented boxes, tested by "SAT lite": the 6
 * face normals of the 15 separating axes. Triangles at the leaves go to the exact test in their
 * world positions, as with every other method.
 *
 * Why no pair is lost. A vertex has a local position l (float32, what the boxes hold) and a world
 * position w (float32, what the exact test sees), with w = R l + t + e. Both are roundings of the
 * same reals, so |e| <= 2^-24 (|l| + |w|) <= 2^-23 M, where M bounds both lengths. If two triangles
 * share a world point, then, each triangle being the hull of its corners, that point is R l + t + e
 * for some l in the local box, and lies in the local box grown by |e| on every side. The test
 * itself rounds. It works in float32 and in doubled units: the distance along an axis of a is a sum
 * of five terms of together at most 8 M, one factor of each rounded before, and errs by less than
 * 2^-18 M; that along an axis of b is three such distances with three more roundings each and errs
 * by less than 2^-16 M. Growing each box by 2^-16 M on every side, 2^-15 M in doubled units and for
 * two boxes twice that, covers all of these together.
 */
#include "baselines.h"

#include <math.h>
#include <stdlib.h>

typedef struct van_den_bergen {
    baseline_forest forest;
    baseline_scratch scratch;
    /* World boxes around the placed root boxes, for this step. */
    double lower[BENCH_MAX_BODIES][3], upper[BENCH_MAX_BODIES][3];
    /* The two bodies at hand: from the second's frame to the first's. */
    const baseline_tree *trees[2];
    float rotation[3][3];
    float absolute[3][3];        /* |rotation| */
    float double_translation[3]; /* twice, as all lengths in the test are */
    float double_padding;
    uint64_t tests; /* pairs of boxes compared in this step */
} van_den_bergen;

static void destroy(void *state)
{
    van_den_bergen *rival = state;
    if (rival != NULL) {
        baseline_forest_free(&rival->forest);
        baseline_scratch_free(&rival->scratch);
        free(rival);
    }
}

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    (void)settings;
    van_den_bergen *rival = calloc(1, sizeof *rival);
    if (rival != NULL &&
        baseline_forest_build(motion, true, (uint32_t)method->variant, &rival->forest)) {
        return rival;
    }
    destroy(rival);
    return NULL;
}

/* The farthest that any corner of the root's box lies from the origin of its frame. */
static double reach(const baseline_node *root)
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double side = fmax(fabs((double)root->lower[axis]), fabs((double)root->upper[axis]));
        square += side * side;
    }
    return sqrt(square);
}

static double length(const double vector[3])
{
    return sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
}

static void relate_frames(van_den_bergen *rival, const gallery_placement *a,
                          const gallery_placement *b)
{
    for (int row = 0; row < 3; row++) {
        double translation = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            translation += a->rotation[axis][row] * (b->translation[axis] - a->translation[axis]);
        }
        rival->double_translation[row] = (float)(2.0 * translation);
        for (int column = 0; column < 3; column++) {
            double sum = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                sum += a->rotation[axis][row] * b->rotation[axis][column];
            }
            rival->rotation[row][column] = (float)sum;
            rival->absolute[row][column] = fabsf((float)sum);
        }
    }
    double largest = fmax(reach(rival->trees[0]->nodes) + length(a->translation),
                          reach(rival->trees[1]->nodes) + length(b->translation));
    rival->double_padding = (float)(2.0 * 0x1p-16 * largest);
}

/* The world box around a placed root box, grown as boxes are in the test of two. */
static void place_root(van_den_bergen *rival, uint32_t body, const gallery_placement *placement)
{
    const baseline_node *root = rival->forest.trees[body].nodes;
    double padding = 0x1p-16 * (reach(root) + length(placement->translation));
    for (int axis = 0; axis < 3; axis++) {
        double centre = placement->translation[axis], size = padding;
        for (int side = 0; side < 3; side++) {
            double lower = (double)root->lower[side], upper = (double)root->upper[side];
            centre += placement->rotation[axis][side] * 0.5 * (lower + upper);
            size += fabs(placement->rotation[axis][side]) * 0.5 * (upper - lower);
        }
        rival->lower[body][axis] = centre - size;
        rival->upper[body][axis] = centre + size;
    }
}

static bool roots_overlap(const van_den_bergen *rival, uint32_t a, uint32_t b)
{
    for (int axis = 0; axis < 3; axis++) {
        if (rival->lower[a][axis] > rival->upper[b][axis] ||
            rival->lower[b][axis] > rival->upper[a][axis]) {
            return false;
        }
    }
    return true;
}

/* A box in doubled units: twice its centre, twice its half size (padding included). */
typedef struct doubled_box {
    float centre[3], size[3];
} doubled_box;

static inline doubled_box double_box(const baseline_node *node, float double_padding)
{
    doubled_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.centre[axis] = node->lower[axis] + node->upper[axis];
        box.size[axis] = node->upper[axis] - node->lower[axis] + double_padding;
    }
    return box;
}

/* SAT lite: first the normals of a's faces, then of b's. */
static inline bool boxes_overlap(van_den_bergen *rival, const doubled_box *a, const doubled_box *b)
{
    float distance[3];
    rival->tests++;
    for (int row = 0; row < 3; row++) {
        const float *r = rival->rotation[row];
        const float *s = rival->absolute[row];
        distance[row] = r[0] * b->centre[0] + r[1] * b->centre[1] + r[2] * b->centre[2] +
                        rival->double_translation[row] - a->centre[row];
        float reach_b = s[0] * b->size[0] + s[1] * b->size[1] + s[2] * b->size[2];
        if (fabsf(distance[row]) > a->size[row] + reach_b) {
            return false;
        }
    }
    for (int column = 0; column < 3; column++) {
        float along = rival->rotation[0][column] * distance[0] +
                      rival->rotation[1][column] * distance[1] +
                      rival->rotation[2][column] * distance[2];
        float reach_a = rival->absolute[0][column] * a->size[0] +
                        rival->absolute[1][column] * a->size[1] +
                        rival->absolute[2][column] * a->size[2];
        if (fabsf(along) > b->size[column] + reach_a) {
            return false;
        }
    }
    return true;
}

/* Pushes the pairs of node i of a with the children of b, or the other way round, that overlap. */
static size_t push_children(van_den_bergen *rival, uint32_t i, uint32_t j, bool open_a, size_t top)
{
    const baseline_node *a = rival->trees[0]->nodes + i;
    const baseline_node *b = rival->trees[1]->nodes + j;
    float padding = rival->double_padding;
    if (open_a) {
        doubled_box fixed = double_box(b, padding);
        for (uint32_t child = a->first + a->count; child-- > a->first;) {
            doubled_box box = double_box(rival->trees[0]->nodes + child, padding);
            if (boxes_overlap(rival, &box, &fixed)) {
                rival->scratch.stack[top++] = (uint64_t)child << 32 | j;
            }
        }
    } else {
        doubled_box fixed = double_box(a, padding);
        for (uint32_t child = b->first + b->count; child-- > b->first;) {
            doubled_box box = double_box(rival->trees[1]->nodes + child, padding);
            if (boxes_overlap(rival, &fixed, &box)) {
                rival->scratch.stack[top++] = (uint64_t)i << 32 | child;
            }
        }
    }
    return top;
}

/* The two bodies at hand, from their roots down. */
static bool walk(van_den_bergen *rival, const float *positions_a, const float *positions_b,
                 bool first_only)
{
    const baseline_tree *tree_a = rival->trees[0], *tree_b = rival->trees[1];
    baseline_scratch *scratch = &rival->scratch;
    size_t top = 0;
    if (!baseline_stack_reserve(scratch, 0, 128)) {
        return false;
    }
    doubled_box root_a = double_box(tree_a->nodes, rival->double_padding);
    doubled_box root_b = double_box(tree_b->nodes, rival->double_padding);
    if (boxes_overlap(rival, &root_a, &root_b)) {
        scratch->stack[top++] = 0;
    }
    while (top > 0) {
        uint64_t both = scratch->stack[--top];
        uint32_t i = (uint32_t)(both >> 32);
        uint32_t j = (uint32_t)both;
        const baseline_node *a = tree_a->nodes + i;
        const baseline_node *b = tree_b->nodes + j;
        if (a->count == 0 && b->count == 0) {
            if (baseline_triangles_touch(tree_a->triangles, positions_a, a->first,
                                         tree_b->triangles, positions_b, b->first)) {
                if (!baseline_pairs_reserve(scratch)) {
                    return false;
                }
                scratch->pairs[scratch->pair_count++] = (pliant_pair){a->first, b->first};
                if (first_only) {
                    return true;
                }
            }
            continue;
        }
        if (!baseline_stack_reserve(scratch, top, 8)) {
            return false;
        }
        bool open_a =
            b->count == 0 || (a->count != 0 && baseline_node_size(a) >= baseline_node_size(b));
        top = push_children(rival, i, j, open_a, top);
    }
    return true;
}

static bool collide_bodies(van_den_bergen *rival, const bench_frame *frame, uint32_t a, uint32_t b,
                           bool first_only)
{
    size_t first = rival->scratch.pair_count;
    rival->trees[0] = &rival->forest.trees[a];
    rival->trees[1] = &rival->forest.trees[b];
    relate_frames(rival, &frame->placements[a], &frame->placements[b]);
    return walk(rival, frame->world[a], frame->world[b], first_only) &&
           baseline_close_range(&rival->scratch, a, b, first);
}

/* All pairs of bodies whose root boxes overlap. */
static bool collide(van_den_bergen *rival, const bench_frame *frame, bool first_only)
{
    bool done = true;
    baseline_scratch_clear(&rival->scratch);
    for (uint32_t i = 0; i < rival->forest.count; i++) {
        place_root(rival, i, &frame->placements[i]);
    }
    for (uint32_t a = 0; a < rival->forest.count; a++) {
        for (uint32_t b = a + 1; done && b < rival->forest.count; b++) {
            if (roots_overlap(rival, a, b)) {
                done = collide_bodies(rival, frame, a, b, first_only);
            }
        }
    }
    return done;
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    van_den_bergen *rival = state;
    double start = bench_seconds();
    rival->tests = 0;
    for (uint32_t i = 0; i < rival->forest.count; i++) {
        baseline_tree_refit(&rival->forest.trees[i], frame->local[i]);
    }
    double updated = bench_seconds();
    if (!collide(rival, frame, first_only)) {
        return false;
    }
    double end = bench_seconds();
    outcome->update_seconds = updated - start;
    outcome->total_seconds = end - start;
    outcome->work = (bench_work){.tests = rival->tests};
    baseline_scratch_show(&rival->scratch, outcome);
    return true;
}

const bench_method bench_van_den_bergen = {
    .name = "van den Bergen",
    .variant = 2,
    .create = create,
    .step = step,
    .destroy = destroy,
};

const bench_method bench_van_den_bergen_8 = {
    .name = "van den Bergen, 8-ary",
    .variant = 8,
    .create = create,
    .step = step,
    .destroy = destroy,
};
