/* The distance of two triangles, against exact minimisation over their features. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "skipping.h"

#include "geometry/triangle_distance.h"
#include "as_triangle.h"
#include "oracle.h"
#include "triangle_cases.h"

/* Whether a point lies on the feature it is said to lie on, up to `error`. */
static bool lies_on(const pliant_surface_point *at, const float t[3][3], double error)
{
    double corner[3][3];
    float feature[3][3];
    for (int c = 0; c < 3; ++c) {
        uint32_t i = at->feature == PLIANT_FEATURE_FACE     ? (uint32_t)c
                     : at->feature == PLIANT_FEATURE_VERTEX ? at->index
                     : c == 0                               ? at->index
                                                            : (at->index + 1) % 3;
        for (int k = 0; k < 3; ++k) {
            feature[c][k] = t[i][k];
            corner[c][k] = (double)t[i][k];
        }
    }
    /* The distance of a double point: its rounding to float32 is no nearer than this. */
    float rounded[3];
    double slack = error;
    for (int k = 0; k < 3; ++k) {
        rounded[k] = (float)at->point[k];
        slack += fabs((double)rounded[k] - at->point[k]);
        double low = fmin(fmin(corner[0][k], corner[1][k]), corner[2][k]);
        double high = fmax(fmax(corner[0][k], corner[1][k]), corner[2][k]);
        if (at->point[k] < low - error || at->point[k] > high + error) {
            return false;
        }
    }
    return pliant_triangle_find_closest_point(as_triangle(feature), rounded, NULL) <= slack;
}

static void check_pair(const triangle_pair *pair, const char *family, uint64_t seed, uint64_t i)
{
    pliant_gap gap;
    pliant_gap back;
    double distance =
        pliant_triangle_measure_distance(as_triangle(pair->a), as_triangle(pair->b), &gap);
    double spread = pli_coordinate_spread(pair->a, pair->b, 3);
    double error = PLI_DISTANCE_ERROR * spread;
    double largest = 0.0;
    double squared = 0.0;
    for (int k = 0; k < 9; ++k) {
        largest = fmax(largest, fmax(fabs((double)pair->a[k / 3][k % 3]),
                                     fabs((double)pair->b[k / 3][k % 3])));
    }
    for (int k = 0; k < 3; ++k) {
        squared += (gap.a.point[k] - gap.b.point[k]) * (gap.a.point[k] - gap.b.point[k]);
    }
    bool touch = oracle_overlap(pair->a, pair->b);
    bool right = distance == gap.distance && (distance == 0.0) == touch &&
                 pliant_triangle_measure_distance(as_triangle(pair->b), as_triangle(pair->a),
                                                  &back) == distance &&
                 pliant_triangle_measure_distance(as_triangle(pair->a), as_triangle(pair->b),
                                                  NULL) == distance;
    if (touch) {
        right = right && squared == 0.0 && gap.a.feature == PLIANT_FEATURE_FACE;
    } else {
        right = right && oracle_triangle_distance_is(pair->a, pair->b, distance, error) &&
                fabs(sqrt(squared) - distance) <= 0x1p-48 * largest + DBL_MIN &&
                lies_on(&gap.a, pair->a, 0x1p-48 * largest) &&
                lies_on(&gap.b, pair->b, 0x1p-48 * largest);
    }
    if (!right) {
        triangle_print(pair, family, seed, i);
        fail_msg("distance %a, spread %a, touch %d", distance, spread, touch);
    }
}

static void test_families(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    uint64_t count = scaled_count(1500);
    for (int f = 0; f < triangle_family_count; ++f) {
        for (uint64_t i = 0; i < count; ++i) {
            triangle_pair pair;
            triangle_case(&pair, &triangle_families[f], seed, i);
            check_pair(&pair, triangle_families[f].name, seed, i);
        }
    }
}

/* Nearly parallel edges and thin triangles, at all angles down to none. */
static void test_nearly_parallel(void **state)
{
    (void)state;
    rng r;
    uint64_t count = scaled_count(20000);
    for (uint64_t i = 0; i < count; ++i) {
        triangle_pair pair;
        rng_seed(&r, test_seed() + 7 * i);
        double thickness = ldexp(1.0, -(int)rng_below(&r, 40));
        double apart = ldexp(1.0, -(int)rng_below(&r, 40));
        double offset = i % 3 == 0 ? 1000.0 : 0.0;
        double along[3];
        for (int k = 0; k < 3; ++k) {
            along[k] = rng_range(&r, -1.0, 1.0);
        }
        for (int c = 0; c < 6; ++c) {
            float *p = c < 3 ? pair.a[c] : pair.b[c - 3];
            double x = rng_range(&r, -1.0, 1.0);
            for (int k = 0; k < 3; ++k) {
                p[k] = (float)(offset + x * along[k] + thickness * rng_range(&r, -1.0, 1.0) +
                               (c < 3 && k == 0 ? apart : 0.0));
            }
        }
        check_pair(&pair, "nearly parallel", test_seed(), i);
    }
}

/* A small grid: degenerate triangles, equal corners, parallel edges. */
static void test_grid(void **state)
{
    (void)state;
    rng r;
    uint64_t count = scaled_count(10000);
    for (uint64_t i = 0; i < count; ++i) {
        triangle_pair pair;
        rng_seed(&r, test_seed() + 11 * i);
        for (int k = 0; k < 9; ++k) {
            pair.a[k / 3][k % 3] = (float)rng_below(&r, 4);
            pair.b[k / 3][k % 3] = (float)rng_below(&r, 4);
        }
        check_pair(&pair, "grid", test_seed(), i);
    }
}

static void test_known_features(void **state)
{
    (void)state;
    const triangle_pair pair = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                                {{1, 1, 1}, {1, 1, 3}, {2, 2, 3}}};
    pliant_gap gap;
    assert_true(pliant_triangle_measure_distance(as_triangle(pair.a), as_triangle(pair.b), &gap) ==
                1.0);
    assert_int_equal(gap.a.feature, PLIANT_FEATURE_FACE);
    assert_int_equal(gap.b.feature, PLIANT_FEATURE_VERTEX);
    assert_int_equal(gap.b.index, 0);
    const triangle_pair edges = {{{-1, 0, 0}, {0, 0, -9}, {1, 0, 0}},
                                 {{0, -1, 2}, {0, 0, 9}, {0, 1, 2}}};
    assert_true(
        pliant_triangle_measure_distance(as_triangle(edges.a), as_triangle(edges.b), &gap) == 2.0);
    assert_int_equal(gap.a.feature, PLIANT_FEATURE_EDGE);
    assert_int_equal(gap.a.index, 2);
    assert_int_equal(gap.b.feature, PLIANT_FEATURE_EDGE);
    assert_int_equal(gap.b.index, 2);
    assert_true(gap.a.point[2] == 0.0 && gap.b.point[2] == 2.0);
    const triangle_pair touching = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                                    {{1, 1, 0}, {1, 1, 3}, {2, 2, 3}}};
    assert_true(pliant_triangle_measure_distance(as_triangle(touching.a), as_triangle(touching.b),
                                                 &gap) == 0.0);
    assert_true(gap.a.point[0] == 1.0 && gap.b.point[1] == 1.0 && gap.a.point[2] == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_nearly_parallel),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_known_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
