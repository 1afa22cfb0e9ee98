/* Keys of moving features: equal for copies, whose exact times are equal, and for nothing else. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/moving_features.h"
#include "geometry/moving_key.h"
#include "moving_cases.h"
#include "triangle_cases.h"

static pli_moving_points as_points(const float x[4][2][3], bool edges)
{
    pli_moving_points points = {.edges = edges};
    for (int i = 0; i < 8; i++) {
        points.x[i / 2][i % 2] = x[i / 2][i % 2];
    }
    return points;
}

static bool equal(const pli_moving_points *a, const pli_moving_points *b)
{
    pli_moving_key key[2];
    pli_moving_key_set(&key[0], a);
    pli_moving_key_set(&key[1], b);
    bool same = pli_moving_key_equal(&key[0], &key[1]);
    assert_true(!same || pli_moving_key_hash(&key[0]) == pli_moving_key_hash(&key[1]));
    return same;
}

/* The order of two times by exact arithmetic alone; false if one pair never meets. */
static bool compare(const pli_moving_points *a, const pli_moving_points *b, int *order)
{
    pli_exact_time times[2];
    bool meet = pli_moving_find_exact(a, &times[0]) && pli_moving_find_exact(b, &times[1]);
    *order = meet ? pli_time_compare(&times[0], &times[1]) : 0;
    return meet;
}

/* The points of a pair in another order that names the same features. */
static void shuffle(rng *r, bool edges, float x[4][2][3])
{
    static const int edge_order[4][4] = {{0, 1, 2, 3}, {2, 3, 0, 1}, {1, 0, 2, 3}, {3, 2, 0, 1}};
    static const int face_order[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 2, 1, 3}, {0, 3, 2, 1}};
    float y[4][2][3];
    memcpy(y, x, sizeof y);
    uint64_t which = rng_below(r, 4);
    for (int i = 0; i < 4; i++) {
        memcpy(x[i], y[edges ? edge_order[which][i] : face_order[which][i]], sizeof x[i]);
    }
}

/* A copy: shuffled, moved and scaled without rounding. False if that is not possible. */
static bool copy(rng *r, bool edges, float x[4][2][3])
{
    for (int axis = 0; axis < 3; axis++) {
        int power = (int)rng_below(r, 9) - 4;
        float way = rng_below(r, 2) == 0 ? 0.0f : (float)((int)rng_below(r, 65) - 32);
        for (int i = 0; i < 8; i++) {
            float *at = &x[i / 2][i % 2][axis], moved = *at + way, scaled = ldexpf(moved, power);
            if ((double)moved - (double)way != (double)*at ||
                (double)moved - (double)*at != (double)way ||
                (double)scaled != ldexp((double)moved, power)) {
                return false;
            }
            *at = scaled;
        }
    }
    shuffle(r, edges, x);
    return true;
}

static void test_copies(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed());
    uint64_t copies = 0, met = 0;
    for (uint64_t i = 0; i < scaled_count(40000); i++) {
        float x[4][2][3], y[4][2][3];
        bool edges = i % 2 != 0;
        moving_case((int)(i / 2 % MOVING_FAMILIES), &r, 4, x);
        memcpy(y, x, sizeof y);
        pli_moving_points a = as_points((const float(*)[2][3])x, edges);
        pli_moving_points b = as_points((const float(*)[2][3])y, edges);
        if (!copy(&r, edges, y)) {
            continue;
        }
        int order;
        copies++;
        assert_true(equal(&a, &b));
        bool meet = compare(&a, &b, &order);
        assert_int_equal(order, 0);
        met += meet;
        b.edges = !edges;
        assert_false(equal(&a, &b));
    }
    assert_true(copies > scaled_count(40000) / 8 && met > copies / 20);
}

/* One coordinate changed by one unit in the last place, unless that is a copy, too: then the time
   is the same. */
static void test_changes(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 1);
    uint64_t equal_keys = 0, count = scaled_count(40000);
    for (uint64_t i = 0; i < count; i++) {
        float x[4][2][3], y[4][2][3];
        bool edges = i % 2 != 0;
        moving_case((int)(i / 2 % MOVING_FAMILIES), &r, 4, x);
        memcpy(y, x, sizeof y);
        uint64_t k = rng_below(&r, 24);
        float *changed = &y[k / 6][k / 3 % 2][k % 3];
        *changed = rng_below(&r, 2) == 0 ? nextafterf(*changed, 1.0f) : *changed + 1.0f;
        pli_moving_points a = as_points((const float(*)[2][3])x, edges);
        pli_moving_points b = as_points((const float(*)[2][3])y, edges);
        int order;
        if (equal(&a, &b)) {
            equal_keys++;
            assert_true(!compare(&a, &b, &order) || order == 0);
        }
    }
    assert_true(equal_keys < count / 10);
}

/* A difference that no double holds counts to its last bit. */
static void test_wide_differences(void **state)
{
    (void)state;
    float x[4][2][3] = {{{0x1p-140f, 0, 0}, {0x1p100f, 1, 0}},
                        {{1, 0, 1}, {1, 2, 3}},
                        {{0, 1, 1}, {1, 5, 3}},
                        {{0, 0, 1}, {7, 2, 3}}};
    float y[4][2][3];
    memcpy(y, x, sizeof y);
    pli_moving_points a = as_points((const float(*)[2][3])x, false);
    pli_moving_points b = as_points((const float(*)[2][3])y, false);
    assert_true(equal(&a, &b));
    y[0][0][0] = 0x1p-149f;
    assert_false(equal(&a, &b));
    y[0][0][0] = 0.0f;
    assert_false(equal(&a, &b));
    x[0][0][0] = -0.0f;
    assert_true(equal(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_wide_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
