/*
 * Figure 5 of Steinemann, Otaduy & Gross 2007: radius over the smallest radius, level by level. The
 * paper prints its curves as a picture only; the two numbers that its text gives are drawn as
 * single points.
 */
#include "chart.h"
#include "docs.h"

#include <sys/stat.h>

enum { MOST_LEVELS = 64, CURVES = 5 };
_Static_assert((int)CURVES <= (int)CHART_MAX_LINES, "room for the curves of a panel");

static const chart_style styles[CURVES] = {
    {"ours, 65 nodes", "#0072b2", 'c', false},    {"ours, 509", "#d55e00", 'd', false},
    {"all of W, 509", "#009e73", 's', false},     {"accumulation, 65", "#333333", 't', false},
    {"accumulation, 509", "#aa4499", 'x', false},
};
static const char *const series[2][CURVES] = {
    {"ours, 65 nodes, mean", "ours, 509 nodes, mean", "all of W, 509 nodes, mean",
     "accumulation, 65 nodes, mean", "accumulation, 509 nodes, mean"},
    {"ours, 65 nodes, max", "ours, 509 nodes, max", "all of W, 509 nodes, max",
     "accumulation, 65 nodes, max", "accumulation, 509 nodes, max"},
};
static const chart_style paper = {"the paper", "#1b1f24", 'c', false};

static void draw(FILE *stream, const bench_report *report)
{
    double levels[MOST_LEVELS];
    uint64_t most = 1;
    for (int i = 0; i < MOST_LEVELS; i++) {
        levels[i] = i + 1;
    }
    chart picture = {
        .title = "A pulled brain of 29,966 vertices: how much larger boxes are than they need be",
        .subtitle = "Steinemann, Otaduy & Gross 2007, figure 5. Radius (half a diagonal) over that "
                    "of the smallest box; the formula in leaves too.",
        .step_title = "level of a binary tree, the root being 1",
        .time_title = "radius over the smallest",
        .panels = {{.title = "Average over the run",
                    .left = 84,
                    .right = 440,
                    .points = {{&paper, 1, 1.5, "paper: 1.5 at the root", true}},
                    .point_count = 1},
                   {.title = "Maximum",
                    .left = 536,
                    .right = 892,
                    .points = {{&paper, 1, 2.5, "paper: 2.5 at the root", true}},
                    .point_count = 1}},
        .panel_count = 2,
        .notes = {"The paper's curves exist as a picture only. Its text says that the root is at "
                  "most 2.5 and on average 1.5 times the",
                  "smallest, and up to 68 times tighter than by accumulation with 509 nodes. The "
                  "leaves are single triangles."},
        .note_count = 2,
    };
    for (int panel = 0; panel < 2; panel++) {
        for (int i = 0; i < CURVES; i++) {
            const bench_series *found = report_find_series(report, series[panel][i]);
            if (found != NULL && found->count <= MOST_LEVELS) {
                chart_panel *at = &picture.panels[panel];
                at->lines[at->line_count++] = (chart_line){
                    .style = &styles[i],
                    .steps = levels,
                    .times = found->values,
                    .count = found->count,
                };
                most = found->count > most ? found->count : most;
            }
        }
    }
    most = (most + 3) / 4 * 4;
    picture.last_step = (double)most;
    chart_write(stream, &picture);
}

/* A line per level, a column per method, number of nodes and kind of mean. */
static void write_csv(FILE *stream, const bench_report *report)
{
    uint64_t levels = 0;
    fputs("level", stream);
    for (uint32_t i = 0; i < report->series_count; i++) {
        fprintf(stream, ",\"%s\"", report->series[i].name);
        levels = report->series[i].count > levels ? report->series[i].count : levels;
    }
    fputc('\n', stream);
    for (uint64_t level = 0; level < levels; level++) {
        fprintf(stream, "%d", (int)level + 1);
        for (uint32_t i = 0; i < report->series_count; i++) {
            if (level < report->series[i].count) {
                fprintf(stream, ",%.6g", report->series[i].values[level]);
            } else {
                fputc(',', stream);
            }
        }
        fputc('\n', stream);
    }
}

static bool write_file(const char *folder, const char *name, const bench_report *report,
                       void (*write)(FILE *stream, const bench_report *report))
{
    FILE *file = docs_open(folder, name, "w");
    if (file == NULL) {
        return false;
    }
    write(file, report);
    return docs_close(file, folder, name);
}

bool docs_draw_steinemann_figure(const char *folder, const docs_results *results)
{
    const bench_report *report = docs_report(results, "points-tightness");
    char images[4096];
    snprintf(images, sizeof images, "%s/images", folder);
    mkdir(images, 0777); /* it may be there; if it cannot be made, opening a file in it tells */
    return write_file(folder, "images/steinemann-figure-5.svg", report, draw) &&
           write_file(folder, "images/steinemann-figure-5.csv", report, write_csv);
}
