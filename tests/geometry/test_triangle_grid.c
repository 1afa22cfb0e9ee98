/* Every pair of triangles on the grid {0, 1, 2}^3, degenerate ones included (T2). */
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

#define TRIANGLES 3654 /* three of 27 points, repetition allowed */

static triangle_pair grid[TRIANGLES]; /* only a is used */

static void grid_point(float p[3], int index)
{
    p[0] = (float)(index % 3);
    p[1] = (float)(index / 3 % 3);
    p[2] = (float)(index / 9);
}

static int fill_grid(void **state)
{
    (void)state;
    int count = 0;
    for (int i = 0; i < 27; ++i) {
        for (int j = i; j < 27; ++j) {
            for (int k = j; k < 27; ++k) {
                grid_point(grid[count].a[0], i);
                grid_point(grid[count].a[1], j);
                grid_point(grid[count].a[2], k);
                ++count;
            }
        }
    }
    return count == TRIANGLES ? 0 : -1;
}

static void fail_pair(const triangle_pair *a, const triangle_pair *b, const char *what)
{
    triangle_pair pair;
    memcpy(pair.a, a->a, sizeof pair.a);
    memcpy(pair.b, b->a, sizeof pair.b);
    triangle_print(&pair, what, 0, 0);
    fail_msg("%s differs from the oracle", what);
}

static void test_every_pair(void **state)
{
    (void)state;
    uint64_t step = test_scale() >= 10.0 ? 1 : test_scale() >= 0.1 ? 10 : 20;
    uint64_t next = test_seed() % step;
    uint64_t index = 0;
    uint64_t tested = 0;
    for (int i = 0; i < TRIANGLES; ++i) {
        for (int k = i; k < TRIANGLES; ++k, ++index) {
            if (index != next) {
                continue;
            }
            next += step;
            ++tested;
            const triangle_pair *a = &grid[i];
            const triangle_pair *b = &grid[k];
            bool expected = oracle_overlap(a->a, b->a);
            if (pliant_triangle_overlap(as_triangle(a->a), as_triangle(b->a)) != expected ||
                pliant_triangle_overlap(as_triangle(b->a), as_triangle(a->a)) != expected) {
                fail_pair(a, b, "overlap");
            }
        }
    }
    print_message("  %llu of %llu pairs\n", (unsigned long long)tested, (unsigned long long)index);
}

/* What they have in common, on a smaller sample. */
static void test_kinds(void **state)
{
    (void)state;
    uint64_t seen[4] = {0};
    uint64_t count = scaled_count(100000);
    rng r;
    rng_seed(&r, test_seed());
    for (uint64_t i = 0; i < count; ++i) {
        const triangle_pair *a = &grid[rng_below(&r, TRIANGLES)];
        const triangle_pair *b = &grid[rng_below(&r, TRIANGLES)];
        pliant_segment segment;
        pliant_common common =
            pliant_triangle_intersect(as_triangle(a->a), as_triangle(b->a), &segment);
        ++seen[common];
        if ((int)common != oracle_dimension(a->a, b->a) + 1) {
            fail_pair(a, b, "kind");
        }
    }
    print_message("  nothing %llu, point %llu, segment %llu, area %llu\n",
                  (unsigned long long)seen[0], (unsigned long long)seen[1],
                  (unsigned long long)seen[2], (unsigned long long)seen[3]);
    if (count >= 10000) {
        assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pair),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, fill_grid, oracle_tear_down);
}
