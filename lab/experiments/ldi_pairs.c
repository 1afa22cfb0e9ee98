/*
 * The volume that two deforming bodies have in common: table 1 of Heidelberger, Teschner & Gross
 * 2003, and their knot and dragon. "All" renders every triangle, as the paper does; the scalar twin
 * is our own code without vector instructions. All must find the very same volume.
 */
#include "ldi.h"

#include <math.h>

#include "lab/harness/turns.h"

typedef struct pair_case {
    closed_kind kinds[2];
    uint32_t triangles[2]; /* 0: as many as the paper's body; of shells: of one */
    uint32_t shells;       /* 0: none; else the first body is that many */
    const char *overlap;
    double share;          /* of the shorter side that the boxes have in common */
    double paper_ms;       /* stages 1 and 2 */
    double paper_depth[2]; /* the most layers, per body */
    uint32_t axis;         /* along which they do */
    bool quick;
} pair_case;

static const pair_case cases[] = {
    {{CLOSED_KNOT, CLOSED_RABBIT}, {0, 0}, 0, "simple", 0.15, 19, {3, 1}, 1, true},
    {{CLOSED_KNOT, CLOSED_RABBIT}, {0, 0}, 0, "complex", 0.7, 56, {4, 6}, 0, true},
    {{CLOSED_RABBIT, CLOSED_REPTILE}, {0, 0}, 0, "simple", 0.2, 36, {7, 5}, 0, false},
    {{CLOSED_RABBIT, CLOSED_REPTILE}, {0, 0}, 0, "complex", 0.7, 48, {4, 2}, 0, false},
    {{CLOSED_REPTILE, CLOSED_SANTA}, {0, 0}, 0, "simple", 0.13, 25, {1, 3}, 1, true},
    {{CLOSED_REPTILE, CLOSED_SANTA}, {0, 0}, 0, "complex", 0.7, 114, {8, 6}, 0, false},
    {{CLOSED_KNOT, CLOSED_DRAGON}, {0, 0}, 0, "complex", 0.5, 256, {7, 8}, 0, false},
    /* The pair of the paper's first figure: 150,000 and 5,000 faces; it gives no times. */
    {{CLOSED_SANTA, CLOSED_RABBIT},
     {150000, 5000},
     0,
     "figure 1",
     0.5,
     (double)NAN,
     {(double)NAN, (double)NAN},
     0,
     false},
    /* As many layers as the paper's bodies have, and more: not of the paper. */
    {{CLOSED_SANTA, CLOSED_KNOT},
     {50000, 0},
     2,
     "2 shells",
     0.9,
     (double)NAN,
     {(double)NAN, (double)NAN},
     0,
     true},
    {{CLOSED_SANTA, CLOSED_KNOT},
     {50000, 0},
     3,
     "3 shells",
     0.9,
     (double)NAN,
     {(double)NAN, (double)NAN},
     0,
     false},
};
#define CASES (sizeof cases / sizeof cases[0])

enum { OURS, BOUNDED, ALL, SCALAR, STENCIL, LISTS, METHODS, MAX_SAMPLES = 64 };

static const ldi_method methods[METHODS] = {
    {"ours", PLIANT_ISA_BEST, true, false, LDI_PROCESSOR},
    {"with error bound", PLIANT_ISA_BEST, true, true, LDI_PROCESSOR},
    {"all triangles", PLIANT_ISA_BEST, false, false, LDI_PROCESSOR},
    {"scalar twin", PLIANT_ISA_PLAIN, true, false, LDI_PROCESSOR},
    {"OpenGL stencil", PLIANT_ISA_BEST, true, false, LDI_GL_STENCIL},
    {"OpenGL lists", PLIANT_ISA_BEST, true, false, LDI_GL_LISTS},
};

/* One method at work: what it took, and found. */
typedef struct contender {
    ldi_player player;
    double image[MAX_SAMPLES], query[MAX_SAMPLES];
    double image_ms, query_ms;
    double volume[LDI_FRAMES], error; /* per frame; of the last frame */
    uint32_t depths[2];
    bool plays; /* false: there is no OpenGL */
} contender;

typedef struct pair_sums {
    double ours, scalar, drawn, ours_large, all_large;
} pair_sums;

static bool intersect(contender *c, pliant_volume_measure *m)
{
    const ldi_player *player = &c->player;
    return pliant_volume_intersect(player->volume, player->bodies[0], player->bodies[1],
                                   &player->options, m) == PLIANT_OK;
}

/* One answer, and the same once more: the second time the images are there. */
static bool ask(contender *c, const ldi_body *const *bodies, uint32_t sample)
{
    uint32_t frame = sample % LDI_FRAMES;
    pliant_volume_measure m;
    ldi_moment start = ldi_now();
    if (!ldi_player_show(&c->player, bodies, frame) || !intersect(c, &m)) {
        return false;
    }
    ldi_moment middle = ldi_now();
    const pliant_volume_stats *stats = pliant_volume_get_stats(c->player.volume);
    c->depths[0] = stats->depth_complexity[0];
    c->depths[1] = stats->depth_complexity[1];
    if (!intersect(c, &m)) {
        return false;
    }
    c->query[sample] = ldi_elapsed(&c->player, middle, ldi_now());
    c->image[sample] = ldi_elapsed(&c->player, start, middle) - c->query[sample];
    c->volume[frame] = m.volume;
    c->error = m.error;
    return true;
}

/* What a method took; not a number if it did not play. */
static double total(const contender *c)
{
    return c->plays ? c->image_ms + c->query_ms : (double)NAN;
}

static void report_case(bench_report *report, const pair_case *which, const contender *results)
{
    bench_row *row = report_row(report, "%s / %s, %s", closed_name(which->kinds[0]),
                                closed_name(which->kinds[1]), which->overlap);
    report_cell(row, "depth_a", results[OURS].depths[0], 0);
    report_cell(row, "depth_b", results[OURS].depths[1], 0);
    report_cell(row, "image_ms", results[OURS].image_ms, 3);
    report_cell(row, "query_ms", results[OURS].query_ms, 3);
    report_cell(row, "bounded_ms", total(&results[BOUNDED]), 3);
    report_cell(row, "all_ms", total(&results[ALL]), 3);
    report_cell(row, "scalar_ms", total(&results[SCALAR]), 3);
    report_cell(row, "stencil_ms", total(&results[STENCIL]), 2);
    report_cell(row, "lists_ms", total(&results[LISTS]), 2);
    report_cell(row, "paper_ms", which->paper_ms, 0);
    report_cell(row, "paper_depth_a", which->paper_depth[0], 0);
    report_cell(row, "paper_depth_b", which->paper_depth[1], 0);
}

/* The processor's methods must agree in every bit; drivers snap and round in their own way. */
static bool check_volumes(const contender *c, const contender *ours, double error)
{
    bool same = true;
    for (uint32_t f = 0; f < LDI_FRAMES; f++) {
        double allowed = c->player.backend != NULL ? 0.1 * error + 1e-3 * ours->volume[f] : 0.0;
        same = same && fabs(c->volume[f] - ours->volume[f]) <= allowed;
    }
    return same;
}

typedef struct ldi_game {
    contender *contenders;
    const ldi_body *const *bodies;
} ldi_game;

/* Several answers in a row. */
static bool answer(void *user, uint32_t who, uint32_t round, bench_report *report)
{
    const ldi_game *g = user;
    contender *c = &g->contenders[who];
    for (uint32_t i = 0; i < LDI_TURN; i++) {
        if (!ask(c, g->bodies, LDI_TURN * round + i)) {
            return report_fail(report, "%s: %s", methods[who].name, pliant_last_error());
        }
    }
    return true;
}

static bool play(const bench_settings *settings, contender *contenders,
                 const ldi_body *const *bodies, const char *overlap, bench_report *report)
{
    static const uint32_t plays[3] = {1, 4, MAX_SAMPLES / LDI_TURN};
    const char *names[METHODS];
    char title[48];
    snprintf(title, sizeof title, "%s / %s, %s", bodies[0]->name, bodies[1]->name, overlap);
    ldi_game g = {contenders, bodies};
    for (uint32_t i = 0; i < METHODS; i++) {
        names[i] = contenders[i].plays ? methods[i].name : NULL; /* NULL: no OpenGL */
    }
    bench_terms turns = {title, names, METHODS, plays[settings->length], LDI_TURN, 0.0};
    if (!bench_take_turns(settings, &turns, answer, &g, report)) {
        return false;
    }
    uint32_t samples = LDI_TURN * bench_plays(settings, &turns);
    for (uint32_t i = 0; i < METHODS; i++) {
        contender *c = &contenders[i];
        c->image_ms = ldi_quartile(c->image, samples);
        c->query_ms = ldi_quartile(c->query, samples);
        if (c->plays && !check_volumes(c, &contenders[OURS], contenders[BOUNDED].error)) {
            return report_fail(report, "%s / %s: %s finds another volume", bodies[0]->name,
                               bodies[1]->name, methods[i].name);
        }
    }
    return true;
}

static bool run_methods(const bench_settings *settings, const ldi_body *const *bodies,
                        const char *overlap, contender *contenders, bench_report *report)
{
    bool done = true;
    for (uint32_t i = 0; i < METHODS && done; i++) {
        contenders[i].plays = ldi_available(methods[i].drawn);
        if (contenders[i].plays) {
            done =
                ldi_player_create(&methods[i], settings->isa, bodies, 2, &contenders[i].player) ||
                report_fail(report, "%s: %s", methods[i].name, pliant_last_error());
            contenders[i].plays = done;
        }
    }
    done = done && play(settings, contenders, bodies, overlap, report);
    for (uint32_t i = 0; i < METHODS; i++) {
        if (contenders[i].plays) {
            ldi_player_destroy(&contenders[i].player);
        }
    }
    return done;
}

static bool run_case(const bench_settings *settings, const pair_case *which, pair_sums *sums,
                     bench_report *report)
{
    static contender contenders[METHODS];
    ldi_body bodies[2] = {{0}, {0}};
    const ldi_body *const both[2] = {&bodies[0], &bodies[1]};
    bool done =
        (which->shells > 0
             ? ldi_body_make_shells(which->kinds[0], which->triangles[0], which->shells, &bodies[0])
             : ldi_body_make(which->kinds[0], which->triangles[0], &bodies[0])) &&
        ldi_body_make(which->kinds[1], which->triangles[1], &bodies[1]);
    if (!done) {
        report_fail(report, "no memory");
    } else {
        ldi_body_put_against(&bodies[1], &bodies[0], which->axis, which->share);
        done = run_methods(settings, both, which->overlap, contenders, report);
    }
    if (done) {
        report_case(report, which, contenders);
        /* Ratios are of the paper's cases alone. */
        double counts = isfinite(which->paper_ms) ? 1.0 : 0.0;
        sums->ours += counts * total(&contenders[OURS]);
        sums->scalar += counts * total(&contenders[SCALAR]);
        sums->drawn += counts * fmin(total(&contenders[STENCIL]), total(&contenders[LISTS]));
        if (which->kinds[1] == CLOSED_SANTA && which->share < 0.5) {
            sums->ours_large = total(&contenders[OURS]);
            sums->all_large = total(&contenders[ALL]);
        }
    }
    ldi_body_free(&bodies[0]);
    ldi_body_free(&bodies[1]);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    pair_sums sums = {0};
    bool done = true;
    for (uint32_t i = 0; i < CASES && done; i++) {
        bench_progress(settings, "ldi-pairs", i, CASES);
        if (cases[i].quick || settings->length != BENCH_QUICK) {
            done = run_case(settings, &cases[i], &sums, report);
        }
    }
    if (done) {
        report_ratio(report, "culled_vs_all", sums.all_large / sums.ours_large, (double)NAN,
                     "rendering all triangles over ours, reptile / santa, simple");
        report_ratio(report, "cpu_vs_scalar", sums.scalar / sums.ours, (double)NAN,
                     "our scalar twin over ours, the paper's cases");
        if (isfinite(sums.drawn)) {
            report_ratio(report, "cpu_vs_gl", sums.drawn / sums.ours, (double)NAN,
                         "the faster way of OpenGL over ours, the paper's cases");
            report_note(report, "OpenGL: %s", ldi_renderer());
        }
    }
    return done;
}

const bench_experiment experiment_ldi_pairs = {
    .name = "ldi-pairs",
    .description = "common volume of two deforming closed bodies, 128 x 128 rays, one worker",
    .paper = "Heidelberger, Teschner and Gross 2003, table 1: 19 to 114 ms, knot and dragon 256 ms "
             "(2.8 GHz Pentium IV, GeForce 4 Ti 4600)",
    .run = run,
};
