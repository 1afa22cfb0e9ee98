/* The work of the broad phase, counted: how it grows with bodies and with speed. */
#include "broad_fixture.h"

#include <math.h>

/* Exchanges of a sweep per step, over some steps that move bodies by at most `reach`. */
static double count_swaps(pliant_context *context, uint32_t bodies, double reach, double *ends)
{
    swarm s = swarm_create(context, PLI_BROAD_SWEEP, bodies);
    size_t pairs = 0;
    double swaps = 0.0;
    *ends = 0.0;
    assert_true(swarm_step(&s, 0.0, &pairs)->rebuilt);
    enum { STEPS = 20 };
    for (int step = 0; step < STEPS; step++) {
        const pli_broad_stats *stats = swarm_step(&s, reach, &pairs);
        assert_false(stats->rebuilt);
        assert_true(stats->tests <= stats->swaps);
        swaps += (double)stats->swaps / STEPS;
        *ends += (double)stats->ends_read / STEPS;
    }
    swarm_destroy(&s);
    return swaps;
}

/*
 * A step takes O(n + swaps). While bodies move less than the gaps between ends, swaps are O(n) too.
 * At a fixed speed they are not: the ends of n bodies in a cube project to n^(2/3) times denser
 * lists, so swaps grow as n^(5/3).
 */
static void test_sweep_grows_linearly(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    const uint32_t fewest = 100, most = 3000;
    double growth = log((double)most / fewest);
    double ends[2], coherent[2], fixed[2];
    for (int i = 0; i < 2; i++) {
        uint32_t bodies = i == 0 ? fewest : most;
        double gap = 1.5 * cbrt((double)bodies) / (2.0 * bodies);
        coherent[i] = count_swaps(context, bodies, gap, &ends[i]);
        assert_true(ends[i] == 6.0 * bodies);
        fixed[i] = count_swaps(context, bodies, 0.01, &ends[i]);
    }
    double exponent = log(coherent[1] / coherent[0]) / growth;
    double whole = log((coherent[1] + ends[1]) / (coherent[0] + ends[0])) / growth;
    double fixed_exponent = log(fixed[1] / fixed[0]) / growth;
    print_message("swaps per body: %.2f and %.2f, exponent %.3f (with ends read %.3f); at a fixed "
                  "speed %.2f and %.2f, exponent %.3f\n",
                  coherent[0] / fewest, coherent[1] / most, exponent, whole, fixed[0] / fewest,
                  fixed[1] / most, fixed_exponent);
    assert_true(exponent > 0.9 && exponent < 1.1);
    assert_true(whole > 0.95 && whole < 1.05);
    assert_true(fixed_exponent < 5.0 / 3.0 + 0.1);
    pliant_context_destroy(context);
}

/* Comparisons of the tree per step: grown from few bodies to many of the same density. */
static void test_tree_grows_linearly(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    static const double speeds[2] = {0.01, 0.5}; /* fat boxes hold for a while, or never */
    const uint32_t counts[2] = {1000, 30000};
    for (int k = 0; k < 2; k++) {
        double tests[2] = {0.0, 0.0}, left = 0.0;
        for (int i = 0; i < 2; i++) {
            swarm s = swarm_create(context, PLI_BROAD_TREE, counts[i]);
            size_t pairs = 0;
            swarm_step(&s, 0.0, &pairs);
            for (int step = 0; step < 30; step++) {
                const pli_broad_stats *stats =
                    swarm_step(&s, speeds[k] * (step % 2 ? -1 : 1), &pairs);
                tests[i] += (double)stats->tests;
                left += (double)stats->left;
            }
            swarm_destroy(&s);
        }
        double exponent = log(tests[1] / tests[0]) / log((double)counts[1] / counts[0]);
        print_message("comparisons per body: %.1f and %.1f, exponent %.3f\n",
                      tests[0] / counts[0] / 30, tests[1] / counts[1] / 30, exponent);
        assert_true(exponent < 1.1);
        assert_true(k == 0 ? left == 0.0 : left > 0.0);
    }
    pliant_context_destroy(context);
}

/* The automatic choice is the tree while bodies stay in their fat boxes, and comes back to it. */
static void test_automatic_choice(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    swarm s = swarm_create(context, PLI_BROAD_AUTO, 1000);
    size_t pairs = 0;
    for (int step = 0; step < 100; step++) {
        assert_int_equal(swarm_step(&s, 0.002, &pairs)->method, PLI_BROAD_TREE);
    }
    int tree_steps = 0;
    for (int step = 0; step < 100; step++) {
        double time = step % 2 == 0 ? 0.5 : -0.5;
        tree_steps += swarm_step(&s, time, &pairs)->method == PLI_BROAD_TREE;
    }
    assert_true(tree_steps > 0 && tree_steps < 12); /* it is tried again, and given up again */
    tree_steps = 0;
    for (int step = 0; step < 200; step++) {
        tree_steps +=
            swarm_step(&s, step % 2 == 0 ? 0.002 : -0.002, &pairs)->method == PLI_BROAD_TREE;
    }
    assert_true(tree_steps > 100);
    swarm_destroy(&s);
    pliant_context_destroy(context);
}

/* Many bodies added at once, or thrown about, cost neither method n^2. */
static void test_without_coherence(void **state)
{
    (void)state;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    size_t expected[3] = {0};
    for (int kind = PLI_BROAD_ALL_PAIRS; kind < PLI_BROAD_KINDS; kind++) {
        swarm s = swarm_create(context, (pli_broad_kind)kind, 3000);
        for (int step = 0; step < 3; step++) {
            size_t pairs = 0;
            const pli_broad_stats *stats = swarm_step(&s, 10.0 * step, &pairs);
            if (kind == PLI_BROAD_ALL_PAIRS) {
                expected[step] = pairs;
                continue;
            }
            assert_int_equal(pairs, expected[step]);
            assert_true(stats->tests + stats->swaps < (uint64_t)s.count * 256);
            assert_true(stats->rebuilt == (kind == PLI_BROAD_SWEEP || kind == PLI_BROAD_TREE));
        }
        swarm_destroy(&s);
    }
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep_grows_linearly),
        cmocka_unit_test(test_tree_grows_linearly),
        cmocka_unit_test(test_automatic_choice),
        cmocka_unit_test(test_without_coherence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
