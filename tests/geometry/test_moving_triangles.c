/* Two moving triangles against their fifteen pairs of features, by rational arithmetic. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "skipping.h"

#include "moving_cases.h"
#include "oracle.h"
#include "oracle_moving.h"
#include "pliant/moving.h"
#include "triangle_cases.h"

static void set_triangle(pliant_moving_triangle *t, float x[3][2][3])
{
    for (int i = 0; i < 3; i++) {
        memcpy(t->corner[i].start, x[i][0], sizeof t->corner[i].start);
        memcpy(t->corner[i].end, x[i][1], sizeof t->corner[i].end);
    }
}

/* The points of one of the fifteen pairs, in the order in which ties are decided. */
static bool set_pair(float x[6][2][3], int number, float points[4][2][3], pliant_meeting *named)
{
    int from[4];
    bool edges = number >= 6;
    if (number < 3) {
        const int of[4] = {number, 3, 4, 5};
        memcpy(from, of, sizeof from);
        *named = (pliant_meeting){.kind = PLIANT_MEETING_VERTEX_FACE, .a = (uint32_t)number};
    } else if (number < 6) {
        const int of[4] = {number, 0, 1, 2};
        memcpy(from, of, sizeof from);
        *named = (pliant_meeting){.kind = PLIANT_MEETING_FACE_VERTEX, .b = (uint32_t)number - 3};
    } else {
        int i = (number - 6) / 3, j = (number - 6) % 3;
        const int of[4] = {i, (i + 1) % 3, 3 + j, 3 + (j + 1) % 3};
        memcpy(from, of, sizeof from);
        *named =
            (pliant_meeting){.kind = PLIANT_MEETING_EDGE_EDGE, .a = (uint32_t)i, .b = (uint32_t)j};
    }
    for (int p = 0; p < 4; p++) {
        memcpy(points[p], x[from[p]], sizeof points[p]);
    }
    return edges;
}

static bool touch_at(float x[6][2][3], int end)
{
    float a[3][3], b[3][3];
    for (int i = 0; i < 3; i++) {
        memcpy(a[i], x[i][end], sizeof a[i]);
        memcpy(b[i], x[i + 3][end], sizeof b[i]);
    }
    return oracle_overlap((const float(*)[3])a, (const float(*)[3])b);
}

/* What meets first; `best` keeps its time. */
static pliant_meeting find_first(float x[6][2][3], oracle_moving *best, oracle_moving *next)
{
    pliant_meeting first = {.kind = PLIANT_MEETING_NONE}, named;
    if (touch_at(x, 0)) {
        return (pliant_meeting){.kind = PLIANT_MEETING_START};
    }
    for (int i = 0; i < 15; i++) {
        float points[4][2][3];
        bool edges = set_pair(x, i, points, &named);
        oracle_moving_set(next, (const float(*)[2][3])points, edges);
        if (oracle_moving_meet(next) &&
            (first.kind == PLIANT_MEETING_NONE || oracle_moving_compare(next, best) < 0)) {
            first = named;
            oracle_moving other = *best;
            *best = *next;
            *next = other;
        }
    }
    return first;
}

static void test_families(void **state)
{
    (void)state;
    oracle_moving best, next;
    oracle_moving_init(&best);
    oracle_moving_init(&next);
    rng r;
    rng_seed(&r, test_seed());
    unsigned kinds[5] = {0};
    for (uint64_t i = 0; i < scaled_count(600); i++) {
        float x[6][2][3];
        int family = (int)(i % MOVING_FAMILIES);
        moving_case(family, &r, 6, x);
        pliant_moving_triangle a, b;
        set_triangle(&a, x);
        set_triangle(&b, x + 3);
        pliant_meeting expected = find_first(x, &best, &next);
        pliant_meeting found = {.kind = PLIANT_MEETING_NONE};
        bool meet = pliant_moving_triangle_meet(&a, &b, &found);
        kinds[found.kind]++;
        bool right = meet == (expected.kind != PLIANT_MEETING_NONE) &&
                     pliant_moving_triangle_meet(&a, &b, NULL) == meet &&
                     pliant_moving_triangle_meet(&b, &a, NULL) == meet &&
                     found.kind == expected.kind && found.a == expected.a && found.b == expected.b;
        if (right && meet && found.kind != PLIANT_MEETING_START) {
            right = oracle_moving_time_is_in(&best, found.time.low, found.time.high);
        }
        /* What touches at the end has met. */
        if (!right || (touch_at(x, 1) && !meet)) {
            fail_msg("%s, case %llu: kind %d %u %u, expected %d %u %u", moving_family_name(family),
                     (unsigned long long)i, (int)found.kind, found.a, found.b, (int)expected.kind,
                     expected.a, expected.b);
        }
    }
    for (int k = 0; k < 5 && scaled_count(600) >= 600; k++) {
        assert_true(kinds[k] > 0);
    }
    oracle_moving_clear(&best);
    oracle_moving_clear(&next);
}

static const pliant_moving_triangle sheet = {
    {{{-1, -1, 0}, {-1, -1, 0}}, {{3, -1, 0}, {3, -1, 0}}, {{-1, 3, 0}, {-1, 3, 0}}}};

/* However fast a bullet is, it does not pass through a sheet unseen. */
static void test_bullet(void **state)
{
    (void)state;
    for (int speed = -20; speed < 120; speed++) {
        float far = __builtin_ldexpf(1.0f, speed);
        pliant_moving_triangle bullet = {{{{0, 0, 0x1p-21f}, {0, 0, -far}},
                                          {{0.25f, 0, 0x1p-21f}, {0.25f, 0, -far}},
                                          {{0, 0.25f, 0x1p-21f}, {0, 0.25f, -far}}}};
        pliant_meeting meeting;
        assert_true(pliant_moving_triangle_meet(&bullet, &sheet, &meeting));
        assert_int_equal(meeting.kind, PLIANT_MEETING_VERTEX_FACE);
        double time = 0x1p-21 / (0x1p-21 + (double)far);
        assert_true(meeting.time.low <= time * (1 + 0x1p-50));
        assert_true(meeting.time.high >= time * (1 - 0x1p-50));
    }
}

/* The single tests, in any rounding mode. */
static void test_interface(void **state)
{
    (void)state;
    const pliant_moving_point point = {{0, 0, 1}, {0, 0, -1}};
    const pliant_moving_edge a = {{{{-1, 0, 1}, {-1, 0, -1}}, {{1, 0, 1}, {1, 0, -1}}}};
    const pliant_moving_edge b = {{{{0, -1, 0}, {0, -1, 0}}, {{0, 1, 0}, {0, 1, 0}}}};
    const int modes[3] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD};
    for (int i = 0; i < 3; i++) {
        pliant_meeting_time time = {-1, -1};
        assert_int_equal(fesetround(modes[i]), 0);
        assert_true(pliant_moving_point_meet(&point, &sheet, NULL));
        assert_true(pliant_moving_point_meet(&point, &sheet, &time));
        assert_true(time.low <= 0.5 && time.high >= 0.5);
        assert_true(pliant_moving_edge_meet(&a, &b, NULL));
        assert_true(pliant_moving_edge_meet(&a, &b, &time));
        assert_true(time.low <= 0.5 && time.high >= 0.5);
        assert_int_equal(fegetround(), modes[i]);
    }
    fesetround(FE_TONEAREST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_bullet),
        cmocka_unit_test(test_interface),
    };
    return cmocka_run_group_tests(tests, NULL, oracle_tear_down);
}
