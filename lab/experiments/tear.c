/*
 * How long it takes to tear a hundred edges of a cloth of 92,000 triangles in a row, beside making
 * the shape anew, which gives the same pairs; one worker.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>

#include "gallery/body.h"
#include "pliant/query.h"

enum { EDGES = 100, STEPS = 100 };

typedef struct tear_run {
    pliant_context *context;
    pliant_query *query;
    gallery_scene *scene;
    pliant_shape *whole;
    pliant_tear tear;    /* the first hundred edges of the scene's tear */
    uint32_t *triangles; /* the mesh after it, */
    uint32_t vertices;   /* of so many vertices, */
    float *positions;    /* and a state of it */
    uint32_t runs;       /* of each */
    double first_seconds, tear_seconds, anew_seconds;
} tear_run;

/* Takes the first edges of the tear, between a row of vertices each, and applies them to a copy of
   the whole mesh. */
static bool take_edges(tear_run *run)
{
    const gallery_mesh *whole = run->scene->kind->whole(run->scene);
    size_t corners = 3 * (size_t)whole->triangle_count;
    uint32_t first = whole->vertex_count;
    run->triangles = malloc(corners * sizeof *run->triangles);
    run->positions = malloc(gallery_state_size(run->scene, 0) * sizeof(float));
    if (run->triangles == NULL || run->positions == NULL ||
        !run->scene->kind->tear(run->scene, first, run->scene->steps, &run->tear)) {
        return false;
    }
    pliant_tear *tear = &run->tear;
    tear->split_count = tear->split_count < EDGES ? tear->split_count : EDGES;
    run->vertices = first + tear->split_count;
    for (size_t i = 0; i < corners; i++) {
        run->triangles[i] = whole->triangles[i];
    }
    uint32_t used = 0;
    for (; used < tear->corner_count && tear->corners[used].vertex < run->vertices; used++) {
        uint32_t *corner = run->triangles + 3 * (size_t)tear->corners[used].triangle;
        uint32_t from = tear->split[tear->corners[used].vertex - first];
        for (int k = 0; k < 3; k++) {
            corner[k] = corner[k] == from ? tear->corners[used].vertex : corner[k];
        }
    }
    tear->corner_count = used;
    gallery_evaluate(run->scene, 0, STEPS / 2, run->positions);
    return true;
}

static bool tear_body(tear_run *run, pliant_body **body)
{
    pliant_tear nothing = {.split_count = 0};
    if (pliant_body_create(run->whole, NULL, body) != PLIANT_OK ||
        pliant_body_set_positions(*body, run->positions, 0) != PLIANT_OK) {
        return false;
    }
    double start = bench_seconds();
    bool done = pliant_body_tear(*body, &nothing) == PLIANT_OK;
    run->first_seconds = fmin(run->first_seconds, bench_seconds() - start);
    start = bench_seconds();
    done = done && pliant_body_tear(*body, &run->tear) == PLIANT_OK;
    run->tear_seconds = fmin(run->tear_seconds, bench_seconds() - start);
    return done && pliant_body_set_positions(*body, run->positions, 0) == PLIANT_OK;
}

static bool make_anew(tear_run *run, pliant_shape **shape, pliant_body **body)
{
    pliant_shape_def def = gallery_shape_def(run->scene, 0);
    def.triangles = run->triangles;
    def.vertex_count = run->vertices;
    def.weld = false;
    double start = bench_seconds();
    bool done = pliant_shape_create(run->context, &def, shape) == PLIANT_OK;
    run->anew_seconds = fmin(run->anew_seconds, bench_seconds() - start);
    return done && pliant_body_create(*shape, NULL, body) == PLIANT_OK &&
           pliant_body_set_positions(*body, run->positions, 0) == PLIANT_OK;
}

static bool hash_pairs(tear_run *run, pliant_body *body, uint64_t *hash)
{
    pliant_contacts contacts;
    bool done = pliant_collide_self(run->query, body, NULL, &contacts) == PLIANT_OK;
    *hash = done ? gallery_hash(contacts.pairs, contacts.count * sizeof *contacts.pairs) +
                       contacts.count
                 : 0;
    return done;
}

static bool run_once(tear_run *run, bench_report *report)
{
    pliant_body *torn = NULL, *anew = NULL;
    pliant_shape *shape = NULL;
    uint64_t hash[2] = {0, 0};
    bool done = tear_body(run, &torn) && make_anew(run, &shape, &anew) &&
                hash_pairs(run, torn, &hash[0]) && hash_pairs(run, anew, &hash[1]);
    pliant_body_destroy(torn);
    pliant_body_destroy(anew);
    pliant_shape_destroy(shape);
    if (!done) {
        return report_fail(report, "%s", pliant_last_error());
    }
    return hash[0] == hash[1] ||
           report_fail(report, "the torn body has other pairs than the one made anew");
}

static void write_report(const tear_run *run, bench_report *report)
{
    const char *const names[3] = {"the first time", "100 edges", "the shape made anew"};
    const double seconds[3] = {run->first_seconds, run->tear_seconds, run->anew_seconds};
    for (int i = 0; i < 3; i++) {
        bench_row *row = report_row(report, "%s", names[i]);
        report_cell(row, "triangles", run->scene->bodies[0].triangle_count, 0);
        report_cell(row, "total_ms", 1e3 * seconds[i], 3);
    }
    report_contest(report,
                   &(bench_terms){"cloth", (const char *const[]){"tearing", "the shape made anew"},
                                  2, run->runs, 1, 0.0});
    report_ratio(report, "ms_100_edges", 1e3 * run->tear_seconds, (double)NAN,
                 "ms to tear 100 edges of a cloth of 92,000 triangles");
    report_ratio(report, "anew_over_tear", run->anew_seconds / run->tear_seconds, (double)NAN,
                 "making the shape anew over tearing it");
}

static bool run_all(tear_run *run, const bench_settings *settings, bench_report *report)
{
    static const uint32_t runs[3] = {3, 9, 25};
    gallery_settings wanted = {.triangles = 92000, .steps = STEPS, .seed = settings->seed};
    pliant_context_def def = pliant_context_def_default();
    def.isa = settings->isa;
    run->scene = gallery_create(&gallery_tear, &wanted);
    if (run->scene == NULL || !take_edges(run)) {
        return report_fail(report, "not enough memory");
    }
    pliant_shape_def whole = gallery_shape_def(run->scene, 0);
    if (pliant_context_create(&def, &run->context) != PLIANT_OK ||
        pliant_query_create(run->context, &run->query) != PLIANT_OK ||
        pliant_shape_create(run->context, &whole, &run->whole) != PLIANT_OK) {
        return report_fail(report, "%s", pliant_last_error());
    }
    bool done = true;
    run->runs = runs[settings->length];
    for (uint32_t i = 0; i < run->runs && done; i++) {
        bench_progress(settings, "tear", i, run->runs);
        done = run_once(run, report);
    }
    if (done) {
        write_report(run, report);
    }
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    tear_run made = {.first_seconds = (double)INFINITY,
                     .tear_seconds = (double)INFINITY,
                     .anew_seconds = (double)INFINITY};
    bool done = run_all(&made, settings, report);
    pliant_query_destroy(made.query);
    pliant_shape_destroy(made.whole);
    pliant_context_destroy(made.context);
    free(made.triangles);
    free(made.positions);
    gallery_destroy(made.scene);
    return done;
}

const bench_experiment experiment_tear = {
    .name = "tear",
    .description = "tearing a cloth: a hundred edges at once, beside a shape made anew",
    .paper = NULL,
    .own_turns = true,
    .run = run,
};
