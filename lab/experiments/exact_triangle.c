/* What exactness costs: the triangle test alone, and as part of a whole query. */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/baselines/baselines.h"
#include "lab/baselines/plain_distance.h"
#include "lab/harness/undecided.h"
#include "geometry/triangle_overlap.h"

#define PAIRS 4096 /* stay in the second-level cache */

typedef struct triangle_pair {
    float a[3][3], b[3][3];
} triangle_pair;

typedef bool (*overlap_test)(const float a[3][3], const float b[3][3]);

static uint64_t fallbacks;

static bool exact_overlap(const float a[3][3], const float b[3][3])
{
    return pli_triangle_overlap(a, b, &fallbacks);
}

enum { RUNS = 15 };

/* Nanoseconds per test: the median of several runs. `hits` receives how many pairs overlap. Few
   pairs are tested several times per run, which the clock would not resolve otherwise. */
static double time_test(overlap_test test, const triangle_pair *pairs, uint64_t count,
                        uint64_t *hits)
{
    double times[RUNS];
    uint64_t rounds = 1 + PAIRS / count;
    for (int run = 0; run < RUNS; run++) {
        uint64_t found = 0;
        double start = bench_seconds();
        for (uint64_t round = 0; round < rounds; round++) {
            for (uint64_t i = 0; i < count; i++) {
                found += test(pairs[i].a, pairs[i].b);
            }
        }
        times[run] = bench_seconds() - start;
        *hits = found / rounds;
    }
    return 1e9 * bench_median(times, RUNS) / (double)(rounds * count);
}

/* Corners anywhere in a cube. */
static void make_random_pairs(uint64_t seed, triangle_pair *pairs)
{
    gallery_random random = gallery_random_seed(seed, 1);
    for (int i = 0; i < PAIRS; i++) {
        for (int k = 0; k < 9; k++) {
            pairs[i].a[k / 3][k % 3] = (float)gallery_random_range(&random, -1.0, 1.0);
            pairs[i].b[k / 3][k % 3] = (float)gallery_random_range(&random, -1.0, 1.0);
        }
    }
}

/*
 * Pairs that touch without crossing, in equal parts: one corner in common, two corners in common, a
 * corner in the middle of the other's face, a coplanar overlap. Coordinates are multiples of 2^-10,
 * so that the points in common are exactly representable.
 */
static void make_touching_pairs(uint64_t seed, triangle_pair *pairs)
{
    gallery_random random = gallery_random_seed(seed, 2);
    for (int i = 0; i < PAIRS; i++) {
        triangle_pair *pair = &pairs[i];
        for (int k = 0; k < 9; k++) {
            pair->a[k / 3][k % 3] = (float)gallery_random_below(&random, 256) / 64.0f;
            pair->b[k / 3][k % 3] = (float)gallery_random_below(&random, 256) / 64.0f;
        }
        for (int axis = 0; axis < 3; axis++) {
            float middle = 0.25f * pair->a[0][axis] + 0.25f * pair->a[1][axis];
            switch (i % 4) {
            case 0:
                pair->b[0][axis] = pair->a[1][axis];
                break;
            case 1:
                pair->b[0][axis] = pair->a[1][axis];
                pair->b[1][axis] = pair->a[0][axis];
                break;
            case 2:
                pair->b[0][axis] = middle + 0.5f * pair->a[2][axis];
                break;
            default:
                for (int corner = 0; corner < 3; corner++) {
                    pair->b[corner][axis] =
                        pair->a[corner][axis] + 0.5f * (pair->a[1][axis] - pair->a[2][axis]);
                }
                break;
            }
        }
    }
}

/* Pairs of triangles of a scene, with their corners. */
typedef struct pair_list {
    const bench_motion *motion;
    const bench_frame *frame;
    triangle_pair *pairs;
    uint64_t count, capacity;
    bool out_of_memory;
} pair_list;

static void gather(const gallery_mesh *mesh, const float *positions, uint32_t triangle,
                   float corners[3][3])
{
    for (int k = 0; k < 3; k++) {
        uint32_t vertex = mesh->triangles[(size_t)3 * triangle + k];
        memcpy(corners[k], positions + (size_t)3 * vertex, sizeof corners[k]);
    }
}

static void add_pair(void *user, uint32_t a, uint32_t b)
{
    pair_list *list = user;
    if (list->count == list->capacity) {
        uint64_t capacity = 2 * list->capacity + 1024;
        triangle_pair *grown = realloc(list->pairs, capacity * sizeof *grown);
        if (grown == NULL) {
            list->out_of_memory = true;
            return;
        }
        list->pairs = grown;
        list->capacity = capacity;
    }
    triangle_pair *pair = &list->pairs[list->count++];
    gather(&list->motion->meshes[0], list->frame->world[0], a, pair->a);
    gather(&list->motion->meshes[1], list->frame->world[1], b, pair->b);
}

/* What the steps of larsson-1 add up to. */
typedef struct scene_times {
    double query_ns;         /* our whole queries, updates included */
    undecided_totals kernel; /* what their float32 kernel does */
    pair_list candidates;    /* all of them */
    pair_list undecided;     /* those that were left to exact arithmetic */
} scene_times;

static bool time_query(const bench_settings *settings, const bench_motion *motion,
                       const bench_frame *frame, double *ns)
{
    double times[RUNS];
    void *state = bench_ours_auto.create(&bench_ours_auto, motion, settings);
    bool done = state != NULL;
    for (int run = 0; done && run < RUNS; run++) {
        bench_outcome outcome = {0};
        done = bench_ours_auto.step(state, frame, false, &outcome);
        times[run] = outcome.total_seconds;
    }
    if (state != NULL) {
        bench_ours_auto.destroy(state);
    }
    if (done) {
        *ns += 1e9 * bench_median(times, RUNS);
    }
    return done;
}

static bool time_step(const bench_settings *settings, const bench_motion *motion,
                      const bench_frame *frame, scene_times *times)
{
    times->candidates.motion = times->undecided.motion = motion;
    times->candidates.frame = times->undecided.frame = frame;
    bool done = baseline_visit_candidates(motion, frame, add_pair, &times->candidates) &&
                undecided_visit(motion, frame, settings->isa, add_pair, &times->undecided,
                                &times->kernel) &&
                time_query(settings, motion, frame, &times->query_ns);
    return done && !times->candidates.out_of_memory && !times->undecided.out_of_memory;
}

static bool time_scene(const bench_settings *settings, scene_times *times)
{
    static const uint32_t strides[3] = {50, 10, 5};
    gallery_settings wanted = {.seed = settings->seed};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    if (scene == NULL) {
        return false;
    }
    bench_motion motion;
    bool done = bench_motion_of_scene(scene, strides[settings->length], &motion);
    for (uint32_t at = 0; done && at < motion.step_count; at++) {
        bench_progress(settings, "exact-triangle", at, motion.step_count);
        done = time_step(settings, &motion, bench_motion_show(&motion, at), times);
    }
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done;
}

/* Both tests on the same pairs. */
typedef struct test_times {
    double exact_ns, inexact_ns;
    uint64_t exact_hits, inexact_hits;
} test_times;

static test_times add_row(bench_report *report, const char *name, const triangle_pair *pairs,
                          uint64_t count)
{
    test_times times = {0};
    if (count > 0) {
        times.exact_ns = time_test(exact_overlap, pairs, count, &times.exact_hits);
        times.inexact_ns = time_test(float_triangle_overlap, pairs, count, &times.inexact_hits);
    }
    report_contest(report,
                   &(bench_terms){name, (const char *const[]){"exact", "float with tolerance"}, 2,
                                  RUNS, 1, 0.0});
    bench_row *row = report_row(report, "%s", name);
    report_cell(row, "exact_ns", times.exact_ns, 1);
    report_cell(row, "inexact_ns", times.inexact_ns, 1);
    report_cell(row, "tests", (double)count, 0);
    report_cell(row, "pairs", (double)times.exact_hits, 0);
    return times;
}

/* Nanoseconds per distance of pairs that are apart, ours and the plain way. */
static void time_distances(const triangle_pair *pairs, bench_report *report)
{
    double times[2][RUNS], sum = 0.0;
    for (int run = 0; run < 2 * RUNS; run++) {
        double start = bench_seconds();
        for (int i = 0; i < PAIRS; i++) {
            pliant_triangle a, b;
            pliant_gap gap;
            memcpy(a.corner, pairs[i].a, sizeof a.corner);
            memcpy(b.corner, pairs[i].b, sizeof b.corner);
            b.corner[0][0] += 2.5f;
            b.corner[1][0] += 2.5f;
            b.corner[2][0] += 2.5f;
            sum += run % 2 == 0 ? pliant_triangle_measure_distance(&a, &b, &gap)
                                : plain_distance(&a, &b);
        }
        times[run % 2][run / 2] = bench_seconds() - start;
    }
    double ours = 1e9 * bench_median(times[0], RUNS) / PAIRS;
    double plain = 1e9 * bench_median(times[1], RUNS) / PAIRS;
    report_contest(report, &(bench_terms){"distances",
                                          (const char *const[]){"ours", "all pairs of features"}, 2,
                                          RUNS, 1, 0.0});
    report_ratio(report, "ns_distance", ours + 0.0 * sum, (double)NAN,
                 "ns per distance of two triangles that are apart");
    report_ratio(report, "distance_vs_plain", plain / ours, (double)NAN,
                 "measuring all pairs of features over ours");
}

static bool add_made_up_pairs(const bench_settings *settings, bench_report *report)
{
    triangle_pair *pairs = malloc(PAIRS * sizeof *pairs);
    if (pairs == NULL) {
        return report_fail(report, "not enough memory");
    }
    make_random_pairs(settings->seed, pairs);
    test_times random = add_row(report, "random pairs", pairs, PAIRS);
    time_distances(pairs, report);
    make_touching_pairs(settings->seed, pairs);
    test_times touching = add_row(report, "touching pairs", pairs, PAIRS);
    free(pairs);
    if (touching.exact_hits != PAIRS) {
        return report_fail(report, "%llu of %d touching pairs were not found",
                           (unsigned long long)(PAIRS - touching.exact_hits), PAIRS);
    }
    report_ratio(report, "ns_random", random.exact_ns, (double)NAN,
                 "ns per exact test, corners anywhere in a cube");
    report_ratio(report, "ns_touching", touching.exact_ns, (double)NAN,
                 "ns per exact test, triangles that touch without crossing");
    return true;
}

/*
 * What exactness costs a query. Its kernel works in float32 and compares determinants with a bound
 * on their error, where an inexact library would compare with zero; each pair that this leaves
 * undecided is tested exactly, where an inexact library would use a float test.
 */
static void add_query_cost(const scene_times *scene, bench_report *report)
{
    const undecided_totals *kernel = &scene->kernel;
    test_times all = add_row(report, "candidates of larsson-1", scene->candidates.pairs,
                             scene->candidates.count);
    test_times open = add_row(report, "of these, left undecided in float32", scene->undecided.pairs,
                              scene->undecided.count);
    double tests = (double)kernel->candidates, undecided = (double)scene->undecided.count;
    bench_row *row = report_row(report, "float32 kernel, with its bound or 0");
    report_cell(row, "exact_ns", kernel->bounded_ns / tests, 2);
    report_cell(row, "inexact_ns", kernel->unbounded_ns / tests, 2);
    report_cell(row, "tests", tests, 0);
    report_cell(row, "pairs", (double)all.exact_hits, 0);
    double for_bound = kernel->bounded_ns - kernel->unbounded_ns;
    double for_open = undecided * (open.exact_ns - open.inexact_ns);
    report_ratio(
        report, "query_exact_over_inexact",
        scene->query_ns / (scene->query_ns - for_bound - for_open), (double)NAN,
        "our query over the same without a bound, and with a float test of undecided pairs");
    report_ratio(report, "undecided_share", undecided / tests, (double)NAN,
                 "candidates that float32 cannot decide, of all that a query tests");
    report_note(report,
                "a query tests by a float32 kernel with a proved bound: %llu of %llu candidates "
                "stay undecided and are tested exactly",
                (unsigned long long)scene->undecided.count, (unsigned long long)kernel->candidates);
    report_note(report,
                "query_exact_over_inexact: of %.0f us of queries, %.2f us are for the bound, %.2f "
                "us for exact in place of float tests",
                1e-3 * scene->query_ns, 1e-3 * for_bound, 1e-3 * for_open);
    report_note(report, "a float test alone finds %llu pairs where there are %llu",
                (unsigned long long)all.inexact_hits, (unsigned long long)all.exact_hits);
}

static bool run(const bench_settings *settings, bench_report *report)
{
    scene_times scene = {0};
    bool done = add_made_up_pairs(settings, report);
    if (done && !time_scene(settings, &scene)) {
        done = report_fail(report, "the query could not be run: %s", pliant_last_error());
    }
    if (done) {
        add_query_cost(&scene, report);
    }
    free(scene.candidates.pairs);
    free(scene.undecided.pairs);
    return done;
}

const bench_experiment experiment_exact_triangle = {
    .name = "exact-triangle",
    .description = "what the exact triangle test costs, alone and within a whole query",
    .paper = NULL,
    .own_turns = true,
    .run = run,
};
