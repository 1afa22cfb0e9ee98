/*
 * Images of whole bodies and 100,000 points tested against them: table 2 of Heidelberger, Teschner
 * & Gross 2003.
 */
#include "ldi.h"

#include <math.h>

#include "lab/harness/turns.h"
#include <stdlib.h>

enum { POINTS = 100000, MAX_SAMPLES = 64 };

typedef struct object_case {
    double paper_image_ms, paper_points_ms, paper_depth;
    closed_kind kind;
    bool quick;
} object_case;

static const object_case cases[CLOSED_KINDS] = {
    {11, 26, 8, CLOSED_KNOT, true},      {29, 27, 8, CLOSED_RABBIT, true},
    {83, 28, 12, CLOSED_REPTILE, false}, {79, 26, 8, CLOSED_SANTA, true},
    {307, 27, 10, CLOSED_DRAGON, false},
};

enum { OURS, BOUNDED, SCALAR, STENCIL, LISTS, METHODS };

static const ldi_method methods[METHODS] = {
    {"ours", PLIANT_ISA_BEST, true, false, LDI_PROCESSOR},
    {"with error bound", PLIANT_ISA_BEST, true, true, LDI_PROCESSOR},
    {"scalar twin", PLIANT_ISA_PLAIN, true, false, LDI_PROCESSOR},
    {"OpenGL stencil", PLIANT_ISA_BEST, true, false, LDI_GL_STENCIL},
    {"OpenGL lists", PLIANT_ISA_BEST, true, false, LDI_GL_LISTS},
};

/* One method at work: what it took, and found. */
typedef struct contender {
    ldi_player player;
    double image[MAX_SAMPLES], points[MAX_SAMPLES];
    double image_ms, points_ms;
    uint64_t inside; /* points, over all frames */
    uint32_t depth;
    bool plays; /* false: there is no OpenGL */
} contender;

typedef struct point_set {
    float *points;
    pliant_volume_point *answers;
} point_set;

/* Points anywhere in the body's box, in its first state. */
static bool make_points(const bench_settings *settings, const ldi_body *body, point_set *set)
{
    set->points = malloc((size_t)POINTS * 3 * sizeof *set->points);
    set->answers = malloc((size_t)POINTS * sizeof *set->answers);
    if (set->points == NULL || set->answers == NULL) {
        return false;
    }
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3 * body->mesh.vertex_count; i++) {
        lower[i % 3] = fminf(lower[i % 3], body->frames[0][i]);
        upper[i % 3] = fmaxf(upper[i % 3], body->frames[0][i]);
    }
    gallery_random random = gallery_random_seed(settings->seed, 5);
    for (uint32_t i = 0; i < 3 * POINTS; i++) {
        set->points[i] =
            (float)gallery_random_range(&random, (double)lower[i % 3], (double)upper[i % 3]);
    }
    return true;
}

static void free_points(point_set *set)
{
    free(set->points);
    free(set->answers);
}

/* Looks at all points. */
static bool look(contender *c, point_set *set)
{
    return pliant_volume_locate_points(c->player.volume, c->player.bodies[0], set->points, POINTS,
                                       0, &c->player.options, set->answers, NULL) == PLIANT_OK;
}

/* The image that a volume with its error bound needs. */
static bool measure(contender *c)
{
    pliant_volume_measure m;
    return pliant_volume_measure_body(c->player.volume, c->player.bodies[0], &c->player.options,
                                      &m) == PLIANT_OK;
}

/* One answer about a body in a new state, and the same once more: then the image is there. */
static bool ask(contender *c, const ldi_body *body, point_set *set, uint32_t sample)
{
    bool bounded = c->player.options.error_bound;
    ldi_moment start = ldi_now();
    if (!ldi_player_show(&c->player, &body, sample % LDI_FRAMES) ||
        !(bounded ? measure(c) : look(c, set))) {
        return false;
    }
    ldi_moment middle = ldi_now();
    if (!(bounded ? measure(c) : look(c, set))) {
        return false;
    }
    c->points[sample] = ldi_elapsed(&c->player, middle, ldi_now());
    c->image[sample] = ldi_elapsed(&c->player, start, middle) - c->points[sample];
    c->depth = pliant_volume_get_stats(c->player.volume)->depth_complexity[0];
    if (bounded && !look(c, set)) {
        return false;
    }
    for (uint32_t i = 0; i < POINTS && sample < LDI_FRAMES; i++) {
        c->inside += set->answers[i].winding != 0;
    }
    return true;
}

typedef struct ldi_game {
    contender *contenders;
    const ldi_body *body;
    point_set *set;
} ldi_game;

/* Several answers in a row. */
static bool answer(void *user, uint32_t who, uint32_t round, bench_report *report)
{
    const ldi_game *g = user;
    contender *c = &g->contenders[who];
    for (uint32_t i = 0; i < LDI_TURN; i++) {
        if (!ask(c, g->body, g->set, LDI_TURN * round + i)) {
            return report_fail(report, "%s: %s", methods[who].name, pliant_last_error());
        }
    }
    return true;
}

static bool play(const bench_settings *settings, contender *contenders, const ldi_body *body,
                 point_set *set, bench_report *report)
{
    static const uint32_t plays[3] = {1, 4, MAX_SAMPLES / LDI_TURN};
    const char *names[METHODS];
    ldi_game g = {contenders, body, set};
    for (uint32_t i = 0; i < METHODS; i++) {
        names[i] = contenders[i].plays ? methods[i].name : NULL; /* NULL: no OpenGL */
    }
    bench_terms turns = {body->name, names, METHODS, plays[settings->length], LDI_TURN, 0.0};
    if (!bench_take_turns(settings, &turns, answer, &g, report)) {
        return false;
    }
    uint32_t samples = LDI_TURN * bench_plays(settings, &turns);
    for (uint32_t i = 0; i < METHODS; i++) {
        contender *c = &contenders[i];
        c->image_ms = ldi_quartile(c->image, samples);
        c->points_ms = ldi_quartile(c->points, samples);
        double allowed = c->player.backend != NULL ? 1e-3 * (double)contenders[0].inside : 0.0;
        if (c->plays && fabs((double)c->inside - (double)contenders[0].inside) > allowed) {
            return report_fail(report, "%s: %s finds %llu points inside instead of %llu",
                               body->name, methods[i].name, (unsigned long long)c->inside,
                               (unsigned long long)contenders[0].inside);
        }
    }
    return true;
}

static bool run_methods(const bench_settings *settings, const ldi_body *body, contender *contenders,
                        bench_report *report)
{
    point_set set = {NULL, NULL};
    bool done = make_points(settings, body, &set) || report_fail(report, "no memory");
    for (uint32_t i = 0; i < METHODS; i++) {
        contenders[i].inside = 0;
        contenders[i].plays = done && ldi_available(methods[i].drawn);
        if (contenders[i].plays) {
            done = ldi_player_create(&methods[i], settings->isa, &body, 1, &contenders[i].player) ||
                   report_fail(report, "%s: %s", methods[i].name, pliant_last_error());
            contenders[i].plays = done;
        }
    }
    done = done && play(settings, contenders, body, &set, report);
    for (uint32_t i = 0; i < METHODS; i++) {
        if (contenders[i].plays) {
            ldi_player_destroy(&contenders[i].player);
        }
    }
    free_points(&set);
    return done;
}

/* What an image took; not a number if the method did not play. */
static double image_ms(const contender *c)
{
    return c->plays ? c->image_ms : (double)NAN;
}

static void report_object(bench_report *report, const object_case *which, const ldi_body *body,
                          const contender results[METHODS])
{
    bench_row *row = report_row(report, "%s", body->name);
    report_cell(row, "triangles", body->mesh.triangle_count, 0);
    report_cell(row, "depth", results[OURS].depth, 0);
    report_cell(row, "image_ms", results[OURS].image_ms, 3);
    report_cell(row, "bounded_ms", results[BOUNDED].image_ms, 3);
    report_cell(row, "scalar_ms", results[SCALAR].image_ms, 3);
    report_cell(row, "stencil_ms", image_ms(&results[STENCIL]), 3);
    report_cell(row, "lists_ms", image_ms(&results[LISTS]), 3);
    report_cell(row, "paper_ms", which->paper_image_ms, 0);
    report_cell(row, "paper_depth", which->paper_depth, 0);
    report_cell(row, "points_ms", results[OURS].points_ms, 3);
    report_cell(row, "paper_points", which->paper_points_ms, 0);
}

typedef struct object_sums {
    double ours, scalar, drawn, points;
} object_sums;

/* One body, which is freed. `sums` may be NULL. */
static bool run_object(const bench_settings *settings, const object_case *which, ldi_body *body,
                       object_sums *sums, bench_report *report)
{
    static contender results[METHODS];
    bool done = run_methods(settings, body, results, report);
    if (done) {
        report_object(report, which, body, results);
    }
    if (done && sums != NULL) {
        sums->ours += results[OURS].image_ms;
        sums->scalar += results[SCALAR].image_ms;
        sums->drawn += fmin(image_ms(&results[STENCIL]), image_ms(&results[LISTS]));
        sums->points = fmax(sums->points, results[OURS].points_ms);
    }
    ldi_body_free(body);
    return done;
}

/* A row of its own where the bunny is installed; ratios must not depend on that. */
static bool run_bunny(const bench_settings *settings, bench_report *report)
{
    static const object_case which = {(double)NAN, (double)NAN, (double)NAN, CLOSED_RABBIT, false};
    ldi_body body;
    return settings->length == BENCH_QUICK || !ldi_body_make_bunny(&body) ||
           run_object(settings, &which, &body, NULL, report);
}

static bool run(const bench_settings *settings, bench_report *report)
{
    object_sums sums = {0};
    bool done = true;
    for (uint32_t i = 0; i < CLOSED_KINDS && done; i++) {
        bench_progress(settings, "ldi-objects", i, CLOSED_KINDS);
        if (!cases[i].quick && settings->length == BENCH_QUICK) {
            continue;
        }
        ldi_body body;
        if (!ldi_body_make(cases[i].kind, 0, &body)) {
            return report_fail(report, "no memory");
        }
        done = run_object(settings, &cases[i], &body, &sums, report);
    }
    done = done && run_bunny(settings, report);
    if (done) {
        report_ratio(report, "cpu_vs_scalar", sums.scalar / sums.ours, (double)NAN,
                     "our scalar twin over ours, images of all bodies");
        if (isfinite(sums.drawn)) {
            report_ratio(report, "cpu_vs_gl", sums.drawn / sums.ours, (double)NAN,
                         "the faster way of OpenGL over ours, images of all bodies");
            report_note(report, "OpenGL: %s", ldi_renderer());
        }
        report_ratio(report, "points_ms", sums.points, 28,
                     "ms for 100,000 points, the slowest body");
    }
    return done;
}

const bench_experiment experiment_ldi_objects = {
    .name = "ldi-objects",
    .description = "images of whole deforming bodies, 128 x 128 rays, and 100,000 points tested",
    .paper = "Heidelberger, Teschner and Gross 2003, table 2: images 11 to 307 ms, points 26 to 28 "
             "ms (2.8 GHz Pentium IV, GeForce 4 Ti 4600)",
    .run = run,
};
