/*
 * Where a body overlaps itself, which Heidelberger, Teschner & Gross 2003 propose as future work. A
 * body of two parts overlaps itself by what the parts have in common: both questions are asked, and
 * the ranges of the answers must meet.
 */
#include "ldi.h"

#include <math.h>

enum { TIMES = 5 };

typedef struct self_case {
    closed_kind kinds[2];
    double share;
    uint32_t axis;
    bool quick;
} self_case;

static const self_case cases[] = {
    {{CLOSED_KNOT, CLOSED_RABBIT}, 0.7, 0, true},
    {{CLOSED_RABBIT, CLOSED_REPTILE}, 0.7, 0, false},
    {{CLOSED_REPTILE, CLOSED_SANTA}, 0.7, 0, false},
};
#define CASES (sizeof cases / sizeof cases[0])

static const ldi_method method = {"ours", PLIANT_ISA_BEST, true, true, LDI_PROCESSOR};

/* One player's answers: its two bodies', or its one body's about itself. */
typedef struct answers {
    ldi_player player;
    pliant_volume_measure m; /* of the first state */
    double ms;
    uint32_t depth;
} answers;

static pliant_result ask(answers *a)
{
    const ldi_player *p = &a->player;
    return p->body_count == 2
               ? pliant_volume_intersect(p->volume, p->bodies[0], p->bodies[1], &p->options, &a->m)
               : pliant_volume_intersect_self(p->volume, p->bodies[0], &p->options, &a->m);
}

static bool find(const bench_settings *settings, const ldi_body *const *bodies, uint32_t count,
                 answers *a, bench_report *report)
{
    double times[TIMES * LDI_FRAMES];
    bool done = ldi_player_create(&method, settings->isa, bodies, count, &a->player) ||
                report_fail(report, "%s", pliant_last_error());
    if (!done) {
        return false;
    }
    for (uint32_t i = 0; i < TIMES * LDI_FRAMES && done; i++) {
        ldi_moment start = ldi_now();
        done = (ldi_player_show(&a->player, bodies, LDI_FRAMES - 1 - i % LDI_FRAMES) &&
                ask(a) == PLIANT_OK) ||
               report_fail(report, "%s", pliant_last_error());
        times[i] = ldi_elapsed(&a->player, start, ldi_now());
    }
    a->ms = ldi_quartile(times, TIMES * LDI_FRAMES);
    a->depth = pliant_volume_get_stats(a->player.volume)->depth_complexity[0];
    ldi_player_destroy(&a->player);
    return done;
}

static bool report_case(const bench_settings *settings, const self_case *which, ldi_body bodies[3],
                        bench_report *report)
{
    const ldi_body *const pair[2] = {&bodies[0], &bodies[1]}, *const joined[1] = {&bodies[2]};
    answers apart = {.ms = 0.0}, self = {.ms = 0.0};
    if (!find(settings, pair, 2, &apart, report) || !find(settings, joined, 1, &self, report)) {
        return false;
    }
    bench_row *row = report_row(report, "%s and %s in one", closed_name(which->kinds[0]),
                                closed_name(which->kinds[1]));
    report_cell(row, "triangles", bodies[2].mesh.triangle_count, 0);
    report_cell(row, "depth", self.depth, 0);
    report_cell(row, "self_ms", self.ms, 3);
    report_cell(row, "pair_ms", apart.ms, 3);
    report_cell(row, "self_volume", self.m.volume, 6);
    report_cell(row, "self_width", self.m.most - self.m.least, 6);
    report_cell(row, "pair_volume", apart.m.volume, 6);
    report_cell(row, "pair_width", apart.m.most - apart.m.least, 6);
    bool meet = self.m.least <= apart.m.most && apart.m.least <= self.m.most;
    return (meet && self.m.volume > 0.0) ||
           report_fail(report, "the body overlaps itself by another volume than its parts");
}

static bool run_case(const bench_settings *settings, const self_case *which, bench_report *report)
{
    ldi_body bodies[3] = {{0}, {0}, {0}};
    bool done = ldi_body_make(which->kinds[0], 0, &bodies[0]) &&
                ldi_body_make(which->kinds[1], 0, &bodies[1]);
    if (done) {
        ldi_body_put_against(&bodies[1], &bodies[0], which->axis, which->share);
        done = ldi_body_join(&bodies[0], &bodies[1], &bodies[2]);
    }
    done = done ? report_case(settings, which, bodies, report) : report_fail(report, "no memory");
    for (uint32_t i = 0; i < 3; i++) {
        ldi_body_free(&bodies[i]);
    }
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    bool done = true;
    for (uint32_t i = 0; i < CASES && done; i++) {
        bench_progress(settings, "ldi-self", i, CASES);
        if (cases[i].quick || settings->length != BENCH_QUICK) {
            done = run_case(settings, &cases[i], report);
        }
    }
    return done;
}

const bench_experiment experiment_ldi_self = {
    .name = "ldi-self",
    .description = "self-overlap of a deforming body of two parts, beside the overlap of the parts",
    .paper = "Heidelberger, Teschner and Gross 2003: future work",
    .own_turns = true,
    .run = run,
};
