/* What meets while bodies move: against every pair of triangles, for every kind of body. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "moving_mesh.h"
#include "triangle_cases.h"

/* The answer has each pair that meets, with what meets and when, and no other. */
static uint64_t check(const moving_mesh *a, const moving_mesh *b, const pliant_meetings *found)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < a->triangle_count; i++) {
        pliant_moving_triangle p = moving_mesh_triangle(a, i);
        for (uint32_t j = 0; j < b->triangle_count; j++) {
            pliant_moving_triangle q = moving_mesh_triangle(b, j);
            pliant_meeting expected;
            if (!pliant_moving_triangle_meet(&p, &q, &expected)) {
                continue;
            }
            const pliant_meeting *meeting = meetings_find(found, i, j);
            if (meeting == NULL || !meetings_agree(meeting, &expected)) {
                fail_msg("triangles %u and %u: %s", i, j,
                         meeting == NULL ? "missing" : "another meeting");
            }
            count++;
        }
    }
    assert_int_equal(found->count, count);
    assert_true(meetings_are_ordered(found));
    assert_true(found->complete);
    return count;
}

static void move(subject *s, rng *r, moving_mesh *m)
{
    model_case_move(&s->c, r, rng_below(r, 2) == 0);
    subject_set(s);
    moving_mesh_read(m, s->body, 1);
}

/* A step that is given up and begun again is a new one, wherever its start comes to lie in memory.
 */
static void test_begun_again(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed() + 3);
    uint64_t met = 0, differ = 0;
    for (uint64_t trial = 0; trial < 60; trial++) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
        pliant_query *query = NULL;
        assert_ok(pliant_query_create(context, &query));
        subject s[2] = {subject_create(context, subject_def_random(80, &r), &r),
                        subject_create(context, subject_def_random(60, &r), &r)};
        moving_mesh m[2] = {moving_mesh_begin(&s[0]), moving_mesh_begin(&s[1])};
        pliant_meetings found;
        assert_ok(pliant_body_begin_step(s[0].body));
        move(&s[0], &r, &m[0]);
        assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, NULL, &found));
        uint64_t before = check(&m[0], &m[1], &found);
        assert_ok(pliant_body_end_step(s[0].body));
        if (trial % 2 == 0) {
            assert_ok(pliant_body_begin_step(s[0].body));
        }
        moving_mesh_read(&m[0], s[0].body, 0);
        assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, NULL, &found));
        uint64_t after = check(&m[0], &m[1], &found);
        met += after;
        differ += before != after;
        moving_mesh_end(&m[0]);
        moving_mesh_end(&m[1]);
        subjects_destroy(s);
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
    assert_true(met > 0 && differ > 0);
}

/* ---------------------------------------------------------------- one body */

/* ------------------------------------------------------ instruction sets */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begun_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
