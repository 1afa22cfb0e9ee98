/*
 * What the kernels say of two triangles, or of two that share corners, is what the core's exact
 * tests say, in every tier: in float, in double and in whole numbers, wherever it does not leave
 * the answer open. Families of ordinary and adversarial pairs, at all sizes; and each tier decides
 * what it should, so that silence is no way to be right. And numbers of half precision, which boxes
 * are compared in.
 */
#include "as_triangle.h"
#include "fixture.h"
#include "libs/cuda/exact.h"
#include "triangle_cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef int (*tier)(const pli_cuda_corners *corners, const pli_cuda_shared *shared);

static int in_float(const pli_cuda_corners *c, const pli_cuda_shared *shared)
{
    return pli_float_decide(c, shared);
}

static int in_double(const pli_cuda_corners *c, const pli_cuda_shared *shared)
{
    return pli_double_decide(c, shared);
}

static int in_whole_numbers(const pli_cuda_corners *c, const pli_cuda_shared *shared)
{
    return pli_exact_decide(c, shared);
}

static const struct {
    const char *name;
    tier decide;
} tiers[3] = {{"float", in_float}, {"double", in_double}, {"whole", in_whole_numbers}};

/* Per tier and number of shared corners: pairs, and those that it decided. */
static uint64_t asked[3][3], decided[3][3], touching[3];

/* Asks all tiers about a pair whose `count` shared corners are known. */
static void check_pair(const triangle_pair *pair, const pli_cuda_shared *shared, const char *what)
{
    const pliant_triangle *a = as_triangle(pair->a), *b = as_triangle(pair->b);
    bool truth = shared->count == 0
                     ? pliant_triangle_overlap(a, b)
                     : pliant_triangle_overlap_beyond(a, b, (uint32_t)shared->count,
                                                      shared->corner[0], shared->corner[1]);
    pli_cuda_corners c;
    memset(&c, 0, sizeof c);
    memcpy(c.at[0], pair->a, sizeof pair->a);
    memcpy(c.at[1], pair->b, sizeof pair->b);
    touching[shared->count] += truth;
    for (int t = 0; t < 3; t++) {
        int verdict = tiers[t].decide(&c, shared);
        asked[t][shared->count]++;
        if (verdict == PLI_CUDA_UNSURE) {
            continue;
        }
        decided[t][shared->count]++;
        if ((verdict == PLI_CUDA_TOUCH) != truth) {
            triangle_print(pair, what, 0, 0);
            printf("%s, %d corners shared: the device says %d in %s\n", what, shared->count,
                   verdict, tiers[t].name);
            fail();
        }
    }
}

static void scale_pair(triangle_pair *pair, double scale)
{
    for (int i = 0; i < 9; i++) {
        pair->a[i / 3][i % 3] = (float)((double)pair->a[i / 3][i % 3] * scale);
        pair->b[i / 3][i % 3] = (float)((double)pair->b[i / 3][i % 3] * scale);
    }
}

static bool is_finite(const triangle_pair *pair)
{
    bool finite = true;
    for (int i = 0; i < 9; i++) {
        finite = finite && isfinite(pair->a[i / 3][i % 3]) && isfinite(pair->b[i / 3][i % 3]);
    }
    return finite;
}

static bool same(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Makes corners of b those of a, in any places; false where positions coincide that should not. */
static bool share_corners(triangle_pair *pair, int count, rng *r, pli_cuda_shared *shared)
{
    uint32_t i = (uint32_t)rng_below(r, 3), k = (uint32_t)rng_below(r, 3);
    uint32_t step_a = 1 + (uint32_t)rng_below(r, 2), step_b = 1 + (uint32_t)rng_below(r, 2);
    shared->count = count;
    for (int s = 0; s < count; s++, i = (i + step_a) % 3, k = (k + step_b) % 3) {
        shared->corner[0][s] = (uint8_t)i;
        shared->corner[1][s] = (uint8_t)k;
        memcpy(pair->b[k], pair->a[i], sizeof pair->b[k]);
    }
    return count < 2 || !same(pair->a[shared->corner[0][0]], pair->a[shared->corner[0][1]]);
}

static void test_families(void **state)
{
    (void)state;
    static const double scales[] = {1.0, 0x1p-126, 0x1p-60, 0x1p30, 0x1p90};
    uint64_t count = fixture_at_least(200, 4000);
    for (int f = 0; f < triangle_family_count; f++) {
        for (uint64_t i = 0; i < count; i++) {
            rng r;
            rng_seed(&r, i + 1);
            for (int shares = 0; shares < 3; shares++) {
                triangle_pair pair;
                pli_cuda_shared shared = {0};
                triangle_case(&pair, &triangle_families[f], 1, i);
                scale_pair(&pair, scales[i % 5]);
                if (is_finite(&pair) && share_corners(&pair, shares, &r, &shared)) {
                    check_pair(&pair, &shared, triangle_families[f].name);
                }
            }
        }
    }
}

/* Corners on a small grid: every degeneracy, and whole numbers decide all but degenerate ones. */
static void test_grid(void **state)
{
    (void)state;
    uint64_t count = fixture_at_least(20000, 400000);
    rng r;
    rng_seed(&r, 5);
    for (uint64_t i = 0; i < count; i++) {
        triangle_pair pair;
        pli_cuda_shared shared = {0};
        uint64_t side = 2 + i % 3;
        for (int k = 0; k < 9; k++) {
            pair.a[k / 3][k % 3] = (float)rng_below(&r, side);
            pair.b[k / 3][k % 3] = (float)rng_below(&r, side);
        }
        if (i % 4 == 0) { /* in one plane */
            for (int k = 0; k < 3; k++) {
                pair.a[k][2] = pair.b[k][2] = 1.0f;
            }
        }
        if (share_corners(&pair, (int)(i / 4 % 3), &r, &shared)) {
            check_pair(&pair, &shared, "grid");
        }
    }
}

/* Random neighbours of a nearly flat surface: float decides nearly all, double the rest. */
static void test_surface(void **state)
{
    (void)state;
    uint64_t before[2] = {decided[0][1] + decided[0][2], asked[0][1] + asked[0][2]};
    for (int i = 0; i < 2000; i++) {
        rng r;
        rng_seed(&r, (uint64_t)i);
        triangle_pair pair;
        pli_cuda_shared shared = {0};
        double bump = i % 2 == 0 ? 0.0 : 0.05;
        static const double corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
        for (int k = 0; k < 3; k++) {
            for (int axis = 0; axis < 2; axis++) {
                double sign = i / 2 % 2 == 0 || axis == 0 ? -1.0 : 1.0;
                pair.a[k][axis] = (float)(corner[k][axis] + rng_range(&r, -0.1, 0.1));
                pair.b[k][axis] = (float)(sign * corner[k][axis] + rng_range(&r, -0.1, 0.1));
            }
            pair.a[k][2] = (float)rng_range(&r, -bump, bump);
            pair.b[k][2] = (float)rng_range(&r, -bump, bump);
        }
        memcpy(pair.b[0], pair.a[0], sizeof pair.b[0]);
        shared.count = 1;
        check_pair(&pair, &shared, "surface");
    }
    uint64_t more = decided[0][1] + decided[0][2] - before[0];
    assert_true(more > (asked[0][1] + asked[0][2] - before[1]) / 2);
}

/* Neighbours in one plane whose corners nearly lie on one line: on which side of it they are is a
   matter of the last bits, which no tier may get wrong. */
static void test_thin_neighbours(void **state)
{
    (void)state;
    uint64_t count = fixture_at_least(20000, 400000);
    rng r;
    rng_seed(&r, 17);
    for (uint64_t i = 0; i < count; i++) {
        triangle_pair pair;
        pli_cuda_shared shared = {0};
        double along[2] = {rng_range(&r, 0.3, 1.0), rng_range(&r, 0.3, 1.0)};
        double from[2] = {rng_range(&r, 0.0, 0.1), rng_range(&r, 0.0, 0.1)};
        for (int corner = 0; corner < 6; corner++) {
            float *p = corner < 3 ? pair.a[corner] : pair.b[corner - 3];
            double t = rng_range(&r, 0.05, 1.0);
            for (int k = 0; k < 2; k++) {
                p[k] = (float)(from[k] + t * along[k] + 0x1p-24 * (double)rng_below(&r, 4));
            }
            p[2] = i % 3 == 0 ? 0x1p-30f * (float)rng_below(&r, 3) : 0.0f;
        }
        if (share_corners(&pair, 1 + (int)(i % 2), &r, &shared)) {
            check_pair(&pair, &shared, "thin");
        }
    }
}

/* Coordinates that need up to 56 bits of a common unit: whole numbers know where they end. */
static void test_wide_ranges(void **state)
{
    (void)state;
    uint64_t count = fixture_at_least(4000, 100000);
    rng r;
    rng_seed(&r, 23);
    for (uint64_t i = 0; i < count; i++) {
        triangle_pair pair;
        pli_cuda_shared shared = {0};
        for (int k = 0; k < 18; k++) {
            double x = rng_range(&r, -1.0, 1.0) * (rng_below(&r, 3) == 0 ? ldexp(1.0, -30) : 1.0);
            (k < 9 ? pair.a : pair.b)[k / 3 % 3][k % 3] = (float)x;
        }
        if (share_corners(&pair, (int)(i % 3), &r, &shared)) {
            check_pair(&pair, &shared, "wide");
        }
    }
}

/* Every tier has decided its share, and both answers were there. */
static void test_shares(void **state)
{
    (void)state;
    for (int shares = 0; shares < 3; shares++) {
        printf("%d shared: %llu pairs, %llu touch, decided", shares,
               (unsigned long long)asked[0][shares], (unsigned long long)touching[shares]);
        for (int t = 0; t < 3; t++) {
            double share = (double)decided[t][shares] / (double)asked[t][shares];
            printf(" %.3f in %s", share, tiers[t].name);
            assert_true(share > (t == 2 ? 0.4 : 0.05));
        }
        printf("\n");
        assert_true(touching[shares] > asked[0][shares] / 100);
    }
}

/* What a number of half precision stands for. */
static double value_of_half(uint32_t half)
{
    int exponent = (int)(half >> 10 & 31u), mantissa = (int)(half & 1023u);
    double size = exponent == 31  ? HUGE_VAL
                  : exponent == 0 ? ldexp(mantissa, -24)
                                  : ldexp(1024 + mantissa, exponent - 25);
    return (half & 0x8000u) != 0 ? -size : size;
}

/* The emulator rounds to half precision as a device does: to the nearest, or the even one. */
static void test_halves(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 11);
    uint32_t count = fixture_at_least(100000, 1000000);
    for (uint32_t i = 0; i < count; i++) {
        int exponent = (int)rng_below(&r, 48) - 30;
        double size = (double)(float)ldexp(1.0 + rng_unit(&r), exponent);
        if (i % 2 == 0) { /* on a half, between two, or next to that */
            size = ldexp((double)(2048 + rng_below(&r, 2049)), exponent - 12);
            size = (double)nextafterf((float)size, (float)size + (float)(i / 2 % 3) - 1.0f);
        }
        double unit = ldexp(1.0, ilogb(size) < -14 ? -24 : ilogb(size) - 10);
        double expected = rint(size / unit) * unit;
        expected = expected >= 65536.0 ? HUGE_VAL : expected;
        uint32_t two = pli_two_halves((float)size, (float)-size);
        assert_true(value_of_half(two & 0xffffu) == expected);
        assert_true(value_of_half(two >> 16) == -expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),    cmocka_unit_test(test_grid),
        cmocka_unit_test(test_surface),     cmocka_unit_test(test_thin_neighbours),
        cmocka_unit_test(test_wide_ranges), cmocka_unit_test(test_shares),
        cmocka_unit_test(test_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
