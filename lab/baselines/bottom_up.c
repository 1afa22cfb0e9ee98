/*
 * Scalar, binary bottom-up: a binary tree of boxes in world space, one triangle per leaf, refitted
 * whole from the leaves up every step, and walked from the roots down, for every two bodies whose
 * root boxes overlap, one box at a time. This is what FCL and Bullet do, without what their
 * interfaces cost. "Modern bottom-up" is another contestant: the library's own layout and vectors,
 * refitted whole (lab/harness/ours.c).
 */
#include "baselines.h"

#include <stdlib.h>

typedef struct bottom_up {
    baseline_forest forest;
    baseline_scratch scratch;
} bottom_up;

static void destroy(void *state)
{
    bottom_up *rival = state;
    if (rival != NULL) {
        baseline_forest_free(&rival->forest);
        baseline_scratch_free(&rival->scratch);
        free(rival);
    }
}

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    (void)method;
    (void)settings;
    bottom_up *rival = calloc(1, sizeof *rival);
    if (rival != NULL && baseline_forest_build(motion, false, 2, &rival->forest)) {
        return rival;
    }
    destroy(rival);
    return NULL;
}

static inline bool boxes_overlap(const baseline_node *a, const baseline_node *b)
{
    return a->lower[0] <= b->upper[0] && b->lower[0] <= a->upper[0] && a->lower[1] <= b->upper[1] &&
           b->lower[1] <= a->upper[1] && a->lower[2] <= b->upper[2] && b->lower[2] <= a->upper[2];
}

/* Two bodies in one step, and what to do with triangles whose boxes overlap. */
typedef struct body_pair {
    const baseline_tree *a, *b;
    const float *positions_a, *positions_b;
    baseline_scratch *scratch;
    baseline_candidate_callback callback; /* NULL: test them */
    void *user;
} body_pair;

/* False when there is no memory. */
static bool try_triangles(const body_pair *pair, uint32_t a, uint32_t b)
{
    if (pair->callback != NULL) {
        pair->callback(pair->user, a, b);
    } else if (baseline_triangles_touch(pair->a->triangles, pair->positions_a, a,
                                        pair->b->triangles, pair->positions_b, b)) {
        if (!baseline_pairs_reserve(pair->scratch)) {
            return false;
        }
        pair->scratch->pairs[pair->scratch->pair_count++] = (pliant_pair){a, b};
    }
    return true;
}

/* Pushes the pairs of node i of a with the children of node j of b, or the other way round, that
   overlap. */
static inline size_t push_children(const body_pair *pair, uint32_t i, uint32_t j, bool open_a,
                                   size_t top)
{
    const baseline_node *a = pair->a->nodes + i;
    const baseline_node *b = pair->b->nodes + j;
    uint64_t *stack = pair->scratch->stack;
    if (open_a) {
        for (uint32_t child = a->first + 1; child + 1 > a->first; child--) {
            if (boxes_overlap(pair->a->nodes + child, b)) {
                stack[top++] = (uint64_t)child << 32 | j;
            }
        }
    } else {
        for (uint32_t child = b->first + 1; child + 1 > b->first; child--) {
            if (boxes_overlap(a, pair->b->nodes + child)) {
                stack[top++] = (uint64_t)i << 32 | child;
            }
        }
    }
    return top;
}

/* Walks two trees whose roots overlap. */
static bool walk(const body_pair *pair, bool first_only)
{
    baseline_scratch *scratch = pair->scratch;
    size_t first = scratch->pair_count, top = 0;
    if (!baseline_stack_reserve(scratch, 0, 128)) {
        return false;
    }
    scratch->stack[top++] = 0;
    while (top > 0) {
        uint64_t both = scratch->stack[--top];
        uint32_t i = (uint32_t)(both >> 32);
        uint32_t j = (uint32_t)both;
        const baseline_node *a = pair->a->nodes + i;
        const baseline_node *b = pair->b->nodes + j;
        if (a->count == 0 && b->count == 0) {
            if (!try_triangles(pair, a->first, b->first)) {
                return false;
            }
            if (first_only && scratch->pair_count > first) {
                return true;
            }
            continue;
        }
        if (!baseline_stack_reserve(scratch, top, 2)) {
            return false;
        }
        bool open_a =
            b->count == 0 || (a->count != 0 && baseline_node_size(a) >= baseline_node_size(b));
        top = push_children(pair, i, j, open_a, top);
    }
    return true;
}

bool baseline_collide_trees(const baseline_tree *a, const float *positions_a,
                            const baseline_tree *b, const float *positions_b,
                            baseline_scratch *scratch)
{
    body_pair pair = {
        .a = a, .b = b, .positions_a = positions_a, .positions_b = positions_b, .scratch = scratch};
    return !boxes_overlap(a->nodes, b->nodes) || walk(&pair, false);
}

/* All pairs of bodies whose root boxes overlap. */
static bool collide(bottom_up *rival, const bench_frame *frame, bool first_only,
                    baseline_candidate_callback callback, void *user)
{
    const baseline_tree *trees = rival->forest.trees;
    baseline_scratch *scratch = &rival->scratch;
    bool done = true;
    baseline_scratch_clear(scratch);
    for (uint32_t a = 0; a < rival->forest.count; a++) {
        for (uint32_t b = a + 1; done && b < rival->forest.count; b++) {
            if (boxes_overlap(trees[a].nodes, trees[b].nodes)) {
                size_t first = scratch->pair_count;
                body_pair pair = {&trees[a], &trees[b], frame->world[a], frame->world[b], scratch,
                                  callback,  user};
                done = walk(&pair, first_only) && baseline_close_range(scratch, a, b, first);
            }
        }
    }
    return done;
}

static void refit(bottom_up *rival, const bench_frame *frame)
{
    for (uint32_t i = 0; i < rival->forest.count; i++) {
        baseline_tree_refit(&rival->forest.trees[i], frame->world[i]);
    }
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    bottom_up *rival = state;
    double start = bench_seconds();
    refit(rival, frame);
    double updated = bench_seconds();
    if (!collide(rival, frame, first_only, NULL, NULL)) {
        return false;
    }
    double end = bench_seconds();
    outcome->update_seconds = updated - start;
    outcome->total_seconds = end - start;
    baseline_scratch_show(&rival->scratch, outcome);
    return true;
}

bool baseline_visit_candidates(const bench_motion *motion, const bench_frame *frame,
                               baseline_candidate_callback callback, void *user)
{
    bottom_up *rival = create(NULL, motion, NULL);
    bool done = rival != NULL;
    if (done) {
        refit(rival, frame);
        done = collide(rival, frame, false, callback, user);
    }
    destroy(rival);
    return done;
}

const bench_method bench_bottom_up = {
    .name = "scalar binary bottom-up",
    .create = create,
    .step = step,
    .destroy = destroy,
};
