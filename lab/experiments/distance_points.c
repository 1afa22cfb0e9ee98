/*
 * 100,000 points near a walking figure of about 13,000 triangles, which is skinned: how far each
 * is, and on which side. Asked all at once, beside one question each, which knows no side, and
 * beside other libraries that are given the figure's vertices.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>

#include "gallery/gallery.h"
#include "lab/peers/peers.h"
#include "pliant/pliant.h"

enum { TRIANGLES = 13000, POINTS = 100000, ROUNDS = 9 };

/* Points are at most this far from a triangle along each axis; the figure is 1.8 tall. */
#define AWAY 0.1

typedef struct figure {
    gallery_scene *scene;
    pliant_context *context;
    pliant_shape *shape;
    pliant_body *body;
    pliant_query *query;
    float *coordinates, *transforms, *positions, *points;
    uint32_t count;
    pliant_signed_distance *distances;
    pliant_closest *closest;
} figure;

static bool set_pose(figure *f)
{
    const gallery_model *model = &f->scene->models[0];
    return pliant_body_set_coordinates(f->body, f->coordinates, model->mode_count) == PLIANT_OK &&
           pliant_body_set_transforms(f->body, f->transforms, model->joint_count, 0) == PLIANT_OK;
}

static bool create_body(const bench_settings *settings, figure *f)
{
    const gallery_mesh *mesh = &f->scene->bodies[0];
    const gallery_model *model = &f->scene->models[0];
    pliant_context_def context = pliant_context_def_default();
    context.isa = settings->isa;
    context.workers = bench_threads(settings);
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = f->scene->rest[0];
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    def.modes = model->modes;
    def.mode_count = model->mode_count;
    def.joint_count = model->joint_count;
    def.influence_offsets = model->influence_offsets;
    def.influence_joints = model->influence_joints;
    def.influence_weights = model->influence_weights;
    return pliant_context_create(&context, &f->context) == PLIANT_OK &&
           pliant_shape_create(f->context, &def, &f->shape) == PLIANT_OK &&
           pliant_body_create(f->shape, NULL, &f->body) == PLIANT_OK &&
           pliant_query_create(f->context, &f->query) == PLIANT_OK && set_pose(f) &&
           pliant_body_evaluate(f->body, NULL, mesh->vertex_count, f->positions) == PLIANT_OK;
}

/* A point of a random triangle, moved a little. */
static void make_points(const bench_settings *settings, figure *f)
{
    const gallery_mesh *mesh = &f->scene->bodies[0];
    gallery_random random = gallery_random_seed(settings->seed, 7);
    for (uint32_t i = 0; i < f->count; i++) {
        const uint32_t *t =
            mesh->triangles + 3 * (size_t)gallery_random_below(&random, mesh->triangle_count);
        double a = gallery_random_range(&random, 0.0, 1.0);
        double b = gallery_random_range(&random, 0.0, 1.0 - a);
        for (int k = 0; k < 3; k++) {
            double x = a * (double)f->positions[3 * (size_t)t[0] + (size_t)k] +
                       b * (double)f->positions[3 * (size_t)t[1] + (size_t)k] +
                       (1.0 - a - b) * (double)f->positions[3 * (size_t)t[2] + (size_t)k];
            f->points[3 * (size_t)i + (size_t)k] =
                (float)(x + gallery_random_range(&random, -AWAY, AWAY));
        }
    }
}

static bool create(const bench_settings *settings, figure *f)
{
    gallery_settings wanted = {.triangles = TRIANGLES, .seed = settings->seed};
    f->scene = gallery_create(&gallery_figure, &wanted);
    if (f->scene == NULL) {
        return false;
    }
    const gallery_mesh *mesh = &f->scene->bodies[0];
    const gallery_model *model = &f->scene->models[0];
    f->count = settings->length == BENCH_QUICK ? POINTS / 10 : POINTS;
    f->coordinates = calloc(model->mode_count + 1, sizeof *f->coordinates);
    f->transforms = calloc(12 * (size_t)model->joint_count, sizeof *f->transforms);
    f->positions = malloc(3 * (size_t)mesh->vertex_count * sizeof *f->positions);
    f->points = malloc(3 * (size_t)f->count * sizeof *f->points);
    f->distances = malloc(f->count * sizeof *f->distances);
    f->closest = malloc(f->count * sizeof *f->closest);
    if (f->coordinates == NULL || f->transforms == NULL || f->positions == NULL ||
        f->points == NULL || f->distances == NULL || f->closest == NULL) {
        return false;
    }
    gallery_state(f->scene, 0, f->scene->steps / 3, f->coordinates, f->transforms);
    bool done = create_body(settings, f);
    if (done) {
        make_points(settings, f);
    }
    return done;
}

static void destroy(figure *f)
{
    pliant_query_destroy(f->query);
    pliant_body_destroy(f->body);
    pliant_shape_destroy(f->shape);
    pliant_context_destroy(f->context);
    if (f->scene != NULL) {
        gallery_destroy(f->scene);
    }
    free(f->coordinates);
    free(f->transforms);
    free(f->positions);
    free(f->points);
    free(f->distances);
    free(f->closest);
}

/* One question per point; the pose is new, so that what is near has to be refreshed. */
static bool ask_one_by_one(figure *f, double *seconds)
{
    bool done = set_pose(f);
    double start = bench_seconds();
    for (uint32_t i = 0; i < f->count && done; i++) {
        done = pliant_find_closest_point(f->query, f->body, f->points + 3 * (size_t)i,
                                         (float)INFINITY, &f->closest[i]) == PLIANT_OK;
    }
    *seconds = bench_seconds() - start;
    return done;
}

static bool ask_all(figure *f, double *seconds)
{
    bool done = set_pose(f);
    double start = bench_seconds();
    done = done && pliant_measure_distances(f->query, f->body, f->points, f->count, 0, NULL,
                                            f->distances) == PLIANT_OK;
    *seconds = bench_seconds() - start;
    return done;
}

static bool agrees(const figure *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->closest[i].triangle != f->distances[i].closest.triangle ||
            f->closest[i].distance != f->distances[i].closest.distance) {
            return false;
        }
    }
    return true;
}

static void add_row(bench_report *report, const char *name, double seconds, double points,
                    double ours)
{
    bench_row *row = report_row(report, "%s", name);
    report_cell(row, "ns_per_point", 1e9 * seconds / points, 0);
    report_cell(row, "over_ours", seconds / points / ours, 2);
}

static bool compare_peer(const point_peer *peer, figure *f, int rounds, double ours,
                         bench_report *report)
{
    const gallery_mesh *mesh = &f->scene->bodies[0];
    const peer_body body = {f->positions, mesh->triangles, mesh->vertex_count,
                            mesh->triangle_count};
    double start = bench_seconds();
    void *state = peer->create(&body);
    if (state == NULL) {
        return report_fail(report, "%s: the tree cannot be made", peer->name);
    }
    double built = bench_seconds();
    uint32_t asked = 0, other_side = 0;
    double worst = 0.0, runs[ROUNDS] = {0.0};
    for (int round = 0; round < rounds; round++) {
        asked = other_side = 0;
        for (uint32_t i = 0; i < f->count; i += peer->every, asked++) {
            double before = bench_seconds();
            double distance = peer->distance(state, f->points + 3 * (size_t)i);
            runs[round] += bench_seconds() - before;
            double want = f->distances[i].distance;
            other_side += peer->has_sides && (distance < 0.0) != (want < 0.0);
            worst = fmax(worst, fabs(fabs(distance) - fabs(want)));
        }
    }
    double seconds = bench_median(runs, (uint64_t)rounds);
    peer->destroy(state);
    report_contest(report, &(bench_terms){"points", &peer->name, 1, (uint32_t)rounds, 1, 0.0});
    add_row(report, peer->name, seconds, asked, ours);
    report_ratio(report, peer->key, seconds / asked / ours, (double)NAN,
                 "time per point of that library, its tree made before, over ours");
    report_note(report, "%s: tree made in %.1f ms; distances differ by at most %.1e", peer->name,
                1e3 * (built - start), worst);
    if (peer->has_sides) {
        report_note(report, "%s: of %u points %u have another side", peer->name, asked, other_side);
    }
    return worst < 1e-5 || report_fail(report, "%s: a distance differs by %g", peer->name, worst);
}

static bool run(const bench_settings *settings, bench_report *report)
{
    figure f = {.scene = NULL};
    double one[ROUNDS], all[ROUNDS];
    int rounds = settings->length == BENCH_QUICK ? 3 : ROUNDS;
    bool done = create(settings, &f) || report_fail(report, "no figure: %s", pliant_last_error());
    for (int i = 0; i < rounds && done; i++) {
        bench_progress(settings, "distance-points", (uint64_t)i, (uint64_t)rounds);
        done = (ask_one_by_one(&f, &one[i]) && ask_all(&f, &all[i])) ||
               report_fail(report, "%s", pliant_last_error());
        done = done && (agrees(&f) || report_fail(report, "closest points differ"));
    }
    if (done) {
        uint64_t lines = pliant_query_get_stats(f.query)->lines;
        double ours = bench_median(all, (uint64_t)rounds) / f.count;
        double alone = bench_median(one, (uint64_t)rounds) / f.count;
        add_row(report, "ours, all at once, with side", ours, 1, ours);
        add_row(report, "ours, one by one, no side", alone, 1, ours);
        const char *const names[2] = {"ours, all at once", "ours, one by one"};
        report_contest(report, &(bench_terms){"points", names, 2, (uint32_t)rounds, 1, 0.0});
        report_ratio(report, "vs_one_by_one", alone / ours, (double)NAN,
                     "one question per point, which gives no side, over one for all with sides");
        report_note(
            report, "%u points within %.1f of %u triangles; lines were followed for %.1f %%",
            f.count, AWAY, f.scene->bodies[0].triangle_count, 100.0 * (double)lines / f.count);
        for (uint32_t i = 0; i < peers_point_count() && done; i++) {
            done = compare_peer(peers_point(i), &f, rounds, ours, report);
        }
    }
    destroy(&f);
    return done;
}

const bench_experiment experiment_distance_points = {
    .name = "distance-points",
    .description = "signed distances of 100,000 points to a skinned figure of 13,000 triangles",
    .paper = NULL,
    .own_turns = true,
    .run = run,
};
