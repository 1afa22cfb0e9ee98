/* A results file back into reports. Strings of the reports stay where jansson put them. */
#include "results.h"

#include <stdlib.h>
#include <string.h>

#ifdef LAB_HAVE_JANSSON

#include <jansson.h>
#include <math.h>

#define SHOWN_DECIMALS 4 /* of figures that are no counts */

static bool fail(results_error *error, const char *path, const char *format, const char *what)
{
    size_t length = (size_t)snprintf(error->text, sizeof error->text, "%s ", path);
    if (length < sizeof error->text) {
        snprintf(error->text + length, sizeof error->text - length, format, what);
    }
    return false;
}

static void take_string(const json_t *object, const char *key, char *text, size_t capacity)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value)) {
        snprintf(text, capacity, "%s", json_string_value(value));
    } else if (json_is_integer(value)) {
        snprintf(text, capacity, "%lld", (long long)json_integer_value(value));
    }
}

static void read_origin(const json_t *root, results_origin *origin)
{
    const json_t *machine = json_object_get(root, "machine");
    take_string(root, "version", origin->version, sizeof origin->version);
    take_string(root, "commit", origin->commit, sizeof origin->commit);
    take_string(root, "date", origin->date, sizeof origin->date);
    take_string(root, "length", origin->length, sizeof origin->length);
    take_string(machine, "cpu", origin->cpu, sizeof origin->cpu);
    take_string(machine, "cores", origin->cores, sizeof origin->cores);
    take_string(machine, "threads", origin->threads, sizeof origin->threads);
    take_string(machine, "governor", origin->governor, sizeof origin->governor);
    take_string(machine, "system", origin->system, sizeof origin->system);
    take_string(machine, "compiler", origin->compiler, sizeof origin->compiler);
    take_string(machine, "flags", origin->flags, sizeof origin->flags);
    take_string(machine, "isa", origin->isa, sizeof origin->isa);
    take_string(machine, "libraries", origin->libraries, sizeof origin->libraries);
    take_string(machine, "renderer", origin->renderer, sizeof origin->renderer);
}

static bool is_figure(const json_t *value)
{
    return json_is_number(value) || json_is_null(value);
}

static double number_or_nan(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* A run's own value where the samples have one, else the median, which all runs then share. */
static double value_of_run(const json_t *samples, const char *key, const json_t *median,
                           uint32_t run)
{
    const json_t *list = json_object_get(samples, key);
    return number_or_nan(json_is_array(list) ? json_array_get(list, run) : median);
}

static bool read_row(const json_t *object, const json_t *samples, const json_t *units, uint32_t run,
                     bench_report *report)
{
    const json_t *method = json_object_get(object, "method");
    if (!json_is_string(method)) {
        return report_fail(report, "has a row without a method");
    }
    bench_row *row = report_row(report, "%s", json_string_value(method));
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (value == method) {
            continue;
        }
        if (!is_figure(value)) {
            return report_fail(report, "has a cell that is no number: %s", key);
        }
        const char *unit = json_string_value(json_object_get(units, key));
        bool is_count = unit != NULL && strcmp(unit, "count") == 0;
        report_cell(row, key, value_of_run(samples, key, value, run),
                    is_count ? 0 : SHOWN_DECIMALS);
    }
    return true;
}

static bool read_ratios(const json_t *object, const json_t *samples, uint32_t run,
                        bench_report *report)
{
    const json_t *paper = json_object_get(object, "paper");
    const json_t *meanings = json_object_get(object, "meanings");
    const json_t *made = json_object_get(object, "made");
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(object, "ratios"), key, value)
    {
        const char *meaning = json_string_value(json_object_get(meanings, key));
        if (!is_figure(value)) {
            return report_fail(report, "has a ratio that is no number: %s", key);
        }
        report_ratio(report, key, value_of_run(samples, key, value, run),
                     number_or_nan(json_object_get(paper, key)), meaning != NULL ? meaning : "");
        if (report->error[0] == '\0') {
            bench_ratio *ratio = &report->ratios[report->ratio_count - 1];
            ratio->contest[0] = '\0';
            take_string(made, key, ratio->contest, sizeof ratio->contest);
        }
    }
    return true;
}

static void read_contestants(const json_t *object, bench_report *report)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(object, "contestants"), i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        const char *contest = json_string_value(json_object_get(one, "contest"));
        double rate = number_or_nan(json_object_get(one, "states_per_second"));
        report_contest(report,
                       &(bench_terms){contest != NULL ? contest : "", &name, 1,
                                      (uint32_t)json_integer_value(json_object_get(one, "plays")),
                                      (uint32_t)json_integer_value(json_object_get(one, "steps")),
                                      isfinite(rate) ? rate : 0.0});
    }
}

static bool read_series(const json_t *object, bench_report *report)
{
    const char *key;
    json_t *list;
    json_object_foreach(json_object_get(object, "series"), key, list)
    {
        size_t count = json_array_size(list);
        double *values = malloc((count + 1) * sizeof *values);
        bool done = values != NULL;
        for (size_t i = 0; done && i < count; i++) {
            values[i] = number_or_nan(json_array_get(list, i));
        }
        done = done && report_series(report, key, values, count);
        free(values);
        if (!done) {
            return report->error[0] != '\0' || report_fail(report, "needs more memory");
        }
    }
    return true;
}

static void read_notes(const json_t *object, bench_report *report)
{
    size_t i;
    json_t *note;
    json_array_foreach(json_object_get(object, "notes"), i, note)
    {
        report_note(report, "%s", json_is_string(note) ? json_string_value(note) : "");
    }
}

static bool read_run(const json_t *object, uint32_t run, bool is_last, bench_report *report)
{
    const json_t *samples = json_object_get(object, "samples");
    const json_t *row_samples = json_object_get(samples, "rows");
    const json_t *rows = json_object_get(object, "rows");
    report->seed = (uint64_t)json_integer_value(json_object_get(object, "seed"));
    report->seconds = number_or_nan(json_object_get(object, "seconds"));
    bool done = json_is_array(rows) || report_fail(report, "has no rows");
    for (size_t i = 0; done && i < json_array_size(rows); i++) {
        done = read_row(json_array_get(rows, i), json_array_get(row_samples, i),
                        json_object_get(object, "units"), run, report);
    }
    read_contestants(object, report);
    done = done && read_ratios(object, json_object_get(samples, "ratios"), run, report);
    if (done && is_last) {
        done = read_series(object, report);
        read_notes(object, report);
    }
    return done && report->error[0] == '\0';
}

static bool read_experiment(const char *path, const json_t *object, bench_results *results,
                            results_error *error)
{
    const char *name = json_string_value(json_object_get(object, "name"));
    json_int_t runs = json_integer_value(json_object_get(object, "runs"));
    if (name == NULL || name[0] == '\0') {
        return fail(error, path, "has an experiment without %s", "a name");
    }
    if (runs < 1 || runs > RESULTS_MAX_RUNS) {
        return fail(error, path, "does not say how many runs %s had", name);
    }
    bench_report *report = calloc(1, sizeof *report);
    bool done = report != NULL || fail(error, path, "needs more memory%s", "");
    for (uint32_t run = 0; done && run < runs; run++) {
        done = read_run(object, run, run + 1 == runs, report);
        if (!done) {
            fail(error, path, "cannot be used: %s", name);
            size_t length = strlen(error->text);
            snprintf(error->text + length, sizeof error->text - length, " %s", report->error);
        } else {
            done = results_add(results, name, report, error);
        }
        report_free(report);
    }
    free(report);
    return done;
}

static bool read_all(const char *path, const json_t *root, bench_results *results,
                     results_error *error)
{
    const json_t *list = json_object_get(root, "experiments");
    json_int_t schema = json_integer_value(json_object_get(root, "schema"));
    if (!json_is_array(list) || schema == 0) {
        return fail(error, path, "is no results file of %s", "pliant-bench");
    }
    if (schema != RESULTS_SCHEMA) {
        return fail(error, path, "has another schema than this program writes%s", "");
    }
    read_origin(root, &results->origin);
    bool done = true;
    for (size_t i = 0; done && i < json_array_size(list); i++) {
        done = read_experiment(path, json_array_get(list, i), results, error);
    }
    return done;
}

bool results_read(const char *path, bench_results *results, results_error *error)
{
    memset(results, 0, sizeof *results);
    json_error_t reason;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &reason);
    if (root == NULL) {
        char where[64];
        snprintf(where, sizeof where, "line %d: ", reason.line);
        fail(error, path, "cannot be read: %s", reason.line > 0 ? where : "");
        size_t length = strlen(error->text);
        snprintf(error->text + length, sizeof error->text - length, "%s", reason.text);
        return false;
    }
    results->source = root;
    return read_all(path, root, results, error);
}

static void free_source(void *source)
{
    json_decref(source);
}

#else

bool results_read(const char *path, bench_results *results, results_error *error)
{
    memset(results, 0, sizeof *results);
    snprintf(error->text, sizeof error->text,
             "%s cannot be read: this build is without jansson (libjansson-dev)", path);
    return false;
}

static void free_source(void *source)
{
    (void)source;
}

#endif

void results_free(bench_results *results)
{
    for (uint32_t i = 0; i < results->experiment_count; i++) {
        for (uint32_t k = 0; k < results->experiments[i].run_count; k++) {
            report_free(results->experiments[i].runs[k]);
            free(results->experiments[i].runs[k]);
        }
    }
    free_source(results->source);
    memset(results, 0, sizeof *results);
}
