/* The tables of docs/methods/larsson-2001.md. */
#include "docs.h"

#include <math.h>
#include <string.h>

#define TRIANGLES       20480
#define CROWD_TRIANGLES 5120

static const char file[] = "methods/larsson-2001.md";

/* A row of update, query and total, and the total over that of `unit`. */
static void write_times(FILE *stream, const bench_report *report, const char *method,
                        bool first_only, const char *unit)
{
    static const char *const keys[] = {"update_ms", "query_ms", "total_ms"};
    double total = docs_cell(report, method, TRIANGLES, first_only, "total_ms");
    if (!isfinite(total)) {
        return;
    }
    fprintf(stream, "| %s |", method);
    for (int k = 0; k < 3; k++) {
        fputc(' ', stream);
        docs_number(stream, docs_cell(report, method, TRIANGLES, first_only, keys[k]));
        fputs(" |", stream);
    }
    fputc(' ', stream);
    docs_number(stream, total / docs_cell(report, unit, TRIANGLES, first_only, "total_ms"));
    fputs(" |\n", stream);
}

static void write_all_pairs(FILE *stream, const docs_results *results)
{
    static const char *const methods[] = {
        "van den Bergen",
        "van den Bergen, 8-ary",
        "plain bottom-up",
        "ours, bottom-up",
        "ours, top-down",
        "ours, hybrid",
        "ours, auto",
        "ours, auto, vertices in tree order",
        "ours, auto, positions copied",
    };
    fputs("| all pairs | update, ms | query, ms | total, ms | over ours, auto |\n"
          "|---|--:|--:|--:|--:|\n",
          stream);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        write_times(stream, docs_report(results, "larsson-1"), methods[i], false, "ours, auto");
    }
}

static void write_first_pair(FILE *stream, const docs_results *results)
{
    static const char *const methods[] = {
        "van den Bergen",
        "van den Bergen, 8-ary",
        "plain bottom-up",
        "ours, bottom-up, no memory",
        "ours, top-down, no memory",
        "ours, hybrid, no memory",
        "ours, auto, no memory",
        "ours, auto, witness memory",
    };
    fputs("| first pair | update, ms | query, ms | total, ms | over ours, auto, witness memory |\n"
          "|---|--:|--:|--:|--:|\n",
          stream);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        write_times(stream, docs_report(results, "larsson-1"), methods[i], true,
                    "ours, auto, witness memory");
    }
}

static void write_claim(FILE *stream, const char *claim, const char *paper, double here,
                        bool is_count)
{
    fprintf(stream, "| %s | %s | ", claim, paper);
    (is_count ? docs_count : docs_number)(stream, here);
    fputs(" |\n", stream);
}

/* The first step with a pair; NAN without one. */
static double first_contact(const bench_report *report)
{
    const bench_series *steps = report_find_series(report, "step");
    const bench_series *pairs = report_find_series(report, "pairs");
    for (uint64_t i = 0; steps != NULL && pairs != NULL && i < pairs->count; i++) {
        if (pairs->values[i] > 0) {
            return steps->values[i];
        }
    }
    return (double)NAN;
}

static void write_claims(FILE *stream, const docs_results *results)
{
    const bench_report *report = docs_report(results, "larsson-1");
    const bench_series *pairs = report_find_series(report, "pairs");
    double hybrid = docs_cell(report, "ours, hybrid", TRIANGLES, false, "total_ms");
    double binary = docs_cell(report, "van den Bergen", TRIANGLES, false, "total_ms");
    double eight = docs_cell(report, "van den Bergen, 8-ary", TRIANGLES, false, "total_ms");
    double shape = docs_cell(report, "initial shape, 8-ary", TRIANGLES, false, "total_ms");
    double connectivity = docs_cell(report, "connectivity, 8-ary", TRIANGLES, false, "total_ms");
    fputs("| experiment 1 | the paper | here |\n|---|--:|--:|\n", stream);
    write_claim(stream, "step of the first contact", "60", first_contact(report), true);
    write_claim(stream, "pairs at step 200", "3,760",
                pairs != NULL ? pairs->values[pairs->count - 1] : (double)NAN, true);
    write_claim(stream, "van den Bergen's time over hybrid's", "about 5", binary / hybrid, false);
    write_claim(stream, "hybrid over the better of top-down and bottom-up, worst tenth",
                "\"performs best\"", docs_ratio(report, "hybrid_tenth_worst"), false);
    write_claim(stream, "van den Bergen, binary over 8-ary", "1.1 to 1.2", binary / eight, false);
    write_claim(stream, "initial-shape tree over connectivity tree", "1.0 to 1.1",
                shape / connectivity, false);
}

/* The mean time per step of one strategy in one tenth of the run. */
static double tenth_mean(const bench_report *report, const char *strategy, uint64_t tenth)
{
    char name[96];
    snprintf(name, sizeof name, "all pairs, ours, %s, ms", strategy);
    const bench_series *series = report_find_series(report, name);
    if (series == NULL) {
        return (double)NAN;
    }
    uint64_t begin = series->count * tenth / 10, end = series->count * (tenth + 1) / 10;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        sum += series->values[i];
    }
    return sum / (double)(end - begin);
}

static void write_tenths(FILE *stream, const docs_results *results)
{
    static const char *const strategies[] = {"top-down", "bottom-up", "hybrid"};
    const bench_report *report = docs_report(results, "larsson-1");
    const bench_series *ratios = report_find_series(report, "tenths, hybrid over better");
    fputs("| steps | top-down, ms | bottom-up, ms | hybrid, ms | hybrid over the better |\n"
          "|---|--:|--:|--:|--:|\n",
          stream);
    for (uint64_t tenth = 0; ratios != NULL && tenth < ratios->count; tenth++) {
        fprintf(stream, "| %d to %d |", (int)(20 * tenth + 1), (int)(20 * tenth + 20));
        for (int k = 0; k < 3; k++) {
            fputc(' ', stream);
            docs_number(stream, tenth_mean(report, strategies[k], tenth));
            fputs(" |", stream);
        }
        fputc(' ', stream);
        docs_number(stream, ratios->values[tenth]);
        fputs(" |\n", stream);
    }
}

static void write_cell(FILE *stream, const bench_row *row, const char *key, bool is_count)
{
    const bench_cell *cell = report_find_cell(row, key);
    fputc(' ', stream);
    (is_count ? docs_count : docs_number)(stream, cell != NULL ? cell->value : (double)NAN);
    fputs(" |", stream);
}

static void write_growth(FILE *stream, const bench_report *report, const char *key,
                         const char *when)
{
    const bench_ratio *ratio = report_find_ratio(report, key);
    if (ratio != NULL) {
        fprintf(stream, "%s: time grows as triangles to the power %.2f here, %.2f in the paper.\n",
                when, ratio->value, ratio->paper);
    }
}

static void write_sizes(FILE *stream, const docs_results *results)
{
    static const struct {
        const char *key;
        bool is_count;
    } cells[] = {
        {"triangles", true},       {"first_ms", false}, {"paper_first_ms", true},
        {"rival_first_ms", false}, {"worst_ms", false}, {"paper_worst_ms", true},
        {"rival_worst_ms", false}, {"pairs", true},     {"paper_pairs", true},
    };
    const bench_report *report = docs_report(results, "larsson-2");
    fputs("| triangles | first contact, ms | paper | plain bottom-up | worst step, ms | paper | "
          "plain "
          "bottom-up | pairs there | paper |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    for (uint32_t i = 0; i < report->row_count; i++) {
        fputc('|', stream);
        for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
            write_cell(stream, &report->rows[i], cells[k].key, cells[k].is_count);
        }
        fputc('\n', stream);
    }
    fputc('\n', stream);
    write_growth(stream, report, "growth_first", "At the first contact");
    write_growth(stream, report, "growth_worst", "At the worst step");
}

/* A row of experiment 3: what both crowds took, and over our automatic choice. */
static void write_crowd_row(FILE *stream, const docs_results *results, const char *method)
{
    static const char *const experiments[] = {"larsson-3-spheres", "larsson-3-arms"};
    static const char *const keys[] = {"update_ms", "query_ms", "total_ms", "over_ours"};
    fprintf(stream, "| %s |", method);
    for (int e = 0; e < 2; e++) {
        const bench_report *report = docs_report(results, experiments[e]);
        for (int k = 0; k < 4; k++) {
            fputc(' ', stream);
            docs_number(stream, docs_cell(report, method, CROWD_TRIANGLES, false, keys[k]));
            fputs(" |", stream);
        }
    }
    fputc('\n', stream);
}

static void write_crowd_notes(FILE *stream, const docs_results *results, const char *experiment,
                              const char *bodies)
{
    const bench_report *report = docs_report(results, experiment);
    const bench_ratio *ratio = report_find_ratio(report, "all_vs_van_den_bergen");
    if (ratio == NULL) {
        return;
    }
    fprintf(stream, "- %s: van den Bergen's time over ours is ", bodies);
    docs_number(stream, ratio->value);
    fprintf(stream, " here; over hybrid's %.1f in the paper, ", ratio->paper);
    docs_number(stream, docs_cell(report, "van den Bergen", CROWD_TRIANGLES, false, "total_ms") /
                            docs_cell(report, "ours, hybrid", CROWD_TRIANGLES, false, "total_ms"));
    fprintf(stream, " here; %s.\n", report->notes[0]);
}

static void write_crowds(FILE *stream, const docs_results *results)
{
    static const char *const methods[] = {
        "van den Bergen",   "van den Bergen, 8-ary",
        "plain bottom-up",  "ours, bottom-up",
        "ours, top-down",   "ours, hybrid",
        "ours, auto",       "ours, auto, sweep and prune",
        "ours, auto, grid",
    };
    fputs("| | spheres: update, ms | query | total | over ours | arms: update, ms | query | total "
          "| over ours |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        write_crowd_row(stream, results, methods[i]);
    }
    fputc('\n', stream);
    write_crowd_notes(stream, results, "larsson-3-spheres", "Bumpy spheres");
    write_crowd_notes(stream, results, "larsson-3-arms", "Bodies with arms");
}

static void write_trees(FILE *stream, const docs_results *results)
{
    static const char *const partitions[] = {"balanced", "initial shape", "connectivity"};
    const bench_report *report = docs_report(results, "larsson-1");
    fputs("| total, ms | 2-ary | 4-ary | 8-ary |\n|---|--:|--:|--:|\n", stream);
    for (int i = 0; i < 3; i++) {
        fprintf(stream, "| %s |", partitions[i]);
        for (int arity = 2; arity <= 8; arity *= 2) {
            char name[64];
            snprintf(name, sizeof name, "%s, %d-ary", partitions[i], arity);
            fputc(' ', stream);
            docs_number(stream, docs_cell(report, name, TRIANGLES, false, "total_ms"));
            fputs(" |", stream);
        }
        fputc('\n', stream);
    }
}

const docs_block docs_larsson_blocks[] = {
    {file, "machine", docs_write_machine}, {file, "experiment-1", write_claims},
    {file, "all-pairs", write_all_pairs},  {file, "first-pair", write_first_pair},
    {file, "tenths", write_tenths},        {file, "experiment-2", write_sizes},
    {file, "trees", write_trees},          {file, "experiment-3", write_crowds},
};
const unsigned docs_larsson_block_count =
    sizeof docs_larsson_blocks / sizeof docs_larsson_blocks[0];
