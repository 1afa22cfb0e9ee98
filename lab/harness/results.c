#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab/peers/peers.h"
#include "machine.h"

results_origin results_origin_here(const bench_settings *settings)
{
    bench_machine machine = bench_machine_describe(settings->isa);
    results_origin origin = {.version = PLIANT_VERSION_TEXT};
    snprintf(origin.commit, sizeof origin.commit, "%s", machine.commit);
    snprintf(origin.length, sizeof origin.length, "%s", bench_length_name(settings->length));
    snprintf(origin.cpu, sizeof origin.cpu, "%s", machine.cpu);
    snprintf(origin.cores, sizeof origin.cores, "%u", machine.cores);
    snprintf(origin.threads, sizeof origin.threads, "%u", bench_threads(settings));
    snprintf(origin.governor, sizeof origin.governor, "%s", machine.governor);
    snprintf(origin.system, sizeof origin.system, "%s", machine.system);
    snprintf(origin.compiler, sizeof origin.compiler, "%s", machine.compiler);
    snprintf(origin.flags, sizeof origin.flags, "%s", machine.flags);
    snprintf(origin.isa, sizeof origin.isa, "%s", pliant_isa_get_name(machine.isa));
    peers_list_libraries(origin.libraries, sizeof origin.libraries);
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) {
        strftime(origin.date, sizeof origin.date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    return origin;
}

const char *results_origin_difference(const results_origin *a, const results_origin *b,
                                      const char **value_a, const char **value_b)
{
    const struct {
        const char *name, *a, *b;
    } fields[] = {
        {"version", a->version, b->version},     {"commit", a->commit, b->commit},
        {"length", a->length, b->length},        {"processor", a->cpu, b->cpu},
        {"number of cores", a->cores, b->cores}, {"threads", a->threads, b->threads},
        {"compiler", a->compiler, b->compiler},  {"flags", a->flags, b->flags},
        {"instruction set", a->isa, b->isa},     {"libraries", a->libraries, b->libraries},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(fields[i].a, fields[i].b) != 0) {
            *value_a = fields[i].a;
            *value_b = fields[i].b;
            return fields[i].name;
        }
    }
    return NULL;
}

results_experiment *results_find(const bench_results *results, const char *name)
{
    for (uint32_t i = 0; i < results->experiment_count; i++) {
        if (strcmp(results->experiments[i].name, name) == 0) {
            return (results_experiment *)&results->experiments[i];
        }
    }
    return NULL;
}

static bool same_rows(const bench_report *a, const bench_report *b)
{
    bool same = a->row_count == b->row_count && a->ratio_count == b->ratio_count;
    for (uint32_t i = 0; same && i < a->row_count; i++) {
        const bench_row *row = &a->rows[i], *other = &b->rows[i];
        same = strcmp(row->method, other->method) == 0 && row->cell_count == other->cell_count;
        for (uint32_t k = 0; same && k < row->cell_count; k++) {
            same = strcmp(row->cells[k].key, other->cells[k].key) == 0;
        }
    }
    for (uint32_t i = 0; same && i < a->ratio_count; i++) {
        same = strcmp(a->ratios[i].key, b->ratios[i].key) == 0;
    }
    return same && results_same_contests(a, b);
}

bool results_same_contests(const bench_report *a, const bench_report *b)
{
    bool same = a->contestant_count == b->contestant_count;
    for (uint32_t i = 0; same && i < a->contestant_count; i++) {
        const bench_contestant *one = &a->contestants[i], *other = &b->contestants[i];
        same = strcmp(one->contest, other->contest) == 0 && strcmp(one->name, other->name) == 0 &&
               one->plays == other->plays && one->steps == other->steps &&
               fabs(one->states_per_second - other->states_per_second) <=
                   1e-5 * other->states_per_second; /* files keep six digits */
    }
    return same;
}

/* The experiment of that name, which is added if it is not there; NULL without room. */
static results_experiment *find_or_add(bench_results *results, const char *name)
{
    results_experiment *found = results_find(results, name);
    if (found == NULL && results->experiment_count < RESULTS_MAX_EXPERIMENTS) {
        found = &results->experiments[results->experiment_count++];
        *found = (results_experiment){0};
        snprintf(found->name, sizeof found->name, "%s", name);
    }
    return found;
}

static bool fail(results_error *error, const char *name, const char *why)
{
    snprintf(error->text, sizeof error->text, "%s: %s", name, why);
    return false;
}

bool results_add(bench_results *results, const char *name, bench_report *report,
                 results_error *error)
{
    results_experiment *experiment = find_or_add(results, name);
    if (experiment == NULL || experiment->run_count >= RESULTS_MAX_RUNS) {
        return fail(error, name, "there is no room for another run");
    }
    if (experiment->run_count > 0 && !same_rows(experiment->runs[0], report)) {
        return fail(error, name, "the run has other rows, ratios or contests than those before it");
    }
    bench_report *kept = malloc(sizeof *kept);
    if (kept == NULL) {
        return fail(error, name, "not enough memory");
    }
    *kept = *report;
    for (uint32_t i = 0; i < kept->row_count; i++) {
        kept->rows[i].report = kept;
    }
    memset(report, 0, sizeof *report);
    experiment->runs[experiment->run_count++] = kept;
    return true;
}

uint32_t results_cell_values(const results_experiment *experiment, uint32_t row, uint32_t cell,
                             double values[RESULTS_MAX_RUNS])
{
    for (uint32_t i = 0; i < experiment->run_count; i++) {
        values[i] = experiment->runs[i]->rows[row].cells[cell].value;
    }
    return experiment->run_count;
}

uint32_t results_ratio_values(const results_experiment *experiment, uint32_t ratio,
                              double values[RESULTS_MAX_RUNS])
{
    for (uint32_t i = 0; i < experiment->run_count; i++) {
        values[i] = experiment->runs[i]->ratios[ratio].value;
    }
    return experiment->run_count;
}

/* The value at a share of the way through sorted values, between neighbours in proportion. */
static double quantile(const double *sorted, uint32_t count, double share)
{
    double at = share * (count - 1);
    uint32_t below = (uint32_t)at;
    uint32_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

results_spread results_spread_of(const double *values, uint32_t count)
{
    double sorted[RESULTS_MAX_RUNS];
    uint32_t good = 0;
    for (uint32_t i = 0; i < count && good < RESULTS_MAX_RUNS; i++) {
        if (isfinite(values[i])) {
            sorted[good++] = values[i];
        }
    }
    results_spread spread = {(double)NAN, (double)NAN, (double)NAN, good};
    if (good > 0) {
        spread.median = bench_median(sorted, good); /* which sorts them */
        spread.lower = quantile(sorted, good, 0.25);
        spread.upper = quantile(sorted, good, 0.75);
    }
    return spread;
}

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), part = strlen(ending);
    return length >= part && strcmp(text + length - part, ending) == 0;
}

const char *results_unit(const char *key, int decimals)
{
    static const struct {
        const char *ending, *unit;
    } units[] = {
        {"gb_per_s", "GB/s"}, {"_per_s", "1/s"}, {"per_second", "1/s"},  {"_ms", "ms"},
        {"_us", "us"},        {"_ns", "ns"},     {"touched_kb", "kB"},   {"megabytes", "MB"},
        {"_mib", "MiB"},      {"bytes", "B"},    {"paper_points", "ms"},
    };
    if (strcmp(key, "us") == 0 || strcmp(key, "ns") == 0 || strcmp(key, "ms") == 0) {
        return key;
    }
    if (strncmp(key, "ns_", 3) == 0 || strncmp(key, "ms_", 3) == 0) {
        return key[0] == 'n' ? "ns" : "ms";
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (ends_in(key, units[i].ending)) {
            return units[i].unit;
        }
    }
    return decimals == 0 ? "count" : "ratio";
}
