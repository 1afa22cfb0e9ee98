#include "docs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/harness/machine.h"

enum { MAX_PATH = 4096 };

FILE *docs_open(const char *folder, const char *name, const char *mode)
{
    char path[MAX_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (file == NULL) {
        fprintf(stderr, "pliant_bench_docs: cannot open %s: %s\n", path, strerror(errno));
    }
    return file;
}

bool docs_close(FILE *file, const char *folder, const char *name)
{
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        fprintf(stderr, "pliant_bench_docs: cannot read or write %s/%s\n", folder, name);
        return false;
    }
    return true;
}

/* The whole file as a string that the caller frees; NULL, and a line, on failure. */
static char *read_text(const char *folder, const char *name)
{
    FILE *file = docs_open(folder, name, "r");
    if (file == NULL) {
        return NULL;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    for (int c = 0; memory != NULL && (c = getc(file)) != EOF;) {
        putc(c, memory);
    }
    bool done = docs_close(file, folder, name) && memory != NULL;
    if (memory != NULL && fclose(memory) != 0) {
        done = false;
    }
    if (!done) {
        free(text);
        return NULL;
    }
    return text;
}

/* Where the block's content begins and ends in a text; false if it is not marked. */
static bool find_block(const char *text, const char *name, const char **begin, const char **end)
{
    char mark[128];
    snprintf(mark, sizeof mark, "<!-- begin %s -->\n", name);
    const char *opening = strstr(text, mark);
    if (opening == NULL) {
        return false;
    }
    *begin = opening + strlen(mark);
    snprintf(mark, sizeof mark, "<!-- end %s -->\n", name);
    *end = strstr(*begin, mark);
    return *end != NULL;
}

bool docs_check(const char *folder, const docs_block *block)
{
    char *text = read_text(folder, block->file);
    const char *begin = NULL, *end = NULL;
    bool found = text != NULL && find_block(text, block->name, &begin, &end);
    if (text != NULL && !found) {
        fprintf(stderr,
                "pliant_bench_docs: %s/%s has no lines <!-- begin %s --> and <!-- end -->\n",
                folder, block->file, block->name);
    }
    free(text);
    return found;
}

bool docs_fill(const char *folder, const docs_block *block, const docs_results *results)
{
    char *text = read_text(folder, block->file);
    const char *begin = NULL, *end = NULL;
    if (text == NULL || !find_block(text, block->name, &begin, &end)) {
        free(text);
        return false;
    }
    FILE *file = docs_open(folder, block->file, "w");
    if (file != NULL) {
        fwrite(text, 1, (size_t)(begin - text), file);
        fputc('\n', file);
        block->write(file, results);
        fputc('\n', file);
        fputs(end, file);
    }
    free(text);
    return file != NULL && docs_close(file, folder, block->file);
}

const bench_report *docs_report(const docs_results *results, const char *experiment)
{
    uint32_t i = 0;
    while (strcmp(bench_experiments[i]->name, experiment) != 0) {
        i++;
    }
    return &results->reports[i];
}

double docs_ratio(const bench_report *report, const char *key)
{
    const bench_ratio *ratio = report_find_ratio(report, key);
    return ratio != NULL ? ratio->value : (double)NAN;
}

static bool cell_is(const bench_row *row, const char *key, double value)
{
    const bench_cell *cell = report_find_cell(row, key);
    return cell != NULL && cell->value == value;
}

double docs_cell(const bench_report *report, const char *method, double triangles, bool first_only,
                 const char *key)
{
    for (uint32_t i = 0; i < report->row_count; i++) {
        const bench_row *row = &report->rows[i];
        const bench_cell *cell = report_find_cell(row, key);
        if (strcmp(row->method, method) == 0 && cell_is(row, "triangles", triangles) &&
            cell_is(row, "first_only", first_only ? 1 : 0) && cell != NULL) {
            return cell->value;
        }
    }
    return (double)NAN;
}

void docs_number(FILE *stream, double value)
{
    if (!isfinite(value)) {
        fputs("-", stream);
        return;
    }
    int decimals = 2;
    for (double limit = 1.0; decimals < 5 && fabs(value) < limit; limit *= 0.1) {
        decimals++;
    }
    decimals = fabs(value) >= 100.0 ? 0 : fabs(value) >= 10.0 ? 1 : decimals;
    fprintf(stream, "%.*f", decimals, value);
}

void docs_count(FILE *stream, double value)
{
    if (!isfinite(value)) {
        fputs("-", stream);
    } else if (value >= 1000.0) {
        docs_count(stream, floor(value / 1000.0));
        fprintf(stream, ",%03.0f", fmod(value, 1000.0));
    } else {
        fprintf(stream, "%.0f", value);
    }
}

void docs_write_machine(FILE *stream, const docs_results *results)
{
    bench_machine machine = bench_machine_describe(results->settings->isa);
    fprintf(stream,
            "Measured by `make bench` with Pliant %s on: %s, %u cores, %s, %s; instruction set %s; "
            "one thread.\n",
            PLIANT_VERSION_TEXT, machine.cpu, machine.cores, machine.system, machine.compiler,
            pliant_isa_get_name(machine.isa));
    if (results->settings->length == BENCH_QUICK) {
        fputs(
            "**A quick run, for trying out the program that writes these pages: do not quote.**\n",
            stream);
    }
}
