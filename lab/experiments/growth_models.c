/*
 * Growth with modes and with nodes: two bodies of one shape that touch while they deform. What is
 * timed is a step: setting both states and finding all pairs.
 */
#include "growth.h"

#include <math.h>
#include <stdlib.h>

#include "lab/motions/reduced.h"
#include "lab/motions/star_crowd.h"

#define TRIANGLES    18000
#define STAR_SPACING 0.8
#define BALL_SPACING 1.9
#define INFLUENCES   4

enum { STEPS = 12, MAX_PLAYS = 31, MAX_NODES = 512 };

/* Two bodies of a shape, and their states in every step. */
typedef struct models_run {
    const bench_settings *settings;
    const gallery_mesh *mesh;
    const gallery_model *model;
    float *coordinates, *transforms; /* per step, per body */
} models_run;

typedef struct models_result {
    double ms, pairs;
} models_result;

static const float *coordinates_of(const models_run *run, uint32_t step, uint32_t body)
{
    return run->coordinates + (2 * (size_t)step + body) * run->model->mode_count;
}

static const float *transforms_of(const models_run *run, uint32_t step, uint32_t body)
{
    return run->transforms + (2 * (size_t)step + body) * 12 * run->model->joint_count;
}

static bool step_pair(const models_run *run, pliant_query *query, pliant_body *const bodies[2],
                      uint32_t step, double *seconds, double *pairs)
{
    pliant_contacts contacts;
    double start = bench_seconds();
    for (uint32_t i = 0; i < 2; i++) {
        if (!reduced_set(bodies[i], run->model, coordinates_of(run, step, i),
                         transforms_of(run, step, i))) {
            return false;
        }
    }
    if (pliant_collide(query, bodies[0], bodies[1], NULL, &contacts) != PLIANT_OK) {
        return false;
    }
    *seconds = bench_seconds() - start;
    *pairs = (double)contacts.count;
    return true;
}

static bool play(const models_run *run, pliant_query *query, pliant_body *const bodies[2],
                 models_result *result)
{
    double samples[STEPS][MAX_PLAYS];
    uint32_t plays = run->settings->length == BENCH_QUICK ? 3 : MAX_PLAYS;
    *result = (models_result){0.0, 0.0};
    for (uint32_t k = 0; k < plays; k++) {
        for (uint32_t step = 0; step < STEPS; step++) {
            double pairs = 0.0;
            if (!step_pair(run, query, bodies, step, &samples[step][k], &pairs)) {
                return false;
            }
            result->pairs += pairs / (plays * STEPS);
        }
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        result->ms += 1e3 * bench_median(samples[step], plays) / STEPS;
    }
    return true;
}

static bool run_pair(const models_run *run, models_result *result, bench_report *report)
{
    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    pliant_body *bodies[2] = {NULL, NULL};
    pliant_query *query = NULL;
    pliant_shape_def def = reduced_shape_def(run->mesh, run->model);
    def.influence_offsets = run->model->influence_offsets;
    def.influence_joints = run->model->influence_joints;
    def.influence_weights = run->model->influence_weights;
    bool done = reduced_create_context(run->settings, &context) &&
                pliant_shape_create(context, &def, &shape) == PLIANT_OK &&
                pliant_query_create(context, &query) == PLIANT_OK &&
                pliant_body_create(shape, NULL, &bodies[0]) == PLIANT_OK &&
                pliant_body_create(shape, NULL, &bodies[1]) == PLIANT_OK &&
                play(run, query, bodies, result);
    if (!done) {
        report_fail(report, "growth over models: %s", pliant_last_error());
    }
    pliant_query_destroy(query);
    pliant_body_destroy(bodies[0]);
    pliant_body_destroy(bodies[1]);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    return done;
}

static void add_row(const models_run *run, const models_result *result, const char *what,
                    uint32_t count, bench_report *report)
{
    bench_row *row = report_row(report, "%u %s", count, what);
    report_cell(row, "triangles", 2.0 * run->mesh->triangle_count, 0);
    report_cell(row, "bodies", 2, 0);
    report_cell(row, "pairs", result->pairs, 0);
    report_cell(row, "total_ms", result->ms, 4);
}

/* ------------------------------------------------------------------ modes */

/* The first modes of a star; what the others would add is left out. */
static void fill_stars(models_run *run)
{
    for (uint32_t i = 0; i < 2 * STEPS; i++) {
        float coordinates[STAR_MODES];
        star_state(i % 2, 2, STAR_SPACING, i / 2, coordinates, run->transforms + 12 * (size_t)i);
        for (uint32_t m = 0; m < run->model->mode_count; m++) {
            run->coordinates[(size_t)i * run->model->mode_count + m] = coordinates[m];
        }
    }
}

bool growth_over_modes(const bench_settings *settings, bench_report *report)
{
    static const uint32_t counts[] = {1, 2, 4, 8, STAR_MODES};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    double modes[COUNTS], times[COUNTS];
    float coordinates[2 * STEPS * STAR_MODES] = {0}, transforms[2 * STEPS * 12] = {0};
    gallery_mesh mesh = {0};
    gallery_model all = {0};
    bool done = star_make(TRIANGLES, &mesh, &all) || report_fail(report, "not enough memory");
    for (uint32_t k = 0; k < COUNTS && done; k++) {
        gallery_model some = all;
        models_result result = {0.0, 0.0};
        some.mode_count = counts[k];
        models_run run = {settings, &mesh, &some, coordinates, transforms};
        fill_stars(&run);
        done = run_pair(&run, &result, report);
        modes[k] = counts[k];
        times[k] = result.ms;
        if (done) {
            add_row(&run, &result, "modes, two stars", counts[k], report);
        }
    }
    if (done) {
        report_ratio(report, "growth_modes", bench_fit_exponent(modes, times, COUNTS), (double)NAN,
                     "exponent of time per step over modes");
    }
    mesh_free(&mesh);
    gallery_model_free(&all);
    return done;
}

/* ------------------------------------------------------------------ nodes */

/* Points spread evenly over a sphere. */
static void place_node(uint32_t node, uint32_t count, double point[3])
{
    double z = 1.0 - (2.0 * node + 1.0) / count, radius = sqrt(1.0 - z * z);
    point[0] = radius * gallery_cos(2.399963 * node);
    point[1] = radius * gallery_sin(2.399963 * node);
    point[2] = z;
}

/* The nearest nodes of a vertex, ascending, and weights that fall off with the distance. */
static void weigh(const double (*points)[3], uint32_t count, const float position[3],
                  uint32_t *nodes, float *weights)
{
    double best[INFLUENCES], sum = 0.0;
    uint32_t found = 0;
    for (uint32_t j = 0; j < count; j++) {
        double square = 1e-6;
        for (int k = 0; k < 3; k++) {
            double d = points[j][k] - (double)position[k];
            square += d * d;
        }
        uint32_t at = found < INFLUENCES ? found++ : INFLUENCES;
        for (; at > 0 && square < best[at - 1]; at--) {
            if (at < INFLUENCES) {
                best[at] = best[at - 1];
                nodes[at] = nodes[at - 1];
            }
        }
        if (at < INFLUENCES) {
            best[at] = square;
            nodes[at] = j;
        }
    }
    for (uint32_t i = 0; i < found; i++) {
        weights[i] = (float)(1.0 / best[i]);
        sum += (double)weights[i];
        for (uint32_t k = i; k > 0 && nodes[k] < nodes[k - 1]; k--) { /* ascending by node */
            uint32_t node = nodes[k];
            float weight = weights[k];
            nodes[k] = nodes[k - 1];
            weights[k] = weights[k - 1];
            nodes[k - 1] = node;
            weights[k - 1] = weight;
        }
    }
    for (uint32_t i = 0; i < found; i++) {
        weights[i] = (float)((double)weights[i] / sum);
    }
}

static bool make_blend(const gallery_mesh *mesh, uint32_t nodes, gallery_model *model)
{
    size_t influences = INFLUENCES * (size_t)mesh->vertex_count;
    double points[MAX_NODES][3];
    *model = (gallery_model){.joint_count = nodes,
                             .influence_offsets = malloc(((size_t)mesh->vertex_count + 1) * 4),
                             .influence_joints = malloc(influences * sizeof(uint32_t)),
                             .influence_weights = malloc(influences * sizeof(float))};
    if (model->influence_offsets == NULL || model->influence_joints == NULL ||
        model->influence_weights == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < nodes; j++) {
        place_node(j, nodes, points[j]);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        model->influence_offsets[v] = INFLUENCES * v;
        weigh((const double(*)[3])points, nodes, mesh->positions + 3 * (size_t)v,
              model->influence_joints + INFLUENCES * (size_t)v,
              model->influence_weights + INFLUENCES * (size_t)v);
    }
    model->influence_offsets[mesh->vertex_count] = INFLUENCES * mesh->vertex_count;
    return true;
}

/* Every node swings by itself; the second body stands beside the first. */
static void fill_blend(models_run *run)
{
    uint32_t nodes = run->model->joint_count;
    for (uint32_t i = 0; i < 2 * STEPS; i++) {
        uint32_t step = i / 2, body = i % 2;
        for (uint32_t j = 0; j < nodes; j++) {
            float *rows = run->transforms + 12 * ((size_t)i * nodes + j);
            double point[3];
            place_node(j, nodes, point);
            for (int k = 0; k < 3; k++) {
                double swing = 0.06 * gallery_sin(0.3 * step + 3.0 * point[k] + k + body);
                for (int column = 0; column < 3; column++) {
                    rows[4 * k + column] = k == column ? 1.0f : 0.0f;
                }
                rows[4 * k + 3] = (float)(swing + (k == 0 ? BALL_SPACING * body : 0.0));
            }
        }
    }
}

bool growth_over_nodes(const bench_settings *settings, bench_report *report)
{
    static const uint32_t counts[] = {8, 32, 128, MAX_NODES};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    double nodes[COUNTS], times[COUNTS];
    gallery_mesh mesh = {0};
    float *transforms = malloc(2 * STEPS * MAX_NODES * 12 * sizeof *transforms), none = 0.0f;
    if (transforms == NULL || !mesh_make_geodesic_sphere(32, &mesh)) {
        free(transforms);
        return report_fail(report, "not enough memory");
    }
    bool done = true;
    for (uint32_t k = 0; k < COUNTS && done; k++) {
        gallery_model model;
        models_result result = {0.0, 0.0};
        models_run run = {settings, &mesh, &model, &none, transforms};
        done = make_blend(&mesh, counts[k], &model) || report_fail(report, "not enough memory");
        if (done) {
            fill_blend(&run);
            done = run_pair(&run, &result, report);
        }
        if (done) {
            nodes[k] = counts[k];
            times[k] = result.ms;
            add_row(&run, &result, "nodes, two blended balls", counts[k], report);
        }
        gallery_model_free(&model);
    }
    if (done) {
        report_ratio(report, "growth_nodes", bench_fit_exponent(nodes, times, COUNTS), (double)NAN,
                     "exponent of time per step over nodes of a blend");
    }
    mesh_free(&mesh);
    free(transforms);
    return done;
}
