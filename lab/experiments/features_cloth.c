/*
 * Features of a cloth within half an edge of each other, as a solver with thickness asks: ours
 * beside our own collision query on the same frames, and beside spatial hashing of features.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>

#include "lab/baselines/feature_hash.h"
#include "pliant/pliant.h"

#define TRIANGLES    92160
#define PAIR_SECONDS 50e-9 /* what a reported pair may cost */
#define COLLISIONS   3.0   /* and all the rest, in collisions of the cloth with itself */

enum { RUNS = 7 };

typedef struct cloth {
    gallery_scene *scene;
    const gallery_mesh *mesh;
    float *positions, distance;
    pliant_context *context;
    pliant_shape *shape;
    pliant_body *body;
    pliant_query *query;
    feature_hash *hash;
} cloth;

typedef struct cloth_times {
    double collide, features, within, hashing;
    uint64_t pairs;
} cloth_times;

static bool cloth_create(const bench_settings *settings, cloth *c)
{
    static const uint32_t triangles[3] = {5000, TRIANGLES, TRIANGLES};
    gallery_settings wanted = {.triangles = triangles[settings->length], .seed = settings->seed};
    pliant_context_def context = pliant_context_def_default();
    pliant_shape_def def = pliant_shape_def_default();
    context.isa = settings->isa;
    c->scene = gallery_create(&gallery_cloth, &wanted);
    if (c->scene == NULL) {
        return false;
    }
    c->mesh = &c->scene->bodies[0];
    def.positions = c->mesh->positions;
    def.vertex_count = c->mesh->vertex_count;
    def.triangles = c->mesh->triangles;
    def.triangle_count = c->mesh->triangle_count;
    c->positions = malloc((size_t)3 * c->mesh->vertex_count * sizeof *c->positions);
    c->hash = feature_hash_create(c->mesh);
    return c->positions != NULL && c->hash != NULL &&
           pliant_context_create(&context, &c->context) == PLIANT_OK &&
           pliant_shape_create(c->context, &def, &c->shape) == PLIANT_OK &&
           pliant_body_create(c->shape, NULL, &c->body) == PLIANT_OK &&
           pliant_query_create(c->context, &c->query) == PLIANT_OK;
}

static void cloth_free(cloth *c)
{
    feature_hash_destroy(c->hash);
    pliant_query_destroy(c->query);
    pliant_body_destroy(c->body);
    pliant_shape_destroy(c->shape);
    pliant_context_destroy(c->context);
    free(c->positions);
    gallery_destroy(c->scene);
}

static float half_an_edge(const cloth *c)
{
    double sum = 0.0;
    uint32_t count = 3 * c->mesh->triangle_count;
    for (uint32_t e = 0; e < count; e++) {
        const uint32_t *corner = c->mesh->triangles + e / 3 * (size_t)3;
        const float *p = c->positions + 3 * (size_t)corner[e % 3],
                    *q = c->positions + 3 * (size_t)corner[(e + 1) % 3];
        double x = (double)p[0] - (double)q[0], y = (double)p[1] - (double)q[1],
               z = (double)p[2] - (double)q[2];
        sum += sqrt(x * x + y * y + z * z);
    }
    return (float)(0.5 * sum / count);
}

/* Times one question in a fresh state. */
static bool time_question(cloth *c, int question, double *seconds, pliant_features *found)
{
    pliant_contacts contacts;
    pliant_proximities near;
    if (pliant_body_share_positions(c->body, c->positions, 0) != PLIANT_OK) {
        return false;
    }
    double start = bench_seconds();
    pliant_result result =
        question == 0   ? pliant_collide_self(c->query, c->body, NULL, &contacts)
        : question == 1 ? pliant_find_within_self(c->query, c->body, c->distance, NULL, &near)
                        : pliant_find_features_self(c->query, c->body, c->distance, NULL, found);
    *seconds = bench_seconds() - start;
    return result == PLIANT_OK;
}

/* The rival must find as many pairs: it computes in double too, and none is that close to call. */
static bool time_rival(cloth *c, const pliant_features *found, double *seconds,
                       bench_report *report)
{
    feature_counts counts;
    double start = bench_seconds();
    if (!feature_hash_count(c->hash, c->positions, c->distance, &counts)) {
        return report_fail(report, "not enough memory");
    }
    *seconds = bench_seconds() - start;
    unsigned long long hashed = counts.vertex_faces + counts.edges;
    double apart = fabs((double)hashed - (double)found->count);
    if (apart > 1e-4 * (double)found->count) {
        return report_fail(report, "spatial hashing finds %llu pairs of features, we find %llu",
                           hashed, (unsigned long long)found->count);
    }
    return true;
}

static bool time_step(cloth *c, uint32_t step, cloth_times *times, bench_report *report)
{
    double runs[4][RUNS];
    pliant_features found;
    gallery_evaluate(c->scene, 0, step, c->positions);
    c->distance = half_an_edge(c);
    for (int run = 0; run < RUNS; run++) {
        for (int question = 0; question < 3; question++) {
            if (!time_question(c, question, &runs[question][run], &found)) {
                return report_fail(report, "%s", pliant_last_error());
            }
        }
        if (!time_rival(c, &found, &runs[3][run], report)) {
            return false;
        }
    }
    times->collide += bench_median(runs[0], RUNS);
    times->within += bench_median(runs[1], RUNS);
    times->features += bench_median(runs[2], RUNS);
    times->hashing += bench_median(runs[3], RUNS);
    times->pairs += found.count;
    return true;
}

static void add_row(bench_report *report, const char *name, double seconds, uint32_t steps)
{
    report_cell(report_row(report, "%s", name), "ms", 1e3 * seconds / steps, 3);
}

static bool run(const bench_settings *settings, bench_report *report)
{
    static const uint32_t counts[3] = {3, 6, 21};
    cloth c = {0};
    cloth_times times = {0};
    bool done = cloth_create(settings, &c);
    if (!done) {
        report_fail(report, "the cloth could not be made");
    }
    uint32_t steps = counts[settings->length];
    for (uint32_t i = 0; done && i < steps; i++) {
        bench_progress(settings, "features-cloth", i, steps);
        done = time_step(&c, c.scene->steps * i / (steps - 1), &times, report);
    }
    if (done) {
        add_row(report, "collide with itself", times.collide, steps);
        add_row(report, "triangles within half an edge", times.within, steps);
        add_row(report, "features within half an edge", times.features, steps);
        add_row(report, "spatial hashing of features", times.hashing, steps);
        report_contest(report, &(bench_terms){"cloth",
                                              (const char *const[]){"collide", "within", "features",
                                                                    "spatial hashing"},
                                              4, RUNS, steps, 0.0});
        report_ratio(report, "over_collide_self",
                     (times.features - PAIR_SECONDS * (double)times.pairs) / times.collide,
                     (double)NAN, "features less 50 ns per pair, over colliding with itself");
        report_ratio(report, "over_limit",
                     times.features /
                         (COLLISIONS * times.collide + PAIR_SECONDS * (double)times.pairs),
                     (double)NAN, "features over three collisions and 50 ns per pair");
        report_ratio(report, "vs_hashing", times.hashing / times.features, (double)NAN,
                     "spatial hashing of features over ours");
        report_note(report, "%u steps of %u triangles, %llu pairs of features", steps,
                    c.mesh->triangle_count, (unsigned long long)times.pairs);
    }
    cloth_free(&c);
    return done;
}

const bench_experiment experiment_features_cloth = {
    .name = "features-cloth",
    .description = "features of a cloth of 92,000 triangles within half an edge of each other",
    .paper = NULL,
    .own_turns = true,
    .run = run,
};
