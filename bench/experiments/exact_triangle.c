/* What exactness costs: the triangle test alone, and as part of a whole query. */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/baselines/baselines.h"
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

/* Nanoseconds per test: the median of several runs. `hits` receives how many pairs overlap. */
static double time_test(overlap_test test, const triangle_pair *pairs, uint64_t count,
                        uint64_t *hits)
{
    enum { RUNS = 15 };
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        uint64_t found = 0;
        double start = bench_cpu_seconds();
        for (uint64_t i = 0; i < count; i++) {
            found += test(pairs[i].a, pairs[i].b);
        }
        times[run] = bench_cpu_seconds() - start;
        *hits = found;
    }
    return 1e9 * bench_median(times, RUNS) / (double)count;
}

/* Corners anywhere in a cube. */
static void make_random_pairs(uint64_t seed, triangle_pair *pairs)
{
    scene_random random = scene_random_seed(seed, 1);
    for (int i = 0; i < PAIRS; i++) {
        for (int k = 0; k < 9; k++) {
            pairs[i].a[k / 3][k % 3] = (float)scene_random_range(&random, -1.0, 1.0);
            pairs[i].b[k / 3][k % 3] = (float)scene_random_range(&random, -1.0, 1.0);
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
    scene_random random = scene_random_seed(seed, 2);
    for (int i = 0; i < PAIRS; i++) {
        triangle_pair *pair = &pairs[i];
        for (int k = 0; k < 9; k++) {
            pair->a[k / 3][k % 3] = (float)scene_random_below(&random, 256) / 64.0f;
            pair->b[k / 3][k % 3] = (float)scene_random_below(&random, 256) / 64.0f;
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

/* The pairs that a query gives to the triangle test, in the order in which it does. */
typedef struct candidates {
    const scene_instance *scene;
    const bench_frame *frame;
    triangle_pair *pairs;
    uint64_t count, capacity;
    bool out_of_memory;
} candidates;

static void gather(const scene_mesh *mesh, const float *positions, uint32_t triangle,
                   float corners[3][3])
{
    for (int k = 0; k < 3; k++) {
        uint32_t vertex = mesh->triangles[(size_t)3 * triangle + k];
        memcpy(corners[k], positions + (size_t)3 * vertex, sizeof corners[k]);
    }
}

static void add_candidate(void *user, uint32_t a, uint32_t b)
{
    candidates *list = user;
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
    gather(&list->scene->bodies[0], list->frame->world[0], a, pair->a);
    gather(&list->scene->bodies[1], list->frame->world[1], b, pair->b);
}

/* One step: our whole query, and both tests on the candidates of that step. */
typedef struct query_times {
    double query_ns, exact_ns, inexact_ns;
    uint64_t candidates, exact_hits, inexact_hits;
} query_times;

static bool time_query(const scene_instance *scene, const bench_frame *frame, double *ns)
{
    enum { RUNS = 7 };
    double times[RUNS];
    void *state = bench_ours_hybrid.create(&bench_ours_hybrid, scene);
    bool done = state != NULL;
    for (int run = 0; done && run < RUNS; run++) {
        bench_outcome outcome = {0};
        done = bench_ours_hybrid.step(state, frame, false, &outcome);
        times[run] = outcome.total_seconds;
    }
    if (state != NULL) {
        bench_ours_hybrid.destroy(state);
    }
    if (done) {
        *ns += 1e9 * bench_median(times, RUNS);
    }
    return done;
}

static bool time_step(const scene_instance *scene, const bench_frame *frame, query_times *times)
{
    candidates list = {.scene = scene, .frame = frame};
    bool done = baseline_visit_candidates(scene, frame, add_candidate, &list) &&
                !list.out_of_memory && time_query(scene, frame, &times->query_ns);
    if (done && list.count > 0) {
        uint64_t hits = 0;
        double count = (double)list.count;
        times->exact_ns += count * time_test(exact_overlap, list.pairs, list.count, &hits);
        times->exact_hits += hits;
        times->inexact_ns +=
            count * time_test(float_triangle_overlap, list.pairs, list.count, &hits);
        times->inexact_hits += hits;
        times->candidates += list.count;
    }
    free(list.pairs);
    return done;
}

static bool time_scene(const bench_settings *settings, query_times *times)
{
    static const uint32_t strides[3] = {50, 10, 5};
    scene_settings wanted = {.seed = settings->seed};
    scene_instance *scene = scene_create(&scene_spheres, &wanted);
    bench_frame frame;
    if (scene == NULL || !bench_frame_allocate(scene, &frame)) {
        scene_destroy(scene);
        return false;
    }
    bool done = true;
    uint32_t stride = strides[settings->length];
    for (uint32_t step = stride; done && step <= scene->steps; step += stride) {
        bench_frame_evaluate(scene, step, &frame);
        done = time_step(scene, &frame, times);
        bench_progress(settings, "exact-triangle", step, scene->steps + 1);
    }
    bench_frame_free(&frame);
    scene_destroy(scene);
    return done;
}

static void add_row(bench_report *report, const char *name, double exact, double inexact,
                    double pairs, double hits)
{
    bench_row *row = report_row(report, "%s", name);
    report_cell(row, "exact_ns", exact, 1);
    report_cell(row, "inexact_ns", inexact, 1);
    report_cell(row, "tests", pairs, 0);
    report_cell(row, "pairs", hits, 0);
}

static bool run(const bench_settings *settings, bench_report *report)
{
    triangle_pair *pairs = malloc(PAIRS * sizeof *pairs);
    query_times times = {0};
    if (pairs == NULL) {
        return report_fail(report, "not enough memory");
    }
    uint64_t hits = 0, unused = 0;
    make_random_pairs(settings->seed, pairs);
    double random_ns = time_test(exact_overlap, pairs, PAIRS, &hits);
    add_row(report, "random pairs", random_ns,
            time_test(float_triangle_overlap, pairs, PAIRS, &unused), PAIRS, (double)hits);
    make_touching_pairs(settings->seed, pairs);
    double touching_ns = time_test(exact_overlap, pairs, PAIRS, &hits);
    add_row(report, "touching pairs", touching_ns,
            time_test(float_triangle_overlap, pairs, PAIRS, &unused), PAIRS, (double)hits);
    free(pairs);
    if (hits != PAIRS) {
        return report_fail(report, "%llu of %d touching pairs were not found",
                           (unsigned long long)(PAIRS - hits), PAIRS);
    }
    if (!time_scene(settings, &times)) {
        return report_fail(report, "the query could not be run: %s", pliant_last_error());
    }
    double count = (double)times.candidates;
    add_row(report, "candidates of larsson-1", times.exact_ns / count, times.inexact_ns / count,
            count, (double)times.exact_hits);
    report_ratio(report, "ns_random", random_ns, (double)NAN,
                 "ns per exact test, corners anywhere in a cube");
    report_ratio(report, "ns_touching", touching_ns, (double)NAN,
                 "ns per exact test, triangles that touch without crossing");
    report_ratio(report, "query_exact_over_inexact",
                 times.query_ns / (times.query_ns - times.exact_ns + times.inexact_ns), (double)NAN,
                 "our query over the same with the inexact test in place of the exact one");
    report_note(report, "the inexact test finds %llu pairs where there are %llu",
                (unsigned long long)times.inexact_hits, (unsigned long long)times.exact_hits);
    return true;
}

const bench_experiment experiment_exact_triangle = {
    .name = "exact-triangle",
    .description = "what the exact triangle test costs, alone and within a whole query",
    .paper = NULL,
    .run = run,
};
