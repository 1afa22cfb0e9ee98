/* What two triangles have in common: the kind exactly, the points up to rounding. */
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
#include "geometry/vec3.h"
#include "oracle.h"
#include "triangle_cases.h"

static double largest_coordinate(const triangle_pair *pair)
{
    double largest = 0.0;
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 3; ++k) {
            largest = fmax(largest, fmax(fabs(pair->a[c][k]), fabs(pair->b[c][k])));
        }
    }
    return largest;
}

static bool in_box(const float p[3], const float t[3][3])
{
    for (int k = 0; k < 3; ++k) {
        float low = pli_min(pli_min(t[0][k], t[1][k]), t[2][k]);
        float high = pli_max(pli_max(t[0][k], t[1][k]), t[2][k]);
        if (p[k] < low || p[k] > high) {
            return false;
        }
    }
    return true;
}

/* A point is right when it is as close to both triangles as rounding to float32 leaves it. */
static bool point_is_right(const float p[3], const triangle_pair *pair)
{
    double error = 0x1p-22 * largest_coordinate(pair) + 0x1p-148;
    return in_box(p, pair->a) && in_box(p, pair->b) &&
           pliant_triangle_find_closest_point(as_triangle(pair->a), p, NULL) <= error &&
           pliant_triangle_find_closest_point(as_triangle(pair->b), p, NULL) <= error;
}

static bool same_in_all_orders(const triangle_pair *pair, const pliant_segment *expected)
{
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int i = 1; i < 72; ++i) {
        triangle_pair made;
        const triangle_pair *other = &made;
        pliant_segment got;
        for (int c = 0; c < 3; ++c) {
            memcpy(made.a[c], pair->a[order[i % 6][c]], sizeof made.a[c]);
            memcpy(made.b[c], pair->b[order[i / 6 % 6][c]], sizeof made.b[c]);
        }
        pliant_triangle_intersect(as_triangle(i < 36 ? other->a : other->b),
                                  as_triangle(i < 36 ? other->b : other->a), &got);
        if (got.common != expected->common || !pli_vec3_equal(got.p, expected->p) ||
            !pli_vec3_equal(got.q, expected->q)) {
            return false;
        }
    }
    return true;
}

static void check_case(const triangle_pair *pair, const char *family, uint64_t seed, uint64_t i,
                       uint64_t seen[4])
{
    pliant_segment segment;
    pliant_common common =
        pliant_triangle_intersect(as_triangle(pair->a), as_triangle(pair->b), &segment);
    bool right = common == segment.common &&
                 (int)common == oracle_dimension(pair->a, pair->b) + 1 &&
                 same_in_all_orders(pair, &segment);
    if (common != PLIANT_COMMON_NOTHING) {
        right = right && point_is_right(segment.p, pair) && point_is_right(segment.q, pair);
    }
    if (common == PLIANT_COMMON_POINT) {
        right = right && pli_vec3_equal(segment.p, segment.q);
    }
    if (!right) {
        triangle_print(pair, family, seed, i);
        fail_msg("kind %d, oracle's dimension %d, p %a %a %a, q %a %a %a", (int)common,
                 oracle_dimension(pair->a, pair->b), segment.p[0], segment.p[1], segment.p[2],
                 segment.q[0], segment.q[1], segment.q[2]);
    }
    ++seen[common];
}

static void test_families(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    uint64_t count = scaled_count(10000);
    for (int f = 0; f < triangle_family_count; ++f) {
        uint64_t seen[4] = {0};
        for (uint64_t i = 0; i < count; ++i) {
            triangle_pair pair;
            triangle_case(&pair, &triangle_families[f], seed, i);
            check_case(&pair, triangle_families[f].name, seed, i, seen);
        }
        print_message("  %-22s nothing %6llu, point %6llu, segment %6llu, area %6llu\n",
                      triangle_families[f].name, (unsigned long long)seen[0],
                      (unsigned long long)seen[1], (unsigned long long)seen[2],
                      (unsigned long long)seen[3]);
    }
}

static void check_ends(const triangle_pair *pair, pliant_common common, const float p[3],
                       const float q[3])
{
    pliant_segment segment;
    assert_int_equal(
        pliant_triangle_intersect(as_triangle(pair->a), as_triangle(pair->b), &segment), common);
    assert_true(pli_vec3_equal(segment.p, p) && pli_vec3_equal(segment.q, q));
}

static void test_known_segments(void **state)
{
    (void)state;
    static const triangle_pair crossing = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                                           {{1, 1, -1}, {1, 1, 1}, {3, 1, 0}}};
    static const triangle_pair flat = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                                       {{1, 1, 0}, {9, 1, 0}, {1, 9, 0}}};
    static const triangle_pair touching = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                                           {{1, 1, 0}, {1, 1, 1}, {3, 1, 5}}};
    static const triangle_pair edge = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                                       {{1, 0, 0}, {9, 0, 0}, {1, -9, 0}}};
    check_ends(&crossing, PLIANT_COMMON_SEGMENT, (float[3]){1, 1, 0}, (float[3]){3, 1, 0});
    check_ends(&flat, PLIANT_COMMON_AREA, (float[3]){1, 3, 0}, (float[3]){3, 1, 0});
    check_ends(&touching, PLIANT_COMMON_POINT, (float[3]){1, 1, 0}, (float[3]){1, 1, 0});
    check_ends(&edge, PLIANT_COMMON_SEGMENT, (float[3]){1, 0, 0}, (float[3]){4, 0, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_segments),
        cmocka_unit_test(test_families),
    };
    return cmocka_run_group_tests(tests, NULL, oracle_tear_down);
}
