/*
 * Advancing all bodies of a scene goes as far as advancing them by themselves, with any number of
 * workers; what stands still does not count; and whatever fails on the way, all bodies are as
 * before, and the same call again does what it would have done.
 */
#include <string.h>

#include "sheets.h"

/* Where and how far sheets are advanced. */
typedef struct advanced {
    float time;
    pliant_free_time path;
    float at[MOST][3 * VERTICES];
} advanced;

static pliant_scene *create_scene(sheets *s, bool self)
{
    pliant_scene *scene;
    pliant_member_def def = pliant_member_def_default();
    def.self = self;
    assert_ok(pliant_scene_create(s->context, NULL, &scene));
    for (int i = 0; i < MOST; i++) {
        pliant_body_id id;
        def.user = s->body[i];
        assert_ok(pliant_scene_add(scene, s->body[i], &def, &id));
    }
    return scene;
}

static void read_sheets(const sheets *s, advanced *to)
{
    for (int i = 0; i < MOST; i++) {
        assert_ok(pliant_body_evaluate(s->body[i], NULL, VERTICES, to->at[i]));
    }
}

static void check_same(const advanced *a, const advanced *b)
{
    assert_true(a->time == b->time && a->path.time == b->path.time);
    assert_true(a->path.touches == b->path.touches && a->path.complete == b->path.complete);
    assert_memory_equal(a->at, b->at, sizeof a->at);
}

static pliant_scene_options at_distance(float distance)
{
    pliant_scene_options options = pliant_scene_options_default();
    options.distance = distance;
    return options;
}

static void advance_scene(sheets *s, pliant_scene *scene, float distance, advanced *to)
{
    pliant_scene_options options = at_distance(distance);
    pliant_scene_advance advance;
    assert_ok(pliant_scene_advance_bodies(scene, &options, &advance));
    const pliant_scene_free_time *path = &advance.path;
    assert_true((path->a.generation != 0) == (path->path.meeting.kind != PLIANT_MEETING_NONE));
    assert_true(path->a.generation == 0 ||
                (path->user_a == s->body[path->a.index] && path->user_b == s->body[path->b.index]));
    to->time = advance.time;
    to->path = path->path;
    read_sheets(s, to);
}

static void advance_alone(sheets *s, bool self, float distance, advanced *to)
{
    pliant_advance_options options = pliant_advance_options_default();
    pliant_advance advance;
    options.self = self;
    options.distance = distance;
    assert_ok(pliant_advance_bodies(s->query, s->body, MOST, &options, &advance));
    to->time = advance.time;
    to->path = advance.path;
    read_sheets(s, to);
}

static void scenes_go_as_far_as_bodies(void **state)
{
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    static sheets alone, s[4];
    pliant_scene *scene[2][4];
    unsigned stopped = 0, halfway = 0;
    rng r;
    rng_seed(&r, 50);
    sheets_create(&alone);
    for (int self = 0; self < 2; self++) {
        for (int w = 0; w < 4; w++) {
            sheets_create_in(&s[w], fixture_context_with(PLIANT_ISA_BEST, workers[w]));
            scene[self][w] = create_scene(&s[w], self);
        }
        for (uint32_t trial = 0; trial < fixture_count(40); trial++) {
            double far = trial % 4 < 2 ? 0.5 : 3.0, offset = trial % 5 < 3 ? 1e5 : 0.0;
            float distance = trial % 3 == 0 ? 0.0f : 0.01f * (float)(trial % 7);
            rng begin = r;
            advanced expected, found;
            sheets_move(&alone, &r, far, offset);
            advance_alone(&alone, self, distance, &expected);
            stopped += expected.time < 1.0f;
            halfway += distance > 0.0f && expected.time > 0.0f && expected.time < 1.0f;
            for (int w = 0; w < 4; w++) {
                rng again = begin;
                sheets_move(&s[w], &again, far, offset);
                advance_scene(&s[w], scene[self][w], distance, &found);
                check_same(&found, &expected);
            }
        }
        for (int w = 0; w < 4; w++) {
            pliant_scene_destroy(scene[self][w]);
            sheets_destroy(&s[w]);
        }
    }
    assert_true(fixture_count(40) < 20 || (stopped > 10 && halfway > 2));
    sheets_destroy(&alone);
}

/* Two that stand still and touch keep nobody from moving; neither do those that are filtered. */
static void what_stands_still_does_not_count(void **state)
{
    (void)state;
    sheets s;
    rng r;
    rng_seed(&r, 51);
    sheets_create(&s);
    sheets_move(&s, &r, 0.1, 0.0);
    for (int i = 1; i < MOST; i++) {
        assert_ok(pliant_body_end_step(s.body[i]));
        assert_ok(pliant_body_set_positions(s.body[i], s.at[1][0], 0));
    }
    for (int k = 0; k < 3 * VERTICES; k++) {
        s.at[0][1][k] += k % 3 == 2 ? -9.0f : 0.0f; /* away from them */
    }
    assert_ok(pliant_body_set_positions(s.body[0], s.at[0][1], 0));
    pliant_scene *scene = create_scene(&s, false);
    pliant_scene_free_time until;
    advanced found;
    assert_ok(pliant_scene_find_free_time(scene, NULL, &until));
    assert_true(until.path.touches && until.a.index == 1 && until.b.index == 2);
    advance_scene(&s, scene, 0.0f, &found);
    assert_true(found.time == 1.0f && found.path.meeting.kind == PLIANT_MEETING_NONE);
    pliant_scene_destroy(scene);
    sheets_destroy(&s);
}

static void a_spent_budget_leaves_bodies_at_their_starts(void **state)
{
    (void)state;
    sheets s;
    rng r;
    rng_seed(&r, 52);
    sheets_create(&s);
    sheets_move(&s, &r, 3.0, 0.0);
    pliant_scene *scene = create_scene(&s, true);
    pliant_scene_options options = pliant_scene_options_default();
    pliant_scene_advance advance;
    advanced found;
    options.budget_nodes = 1;
    assert_ok(pliant_scene_advance_bodies(scene, &options, &advance));
    assert_true(advance.time == 0.0f && !advance.path.path.complete);
    read_sheets(&s, &found);
    for (int i = 0; i < MOST; i++) {
        assert_memory_equal(found.at[i], s.at[i][0], sizeof found.at[i]);
    }
    assert_int_equal(pliant_scene_advance_bodies(NULL, NULL, &advance), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_scene_advance_bodies(scene, NULL, NULL), PLIANT_ERROR_ARGUMENT);
    pliant_scene_destroy(scene);
    sheets_destroy(&s);
}

/* The same steps again and again: once warm, no question about them allocates. */
static void steps_allocate_nothing_once_warm(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    sheets s;
    uint64_t calls = 0;
    sheets_create_in(&s, fixture_context(&allocator));
    pliant_scene *scene = create_scene(&s, true);
    for (int round = 0; round < 8; round++) {
        rng r;
        rng_seed(&r, 5);
        pliant_scene_meetings met;
        pliant_scene_free_time until;
        pliant_scene_advance advance;
        pliant_scene_options near = at_distance(0.05f);
        sheets_move(&s, &r, 3.0, 1e5);
        assert_ok(pliant_scene_begin_step(scene));
        for (int i = 0; i < MOST; i++) {
            assert_ok(pliant_body_set_positions(s.body[i], s.at[i][0], 0));
        }
        assert_ok(pliant_scene_find_meetings(scene, NULL, &met));
        assert_true(met.count > 0);
        assert_ok(pliant_scene_find_meetings(scene, &near, &met));
        assert_ok(pliant_scene_find_free_time(scene, &near, &until));
        assert_ok(pliant_scene_find_free_time(scene, NULL, &until));
        assert_ok(pliant_scene_advance_bodies(scene, round % 2 == 0 ? &near : NULL, &advance));
        calls = round == 3 ? allocator.calls : calls;
    }
    assert_int_equal(allocator.calls, calls);
    pliant_scene_destroy(scene);
    sheets_destroy(&s);
}

/* ----------------------------------------------------------------- failure */

static void check_ends(const sheets *s, int count)
{
    for (int i = 0; i < count; i++) {
        float at[3 * VERTICES];
        assert_ok(pliant_body_evaluate(s->body[i], NULL, VERTICES, at));
        assert_memory_equal(at, s->at[i][1], sizeof at);
    }
}

static void fail_allocations(float distance)
{
    advanced expected, after;
    sheets s;
    rng r;
    unsigned failed = 0;
    bool done = false;
    for (uint64_t n = 0; !done; n++) {
        counting_allocator allocator = {0};
        rng_seed(&r, 5);
        sheets_create_in(&s, fixture_context(&allocator));
        sheets_move(&s, &r, 3.0, 1e5);
        pliant_scene *scene = create_scene(&s, true);
        if (n == 0) {
            advance_scene(&s, scene, distance, &expected);
            assert_true(expected.time > 0.0f && expected.time < 1.0f);
            assert_true(distance > 0.0f || expected.time < expected.path.time);
        } else {
            pliant_scene_options options = at_distance(distance);
            pliant_scene_advance advance;
            allocator.fail_at = allocator.calls + n;
            pliant_result result = pliant_scene_advance_bodies(scene, &options, &advance);
            allocator.fail_at = 0;
            done = result == PLIANT_OK;
            assert_true(done || result == PLIANT_ERROR_OUT_OF_MEMORY);
        }
        if (n > 0 && !done) {
            check_ends(&s, MOST);
            advance_scene(&s, scene, distance, &after);
            check_same(&after, &expected);
            failed++;
        }
        pliant_scene_destroy(scene);
        sheets_destroy(&s);
        assert_int_equal(allocator.live, 0);
    }
    assert_true(failed > 5);
}

static void whatever_allocation_fails_nothing_moves(void **state)
{
    (void)state;
    fail_allocations(0.0f);
    fail_allocations(0.05f);
}

/* A filter that destroys a body in the second question, when others are where they are tried. */
typedef struct destroyer {
    sheets *s;
    pliant_scene *scene;
    bool asked[MOST][MOST], is_done;
} destroyer;

static bool destroy_later(void *user, pliant_body_id a, pliant_body_id b)
{
    destroyer *d = user;
    pliant_scene_advance advance;
    assert_int_equal(pliant_scene_advance_bodies(d->scene, NULL, &advance), PLIANT_ERROR_STATE);
    assert_int_equal(pliant_body_set_positions(d->s->body[0], d->s->at[0][0], 0),
                     PLIANT_ERROR_STATE);
    if (d->asked[a.index][b.index] && !d->is_done) {
        pliant_body_destroy(d->s->body[2]);
        d->is_done = true;
    }
    d->asked[a.index][b.index] = true;
    return true;
}

static void a_body_destroyed_meanwhile_fails_the_call(void **state)
{
    (void)state;
    sheets s;
    rng r;
    rng_seed(&r, 5);
    sheets_create(&s);
    sheets_move(&s, &r, 3.0, 1e5);
    pliant_scene *scene = create_scene(&s, true);
    destroyer d = {.s = &s, .scene = scene};
    pliant_scene_options options = pliant_scene_options_default();
    pliant_scene_advance advance;
    options.filter = destroy_later;
    options.filter_user = &d;
    assert_int_equal(pliant_scene_advance_bodies(scene, &options, &advance), PLIANT_ERROR_STATE);
    assert_non_null(strstr(pliant_last_error(), "body 2 was destroyed"));
    assert_true(d.is_done);
    assert_int_equal(pliant_scene_get_body_count(scene), 2);
    check_ends(&s, 2);
    s.body[2] = NULL;
    pliant_scene_destroy(scene);
    sheets_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_go_as_far_as_bodies),
        cmocka_unit_test(what_stands_still_does_not_count),
        cmocka_unit_test(a_spent_budget_leaves_bodies_at_their_starts),
        cmocka_unit_test(steps_allocate_nothing_once_warm),
        cmocka_unit_test(whatever_allocation_fails_nothing_moves),
        cmocka_unit_test(a_body_destroyed_meanwhile_fails_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
