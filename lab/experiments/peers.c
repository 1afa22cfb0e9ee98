#include "peers.h"

#include <math.h>
#include <string.h>

#include "lab/harness/machine.h"
#include "lab/peers/peers.h"

/* A peer that differs by more than this share of the pairs is not who we compare ourselves with. */
#define TOLERATED 0.001

void peers_introduce(bench_report *report)
{
    char libraries[160];
    const char *missing = peers_missing_packages();
    peers_list_libraries(libraries, sizeof libraries);
    if (missing[0] != '\0') {
        report_note(report, "left out, because these packages were not there: %s", missing);
    }
    report_note(report, "beside us: a plain tree%s%s", libraries[0] != '\0' ? ", " : "", libraries);
    report_note(report, "missing, extra: pairs that a library does not report although the "
                        "triangles touch, or the other way round, over all steps");
    report_note(report,
                "vs_best: over the fastest library that differs in at most 0.1 %% of pairs");
    report_note(report, "vs_plain: over a plain tree, refit: binary, split by surface area");
}

/* Whether with AVX2 at most we are any other than we are with the best that may be used. */
static bool has_more_than_avx2(const bench_settings *settings)
{
    return bench_machine_describe(settings->isa).isa > PLIANT_ISA_AVX2;
}

/* Our methods, then the peers that can answer. */
static uint32_t choose_methods(const peers_contest *wanted, const bench_method **methods)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < wanted->our_count; i++) {
        methods[count++] = wanted->ours[i];
    }
    if (has_more_than_avx2(wanted->settings)) {
        methods[count++] = wanted->avx2;
    }
    for (uint32_t i = 0; i < peers_count(); i++) {
        const peer_kind *kind = peers_kind(i);
        if ((kind->can_self || !wanted->motion->self) && (kind->key != NULL || wanted->oriented)) {
            methods[count++] = peers_method(i);
        }
    }
    return count;
}

static uint64_t differences_of(const bench_contest *contest, uint32_t m)
{
    return contest->differences[m].missing + contest->differences[m].extra;
}

static void add_rows(const peers_contest *wanted, const bench_contest *contest,
                     bench_report *report)
{
    double steps = contest->motion->step_count;
    double ours = contest_total_ms(contest, 0);
    for (uint32_t m = 0; m < contest->method_count; m++) {
        const bench_method *method = contest->methods[m];
        double update = contest_update_ms(contest, m) / steps;
        double total = contest_total_ms(contest, m) / steps;
        uint64_t pairs = method->peer ? contest->differences[m].pairs : contest_pairs(contest);
        bench_row *row = wanted->group != NULL
                             ? report_row(report, "%s, %s", method->name, wanted->group)
                             : report_row(report, "%s", method->name);
        report_cell(row, "triangles", wanted->triangles, 0);
        report_cell(row, "update_ms", update, 4);
        report_cell(row, "query_ms", total - update, 4);
        report_cell(row, "total_ms", total, 4);
        report_cell(row, "over_ours", total * steps / ours, 2);
        report_cell(row, "pairs", (double)pairs, 0);
        report_cell(row, "missing", (double)contest->differences[m].missing, 0);
        report_cell(row, "extra", (double)contest->differences[m].extra, 0);
    }
}

static void add_ratio(const peers_contest *wanted, const char *key, const char *ending,
                      double value, const char *meaning, bench_report *report)
{
    char whole[40];
    if (wanted->headline) {
        snprintf(whole, sizeof whole, "%s%s", key, ending);
        report_ratio(report, whole, value, (double)NAN, meaning);
    }
    snprintf(whole, sizeof whole, "%s%s%s", key, wanted->suffix, ending);
    report_ratio(report, whole, value, (double)NAN, meaning);
}

/* The peers that we are held against with AVX2 at most as well. */
static void add_avx2_ratios(const peers_contest *wanted, const bench_contest *contest,
                            bench_report *report)
{
    static const struct {
        const char *key, *meaning;
    } chosen[] = {
        {"vs_plain", "a plain tree, refit, over us with AVX2 at most"},
        {"vs_embree_refit", "Embree, refit, over us with AVX2 at most"},
        {"vs_fcl_collide", "FCL, collide(), over us with AVX2 at most"},
        {"vs_cgal", "CGAL, exact, over us with AVX2 at most"},
    };
    uint32_t avx2 = contest_find(contest, wanted->avx2);
    for (uint32_t m = 0; avx2 < contest->method_count && m < contest->method_count; m++) {
        const bench_method *method = contest->methods[m];
        const char *key = method->peer ? peers_kind((uint32_t)method->variant)->key : NULL;
        for (uint32_t i = 0; key != NULL && i < sizeof chosen / sizeof chosen[0]; i++) {
            if (strcmp(key, chosen[i].key) == 0) {
                add_ratio(wanted, key, "_avx2",
                          contest_total_ms(contest, m) / contest_total_ms(contest, avx2),
                          chosen[i].meaning, report);
            }
        }
    }
}

static void add_ratios(const peers_contest *wanted, const bench_contest *contest,
                       bench_report *report)
{
    double ours = contest_total_ms(contest, 0), best = (double)INFINITY;
    for (uint32_t m = 0; m < contest->method_count; m++) {
        double total = contest_total_ms(contest, m);
        if (!contest->methods[m]->peer) {
            continue;
        }
        const peer_kind *kind = peers_kind((uint32_t)contest->methods[m]->variant);
        if (kind->key != NULL) {
            add_ratio(wanted, kind->key, "", total / ours, kind->name, report);
        }
        if (kind->library != NULL &&
            (double)differences_of(contest, m) <= TOLERATED * (double)contest_pairs(contest)) {
            best = fmin(best, total);
        }
    }
    if (isfinite(best)) {
        add_ratio(wanted, "vs_best", "", best / ours, "the fastest that answers as we do", report);
    }
    add_avx2_ratios(wanted, contest, report);
}

bool peers_contest_run(const peers_contest *wanted, bench_report *report)
{
    const bench_method *methods[CONTEST_MAX_METHODS];
    static const uint32_t plays[3] = {1, 3, 9}; /* some libraries are slow */
    if (wanted->our_count + 1 + peers_count() > CONTEST_MAX_METHODS) {
        return report_fail(report, "%s: too many methods", wanted->title);
    }
    bench_contest contest = {
        .settings = wanted->settings,
        .motion = wanted->motion,
        .methods = methods,
        .method_count = choose_methods(wanted, methods),
        .first_only = wanted->first_only,
        .plays = plays[wanted->settings->length],
        .title = wanted->group != NULL ? wanted->group : wanted->title,
    };
    bool done = contest_run(&contest, report);
    if (done) {
        add_rows(wanted, &contest, report);
        add_ratios(wanted, &contest, report);
    }
    contest_free(&contest);
    return done;
}
