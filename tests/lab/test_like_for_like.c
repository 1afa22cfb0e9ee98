/* What experiments say of papers: the paper's figure stands beside the quotient of its own two
   methods, and ours with vectors beside none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "skipping.h"

#include "lab/harness/bench.h"

static bench_report report;

static int free_report(void **state)
{
    (void)state;
    report_free(&report);
    return 0;
}

/* Runs an experiment quickly; false where it is left out of this build. */
static bool run_quickly(const char *name)
{
    bench_settings settings = {.length = BENCH_QUICK, .seed = 1};
    const bench_experiment *experiment = bench_find(name);
    assert_non_null(experiment);
    memset(&report, 0, sizeof report);
    if (!bench_run(experiment, &settings, &report)) {
        fail_msg("%s: %s", name, report.error);
    }
    for (uint32_t i = 0; i < report.note_count; i++) {
        if (strncmp(report.notes[i], "left out", 8) == 0) {
            return false;
        }
    }
    return true;
}

static double value_of(const char *key)
{
    const bench_ratio *ratio = report_find_ratio(&report, key);
    if (ratio == NULL || !isfinite(ratio->value) || ratio->value <= 0.0) {
        fail_msg("%s is missing, or no number above 0", key);
        return 0.0;
    }
    return ratio->value;
}

/* The paper's figure stands with the first key, and with none of the others. */
static void check_paper(double paper, const char *like_for_like, const char *const *others)
{
    value_of(like_for_like);
    double said = report_find_ratio(&report, like_for_like)->paper;
    assert_true(fabs(said - paper) <= 1e-6 * paper);
    for (uint32_t i = 0; others[i] != NULL; i++) {
        value_of(others[i]);
        assert_true(isnan(report_find_ratio(&report, others[i])->paper));
    }
}

/* That one quotient is the product of others, up to rounding. */
static void check_product(const char *whole, const char *const *factors)
{
    double product = 1.0;
    for (uint32_t i = 0; factors[i] != NULL; i++) {
        product *= value_of(factors[i]);
    }
    assert_true(fabs(product / value_of(whole) - 1.0) < 1e-9);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_two_spheres(void **state)
{
    (void)state;
    assert_true(run_quickly("larsson-1"));
    check_paper(5.0, "larsson_vs_van_den_bergen",
                LIST("all_vs_van_den_bergen", "all_vs_van_den_bergen_plain", "all_vs_larsson",
                     "all_vs_larsson_plain", "first_vs_larsson"));
    check_paper(5.0, "first_larsson_vs_van_den_bergen", LIST("larsson_4_over_8"));
    check_product("all_vs_van_den_bergen", LIST("larsson_vs_van_den_bergen", "all_vs_larsson"));
    check_product("all_vs_bottom_up",
                  LIST("gain_of_layout", "gain_of_vectors", "gain_of_laziness"));
    value_of("larsson_binary_over_8");
    value_of("larsson_hybrid_tenth_worst");
}

static void test_crowd(void **state)
{
    (void)state;
    assert_true(run_quickly("larsson-3-spheres"));
    check_paper(5.6, "larsson_vs_van_den_bergen",
                LIST("all_vs_van_den_bergen", "all_vs_van_den_bergen_plain", "all_vs_larsson"));
    check_product("all_vs_bottom_up",
                  LIST("gain_of_layout", "gain_of_vectors", "gain_of_laziness"));
}

static void test_ring(void **state)
{
    (void)state;
    assert_true(run_quickly("points-ring"));
    check_paper(39.3 / 7.55, "small_2857_115_steinemann",
                LIST("small_2857_115", "small_2857_115_plain", "small_2857_115_vs_steinemann",
                     "small_2857_115_simd"));
    check_product("small_2857_115",
                  LIST("small_2857_115_steinemann", "small_2857_115_vs_steinemann"));
}

static void test_tightness(void **state)
{
    (void)state;
    assert_true(run_quickly("points-tightness"));
    check_paper(68.0, "accumulation_over_paper_509_max",
                LIST("accumulation_over_ours_509_max", "components_over_ours_509_max"));
    assert_true(value_of("components_over_ours_509_max") >
                value_of("accumulation_over_ours_509_max"));
}

static void test_curtain(void **state)
{
    (void)state;
    if (!run_quickly("bd-curtain")) {
        skip_without("LAPACK");
    }
    check_paper(2250.0, "layered_over_bd_simple",
                LIST("layered_over_bd_1x", "vs_layered_1x", "vs_layered_wide_1x", "vs_bd_tree_1x",
                     "vs_layered_scalar_simple", "vs_layered_wide_simple", "vs_bd_tree_simple"));
    check_product("vs_layered_scalar_simple", LIST("layered_over_bd_simple", "vs_bd_tree_simple"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_two_spheres, free_report),
        cmocka_unit_test_teardown(test_crowd, free_report),
        cmocka_unit_test_teardown(test_ring, free_report),
        cmocka_unit_test_teardown(test_tightness, free_report),
        cmocka_unit_test_teardown(test_curtain, free_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
