/* Moving features and triangles that come within a distance, by integer arithmetic. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "skipping.h"

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

/* A distance that has to do with the size of things, from as large to far below D15's limit. */
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
    assert_true(t.most < 5000);
}

/* ---------------------------------------------------------------- triangles */

/* The points of one of the fifteen pairs of features of triangles 0, 1, 2 and 3, 4, 5, in the order
   in which ties are decided; returns whether they are edges. */
static bool set_pair(float x[6][2][3], int number, float points[4][2][3])
{
    int i = number < 6 ? number : (number - 6) / 3, j = (number - 6) % 3;
    const int face[4] = {i, i < 3 ? 3 : 0, i < 3 ? 4 : 1, i < 3 ? 5 : 2};
    const int edges[4] = {i, (i + 1) % 3, 3 + j, 3 + (j + 1) % 3};
    for (int p = 0; p < 4; p++) {
        memcpy(points[p], x[number < 6 ? face[p] : edges[p]], sizeof points[p]);
    }
    return number >= 6;
}

static int pair_number(const pliant_meeting *m)
{
    return m->kind == PLIANT_MEETING_VERTEX_FACE   ? (int)m->a
           : m->kind == PLIANT_MEETING_FACE_VERTEX ? 3 + (int)m->b
                                                   : 6 + 3 * (int)m->a + (int)m->b;
}

static bool touch_at_start(float x[6][2][3])
{
    float a[3][3], b[3][3];
    for (int i = 0; i < 3; i++) {
        memcpy(a[i], x[i][0], sizeof a[i]);
        memcpy(b[i], x[i + 3][0], sizeof b[i]);
    }
    return oracle_overlap((const float(*)[3])a, (const float(*)[3])b);
}

/* Whether all fifteen pairs of features stay beyond a distance. */
static bool all_stay_beyond(float x[6][2][3], float d, double until)
{
    bool beyond = true;
    for (int i = 0; i < 15 && beyond; i++) {
        float points[4][2][3];
        bool edges = set_pair(x, i, points);
        beyond = oracle_stay_beyond((const float(*)[2][3])points, edges, (double)d, until);
    }
    return beyond;
}

static bool is_near(float x[6][2][3], int pair, float d, double time)
{
    float points[4][2][3];
    bool edges = set_pair(x, pair, points);
    return oracle_is_near((const float(*)[2][3])points, edges, (double)d, spread_of(x, 6), time);
}

static void set_triangles(float x[6][2][3], pliant_moving_triangle t[2])
{
    for (int i = 0; i < 6; i++) {
        memcpy(t[i / 3].corner[i % 3].start, x[i][0], sizeof x[i][0]);
        memcpy(t[i / 3].corner[i % 3].end, x[i][1], sizeof x[i][1]);
    }
}

/* No pair of features comes close before the one that is named, and none that is before it in the
   order at the same time. */
static void check_named(float x[6][2][3], float d, const pliant_meeting *meeting)
{
    for (int i = 0; i < 15; i++) {
        float points[4][2][3];
        bool edges = set_pair(x, i, points);
        pli_moving_points moving = moving_points(points, edges);
        double time = 2.0;
        if (pli_moving_approach(&moving, (double)d, 1.0, &time, NULL)) {
            assert_true(time > meeting->time.low ||
                        (time == meeting->time.low && i >= pair_number(meeting)));
        }
    }
}

/* What is said of two triangles is true; returns the kind of their meeting. */
static pliant_meeting_kind check_triangles(float x[6][2][3], float d)
{
    pliant_moving_triangle t[2];
    pliant_meeting meeting = {.kind = PLIANT_MEETING_NONE};
    set_triangles(x, t);
    bool close = pliant_moving_triangle_approach(&t[0], &t[1], d, &meeting);
    assert_true(close == pliant_moving_triangle_approach(&t[0], &t[1], d, NULL));
    double time = close ? meeting.time.low : 1.0;
    assert_true(!close || meeting.time.high == time);
    if (meeting.kind == PLIANT_MEETING_START) {
        bool near = touch_at_start(x);
        for (int i = 0; i < 15 && !near; i++) {
            near = is_near(x, i, d, 0.0);
        }
        assert_true(near && time == 0.0);
    } else {
        assert_true(time > 0.0 && !touch_at_start(x) && all_stay_beyond(x, d, time));
        assert_true(!close || is_near(x, pair_number(&meeting), d, time));
        if (close) {
            check_named(x, d, &meeting);
        }
    }
    return meeting.kind;
}

static void test_triangles(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 2);
    unsigned kinds[6] = {0};
    for (uint64_t trial = 0; trial < scaled_count(1500); trial++) {
        float x[6][2][3];
        moving_case((int)(trial % MOVING_FAMILIES), &r, 6, x);
        for (int i = 0; i < 6 && trial % 2 == 0; i++) { /* apart, to come close late or not */
            x[i][0][0] += i < 3 ? 4.0f : 0.0f;
            x[i][1][0] += i < 3 ? 3.0f : 0.0f;
        }
        kinds[check_triangles(x, random_distance(&r, spread_of(x, 6)))]++;
    }
    for (int k = 0; k < PLIANT_MEETING_END && scaled_count(1500) >= 300; k++) {
        assert_true(kinds[k] > 0);
    }
}

/* The least and the largest numbers, and as large and small a distance. */
static void test_extremes(void **state)
{
    (void)state;
    static const float numbers[] = {0.0f,     FLT_MAX,     -FLT_MAX, 0x1p-149f, -0x1p-149f,
                                    0x1p127f, -0x1.8p126f, FLT_MIN,  -FLT_MIN,  1.0f};
    static const float distances[] = {0x1p-149f, FLT_MIN, 1.0f, 0x1p100f, 0x1p127f, FLT_MAX};
    rng r;
    rng_seed(&r, test_seed() + 3);
    for (uint64_t trial = 0; trial < scaled_count(600); trial++) {
        float x[6][2][3];
        uint64_t used = trial % 3 == 0 ? 5 : 10, first = trial % 3 == 1 ? 3 : 0;
        for (int i = 0; i < 36; i++) {
            x[i / 6][i / 3 % 2][i % 3] = numbers[first + rng_below(&r, used - first)];
        }
        check_triangles(x, distances[rng_below(&r, 6)]);
    }
}

/* Distance 0 means what meets; the rounding mode means nothing. */
static void test_other_ways(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 4);
    for (uint64_t trial = 0; trial < scaled_count(3000); trial++) {
        float x[6][2][3];
        pliant_moving_triangle t[2];
        pliant_meeting found = {0}, again = {0};
        moving_case((int)(trial % MOVING_FAMILIES), &r, 6, x);
        set_triangles(x, t);
        float d = trial % 3 == 0 ? 0.0f : random_distance(&r, spread_of(x, 6));
        bool close = pliant_moving_triangle_approach(&t[0], &t[1], d, &found), same;
        if (d == 0.0f) {
            same = pliant_moving_triangle_meet(&t[0], &t[1], &again);
        } else {
            fesetround(trial % 2 == 0 ? FE_UPWARD : FE_TOWARDZERO);
            same = pliant_moving_triangle_approach(&t[0], &t[1], d, &again);
            fesetround(FE_TONEAREST);
        }
        assert_true(close == same);
        assert_true(!close ||
                    (found.kind == again.kind && found.a == again.a && found.b == again.b &&
                     found.time.low == again.time.low && found.time.high == again.time.high));
    }
}

/* Nothing is promised of what is not finite, but that there is an answer. */
static void test_not_finite(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 5);
    for (uint64_t trial = 0; trial < scaled_count(3000); trial++) {
        static const float bad[] = {NAN, INFINITY, -INFINITY};
        float x[6][2][3];
        pliant_moving_triangle t[2];
        moving_case((int)(trial % MOVING_FAMILIES), &r, 6, x);
        for (uint64_t i = 0; i <= trial % 4; i++) {
            x[rng_below(&r, 6)][rng_below(&r, 2)][rng_below(&r, 3)] = bad[rng_below(&r, 3)];
        }
        set_triangles(x, t);
        pliant_moving_triangle_approach(&t[0], &t[1], 0.5f, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),   cmocka_unit_test(test_grazing),
        cmocka_unit_test(test_triangles),  cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_other_ways), cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, oracle_tear_down);
}
