/* Moving features and triangles that come within a distance, by integer arithmetic. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/moving_approach.h"
#include "moving_cases.h"
#include "oracle.h"
#include "oracle_approach.h"
#include "triangle_cases.h"

/* The largest difference of a coordinate between points at one end of the step. */
static double spread_of(float x[][2][3], int count)
{
    double spread = 0.0;
    for (int i = 0; i < count * count * 6; i++) {
        int p = i / 6 / count, q = i / 6 % count, end = i / 3 % 2, k = i % 3;
        spread = fmax(spread, fabs((double)x[p][end][k] - (double)x[q][end][k]));
    }
    return spread;
}

static pli_moving_points moving_points(float x[4][2][3], bool edges)
{
    pli_moving_points points = {.edges = edges};
    for (int i = 0; i < 8; i++) {
        points.x[i / 2][i % 2] = x[i / 2][i % 2];
    }
    return points;
}

typedef struct tally {
    uint64_t close, apart, later, looks, most;
} tally;

/* What is said of two features is true, and is the same with every limit. */
static void check_features(float x[4][2][3], bool edges, float d, tally *t)
{
    pli_moving_points points = moving_points(x, edges);
    const float(*y)[2][3] = (const float(*)[2][3])x;
    double time = -1.0;
    uint32_t looks = 0;
    bool close = pli_moving_approach(&points, (double)d, 1.0, &time, &looks);
    if (!close) {
        assert_true(oracle_stay_beyond(y, edges, (double)d, 1.0));
    } else {
        assert_true(time >= 0.0 && time <= 1.0);
        assert_true(oracle_is_near(y, edges, (double)d, spread_of(x, 4), time));
        assert_true(time == 0.0 || oracle_stay_beyond(y, edges, (double)d, time));
        for (int i = 0; i < 3; i++) {
            double limit = i == 0 ? time : i == 1 ? nextafter(time, 0.0) : 0.5 * time, again = -1.0;
            bool found = pli_moving_approach(&points, (double)d, limit, &again, NULL);
            assert_true(found == (time <= limit) && (!found || again == time));
        }
    }
    t->close += close;
    t->later += close && time > 0.0;
    t->apart += !close;
    t->looks += looks;
    t->most = looks > t->most ? looks : t->most;
}

static void print_tally(const char *what, const tally *t)
{
    uint64_t count = t->close + t->apart;
    print_message("  %s: %llu close (%llu not at once), %llu apart; looks %.2f, most %llu\n", what,
                  (unsigned long long)t->close, (unsigned long long)t->later,
                  (unsigned long long)t->apart, (double)t->looks / (double)(count > 0 ? count : 1),
                  (unsigned long long)t->most);
}

/* A distance that has to do with the size of things, from as large to far below D5's limit. */
static float random_distance(rng *r, double spread)
{
    double d = spread * ldexp(rng_range(r, 0.5, 1.0), -(int)rng_below(r, 60));
    d = fmin(fmax(d, 0x1p-149), (double)FLT_MAX);
    return (float)d;
}

static void test_families(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed());
    for (int family = 0; family < MOVING_FAMILIES; family++) {
        tally t = {0};
        for (uint64_t trial = 0; trial < scaled_count(400); trial++) {
            float x[4][2][3];
            moving_case(family, &r, 4, x);
            check_features(x, trial % 2 == 0, random_distance(&r, spread_of(x, 4)), &t);
        }
        print_tally(moving_family_name(family), &t);
        assert_true(t.most < 400);
    }
}

/* The largest distance that two features do not come within, by what is said of them. */
static float find_threshold(float x[4][2][3], bool edges)
{
    pli_moving_points points = moving_points(x, edges);
    double spread = spread_of(x, 4), time;
    float below = 0x1p-149f, above = (float)fmin(2.0 * spread, (double)FLT_MAX);
    while (nextafterf(below, above) < above) {
        float middle = below + 0.5f * (above - below);
        middle = middle > below ? middle : nextafterf(below, above);
        if (pli_moving_approach(&points, (double)middle, 1.0, &time, NULL)) {
            above = middle;
        } else {
            below = middle;
        }
    }
    return below;
}

/* Features that pass each other as close as they are asked about, or by a little more or less. */
static void test_grazing(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 1);
    tally t = {0};
    for (uint64_t trial = 0; trial < scaled_count(600); trial++) {
        float x[4][2][3];
        bool edges = trial % 2 == 0;
        moving_case(trial % 12 == 6 ? 0 : (int)(trial % 12), &r, 4, x);
        float d = find_threshold(x, edges);
        check_features(x, edges, d, &t);
        check_features(x, edges, nextafterf(d, FLT_MAX), &t);
        float by = ldexpf(1.0f, -(int)rng_below(&r, 23));
        check_features(x, edges, fmaxf(d - by * d, 0x1p-149f), &t);
    }
    print_tally("grazing", &t);
    assert_true(t.most < 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_grazing),
    };
    return cmocka_run_group_tests(tests, NULL, oracle_tear_down);
}
