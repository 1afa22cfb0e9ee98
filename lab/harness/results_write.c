/* Results as JSON: medians where a single run has its figures, then quartiles and all samples. */
#include <math.h>
#include <string.h>

#include "machine.h"
#include "results.h"
#include "tool/text/json.h"

/* A list of one experiment's figures: medians, quartiles or every run's value. */
typedef enum figure_kind { MEDIANS, QUARTILES, SAMPLES } figure_kind;

static bool all_equal(const double *values, uint32_t count)
{
    bool equal = true;
    for (uint32_t i = 1; i < count; i++) {
        equal = equal && values[i] == values[0];
    }
    return equal;
}

/* Quartiles and samples are left out where all runs agree: the median then says it all. */
static void put_figure(json_writer *json, const char *key, const double *values, uint32_t count,
                       figure_kind kind)
{
    results_spread spread = results_spread_of(values, count);
    double quartiles[2] = {spread.lower, spread.upper};
    switch (kind) {
    case MEDIANS:
        json_number(json, key, spread.median);
        break;
    case QUARTILES:
        if (!all_equal(values, count)) {
            json_numbers(json, key, quartiles, 2);
        }
        break;
    case SAMPLES:
        if (!all_equal(values, count)) {
            json_numbers(json, key, values, count);
        }
        break;
    }
}

static void write_rows(json_writer *json, const results_experiment *experiment, figure_kind kind)
{
    const bench_report *first = experiment->runs[0];
    double values[RESULTS_MAX_RUNS];
    json_open_array(json, "rows");
    for (uint32_t i = 0; i < first->row_count; i++) {
        json_open_object(json, NULL);
        if (kind == MEDIANS) {
            json_put_string(json, "method", first->rows[i].method);
        }
        for (uint32_t k = 0; k < first->rows[i].cell_count; k++) {
            uint32_t count = results_cell_values(experiment, i, k, values);
            put_figure(json, first->rows[i].cells[k].key, values, count, kind);
        }
        json_close_object(json);
    }
    json_close_array(json);
}

static void write_ratios(json_writer *json, const results_experiment *experiment, figure_kind kind)
{
    const bench_report *first = experiment->runs[0];
    double values[RESULTS_MAX_RUNS];
    json_open_object(json, "ratios");
    for (uint32_t i = 0; i < first->ratio_count; i++) {
        uint32_t count = results_ratio_values(experiment, i, values);
        put_figure(json, first->ratios[i].key, values, count, kind);
    }
    json_close_object(json);
}

static void write_words_of_ratios(json_writer *json, const bench_report *report)
{
    json_open_object(json, "paper");
    for (uint32_t i = 0; i < report->ratio_count; i++) {
        if (isfinite(report->ratios[i].paper)) {
            json_number(json, report->ratios[i].key, report->ratios[i].paper);
        }
    }
    json_close_object(json);
    json_open_object(json, "meanings");
    for (uint32_t i = 0; i < report->ratio_count; i++) {
        json_put_string(json, report->ratios[i].key, report->ratios[i].meaning);
    }
    json_close_object(json);
}

/* How contestants were measured, and the contest of each ratio. */
static void write_contests(json_writer *json, const bench_report *report)
{
    json_open_array(json, "contestants");
    for (uint32_t i = 0; i < report->contestant_count; i++) {
        const bench_contestant *one = &report->contestants[i];
        double rate = one->states_per_second;
        json_open_object(json, NULL);
        json_put_string(json, "contest", one->contest);
        json_put_string(json, "name", one->name);
        json_put_integer(json, "plays", one->plays);
        json_put_integer(json, "steps", one->steps);
        json_number(json, "states_per_second", rate > 0.0 ? rate : (double)NAN);
        json_close_object(json);
    }
    json_close_array(json);
    json_open_object(json, "made");
    for (uint32_t i = 0; i < report->ratio_count; i++) {
        if (report->ratios[i].contest[0] != '\0') {
            json_put_string(json, report->ratios[i].key, report->ratios[i].contest);
        }
    }
    json_close_object(json);
}

/* Whether a cell's key stands in an earlier row, or earlier in its own. */
static bool is_known(const bench_report *report, uint32_t row, uint32_t cell)
{
    const char *key = report->rows[row].cells[cell].key;
    for (uint32_t i = 0; i <= row; i++) {
        uint32_t end = i < row ? report->rows[i].cell_count : cell;
        for (uint32_t k = 0; k < end; k++) {
            if (strcmp(report->rows[i].cells[k].key, key) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void write_units(json_writer *json, const bench_report *report)
{
    json_open_object(json, "units");
    for (uint32_t i = 0; i < report->row_count; i++) {
        for (uint32_t k = 0; k < report->rows[i].cell_count; k++) {
            const bench_cell *cell = &report->rows[i].cells[k];
            if (!is_known(report, i, k)) {
                json_put_string(json, cell->key, results_unit(cell->key, cell->decimals));
            }
        }
    }
    json_close_object(json);
}

static void write_spread(json_writer *json, const results_experiment *experiment)
{
    if (experiment->run_count > 1) {
        json_open_object(json, "quartiles");
        write_rows(json, experiment, QUARTILES);
        write_ratios(json, experiment, QUARTILES);
        json_close_object(json);
        json_open_object(json, "samples");
        write_rows(json, experiment, SAMPLES);
        write_ratios(json, experiment, SAMPLES);
        json_close_object(json);
    }
}

static double median_seconds(const results_experiment *experiment)
{
    double seconds[RESULTS_MAX_RUNS];
    for (uint32_t i = 0; i < experiment->run_count; i++) {
        seconds[i] = experiment->runs[i]->seconds;
    }
    return results_spread_of(seconds, experiment->run_count).median;
}

static void write_experiment(json_writer *json, const results_experiment *experiment)
{
    const bench_report *first = experiment->runs[0];
    const bench_report *last = experiment->runs[experiment->run_count - 1];
    json_open_object(json, NULL);
    json_put_string(json, "name", experiment->name);
    json_put_integer(json, "runs", experiment->run_count);
    json_put_integer(json, "seed", first->seed);
    json_number(json, "seconds", median_seconds(experiment));
    if (last->error[0] != '\0') {
        json_put_string(json, "error", last->error);
    }
    write_rows(json, experiment, MEDIANS);
    json_open_object(json, "series");
    for (uint32_t i = 0; i < last->series_count; i++) {
        json_numbers(json, last->series[i].name, last->series[i].values, last->series[i].count);
    }
    json_close_object(json);
    write_ratios(json, experiment, MEDIANS);
    write_words_of_ratios(json, first);
    write_contests(json, first);
    write_units(json, first);
    write_spread(json, experiment);
    json_open_array(json, "notes");
    for (uint32_t i = 0; i < last->note_count; i++) {
        json_put_string(json, NULL, last->notes[i]);
    }
    json_close_array(json);
    json_close_object(json);
}

static void put_known(json_writer *json, const char *key, const char *text)
{
    if (text[0] != '\0') {
        json_put_string(json, key, text);
    }
}

static uint64_t number_of(const char *text)
{
    uint64_t number = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        number = 10 * number + (uint64_t)(*text - '0');
    }
    return number;
}

static void write_machine(json_writer *json, const results_origin *origin)
{
    json_open_object(json, "machine");
    put_known(json, "cpu", origin->cpu);
    json_put_integer(json, "cores", number_of(origin->cores));
    json_put_integer(json, "threads", number_of(origin->threads));
    put_known(json, "governor", origin->governor);
    put_known(json, "system", origin->system);
    put_known(json, "compiler", origin->compiler);
    put_known(json, "flags", origin->flags);
    put_known(json, "isa", origin->isa);
    json_open_array(json, "isa_available");
    pliant_isa best = bench_machine_describe(PLIANT_ISA_BEST).best_isa;
    for (int isa = PLIANT_ISA_PLAIN; isa <= (int)best; isa++) {
        json_put_string(json, NULL, pliant_isa_get_name((pliant_isa)isa));
    }
    json_close_array(json);
    put_known(json, "libraries", origin->libraries);
    put_known(json, "renderer", origin->renderer);
    json_close_object(json);
}

void results_write(FILE *stream, const bench_results *results)
{
    const results_origin *origin = &results->origin;
    json_writer json = json_begin(stream);
    json_open_object(&json, NULL);
    json_put_integer(&json, "schema", RESULTS_SCHEMA);
    put_known(&json, "version", origin->version);
    put_known(&json, "commit", origin->commit);
    put_known(&json, "date", origin->date);
    put_known(&json, "length", origin->length);
    write_machine(&json, origin);
    json_open_array(&json, "experiments");
    for (uint32_t i = 0; i < results->experiment_count; i++) {
        if (results->experiments[i].run_count > 0) {
            write_experiment(&json, &results->experiments[i]);
        }
    }
    json_close_array(&json);
    json_close_object(&json);
    json_end(&json);
}
