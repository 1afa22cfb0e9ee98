/*
 * A contest: several methods answer the same question in every step of a scene of two bodies. Each
 * method goes through all steps on its own, as it would in use; that is repeated, the methods
 * taking turns, and medians per step are kept.
 */
#ifndef BENCH_CONTEST_H
#define BENCH_CONTEST_H

#include "bench/bench.h"
#include "pliant/query.h"
#include "scenes/scene.h"

/* The state of both bodies in one step. */
typedef struct bench_frame {
    float *world[2];
    float *local[2];
    scene_placement placements[2];
} bench_frame;

/* What one method did in one step. */
typedef struct bench_outcome {
    double update_seconds; /* work on bounds before the query proper */
    double total_seconds;  /* everything, the update included */
    const pliant_pair *pairs;
    uint64_t pair_count;
} bench_outcome;

typedef struct bench_method bench_method;
struct bench_method {
    const char *name;
    int variant;                /* rivals: arity; ours: pliant_update */
    pliant_partition partition; /* ours: the tree */
    uint32_t arity;             /* ours: 2 or 4; 0: 8 */
    pliant_isa isa;             /* ours: at most this instruction set */
    bool copied;                /* ours: positions are copied instead of borrowed */
    bool tree_order;            /* ours: the mesh has its vertices in the tree's order */
    bool forgetful;             /* ours: a fresh query each time, without witness memory */
    /* `cap`: what the settings allow; the rivals are plain C. */
    void *(*create)(const bench_method *method, const scene_instance *scene, pliant_isa cap);
    bool (*step)(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome);
    void (*destroy)(void *state);
};

#define CONTEST_MAX_METHODS 20

typedef struct bench_contest {
    /* Set by the caller. */
    const bench_settings *settings;
    const scene_instance *scene;
    const bench_method *const *methods;
    uint32_t method_count;
    bool first_only;            /* any one pair instead of all */
    uint32_t stride;            /* only every so many steps */
    double seconds;             /* to spend, about */
    uint32_t repetitions;       /* of each step, at most 31 */
    uint32_t least_repetitions; /* done even when the time is spent */
    const char *title;          /* for progress */

    /* Results: per method, per step counted from 0. */
    uint32_t step_count;
    uint32_t *steps;
    double *update_ms[CONTEST_MAX_METHODS];
    double *total_ms[CONTEST_MAX_METHODS];
    uint64_t *pairs;           /* the same for all methods */
    uint32_t repetitions_done; /* the fewest of any step */
} bench_contest;

/* Runs it; false if the methods disagree or one fails, with the reason in the report. */
bool contest_run(bench_contest *contest, bench_report *report);
void contest_free(bench_contest *contest);

/* Sums over all steps, in milliseconds. */
double contest_update_ms(const bench_contest *contest, uint32_t method);
double contest_total_ms(const bench_contest *contest, uint32_t method);
uint64_t contest_pairs(const bench_contest *contest);

/* Frames for other uses. */
bool bench_frame_allocate(const scene_instance *scene, bench_frame *frame);
void bench_frame_evaluate(const scene_instance *scene, uint32_t step, bench_frame *frame);
void bench_frame_free(bench_frame *frame);

/* Our own methods, positions shared unless the name says otherwise (ours.c). */
extern const bench_method bench_ours_bottom_up, bench_ours_top_down;
extern const bench_method bench_ours_hybrid, bench_ours_auto;
extern const bench_method bench_ours_copied, bench_ours_tree_order;

/* Under lower instruction sets. */
extern const bench_method bench_ours_avx2, bench_ours_baseline, bench_ours_plain;

/* First contact. */
extern const bench_method bench_ours_first_bottom_up, bench_ours_first_top_down;
extern const bench_method bench_ours_first_hybrid, bench_ours_first_auto;
extern const bench_method bench_ours_first_remembered;

/* Trees: by partition, then by arity 2, 4, 8. */
extern const bench_method bench_ours_trees[9];

#endif
