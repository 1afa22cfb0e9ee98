/* What benchmarks.md shows of the experiments with other libraries, and of growth. */
#include "docs.h"

#include <math.h>
#include <string.h>

static const char file[] = "benchmarks.md";

static void write_notes(FILE *stream, const bench_report *report)
{
    fputc('\n', stream);
    for (uint32_t i = 0; i < report->note_count; i++) {
        fprintf(stream, "- %s\n", report->notes[i]);
    }
}

static void write_cells(FILE *stream, const bench_row *row, const char *const *keys, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const bench_cell *cell = report_find_cell(row, keys[k]);
        fputc(' ', stream);
        (cell != NULL && cell->decimals == 0 ? docs_count : docs_number)(
            stream, cell != NULL ? cell->value : (double)NAN);
        fputs(" |", stream);
    }
    fputc('\n', stream);
}

static void write_rows(FILE *stream, const bench_report *report)
{
    static const char *const keys[] = {"update_ms", "query_ms", "total_ms", "over_ours",
                                       "pairs",     "missing",  "extra"};
    fputs("| | update, ms | query, ms | total, ms | over ours | pairs | missing | extra |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    for (uint32_t i = 0; i < report->row_count; i++) {
        fprintf(stream, "| %s |", report->rows[i].method);
        write_cells(stream, &report->rows[i], keys, 7);
    }
}

static void write_whole(FILE *stream, const docs_results *results, const char *experiment)
{
    const bench_report *report = docs_report(results, experiment);
    write_rows(stream, report);
    write_notes(stream, report);
    for (uint32_t i = 0; i < report->ratio_count; i++) {
        if (strncmp(report->ratios[i].key, "vs_best", 7) == 0) {
            fprintf(stream, "- `%s`: ", report->ratios[i].key);
            docs_number(stream, report->ratios[i].value);
            fputc('\n', stream);
        }
    }
}

/* Rows are named "METHOD, TRIANGLES": how long the method's name is. */
static size_t name_length(const bench_row *row)
{
    const char *comma = strrchr(row->method, ',');
    return comma != NULL ? (size_t)(comma - row->method) : strlen(row->method);
}

static const bench_row *find_row(const bench_report *report, const bench_row *named,
                                 double triangles)
{
    size_t length = name_length(named);
    for (uint32_t i = 0; i < report->row_count; i++) {
        const bench_row *row = &report->rows[i];
        const bench_cell *cell = report_find_cell(row, "triangles");
        if (name_length(row) == length && strncmp(row->method, named->method, length) == 0 &&
            cell != NULL && cell->value == triangles) {
            return row;
        }
    }
    return NULL;
}

/* The sizes in the order in which they come. */
static uint32_t list_sizes(const bench_report *report, double sizes[8])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < report->row_count; i++) {
        const bench_cell *cell = report_find_cell(&report->rows[i], "triangles");
        if (cell != NULL && count < 8 && (count == 0 || sizes[count - 1] != cell->value)) {
            sizes[count++] = cell->value;
        }
    }
    return count;
}

/* Libraries down, sizes across: their time over ours. */
static void write_overview(FILE *stream, const docs_results *results)
{
    const bench_report *report = docs_report(results, "peers-spheres");
    double sizes[8] = {0};
    uint32_t count = list_sizes(report, sizes);
    fputs("| triangles each |", stream);
    for (uint32_t k = 0; k < count; k++) {
        fputc(' ', stream);
        docs_count(stream, sizes[k]);
        fputs(" |", stream);
    }
    fputs("\n|---|", stream);
    for (uint32_t k = 0; k < count; k++) {
        fputs("--:|", stream);
    }
    fputc('\n', stream);
    for (uint32_t i = 1; i < report->row_count; i++) {
        const bench_row *row = &report->rows[i];
        const bench_cell *cell = report_find_cell(row, "triangles");
        if (cell == NULL || cell->value != sizes[0]) {
            break;
        }
        if (strncmp(row->method, "ours", 4) == 0) {
            continue;
        }
        fprintf(stream, "| %.*s |", (int)name_length(row), row->method);
        for (uint32_t k = 0; k < count; k++) {
            const bench_row *found = find_row(report, row, sizes[k]);
            const bench_cell *over = found != NULL ? report_find_cell(found, "over_ours") : NULL;
            fputc(' ', stream);
            docs_number(stream, over != NULL ? over->value : (double)NAN);
            fputs(" |", stream);
        }
        fputc('\n', stream);
    }
}

/* A row: every peer's ratio with the best set and with AVX2 at most, then what share that is. The
   share is the same for all, since the peers' times are. False, and nothing written, without AVX2.
 */
static bool write_avx2_row(FILE *stream, const bench_report *report, const char *title,
                           const char *suffix)
{
    static const char *const keys[] = {"vs_embree_refit", "vs_fcl_collide", "vs_cgal"};
    double best[3], avx2[3], share = (double)NAN;
    for (int i = 0; i < 3; i++) {
        char key[40];
        snprintf(key, sizeof key, "%s%s", keys[i], suffix);
        best[i] = docs_ratio(report, key);
        snprintf(key, sizeof key, "%s%s_avx2", keys[i], suffix);
        avx2[i] = docs_ratio(report, key);
        share = isnan(share) ? avx2[i] / best[i] : share;
    }
    if (isnan(share)) {
        return false;
    }
    fprintf(stream, "| %s |", title);
    for (int i = 0; i < 3; i++) {
        fputc(' ', stream);
        docs_number(stream, best[i]);
        fputs(" | ", stream);
        docs_number(stream, avx2[i]);
        fputs(" |", stream);
    }
    fprintf(stream, " %.0f %% |\n", 100.0 * share);
    return true;
}

static void write_avx2(FILE *stream, const docs_results *results)
{
    static const struct {
        const char *experiment, *suffix, *title;
    } scenes[] = {
        {"peers-spheres", "_1280", "two spheres of 1,280 triangles"},
        {"peers-spheres", "_5120", "two spheres of 5,120"},
        {"peers-spheres", "_20480", "two spheres of 20,480"},
        {"peers-spheres", "_81920", "two spheres of 81,920"},
        {"peers-spheres", "_327680", "two spheres of 327,680"},
        {"peers-27", "", "27 spheres"},
        {"peers-ring", "_small", "six figures on a ring, small contact"},
        {"peers-ring", "_large", "six figures on a ring, large contact"},
        {"peers-first", "", "first contact"},
        {"peers-self", "_ball", "a cloth over a ball, against itself"},
        {"peers-self", "_rolled", "a rolled cloth, against itself"},
    };
    fputs("| | Embree, refit | AVX2 | FCL, collide() | AVX2 | CGAL, exact | AVX2 | share |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        rows += write_avx2_row(stream, docs_report(results, scenes[i].experiment), scenes[i].title,
                               scenes[i].suffix);
    }
    if (rows == 0) {
        fputs("\nThis machine has nothing above AVX2: the tables above are with AVX2.\n", stream);
    }
}

static void write_spheres(FILE *stream, const docs_results *results)
{
    write_whole(stream, results, "peers-spheres");
}

static void write_27(FILE *stream, const docs_results *results)
{
    write_whole(stream, results, "peers-27");
}

static void write_ring(FILE *stream, const docs_results *results)
{
    write_whole(stream, results, "peers-ring");
}

static void write_first(FILE *stream, const docs_results *results)
{
    write_whole(stream, results, "peers-first");
}

static void write_self(FILE *stream, const docs_results *results)
{
    write_whole(stream, results, "peers-self");
}

static void write_growth(FILE *stream, const docs_results *results)
{
    static const char *const keys[] = {"triangles",       "bodies",      "pairs",    "total_ms",
                                       "ns_per_triangle", "ns_per_pair", "nodes",    "clusters",
                                       "tests",           "vertices",    "megabytes"};
    const bench_report *report = docs_report(results, "growth");
    fputs("| | triangles | bodies | pairs | ms per step | ns per triangle | ns per pair | nodes "
          "compared | clusters refreshed | triangles tested | vertices read | MB |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    for (uint32_t i = 0; i < report->row_count; i++) {
        fprintf(stream, "| %s |", report->rows[i].method);
        write_cells(stream, &report->rows[i], keys, 11);
    }
    fputc('\n', stream);
    for (uint32_t i = 0; i < report->ratio_count; i++) {
        fprintf(stream, "- `%s` %.2f: %s\n", report->ratios[i].key, report->ratios[i].value,
                report->ratios[i].meaning);
    }
}

bool docs_peers_show(const bench_experiment *experiment)
{
    return experiment->peers || strcmp(experiment->name, "growth") == 0;
}

const docs_block docs_peers_blocks[] = {
    {file, "peers-machine", docs_write_machine},
    {file, "peers-overview", write_overview},
    {file, "peers-spheres", write_spheres},
    {file, "peers-27", write_27},
    {file, "peers-ring", write_ring},
    {file, "peers-first", write_first},
    {file, "peers-self", write_self},
    {file, "peers-avx2", write_avx2},
};
const unsigned docs_peers_block_count = sizeof docs_peers_blocks / sizeof docs_peers_blocks[0];

const docs_block docs_growth_blocks[] = {
    {file, "growth", write_growth},
};
const unsigned docs_growth_block_count = sizeof docs_growth_blocks / sizeof docs_growth_blocks[0];
