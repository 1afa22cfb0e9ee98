/* Curves over the steps of a run, or over levels of a tree, on a logarithmic axis, as SVG. */
#ifndef LAB_DOCS_CHART_H
#define LAB_DOCS_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* How a method is drawn. Colour and marker both tell methods apart. */
typedef struct chart_style {
    const char *name; /* in the legend */
    const char *colour;
    char marker;    /* 'd'iamond, 's'quare, 'c'ircle, 't'riangle, 'x' */
    bool scattered; /* a small marker at every step and no line, for times that jump */
} chart_style;

/* A curve through all steps. */
typedef struct chart_line {
    const chart_style *style;
    const double *steps, *times;
    uint64_t count;
} chart_line;

/* A single known value. */
typedef struct chart_point {
    const chart_style *style;
    double step, time;
    const char *text;   /* written to its left */
    bool text_at_right; /* and a little above, where curves begin */
} chart_point;

enum { CHART_MAX_LINES = 8, CHART_MAX_POINTS = 8, CHART_MAX_PANELS = 2, CHART_MAX_NOTES = 4 };

typedef struct chart_panel {
    const char *title;
    chart_line lines[CHART_MAX_LINES];
    uint32_t line_count;
    chart_point points[CHART_MAX_POINTS];
    uint32_t point_count;
    double marked_step; /* a vertical line; 0: none */
    const char *marked_text;
    bool text_at_top;       /* that text; otherwise at the bottom */
    double left, right;     /* in the picture */
    double lowest, highest; /* logarithms of the axis' ends; filled in by chart_write() */
} chart_panel;

typedef struct chart {
    const char *title, *subtitle;
    double last_step;
    const char *step_title, *time_title;  /* NULL: "step" and "ms per step" */
    chart_panel panels[CHART_MAX_PANELS]; /* on axes of time of equal ratio */
    uint32_t panel_count;
    const char *notes[CHART_MAX_NOTES]; /* lines below */
    uint32_t note_count;
} chart;

void chart_write(FILE *stream, chart *picture);

#endif
