/*
 * Trees whose body flies apart. A plate of 400 pieces is broken up to six spreads, and hit by a
 * ball in every state: with the tree that was cut at first, with one that is built anew where
 * counts say so, with islands, and with a tree made anew. And cloths, balls and people that deform
 * without coming apart, whose trees must stay. Every flight is flown several times, and does the
 * same each time: the time of a state is the least of these.
 */
#include "experiments.h"

#include <math.h>
#include <stdlib.h>

#include "gallery/gallery.h"
#include "pliant/pliant.h"

#define SIDE 2.0 /* of the plate */

enum { OLD, AUTO, ISLANDS, FRESH, WAYS, SPREADS = 6, FLIGHT = 10, AGE = 20, TIMES = 3 };

static const char *const way_names[WAYS] = {"old tree", "AUTO", "islands", "fresh tree"};
static const double spreads[SPREADS] = {0.0, 0.03, 1.0 / 7.0, 0.4, 1.0, 3.0};

/* A plate and a ball, and the plate's bodies in all ways but the last. */
typedef struct debris {
    gallery_scene *scene;
    const gallery_mesh *mesh;
    uint32_t *piece;  /* per vertex */
    double (*way)[3]; /* per piece: where it flies, within -1 to 1 */
    float *positions;
    double (*seconds)[WAYS]; /* per state of a flight */
    double rebuild_seconds;  /* of the state with which a new tree comes into use, without questions
                              */
    pliant_context *context;
    pliant_query *query;
    pliant_shape *shape[WAYS], *ball_shape;
    pliant_body *body[WAYS], *ball;
} debris;

/* ---------------------------------------------------------------- set-up */

/* The first vertex of each piece stands for it: vertices of a piece follow each other. */
static bool name_pieces(debris *d, uint64_t seed)
{
    uint32_t vertices = d->mesh->vertex_count;
    gallery_random random = gallery_random_seed(seed, 300);
    d->piece = malloc(vertices * sizeof *d->piece);
    d->way = malloc(vertices * sizeof *d->way);
    if (d->piece == NULL || d->way == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < vertices; v++) {
        d->piece[v] = v;
        for (int k = 0; k < 3; k++) {
            d->way[v][k] = gallery_random_range(&random, -1.0, 1.0);
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t t = 0; t < d->mesh->triangle_count; t++) {
            const uint32_t *corner = d->mesh->triangles + 3 * (size_t)t;
            for (int k = 0; k < 3; k++) {
                uint32_t *a = &d->piece[corner[k]], *b = &d->piece[corner[(k + 1) % 3]];
                uint32_t least = *a < *b ? *a : *b;
                changed = changed || *a != *b;
                *a = *b = least;
            }
        }
    }
    return true;
}

static bool make_body(debris *d, int way)
{
    pliant_shape_def def = pliant_shape_def_default();
    pliant_body_def body = pliant_body_def_default();
    def.positions = way == FRESH ? d->positions : d->mesh->positions;
    def.vertex_count = d->mesh->vertex_count;
    def.triangles = d->mesh->triangles;
    def.triangle_count = d->mesh->triangle_count;
    def.islands = way == ISLANDS ? PLIANT_ISLANDS_ALWAYS : PLIANT_ISLANDS_NEVER;
    body.rebuild = way == AUTO ? PLIANT_REBUILD_AUTO : PLIANT_REBUILD_NEVER;
    pliant_body_destroy(d->body[way]);
    pliant_shape_destroy(d->shape[way]);
    d->body[way] = NULL;
    d->shape[way] = NULL;
    return pliant_shape_create(d->context, &def, &d->shape[way]) == PLIANT_OK &&
           pliant_body_create(d->shape[way], &body, &d->body[way]) == PLIANT_OK;
}

/* The ball stands across the plate. */
static bool make_ball(debris *d)
{
    const gallery_mesh *mesh = &d->scene->bodies[1];
    pliant_shape_def def = pliant_shape_def_default();
    float *positions = malloc(3 * (size_t)mesh->vertex_count * sizeof *positions);
    if (positions == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        positions[i] = 0.5f * d->scene->rest[1][i];
    }
    def.positions = positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    bool done = pliant_shape_create(d->context, &def, &d->ball_shape) == PLIANT_OK &&
                pliant_body_create(d->ball_shape, NULL, &d->ball) == PLIANT_OK;
    free(positions);
    return done;
}

static bool debris_create(const bench_settings *settings, uint32_t states, debris *d)
{
    static const uint32_t triangles[3] = {5000, 20000, 20000};
    gallery_settings wanted = {.triangles = triangles[settings->length], .seed = settings->seed};
    pliant_context_def context = pliant_context_def_default();
    context.isa = settings->isa;
    d->scene = gallery_create(&gallery_shatter, &wanted);
    if (d->scene == NULL) {
        return false;
    }
    d->mesh = &d->scene->bodies[0];
    d->positions = malloc(3 * (size_t)d->mesh->vertex_count * sizeof *d->positions);
    d->seconds = malloc(states * sizeof *d->seconds);
    d->rebuild_seconds = (double)INFINITY;
    return d->positions != NULL && d->seconds != NULL && name_pieces(d, settings->seed) &&
           pliant_context_create(&context, &d->context) == PLIANT_OK &&
           pliant_query_create(d->context, &d->query) == PLIANT_OK && make_ball(d);
}

static void debris_free(debris *d)
{
    for (int way = 0; way < WAYS; way++) {
        pliant_body_destroy(d->body[way]);
        pliant_shape_destroy(d->shape[way]);
    }
    pliant_body_destroy(d->ball);
    pliant_shape_destroy(d->ball_shape);
    pliant_query_destroy(d->query);
    pliant_context_destroy(d->context);
    free(d->positions);
    free(d->seconds);
    free(d->piece);
    free(d->way);
    gallery_destroy(d->scene);
}

/* ------------------------------------------------------------ the flights */

/* Pieces fly out in the first states, and hover from then on. */
static void move_pieces(debris *d, double spread, uint32_t state)
{
    double far = SIDE * spread * (state < FLIGHT ? (double)state / FLIGHT : 1.0);
    for (size_t v = 0; v < d->mesh->vertex_count; v++) {
        const double *way = d->way[d->piece[v]];
        for (size_t k = 0; k < 3; k++) {
            double hover = 0.002 * gallery_sin(50.0 * way[(k + 1) % 3] + 0.3 * state);
            d->positions[3 * v + k] =
                (float)((double)d->mesh->positions[3 * v + k] + far * way[k] + hover);
        }
    }
}

/* Sets the state and asks, with all that comes along; *hash is of the answer. */
static bool time_state(debris *d, int way, double *seconds, pliant_body_quality *quality,
                       uint64_t *hash)
{
    pliant_contacts contacts;
    uint64_t rebuilds = quality->rebuilds;
    double start = bench_seconds();
    pliant_result result = pliant_body_set_positions(d->body[way], d->positions, 0);
    double set = bench_seconds();
    if (result == PLIANT_OK) {
        result = pliant_collide(d->query, d->body[way], d->ball, NULL, &contacts);
    }
    *seconds = fmin(*seconds, bench_seconds() - start);
    if (result != PLIANT_OK) {
        return false;
    }
    *hash = gallery_hash(contacts.pairs, contacts.count * sizeof *contacts.pairs);
    pliant_body_get_quality(d->body[way], quality);
    if (way == AUTO && quality->rebuilds > rebuilds) {
        d->rebuild_seconds = fmin(d->rebuild_seconds, set - start);
    }
    return true;
}

typedef struct flight {
    double seconds[WAYS];
    pliant_body_quality quality[WAYS]; /* in the last state */
} flight;

static bool fly_once(debris *d, double spread, uint32_t states, flight *f, bench_report *report)
{
    for (int way = 0; way < FRESH; way++) {
        f->quality[way] = (pliant_body_quality){.rebuilds = 0};
        if (!make_body(d, way)) {
            return report_fail(report, "%s", pliant_last_error());
        }
    }
    for (uint32_t state = 0; state < states; state++) {
        uint64_t hash[WAYS];
        move_pieces(d, spread, state);
        if ((state < FLIGHT || state % AGE == 0) && !make_body(d, FRESH)) {
            return report_fail(report, "%s", pliant_last_error());
        }
        for (int way = 0; way < WAYS; way++) {
            if (!time_state(d, way, &d->seconds[state][way], &f->quality[way], &hash[way])) {
                return report_fail(report, "%s", pliant_last_error());
            }
            if (hash[way] != hash[0]) {
                return report_fail(report, "%s: other pairs at spread %.2f", way_names[way],
                                   spread);
            }
        }
    }
    return true;
}

static bool fly(debris *d, double spread, uint32_t states, flight *f, bench_report *report)
{
    for (uint32_t state = 0; state < states; state++) {
        for (int way = 0; way < WAYS; way++) {
            d->seconds[state][way] = (double)INFINITY;
        }
    }
    for (int i = 0; i < TIMES; i++) {
        if (!fly_once(d, spread, states, f, report)) {
            return false;
        }
    }
    for (uint32_t state = 0; state < states; state++) {
        for (int way = 0; way < WAYS; way++) {
            f->seconds[way] += d->seconds[state][way];
        }
    }
    return true;
}

static void add_flight(bench_report *report, double spread, const flight *f, uint32_t states)
{
    bench_row *row = report_row(report, "spread %.2f", spread);
    for (int way = 0; way < WAYS; way++) {
        report_cell(row, way_names[way], 1e6 * f->seconds[way] / states, 1);
    }
    report_cell(row, "decay", f->quality[OLD].decay, 2);
    report_cell(row, "rebuilds", (double)f->quality[AUTO].rebuilds, 0);
    report_cell(row, "sorts", (double)f->quality[ISLANDS].sorts, 0);
}

/* ---------------------------------------------------------- trees that hold */

/* How a body deforms: a motion of our own, or that of its scene. */
typedef void (*deformation)(const float *rest, uint32_t count, double time, float *positions);

/* What falls in on itself: its upper part sinks to the floor in folds. */
static void collapse(const float *rest, uint32_t count, double time, float *positions)
{
    double lower = (double)INFINITY, upper = (double)-INFINITY;
    for (size_t v = 0; v < count; v++) {
        lower = fmin(lower, (double)rest[3 * v + 2]);
        upper = fmax(upper, (double)rest[3 * v + 2]);
    }
    for (size_t v = 0; v < count; v++) {
        const float *p = rest + 3 * v;
        double height = (double)p[2] - lower, fold = 0.2 * time * height / (upper - lower);
        positions[3 * v] = (float)((double)p[0] + fold * gallery_sin(9.0 * (double)p[1]));
        positions[3 * v + 1] = (float)((double)p[1] + fold * gallery_sin(8.0 * (double)p[0]));
        positions[3 * v + 2] = (float)(lower + height * (1.0 - 0.9 * time) +
                                       0.3 * fold * gallery_sin(7.0 * (double)(p[0] + p[1])));
    }
}

/* A cloth that is pressed together from all sides to a third of its size, in folds of all sizes
   that keep its edges about as long as they were. The shifts within the plane were chosen for that:
   with 0.2 sin(19 y) in place of 0.04 sin(13 y) the cloth is stretched about fourfold, its bounds
   grow to twice what they were, and AUTO builds its tree anew once. */
static void crumple(const float *rest, uint32_t count, double time, float *positions)
{
    for (size_t v = 0; v < count; v++) {
        const float *p = rest + 3 * v;
        double x = (double)p[0], y = (double)p[1], z = (double)p[2], height = 0.0;
        for (int fold = 0; fold < 5; fold++) {
            double often = 3.0 * (double)(1 << fold), size = 0.25 / (double)(1 << fold);
            height += size * gallery_sin(often * (x + 0.6 * y) + fold) *
                      gallery_cos(often * (y - 0.4 * x) + 2.0 * fold);
        }
        positions[3 * v] = (float)((1.0 - 0.67 * time) * x + 0.04 * time * gallery_sin(13.0 * y));
        positions[3 * v + 1] =
            (float)((1.0 - 0.67 * time) * y + 0.04 * time * gallery_sin(12.0 * x + y));
        positions[3 * v + 2] = (float)(z + time * height);
    }
}

/* Plays a scene's first body with AUTO, asking it about itself; how often its tree was built. */
static bool play(debris *d, const gallery_kind *kind, deformation deform, uint32_t states,
                 uint64_t *rebuilds, double *decay)
{
    gallery_settings wanted = {.triangles = d->mesh->triangle_count, .seed = 1, .steps = states};
    gallery_scene *scene = gallery_create(kind, &wanted);
    pliant_shape_def def = pliant_shape_def_default();
    pliant_body_def body_def = pliant_body_def_default();
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    if (scene == NULL) {
        return false;
    }
    const gallery_mesh *mesh = &scene->bodies[0];
    float *positions = malloc(3 * (size_t)mesh->vertex_count * sizeof *positions);
    def.positions = deform != NULL ? scene->rest[0] : mesh->positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    body_def.rebuild = PLIANT_REBUILD_AUTO;
    bool done = positions != NULL && pliant_shape_create(d->context, &def, &shape) == PLIANT_OK &&
                pliant_body_create(shape, &body_def, &body) == PLIANT_OK;
    for (uint32_t state = 0; done && state <= states; state++) {
        pliant_contacts contacts;
        pliant_body_quality quality;
        if (deform != NULL) {
            deform(scene->rest[0], mesh->vertex_count, (double)state / states, positions);
        } else {
            gallery_evaluate(scene, 0, state, positions);
        }
        done = pliant_body_set_positions(body, positions, 0) == PLIANT_OK &&
               pliant_collide_self(d->query, body, NULL, &contacts) == PLIANT_OK &&
               pliant_body_get_quality(body, &quality) == PLIANT_OK;
        *rebuilds = done ? quality.rebuilds : 0;
        *decay = done ? fmax(*decay, quality.decay) : 0.0;
    }
    free(positions);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    gallery_destroy(scene);
    return done;
}

static bool try_holding(debris *d, uint32_t states, uint64_t *all, bench_report *report)
{
    static const struct {
        const char *name;
        const gallery_kind *kind;
        deformation deform;
    } bodies[] = {
        {"cloth that rolls up", &gallery_cloth, NULL},
        {"cloth that is crumpled", &gallery_cloth, crumple},
        {"ball that collapses", &gallery_spheres, collapse},
        {"person that collapses", &gallery_figure, collapse},
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        uint64_t rebuilds = 0;
        double decay = 0.0;
        if (!play(d, bodies[i].kind, bodies[i].deform, states, &rebuilds, &decay)) {
            return report_fail(report, "%s: %s", bodies[i].name, pliant_last_error());
        }
        bench_row *row = report_row(report, "%s", bodies[i].name);
        report_cell(row, "decay", decay, 2);
        report_cell(row, "rebuilds", (double)rebuilds, 0);
        *all += rebuilds;
    }
    return true;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    static const uint32_t counts[3] = {60, 400, 1000};
    debris d = {0};
    double worst[WAYS] = {0.0};
    uint64_t rebuilds = 0;
    uint32_t states = counts[settings->length];
    bool done = debris_create(settings, states, &d);
    if (!done) {
        report_fail(report, "the plate could not be made");
    }
    for (int i = 0; done && i < SPREADS; i++) {
        flight f = {0};
        bench_progress(settings, "decay", (uint64_t)i, SPREADS);
        done = fly(&d, spreads[i], states, &f, report);
        for (int way = 0; done && way < WAYS; way++) {
            worst[way] = fmax(worst[way], f.seconds[way] / f.seconds[FRESH]);
        }
        if (done) {
            add_flight(report, spreads[i], &f, states);
        }
    }
    if (done && try_holding(&d, states / 4, &rebuilds, report)) {
        report_contest(report, &(bench_terms){"plate", way_names, WAYS, TIMES, states, 0.0});
        report_ratio(report, "worst_over_fresh", worst[AUTO], (double)NAN,
                     "AUTO over a fresh tree, at the worst spread, rebuilding included");
        report_ratio(report, "islands_over_fresh", worst[ISLANDS], (double)NAN,
                     "islands without a rebuild over a fresh tree, at the worst spread");
        report_ratio(report, "old_over_fresh", worst[OLD], (double)NAN,
                     "the tree cut at first over a fresh one, at the worst spread");
        report_ratio(report, "ms_rebuild", 1e3 * d.rebuild_seconds, (double)NAN,
                     "ms of the state with which a new tree comes into use, built by one worker");
        report_ratio(report, "holding_rebuilds", (double)rebuilds, (double)NAN,
                     "rebuilds of bodies that do not come apart");
        report_note(report,
                    "%u states of %u triangles; microseconds per state, setting it "
                    "included; making fresh trees is not; least of %d flights, state by state",
                    states, d.mesh->triangle_count, TIMES);
    }
    debris_free(&d);
    return done;
}

const bench_experiment experiment_decay = {
    .name = "decay",
    .description = "trees of a plate in 400 pieces that flies apart: old, rebuilt, islands, fresh",
    .paper = NULL,
    .own_turns = true,
    .run = run,
};
