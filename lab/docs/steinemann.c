/* The tables of docs/methods/steinemann-2007.md. */
#include "docs.h"

#include <math.h>
#include <string.h>

static const char file[] = "methods/steinemann-2007.md";

/* Which row: its cells must be as given; NAN: any. */
typedef struct row_key {
    double vertices, nodes, large, first_only;
} row_key;

static bool matches(const bench_row *row, const char *key, double value)
{
    const bench_cell *cell = report_find_cell(row, key);
    return isnan(value) || (cell != NULL && cell->value == value);
}

static double cell_of(const bench_report *report, const char *method, row_key wanted,
                      const char *key)
{
    for (uint32_t i = 0; i < report->row_count; i++) {
        const bench_row *row = &report->rows[i];
        const bench_cell *cell = report_find_cell(row, key);
        if (strcmp(row->method, method) == 0 && matches(row, "vertices", wanted.vertices) &&
            matches(row, "nodes", wanted.nodes) && matches(row, "large", wanted.large) &&
            matches(row, "first_only", wanted.first_only) && cell != NULL) {
            return cell->value;
        }
    }
    return (double)NAN;
}

static void put(FILE *stream, double value)
{
    fputc(' ', stream);
    docs_number(stream, value);
    fputs(" |", stream);
}

static void write_table_1(FILE *stream, const docs_results *results)
{
    static const double vertices[3] = {3500, 30000, 145000}, nodes[3] = {65, 225, 509};
    static const char *const methods[] = {"ours", "two largest", "all corners", "all of W",
                                          "accumulation"};
    static const char *const paper[3] = {"15 / 35 / 90", "18 / 48 / 100", "18 / 46 / 100"};
    static const char *const paper_optimal[3] = {"2,000", "17,200", "82,500"};
    const bench_report *report = docs_report(results, "points-root");
    fputs("| us per bound; 65 / 225 / 509 nodes | 3.5K vertices | 30K | 145K |\n"
          "|---|--:|--:|--:|\n",
          stream);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        fprintf(stream, "| %s |", methods[m]);
        for (int v = 0; v < 3; v++) {
            for (int n = 0; n < 3; n++) {
                row_key key = {vertices[v], nodes[n], (double)NAN, (double)NAN};
                fputs(n > 0 ? " / " : " ", stream);
                docs_number(stream, cell_of(report, methods[m], key, "us"));
            }
            fputs(" |", stream);
        }
        fputc('\n', stream);
    }
    fprintf(stream, "| the paper's | %s | %s | %s |\n", paper[0], paper[1], paper[2]);
    fputs("| all vertices evaluated |", stream);
    for (int v = 0; v < 3; v++) {
        row_key key = {vertices[v], 65, (double)NAN, (double)NAN};
        put(stream, cell_of(report, "evaluate all vertices", key, "us"));
    }
    fprintf(stream, "\n| the same in the paper | %s | %s | %s |\n\n", paper_optimal[0],
            paper_optimal[1], paper_optimal[2]);
    fputs("With 145,000 vertices over with 3,500, at the worst number of nodes: ", stream);
    docs_number(stream, docs_ratio(report, "time_145k_over_3k5"));
    fputs(". With 509 nodes over with 65: ", stream);
    docs_number(stream, docs_ratio(report, "time_509_over_65"));
    fputs("; time grows as the nodes to the power ", stream);
    docs_number(stream, docs_ratio(report, "nodes_exponent"));
    fputs(".\n", stream);
}

static void write_tightness(FILE *stream, const docs_results *results)
{
    static const char *const methods[] = {"ours",        "exact maximum", "two largest",
                                          "all corners", "all of W",      "accumulation"};
    const bench_report *report = docs_report(results, "points-tightness");
    fputs("| radius of the root over the smallest | 65 nodes, mean | max | 509 nodes, mean | max "
          "|\n|---|--:|--:|--:|--:|\n",
          stream);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        fprintf(stream, "| %s |", methods[m]);
        for (int n = 0; n < 2; n++) {
            row_key key = {(double)NAN, n == 0 ? 65 : 509, (double)NAN, (double)NAN};
            put(stream, cell_of(report, methods[m], key, "root_mean"));
            put(stream, cell_of(report, methods[m], key, "root_max"));
        }
        fputc('\n', stream);
    }
    fputs("| the paper's | 1.5 | 2.5 | 1.5 | 2.5 |\n\n"
          "Accumulation's root over ours with 509 nodes: at most ",
          stream);
    docs_number(stream, docs_ratio(report, "accumulation_over_ours_509_max"));
    fputs(" (paper: up to 68), on average ", stream);
    docs_number(stream, docs_ratio(report, "accumulation_over_ours_509_mean"));
    fputs(".\n", stream);
}

static void write_levels(FILE *stream, const docs_results *results)
{
    static const char *const variants[] = {"dual, 1 try",   "dual, 2 tries", "dual, 3 tries",
                                           "dual, 4 tries", "dual, 6 tries", "dual, second largest",
                                           "exact maximum", "two largest"};
    const bench_report *report = docs_report(results, "points-tightness");
    fputs("| us / mean / max | 65 nodes: level 1 | 2 | 3 | 4 | 509 nodes: level 1 | 2 | 3 | 4 |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        fprintf(stream, "| %s |", variants[i]);
        for (int column = 0; column < 8; column++) {
            static const char *const keys[3] = {"us", "mean", "max"};
            row_key key = {(double)NAN, column < 4 ? 65 : 509, (double)NAN, (double)NAN};
            char method[64];
            snprintf(method, sizeof method, "children of level %d: %s", column % 4 + 1,
                     variants[i]);
            for (int k = 0; k < 3; k++) {
                fputs(k > 0 ? " / " : " ", stream);
                docs_number(stream, cell_of(report, method, key, keys[k]));
            }
            fputs(" |", stream);
        }
        fputc('\n', stream);
    }
}

/* A line of table 2, and what the paper has there. */
typedef struct ring_line {
    double vertices, nodes, large;
    const char *key, *paper_rival, *paper_theirs, *paper_ratio;
} ring_line;

static const ring_line ring_lines[] = {
    {2857, 115, 0, "small_2857_115", "37.1 / 2.12 / 39.3", "1.83 / 5.72 / 7.55", "5.2"},
    {2857, 550, 0, "small_2857_550", "37.1 / 2.12 / 39.3", "2.36 / 5.60 / 7.97", "4.9"},
    {45682, 115, 0, "small_45682_115", "575.7 / 5.89 / 581.6", "4.54 / 16.6 / 21.1", "27.5"},
    {45682, 550, 0, "small_45682_550", "575.7 / 5.89 / 581.6", "5.77 / 18.7 / 24.5", "23.7"},
    {2857, 115, 1, "large_2857_115", "37.9 / 2.48 / 40.4", "3.38 / 10.0 / 13.4", "3.0"},
    {2857, 550, 1, "large_2857_550", "37.9 / 2.48 / 40.4", "3.26 / 9.28 / 12.5", "3.2"},
    {45682, 115, 1, "large_45682_115", "569.7 / 8.84 / 578.6", "6.87 / 24.5 / 31.4", "18.4"},
    {45682, 550, 1, "large_45682_550", "569.7 / 8.84 / 578.6", "8.23 / 29.3 / 37.5", "15.4"},
};
enum { RING_LINES = sizeof ring_lines / sizeof ring_lines[0] };

static void put_times(FILE *stream, const bench_report *report, const char *method, row_key key)
{
    static const char *const parts[3] = {"update_ms", "query_ms", "total_ms"};
    for (int k = 0; k < 3; k++) {
        fputs(k > 0 ? " / " : " ", stream);
        docs_number(stream, cell_of(report, method, key, parts[k]));
    }
    fputs(" |", stream);
}

static void put_line(FILE *stream, const ring_line *line)
{
    fputs("| ", stream);
    docs_count(stream, line->vertices);
    fprintf(stream, " v, %.0f n, %s |", line->nodes, line->large > 0 ? "large" : "small");
}

static void write_table_2(FILE *stream, const docs_results *results)
{
    const bench_report *report = docs_report(results, "points-ring");
    fputs("| refit / query / total, ms | bottom-up, paper | theirs, paper | speed-up | bottom-up, "
          "here | vectorised | ours, auto | over plain | over vectorised | first contact |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    for (int i = 0; i < RING_LINES; i++) {
        const ring_line *line = &ring_lines[i];
        row_key key = {line->vertices, line->nodes, line->large, 0};
        char name[64];
        put_line(stream, line);
        fprintf(stream, " %s | %s | %s |", line->paper_rival, line->paper_theirs,
                line->paper_ratio);
        put_times(stream, report, "plain bottom-up", key);
        put_times(stream, report, "vectorised bottom-up", key);
        put_times(stream, report, "ours, auto", key);
        put(stream, docs_ratio(report, line->key));
        snprintf(name, sizeof name, "%s_simd", line->key);
        put(stream, docs_ratio(report, name));
        snprintf(name, sizeof name, "%s_first", line->key);
        put(stream, docs_ratio(report, name));
        fputc('\n', stream);
    }
}

static void write_strategies(FILE *stream, const docs_results *results)
{
    static const char *const strategies[] = {"ours, bottom-up", "ours, top-down", "ours, hybrid",
                                             "ours, front", "ours, auto"};
    const bench_report *report = docs_report(results, "points-ring");
    fputs("| total, ms | bottom-up | top-down | hybrid | front | auto | pairs per step |\n"
          "|---|--:|--:|--:|--:|--:|--:|\n",
          stream);
    for (int i = 0; i < RING_LINES; i++) {
        const ring_line *line = &ring_lines[i];
        row_key key = {line->vertices, line->nodes, line->large, 0};
        put_line(stream, line);
        for (int k = 0; k < 5; k++) {
            put(stream, cell_of(report, strategies[k], key, "total_ms"));
        }
        put(stream, cell_of(report, "ours, auto", key, "pairs"));
        fputc('\n', stream);
    }
    fputs("\nOur automatic choice over our best fixed one, at worst: ", stream);
    docs_number(stream, docs_ratio(report, "auto_over_best"));
    fputs(".\n", stream);
}

static void write_fish(FILE *stream, const docs_results *results)
{
    static const char *const methods[] = {
        "plain bottom-up", "vectorised bottom-up", "ours, bottom-up", "ours, top-down",
        "ours, hybrid",    "ours, front",          "ours, auto",
    };
    const bench_report *report = docs_report(results, "points-fish");
    fputs("| 24 fish | refit / query / total, ms | first contact | over ours, auto |\n"
          "|---|--:|--:|--:|\n",
          stream);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        row_key all = {(double)NAN, (double)NAN, (double)NAN, 0};
        row_key first = {(double)NAN, (double)NAN, (double)NAN, 1};
        fprintf(stream, "| %s |", methods[i]);
        put_times(stream, report, methods[i], all);
        put_times(stream, report, methods[i], first);
        put(stream, cell_of(report, methods[i], all, "over_ours"));
        fputc('\n', stream);
    }
    fputs("| full bottom-up, the paper | 401.7 / 16.6 / 418.3 | - | 12 |\n"
          "| theirs, the paper | 5.3 / 26.3 / 31.6 | - | 1 |\n",
          stream);
}

static void write_idle(FILE *stream, const docs_results *results)
{
    static const char *const methods[] = {"plain bottom-up", "vectorised bottom-up", "ours, auto"};
    const bench_report *report = docs_report(results, "points-idle");
    fputs("| total, ms | 4,568 vertices | 45,682 | ratio |\n|---|--:|--:|--:|\n", stream);
    for (int i = 0; i < 3; i++) {
        row_key few = {4568, (double)NAN, (double)NAN, 0}, many = {45682, 115, 0, 0};
        double one = cell_of(report, methods[i], few, "total_ms");
        double ten = cell_of(report, methods[i], many, "total_ms");
        fprintf(stream, "| %s |", methods[i]);
        put(stream, one);
        put(stream, ten);
        put(stream, ten / one);
        fputc('\n', stream);
    }
}

const docs_block docs_steinemann_blocks[] = {
    {file, "machine", docs_write_machine},
    {file, "table-1", write_table_1},
    {file, "tightness", write_tightness},
    {file, "levels", write_levels},
    {file, "table-2", write_table_2},
    {file, "strategies", write_strategies},
    {file, "fish", write_fish},
    {file, "idle", write_idle},
};
const unsigned docs_steinemann_block_count =
    sizeof docs_steinemann_blocks / sizeof docs_steinemann_blocks[0];
