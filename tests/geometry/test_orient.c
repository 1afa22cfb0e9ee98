/* Signs of determinants in every tier, against GMP. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "skipping.h"

#include "geometry/orient.h"
#include "geometry/wide.h"
#include "oracle.h"
#include "pliant/triangle.h"
#include "triangle_cases.h"

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

/* Four corners of every family, through the filter and past it. */
static void test_orient3d(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    uint64_t count = scaled_count(50000);
    for (int f = 0; f < triangle_family_count; ++f) {
        for (uint64_t i = 0; i < count; ++i) {
            triangle_pair p;
            triangle_case(&p, &triangle_families[f], seed, i);
            int expected = oracle_orient3d(p.a[0], p.a[1], p.a[2], p.b[0]);
            uint64_t fallbacks = 0;
            int exact = pli_orient3d_exact(p.a[0], p.a[1], p.a[2], p.b[0], &fallbacks);
            if (pliant_orient3d(p.a[0], p.a[1], p.a[2], p.b[0]) != expected || exact != expected ||
                sign_of(pli_orient3d_value(p.a[0], p.a[1], p.a[2], p.b[0])) != expected ||
                fallbacks != 1) {
                triangle_print(&p, triangle_families[f].name, seed, i);
                fail_msg("orient3d of a0, a1, a2, b0");
            }
        }
    }
}

/* orient2d along an axis is orient3d with a fourth point raised along that axis. */
static void test_orient2d(void **state)
{
    (void)state;
    uint64_t seed = test_seed() + 1;
    uint64_t count = scaled_count(20000);
    for (int f = 0; f < triangle_family_count; ++f) {
        for (uint64_t i = 0; i < count; ++i) {
            triangle_pair p;
            triangle_case(&p, &triangle_families[f], seed, i);
            int axis = (int)(i % 3);
            for (int k = 0; k < 3; ++k) {
                p.a[k][axis] = 0.0f;
                p.b[0][k] = k == axis ? 1.0f : p.a[0][k];
            }
            int expected = oracle_orient3d(p.a[0], p.a[1], p.a[2], p.b[0]);
            if (pli_orient2d(p.a[0], p.a[1], p.a[2], axis, NULL) != expected ||
                pli_orient2d_exact(p.a[0], p.a[1], p.a[2], axis, NULL) != expected ||
                sign_of(pli_orient2d_value(p.a[0], p.a[1], p.a[2], axis)) != expected) {
                triangle_print(&p, triangle_families[f].name, seed, i);
                fail_msg("orient2d of a along axis %d", axis);
            }
        }
    }
}

/*
 * Determinants that are tiny beside their permanents: four points of a plane, one of them then
 * moved by one unit in the last place, with coordinates from 2^-140 to 2^100 so that all tiers take
 * part.
 */
static void test_nearly_flat(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 2);
    uint64_t count = scaled_count(300000);
    uint64_t zeros = 0;
    for (uint64_t i = 0; i < count; ++i) {
        float p[4][3];
        float scale = ldexpf(1.0f, (int)rng_below(&r, 200) - 120);
        for (int k = 0; k < 3; ++k) {
            float origin = (float)rng_below(&r, 4096);
            float u = (float)rng_below(&r, 511) - 255.0f;
            float v = (float)rng_below(&r, 511) - 255.0f;
            float stretch = i % 2 ? 1.0f : ldexpf(1.0f, (int)rng_below(&r, 40) - 20);
            for (int c = 0; c < 4; ++c) {
                float in_plane = origin + (float)c * u + (float)(c * c % 3) * v;
                p[c][k] = in_plane * stretch * scale;
            }
        }
        if (rng_below(&r, 2)) {
            float *x = &p[rng_below(&r, 4)][rng_below(&r, 3)];
            *x = nextafterf(*x, rng_below(&r, 2) ? INFINITY : -INFINITY);
        }
        int expected = oracle_orient3d(p[0], p[1], p[2], p[3]);
        zeros += expected == 0;
        if (pliant_orient3d(p[0], p[1], p[2], p[3]) != expected) {
            fail_msg("seed %llu, case %llu", (unsigned long long)test_seed(),
                     (unsigned long long)i);
        }
    }
    assert_true(zeros > count / 10 && zeros < count);
}

/* Two points on a line with the origin, and a third so close to the origin that differences with it
   round: the estimates then have the wrong sign about as often as the right one. */
static void test_tiny_offsets(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 4);
    uint64_t count = scaled_count(300000);
    for (uint64_t i = 0; i < count; ++i) {
        float p[4][3];
        float up[3];
        for (int k = 0; k < 3; ++k) {
            float x = (float)rng_below(&r, 4095) - 2047.0f;
            float y = (float)rng_below(&r, 255) - 127.0f;
            p[0][k] = (float)ldexp(rng_range(&r, -1.0, 1.0), -(int)rng_below(&r, 10) - 36);
            p[1][k] = 17.0f * x;
            p[2][k] = 71.0f * x;
            p[3][k] = 71.0f * x + 17.0f * y;
            up[k] = k == 2 ? 1.0f : p[0][k];
        }
        if (pliant_orient3d(p[0], p[1], p[2], p[3]) != oracle_orient3d(p[0], p[1], p[2], p[3])) {
            fail_msg("seed %llu, case %llu", (unsigned long long)test_seed(),
                     (unsigned long long)i);
        }
        p[0][2] = p[1][2] = p[2][2] = 0.0f;
        if (pli_orient2d(p[0], p[1], p[2], 2, NULL) != oracle_orient3d(p[0], p[1], p[2], up)) {
            fail_msg("2d, seed %llu, case %llu", (unsigned long long)test_seed(),
                     (unsigned long long)i);
        }
    }
}

static void wide_from_integer(pli_wide *r, int64_t x)
{
    /* Two floats of 24 bits each hold 48 bits. */
    pli_wide low;
    pli_wide_from_float(r, (float)(x >> 24), -24);
    pli_wide_from_float(&low, (float)(x & 0xffffff), 0);
    pli_wide_add(r, r, &low);
}

/* Wide integers against the machine's, and the rounding of quotients against double division of
   integers below 2^47, which is correctly rounded. */
static void test_wide(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 3);
    for (int i = 0; i < 200000; ++i) {
        int64_t x =
            (int64_t)(rng_u64(&r) >> (17 + rng_below(&r, 40))) * (rng_below(&r, 2) ? 1 : -1);
        int64_t y =
            (int64_t)(rng_u64(&r) >> (17 + rng_below(&r, 40))) * (rng_below(&r, 2) ? 1 : -1);
        pli_wide a;
        pli_wide b;
        pli_wide c;
        wide_from_integer(&a, x);
        wide_from_integer(&b, y);
        assert_int_equal(pli_wide_compare(&a, &b), (x > y) - (x < y));
        assert_true(pli_wide_to_double(&a, 0) == (double)x);
        pli_wide_subtract(&c, &a, &b);
        assert_true(pli_wide_to_double(&c, 0) == (double)(x - y));
        pli_wide_multiply(&c, &a, &b);
        assert_true(fabs(pli_wide_to_double(&c, 0) - (double)x * (double)y) <=
                    0x1p-51 * fabs((double)x * (double)y));
        if (y > 0) {
            assert_true(pli_wide_quotient(&a, &b) == (double)x / (double)y);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orient3d),    cmocka_unit_test(test_orient2d),
        cmocka_unit_test(test_nearly_flat), cmocka_unit_test(test_tiny_offsets),
        cmocka_unit_test(test_wide),
    };
    return cmocka_run_group_tests(tests, NULL, oracle_tear_down);
}
