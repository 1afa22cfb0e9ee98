/*
 * What resolution buys: the common volume of a pair like that of the first figure of Heidelberger,
 * Teschner & Gross 2003 (150,000 and 5,000 faces), and of a knot and a rabbit, from coarse grids of
 * rays to fine ones. The paper names accuracy and memory as matters of resolution and has no
 * figures of them.
 */
#include "ldi.h"

#include <math.h>

enum { COARSEST = 32, FINEST = 512, REFERENCE = 2048, TIMES = 5 };

typedef struct resolution_case {
    closed_kind kinds[2];
    uint32_t triangles[2];
    const char *name;
    double share;
    bool quick;
} resolution_case;

static const resolution_case cases[] = {
    {{CLOSED_SANTA, CLOSED_RABBIT}, {150000, 5000}, "150,000 and 5,000 faces", 0.5, false},
    {{CLOSED_KNOT, CLOSED_RABBIT}, {0, 0}, "knot / rabbit, complex", 0.7, true},
};
#define CASES (sizeof cases / sizeof cases[0])

static bool intersect(const ldi_player *player, uint32_t resolution, bool range,
                      pliant_volume_measure *m)
{
    pliant_volume_options options = player->options;
    options.resolution = resolution;
    options.error_bound = range;
    return pliant_volume_intersect(player->volume, player->bodies[0], player->bodies[1], &options,
                                   m) == PLIANT_OK;
}

/* The lower quartile over all states, in ms; `m` is of the first state. */
static bool time_one(ldi_player *player, const ldi_body *const *bodies, uint32_t resolution,
                     bool range, double *ms, pliant_volume_measure *m)
{
    double times[TIMES * LDI_FRAMES];
    uint32_t count = TIMES * LDI_FRAMES;
    for (uint32_t i = 0; i < count; i++) {
        ldi_moment start = ldi_now();
        /* The first state is the last one asked about. */
        if (!ldi_player_show(player, bodies, (count - 1 - i) % LDI_FRAMES) ||
            !intersect(player, resolution, range, m)) {
            return false;
        }
        times[i] = ldi_elapsed(player, start, ldi_now());
    }
    *ms = ldi_quartile(times, count);
    return true;
}

static bool report_resolution(ldi_player *player, const ldi_body *const *bodies,
                              const resolution_case *which, uint32_t resolution, double reference,
                              bench_report *report)
{
    pliant_volume_measure m;
    double sampled_ms, range_ms;
    if (!time_one(player, bodies, resolution, false, &sampled_ms, &m)) {
        return report_fail(report, "%s", pliant_last_error());
    }
    double bytes = (double)pliant_volume_get_memory(player->volume);
    if (!time_one(player, bodies, resolution, true, &range_ms, &m)) {
        return report_fail(report, "%s", pliant_last_error());
    }
    bench_row *row = report_row(report, "%s, %u x %u rays", which->name, resolution, resolution);
    report_cell(row, "sampled_ms", sampled_ms, 3);
    report_cell(row, "range_ms", range_ms, 3);
    report_cell(row, "error_percent", 100.0 * fabs(m.volume - reference) / reference, 4);
    report_cell(row, "width_percent", 100.0 * (m.most - m.least) / reference, 4);
    report_cell(row, "sampled_mb", 1e-6 * bytes, 2);
    report_cell(row, "range_mb", 1e-6 * (double)pliant_volume_get_memory(player->volume), 2);
    if (!(m.least <= reference * 1.001 && reference <= m.most * 1.001)) {
        return report_fail(report, "%s: the volume of fine rays is not in the range", which->name);
    }
    return true;
}

/* Every resolution has a player of its own, whose memory is that of its images. */
static bool run_resolution(const bench_settings *settings, const resolution_case *which,
                           const ldi_body *const *both, uint32_t resolution, double reference,
                           bench_report *report)
{
    static const ldi_method method = {"ours", PLIANT_ISA_BEST, true, true, LDI_PROCESSOR};
    ldi_player player;
    if (!ldi_player_create(&method, settings->isa, both, 2, &player)) {
        return report_fail(report, "%s", pliant_last_error());
    }
    bool done = report_resolution(&player, both, which, resolution, reference, report);
    ldi_player_destroy(&player);
    return done;
}

/* The volume by very many rays. */
static bool find_reference(const bench_settings *settings, const ldi_body *const *both,
                           double *reference, bench_report *report)
{
    static const ldi_method method = {"ours", PLIANT_ISA_BEST, true, false, LDI_PROCESSOR};
    ldi_player player;
    pliant_volume_measure m = {.volume = 0.0};
    bool done = ldi_player_create(&method, settings->isa, both, 2, &player);
    if (done) {
        done = ldi_player_show(&player, both, 0) && intersect(&player, REFERENCE, false, &m);
        ldi_player_destroy(&player);
    }
    *reference = m.volume;
    return (done && m.volume > 0.0) || report_fail(report, "no common volume");
}

static bool run_case(const bench_settings *settings, const resolution_case *which,
                     bench_report *report)
{
    ldi_body bodies[2] = {{0}, {0}};
    const ldi_body *const both[2] = {&bodies[0], &bodies[1]};
    double reference;
    bool done = (ldi_body_make(which->kinds[0], which->triangles[0], &bodies[0]) &&
                 ldi_body_make(which->kinds[1], which->triangles[1], &bodies[1])) ||
                report_fail(report, "no memory");
    if (done) {
        ldi_body_put_against(&bodies[1], &bodies[0], 0, which->share);
        done = find_reference(settings, both, &reference, report);
    }
    for (uint32_t r = COARSEST; r <= FINEST && done; r *= 2) {
        done = run_resolution(settings, which, both, r, reference, report);
    }
    ldi_body_free(&bodies[0]);
    ldi_body_free(&bodies[1]);
    return done;
}

static bool run(const bench_settings *settings, bench_report *report)
{
    bool done = true;
    for (uint32_t i = 0; i < CASES && done; i++) {
        bench_progress(settings, "ldi-resolution", i, CASES);
        if (cases[i].quick || settings->length != BENCH_QUICK) {
            done = run_case(settings, &cases[i], report);
        }
    }
    return done;
}

const bench_experiment experiment_ldi_resolution = {
    .name = "ldi-resolution",
    .description = "time, accuracy, certain range and memory of a common volume over resolution",
    .paper =
        "Heidelberger, Teschner and Gross 2003, figure 1: 150,000 and 5,000 faces, interactive",
    .own_turns = true,
    .run = run,
};
