/*
 * How much work a query about moving features can be. The exact tier is compiled into this test
 * once more, with every multiplication of wide integers counted: products of limbs, which is what
 * its time goes into.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "skipping.h"

#include "geometry/moving_features.h"
#include "limb_products.h"
#include "moving_cases.h"
#include "triangle_cases.h"

/* docs/soundness.md, S11. */
#define MOST_IN_A_QUERY    ((uint64_t)1 << 21)
#define MOST_IN_COMPARISON ((uint64_t)1 << 22)

typedef struct most_work {
    uint64_t meet, exact, compare;
} most_work;

static void raise(uint64_t *most)
{
    *most = limb_products > *most ? limb_products : *most;
    limb_products = 0;
}

/* Features that meet, and when: by all tiers, and by the last alone. */
static bool measure(const pli_moving_points *points, pliant_meeting_time *time, most_work *most)
{
    pli_exact_time exact;
    limb_products = 0;
    bool meet = pli_moving_meet(points, time, NULL);
    raise(&most->meet);
    if (pli_moving_find_exact(points, &exact)) {
        double low, high;
        pli_time_enclose(&exact, &low, &high);
    }
    raise(&most->exact);
    return meet;
}

static void set_points(const float x[4][2][3], bool edges, pli_moving_points *points)
{
    points->edges = edges;
    for (int i = 0; i < 8; i++) {
        points->x[i / 2][i % 2] = x[i / 2][i % 2];
    }
}

/* The order of two times, by exact arithmetic alone. */
static void compare(const pli_moving_points points[2], most_work *most)
{
    const pliant_meeting_time any = {0.0, 1.0};
    limb_products = 0;
    pli_moving_compare(&points[0], &any, &points[1], &any);
    raise(&most->compare);
}

enum { EXTREMES = MOVING_FAMILIES };

static void make_case(int family, rng *r, float x[4][2][3])
{
    static const float extremes[6] = {0x1.fffffep127f, 0x1p-149f, 0x1.fffffep-127f,
                                      0x1.555556p0f,   0.0f,      0x1.fffffep126f};
    if (family != EXTREMES) {
        moving_case(family, r, 4, x);
        return;
    }
    for (int k = 0; k < 24; k++) {
        float value = extremes[rng_below(r, 6)];
        x[k / 6][k / 3 % 2][k % 3] = rng_below(r, 2) == 0 ? value : -value;
    }
}

static void no_query_exceeds_the_bound(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed());
    for (int family = 0; family <= EXTREMES; family++) {
        most_work most = {0};
        float x[2][4][2][3];
        pli_moving_points points[2];
        uint32_t met = 0;
        for (uint64_t i = 0; i < scaled_count(2000); i++) {
            uint32_t which = met % 2;
            pliant_meeting_time time;
            make_case(family, &r, x[which]);
            set_points((const float(*)[2][3])x[which], i % 2 != 0, &points[which]);
            bool meets = measure(&points[which], &time, &most);
            if (meets && which == 1) {
                compare(points, &most);
            }
            met += meets;
        }
        print_message("  %-18s %8llu in a query, %8llu without filters, %8llu to compare\n",
                      family == EXTREMES ? "extremes" : moving_family_name(family),
                      (unsigned long long)most.meet, (unsigned long long)most.exact,
                      (unsigned long long)most.compare);
        assert_true(most.meet <= most.exact && most.exact <= MOST_IN_A_QUERY);
        assert_true(most.compare <= MOST_IN_COMPARISON);
        assert_true(family != EXTREMES || most.exact > 50000); /* it is counted */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_query_exceeds_the_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
