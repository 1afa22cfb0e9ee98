/* What comes within a distance while bodies move: against every pair of triangles, for every kind
   of body. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "moving_mesh.h"
#include "triangle_cases.h"

/* With both ends equal the answer is that of pliant_find_within(), errors of shapes included. */
static void test_standing(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 1);
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    pliant_query *query = NULL, *other = NULL;
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_query_create(context, &other));
    uint64_t close = 0;
    for (uint64_t trial = 0; trial < scaled_count(150); trial++) {
        subject s[2];
        for (int i = 0; i < 2; i++) {
            subject_def def = subject_def_random(i == 0 ? 300 : 200, &r);
            def.error = trial % 3 == 0 ? 0.03f : 0.0f;
            s[i] = subject_create(context, def, &r);
        }
        subjects_set_apart(s, &r);
        pliant_meetings found;
        pliant_proximities near;
        if (trial % 2 == 0) {
            assert_ok(pliant_body_begin_step(s[0].body));
        }
        pliant_meeting_options options =
            approach_options((float)ldexp(rng_range(&r, 0.5, 1.0), -(int)rng_below(&r, 10)));
        assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, &options, &found));
        assert_ok(pliant_find_within(other, s[0].body, s[1].body, options.distance, NULL, &near));
        assert_int_equal(found.count, near.count);
        for (uint64_t i = 0; i < found.count; i++) {
            assert_int_equal(found.pairs[i].a, near.pairs[i].a);
            assert_int_equal(found.pairs[i].b, near.pairs[i].b);
            assert_int_equal(found.meetings[i].kind, PLIANT_MEETING_START);
            assert_true(found.meetings[i].time.low == 0.0 && found.meetings[i].time.high == 0.0);
        }
        close += found.count;
        subjects_destroy(s);
    }
    assert_true(scaled_count(150) < 20 || close > 0);
    pliant_query_destroy(query);
    pliant_query_destroy(other);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
