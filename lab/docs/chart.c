#include "chart.h"

#include <math.h>
#include <string.h>

#include "tool/text/markup.h"

/* Sizes in pixels. */
#define WIDTH  920.0
#define HEIGHT 560.0
#define TOP    136.0
#define BOTTOM 440.0
#define INK    "#1b1f24"
#define PALE   "#57606a"
#define RULE   "#d5dae0"

/* `anchor` is start, middle or end. */
static void write_text(FILE *stream, double x, double y, const char *anchor, const char *attributes,
                       const char *text)
{
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>", x, y, anchor, attributes);
    markup_text(stream, text);
    fputs("</text>\n", stream);
}

static void write_rule(FILE *stream, double x1, double y1, double x2, double y2,
                       const char *attributes)
{
    fprintf(stream, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
            attributes);
}

static double place_step(const chart *picture, const chart_panel *panel, double step)
{
    return panel->left + (panel->right - panel->left) * step / picture->last_step;
}

static double place_time(const chart_panel *panel, double time)
{
    double share = (log10(time) - panel->lowest) / (panel->highest - panel->lowest);
    return BOTTOM - (BOTTOM - TOP) * fmin(fmax(share, 0.0), 1.0);
}

static void write_marker(FILE *stream, const chart_style *style, double x, double y, double scale,
                         bool hollow)
{
    static const struct {
        char marker;
        const char *path;
    } shapes[] = {
        {'d', "M0,-5.5L5.5,0L0,5.5L-5.5,0Z"},
        {'s', "M-4,-4H4V4H-4Z"},
        {'t', "M0,-5.2L5.2,4.2H-5.2Z"},
        {'c', "M-4.5,0A4.5,4.5 0 1 0 4.5,0A4.5,4.5 0 1 0 -4.5,0Z"},
        {'x', "M-4,-4L4,4M-4,4L4,-4"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (shapes[i].marker == style->marker) {
            const char *ring = hollow || style->marker == 'x' ? style->colour : "#ffffff";
            fprintf(stream,
                    "<path transform=\"translate(%.1f %.1f) scale(%.2g)\" d=\"%s\" fill=\"%s\" "
                    "stroke=\"%s\" "
                    "stroke-width=\"%s\"/>\n",
                    x, y, scale, shapes[i].path, hollow ? "#ffffff" : style->colour, ring,
                    hollow || style->marker == 'x' ? "2" : "1");
        }
    }
}

static void write_polyline(FILE *stream, const chart *picture, const chart_panel *panel,
                           const chart_line *line)
{
    fprintf(stream,
            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\" "
            "points=\"",
            line->style->colour);
    for (uint64_t i = 0; i < line->count; i++) {
        fprintf(stream, "%s%.1f,%.1f", i > 0 ? " " : "", place_step(picture, panel, line->steps[i]),
                place_time(panel, line->times[i]));
    }
    fputs("\"/>\n", stream);
}

/* A marker about every tenth of the run, each line's a little later than the one before. */
static void write_line(FILE *stream, const chart *picture, const chart_panel *panel, uint32_t which)
{
    const chart_line *line = &panel->lines[which];
    bool scattered = line->style->scattered;
    bool sparse = line->count > 20 && !scattered;
    uint64_t every = sparse ? line->count / 10 : 1;
    uint64_t first = sparse ? every * (which + 1) / (panel->line_count + 1) : 0;
    if (!scattered) {
        write_polyline(stream, picture, panel, line);
    }
    for (uint64_t i = first; i < line->count; i += every) {
        write_marker(stream, line->style, place_step(picture, panel, line->steps[i]),
                     place_time(panel, line->times[i]), scattered ? 0.6 : 1.0, false);
    }
}

static void write_time_axis(FILE *stream, const chart *picture, const chart_panel *panel)
{
    write_rule(stream, panel->left, TOP, panel->left, BOTTOM, "stroke=\"" PALE "\"");
    for (int power = (int)floor(panel->lowest); power <= panel->highest; power++) {
        for (int part = 1; part < 10; part++) {
            double time = part * pow(10.0, power);
            if (log10(time) < panel->lowest - 1e-9 || log10(time) > panel->highest + 1e-9) {
                continue;
            }
            double y = place_time(panel, time);
            if (part > 1) {
                write_rule(stream, panel->left - 4, y, panel->left, y, "stroke=\"" RULE "\"");
                continue;
            }
            char label[32];
            snprintf(label, sizeof label, "%.*f", power < 0 ? -power : 0, time);
            write_rule(stream, panel->left, y, panel->right, y, "stroke=\"" RULE "\"");
            write_text(stream, panel->left - 8, y + 4, "end", "font-size=\"12\" fill=\"" PALE "\"",
                       label);
        }
    }
    fprintf(stream,
            "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\" "
            "font-size=\"12\" fill=\"" PALE "\">%s</text>\n",
            panel->left - 52, 0.5 * (TOP + BOTTOM),
            picture->time_title != NULL ? picture->time_title : "ms per step");
}

static void write_step_axis(FILE *stream, const chart *picture, const chart_panel *panel)
{
    write_rule(stream, panel->left, BOTTOM, panel->right, BOTTOM, "stroke=\"" PALE "\"");
    for (int i = 0; i <= 4; i++) {
        double step = picture->last_step * i / 4;
        double x = place_step(picture, panel, step);
        char label[32];
        snprintf(label, sizeof label, "%.0f", step);
        write_rule(stream, x, BOTTOM, x, BOTTOM + 5, "stroke=\"" PALE "\"");
        write_text(stream, x, BOTTOM + 20, "middle", "font-size=\"12\" fill=\"" PALE "\"", label);
    }
    write_text(stream, 0.5 * (panel->left + panel->right), BOTTOM + 38, "middle",
               "font-size=\"12\" fill=\"" PALE "\"",
               picture->step_title != NULL ? picture->step_title : "step");
}

static void write_marked_step(FILE *stream, const chart *picture, const chart_panel *panel)
{
    if (panel->marked_step > 0) {
        double x = place_step(picture, panel, panel->marked_step);
        write_rule(stream, x, TOP, x, BOTTOM, "stroke=\"" PALE "\" stroke-dasharray=\"2 4\"");
        write_text(stream, x + 6, panel->text_at_top ? TOP + 14 : BOTTOM - 9, "start",
                   "font-size=\"12\" font-style=\"italic\" fill=\"" PALE "\"", panel->marked_text);
    }
}

static void write_panel(FILE *stream, const chart *picture, const chart_panel *panel)
{
    write_text(stream, panel->left, TOP - 12, "start",
               "font-size=\"13\" font-weight=\"600\" fill=\"" INK "\"", panel->title);
    write_time_axis(stream, picture, panel);
    write_step_axis(stream, picture, panel);
    write_marked_step(stream, picture, panel);
    for (uint32_t i = 0; i < panel->line_count; i++) {
        write_line(stream, picture, panel, i);
    }
    for (uint32_t i = 0; i < panel->point_count; i++) {
        const chart_point *point = &panel->points[i];
        double x = place_step(picture, panel, point->step), y = place_time(panel, point->time);
        write_marker(stream, point->style, x, y, 1.0, true);
        write_text(stream, point->text_at_right ? x + 4 : x - 10,
                   point->text_at_right ? y - 12 : y + 4, point->text_at_right ? "start" : "end",
                   "font-size=\"12\" fill=\"" INK "\" stroke=\"#ffffff\" stroke-width=\"4\" "
                   "paint-order=\"stroke\"",
                   point->text);
    }
}

/* One entry per line of the first panel, in a row. */
static void write_legend(FILE *stream, const chart_panel *panel)
{
    double x = panel->left;
    for (uint32_t i = 0; i < panel->line_count; i++) {
        const chart_style *style = panel->lines[i].style;
        if (!style->scattered) {
            char attributes[64];
            snprintf(attributes, sizeof attributes, "stroke=\"%s\" stroke-width=\"2\"",
                     style->colour);
            write_rule(stream, x, 88, x + 30, 88, attributes);
        }
        write_marker(stream, style, x + 15, 88, 1.0, false);
        write_text(stream, x + 37, 92, "start", "font-size=\"13\" fill=\"" INK "\"", style->name);
        x += 37 + 7.2 * (double)strlen(style->name) + 22;
    }
}

/* The logarithm of the next 1, 2 or 5 times a power of ten at or above a time. */
static double round_up(double time)
{
    double base = pow(10.0, floor(log10(time)));
    double part = time / base;
    return log10(base * (part <= 1.0 ? 1.0 : part <= 2.0 ? 2.0 : part <= 5.0 ? 5.0 : 10.0));
}

/* The range that holds everything in a panel. */
static void find_range(chart_panel *panel)
{
    double lowest = (double)INFINITY, highest = 0.0;
    for (uint32_t k = 0; k < panel->line_count; k++) {
        for (uint64_t i = 0; i < panel->lines[k].count; i++) {
            lowest = fmin(lowest, panel->lines[k].times[i]);
            highest = fmax(highest, panel->lines[k].times[i]);
        }
    }
    for (uint32_t i = 0; i < panel->point_count; i++) {
        lowest = fmin(lowest, panel->points[i].time);
        highest = fmax(highest, panel->points[i].time);
    }
    bool known = lowest > 0 && isfinite(lowest);
    panel->lowest = known ? -round_up(1.2 / lowest) : -1.0;
    panel->highest = known ? round_up(1.2 * highest) : 1.0;
}

/* Equal ratios over the axes of all panels: equal distances are then equal ratios. */
static void align_ranges(chart *picture)
{
    double span = 0.0;
    for (uint32_t i = 0; i < picture->panel_count; i++) {
        find_range(&picture->panels[i]);
        span = fmax(span, picture->panels[i].highest - picture->panels[i].lowest);
    }
    for (uint32_t i = 0; i < picture->panel_count; i++) {
        picture->panels[i].lowest = picture->panels[i].highest - span;
    }
}

void chart_write(FILE *stream, chart *picture)
{
    align_ranges(picture);
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" role=\"img\" font-family=\"system-ui, 'Segoe UI', Helvetica, Arial, "
            "sans-serif\">\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    markup_text(stream, picture->title);
    fprintf(stream,
            "</title>\n<rect x=\"0.5\" y=\"0.5\" width=\"%.0f\" height=\"%.0f\" rx=\"8\" "
            "fill=\"#ffffff\" stroke=\"" RULE "\"/>\n",
            WIDTH - 1, HEIGHT - 1);
    write_text(stream, 24, 34, "start", "font-size=\"18\" font-weight=\"600\" fill=\"" INK "\"",
               picture->title);
    write_text(stream, 24, 56, "start", "font-size=\"13\" fill=\"" PALE "\"", picture->subtitle);
    write_legend(stream, &picture->panels[0]);
    for (uint32_t i = 0; i < picture->panel_count; i++) {
        write_panel(stream, picture, &picture->panels[i]);
    }
    for (uint32_t i = 0; i < picture->note_count; i++) {
        write_text(stream, 24, 506 + 18.0 * i, "start", "font-size=\"12\" fill=\"" PALE "\"",
                   picture->notes[i]);
    }
    fputs("</svg>\n", stream);
}
