/* Results files: what is written is read again, runs are collected, two files are compared. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "skipping.h"

#include "lab/harness/results.h"

static const char experiment[] = "larsson-1";
static char path[64];

/* A run whose figures are `time`, a count, a ratio, and nothing that could not be measured. */
static void fill(bench_report *report, double time, double pairs)
{
    const double steps[3] = {1, 2, (double)NAN};
    memset(report, 0, sizeof *report);
    report->seed = 7;
    report->seconds = 0.5;
    bench_row *row = report_row(report, "ours, \"auto\"");
    report_cell(row, "total_ms", time, 4);
    report_cell(row, "pairs", pairs, 0);
    report_cell(row, "nothing", (double)NAN, 2);
    row = report_row(report, "ours, \"auto\"");
    report_cell(row, "total_ms", 2 * time, 4);
    const char *const names[2] = {"rival", "ours"};
    report_ratio(report, "vs_rival", 10 / time, 5, "the rival's time over ours");
    report_contest(report, &(bench_terms){"all", names, 2, 9, 200, 100.0 / 3.0});
    report_ratio(report, "share", 0.25, (double)NAN, "");
    assert_true(report_series(report, "step", steps, 3));
    report_note(report, "a note");
}

/* Results of runs with these times. */
static void collect(bench_results *results, const double *times, uint32_t count, double pairs)
{
    bench_report *report = malloc(sizeof *report);
    results_error error = {""};
    assert_non_null(report);
    memset(results, 0, sizeof *results);
    snprintf(results->origin.cpu, sizeof results->origin.cpu, "a processor");
    snprintf(results->origin.cores, sizeof results->origin.cores, "2");
    snprintf(results->origin.threads, sizeof results->origin.threads, "1");
    for (uint32_t i = 0; i < count; i++) {
        fill(report, times[i], pairs);
        assert_true(results_add(results, experiment, report, &error));
        assert_int_equal(report->row_count, 0);
    }
    free(report);
}

static void save(const bench_results *results)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    results_write(file, results);
    assert_int_equal(fclose(file), 0);
}

static void save_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-5 * fabs(a);
}

static void test_round_trip(void **state)
{
    (void)state;
    const double times[] = {0.4, 0.125, 0.2};
    bench_results *results = calloc(2, sizeof *results), *again = results + 1;
    results_error error = {""};
    for (uint32_t runs = 1; runs <= 3; runs++) {
        collect(results, times, runs, 1234567);
        snprintf(results->origin.commit, sizeof results->origin.commit, "abc");
        save(results);
        assert_true(results_read(path, again, &error));
        assert_int_equal(again->experiment_count, 1);
        assert_string_equal(again->origin.cpu, "a processor");
        assert_string_equal(again->origin.cores, "2");
        assert_string_equal(again->origin.commit, "abc");
        const results_experiment *found = results_find(again, experiment);
        assert_non_null(found);
        assert_null(results_find(again, "another"));
        assert_int_equal(found->run_count, runs);
        for (uint32_t i = 0; i < runs; i++) {
            const bench_report *mine = results->experiments[0].runs[i], *read = found->runs[i];
            assert_int_equal(read->seed, 7);
            assert_int_equal(read->row_count, 2);
            assert_int_equal(read->ratio_count, 2);
            assert_int_equal(read->contestant_count, 2);
            for (uint32_t r = 0; r < 2; r++) {
                assert_string_equal(read->ratios[r].contest, r == 0 ? "" : "all");
                assert_string_equal(read->contestants[r].name, mine->contestants[r].name);
                assert_int_equal(read->contestants[r].plays, 9);
                assert_int_equal(read->contestants[r].steps, 200);
                assert_true(same(read->contestants[r].states_per_second, 100.0 / 3.0));
            }
            for (uint32_t r = 0; r < 2; r++) {
                assert_string_equal(read->rows[r].method, mine->rows[r].method);
                assert_int_equal(read->rows[r].cell_count, mine->rows[r].cell_count);
                for (uint32_t k = 0; k < mine->rows[r].cell_count; k++) {
                    assert_string_equal(read->rows[r].cells[k].key, mine->rows[r].cells[k].key);
                    assert_true(same(read->rows[r].cells[k].value, mine->rows[r].cells[k].value));
                }
                assert_string_equal(read->ratios[r].key, mine->ratios[r].key);
                assert_string_equal(read->ratios[r].meaning, mine->ratios[r].meaning);
                assert_true(same(read->ratios[r].value, mine->ratios[r].value));
                assert_true(same(read->ratios[r].paper, mine->ratios[r].paper));
            }
            assert_int_equal(read->rows[0].cells[1].decimals, 0);
            assert_int_equal(read->series_count, i + 1 == runs ? 1 : 0);
            assert_int_equal(read->note_count, i + 1 == runs ? 1 : 0);
        }
        assert_true(isnan(found->runs[runs - 1]->series[0].values[2]));
        /* What was read takes another run. */
        bench_report *report = malloc(sizeof *report);
        fill(report, 0.3, 1234567);
        assert_true(results_add(again, experiment, report, &error));
        assert_int_equal(found->run_count, runs + 1);
        free(report);
        results_free(results);
        results_free(again);
    }
    free(results);
}

/* A run with another row or ratio does not belong to those before it, and room is limited. */
static void test_other_rows(void **state)
{
    (void)state;
    const double times[] = {1};
    bench_results *results = malloc(sizeof *results);
    bench_report *report = malloc(sizeof *report);
    for (int kind = 0; kind < 5; kind++) {
        results_error error = {""};
        collect(results, times, 1, 1);
        fill(report, 1, 1);
        if (kind == 0) {
            report_row(report, "one more");
        } else if (kind == 1) {
            report_ratio(report, "one_more", 1, (double)NAN, "");
        } else if (kind == 2) {
            snprintf(report->rows[1].method, sizeof report->rows[1].method, "another");
        } else if (kind == 3) {
            report->rows[0].cells[1].key = "another";
        } else {
            report->contestants[1].steps++;
        }
        assert_false(results_add(results, experiment, report, &error));
        assert_non_null(strstr(error.text, experiment));
        assert_int_equal(results->experiments[0].run_count, 1);
        report_free(report);
        results_free(results);
    }
    results_error error = {""};
    collect(results, times, 1, 1);
    for (uint32_t i = 1; i <= RESULTS_MAX_RUNS; i++) {
        fill(report, 1, 1);
        assert_true(results_add(results, experiment, report, &error) == (i < RESULTS_MAX_RUNS));
        report_free(report);
    }
    results_free(results);
    free(report);
    free(results);
}

static void test_spread(void **state)
{
    (void)state;
    const double five[] = {5, 1, 4, 2, 3}, four[] = {4, 3, 2, 1};
    const double holes[] = {(double)NAN, 2, (double)INFINITY};
    results_spread spread = results_spread_of(five, 5);
    assert_true(spread.lower == 2 && spread.median == 3 && spread.upper == 4 && spread.count == 5);
    spread = results_spread_of(four, 4);
    assert_true(spread.lower == 1.75 && spread.median == 2.5 && spread.upper == 3.25);
    spread = results_spread_of(holes, 3);
    assert_true(spread.lower == 2 && spread.median == 2 && spread.upper == 2 && spread.count == 1);
    spread = results_spread_of(holes, 1);
    assert_true(isnan(spread.median) && spread.count == 0);
}

static void test_units(void **state)
{
    (void)state;
    static const struct {
        const char *key, *unit;
        int decimals;
    } units[] = {{"total_ms", "ms", 4},        {"us", "us", 3},
                 {"ns_per_bound", "ns", 2},    {"update_gb_per_s", "GB/s", 1},
                 {"contacts_per_s", "1/s", 0}, {"pairs", "count", 0},
                 {"over_ours", "ratio", 2},    {"step_ms", "ms", 0}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        assert_string_equal(results_unit(units[i].key, units[i].decimals), units[i].unit);
    }
}

/* Compares runs with these times and pairs; the text that it prints is the caller's to free. */
static results_comparison compare(const double *a, uint32_t count_a, double pairs_a,
                                  const double *b, uint32_t count_b, double pairs_b, char **text)
{
    bench_results *both = calloc(2, sizeof *both);
    size_t size = 0;
    FILE *stream = open_memstream(text, &size);
    assert_non_null(stream);
    collect(&both[0], a, count_a, pairs_a);
    collect(&both[1], b, count_b, pairs_b);
    results_comparison found = results_compare(stream, &both[0], &both[1]);
    assert_int_equal(fclose(stream), 0);
    results_free(&both[0]);
    results_free(&both[1]);
    free(both);
    return found;
}

/* Three figures depend on the time: two cells and a ratio; three more do not. */
static void test_compare(void **state)
{
    (void)state;
    const double slow[] = {1.0, 1.1, 1.2, 1.3}, fast[] = {0.5, 0.55, 0.6, 0.65};
    const double near[] = {1.05, 1.15, 1.25, 1.35};
    char *text = NULL;
    results_comparison found = compare(slow, 4, 9, slow, 4, 9, &text);
    assert_true(found.beyond == 0 && found.within == 0 && found.unknown == 0 && found.same == 6);
    free(text);
    found = compare(slow, 4, 9, fast, 4, 9, &text);
    assert_true(found.beyond == 3 && found.within == 0 && found.same == 3);
    assert_non_null(strstr(text, "beyond the spread\n"));
    assert_non_null(strstr(text, "-50.0 %"));
    free(text);
    found = compare(slow, 4, 9, near, 4, 9, &text);
    assert_true(found.beyond == 0 && found.within == 3 && found.same == 3);
    assert_non_null(strstr(text, "within the spread\n"));
    free(text);
    found = compare(slow, 1, 9, fast, 4, 9, &text);
    assert_true(found.beyond == 0 && found.unknown == 3);
    assert_non_null(strstr(text, "spread unknown"));
    free(text);
    found = compare(slow, 4, 9, slow, 4, 10, &text);
    assert_true(found.beyond == 1 && found.same == 5);
    assert_non_null(strstr(text, "another count"));
    free(text);
}

/* What one file has alone is told, whichever it is. */
static void test_compare_missing(void **state)
{
    (void)state;
    const double times[] = {1, 2};
    bench_results *both = calloc(2, sizeof *both);
    bench_report *report = malloc(sizeof *report);
    results_error error = {""};
    collect(&both[0], times, 2, 9);
    collect(&both[1], times, 2, 9);
    fill(report, 1, 1);
    report_row(report, "one more");
    report_ratio(report, "one_more", 1, (double)NAN, "");
    assert_true(results_add(&both[0], "second", report, &error));
    fill(report, 1, 1);
    assert_true(results_add(&both[1], "second", report, &error));
    fill(report, 1, 1);
    assert_true(results_add(&both[1], "third", report, &error));
    free(report);
    for (int turn = 0; turn < 2; turn++) {
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        results_comparison found = results_compare(stream, &both[turn], &both[1 - turn]);
        assert_int_equal(fclose(stream), 0);
        assert_int_equal(found.missing, 3);
        assert_non_null(strstr(text, turn == 0 ? "one more: only in the first file"
                                               : "one more: only in the second file"));
        assert_non_null(strstr(text, turn == 0 ? "one_more: only in the first file"
                                               : "one_more: only in the second file"));
        assert_non_null(strstr(text, "the whole experiment: only in the"));
        assert_null(strstr(text, "measured otherwise"));
        both[turn].experiments[0].runs[0]->contestants[0].steps++;
        free(text);
        stream = open_memstream(&text, &size);
        results_compare(stream, &both[turn], &both[1 - turn]);
        assert_int_equal(fclose(stream), 0);
        assert_non_null(strstr(text, "measured otherwise"));
        both[turn].experiments[0].runs[0]->contestants[0].steps--;
        free(text);
    }
    results_free(&both[0]);
    results_free(&both[1]);
    free(both);
}

static void test_origins(void **state)
{
    (void)state;
    bench_settings settings = {.length = BENCH_QUICK};
    results_origin a = results_origin_here(&settings), b = a;
    const char *value_a = NULL, *value_b = NULL;
    assert_string_equal(a.length, "quick");
    assert_true(a.commit[0] != '\0' && a.flags[0] != '\0' && a.cpu[0] != '\0');
    assert_int_equal(strlen(a.date), strlen("2026-11-16T10:00:00Z"));
    snprintf(b.date, sizeof b.date, "another day");
    assert_null(results_origin_difference(&a, &b, &value_a, &value_b));
    snprintf(b.commit, sizeof b.commit, "0");
    assert_string_equal(results_origin_difference(&a, &b, &value_a, &value_b), "commit");
    assert_string_equal(value_a, a.commit);
    assert_string_equal(value_b, "0");
}

/* Every broken file gets a sentence that names it, and what is wrong. */
static void test_broken_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
    } files[] = {
        {"", "cannot be read"},
        {"{\"schema\": 2", "line 1"},
        {"[]", "no results file"},
        {"{}", "no results file"},
        {"{\"schema\": 2, \"experiments\": 3}", "no results file"},
        {"{\"schema\": 1, \"experiments\": []}", "schema"},
        {"{\"schema\": 2, \"experiments\": [3]}", "a name"},
        {"{\"schema\": 2, \"experiments\": [{\"name\": \"x\"}]}", "runs x"},
        {"{\"schema\": 2, \"experiments\": [{\"name\": \"x\", \"runs\": 0}]}", "runs x"},
        {"{\"schema\": 2, \"experiments\": [{\"name\": \"x\", \"runs\": 99}]}", "runs x"},
        {"{\"schema\": 2, \"experiments\": [{\"name\": \"x\", \"runs\": 1}]}", "x has no rows"},
        {"{\"schema\": 2, \"experiments\": [{\"name\": \"x\", \"runs\": 1, \"rows\": [{}]}]}",
         "without a method"},
        {"{\"schema\": 2, \"experiments\": [{\"name\": \"x\", \"runs\": 1, \"rows\": "
         "[{\"method\": \"m\", \"a_ms\": \"1\"}]}]}",
         "a_ms"},
        {"{\"schema\": 2, \"experiments\": [{\"name\": \"x\", \"runs\": 1, \"rows\": [], "
         "\"ratios\": {\"r\": []}}]}",
         "no number: r"},
        {"{\"schema\": 2, \"experiments\": [{\"name\": \"x\", \"runs\": 1, \"rows\": [{\"method\": "
         "\"m\", \"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1,"
         "\"k\":1,\"l\":1,\"m\":1,\"n\":1,\"o\":1,\"p\":1,\"q\":1}]}]}",
         "room"},
    };
    bench_results *results = malloc(sizeof *results);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        results_error error = {""};
        save_text(files[i].text);
        assert_false(results_read(path, results, &error));
        assert_non_null(strstr(error.text, path));
        if (strstr(error.text, files[i].word) == NULL) {
            fail_msg("file %zu: %s", i, error.text);
        }
        results_free(results);
    }
    results_error error = {""};
    assert_false(results_read("/no/such/file.json", results, &error));
    assert_non_null(strstr(error.text, "/no/such/file.json"));
    results_free(results);
    save_text("{\"schema\": 2, \"experiments\": []}");
    assert_true(results_read(path, results, &error));
    results_free(results);
    free(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_other_rows),
        cmocka_unit_test(test_spread),     cmocka_unit_test(test_units),
        cmocka_unit_test(test_compare),    cmocka_unit_test(test_compare_missing),
        cmocka_unit_test(test_origins),    cmocka_unit_test(test_broken_files),
    };
    snprintf(path, sizeof path, "results_%ld.json", (long)getpid());
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failures;
}
