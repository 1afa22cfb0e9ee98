/*
 * Rays through 200 skinned figures in poses that have just been set: one pick ray, first with the
 * bodies' boxes still to be found and then with these known, and 100,000 rays at once. Beside a
 * loop over the bodies, each of which is asked if the ray meets its box; and beside Embree, for
 * which all vertices are evaluated and all trees refitted before the first ray.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>

#include "gallery/gallery.h"
#include "lab/peers/evaluate.h"
#include "lab/peers/peers.h"
#include "pliant/pliant.h"

enum { BODIES = 200, TRIANGLES = 13000, RAYS = 100000, PICKS = 20, ROUNDS = 15, STATES = 4 };

/* Figures; bodies of the loop are others than those of the scene. */
typedef struct rays_run {
    gallery_scene *figure;
    gallery_model model; /* the figure's, without modes */
    pliant_context *context;
    pliant_shape *shape;
    pliant_scene *scene;
    pliant_query *query;
    pliant_body *body[BODIES], *alone[BODIES];
    pliant_body_id id[BODIES];
    pliant_box box[BODIES]; /* of those of the loop */
    float *transforms;      /* of every body in every state */
    float *positions[BODIES];
    pliant_ray *rays;
    pliant_scene_ray_hit *hits;
    pliant_ray_hit *looped;
    uint32_t *looped_body;
    uint32_t ray_count;
    void *peer;
} rays_run;

/* Seconds of one round: with new roots, then per ray, of one ray and of many. */
typedef struct times {
    double new_roots, pick, many;
} times;

static const float *pose(const rays_run *c, uint32_t state, uint32_t body)
{
    size_t size = 12 * (size_t)c->model.joint_count;
    return c->transforms + size * (BODIES * (size_t)(state % STATES) + body);
}

/* ------------------------------------------------------------------ setting up */

/* Everybody walks, each with a phase of their own, and stands in a grid. */
static void make_poses(rays_run *c)
{
    uint32_t joints = c->model.joint_count;
    float *coordinates = calloc(c->figure->models[0].mode_count + 1, sizeof *coordinates);
    for (uint32_t i = 0; i < STATES * BODIES; i++) {
        uint32_t body = i % BODIES, state = i / BODIES, row = body / 20;
        float *transforms = c->transforms + 12 * (size_t)joints * i;
        gallery_state(c->figure, 0, (13 * body + 5 * state) % c->figure->steps, coordinates,
                      transforms);
        for (uint32_t j = 0; j < joints; j++) {
            transforms[12 * j + 3] += 1.3f * (float)(body % 20);
            transforms[12 * j + 11] += 1.3f * (float)row;
        }
    }
    free(coordinates);
}

static bool create_bodies(rays_run *c)
{
    const gallery_mesh *mesh = &c->figure->bodies[0];
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = c->figure->rest[0];
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    def.joint_count = c->model.joint_count;
    def.influence_offsets = c->model.influence_offsets;
    def.influence_joints = c->model.influence_joints;
    def.influence_weights = c->model.influence_weights;
    bool done = pliant_shape_create(c->context, &def, &c->shape) == PLIANT_OK &&
                pliant_scene_create(c->context, NULL, &c->scene) == PLIANT_OK &&
                pliant_query_create(c->context, &c->query) == PLIANT_OK;
    for (uint32_t i = 0; i < BODIES && done; i++) {
        c->positions[i] = malloc((3 * (size_t)mesh->vertex_count + 4) * sizeof(float));
        done = c->positions[i] != NULL &&
               pliant_body_create(c->shape, NULL, &c->body[i]) == PLIANT_OK &&
               pliant_body_create(c->shape, NULL, &c->alone[i]) == PLIANT_OK &&
               pliant_scene_add(c->scene, c->body[i], NULL, &c->id[i]) == PLIANT_OK;
    }
    return done;
}

/* From above and around towards where figures stand. */
static void make_rays(const bench_settings *settings, rays_run *c)
{
    gallery_random random = gallery_random_seed(settings->seed, 11);
    for (uint32_t i = 0; i < c->ray_count; i++) {
        double from[3] = {gallery_random_range(&random, -3.0, 28.0),
                          gallery_random_range(&random, 1.0, 6.0),
                          gallery_random_range(&random, -3.0, 15.0)};
        double to[3] = {1.3 * gallery_random_range(&random, 0.0, 19.0),
                        gallery_random_range(&random, 0.0, 1.8),
                        1.3 * gallery_random_range(&random, 0.0, 9.0)};
        for (int k = 0; k < 3; k++) {
            c->rays[i].origin[k] = (float)from[k];
            c->rays[i].direction[k] = (float)(to[k] - from[k]);
        }
        c->rays[i].t_max = INFINITY;
    }
}

static bool create(const bench_settings *settings, rays_run *c)
{
    gallery_settings wanted = {.triangles = TRIANGLES, .seed = settings->seed};
    c->figure = gallery_create(&gallery_figure, &wanted);
    if (c->figure == NULL) {
        return false;
    }
    c->model = c->figure->models[0];
    c->model.mode_count = 0;
    c->ray_count = settings->length == BENCH_QUICK ? RAYS / 10 : RAYS;
    c->transforms =
        malloc(12 * (size_t)c->model.joint_count * STATES * BODIES * sizeof *c->transforms);
    c->rays = malloc(c->ray_count * sizeof *c->rays);
    c->hits = malloc(c->ray_count * sizeof *c->hits);
    c->looped = malloc(c->ray_count * sizeof *c->looped);
    c->looped_body = malloc(c->ray_count * sizeof *c->looped_body);
    pliant_context_def context = pliant_context_def_default();
    context.isa = settings->isa;
    context.workers = bench_threads(settings);
    if (c->transforms == NULL || c->rays == NULL || c->hits == NULL || c->looped == NULL ||
        c->looped_body == NULL || pliant_context_create(&context, &c->context) != PLIANT_OK) {
        return false;
    }
    make_poses(c);
    make_rays(settings, c);
    return create_bodies(c);
}

static void destroy(rays_run *c)
{
    if (c->peer != NULL) {
        peers_rays()->destroy(c->peer);
    }
    pliant_scene_destroy(c->scene);
    pliant_query_destroy(c->query);
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_body_destroy(c->body[i]);
        pliant_body_destroy(c->alone[i]);
        free(c->positions[i]);
    }
    pliant_shape_destroy(c->shape);
    pliant_context_destroy(c->context);
    if (c->figure != NULL) {
        gallery_destroy(c->figure);
    }
    free(c->transforms);
    free(c->rays);
    free(c->hits);
    free(c->looped);
    free(c->looped_body);
}

/* --------------------------------------------------------------------- methods */

static bool set_poses(const rays_run *c, pliant_body *const *bodies, uint32_t state)
{
    bool done = true;
    for (uint32_t i = 0; i < BODIES && done; i++) {
        done = pliant_body_set_transforms(bodies[i], pose(c, state, i), c->model.joint_count, 0) ==
               PLIANT_OK;
    }
    return done;
}

static bool cast_scene(rays_run *c, uint32_t first, uint32_t count)
{
    return pliant_scene_raycast(c->scene, c->rays + first, count, NULL, c->hits + first) ==
           PLIANT_OK;
}

/* Whether a ray may meet a box, as a program in float32 has it, with some room. */
static bool may_meet(const pliant_ray *ray, const pliant_box *box, double limit)
{
    double near = 0.0, far = limit;
    for (int k = 0; k < 3; k++) {
        double inverse = 1.0 / (double)ray->direction[k]; /* these rays are never parallel */
        double a = ((double)box->lower[k] - (double)ray->origin[k]) * inverse;
        double b = ((double)box->upper[k] - (double)ray->origin[k]) * inverse;
        near = fmax(near, fmin(a, b));
        far = fmin(far, fmax(a, b));
    }
    return near <= far + 1e-6;
}

static bool bound_all(rays_run *c)
{
    bool done = true;
    for (uint32_t i = 0; i < BODIES && done; i++) {
        done = pliant_body_get_bounds(c->alone[i], &c->box[i]) == PLIANT_OK;
    }
    return done;
}

/* What a program without a scene does. */
static bool cast_loop(rays_run *c, uint32_t first, uint32_t count)
{
    bool done = true;
    for (uint32_t i = first; i < first + count && done; i++) {
        pliant_ray ray = c->rays[i];
        c->looped[i] = (pliant_ray_hit){.t = INFINITY};
        for (uint32_t b = 0; b < BODIES && done; b++) {
            pliant_ray_hit hit;
            if (may_meet(&ray, &c->box[b], (double)ray.t_max)) {
                done = pliant_raycast(c->query, c->alone[b], &ray, &hit) == PLIANT_OK;
                if (done && hit.t < c->looped[i].t) {
                    c->looped[i] = hit;
                    c->looped_body[i] = b;
                    ray.t_max = nextafterf((float)hit.t, INFINITY);
                }
            }
        }
    }
    return done;
}

/* Whether scene and loop found the same. */
static bool agree(const rays_run *c, uint32_t first, uint32_t count)
{
    bool same = true;
    for (uint32_t i = first; i < first + count && same; i++) {
        bool hit = c->hits[i].body.generation != 0;
        same = hit ? c->hits[i].hit.t == c->looped[i].t : isinf(c->looped[i].t);
        same = same && (!hit || c->hits[i].body.index == c->id[c->looped_body[i]].index);
    }
    return same;
}

static void evaluate_all(rays_run *c, uint32_t state)
{
    for (uint32_t i = 0; i < BODIES; i++) {
        peer_evaluate(&c->model, c->figure->rest[0], c->figure->bodies[0].vertex_count,
                      pose(c, state, i), c->positions[i]);
    }
}

/* ---------------------------------------------------------------------- rounds */

/* Picks follow each other; the first of them finds the boxes. Many rays come after all picks, since
   bodies remember what was looked at in the last state. */
static bool pick_in_scene(rays_run *c, uint32_t round, times *t)
{
    uint32_t first = round * (PICKS + 1);
    bool done = set_poses(c, c->body, round);
    double start = bench_seconds();
    done = done && cast_scene(c, first, 1);
    double known = bench_seconds();
    for (uint32_t i = 1; i <= PICKS && done; i++) {
        done = cast_scene(c, first + i, 1);
    }
    t->new_roots = known - start;
    t->pick = (bench_seconds() - known) / PICKS;
    return done;
}

static bool pick_by_loop(rays_run *c, uint32_t round, times *t)
{
    uint32_t first = round * (PICKS + 1);
    bool done = set_poses(c, c->alone, round);
    double start = bench_seconds();
    done = done && bound_all(c) && cast_loop(c, first, 1);
    double known = bench_seconds();
    done = done && cast_loop(c, first + 1, PICKS);
    t->new_roots = known - start;
    t->pick = (bench_seconds() - known) / PICKS;
    return done && agree(c, first, PICKS + 1);
}

static void pick_by_peer(rays_run *c, uint32_t round, times *t)
{
    uint32_t first = round * (PICKS + 1), body = 0;
    double start = bench_seconds();
    evaluate_all(c, round);
    peers_rays()->update(c->peer);
    peers_rays()->cast(c->peer, &c->rays[first], &body);
    double known = bench_seconds();
    for (uint32_t i = 1; i <= PICKS; i++) {
        peers_rays()->cast(c->peer, &c->rays[first + i], &body);
    }
    t->new_roots = known - start;
    t->pick = (bench_seconds() - known) / PICKS;
}

static bool cast_many(rays_run *c, uint32_t round, times *t)
{
    bool done = set_poses(c, c->body, round);
    double start = bench_seconds();
    done = done && cast_scene(c, 0, c->ray_count);
    t->many = (bench_seconds() - start) / c->ray_count;
    return done;
}

/* Some of them, as they take long. */
static bool loop_over_many(rays_run *c, uint32_t round, times *t)
{
    uint32_t some = c->ray_count / 10;
    bool done = set_poses(c, c->alone, round);
    double start = bench_seconds();
    done = done && bound_all(c) && cast_loop(c, 0, some);
    t->many = (bench_seconds() - start) / some;
    return done && agree(c, 0, some);
}

/* Returns how many rays do not agree with ours; they are traced in float32. */
static uint32_t trace_many(rays_run *c, uint32_t round, times *t)
{
    uint32_t differ = 0, body = 0;
    double start = bench_seconds();
    evaluate_all(c, round);
    peers_rays()->update(c->peer);
    for (uint32_t i = 0; i < c->ray_count; i++) {
        double at = peers_rays()->cast(c->peer, &c->rays[i], &body);
        bool hit = c->hits[i].body.generation != 0;
        differ += hit != isfinite(at) || (hit && fabs(at - c->hits[i].hit.t) > 1e-4);
    }
    t->many = (bench_seconds() - start) / c->ray_count;
    return differ;
}

static bool create_peer(rays_run *c)
{
    const gallery_mesh *mesh = &c->figure->bodies[0];
    peer_body bodies[BODIES];
    evaluate_all(c, 0);
    for (uint32_t i = 0; i < BODIES; i++) {
        bodies[i] =
            (peer_body){c->positions[i], mesh->triangles, mesh->vertex_count, mesh->triangle_count};
    }
    c->peer = peers_rays() != NULL ? peers_rays()->create(bodies, BODIES) : NULL;
    return c->peer != NULL;
}

/* --------------------------------------------------------------------- reports */

static times median(const times *all, uint32_t count)
{
    double values[3][ROUNDS];
    for (uint32_t i = 0; i < count; i++) {
        values[0][i] = all[i].new_roots;
        values[1][i] = all[i].pick;
        values[2][i] = all[i].many;
    }
    return (times){bench_median(values[0], count), bench_median(values[1], count),
                   bench_median(values[2], count)};
}

static void add_row(bench_report *report, const char *name, const times *t)
{
    bench_row *row = report_row(report, "%s", name);
    report_cell(row, "pick_new_poses_us", 1e6 * t->new_roots, 1);
    report_cell(row, "pick_us", 1e6 * t->pick, 1);
    report_cell(row, "ns_per_ray_of_many", 1e9 * t->many, 0);
}

static void add_ratios(bench_report *report, const char *who, const times *t, const times *ours)
{
    char key[64];
    snprintf(key, sizeof key, "vs_%s_1", who);
    report_ratio(report, key, t->new_roots / ours->new_roots, (double)NAN,
                 "one ray in new poses, over ours");
    snprintf(key, sizeof key, "vs_%s_many", who);
    report_ratio(report, key, t->many / ours->many, (double)NAN,
                 "many rays in new poses, over ours");
}

static bool run(const bench_settings *settings, bench_report *report)
{
    static rays_run c;
    c = (rays_run){.figure = NULL};
    times ours[ROUNDS], loop[ROUNDS], peers[ROUNDS];
    uint32_t rounds = settings->length == BENCH_QUICK ? 3 : ROUNDS, differ = 0;
    bool done = create(settings, &c) || report_fail(report, "no crowd: %s", pliant_last_error());
    bool peer = done && create_peer(&c);
    for (uint32_t i = 0; i < 2 * rounds && done; i++) {
        uint32_t r = i % rounds;
        bench_progress(settings, "rays-scene", i, 2 * (uint64_t)rounds);
        if (i < rounds) {
            done = pick_in_scene(&c, r, &ours[r]) && pick_by_loop(&c, r, &loop[r]);
        } else {
            done = cast_many(&c, r, &ours[r]) && loop_over_many(&c, r, &loop[r]);
        }
        if (!done) {
            report_fail(report, "answers differ, or a call failed: %s", pliant_last_error());
        } else if (peer && i < rounds) {
            pick_by_peer(&c, r, &peers[r]);
        } else if (peer) {
            differ += trace_many(&c, r, &peers[r]);
        }
    }
    if (done) {
        times a = median(ours, rounds), b = median(loop, rounds);
        add_row(report, "ours", &a);
        add_row(report, "loop over the bodies", &b);
        report_contest(report, &(bench_terms){"figures",
                                              (const char *const[]){"ours", "loop over the bodies"},
                                              2, rounds, 1, 0.0});
        report_ratio(report, "pick_us", 1e6 * a.pick, (double)NAN,
                     "microseconds of a ray with the bodies' boxes known");
        report_ratio(report, "pick_new_roots_us", 1e6 * a.new_roots, (double)NAN,
                     "microseconds of a ray after all poses were set");
        add_ratios(report, "loop", &b, &a);
        if (peer) {
            times e = median(peers, rounds);
            add_row(report, peers_rays()->name, &e);
            add_ratios(report, "embree", &e, &a);
            report_note(report, "of %u rays %u are answered otherwise by Embree, in float32",
                        rounds * c.ray_count, differ);
        }
        report_note(report, "%u figures of %u triangles and %u joints; %u rays; medians of %u",
                    BODIES, c.figure->bodies[0].triangle_count, c.model.joint_count, c.ray_count,
                    rounds);
    }
    destroy(&c);
    return done;
}

const bench_experiment experiment_rays_scene = {
    .name = "rays-scene",
    .description = "one ray and 100,000 rays through 200 skinned figures in new poses",
    .paper = NULL,
    .own_turns = true,
    .run = run,
};
