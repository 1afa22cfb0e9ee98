/*
 * A contest: several methods answer the same question in every step of a motion of two or more
 * bodies. Each method goes through all steps on its own, as it would in use; that is repeated, the
 * methods taking turns (turns.h), and medians per step are kept.
 */
#ifndef LAB_HARNESS_CONTEST_H
#define LAB_HARNESS_CONTEST_H

#include "turns.h"
#include "lab/motions/motion.h"
#include "pliant/scene.h"

/* The pairs of triangles of two bodies, a < b. */
typedef struct bench_range {
    uint32_t a, b;
    uint64_t first, count;
} bench_range;

/* Work of a baseline in one step, so that tests see whether it does as little as its paper says. */
typedef struct bench_work {
    uint64_t early;    /* boxes bounded before the query, other than by merging */
    uint64_t late;     /* boxes bounded during the query */
    uint64_t merges;   /* boxes merged from those of their children */
    uint64_t vertices; /* positions read to bound boxes */
    uint64_t tests;    /* pairs of boxes compared, roots included */
} bench_work;

/* What one method did in one step. */
typedef struct bench_outcome {
    double update_seconds; /* work on bounds before the query proper */
    double total_seconds;  /* everything, the update included */
    const pliant_pair *pairs;
    const bench_range *ranges; /* all of the pairs by bodies */
    uint32_t range_count;
    bench_work work; /* of Larsson's, van den Bergen's and Steinemann's methods */
} bench_outcome;

typedef struct bench_method bench_method;
struct bench_method {
    const char *name;
    int variant;                  /* rivals: which of theirs; ours: pliant_update */
    pliant_partition partition;   /* ours: the tree */
    uint32_t arity;               /* of the tree; ours: 2 or 4; 0: 8 */
    pliant_isa isa;               /* ours: at most this instruction set */
    pliant_neighbours neighbours; /* ours, of one body with itself */
    pliant_broad broad;           /* ours, in a scene */
    uint32_t workers;             /* ours, in a scene; 0: those of the settings */
    bool copied;                  /* ours: positions are copied instead of borrowed */
    bool tree_order;              /* ours: the mesh has its vertices in the tree's order */
    bool forgetful;               /* ours: a fresh query each time, without witness memory */
    bool peer;                    /* another library: it may differ, which is counted */
    /* The settings limit our instructions and threads; rivals stay on one thread. */
    void *(*create)(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings);
    bool (*step)(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome);
    void (*destroy)(void *state);
};

#define CONTEST_MAX_METHODS 20

/* What a peer found, against the first method. */
typedef struct bench_differences {
    uint64_t pairs;   /* that it found, each counted once */
    uint64_t missing; /* that it should have found */
    uint64_t extra;   /* that it should not */
} bench_differences;

typedef struct bench_contest {
    /* Set by the caller. */
    const bench_settings *settings;
    bench_motion *motion;
    const bench_method *const *methods;
    uint32_t method_count;
    bool first_only;   /* any one pair of two bodies instead of all */
    uint32_t plays;    /* of every method, at most 31; 0: as many as usual (turns.h) */
    const char *title; /* one for each contest of an experiment */

    /* Results: per method, per step of the motion. */
    double *update_ms[CONTEST_MAX_METHODS];
    double *total_ms[CONTEST_MAX_METHODS];
    uint64_t *pairs; /* the same for all methods that are no peers */
    bench_differences differences[CONTEST_MAX_METHODS]; /* of peers, over all steps */
} bench_contest;

/* Runs it; false if the methods disagree or one fails, with the reason in the report. */
bool contest_run(bench_contest *contest, bench_report *report);
void contest_free(bench_contest *contest);

/* Sums over all steps, in milliseconds. */
double contest_update_ms(const bench_contest *contest, uint32_t method);
double contest_total_ms(const bench_contest *contest, uint32_t method);
uint64_t contest_pairs(const bench_contest *contest);

/* Where a method stands in a contest; method_count if it does not take part. */
uint32_t contest_find(const bench_contest *contest, const bench_method *method);

/* What methods must have in common: sums of well-mixed hashes, whatever the order of the pairs. */
typedef struct bench_summary {
    uint64_t count, hash;
} bench_summary;

bench_summary bench_summarise(const bench_outcome *outcome);

/* Our own methods, positions shared unless the name says otherwise (ours.c). "Modern bottom-up" is
   our layout and kernels with everything refitted in every step, with vectors and in plain C: what
   layout and vectors give without laziness. */
extern const bench_method bench_modern, bench_modern_plain;
extern const bench_method bench_ours_bottom_up, bench_ours_top_down;
extern const bench_method bench_ours_hybrid, bench_ours_auto;
extern const bench_method bench_ours_copied, bench_ours_tree_order;

/* Under lower instruction sets. */
extern const bench_method bench_ours_avx2, bench_ours_baseline, bench_ours_plain;

/* First contact. */
extern const bench_method bench_ours_first_bottom_up, bench_ours_first_top_down;
extern const bench_method bench_ours_first_hybrid, bench_ours_first_auto;
extern const bench_method bench_ours_first_remembered, bench_ours_first_avx2;

/* In a scene: all pairs of bodies whose boxes meet (ours_scene.c). */
extern const bench_method bench_scene_modern, bench_scene_modern_plain, bench_scene_plain;
extern const bench_method bench_scene_bottom_up, bench_scene_top_down;
extern const bench_method bench_scene_hybrid, bench_scene_front, bench_scene_auto;
extern const bench_method bench_scene_sweep, bench_scene_grid, bench_scene_avx2;

/* One body against itself (ours_self.c): neighbours left out, and the default rule. */
extern const bench_method bench_self_auto, bench_self_avx2;
extern const bench_method bench_self_default, bench_self_default_avx2;

/* Trees: by partition, then by arity 2, 4, 8. */
extern const bench_method bench_ours_trees[9];

#endif
