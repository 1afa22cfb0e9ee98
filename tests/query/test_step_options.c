/*
 * What questions about a step of two bodies share with other questions: callbacks that get
 * everything once and may stop; and bodies that are advanced with groups and within budgets.
 */
#include <stdlib.h>
#include <string.h>

#include "sheets.h"

/* ------------------------------------------------------------- callbacks */

typedef struct gathered {
    sheets *s;
    uint64_t count, batches, stop_after;
    bool met[TRIANGLES][TRIANGLES];
} gathered;

/* Another query may ask about the same bodies in the middle of a walk, which reads the bounds that
   it makes; the batch stays as it is. */
static void ask_meanwhile(const sheets *s, const pliant_meetings *batch)
{
    pliant_query *query = NULL;
    pliant_meetings found;
    pliant_contacts contacts;
    pliant_pair first = batch->pairs[0];
    assert_ok(pliant_query_create(s->context, &query));
    assert_ok(pliant_find_meetings(query, s->body[0], s->body[1], NULL, &found));
    assert_true(found.complete && found.count >= batch->count);
    assert_ok(pliant_collide(query, s->body[0], s->body[1], NULL, &contacts));
    assert_true(batch->pairs[0].a == first.a && batch->pairs[0].b == first.b);
    pliant_query_destroy(query);
}

static bool gather(void *user, const pliant_meetings *batch)
{
    gathered *all = user;
    pliant_meetings other;
    pliant_advance advance;
    assert_true(batch->count > 0);
    for (uint64_t i = 0; i < batch->count; i++) {
        bool *met = &all->met[batch->pairs[i].a][batch->pairs[i].b];
        assert_false(*met);
        assert_true(batch->meetings[i].kind != PLIANT_MEETING_NONE);
        *met = true;
    }
    all->count += batch->count;
    /* Meanwhile the query answers nothing else, and the bodies stay as they are. */
    pliant_body **body = all->s->body;
    assert_int_equal(pliant_find_meetings(all->s->query, body[0], body[1], NULL, &other),
                     PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_set_positions(body[0], all->s->at[0][0], 0), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_begin_step(body[1]), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_end_step(body[0]), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_advance_bodies(all->s->query, body, MOST, NULL, &advance),
                     PLIANT_ERROR_STATE);
    ask_meanwhile(all->s, batch);
    return ++all->batches != all->stop_after;
}

static void check_callback(sheets *s, pliant_collide_mode mode)
{
    static gathered all;
    pliant_meeting_options options = pliant_meeting_options_default();
    pliant_meetings stored, given;
    options.mode = mode;
    assert_ok(pliant_find_meetings(s->query, s->body[0], s->body[1], &options, &stored));
    uint64_t count = stored.count;
    pliant_pair *pairs = malloc((count + 1) * sizeof *pairs);
    if (count > 0) {
        memcpy(pairs, stored.pairs, count * sizeof *pairs);
    }
    options.callback = gather;
    options.callback_user = &all;
    all = (gathered){.s = s};
    assert_ok(pliant_find_meetings(s->query, s->body[0], s->body[1], &options, &given));
    assert_true(given.count == count && given.complete && given.pairs == NULL);
    assert_true(all.count == count && pliant_query_get_stats(s->query)->pairs == count);
    for (uint64_t i = 0; i < count; i++) {
        assert_true(all.met[pairs[i].a][pairs[i].b]);
    }
    all = (gathered){.s = s, .stop_after = 1};
    assert_ok(pliant_find_meetings(s->query, s->body[0], s->body[1], &options, &given));
    assert_true(all.batches == (count > 0) && given.count == all.count);
    assert_true(given.complete == (count == 0));
    all = (gathered){.s = s};
    assert_ok(pliant_find_meetings(s->query, s->body[0], s->body[1], &options, NULL));
    assert_true(all.count == count);
    free(pairs);
}

static void callbacks_get_everything_once(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 40);
    sheets s;
    sheets_create(&s);
    for (uint64_t trial = 0; trial < fixture_count(40); trial++) {
        sheets_move(&s, &r, trial % 2 == 0 ? 3.0 : 30.0, 0.0);
        check_callback(&s, trial % 4 == 3 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL);
    }
    assert_int_equal(pliant_find_meetings(s.query, s.body[0], s.body[1], NULL, NULL),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_find_meetings_self(s.query, s.body[0], NULL, NULL),
                     PLIANT_ERROR_ARGUMENT);
    sheets_destroy(&s);
}

/* More than one batch: all triangles of two sheets gather around one point. */
static void batches_are_limited(void **state)
{
    (void)state;
    static gathered all;
    sheets s;
    rng r;
    rng_seed(&r, 3);
    sheets_create(&s);
    sheets_move(&s, &r, 3.0, 0.0);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3 * VERTICES; k++) {
            s.at[i][1][k] = (float)rng_range(&r, -1.0, 1.0);
        }
        assert_ok(pliant_body_set_positions(s.body[i], s.at[i][1], 0));
    }
    pliant_meeting_options options = pliant_meeting_options_default();
    pliant_meetings given;
    options.callback = gather;
    options.callback_user = &all;
    all = (gathered){.s = &s};
    assert_ok(pliant_find_meetings(s.query, s.body[0], s.body[1], &options, &given));
    assert_true(all.batches > 1 && given.count == all.count && given.complete);
    all = (gathered){.s = &s, .stop_after = 1};
    assert_ok(pliant_find_meetings(s.query, s.body[0], s.body[1], &options, &given));
    assert_true(all.batches == 1 && given.count == all.count && !given.complete);
    sheets_destroy(&s);
}

/* --------------------------------------------------------------- advance */

static void check_at(const sheets *s, int end)
{
    for (int i = 0; i < MOST; i++) {
        float at[3 * VERTICES];
        assert_ok(pliant_body_evaluate(s->body[i], NULL, VERTICES, at));
        assert_memory_equal(at, s->at[i][end], sizeof at);
    }
}

static void a_spent_budget_leaves_bodies_at_their_starts(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 41);
    sheets s, same;
    sheets_create(&s);
    sheets_create(&same);
    unsigned stopped = 0;
    for (uint64_t trial = 0; trial < fixture_count(40); trial++) {
        rng again = r;
        sheets_move(&s, &r, 3.0, 0.0);
        sheets_move(&same, &again, 3.0, 0.0);
        pliant_advance_options options = pliant_advance_options_default();
        pliant_advance found, expected;
        options.budget_nodes = 1;
        assert_ok(pliant_advance_bodies(s.query, s.body, MOST, &options, &found));
        assert_true(!found.path.complete && found.time == 0.0f);
        check_at(&s, 0);
        for (int i = 0; i < MOST; i++) {
            assert_ok(pliant_body_set_positions(s.body[i], s.at[i][1], 0));
        }
        options.budget_nodes = 1000000;
        options.budget_microseconds = 600000000;
        assert_ok(pliant_advance_bodies(s.query, s.body, MOST, &options, &found));
        assert_ok(pliant_advance_bodies(same.query, same.body, MOST, NULL, &expected));
        assert_true(found.path.complete && found.time == expected.time);
        assert_true(found.a == expected.a && found.b == expected.b);
        stopped += found.time < 1.0f;
    }
    assert_true(fixture_count(40) < 8 || stopped > 2);
    sheets_destroy(&s);
    sheets_destroy(&same);
}

/* Of a body whose groups take no part nothing meets. */
static void groups_of_each_body_count(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 42);
    sheets s, same;
    sheets_create(&s);
    sheets_create(&same);
    const uint64_t none = 0, all = 1;
    const pliant_groups groups[MOST] = {{&none, 1}, {&all, 1}, {NULL, 0}};
    unsigned stopped = 0;
    for (uint64_t trial = 0; trial < fixture_count(40); trial++) {
        rng again = r;
        sheets_move(&s, &r, 3.0, 0.0);
        sheets_move(&same, &again, 3.0, 0.0);
        pliant_advance_options options = pliant_advance_options_default();
        pliant_advance found, expected;
        options.groups = groups;
        assert_ok(pliant_advance_bodies(s.query, s.body, MOST, &options, &found));
        assert_ok(pliant_advance_bodies(same.query, same.body + 1, MOST - 1, NULL, &expected));
        assert_true(found.time == expected.time);
        if (expected.path.meeting.kind != PLIANT_MEETING_NONE) {
            assert_true(found.a == expected.a + 1 && found.b == expected.b + 1);
            stopped++;
        }
    }
    assert_true(fixture_count(40) < 8 || stopped > 2);
    sheets_destroy(&s);
    sheets_destroy(&same);
}

/* One sheet falls onto another at a time below all floats, so the free time of this pair is 0 too.
   The pair that touches at the start must be named. */
static void a_touch_is_named_before_a_time_that_rounds_to_0(void **state)
{
    (void)state;
    rng r;
    rng_seed(&r, 43);
    sheets s;
    sheets_create(&s);
    for (int touching = 1; touching < MOST; touching++) {
        sheets_move(&s, &r, 0.0, 0.0);
        for (int i = 0; i < MOST; i++) {
            for (uint32_t k = 2; k < 3 * VERTICES; k += 3) {
                float x = (float)(k / 3 % SIDE);
                float start = i == 0 ? 0.0f : (i == touching ? x - 1.75f : 0x1p-149f);
                s.at[i][0][k] = start;
                s.at[i][1][k] = i == 0 || i == touching ? start + 1.0f : -1e38f;
            }
            assert_ok(pliant_body_set_positions(s.body[i], s.at[i][0], 0));
            assert_ok(pliant_body_begin_step(s.body[i]));
            assert_ok(pliant_body_set_positions(s.body[i], s.at[i][1], 0));
        }
        pliant_free_time falling;
        int other = MOST - touching;
        assert_ok(pliant_find_free_time(s.query, s.body[0], s.body[other], NULL, &falling));
        assert_true(falling.time == 0.0f && !falling.touches);
        pliant_advance found;
        assert_ok(pliant_advance_bodies(s.query, s.body, MOST, NULL, &found));
        assert_true(found.path.complete && found.path.touches && found.time == 0.0f);
        assert_int_equal(found.a, 0);
        assert_int_equal(found.b, touching);
    }
    sheets_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_get_everything_once),
        cmocka_unit_test(batches_are_limited),
        cmocka_unit_test(a_spent_budget_leaves_bodies_at_their_starts),
        cmocka_unit_test(groups_of_each_body_count),
        cmocka_unit_test(a_touch_is_named_before_a_time_that_rounds_to_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
