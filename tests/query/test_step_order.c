/* Steps whose start cannot be read: the sentence says what helps, and it does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "skipping.h"

#include "fixture.h"

/* Borrowed positions are read by the question; a start that turns out not to be finite stays void
   until the step is begun again, however often the end is set. */
static void test_start_not_finite(void **state)
{
    (void)state;
    const uint32_t triangle[3] = {0, 1, 2};
    const float rest[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const float above[9] = {0, 0, 1, 1, 0, 1, 0, 1, 1}, below[9] = {0, 0, -1, 1, 0, -1, 0, 1, -1};
    float broken[9];
    memcpy(broken, above, sizeof broken);
    broken[4] = NAN;
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = rest;
    def.triangles = triangle;
    def.vertex_count = 3;
    def.triangle_count = 1;
    pliant_shape *shape = NULL;
    pliant_body *still = NULL, *moving = NULL;
    pliant_query *query = NULL;
    pliant_meetings found;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &still));
    assert_ok(pliant_body_create(shape, NULL, &moving));
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_body_share_positions(moving, broken, 0));
    assert_ok(pliant_body_begin_step(moving));
    assert_ok(pliant_body_set_positions(moving, below, 0));
    assert_int_equal(pliant_find_meetings(query, still, moving, NULL, &found),
                     PLIANT_ERROR_NOT_FINITE);
    for (int again = 0; again < 2; again++) {
        assert_ok(pliant_body_set_positions(moving, below, 0));
        assert_int_equal(pliant_find_meetings(query, still, moving, NULL, &found),
                         PLIANT_ERROR_STATE);
        assert_non_null(strstr(pliant_last_error(), "begin the step again"));
    }
    assert_ok(pliant_body_set_positions(moving, above, 0));
    assert_ok(pliant_body_begin_step(moving));
    assert_ok(pliant_body_set_positions(moving, below, 0));
    assert_ok(pliant_find_meetings(query, still, moving, NULL, &found));
    assert_int_equal(found.count, 1);
    assert_true(found.meetings[0].time.low <= 0.5 && found.meetings[0].time.high >= 0.5);
    pliant_query_destroy(query);
    pliant_body_destroy(moving);
    pliant_body_destroy(still);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_start_not_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
