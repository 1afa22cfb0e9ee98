/* The tables of docs/methods/james-2004.md. */
#include "docs.h"

#include <math.h>
#include <string.h>

static const char file[] = "methods/james-2004.md";

static double cell(const bench_report *report, const char *method, const char *key)
{
    for (uint32_t i = 0; i < report->row_count; i++) {
        const bench_cell *found = report_find_cell(&report->rows[i], key);
        if (strcmp(report->rows[i].method, method) == 0 && found != NULL) {
            return found->value;
        }
    }
    return (double)NAN;
}

/* One more column of a row: a figure, or a whole number. */
static void put_number(FILE *stream, double value)
{
    fputc(' ', stream);
    docs_number(stream, value);
    fputs(" |", stream);
}

static void put_count(FILE *stream, double value)
{
    fputc(' ', stream);
    docs_count(stream, value);
    fputs(" |", stream);
}

/* A line of a table of claims: what, the paper's figure, ours. */
static void put_claim(FILE *stream, const bench_report *report, const char *what, const char *key,
                      const char *paper)
{
    fprintf(stream, "| %s | %s |", what, paper);
    put_number(stream, docs_ratio(report, key));
    fputc('\n', stream);
}

/* Notes say what a table cannot: sizes, steps done, and what was left out. */
static void write_notes(FILE *stream, const bench_report *report)
{
    fputc('\n', stream);
    for (uint32_t i = 0; i < report->note_count; i++) {
        fprintf(stream, "- %s.\n", report->notes[i]);
    }
}

static void write_curtain(FILE *stream, const docs_results *results)
{
    const bench_report *report = docs_report(results, "bd-curtain");
    fputs("| the curtain, all frames | the paper | here |\n|---|--:|--:|\n", stream);
    put_claim(stream, report, "layered spheres' time over ours", "vs_layered_1x", "2,250");
    put_claim(stream, report, "the same, mesh four times as fine", "vs_layered_4x", "-");
    put_claim(stream, report, "the same, 16 times as fine", "vs_layered_16x", "-");
    put_claim(stream, report, "layered spheres merged many at once, time over ours",
              "vs_layered_wide_1x", "-");
    put_claim(stream, report, "the same, 16 times as fine", "vs_layered_wide_16x", "-");
    put_claim(stream, report, "the ball pushing the curtain: layered spheres' time over ours",
              "vs_layered_pushed_1x", "-");
    put_claim(stream, report, "the same, mesh four times as fine", "vs_layered_pushed_4x", "-");
    put_claim(stream, report, "the same, 16 times as fine", "vs_layered_pushed_16x", "-");
    put_claim(stream, report, "sphere tests, BD-Tree over layered", "tests_bd_over_layered",
              "3,890 / 2,150 = 1.81");
    put_claim(stream, report, "radius of a BD sphere over that at rest, mean",
              "bd_over_rest_radius", "1.51");
    put_claim(stream, report, "radius of a BD sphere over the layered one, mean",
              "bd_over_layered_radius", "-");
    put_claim(stream, report, "the paper's method in plain C over ours", "vs_bd_tree_1x", "-");
}

/* What each method took for one of the two motions; `ending` is what its rows' names end with. */
static void write_motion(FILE *stream, const bench_report *report, const char *title,
                         const char *ending)
{
    static const char *const methods[] = {"layered spheres",  "layered spheres, many at once",
                                          "BD-Tree, plain C", "boxes, bottom-up",
                                          "ours, auto",       "ours, boxes",
                                          "ours, spheres",    "ours, auto, coherent"};
    static const char *const sizes[] = {"1x", "4x", "16x"};
    fprintf(stream,
            "| %s, all frames, ms | 1x | 4x | 16x | over ours, 1x | 4x | 16x | tests, 1x |\n"
            "|---|--:|--:|--:|--:|--:|--:|--:|\n",
            title);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        char name[64];
        fprintf(stream, "| %s |", methods[m]);
        for (int k = 0; k < 6; k++) {
            snprintf(name, sizeof name, "%s%s: %s", sizes[k % 3], ending, methods[m]);
            put_number(stream, cell(report, name, k < 3 ? "total_ms" : "over_ours"));
        }
        snprintf(name, sizeof name, "1x%s: %s", ending, methods[m]);
        put_count(stream, cell(report, name, "tests"));
        fputc('\n', stream);
    }
}

static void write_curtain_methods(FILE *stream, const docs_results *results)
{
    const bench_report *report = docs_report(results, "bd-curtain");
    write_motion(stream, report, "the paper's motion", "");
    fputc('\n', stream);
    write_motion(stream, report, "pushed", ", pushed");
    write_notes(stream, report);
}

static void write_bridge(FILE *stream, const docs_results *results)
{
    const bench_report *report = docs_report(results, "bd-bridge");
    fputs("| radius over undeformed wrapped | the paper | here |\n|---|--:|--:|\n", stream);
    put_claim(stream, report, "layered, undeformed, mean", "layered_mean_rest", "1.31");
    put_claim(stream, report, "layered, undeformed, largest", "layered_max_rest", "1.77");
    put_claim(stream, report, "layered, deformed, mean", "layered_mean_radius", "1.31");
    put_claim(stream, report, "layered, deformed, largest", "layered_max_radius", "1.79");
    put_claim(stream, report, "bounded, deformed, mean", "bd_mean_radius", "1.25");
    put_claim(stream, report, "bounded, deformed, largest", "bd_max_radius", "1.56");
}

static void write_bridge_levels(FILE *stream, const docs_results *results)
{
    static const char *const keys[] = {"layered_rest", "layered", "layered_max",
                                       "bd",           "bd_max",  "bd_about_mean"};
    const bench_report *report = docs_report(results, "bd-bridge");
    fputs("| level | spheres | triangles | layered, undeformed | layered | largest | bounded | "
          "largest | bounded, about the mean |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
          stream);
    for (int level = 1; level < 8; level++) {
        char name[16];
        snprintf(name, sizeof name, "level %d", level);
        if (!isfinite(cell(report, name, "spheres"))) {
            break;
        }
        fprintf(stream, "| %d |", level);
        put_count(stream, cell(report, name, "spheres"));
        put_count(stream, cell(report, name, "triangles"));
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            put_number(stream, cell(report, name, keys[k]));
        }
        fputc('\n', stream);
    }
    write_notes(stream, report);
}

static void write_fish(FILE *stream, const docs_results *results)
{
    static const char name[] = "fish on the bridge";
    const bench_report *report = docs_report(results, "bd-bridge");
    fputs("| fish | steps | contacts a step | a step, ms | library, MiB | process, MiB |\n"
          "|--:|--:|--:|--:|--:|--:|\n|",
          stream);
    put_count(stream, cell(report, name, "fish"));
    put_count(stream, cell(report, name, "steps"));
    put_count(stream, cell(report, name, "contacts"));
    put_number(stream, cell(report, name, "step_ms"));
    put_number(stream, cell(report, name, "library_mib"));
    put_number(stream, cell(report, name, "process_mib"));
    fputc('\n', stream);
}

static void write_chairs(FILE *stream, const docs_results *results)
{
    const bench_report *report = docs_report(results, "bd-chairs");
    fputs("| 3,601 chairs | the paper | here |\n|---|--:|--:|\n", stream);
    put_claim(stream, report, "a step of deforming chairs over one of rigid ones",
              "deforming_over_rigid", "2.1 s / 1.1 s = 1.91");
    put_claim(stream, report, "rigid chairs with redundant updates over rigid ones",
              "redundant_over_rigid", "10.9 h / 7.5 h = 1.45");
    put_claim(stream, report, "layered update of all chairs over our whole step",
              "layered_update_over_step", "3,601 x 55 ms / 2.1 s = 94.3");
    put_claim(stream, report, "one sphere from 10 modes, ns", "ns_per_bound", "750");
    put_claim(stream, report, "memory of a chair that touches nobody, bytes", "bytes_per_idle_body",
              "-");
}

static void write_chair_steps(FILE *stream, const docs_results *results)
{
    static const char *const methods[] = {"deforming", "rigid", "rigid, updated all the same"};
    static const char *const paper[] = {"2,100 ms, 64,000, 30,000", "1,100 ms, 44,000, 41,000",
                                        "-"};
    const bench_report *report = docs_report(results, "bd-chairs");
    fputs("| | steps | a step, ms | contacts a step | contacts a second | the paper |\n"
          "|---|--:|--:|--:|--:|--:|\n",
          stream);
    for (int i = 0; i < 3; i++) {
        fprintf(stream, "| %s |", methods[i]);
        put_count(stream, cell(report, methods[i], "steps"));
        put_number(stream, cell(report, methods[i], "step_ms"));
        put_count(stream, cell(report, methods[i], "contacts"));
        put_count(stream, cell(report, methods[i], "contacts_per_s"));
        fprintf(stream, " %s |\n", paper[i]);
    }
    write_notes(stream, report);
}

static void write_bounds(FILE *stream, const docs_results *results)
{
    static const char *const kinds[] = {"a sphere", "a box", "an affine box"};
    const bench_report *report = docs_report(results, "bd-chairs");
    fputs("| bound | ns |\n|---|--:|\n", stream);
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "bound: %s", kinds[i]);
        fprintf(stream, "| %s |", kinds[i]);
        put_number(stream, cell(report, name, "ns"));
        fputc('\n', stream);
    }
}

static void write_decay(FILE *stream, const docs_results *results)
{
    const bench_report *report = docs_report(results, "bd-chairs");
    fputs("| level | spheres | the paper | here |\n|--:|--:|--:|--:|\n", stream);
    for (int level = 0; level < 19; level++) {
        char name[32];
        snprintf(name, sizeof name, "|dR| of level %d", level);
        if (!isfinite(cell(report, name, "growth"))) {
            break;
        }
        fprintf(stream, "| %d |", level);
        put_count(stream, cell(report, name, "spheres"));
        put_number(stream, cell(report, name, "paper"));
        put_number(stream, cell(report, name, "growth"));
        fputc('\n', stream);
    }
}

static void write_crowd(FILE *stream, const docs_results *results)
{
    static const char *const methods[] = {"evaluate all, refit", "ours, auto", "ours, boxes",
                                          "ours, spheres", "ours, auto, coherent"};
    static const char *const variants[] = {"dense", "sparse"};
    const bench_report *report = docs_report(results, "bd-crowd");
    fputs("| a step, ms | dense | over ours | sparse | over ours |\n|---|--:|--:|--:|--:|\n",
          stream);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        fprintf(stream, "| %s |", methods[m]);
        for (int v = 0; v < 2; v++) {
            char name[64];
            snprintf(name, sizeof name, "%s: %s", variants[v], methods[m]);
            put_number(stream, cell(report, name, "total_ms"));
            put_number(stream, cell(report, name, "over_ours"));
        }
        fputc('\n', stream);
    }
    write_notes(stream, report);
}

const docs_block docs_james_blocks[] = {
    {file, "machine", docs_write_machine},
    {file, "curtain", write_curtain},
    {file, "curtain-methods", write_curtain_methods},
    {file, "bridge", write_bridge},
    {file, "bridge-levels", write_bridge_levels},
    {file, "fish", write_fish},
    {file, "chairs", write_chairs},
    {file, "chair-steps", write_chair_steps},
    {file, "bounds", write_bounds},
    {file, "decay", write_decay},
    {file, "crowd", write_crowd},
};
const unsigned docs_james_block_count = sizeof docs_james_blocks / sizeof docs_james_blocks[0];
