/*
 * The plain modern rival: a binary tree of boxes in world space, one triangle per leaf, refitted
 * whole from the leaves up every step, and walked from the roots down. This is what FCL, Bullet and
 * Embree's refit do, without what their interfaces cost; measured, none of them is faster than it.
 */
#include "baselines.h"

#include <stdlib.h>

typedef struct bottom_up {
    baseline_tree trees[2];
    baseline_scratch scratch;
} bottom_up;

static void destroy(void *state)
{
    bottom_up *rival = state;
    if (rival != NULL) {
        baseline_tree_free(&rival->trees[0]);
        baseline_tree_free(&rival->trees[1]);
        baseline_scratch_free(&rival->scratch);
        free(rival);
    }
}

static void *create(const bench_method *method, const scene_instance *scene, pliant_isa cap)
{
    (void)method;
    (void)cap;
    bottom_up *rival = calloc(1, sizeof *rival);
    if (rival != NULL && baseline_tree_build(&scene->bodies[0], 2, &rival->trees[0]) &&
        baseline_tree_build(&scene->bodies[1], 2, &rival->trees[1])) {
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

static bool collide(bottom_up *rival, const bench_frame *frame, bool first_only,
                    baseline_candidate_callback callback, void *user)
{
    const baseline_tree *tree_a = &rival->trees[0];
    const baseline_tree *tree_b = &rival->trees[1];
    baseline_scratch *scratch = &rival->scratch;
    scratch->pair_count = 0;
    size_t top = 0;
    if (!baseline_stack_reserve(scratch, 0, 128)) {
        return false;
    }
    if (boxes_overlap(tree_a->nodes, tree_b->nodes)) {
        scratch->stack[top++] = 0;
    }
    while (top > 0) {
        uint64_t both = scratch->stack[--top];
        uint32_t i = (uint32_t)(both >> 32);
        uint32_t j = (uint32_t)both;
        const baseline_node *a = tree_a->nodes + i;
        const baseline_node *b = tree_b->nodes + j;
        if (a->count == 0 && b->count == 0) {
            if (callback != NULL) {
                callback(user, a->first, b->first);
            } else if (baseline_triangles_touch(tree_a->triangles, frame->world[0], a->first,
                                                tree_b->triangles, frame->world[1], b->first)) {
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
        if (!baseline_stack_reserve(scratch, top, 2)) {
            return false;
        }
        bool open_a =
            b->count == 0 || (a->count != 0 && baseline_node_size(a) >= baseline_node_size(b));
        if (open_a) {
            for (uint32_t child = a->first + 1; child + 1 > a->first; child--) {
                if (boxes_overlap(tree_a->nodes + child, b)) {
                    scratch->stack[top++] = (uint64_t)child << 32 | j;
                }
            }
        } else {
            for (uint32_t child = b->first + 1; child + 1 > b->first; child--) {
                if (boxes_overlap(a, tree_b->nodes + child)) {
                    scratch->stack[top++] = (uint64_t)i << 32 | child;
                }
            }
        }
    }
    return true;
}

static void refit(bottom_up *rival, const bench_frame *frame)
{
    baseline_tree_refit(&rival->trees[0], frame->world[0]);
    baseline_tree_refit(&rival->trees[1], frame->world[1]);
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    bottom_up *rival = state;
    double start = bench_cpu_seconds();
    refit(rival, frame);
    double updated = bench_cpu_seconds();
    if (!collide(rival, frame, first_only, NULL, NULL)) {
        return false;
    }
    double end = bench_cpu_seconds();
    outcome->update_seconds = updated - start;
    outcome->total_seconds = end - start;
    outcome->pairs = rival->scratch.pairs;
    outcome->pair_count = rival->scratch.pair_count;
    return true;
}

bool baseline_visit_candidates(const scene_instance *scene, const bench_frame *frame,
                               baseline_candidate_callback callback, void *user)
{
    bottom_up *rival = create(NULL, scene, PLIANT_ISA_BEST);
    bool done = rival != NULL;
    if (done) {
        refit(rival, frame);
        done = collide(rival, frame, false, callback, user);
    }
    destroy(rival);
    return done;
}

const bench_method bench_bottom_up = {
    .name = "plain bottom-up",
    .create = create,
    .step = step,
    .destroy = destroy,
};
