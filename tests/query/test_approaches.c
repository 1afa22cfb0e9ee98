/* What comes within a distance while bodies move: against every pair of triangles, for every kind
   of body. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "skipping.h"

#include "moving_mesh.h"
#include "records.h"
#include "subjects.h"
#include "triangle_cases.h"

/* The answer has each pair that comes close, with its time and features, and no other. */
static uint64_t check(const moving_mesh *a, const moving_mesh *b, float distance,
                      const pliant_meetings *found)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < a->triangle_count; i++) {
        pliant_moving_triangle p = moving_mesh_triangle(a, i);
        for (uint32_t j = 0; j < b->triangle_count; j++) {
            pliant_moving_triangle q = moving_mesh_triangle(b, j);
            pliant_meeting expected;
            const pliant_meeting *meeting = meetings_find(found, i, j);
            bool close = pliant_moving_triangle_approach(&p, &q, distance, &expected);
            if (meeting == NULL && close) {
                fail_msg("triangles %u and %u: missing", i, j);
            }
            if (meeting != NULL && !(close && meetings_agree(meeting, &expected))) {
                fail_msg("triangles %u and %u: %s", i, j, close ? "another meeting" : "not close");
            }
            count += meeting != NULL;
        }
    }
    assert_int_equal(found->count, count);
    assert_true(meetings_are_ordered(found));
    assert_true(found->complete);
    return count;
}

/* What is asked of the first is what all say of it, and the free time is just below. */
static void check_first(pliant_query *query, const subject s[2], pliant_meeting_options options,
                        const pliant_meetings *all)
{
    pliant_pair pair = {0};
    pliant_meeting first = {0};
    uint64_t count = all->count;
    if (count > 0) {
        pair = all->pairs[0];
        first = all->meetings[0];
    }
    pliant_meetings found;
    pliant_free_time free_time;
    options.mode = PLIANT_COLLIDE_FIRST;
    assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, &options, &found));
    assert_int_equal(found.count, count > 0);
    assert_true(count == 0 || (meetings_agree(&first, &found.meetings[0]) &&
                               found.pairs[0].a == pair.a && found.pairs[0].b == pair.b));
    assert_ok(pliant_find_free_time(query, s[0].body, s[1].body, &options, &free_time));
    assert_true(free_time.complete);
    assert_true(free_time.touches == (first.kind == PLIANT_MEETING_START));
    if (count == 0 || free_time.touches) {
        assert_true(free_time.time == (count == 0 ? 1.0f : 0.0f));
    } else {
        double time = (double)free_time.time;
        assert_true(time < first.time.low &&
                    (double)nextafterf(free_time.time, 2.0f) >= first.time.low);
    }
}

static void move(subject *s, rng *r, moving_mesh *m)
{
    assert_ok(pliant_body_begin_step(s->body));
    moving_mesh_read(m, s->body, 0);
    model_case_move(&s->c, r, rng_below(r, 2) == 0);
    subject_set(s);
    moving_mesh_read(m, s->body, 1);
}

/* Two bodies of any kinds. */
static void test_kinds(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, test_seed());
    uint64_t close = 0;
    for (uint64_t trial = 0; trial < scaled_count(100); trial++) {
        pliant_context *context =
            fixture_context_with(PLIANT_ISA_BEST, 1 + (uint32_t)rng_below(&r, 3));
        pliant_query *query = NULL;
        assert_ok(pliant_query_create(context, &query));
        subject s[2];
        for (int i = 0; i < 2; i++) {
            subject_def def = subject_def_random(20 + (uint32_t)rng_below(&r, 100), &r);
            def.error = 0.0f;
            s[i] = subject_create(context, def, &r);
        }
        subjects_set_apart(s, &r);
        moving_mesh m[2] = {moving_mesh_begin(&s[0]), moving_mesh_begin(&s[1])};
        for (int step = 0; step < 3; step++) {
            for (int i = 0; i < 2; i++) {
                if (step != i) {
                    move(&s[i], &r, &m[i]);
                }
            }
            for (int k = 0; k < 2; k++) {
                pliant_meetings found;
                pliant_meeting_options options = approach_options(
                    (float)ldexp(rng_range(&r, 0.5, 1.0), -(int)rng_below(&r, 16)));
                assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, &options, &found));
                close += check(&m[0], &m[1], options.distance, &found);
                check_first(query, s, options, &found);
            }
        }
        moving_mesh_end(&m[0]);
        moving_mesh_end(&m[1]);
        subjects_destroy(s);
        pliant_query_destroy(query);
        pliant_context_destroy(context);
    }
    assert_true(scaled_count(100) < 20 || close > 1000);
}

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

/* An answer as a number: pairs, times, features, and what was counted. */
static uint64_t hash_answer(const pliant_query *query, const pliant_meetings *found)
{
    const pliant_stats *stats = pliant_query_get_stats(query);
    uint64_t hash = 31 * stats->triangle_tests + stats->exact_fallbacks;
    for (uint64_t i = 0; i < found->count; i++) {
        uint64_t time;
        memcpy(&time, &found->meetings[i].time.low, sizeof time);
        const uint64_t words[5] = {found->pairs[i].a, found->pairs[i].b, found->meetings[i].a,
                                   found->meetings[i].b, (uint64_t)found->meetings[i].kind};
        hash = 1000003 * hash + time;
        for (int k = 0; k < 5; k++) {
            hash = 1000003 * hash + words[k];
        }
    }
    return hash;
}

/* Two bodies, and the first with itself, in a step that follows from the seed. */
static uint64_t answer_under(pliant_isa isa, uint32_t workers, uint64_t seed)
{
    rng r;
    rng_seed(&r, seed);
    pliant_context *context = fixture_context_with(isa, workers);
    pliant_query *query = NULL;
    assert_ok(pliant_query_create(context, &query));
    subject s[2] = {subject_create(context, subject_def_random(200, &r), &r),
                    subject_create(context, subject_def_random(300, &r), &r)};
    subjects_set_apart(s, &r);
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_begin_step(s[i].body));
        model_case_move(&s[i].c, &r, i == 0);
        subject_set(&s[i]);
    }
    pliant_meetings found;
    pliant_meeting_options options = approach_options((float)ldexp(1.0, -(int)rng_below(&r, 10)));
    assert_ok(pliant_find_meetings(query, s[0].body, s[1].body, &options, &found));
    uint64_t hash = hash_answer(query, &found);
    assert_ok(pliant_find_meetings_self(query, s[0].body, &options, &found));
    hash = 31 * hash + hash_answer(query, &found);
    subjects_destroy(s);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    return hash;
}

/* Answers, their order and the counts depend on no instruction set and no workers. */
static void test_instruction_sets(void **state)
{
    (void)state;
    static const uint32_t workers[3] = {2, 3, 8};
    pliant_isa sets[3];
    int set_count = other_sets(sets);
    for (uint64_t trial = 0; trial < scaled_count(12); trial++) {
        uint64_t seed = test_seed() + 100 + trial, plain = answer_under(PLIANT_ISA_PLAIN, 1, seed);
        for (int i = 0; i < set_count; i++) {
            assert_int_equal(answer_under(sets[i], 1, seed), plain);
        }
        assert_int_equal(answer_under(PLIANT_ISA_BEST, workers[trial % 3], seed), plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_standing),
        cmocka_unit_test(test_instruction_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
