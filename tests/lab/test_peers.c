/* Other libraries in benchmarks: they answer as we do, and where they do not it is counted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "skipping.h"

#include "lab/harness/differences.h"
#include "lab/experiments/peers.h"
#include "lab/harness/machine.h"
#include "lab/peers/evaluate.h"
#include "lab/peers/peers.h"
#include "gallery/meshless/ring.h"

static bench_motion make_motion(gallery_scene *scene, uint32_t stride)
{
    bench_motion motion;
    assert_non_null(scene);
    assert_true(bench_motion_of_scene(scene, stride, &motion));
    return motion;
}

/* Libraries that promise every pair; ODE gives contact points, FCL's test has a tolerance. */
static bool is_complete(const char *name)
{
    return strncmp(name, "ODE", 3) != 0 && strncmp(name, "FCL", 3) != 0;
}

/* Puts every peer that can answer beside one of our methods. */
static void compare(bench_motion *motion, const bench_method *ours, bool first_only)
{
    static bench_report report;
    const bench_method *methods[1 + PEERS_MAX] = {ours};
    bench_settings settings = {.length = BENCH_QUICK, .seed = 1};
    bench_contest contest = {.settings = &settings,
                             .motion = motion,
                             .methods = methods,
                             .method_count = 1,
                             .first_only = first_only,
                             .plays = 2,
                             .title = "test"};
    for (uint32_t i = 0; i < peers_count(); i++) {
        if (!motion->self || peers_kind(i)->can_self) {
            methods[contest.method_count++] = peers_method(i);
        }
    }
    memset(&report, 0, sizeof report);
    if (!contest_run(&contest, &report)) {
        fail_msg("%s", report.error);
    }
    uint64_t pairs = contest_pairs(&contest);
    assert_true(pairs > 0);
    for (uint32_t m = 1; m < contest.method_count; m++) {
        const bench_differences *found = &contest.differences[m];
        uint64_t tolerated = is_complete(methods[m]->name)              ? 0
                             : strncmp(methods[m]->name, "FCL", 3) == 0 ? pairs / 10
                                                                        : pairs;
        if (found->missing + found->extra > tolerated) {
            fail_msg("%s: of %llu pairs %llu missing, %llu extra", methods[m]->name,
                     (unsigned long long)pairs, (unsigned long long)found->missing,
                     (unsigned long long)found->extra);
        }
        assert_true(found->pairs > 0);
        assert_int_equal(found->pairs, pairs - found->missing + found->extra);
    }
    contest_free(&contest);
    report_free(&report);
}

static void test_two_bodies(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 320, .seed = 3};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    bench_motion motion = make_motion(scene, 40);
    compare(&motion, &bench_ours_auto, false);
    compare(&motion, &bench_ours_first_auto, true);
    bench_motion_free(&motion);
    gallery_destroy(scene);
}

static void test_many_bodies(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 320, .seed = 3, .bodies = 8};
    gallery_scene *scene = gallery_create(&gallery_crowd_spheres, &wanted);
    bench_motion motion = make_motion(scene, 50);
    compare(&motion, &bench_scene_auto, false);
    bench_motion_free(&motion);
    gallery_destroy(scene);
}

static void test_one_body(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 1800, .seed = 3};
    gallery_scene *scene = gallery_create(&gallery_cloth, &wanted);
    bench_motion motion = make_motion(scene, 50);
    motion.self = true;
    compare(&motion, &bench_self_auto, false);
    bench_motion_free(&motion);
    gallery_destroy(scene);
}

static void test_blended_bodies(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 1200, .steps = 60, .seed = 3};
    gallery_scene *scene = gallery_create(ring_kind(RING_FEW_NODES, true), &wanted);
    bench_motion motion = make_motion(scene, 20);
    compare(&motion, &bench_scene_auto, false);
    bench_motion_free(&motion);
    gallery_destroy(scene);
}

/* Whether a report has rows and ratios with AVX2 at most, and that these fit each other. */
static bool shows_avx2(const bench_report *report)
{
    const bench_ratio *best = report_find_ratio(report, "vs_embree_refit_320");
    const bench_ratio *avx2 = report_find_ratio(report, "vs_embree_refit_320_avx2");
    double total[2] = {0.0, 0.0};
    for (uint32_t i = 0; i < report->row_count; i++) {
        const char *name = report->rows[i].method;
        if (strncmp(name, "ours", 4) == 0) {
            bool limited = strcmp(name, "ours, auto, avx2, 320") == 0;
            total[limited] = report_find_cell(&report->rows[i], "total_ms")->value;
        }
    }
    assert_true(total[0] > 0.0);
    assert_null(report_find_ratio(report, "vs_best_320_avx2"));
    if (best != NULL) { /* Embree is there */
        assert_int_equal(avx2 != NULL, total[1] > 0.0);
        if (avx2 != NULL) {
            assert_true(fabs(avx2->value * total[1] / (best->value * total[0]) - 1.0) < 1e-9);
        }
    }
    return total[1] > 0.0;
}

/* With AVX2 at most we answer alike; where nothing above it may be used there is no such row. */
static void test_avx2(void **state)
{
    (void)state;
    static bench_report report;
    static const bench_method *const ours[] = {&bench_ours_auto};
    static const pliant_isa caps[3] = {PLIANT_ISA_BEST, PLIANT_ISA_AVX2, PLIANT_ISA_PLAIN};
    gallery_settings wanted = {.triangles = 320, .seed = 3};
    gallery_scene *scene = gallery_create(&gallery_spheres, &wanted);
    bench_motion motion = make_motion(scene, 100);
    for (int i = 0; i < 3; i++) {
        bench_settings settings = {.length = BENCH_QUICK, .seed = 1, .isa = caps[i]};
        peers_contest contest = {.settings = &settings,
                                 .motion = &motion,
                                 .ours = ours,
                                 .our_count = 1,
                                 .avx2 = &bench_ours_avx2,
                                 .title = "test",
                                 .suffix = "_320",
                                 .group = "320"};
        memset(&report, 0, sizeof report);
        if (!peers_contest_run(&contest, &report)) {
            fail_msg("%s", report.error);
        }
        assert_int_equal(shows_avx2(&report),
                         bench_machine_describe(caps[i]).isa > PLIANT_ISA_AVX2);
        report_free(&report);
    }
    bench_motion_free(&motion);
    gallery_destroy(scene);
}

/* The peers' evaluation is the definition's, but for the last bits. */
static void test_evaluation(void **state)
{
    (void)state;
    gallery_settings wanted = {.triangles = 1200, .steps = 20, .seed = 3};
    gallery_scene *scene = gallery_create(ring_kind(RING_FEW_NODES, true), &wanted);
    bench_motion motion = make_motion(scene, 10);
    peer_evaluation *evaluation = peer_evaluation_create(&motion);
    assert_non_null(evaluation);
    uint32_t compared = 0;
    for (uint32_t at = 0; at < motion.step_count; at++) {
        const float *const *positions =
            peer_evaluation_run(evaluation, bench_motion_show(&motion, at));
        for (uint32_t body = 0; body < motion.body_count; body++) {
            float *expected = motion.start.world[body];
            gallery_evaluate(scene, body, motion.steps[at], expected);
            for (uint32_t i = 0; i < 3 * motion.meshes[body].vertex_count; i++) {
                assert_true(fabsf(positions[body][i] - expected[i]) < 1e-5f);
                compared++;
            }
        }
    }
    assert_true(compared > 1000);
    peer_evaluation_destroy(evaluation);
    bench_motion_free(&motion);
    gallery_destroy(scene);
}

static bench_differences differences_between(const pliant_pair *expected, uint64_t expected_count,
                                             const pliant_pair *found, uint64_t found_count)
{
    bench_motion motion = {.body_count = 2};
    bench_frame frame = {0};
    bench_range ranges[2] = {{.a = 0, .b = 1, .count = expected_count},
                             {.a = 0, .b = 1, .count = found_count}};
    bench_outcome outcomes[2] = {{.pairs = expected, .ranges = &ranges[0], .range_count = 1},
                                 {.pairs = found, .ranges = &ranges[1], .range_count = 1}};
    bench_pair_set sets[2];
    bench_differences differences = {0};
    for (int i = 0; i < 2; i++) {
        assert_true(bench_pair_set_collect(&motion, &frame, false, &outcomes[i], &sets[i]));
    }
    bench_pair_set_compare(&sets[0], &sets[1], &differences);
    bench_pair_set_free(&sets[0]);
    bench_pair_set_free(&sets[1]);
    return differences;
}

static void test_differences(void **state)
{
    (void)state;
    const pliant_pair expected[] = {{1, 2}, {1, 3}, {4, 1}};
    const pliant_pair same[] = {{4, 1}, {1, 3}, {1, 2}, {1, 3}}; /* one of them twice */
    const pliant_pair other[] = {{2, 1}, {4, 1}};
    bench_differences found = differences_between(expected, 3, same, 4);
    assert_int_equal(found.pairs, 3);
    assert_int_equal(found.missing, 0);
    assert_int_equal(found.extra, 0);
    found = differences_between(expected, 3, other, 2);
    assert_int_equal(found.pairs, 2);
    assert_int_equal(found.missing, 2);
    assert_int_equal(found.extra, 1);
    found = differences_between(expected, 3, NULL, 0);
    assert_int_equal(found.missing, 3);
    found = differences_between(NULL, 0, other, 2);
    assert_int_equal(found.extra, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_bodies), cmocka_unit_test(test_many_bodies),
        cmocka_unit_test(test_one_body),   cmocka_unit_test(test_blended_bodies),
        cmocka_unit_test(test_evaluation), cmocka_unit_test(test_differences),
        cmocka_unit_test(test_avx2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
