/*
 * Two results files figure by figure. A time or a ratio has changed beyond the spread if the
 * middle halves of its runs, from quartile to quartile, do not overlap. Counts do not depend on the
 * machine's mood: any difference is one.
 */
#include <math.h>
#include <string.h>

#include "results.h"

#define SHOWN_WITHIN 0.03 /* changes within the spread are listed from this share on */
#define ROUNDING     1e-5 /* files keep six digits */

typedef enum verdict { SAME, WITHIN, BEYOND, UNKNOWN } verdict;

static bool nearly(double a, double b)
{
    return a == b || fabs(a - b) <= ROUNDING * fmax(fabs(a), fabs(b));
}

static verdict judge(const results_spread *a, const results_spread *b, bool is_count)
{
    if ((a->count == 0 && b->count == 0) || nearly(a->median, b->median)) {
        return SAME;
    }
    if (is_count || a->count == 0 || b->count == 0) {
        return BEYOND;
    }
    if (a->count < 2 || b->count < 2) {
        return UNKNOWN;
    }
    return a->upper < b->lower || b->upper < a->lower ? BEYOND : WITHIN;
}

/* What is gone through, and what was found so far. */
typedef struct comparing {
    FILE *stream;
    const char *experiment;
    results_comparison found;
} comparing;

static void print_change(comparing *at, const char *name, const char *key, const results_spread *a,
                         const results_spread *b, const char *words)
{
    fprintf(at->stream, "%-18s %-34s %-22s %10.4g %10.4g %+8.1f %%  %s\n", at->experiment, name,
            key, a->median, b->median, 100.0 * (b->median / a->median - 1.0), words);
}

static void compare_figure(comparing *at, const char *name, const char *key,
                           const results_spread *a, const results_spread *b, bool is_count)
{
    switch (judge(a, b, is_count)) {
    case SAME:
        at->found.same++;
        break;
    case WITHIN:
        at->found.within++;
        if (fabs(b->median / a->median - 1.0) >= SHOWN_WITHIN) {
            print_change(at, name, key, a, b, "within the spread");
        }
        break;
    case BEYOND:
        at->found.beyond++;
        print_change(at, name, key, a, b, is_count ? "another count" : "beyond the spread");
        break;
    case UNKNOWN:
        at->found.unknown++;
        if (fabs(b->median / a->median - 1.0) >= SHOWN_WITHIN) {
            print_change(at, name, key, a, b, "one run: spread unknown");
        }
        break;
    }
}

static void tell_missing(comparing *at, const char *what, const char *where)
{
    at->found.missing++;
    fprintf(at->stream, "%-18s %s: only in the %s file\n", at->experiment, what, where);
}

/* The row that is the same one: of that name, as often as the name came before. */
static uint32_t find_row(const bench_report *from, uint32_t row, const bench_report *in)
{
    uint32_t before = 0, at = 0;
    for (uint32_t i = 0; i < row; i++) {
        before += strcmp(from->rows[i].method, from->rows[row].method) == 0;
    }
    while (at < in->row_count &&
           (strcmp(in->rows[at].method, from->rows[row].method) != 0 || before-- > 0)) {
        at++;
    }
    return at;
}

static void compare_row(comparing *at, const results_experiment *a, uint32_t row,
                        const results_experiment *b, uint32_t other)
{
    const bench_row *mine = &a->runs[0]->rows[row], *theirs = &b->runs[0]->rows[other];
    double values[RESULTS_MAX_RUNS];
    for (uint32_t k = 0; k < mine->cell_count; k++) {
        const bench_cell *cell = report_find_cell(theirs, mine->cells[k].key);
        if (cell == NULL) {
            tell_missing(at, mine->cells[k].key, "first");
            continue;
        }
        uint32_t count = results_cell_values(a, row, k, values);
        results_spread spread_a = results_spread_of(values, count);
        count = results_cell_values(b, other, (uint32_t)(cell - theirs->cells), values);
        results_spread spread_b = results_spread_of(values, count);
        compare_figure(at, mine->method, cell->key, &spread_a, &spread_b,
                       mine->cells[k].decimals == 0 &&
                           strcmp(results_unit(cell->key, 0), "count") == 0);
    }
}

static void compare_rows(comparing *at, const results_experiment *a, const results_experiment *b)
{
    for (uint32_t i = 0; i < a->runs[0]->row_count; i++) {
        uint32_t other = find_row(a->runs[0], i, b->runs[0]);
        if (other < b->runs[0]->row_count) {
            compare_row(at, a, i, b, other);
        } else {
            tell_missing(at, a->runs[0]->rows[i].method, "first");
        }
    }
    for (uint32_t i = 0; i < b->runs[0]->row_count; i++) {
        if (find_row(b->runs[0], i, a->runs[0]) == a->runs[0]->row_count) {
            tell_missing(at, b->runs[0]->rows[i].method, "second");
        }
    }
}

static void compare_ratios(comparing *at, const results_experiment *a, const results_experiment *b)
{
    const bench_report *mine = a->runs[0], *theirs = b->runs[0];
    double values[RESULTS_MAX_RUNS];
    for (uint32_t i = 0; i < mine->ratio_count; i++) {
        const bench_ratio *ratio = report_find_ratio(theirs, mine->ratios[i].key);
        if (ratio == NULL) {
            tell_missing(at, mine->ratios[i].key, "first");
            continue;
        }
        uint32_t count = results_ratio_values(a, i, values);
        results_spread spread_a = results_spread_of(values, count);
        count = results_ratio_values(b, (uint32_t)(ratio - theirs->ratios), values);
        results_spread spread_b = results_spread_of(values, count);
        compare_figure(at, "ratio", ratio->key, &spread_a, &spread_b, false);
    }
    for (uint32_t i = 0; i < theirs->ratio_count; i++) {
        if (report_find_ratio(mine, theirs->ratios[i].key) == NULL) {
            tell_missing(at, theirs->ratios[i].key, "second");
        }
    }
}

static void print_origin(FILE *stream, const char *which, const results_origin *origin)
{
    fprintf(stream, "%-7s %s, %s cores, %s, %s; commit %s, %s\n", which, origin->cpu, origin->cores,
            origin->isa, origin->compiler, origin->commit, origin->date);
}

results_comparison results_compare(FILE *stream, const bench_results *a, const bench_results *b)
{
    comparing at = {.stream = stream};
    print_origin(stream, "first:", &a->origin);
    print_origin(stream, "second:", &b->origin);
    for (uint32_t i = 0; i < a->experiment_count; i++) {
        const results_experiment *other = results_find(b, a->experiments[i].name);
        at.experiment = a->experiments[i].name;
        if (other == NULL) {
            tell_missing(&at, "the whole experiment", "first");
            continue;
        }
        if (!results_same_contests(a->experiments[i].runs[0], other->runs[0])) {
            fprintf(stream,
                    "%-18s measured otherwise: other contestants, plays, steps or states a "
                    "second\n",
                    at.experiment);
        }
        compare_rows(&at, &a->experiments[i], other);
        compare_ratios(&at, &a->experiments[i], other);
    }
    for (uint32_t i = 0; i < b->experiment_count; i++) {
        at.experiment = b->experiments[i].name;
        if (results_find(a, at.experiment) == NULL) {
            tell_missing(&at, "the whole experiment", "second");
        }
    }
    fprintf(stream,
            "%u figures changed beyond the spread, %u within it, %u with a single run; %u are the "
            "same, %u are in one file only\n",
            at.found.beyond, at.found.within, at.found.unknown, at.found.same, at.found.missing);
    return at.found;
}
