/* Advancing many bodies, few of which move: bodies given twice are named, and no pair is forgotten.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "pliant/pliant.h"

enum { BODIES = 1000 };

static pliant_context *context;
static pliant_query *query;
static pliant_body *body[BODIES];

/* A triangle per body, upright across the x axis at 10 i. */
static void place(uint32_t i, float x)
{
    const float at[9] = {x, -1, -1, x, 1, -1, x, 0, 1};
    assert_ok(pliant_body_set_positions(body[i], at, 0));
}

static int set_up(void **state)
{
    (void)state;
    const float rest[9] = {0, -1, -1, 0, 1, -1, 0, 0, 1};
    const uint32_t triangle[3] = {0, 1, 2};
    context = fixture_context_with(PLIANT_ISA_BEST, 1);
    assert_ok(pliant_query_create(context, &query));
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = rest;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(context, &def, &shape));
    for (uint32_t i = 0; i < BODIES; i++) {
        assert_ok(pliant_body_create(shape, NULL, &body[i]));
        place(i, 10.0f * (float)i);
    }
    pliant_shape_destroy(shape);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pliant_query_destroy(query);
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_body_destroy(body[i]);
    }
    pliant_context_destroy(context);
    return 0;
}

/* The first body that is there already, and where it was first. */
static void test_given_twice(void **state)
{
    (void)state;
    static const uint32_t cases[4][4] = {/* copied from, to; another copy from, to */
                                         {0, 1, 2, 3},
                                         {0, BODIES - 1, 5, BODIES - 2},
                                         {417, 999, 417, 998},
                                         {998, 999, 998, 999}};
    for (int c = 0; c < 4; c++) {
        pliant_body *given[BODIES];
        pliant_advance advance;
        char expected[80];
        memcpy(given, body, sizeof given);
        given[cases[c][1]] = body[cases[c][0]];
        given[cases[c][3]] = body[cases[c][2]];
        int first = cases[c][1] < cases[c][3] ? 0 : 2;
        snprintf(expected, sizeof expected, "bodies %u and %u are the same", cases[c][first],
                 cases[c][first + 1]);
        assert_int_equal(pliant_advance_bodies(query, given, BODIES, NULL, &advance),
                         PLIANT_ERROR_ARGUMENT);
        assert_non_null(strstr(pliant_last_error(), expected));
    }
}

static void test_still(void **state)
{
    (void)state;
    pliant_advance advance;
    assert_ok(pliant_advance_bodies(query, body, BODIES, NULL, &advance));
    assert_true(advance.time == 1.0f && advance.path.meeting.kind == PLIANT_MEETING_NONE);
    assert_ok(pliant_advance_bodies(query, body, 0, NULL, &advance));
    assert_true(advance.time == 1.0f);
}

/* One body moves onto another: behind it or in front of it in the list, moving too or not. */
static void test_few_move(void **state)
{
    (void)state;
    static const uint32_t cases[4][3] = {/* moves, to the place of, moves elsewhere */
                                         {5, 6, 900},
                                         {990, 989, 3},
                                         {0, 1, 1},
                                         {999, 998, 998}};
    for (int c = 0; c < 4; c++) {
        uint32_t from = cases[c][0], to = cases[c][1], other = cases[c][2];
        assert_ok(pliant_body_begin_step(body[from]));
        assert_ok(pliant_body_begin_step(body[other]));
        place(from, 10.0f * (float)to + (to > from ? 0.5f : -0.5f));
        place(other, 10.0f * (float)other + 0.25f);
        pliant_advance advance;
        assert_ok(pliant_advance_bodies(query, body, BODIES, NULL, &advance));
        assert_true(advance.time > 0.9f && advance.time < 1.0f);
        assert_int_equal(advance.a, from < to ? from : to);
        assert_int_equal(advance.b, from < to ? to : from);
        for (int i = 0; i < 2; i++) {
            uint32_t moved = i == 0 ? from : other;
            assert_ok(pliant_body_end_step(body[moved]));
            place(moved, 10.0f * (float)moved);
        }
    }
}

/* A deadline that is over before the next pair of bodies ends the call; it is not the same as no
   deadline. Preparing a thousand bodies takes longer than a microsecond. */
static void test_budget_of_a_microsecond(void **state)
{
    (void)state;
    pliant_advance_options options = pliant_advance_options_default();
    options.budget_microseconds = 1;
    for (uint32_t i = 0; i < BODIES; i++) {
        assert_ok(pliant_body_begin_step(body[i]));
        place(i, 10.0f * (float)i + 1.0f);
    }
    pliant_advance advance;
    assert_ok(pliant_advance_bodies(query, body, BODIES, &options, &advance));
    assert_true(!advance.path.complete && advance.time == 0.0f);
    for (uint32_t i = 0; i < BODIES; i++) {
        const uint32_t corner = 0;
        float at[3];
        assert_ok(pliant_body_evaluate(body[i], &corner, 1, at));
        assert_true(at[0] == 10.0f * (float)i);
        assert_ok(pliant_body_end_step(body[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_twice),
        cmocka_unit_test(test_still),
        cmocka_unit_test(test_few_move),
        cmocka_unit_test(test_budget_of_a_microsecond),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
