/* The closest point of a triangle, against exact minimisation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "skipping.h"

#include "oracle.h"
#include "as_triangle.h"
#include "pliant/triangle.h"
#include "triangle_cases.h"

static double largest_coordinate(const triangle_pair *pair)
{
    double largest = 0.0;
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 3; ++k) {
            largest = fmax(largest, fmax(fabs(pair->a[c][k]), fabs(pair->b[0][k])));
        }
    }
    return largest;
}

static void check_case(const triangle_pair *pair, const char *family, uint64_t seed, uint64_t i)
{
    double closest[3];
    double distance = pliant_triangle_find_closest_point(as_triangle(pair->a), pair->b[0], closest);
    double largest = largest_coordinate(pair);
    double squared = 0.0;
    for (int k = 0; k < 3; ++k) {
        squared += (closest[k] - pair->b[0][k]) * (closest[k] - pair->b[0][k]);
    }
    bool right = oracle_distance_is(pair->b[0], pair->a, distance, 0x1p-48 * largest) &&
                 fabs(sqrt(squared) - distance) <= 0x1p-49 * largest;
    for (int k = 0; k < 3; ++k) {
        double low = fmin(fmin(pair->a[0][k], pair->a[1][k]), pair->a[2][k]);
        double high = fmax(fmax(pair->a[0][k], pair->a[1][k]), pair->a[2][k]);
        double slack = 0x1p-50 * largest;
        right = right && closest[k] >= low - slack && closest[k] <= high + slack;
    }
    if (!right) {
        triangle_print(pair, family, seed, i);
        fail_msg("distance from b0 to a is not %a", distance);
    }
}

static void test_families(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    uint64_t count = scaled_count(5000);
    for (int f = 0; f < triangle_family_count; ++f) {
        for (uint64_t i = 0; i < count; ++i) {
            triangle_pair pair;
            triangle_case(&pair, &triangle_families[f], seed, i);
            check_case(&pair, triangle_families[f].name, seed, i);
        }
    }
}

/* Needles: corners almost on a line, and the point near them. */
static void test_needles(void **state)
{
    (void)state;
    rng r;
    uint64_t count = scaled_count(20000);
    for (uint64_t i = 0; i < count; ++i) {
        triangle_pair pair = {{{0}}, {{0}}};
        rng_seed(&r, test_seed() + 3 * i);
        double thickness = ldexp(1.0, -(int)rng_below(&r, 40));
        double x[4] = {0.0, 1.0, rng_unit(&r), rng_unit(&r)};
        double direction[3];
        for (int k = 0; k < 3; ++k) {
            direction[k] = rng_range(&r, -1.0, 1.0);
        }
        for (int c = 0; c < 4; ++c) {
            float *p = c < 3 ? pair.a[c] : pair.b[0];
            for (int k = 0; k < 3; ++k) {
                p[k] = (float)(x[c] * direction[k] + thickness * rng_range(&r, -1.0, 1.0));
            }
        }
        check_case(&pair, "needle", test_seed(), i);
    }
}

static void test_corners_are_exact(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 1000; ++i) {
        triangle_pair made;
        const triangle_pair *pair = &made;
        double closest[3];
        triangle_case(&made, &triangle_families[i % (uint64_t)triangle_family_count], 1, i);
        for (int c = 0; c < 3; ++c) {
            assert_true(pliant_triangle_find_closest_point(as_triangle(pair->a), pair->a[c],
                                                           closest) == 0.0);
            for (int k = 0; k < 3; ++k) {
                assert_true(closest[k] == (double)pair->a[c][k]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_needles),
        cmocka_unit_test(test_corners_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
