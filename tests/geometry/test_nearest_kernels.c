/* Closest points of several pairs of triangles at once, against those of one pair, bit by bit, for
   every instruction set of the machine. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "skipping.h"

#include "base/kernels.h"
#include "geometry/nearest_kernels.h"
#include "geometry/triangle_distance.h"
#include "triangle_cases.h"

typedef struct tally {
    uint64_t apart, left; /* pairs that do not touch, and those of them that a kernel left */
} tally;

static void put_pair(pli_measured_triangles *all, uint32_t i, const triangle_pair *pair)
{
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            all->a[c][k][i] = pair->a[c][k];
            all->b[c][k][i] = pair->b[c][k];
        }
    }
}

static bool same_point(const pliant_surface_point *at, const double point[3][PLI_MEASURED_AT_ONCE],
                       unsigned corners, uint32_t i)
{
    pliant_surface_point found;
    pli_surface_feature_set(&found, corners);
    bool same = found.feature == at->feature && found.index == at->index;
    for (int k = 0; k < 3; k++) {
        same = same && memcmp(&point[k][i], &at->point[k], sizeof(double)) == 0;
    }
    return same;
}

/* A batch of `count` pairs by one instruction set; returns which it says are apart. */
static unsigned check_batch(pliant_isa isa, const triangle_pair *pairs, uint32_t count,
                            const char *family, tally *sum)
{
    pli_measured_triangles all;
    pli_measured_gaps gaps;
    memset(&all, 0, sizeof all);
    memset(&gaps, 0xff, sizeof gaps);
    for (uint32_t i = 0; i < count; i++) {
        put_pair(&all, i, &pairs[i]);
    }
    unsigned apart = pli_kernels_for(isa)->nearest->measure(&all, count, &gaps);
    assert_true(apart >> count == 0);
    for (uint32_t i = 0; i < count; i++) {
        pliant_gap gap;
        double distance = pli_triangle_distance(pairs[i].a, pairs[i].b, &gap, NULL);
        sum->apart += distance > 0.0;
        if ((apart >> i & 1) == 0) {
            sum->left += distance > 0.0;
            continue;
        }
        bool same = distance > 0.0 && memcmp(&distance, &gaps.distance[i], sizeof distance) == 0 &&
                    same_point(&gap.a, (const double(*)[PLI_MEASURED_AT_ONCE])gaps.point_a,
                               gaps.corners_a[i], i) &&
                    same_point(&gap.b, (const double(*)[PLI_MEASURED_AT_ONCE])gaps.point_b,
                               gaps.corners_b[i], i);
        if (!same) {
            triangle_print(&pairs[i], family, test_seed(), i);
            fail_msg("%s: %a instead of %a", pliant_isa_get_name(isa), gaps.distance[i], distance);
        }
    }
    return apart;
}

static void check_all_sets(const triangle_pair *pairs, uint32_t count, const char *family,
                           tally *sum)
{
    unsigned plain = check_batch(PLIANT_ISA_PLAIN, pairs, count, family, sum);
    for (int isa = PLIANT_ISA_BASELINE; isa <= PLIANT_ISA_AVX512; isa++) {
        if (pli_isa_choose((pliant_isa)isa) == (pliant_isa)isa) {
            assert_int_equal(check_batch((pliant_isa)isa, pairs, count, family, sum), plain);
        }
    }
}

static void test_families(void **state)
{
    (void)state;
    for (int f = 0; f < triangle_family_count; f++) {
        tally sum = {0, 0};
        for (uint64_t i = 0; i < scaled_count(400); i++) {
            triangle_pair pairs[PLI_MEASURED_AT_ONCE];
            uint32_t count = 1 + (uint32_t)(i % PLI_MEASURED_AT_ONCE);
            for (uint32_t k = 0; k < count; k++) {
                triangle_case(&pairs[k], &triangle_families[f], test_seed(), 8 * i + k);
            }
            check_all_sets(pairs, count, triangle_families[f].name, &sum);
        }
    }
}

/* Thin triangles at all angles, of all sizes and as far away as floats go, and a small grid:
   degenerate triangles, equal corners, parallel edges. */
static void make_hard(rng *r, uint64_t i, triangle_pair *pair)
{
    double size = i % 5 == 0 ? 0x1p126 : i % 5 == 1 ? 0x1p-140 : 1.0;
    double thickness = ldexp(1.0, -(int)rng_below(r, 40)), along[3];
    for (int k = 0; k < 3; k++) {
        along[k] = rng_range(r, -1.0, 1.0);
    }
    for (int c = 0; c < 6; c++) {
        float *p = c < 3 ? pair->a[c] : pair->b[c - 3];
        double x = rng_range(r, -1.0, 1.0);
        for (int k = 0; k < 3; k++) {
            double thin = x * along[k] + thickness * rng_range(r, -1.0, 1.0);
            p[k] = i % 2 == 0 ? (float)(size * thin) : (float)(size * (double)rng_below(r, 4));
        }
    }
}

static void test_hard_ones(void **state)
{
    (void)state;
    rng r;
    tally sum = {0, 0};
    rng_seed(&r, test_seed());
    for (uint64_t i = 0; i < scaled_count(8000); i++) {
        triangle_pair pairs[PLI_MEASURED_AT_ONCE];
        for (uint32_t k = 0; k < PLI_MEASURED_AT_ONCE; k++) {
            make_hard(&r, i + k, &pairs[k]);
        }
        check_all_sets(pairs, PLI_MEASURED_AT_ONCE, "hard", &sum);
    }
}

/* Of ordinary pairs, hardly any is left to be measured alone. */
static void test_few_are_left(void **state)
{
    (void)state;
    rng r;
    tally sum = {0, 0};
    rng_seed(&r, test_seed());
    for (uint64_t i = 0; i < scaled_count(2000); i++) {
        triangle_pair pairs[PLI_MEASURED_AT_ONCE];
        for (uint32_t k = 0; k < PLI_MEASURED_AT_ONCE; k++) {
            for (int c = 0; c < 9; c++) {
                pairs[k].a[c / 3][c % 3] = (float)rng_range(&r, -1.0, 1.0);
                pairs[k].b[c / 3][c % 3] = (float)rng_range(&r, -1.0, 1.0);
            }
        }
        check_all_sets(pairs, PLI_MEASURED_AT_ONCE, "ordinary", &sum);
    }
    assert_true(sum.apart > 0 && 1000 * sum.left <= sum.apart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_hard_ones),
        cmocka_unit_test(test_few_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
