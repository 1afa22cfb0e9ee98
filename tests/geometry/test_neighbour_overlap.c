/* Triangles of one mesh: what they share does not count (D4), against the oracle. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "skipping.h"

#include "as_triangle.h"
#include "geometry/triangle_overlap.h"
#include "oracle.h"
#include "triangle_cases.h"

/* Copies `count` corners of a to corners of b, in random places, and notes them. */
static void share_corners(rng *r, triangle_pair *pair, int count, uint8_t shared[3][2])
{
    int turn_a = (int)rng_below(r, 3);
    int turn_b = (int)rng_below(r, 3);
    int step = rng_below(r, 2) ? 1 : 2;
    for (int i = 0; i < count; ++i) {
        shared[i][0] = (uint8_t)((turn_a + i) % 3);
        shared[i][1] = (uint8_t)((turn_b + step * i) % 3);
        memcpy(pair->b[shared[i][1]], pair->a[shared[i][0]], sizeof pair->b[0]);
    }
}

static void check_shared(const triangle_pair *pair, int count, const uint8_t (*shared)[2],
                         const char *family, uint64_t seed, uint64_t index, uint64_t *reported)
{
    uint8_t mirrored[3][2] = {{0}};
    for (int i = 0; i < count; ++i) {
        mirrored[i][0] = shared[count - 1 - i][1];
        mirrored[i][1] = shared[count - 1 - i][0];
    }
    bool expected = oracle_overlap_beyond(pair->a, pair->b, count, shared);
    bool forward = pli_triangle_overlap_beyond(pair->a, pair->b, count, shared, NULL);
    uint8_t shared_a[3] = {0}, shared_b[3] = {0};
    for (int k = 0; k < count; k++) {
        shared_a[k] = shared[k][0];
        shared_b[k] = shared[k][1];
    }
    bool published = pliant_triangle_overlap_beyond(as_triangle(pair->a), as_triangle(pair->b),
                                                    (uint32_t)count, shared_a, shared_b);
    assert_int_equal(published, forward);
    bool backward =
        pli_triangle_overlap_beyond(pair->b, pair->a, count, (const uint8_t(*)[2])mirrored, NULL);
    if (forward != expected || backward != expected) {
        triangle_print(pair, family, seed, index);
        fail_msg("%d shared (%d %d, %d %d): expected %d, got %d and, exchanged, %d", count,
                 shared[0][0], shared[0][1], shared[count - 1][0], shared[count - 1][1], expected,
                 forward, backward);
    }
    *reported += expected;
}

static void test_families(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    uint64_t count = scaled_count(4000);
    for (int f = 0; f < triangle_family_count; ++f) {
        uint64_t reported = 0;
        for (uint64_t i = 0; i < count; ++i) {
            triangle_pair pair;
            uint8_t shared[3][2] = {{0}};
            rng r;
            rng_seed(&r, seed + 17 * i);
            triangle_case(&pair, &triangle_families[f], seed, i);
            int corners = 1 + (int)rng_below(&r, 2);
            share_corners(&r, &pair, corners, shared);
            check_shared(&pair, corners, (const uint8_t(*)[2])shared, triangle_families[f].name,
                         seed, i, &reported);
        }
        print_message("  %-22s %6llu pairs, %5.1f %% have more in common\n",
                      triangle_families[f].name, (unsigned long long)count,
                      100.0 * (double)reported / (double)count);
    }
}

/* Small grids, where almost everything that can be degenerate is. */
static void test_grids(void **state)
{
    (void)state;
    rng r;
    uint64_t count = scaled_count(200000);
    uint64_t reported = 0;
    for (uint64_t i = 0; i < count; ++i) {
        triangle_pair pair;
        uint8_t shared[3][2] = {{0}};
        rng_seed(&r, test_seed() + 31 * i);
        uint64_t extent[3] = {2 + rng_below(&r, 2), 1 + rng_below(&r, 3), 1 + rng_below(&r, 3)};
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < 3; ++k) {
                pair.a[c][k] = (float)rng_below(&r, extent[k]);
                pair.b[c][k] = (float)rng_below(&r, extent[k]);
            }
        }
        int corners = 1 + (int)rng_below(&r, 2);
        share_corners(&r, &pair, corners, shared);
        check_shared(&pair, corners, (const uint8_t(*)[2])shared, "grid", test_seed(), i,
                     &reported);
    }
    print_message("  %llu pairs, %5.1f %% have more in common\n", (unsigned long long)count,
                  100.0 * (double)reported / (double)count);
    assert_in_range(reported, 1, count);
}

static void test_three_shared(void **state)
{
    (void)state;
    static const triangle_pair pair = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                       {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    static const uint8_t shared[3][2] = {{0, 0}, {1, 1}, {2, 2}};
    assert_false(pli_triangle_overlap_beyond(pair.a, pair.b, 3, shared, NULL));
    assert_true(pli_triangle_overlap_beyond(pair.a, pair.b, 0, shared, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_three_shared),
    };
    return cmocka_run_group_tests(tests, NULL, oracle_tear_down);
}
