/* The tables of docs/figures.md. */
#include "docs.h"

#include <math.h>
#include <string.h>

#define TRIANGLES 20480

static const char file[] = "figures.md";

static void write_ratios(FILE *stream, const docs_results *results)
{
    fputs("| experiment | figure | here | paper | what it is |\n|---|---|--:|--:|---|\n", stream);
    for (uint32_t i = 0; i < bench_experiment_count; i++) {
        const bench_report *report = &results->reports[i];
        for (uint32_t k = 0; k < report->ratio_count; k++) {
            const bench_ratio *ratio = &report->ratios[k];
            fprintf(stream, "| %s | `%s` | ", bench_experiments[i]->name, ratio->key);
            docs_number(stream, ratio->value);
            fputs(" | ", stream);
            docs_number(stream, ratio->paper);
            fprintf(stream, " | %s |\n", ratio->meaning);
        }
    }
}

static void write_set(FILE *stream, const bench_report *report, const char *set, const char *method)
{
    static const char *const keys[] = {"update_ms", "query_ms", "total_ms"};
    double total = docs_cell(report, method, TRIANGLES, false, "total_ms");
    if (!isfinite(total)) {
        return;
    }
    fprintf(stream, "| %s |", set);
    for (int k = 0; k < 3; k++) {
        fputc(' ', stream);
        docs_number(stream, docs_cell(report, method, TRIANGLES, false, keys[k]));
        fputs(" |", stream);
    }
    fputc(' ', stream);
    docs_number(stream,
                docs_cell(report, "ours, auto, plain", TRIANGLES, false, "total_ms") / total);
    fputs(" | ", stream);
    docs_number(stream, docs_cell(report, "plain bottom-up", TRIANGLES, false, "total_ms") / total);
    fputs(" |\n", stream);
}

static void write_sets(FILE *stream, const docs_results *results)
{
    const bench_report *report = docs_report(results, "larsson-1");
    fputs("| at most | update, ms | query, ms | total, ms | plain C over it | plain bottom-up over "
          "it |\n|---|--:|--:|--:|--:|--:|\n",
          stream);
    write_set(stream, report, "the best of the machine", "ours, auto");
    write_set(stream, report, "AVX2", "ours, auto, avx2");
    write_set(stream, report, "baseline (SSE2)", "ours, auto, baseline");
    write_set(stream, report, "plain C", "ours, auto, plain");
}

/* Rows of an experiment as they are, under headings of ours. */
static void write_rows(FILE *stream, const bench_report *report, const char *const *keys,
                       uint32_t key_count)
{
    for (uint32_t i = 0; i < report->row_count; i++) {
        fprintf(stream, "| %s |", report->rows[i].method);
        for (uint32_t k = 0; k < key_count; k++) {
            const bench_cell *cell = report_find_cell(&report->rows[i], keys[k]);
            double value = cell != NULL ? cell->value : (double)NAN;
            fputc(' ', stream);
            (cell != NULL && cell->decimals == 0 ? docs_count : docs_number)(stream, value);
            fputs(" |", stream);
        }
        fputc('\n', stream);
    }
}

static void write_exactness(FILE *stream, const docs_results *results)
{
    static const char *const keys[] = {"exact_ns", "inexact_ns", "tests", "pairs"};
    const bench_report *report = docs_report(results, "exact-triangle");
    fputs(
        "| one test, ns | exact | float with tolerance | tests | touch |\n|---|--:|--:|--:|--:|\n",
        stream);
    write_rows(stream, report, keys, 4);
    fputc('\n', stream);
    for (uint32_t i = 0; i < report->note_count; i++) {
        fprintf(stream, "- %s\n", report->notes[i]);
    }
}

static void write_building(FILE *stream, const docs_results *results)
{
    static const char *const keys[] = {"triangles", "total_ms",     "bytes_per_triangle",
                                       "levels",    "cluster_fill", "boundary_share"};
    fputs("| tree | triangles | ms | bytes per triangle | levels | clusters filled | vertices read "
          "twice |\n|---|--:|--:|--:|--:|--:|--:|\n",
          stream);
    write_rows(stream, docs_report(results, "build"), keys, 6);
}

static void write_notes(FILE *stream, const bench_report *report)
{
    fputc('\n', stream);
    for (uint32_t i = 0; i < report->note_count; i++) {
        fprintf(stream, "- %s\n", report->notes[i]);
    }
}

static void write_workers(FILE *stream, const docs_results *results)
{
    static const char *const keys[] = {"pairs",   "one_ms",       "two_ms",     "speedup",
                                       "control", "over_control", "handover_ns"};
    const bench_report *report = docs_report(results, "workers");
    fputs("| | pairs | one worker, ms | two workers, ms | speed-up | plain loop's | share of it | "
          "handover, ns |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    write_rows(stream, report, keys, 7);
    write_notes(stream, report);
}

static void write_broad(FILE *stream, const docs_results *results)
{
    static const char *const keys[] = {"pairs",         "all_pairs_us",      "sweep_us",
                                       "grid_us",       "sort_us",           "sweep_ns_per_box",
                                       "swaps_per_box", "sort_tests_per_box"};
    const bench_report *report = docs_report(results, "broad");
    fputs("| | pairs | all pairs, us | sweep and prune, us | grid, us | sort and sweep, us | sweep "
          "and prune, ns per box | swaps per box | sort and sweep, tests per box "
          "|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    write_rows(stream, report, keys, 8);
    write_notes(stream, report);
}

static void write_memory(FILE *stream, const docs_results *results)
{
    static const char *const keys[] = {"touched_kb",    "update_us", "update_gb_per_s",
                                       "copy_gb_per_s", "over_copy", "read_gb_per_s",
                                       "over_read"};
    const bench_report *report = docs_report(results, "memory");
    fputs("| | kB touched | update, us | GB/s | `memcpy()`, GB/s | share of it | reading, GB/s | "
          "share of it |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    write_rows(stream, report, keys, 7);
    write_notes(stream, report);
}

const docs_block docs_figures_blocks[] = {
    {file, "machine", docs_write_machine},  {file, "figures", write_ratios},
    {file, "instruction-sets", write_sets}, {file, "exactness", write_exactness},
    {file, "building", write_building},     {file, "workers", write_workers},
    {file, "broad", write_broad},           {file, "memory", write_memory},
};
const unsigned docs_figures_block_count =
    sizeof docs_figures_blocks / sizeof docs_figures_blocks[0];
