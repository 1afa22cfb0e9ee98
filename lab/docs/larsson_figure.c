/*
 * Figure 3 of Larsson & Akenine-Moller 2001: time per step for (a) all pairs and (b) the first
 * pair. The paper prints its curves as a picture only. What its text and its table 1 give is drawn
 * beside ours, as single points; no curve is invented.
 */
#include "chart.h"
#include "docs.h"

#include <sys/stat.h>

static const chart_style top_down = {"top-down", "#0072b2", 'd', false};
static const chart_style bottom_up = {"bottom-up", "#009e73", 's', false};
static const chart_style hybrid = {"hybrid", "#d55e00", 'c', false};
static const chart_style rival = {"van den Bergen 1997", "#333333", 't', false};
static const chart_style remembered = {"auto, witness memory", "#aa4499", 'x', true};

typedef struct curve {
    const chart_style *style;
    const char *series;
} curve;

static void add_curves(chart_panel *panel, const bench_report *report, const curve *curves,
                       uint32_t count)
{
    const bench_series *steps = report_find_series(report, "step");
    for (uint32_t i = 0; i < count; i++) {
        const bench_series *times = report_find_series(report, curves[i].series);
        if (steps != NULL && times != NULL && panel->line_count < CHART_MAX_LINES) {
            panel->lines[panel->line_count++] = (chart_line){
                .style = curves[i].style,
                .steps = steps->values,
                .times = times->values,
                .count = times->count,
            };
        }
    }
}

/* Marks the first step with a pair. */
static void mark_first_contact(chart_panel *panel, const bench_report *report)
{
    const bench_series *steps = report_find_series(report, "step");
    const bench_series *pairs = report_find_series(report, "pairs");
    for (uint64_t i = 0; steps != NULL && pairs != NULL && i < pairs->count; i++) {
        if (pairs->values[i] > 0) {
            panel->marked_step = steps->values[i];
            panel->marked_text = "first contact";
            return;
        }
    }
}

static void draw_all_pairs(FILE *stream, const bench_report *report)
{
    static const curve curves[] = {
        {&rival, "all pairs, van den Bergen, ms"},
        {&bottom_up, "all pairs, ours, bottom-up, ms"},
        {&top_down, "all pairs, ours, top-down, ms"},
        {&hybrid, "all pairs, ours, hybrid, ms"},
    };
    chart picture = {
        .title = "Two bumpy spheres of 20,480 triangles, all pairs",
        .subtitle = "Larsson & Akenine-Möller 2001, figure 3a. One thread; equal heights are equal "
                    "ratios.",
        .last_step = 200,
        .panels = {{.title = "Here", .left = 84, .right = 540},
                   {.title = "The paper, 550 MHz Pentium III",
                    .left = 644,
                    .right = 892,
                    .points = {{&rival, 200, 500, "about 500 ms", false},
                               {&hybrid, 200, 98, "98 ms, table 1", false},
                               {&hybrid, 60, 20, "20 ms", false}},
                    .point_count = 3,
                    .marked_step = 60,
                    .marked_text = "first contact"}},
        .panel_count = 2,
        .notes =
            {"The paper's curves exist as a picture only. Hollow marks are all that its text and "
             "table 1 tell: van den Bergen's",
             "method takes about 0.5 s at step 200, hybrid update about five times less, and 20 "
             "ms at the first contact, step 60."},
        .note_count = 2,
    };
    add_curves(&picture.panels[0], report, curves, 4);
    mark_first_contact(&picture.panels[0], report);
    chart_write(stream, &picture);
}

static void draw_first_pair(FILE *stream, const bench_report *report)
{
    static const curve curves[] = {
        {&rival, "first pair, van den Bergen, ms"},
        {&bottom_up, "first pair, ours, bottom-up, no memory, ms"},
        {&top_down, "first pair, ours, top-down, no memory, ms"},
        {&hybrid, "first pair, ours, hybrid, no memory, ms"},
        {&remembered, "first pair, ours, auto, witness memory, ms"},
    };
    chart picture = {
        .title = "Two bumpy spheres of 20,480 triangles, first pair",
        .subtitle =
            "Larsson & Akenine-Möller 2001, figure 3b. One thread; lines ask through a fresh "
            "query in every step.",
        .last_step = 200,
        .panels = {{.title = "Here", .left = 84, .right = 892, .text_at_top = true}},
        .panel_count = 1,
        .notes = {"Crosses, one per step: one query is kept and remembers the last pair, which is "
                  "ours and not in the paper.",
                  "The paper's curves exist as a picture only, whose axis ends at 0.2 s. Its text "
                  "says that hybrid update does best in simple",
                  "and hard cases alike, and is about five times faster than van den Bergen's "
                  "method; it gives no times for this figure."},
        .note_count = 3,
    };
    add_curves(&picture.panels[0], report, curves, 5);
    mark_first_contact(&picture.panels[0], report);
    chart_write(stream, &picture);
}

static bool draw(const char *folder, const char *name, const bench_report *report,
                 void (*drawing)(FILE *stream, const bench_report *report))
{
    FILE *file = docs_open(folder, name, "w");
    if (file == NULL) {
        return false;
    }
    drawing(file, report);
    return docs_close(file, folder, name);
}

bool docs_draw_larsson_figures(const char *folder, const docs_results *results)
{
    const bench_report *report = docs_report(results, "larsson-1");
    char images[4096];
    snprintf(images, sizeof images, "%s/images", folder);
    mkdir(images, 0777); /* it may be there; if it cannot be made, opening a file in it tells */
    return draw(folder, "images/larsson-figure-3a.svg", report, draw_all_pairs) &&
           draw(folder, "images/larsson-figure-3b.svg", report, draw_first_pair);
}
