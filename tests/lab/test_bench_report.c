/* Reports of experiments: more than there is room for fails them, and writes nowhere else. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "skipping.h"

#include "lab/motions/motion.h"
#include "lab/harness/report.h"

static bench_report report;

static void fill_rows(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        report_cell(report_row(&report, "row %u", i), "value", i, 0);
    }
}

static void fill_cells(uint32_t count)
{
    bench_row *row = report_row(&report, "row");
    for (uint32_t i = 0; i < count; i++) {
        report_cell(row, "value", i, 0);
    }
}

static void fill_ratios(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        report_ratio(&report, "ratio", i, (double)NAN, "one of many");
    }
}

static void fill_notes(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        report_note(&report, "note %u", i);
    }
}

static void fill_series(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double value = i;
        report_series(&report, "series", &value, 1);
    }
}

/* All lists, full and then one over. */
static void test_lists_are_full(void **state)
{
    (void)state;
    static const struct {
        void (*fill)(uint32_t count);
        uint32_t most;
        const char *word;
    } lists[] = {{fill_rows, BENCH_MAX_ROWS, "rows"},
                 {fill_cells, BENCH_MAX_CELLS, "cells"},
                 {fill_ratios, BENCH_MAX_RATIOS, "ratios"},
                 {fill_notes, BENCH_MAX_NOTES, "notes"},
                 {fill_series, BENCH_MAX_SERIES, "series"}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (uint32_t over = 0; over < 3; over++) {
            report.seed = 12345;
            lists[i].fill(lists[i].most + over);
            assert_true((report.error[0] != '\0') == (over > 0));
            assert_true(over == 0 || strstr(report.error, lists[i].word) != NULL);
            assert_int_equal(report.seed, 12345);
            assert_true(report.row_count <= BENCH_MAX_ROWS);
            assert_true(report.ratio_count <= BENCH_MAX_RATIOS);
            assert_true(report.note_count <= BENCH_MAX_NOTES);
            assert_true(report.series_count <= BENCH_MAX_SERIES);
            report_free(&report);
        }
    }
}

/* A motion has room for so many bodies, and no more are taken. */
static void test_too_many_bodies(void **state)
{
    (void)state;
    static gallery_mesh meshes[BENCH_MAX_BODIES + 1];
    static gallery_model models[1];
    static bench_motion motion;
    assert_false(bench_motion_allocate(meshes, BENCH_MAX_BODIES + 1, 1, &motion));
    assert_int_equal(motion.body_count, 0);
    bench_motion_free(&motion);
    models[0].mode_count = BENCH_MAX_MODES + 1;
    assert_false(bench_motion_allocate_models(meshes, models, 1, 1, &motion));
    bench_motion_free(&motion);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_are_full),
        cmocka_unit_test(test_too_many_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
