#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool report_fail(bench_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->error, sizeof report->error, format, arguments);
    va_end(arguments);
    return false;
}

/* Whether there is room for one more; if not, the experiment fails with a sentence. */
static bool has_room(bench_report *report, uint32_t count, uint32_t most, const char *what)
{
    return count < most ||
           report_fail(report, "more than %u %s: the report has no room", most, what);
}

bench_row *report_row(bench_report *report, const char *format, ...)
{
    bench_row *row = &report->beyond;
    if (has_room(report, report->row_count, BENCH_MAX_ROWS, "rows")) {
        row = &report->rows[report->row_count++];
    }
    *row = (bench_row){.report = report};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->method, sizeof row->method, format, arguments);
    va_end(arguments);
    return row;
}

void report_cell(bench_row *row, const char *key, double value, int decimals)
{
    if (has_room(row->report, row->cell_count, BENCH_MAX_CELLS, "cells in a row")) {
        row->cells[row->cell_count++] = (bench_cell){key, value, decimals};
    }
}

const bench_contestant *report_find_contest(const bench_report *report, const char *contest)
{
    for (uint32_t i = 0; i < report->contestant_count; i++) {
        if (strcmp(report->contestants[i].contest, contest) == 0) {
            return &report->contestants[i];
        }
    }
    return NULL;
}

static void add_contestant(bench_report *report, const bench_contestant *new)
{
    for (uint32_t i = 0; i < report->contestant_count; i++) {
        const bench_contestant *old = &report->contestants[i];
        if (strcmp(old->contest, new->contest) == 0 &&
            (old->plays != new->plays || old->steps != new->steps ||
             old->states_per_second != new->states_per_second)) {
            report_fail(report, "%s: %s and %s are not measured alike", new->contest, old->name,
                        new->name);
        } else if (strcmp(old->contest, new->contest) == 0 && strcmp(old->name, new->name) == 0) {
            return;
        }
    }
    if (has_room(report, report->contestant_count, BENCH_MAX_CONTESTANTS, "contestants")) {
        report->contestants[report->contestant_count++] = *new;
    }
}

void report_contest(bench_report *report, const bench_terms *terms)
{
    bench_contestant one = {.plays = terms->plays,
                            .steps = terms->steps,
                            .states_per_second = terms->states_per_second};
    snprintf(one.contest, sizeof one.contest, "%s", terms->title);
    memcpy(report->contest, one.contest, sizeof one.contest);
    for (uint32_t i = 0; i < terms->count; i++) {
        if (terms->names[i] != NULL) {
            snprintf(one.name, sizeof one.name, "%s", terms->names[i]);
            add_contestant(report, &one);
        }
    }
}

void report_ratio(bench_report *report, const char *key, double value, double paper,
                  const char *meaning)
{
    if (!has_room(report, report->ratio_count, BENCH_MAX_RATIOS, "ratios")) {
        return;
    }
    bench_ratio *ratio = &report->ratios[report->ratio_count++];
    *ratio = (bench_ratio){.value = value, .paper = paper, .meaning = meaning};
    snprintf(ratio->key, sizeof ratio->key, "%s", key);
    memcpy(ratio->contest, report->contest, sizeof ratio->contest);
}

void report_note(bench_report *report, const char *format, ...)
{
    if (!has_room(report, report->note_count, BENCH_MAX_NOTES, "notes")) {
        return;
    }
    char *note = report->notes[report->note_count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note, sizeof report->notes[0], format, arguments);
    va_end(arguments);
}

bool report_series(bench_report *report, const char *name, const double *values, uint64_t count)
{
    if (!has_room(report, report->series_count, BENCH_MAX_SERIES, "series")) {
        return false;
    }
    double *copy = malloc((size_t)count * sizeof *copy);
    if (copy == NULL) {
        return report_fail(report, "not enough memory");
    }
    memcpy(copy, values, (size_t)count * sizeof *copy);
    bench_series *series = &report->series[report->series_count++];
    snprintf(series->name, sizeof series->name, "%s", name);
    series->values = copy;
    series->count = count;
    return true;
}

const bench_cell *report_find_cell(const bench_row *row, const char *key)
{
    for (uint32_t i = 0; i < row->cell_count; i++) {
        if (strcmp(row->cells[i].key, key) == 0) {
            return &row->cells[i];
        }
    }
    return NULL;
}

const bench_ratio *report_find_ratio(const bench_report *report, const char *key)
{
    for (uint32_t i = 0; i < report->ratio_count; i++) {
        if (strcmp(report->ratios[i].key, key) == 0) {
            return &report->ratios[i];
        }
    }
    return NULL;
}

void report_free(bench_report *report)
{
    for (uint32_t i = 0; i < report->series_count; i++) {
        free(report->series[i].values);
    }
    memset(report, 0, sizeof *report);
}
