/* What it costs to tell whether two moving features meet: ours beside interval root finding. */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/moving_features.h"
#include "lab/baselines/baselines.h"
#include "lab/baselines/interval_roots.h"

enum { MOST_QUERIES = 20000 };

/* A vertex and a face, or two edges. */
typedef struct feature_query {
    float x[4][2][3];
    bool edges;
} feature_query;

typedef struct query_list {
    feature_query *queries;
    uint32_t count;
} query_list;

/* Two states of a mesh. */
typedef struct moving_mesh {
    const gallery_mesh *mesh;
    float *at[2];
} moving_mesh;

/* ------------------------------------------------------------- candidates */

static void corner(const moving_mesh *m, uint32_t triangle, int c, float x[2][3])
{
    size_t vertex = m->mesh->triangles[3 * (size_t)triangle + (size_t)c];
    for (int end = 0; end < 2; end++) {
        memcpy(x[end], m->at[end] + 3 * vertex, sizeof x[end]);
    }
}

static bool swept_boxes_meet(float a[3][2][3], float b[3][2][3])
{
    for (int k = 0; k < 3; k++) {
        float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 6; i++) {
            low[0] = fminf(low[0], a[i / 2][i % 2][k]);
            high[0] = fmaxf(high[0], a[i / 2][i % 2][k]);
            low[1] = fminf(low[1], b[i / 2][i % 2][k]);
            high[1] = fmaxf(high[1], b[i / 2][i % 2][k]);
        }
        if (low[0] > high[1] || low[1] > high[0]) {
            return false;
        }
    }
    return true;
}

static void add_query(query_list *list, const float *p[4], bool edges)
{
    if (list->count < MOST_QUERIES) {
        feature_query *q = &list->queries[list->count++];
        q->edges = edges;
        for (int i = 0; i < 4; i++) {
            memcpy(q->x[i], p[i], sizeof q->x[i]);
        }
    }
}

/* The fifteen pairs of features of two triangles. */
static void add_features(query_list *list, float a[3][2][3], float b[3][2][3])
{
    for (int i = 0; i < 3; i++) {
        const float *of_a[4] = {a[i][0], b[0][0], b[1][0], b[2][0]};
        const float *of_b[4] = {b[i][0], a[0][0], a[1][0], a[2][0]};
        add_query(list, of_a, false);
        add_query(list, of_b, false);
        for (int j = 0; j < 3; j++) {
            const float *ends[4] = {a[i][0], a[(i + 1) % 3][0], b[j][0], b[(j + 1) % 3][0]};
            add_query(list, ends, true);
        }
    }
}

static void list_candidates(const moving_mesh m[2], query_list *list)
{
    for (uint32_t i = 0; i < m[0].mesh->triangle_count && list->count < MOST_QUERIES; i++) {
        float a[3][2][3], b[3][2][3];
        for (int c = 0; c < 3; c++) {
            corner(&m[0], i, c, a[c]);
        }
        for (uint32_t j = 0; j < m[1].mesh->triangle_count && list->count < MOST_QUERIES; j++) {
            for (int c = 0; c < 3; c++) {
                corner(&m[1], j, c, b[c]);
            }
            if (swept_boxes_meet(a, b)) {
                add_features(list, a, b);
            }
        }
    }
}

/* Candidates of a step in which the two spheres move into each other. */
static bool list_spheres(const bench_settings *settings, query_list *list)
{
    gallery_settings wanted = {.seed = settings->seed};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    bench_motion motion;
    if (scene == NULL || !bench_motion_of_scene(scene, 1, &motion)) {
        gallery_destroy(scene);
        return false;
    }
    moving_mesh meshes[2] = {0};
    bool done = true;
    for (int b = 0; b < 2; b++) {
        meshes[b].mesh = &motion.meshes[b];
        size_t bytes = 3 * (size_t)motion.meshes[b].vertex_count * sizeof(float);
        for (uint32_t end = 0; end < 2; end++) {
            meshes[b].at[end] = malloc(bytes);
            done = done && meshes[b].at[end] != NULL;
        }
    }
    for (uint32_t end = 0; end < 2 && done; end++) {
        const bench_frame *frame = bench_motion_show(&motion, motion.step_count / 2 + end);
        for (int b = 0; b < 2; b++) {
            memcpy(meshes[b].at[end], frame->world[b],
                   3 * (size_t)motion.meshes[b].vertex_count * sizeof(float));
        }
    }
    if (done) {
        list_candidates(meshes, list);
    }
    for (int i = 0; i < 4; i++) {
        free(meshes[i / 2].at[i % 2]);
    }
    bench_motion_free(&motion);
    gallery_destroy(scene);
    return done && list->count > 0;
}

/* Corners anywhere in a cube at both ends. */
static void list_random(const bench_settings *settings, query_list *list)
{
    gallery_random random = gallery_random_seed(settings->seed, 5);
    for (list->count = 0; list->count < MOST_QUERIES; list->count++) {
        feature_query *q = &list->queries[list->count];
        q->edges = list->count % 2 != 0;
        for (int i = 0; i < 24; i++) {
            q->x[i / 6][i / 3 % 2][i % 3] = (float)gallery_random_range(&random, -1.0, 1.0);
        }
    }
}

/* Small integers: many contacts at ends, edges and corners, and much motion within planes. */
static void list_grid(const bench_settings *settings, query_list *list)
{
    gallery_random random = gallery_random_seed(settings->seed, 6);
    for (list->count = 0; list->count < MOST_QUERIES; list->count++) {
        feature_query *q = &list->queries[list->count];
        q->edges = list->count % 2 != 0;
        for (int i = 0; i < 24; i++) {
            q->x[i / 6][i / 3 % 2][i % 3] = (float)gallery_random_below(&random, 3);
        }
    }
}

/* ---------------------------------------------------------------- timing */

/* What one method did. */
typedef struct costs {
    double mean_ns, worst_ns;
    uint64_t yes;
    uint64_t hard; /* exact arithmetic needed, or given up */
} costs;

typedef bool (*feature_test)(const feature_query *q, uint64_t *hard);

static bool test_ours(const feature_query *q, uint64_t *hard)
{
    pli_moving_points points = {.edges = q->edges};
    for (int i = 0; i < 8; i++) {
        points.x[i / 2][i % 2] = q->x[i / 2][i % 2];
    }
    pliant_meeting_time time;
    return pli_moving_meet(&points, &time, hard);
}

static bool test_intervals(const feature_query *q, uint64_t *hard)
{
    double time;
    interval_cost cost;
    bool meet = interval_roots_meet(q->x, q->edges, 1e-6, &time, &cost);
    *hard += cost.gave_up;
    return meet;
}

enum { ROUNDS = 3 };

/* The mean over all, as the median of several rounds, and the slowest single query. */
static costs measure(feature_test test, const query_list *list)
{
    double times[ROUNDS];
    costs found = {0};
    for (int round = 0; round < ROUNDS; round++) {
        found.yes = found.hard = 0;
        double start = bench_seconds();
        for (uint32_t i = 0; i < list->count; i++) {
            found.yes += test(&list->queries[i], &found.hard);
        }
        times[round] = bench_seconds() - start;
    }
    found.mean_ns = 1e9 * bench_median(times, ROUNDS) / (double)list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        uint64_t hard = 0;
        double start = bench_seconds();
        test(&list->queries[i], &hard);
        found.worst_ns = fmax(found.worst_ns, 1e9 * (bench_seconds() - start));
    }
    return found;
}

static void add_row(bench_report *report, const char *what, const char *method, const costs *c,
                    uint32_t count)
{
    bench_row *row = report_row(report, "%s, %s", what, method);
    report_cell(row, "mean_ns", c->mean_ns, 0);
    report_cell(row, "worst_us", 1e-3 * c->worst_ns, 1);
    report_cell(row, "queries", (double)count, 0);
    report_cell(row, "yes", (double)c->yes, 0);
    report_cell(row, "hard", (double)c->hard, 0);
}

/* Both methods on one list. Interval root finding may say yes too often, but never too rarely. */
static bool compare(bench_report *report, const char *what, const query_list *list, costs both[2])
{
    static const char *const names[2] = {"ours", "intervals"};
    both[0] = measure(test_ours, list);
    both[1] = measure(test_intervals, list);
    report_contest(report, &(bench_terms){what, names, 2, ROUNDS, 1, 0.0});
    add_row(report, what, "ours", &both[0], list->count);
    add_row(report, what, "intervals", &both[1], list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        uint64_t hard = 0;
        if (test_ours(&list->queries[i], &hard) && !test_intervals(&list->queries[i], &hard)) {
            return report_fail(report, "%s: intervals miss contact %u", what, i);
        }
    }
    return true;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    query_list list = {.queries = malloc(MOST_QUERIES * sizeof(feature_query))};
    costs spheres[2], random[2], grid[2];
    if (list.queries == NULL || !list_spheres(settings, &list)) {
        free(list.queries);
        return report_fail(report, "not enough memory");
    }
    bool done = compare(report, "two spheres", &list, spheres);
    list_random(settings, &list);
    done = done && compare(report, "corners in a cube", &list, random);
    list_grid(settings, &list);
    list.count = settings->length == BENCH_QUICK ? 12 : 2000; /* intervals take long */
    done = done && compare(report, "on a grid of 3", &list, grid);
    free(list.queries);
    if (done) {
        report_ratio(report, "ns_per_candidate", spheres[0].mean_ns, (double)NAN,
                     "ns per pair of moving features whose triangles' swept boxes meet");
        report_ratio(report, "vs_interval", spheres[1].mean_ns / spheres[0].mean_ns, (double)NAN,
                     "interval root finding over ours, two spheres");
        report_ratio(report, "vs_interval_grid", grid[1].mean_ns / grid[0].mean_ns, (double)NAN,
                     "the same where most is degenerate");
        report_ratio(report, "worst_us", 1e-3 * grid[0].worst_ns, (double)NAN,
                     "our slowest query there, in microseconds");
        report_note(report, "intervals: tolerance 1e-6, yes after 1,000,000 boxes; `hard` counts "
                            "queries that took exact arithmetic, or in which it gave up");
    }
    return done;
}

const bench_experiment experiment_continuous_features = {
    .name = "continuous-features",
    .description = "whether moving features meet, exactly, beside interval root finding",
    .paper = NULL,
    .own_turns = true,
    .run = run,
};
