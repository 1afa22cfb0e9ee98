/* Rays against one triangle, exactly (D8), against the oracle. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "skipping.h"

#include "geometry/triangle_overlap.h"
#include "as_triangle.h"
#include "oracle.h"
#include "triangle_cases.h"

/* A ray made from a pair: from b0, towards b1, towards a corner or a point of a, or nowhere. */
static void make_ray(rng *r, const triangle_pair *pair, float direction[3], float *t_max)
{
    static const float ends[] = {0.0f,      0.5f,  1.0f,     1.0f,    2.0f,
                                 0x1p-149f, 3e38f, INFINITY, INFINITY};
    uint64_t kind = rng_below(r, 8);
    const float *towards = pair->a[rng_below(r, 3)];
    for (int k = 0; k < 3; ++k) {
        float middle = 0.25f * pair->a[0][k] + 0.25f * pair->a[1][k] + 0.5f * pair->a[2][k];
        direction[k] = kind < 2   ? pair->b[1][k]
                       : kind < 5 ? towards[k] - pair->b[0][k]
                       : kind < 7 ? middle - pair->b[0][k]
                                  : 0.0f;
        direction[k] = isfinite(direction[k]) ? direction[k] : 1.0f;
    }
    *t_max = rng_below(r, 4) ? ends[rng_below(r, sizeof ends / sizeof ends[0])]
                             : (float)rng_range(r, 0.0, 2.0);
}

static void check_ray(const triangle_pair *pair, const char *family, uint64_t seed, uint64_t i,
                      uint64_t *hits)
{
    rng r;
    float direction[3];
    float t_max;
    rng_seed(&r, seed + 13 * i);
    make_ray(&r, pair, direction, &t_max);
    bool expected = oracle_ray(pair->b[0], direction, t_max, pair->a);
    double t = -1.0;
    bool got = pliant_triangle_raycast(as_triangle(pair->a), pair->b[0], direction, t_max, &t);
    bool without_t =
        pliant_triangle_raycast(as_triangle(pair->a), pair->b[0], direction, t_max, NULL);
    if (got != expected || without_t != expected || (expected && !oracle_ray_rounds_to(t))) {
        triangle_print(pair, family, seed, i);
        fail_msg("ray from b0 along %a %a %a to %a: expected %d, got %d and %d, t = %a",
                 direction[0], direction[1], direction[2], t_max, expected, got, without_t, t);
    }
    *hits += expected;
}

static void test_families(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    uint64_t count = scaled_count(20000);
    for (int f = 0; f < triangle_family_count; ++f) {
        uint64_t hits = 0;
        for (uint64_t i = 0; i < count; ++i) {
            triangle_pair pair;
            triangle_case(&pair, &triangle_families[f], seed, i);
            check_ray(&pair, triangle_families[f].name, seed, i, &hits);
        }
        print_message("  %-22s %6llu rays, %5.1f %% hit\n", triangle_families[f].name,
                      (unsigned long long)count, 100.0 * (double)hits / (double)count);
    }
}

/* Small grids: rays in the plane, through edges and corners, to triangles that are segments. */
static void test_grids(void **state)
{
    (void)state;
    uint64_t count = scaled_count(300000);
    uint64_t hits = 0;
    rng r;
    for (uint64_t i = 0; i < count; ++i) {
        triangle_pair made;
        const triangle_pair *pair = &made;
        float direction[3];
        rng_seed(&r, test_seed() + 31 * i);
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < 3; ++k) {
                made.a[c][k] = (float)rng_below(&r, 3);
                made.b[c][k] = (float)rng_below(&r, 3);
                direction[k] = (float)rng_below(&r, 5) - 2.0f;
            }
        }
        float t_max = i % 4 == 0 ? INFINITY : (float)rng_below(&r, 5) * 0.5f;
        bool expected = oracle_ray(pair->b[0], direction, t_max, pair->a);
        double t = -1.0;
        if (pliant_triangle_raycast(as_triangle(pair->a), pair->b[0], direction, t_max, &t) !=
                expected ||
            (expected && !oracle_ray_rounds_to(t))) {
            triangle_print(pair, "grid", test_seed(), i);
            fail_msg("ray from b0 along %g %g %g to %g: expected %d", direction[0], direction[1],
                     direction[2], t_max, expected);
        }
        hits += expected;
    }
    assert_in_range(hits, 1, count);
}

/* Which of two hits is nearer, ties included. */
static void test_order_of_hits(void **state)
{
    (void)state;
    uint64_t count = scaled_count(100000);
    uint64_t compared = 0;
    uint64_t ties = 0;
    for (uint64_t i = 0; i < count; ++i) {
        triangle_pair made;
        const triangle_pair *pair = &made;
        rng r;
        rng_seed(&r, test_seed() + 7 * i);
        float origin[3];
        float direction[3];
        const triangle_family *family = &triangle_families[i % (uint64_t)triangle_family_count];
        triangle_case(&made, family, test_seed() + 5, i);
        for (int k = 0; k < 3; ++k) {
            origin[k] = (float)rng_range(&r, -0.5, 0.5);
            direction[k] = 0.25f * made.a[0][k] + 0.25f * made.a[1][k] + 0.5f * made.a[2][k];
            direction[k] -= origin[k];
            direction[k] = isfinite(direction[k]) ? direction[k] : 1.0f;
        }
        if (oracle_ray(origin, direction, INFINITY, pair->b) &&
            oracle_ray(origin, direction, INFINITY, pair->a)) {
            int expected = oracle_ray_order();
            ++compared;
            ties += expected == 0;
            if (pli_triangle_ray_compare(origin, direction, pair->a, pair->b) != expected ||
                pli_triangle_ray_compare(origin, direction, pair->b, pair->a) != -expected ||
                pliant_triangle_compare_hits(as_triangle(pair->a), as_triangle(pair->b), origin,
                                             direction) != expected) {
                triangle_print(pair, family->name, test_seed(), i);
                fail_msg("order of hits, expected %d", expected);
            }
        }
    }
    print_message("  %llu compared, %llu ties\n", (unsigned long long)compared,
                  (unsigned long long)ties);
    assert_true(compared > 0);
}

static void test_odd_rays(void **state)
{
    (void)state;
    static const triangle_pair pair = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0}}};
    static const float above[3] = {1, 1, 1};
    static const float on[3] = {1, 1, 0};
    static const float down[3] = {0, 0, -1};
    static const float zero[3] = {0, 0, 0};
    double t = 7.0;
    assert_false(pliant_triangle_raycast(as_triangle(pair.a), above, down, -1.0f, &t));
    assert_false(pliant_triangle_raycast(as_triangle(pair.a), above, down, NAN, &t));
    assert_false(pliant_triangle_raycast(as_triangle(pair.a), above, zero, INFINITY, &t));
    assert_true(t == 7.0);
    assert_true(pliant_triangle_raycast(as_triangle(pair.a), on, zero, INFINITY, &t) && t == 0.0);
    assert_true(pliant_triangle_raycast(as_triangle(pair.a), above, down, 1.0f, &t) && t == 1.0);
    assert_false(
        pliant_triangle_raycast(as_triangle(pair.a), above, down, nextafterf(1.0f, 0.0f), &t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_rays),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_order_of_hits),
    };
    return cmocka_run_group_tests(tests, NULL, oracle_tear_down);
}
