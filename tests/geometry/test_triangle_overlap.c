/* The exact triangle test against the oracle (T1), labelled pairs, symmetries (T3) and the caller's
   floating-point environment. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "skipping.h"

#include "geometry/triangle_overlap.h"
#include "as_triangle.h"
#include "oracle.h"
#include "triangle_cases.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#ifndef PLIANT_ASSETS_DIR
#define PLIANT_ASSETS_DIR "../shared/assets"
#endif

/* T1. A family in which one of the answers never occurs would test little. */
static void family_agrees_with_oracle(const triangle_family *family, uint64_t count)
{
    uint64_t seed = test_seed();
    uint64_t touching = 0;
    uint64_t fallbacks = 0;
    for (uint64_t i = 0; i < count; ++i) {
        triangle_pair made;
        const triangle_pair *pair = &made;
        triangle_case(&made, family, seed, i);
        bool expected = oracle_overlap(pair->a, pair->b);
        bool forward = pli_triangle_overlap(pair->a, pair->b, &fallbacks);
        bool backward = pliant_triangle_overlap(as_triangle(pair->b), as_triangle(pair->a));
        if (forward != expected || backward != expected) {
            triangle_print(pair, family->name, seed, i);
            fail_msg("expected %d, got %d and, exchanged, %d", expected, forward, backward);
        }
        touching += expected;
    }
    print_message("  %-22s %8llu pairs, %5.1f %% touch, %5.2f fallbacks per pair\n", family->name,
                  (unsigned long long)count, 100.0 * (double)touching / (double)count,
                  (double)fallbacks / (double)count);
    if (count >= 10000) {
        assert_in_range(touching, 1, count - 1);
    }
}

static void test_families(void **state)
{
    (void)state;
    uint64_t count = scaled_count(1000000) / (uint64_t)triangle_family_count + 1;
    for (int f = 0; f < triangle_family_count; ++f) {
        family_agrees_with_oracle(&triangle_families[f], count);
    }
}

/* Applies one of 48 axis symmetries and a power of two to a point. */
static void transform(float r[3], const float p[3], int symmetry, float scale)
{
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < 3; ++k) {
        float sign = (symmetry >> k & 1) != 0 ? -scale : scale;
        r[k] = sign * p[order[symmetry >> 3][k]];
    }
}

static bool overlap_of_image(const triangle_pair *pair, int orders, int symmetry, float scale)
{
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    triangle_pair made;
    const triangle_pair *image = &made;
    for (int i = 0; i < 3; ++i) {
        transform(made.a[i], pair->a[order[orders % 6][i]], symmetry, scale);
        transform(made.b[i], pair->b[order[orders / 6 % 6][i]], symmetry, scale);
    }
    return orders / 36 == 0 ? pliant_triangle_overlap(as_triangle(image->a), as_triangle(image->b))
                            : pliant_triangle_overlap(as_triangle(image->b), as_triangle(image->a));
}

/* T3: 72 orders and 48 symmetries. */
static void test_symmetries(void **state)
{
    (void)state;
    uint64_t seed = test_seed() + 1000;
    uint64_t count = scaled_count(10000);
    for (uint64_t i = 0; i < count; ++i) {
        const triangle_family *family = &triangle_families[i % (uint64_t)triangle_family_count];
        triangle_pair pair;
        triangle_case(&pair, family, seed, i);
        bool expected = overlap_of_image(&pair, 0, 0, 1.0f);
        for (int image = 1; image < 72 * 48; ++image) {
            if (overlap_of_image(&pair, image % 72, image / 72, 1.0f) != expected) {
                triangle_print(&pair, family->name, seed, i);
                fail_msg("order %d, symmetry %d differ", image % 72, image / 72);
            }
        }
    }
}

static void test_scaling(void **state)
{
    (void)state;
    uint64_t seed = test_seed() + 2000;
    uint64_t count = scaled_count(20000);
    for (uint64_t i = 0; i < count; ++i) {
        const triangle_family *family = &triangle_families[i % 10]; /* those of moderate size */
        triangle_pair pair;
        triangle_case(&pair, family, seed, i);
        bool expected = overlap_of_image(&pair, 0, 0, 1.0f);
        for (int exponent = -60; exponent <= 100; exponent += 20) {
            if (overlap_of_image(&pair, 0, 0, ldexpf(1.0f, exponent)) != expected) {
                triangle_print(&pair, family->name, seed, i);
                fail_msg("scaled by 2^%d it differs", exponent);
            }
        }
    }
}

/* Reads pairs of triangles, three numbers a line, and counts those that overlap. */
static uint64_t count_overlaps_in_file(const char *name, uint64_t *pairs)
{
    char path[4096];
    const char *assets = getenv("PLIANT_ASSETS");
    snprintf(path, sizeof path, "%s/truth/triangle-pairs/%s",
             assets != NULL ? assets : PLIANT_ASSETS_DIR, name);
    FILE *file = fopen(path, "r");
    uint64_t overlaps = 0;
    *pairs = 0;
    while (file != NULL) {
        triangle_pair made;
        const triangle_pair *pair = &made;
        int read = 0;
        while (read < 18) {
            float *x = read < 9 ? &made.a[read / 3][read % 3] : &made.b[read / 3 - 3][read % 3];
            if (fscanf(file, "%f", x) != 1) {
                break;
            }
            ++read;
        }
        if (read < 18) {
            break;
        }
        bool overlap = pliant_triangle_overlap(as_triangle(pair->a), as_triangle(pair->b));
        assert_int_equal(overlap, oracle_overlap(pair->a, pair->b));
        overlaps += overlap;
        ++*pairs;
    }
    if (file != NULL) {
        fclose(file);
    }
    return overlaps;
}

static void test_labelled_pairs(void **state)
{
    (void)state;
    uint64_t pairs;
    uint64_t overlaps = count_overlaps_in_file("intersected.txt", &pairs);
    if (pairs == 0) {
        skip_without_assets("truth/triangle-pairs");
    }
    assert_int_equal(pairs, 5000);
    assert_int_equal(overlaps, pairs);
    overlaps = count_overlaps_in_file("separated.txt", &pairs);
    assert_int_equal(pairs, 5000);
    assert_int_equal(overlaps, 0);
}

/* Answers of every public test here in the present environment, as bits. */
static unsigned answers(const triangle_pair *pair)
{
    pliant_segment segment;
    double t = 0.0;
    unsigned bits = pliant_triangle_overlap(as_triangle(pair->a), as_triangle(pair->b));
    bits = bits * 4 + (unsigned)pliant_triangle_intersect(as_triangle(pair->a),
                                                          as_triangle(pair->b), &segment);
    bits =
        bits * 4 + (unsigned)(pliant_orient3d(pair->a[0], pair->a[1], pair->a[2], pair->b[0]) + 1);
    bits =
        bits * 2 + pliant_triangle_raycast(as_triangle(pair->a), pair->b[0], pair->b[1], 1.0f, &t);
    uint64_t words[2];
    double distance = pliant_triangle_find_closest_point(as_triangle(pair->a), pair->b[0], NULL);
    memcpy(&words[0], &distance, sizeof distance);
    memcpy(&words[1], &t, sizeof t);
    for (int k = 0; k < 3; ++k) {
        uint32_t word;
        memcpy(&word, &segment.p[k], sizeof word);
        bits = bits * 31u + word;
    }
    return bits ^ (unsigned)(words[0] ^ words[0] >> 32 ^ words[1] ^ words[1] >> 32);
}

static void test_environment(void **state)
{
    (void)state;
    static const int rounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint64_t seed = test_seed() + 3000;
    uint64_t count = scaled_count(20000);
    for (uint64_t i = 0; i < count; ++i) {
        const triangle_family *family = &triangle_families[i % (uint64_t)triangle_family_count];
        triangle_pair pair;
        triangle_case(&pair, family, seed, i);
        unsigned expected = answers(&pair);
        for (int mode = 0; mode < 8; ++mode) {
            fesetround(rounding[mode % 4]);
#if defined(__SSE__)
            unsigned saved = _mm_getcsr();
            _mm_setcsr(mode < 4 ? saved : saved | 0x8040u); /* flush to zero, denormals are zero */
#endif
            unsigned got = answers(&pair);
            bool restored = fegetround() == rounding[mode % 4];
#if defined(__SSE__)
            restored = restored && (_mm_getcsr() & 0x8040u) == (mode < 4 ? 0u : 0x8040u);
            _mm_setcsr(saved);
#endif
            fesetround(FE_TONEAREST);
            if (got != expected || !restored) {
                triangle_print(&pair, family->name, seed, i);
                fail_msg("environment %d changes an answer or is not restored", mode);
            }
        }
    }
}

/* Numbers that are not finite have no right answer, but must not trap, loop or index wildly. */
static void test_not_finite(void **state)
{
    (void)state;
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    rng r;
    rng_seed(&r, test_seed());
    for (int i = 0; i < 20000; ++i) {
        triangle_pair pair;
        triangle_case(&pair, &triangle_families[i % triangle_family_count], 7, (uint64_t)i);
        for (int k = 0; k < 3; ++k) {
            pair.a[rng_below(&r, 3)][rng_below(&r, 3)] = odd[rng_below(&r, 3)];
            pair.b[rng_below(&r, 3)][rng_below(&r, 3)] = odd[rng_below(&r, 3)];
        }
        answers(&pair);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),    cmocka_unit_test(test_symmetries),
        cmocka_unit_test(test_scaling),     cmocka_unit_test(test_labelled_pairs),
        cmocka_unit_test(test_environment), cmocka_unit_test(test_not_finite),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, oracle_tear_down);
}
