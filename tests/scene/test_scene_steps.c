/*
 * Questions about a step of a scene in all the ways that other questions have: callbacks, budgets,
 * loose boxes, large bodies; times that are exactly equal across bodies; until when nothing meets.
 * For 1, 2, 3 and 8 workers, with the same bytes and counts.
 */
#include "flock_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { WORKERS = 4, DROPS = 40 };
static const uint32_t worker_counts[WORKERS] = {1, 2, 3, 8};

/* A body of a mesh at these positions, which then goes to others. */
static pliant_body *create_body(pliant_context *context, const float *positions,
                                uint32_t vertex_count, const uint32_t *triangles,
                                uint32_t triangle_count)
{
    pliant_shape_def def = pliant_shape_def_default();
    pliant_shape *shape;
    pliant_body *body;
    def.positions = positions;
    def.vertex_count = vertex_count;
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    pliant_shape_destroy(shape);
    return body;
}

static void go(pliant_body *body, const float *from, const float *to)
{
    assert_ok(pliant_body_set_positions(body, from, 0));
    assert_ok(pliant_body_begin_step(body));
    assert_ok(pliant_body_set_positions(body, to, 0));
}

/* ----------------------------------------------------------------- drops */

/* Triangles that fall side by side onto a floor, each with a corner down. */
typedef struct rain {
    pliant_context *context;
    pliant_scene *scene;
    pliant_body *body[DROPS + 1];
    uint32_t floor; /* its index */
    float at[2][DROPS + 1][9];
} rain;

static void rain_create(rain *r, uint32_t workers, uint32_t floor)
{
    static const uint32_t one[3] = {0, 1, 2};
    r->context = fixture_context_with(PLIANT_ISA_BEST, workers);
    r->floor = floor;
    assert_ok(pliant_scene_create(r->context, NULL, &r->scene));
    for (uint32_t i = 0; i <= DROPS; i++) {
        float x = 2.0f * (float)i;
        const float drop[9] = {x, 0, 0, x + 1, 0, 1, x, 1, 1};
        const float ground[9] = {-500, -500, 0, 500, -500, 0, 0, 500, 0};
        pliant_body_id id;
        memcpy(r->at[0][i], i == floor ? ground : drop, sizeof drop);
        memcpy(r->at[1][i], r->at[0][i], sizeof drop);
        r->body[i] = create_body(r->context, r->at[0][i], 3, one, 1);
        assert_ok(pliant_scene_add(r->scene, r->body[i], NULL, &id));
        assert_int_equal(id.index, i);
    }
}

static void rain_destroy(rain *r)
{
    pliant_scene_destroy(r->scene);
    for (uint32_t i = 0; i <= DROPS; i++) {
        pliant_body_destroy(r->body[i]);
    }
    pliant_context_destroy(r->context);
}

/* Where a drop's lowest corner begins and ends. */
static void let_fall(rain *r, uint32_t drop, float from, float to)
{
    for (int c = 0; c < 3; c++) {
        r->at[0][drop][3 * c + 2] = c == 0 ? from : from + 1.0f;
        r->at[1][drop][3 * c + 2] = c == 0 ? to : to + 1.0f;
    }
}

static void rain_go(rain *r)
{
    for (uint32_t i = 0; i <= DROPS; i++) {
        go(r->body[i], r->at[0][i], r->at[1][i]);
    }
}

/* The index of the drop that a pair of bodies is about. */
static uint32_t drop_of(const rain *r, uint32_t a, uint32_t b)
{
    assert_true(a == r->floor || b == r->floor);
    return a == r->floor ? b : a;
}

/*
 * From h to -2 h a corner is at 0 at time 1/3, which no double is: however the enclosing intervals
 * come out, equal times are equal, and an end that is lower by one float is earlier.
 */
static void equal_times_are_equal_across_bodies(void **state)
{
    (void)state;
    rng random;
    rng_seed(&random, 7);
    for (uint32_t round = 0; round < fixture_count(24); round++) {
        uint32_t floor = (uint32_t)rng_below(&random, DROPS + 1), lowest = UINT32_MAX;
        uint32_t early = (uint32_t)rng_below(&random, 3) * round; /* how many are earlier */
        bool earlier[DROPS + 1] = {false};
        float height[DROPS + 1];
        for (uint32_t i = 0; i <= DROPS; i++) {
            height[i] = (float)ldexp(rng_range(&random, 1.0, 2.0), (int)rng_below(&random, 20) - 9);
        }
        for (uint32_t i = 0; i < early; i++) {
            earlier[rng_below(&random, DROPS + 1)] = true;
        }
        earlier[floor] = false;
        bool any = false;
        for (uint32_t i = 0; i <= DROPS; i++) {
            any = any || earlier[i];
        }
        if (any) { /* all earlier ones are so by the same: they fall from 1 */
            for (uint32_t i = 0; i <= DROPS; i++) {
                height[i] = earlier[i] ? 1.0f : height[i];
            }
        }
        for (uint32_t i = 0; i <= DROPS && lowest == UINT32_MAX; i++) {
            lowest = i != floor && earlier[i] == any ? i : lowest;
        }
        for (int w = 0; w < WORKERS; w++) {
            static rain r;
            rain_create(&r, worker_counts[w], floor);
            for (uint32_t i = 0; i <= DROPS; i++) {
                float to = -2.0f * height[i];
                if (i != floor) {
                    let_fall(&r, i, height[i], earlier[i] ? nextafterf(to, -INFINITY) : to);
                }
            }
            rain_go(&r);
            pliant_scene_free_time found;
            assert_ok(pliant_scene_find_free_time(r.scene, NULL, &found));
            assert_int_equal(drop_of(&r, found.a.index, found.b.index), lowest);
            assert_true(found.path.complete && !found.path.touches);
            float before = any ? 1.0f / (1.0f - nextafterf(-2.0f, -INFINITY)) : 1.0f / 3.0f;
            assert_true(fabsf(found.path.time - before) <= 0x1p-24f);
            assert_true((double)found.path.time < 1.0 / 3.0);
            rain_destroy(&r);
        }
    }
}

/* ------------------------------------------------- callbacks and budgets */

typedef struct gathered {
    uint64_t hash, pairs, stop_after;
} gathered;

static bool gather(void *user, const pliant_scene_pair *bodies, const pliant_meetings *meetings)
{
    gathered *all = user;
    assert_true(bodies->first == 0 && bodies->count == meetings->count && meetings->complete);
    for (uint64_t i = 0; i < meetings->count; i++) {
        all->hash = all->hash * 31 + bodies->a.index * 100 + bodies->b.index;
        all->hash = all->hash * 31 + (uint64_t)(meetings->meetings[i].time.low * 0x1p50);
        all->hash = all->hash * 31 + meetings->pairs[i].a + meetings->pairs[i].b;
    }
    return ++all->pairs != all->stop_after;
}

static void falling_rain(rain *r, uint32_t workers)
{
    rain_create(r, workers, 5);
    for (uint32_t i = 0; i <= DROPS; i++) {
        if (i != r->floor) {
            let_fall(r, i, 1.0f + (float)(i * 7 % 13), i % 3 == 0 ? 0.5f : -9.0f);
        }
    }
    rain_go(r);
}

static void callbacks_get_what_is_stored_otherwise(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (int w = 0; w < WORKERS; w++) {
        static rain r;
        falling_rain(&r, worker_counts[w]);
        pliant_scene_options options = pliant_scene_options_default();
        pliant_scene_meetings stored, given;
        gathered from_stored = {0}, all = {0}, some = {.stop_after = 3};
        assert_ok(pliant_scene_find_meetings(r.scene, NULL, &stored));
        assert_true(stored.count > 20 && stored.complete && stored.undecided_count == 0);
        for (uint32_t i = 0; i < stored.body_pair_count; i++) {
            pliant_scene_pair bodies = stored.bodies[i];
            pliant_meetings one = {stored.pairs + bodies.first, stored.meetings + bodies.first,
                                   bodies.count, true};
            bodies.first = 0;
            gather(&from_stored, &bodies, &one);
        }
        uint64_t count = stored.count, pairs = stored.body_pair_count;
        options.meetings_callback = gather;
        options.callback_user = &all;
        assert_ok(pliant_scene_find_meetings(r.scene, &options, &given));
        assert_true(given.count == count && given.body_pair_count == pairs && given.complete);
        assert_true(given.pairs == NULL && given.meetings == NULL && given.bodies == NULL);
        assert_true(all.hash == from_stored.hash && all.pairs == pairs);
        options.callback_user = &some;
        assert_ok(pliant_scene_find_meetings(r.scene, &options, NULL));
        assert_int_equal(some.pairs, 3);
        expected = w == 0 ? all.hash : expected;
        assert_true(all.hash == expected);
        options.first_in_all = true;
        options.callback_user = &some;
        some.pairs = some.stop_after = 0;
        assert_ok(pliant_scene_find_meetings(r.scene, &options, &given));
        assert_true(some.pairs == 1 && given.count == 1);
        options.meetings_callback = NULL;
        assert_int_equal(pliant_scene_find_meetings(r.scene, &options, NULL),
                         PLIANT_ERROR_ARGUMENT);
        options.mode = (pliant_collide_mode)7;
        options.first_in_all = false;
        assert_int_equal(pliant_scene_find_meetings(r.scene, &options, &given), PLIANT_ERROR_RANGE);
        rain_destroy(&r);
    }
}

static void spent_budgets_are_told(void **state)
{
    (void)state;
    pliant_scene_stats expected = {0};
    for (int w = 0; w < WORKERS; w++) {
        static rain r;
        falling_rain(&r, worker_counts[w]);
        pliant_scene_options options = pliant_scene_options_default();
        pliant_scene_meetings found;
        pliant_scene_free_time until;
        options.budget_nodes = 1; /* the roots */
        assert_ok(pliant_scene_find_meetings(r.scene, &options, &found));
        assert_true(!found.complete && found.count == 0 && found.undecided_count > 20);
        for (uint32_t i = 0; i < found.undecided_count; i++) {
            assert_true(!found.undecided[i].complete && found.undecided[i].count == 0);
            assert_true(i == 0 || found.undecided[i - 1].a.index < found.undecided[i].a.index ||
                        found.undecided[i - 1].b.index < found.undecided[i].b.index);
        }
        assert_ok(pliant_scene_find_free_time(r.scene, &options, &until));
        assert_true(!until.path.complete && until.path.time == 0.0f && !until.path.touches);
        options.first_in_all = true;
        assert_ok(pliant_scene_find_meetings(r.scene, &options, &found));
        assert_false(found.complete);
        pliant_scene_stats stats = flock_scene_counts(r.scene);
        expected = w == 0 ? stats : expected;
        assert_memory_equal(&stats, &expected, sizeof stats);
        options.budget_nodes = 1000; /* never spent by triangles */
        options.budget_microseconds = 60000000;
        assert_ok(pliant_scene_find_meetings(r.scene, &options, &found));
        assert_true(found.complete && found.count == 1 && found.undecided_count == 0);
        rain_destroy(&r);
    }
}

/* What touches to begin with ends the search after its block. */
static void a_start_ends_the_search(void **state)
{
    (void)state;
    static rain r;
    rain_create(&r, 1, DROPS);
    for (uint32_t i = 0; i < DROPS; i++) {
        let_fall(&r, i, i == 20 ? 0.001f : 1.0f + 0.1f * (float)i, -9.0f);
    }
    rain_go(&r);
    pliant_scene_options options = pliant_scene_options_default();
    pliant_scene_meetings found;
    options.first_in_all = true;
    assert_ok(pliant_scene_find_meetings(r.scene, &options, &found));
    assert_true(found.count == 1 && found.bodies->a.index == 20);
    assert_int_equal(pliant_scene_get_stats(r.scene)->pairs_narrow, DROPS);
    let_fall(&r, 3, 0.0f, -9.0f);
    rain_go(&r);
    assert_ok(pliant_scene_find_meetings(r.scene, &options, &found));
    assert_true(found.count == 1 && found.bodies->a.index == 3);
    assert_int_equal(found.meetings->kind, PLIANT_MEETING_START);
    assert_int_equal(pliant_scene_get_stats(r.scene)->pairs_narrow, 16);
    rain_destroy(&r);
}

/* Triangles that slide in the plane of another, which takes exact arithmetic; the first meets it so
   early that those of later blocks need none. */
static void later_meetings_are_not_looked_for(void **state)
{
    (void)state;
    static rain r;
    rain_create(&r, 1, DROPS);
    for (uint32_t i = 0; i < DROPS; i++) {
        for (int c = 0; c < 3; c++) {
            const float corner[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
            memcpy(&r.at[0][i][3 * c], corner[c], sizeof corner[c]);
            r.at[0][i][3 * c] += i == 0 ? 500.5f : 600.0f + 10.0f * (float)i;
            r.at[0][i][3 * c + 1] -= 499.5f;
            memcpy(&r.at[1][i][3 * c], &r.at[0][i][3 * c], sizeof corner[c]);
            r.at[1][i][3 * c] -= 400.0f;
        }
        pliant_member_def def = pliant_member_def_default();
        def.mask = 2;
        assert_ok(pliant_scene_set_member(r.scene, (pliant_body_id){i, 1}, &def));
    }
    pliant_member_def ground = pliant_member_def_default();
    ground.category = 2;
    assert_ok(pliant_scene_set_member(r.scene, (pliant_body_id){DROPS, 1}, &ground));
    rain_go(&r);
    pliant_scene_options options = pliant_scene_options_default();
    pliant_scene_meetings found;
    options.mode = PLIANT_COLLIDE_FIRST;
    assert_ok(pliant_scene_find_meetings(r.scene, &options, &found));
    uint64_t meeting = found.count;
    uint64_t each = pliant_scene_get_stats(r.scene)->narrow.exact_fallbacks;
    options.first_in_all = true;
    assert_ok(pliant_scene_find_meetings(r.scene, &options, &found));
    uint64_t first = pliant_scene_get_stats(r.scene)->narrow.exact_fallbacks;
    assert_true(meeting > 25 && found.bodies->a.index == 0);
    assert_true(first > 0 && 3 * first < 2 * each);
    rain_destroy(&r);
}

/* ----------------------------------------------------------- loose boxes */

static void loose_boxes_hold_both_ends(void **state)
{
    (void)state;
    for (int w = 0; w < WORKERS; w++) {
        static rain r;
        falling_rain(&r, worker_counts[w]);
        pliant_scene_meetings found;
        assert_ok(pliant_scene_find_meetings(r.scene, NULL, &found));
        uint64_t count = found.count;
        pliant_member_def def = pliant_member_def_default();
        def.has_loose_box = true;
        def.loose_box = (pliant_box){{-1, -1, -INFINITY}, {300, 2, INFINITY}};
        const pliant_body_id id = {7, 1}, far_id = {9, 1};
        assert_ok(pliant_scene_set_member(r.scene, id, &def));
        rain_go(&r);
        assert_ok(pliant_scene_find_meetings(r.scene, NULL, &found));
        assert_int_equal(found.count, count);
        assert_int_equal(pliant_scene_get_stats(r.scene)->bodies_updated, DROPS + 1);
        /* Nobody comes near this one: it is not even read. */
        def.loose_box = (pliant_box){{900, 900, 900}, {990, 990, 990}};
        assert_ok(pliant_scene_set_member(r.scene, far_id, &def));
        rain_go(&r);
        assert_ok(pliant_scene_find_meetings(r.scene, NULL, &found));
        assert_int_equal(pliant_scene_get_stats(r.scene)->bodies_updated, DROPS);
        /* It ends in the box, but does not begin there. */
        def.loose_box = (pliant_box){{-1, -1, -30}, {300, 2, -5}};
        def.loose_box.upper[2] = r.at[0][7][2] - 0.5f;
        assert_ok(pliant_scene_set_member(r.scene, id, &def));
        assert_int_equal(pliant_scene_find_meetings(r.scene, NULL, &found), PLIANT_ERROR_RANGE);
        assert_non_null(strstr(pliant_last_error(), "body 7"));
        assert_int_equal(pliant_scene_find_meetings(r.scene, NULL, &found), PLIANT_ERROR_RANGE);
        assert_ok(pliant_scene_set_member(r.scene, id, NULL));
        assert_ok(pliant_scene_set_member(r.scene, far_id, NULL));
        assert_ok(pliant_scene_find_meetings(r.scene, NULL, &found));
        assert_int_equal(found.count, count);
        rain_destroy(&r);
    }
}

/* ---------------------------------------------------------- large bodies */

enum { SIDE = 184, POINTS = SIDE * SIDE, FACES = 2 * (SIDE - 1) * (SIDE - 1) };

static float sheet[2][2][POINTS][3]; /* by body and end */
static uint32_t sheet_triangles[FACES][3];

/* Two sheets that cross along a line, ever further in the course of the step. */
static void make_sheets(void)
{
    for (uint32_t v = 0; v < POINTS; v++) {
        float x = (float)(v % SIDE), y = (float)(v / SIDE);
        for (int i = 0; i < 4; i++) {
            float *at = sheet[i / 2][i % 2][v];
            at[0] = x + 0.25f * (float)(i / 2);
            at[1] = y + 0.125f * (float)(i / 2);
            at[2] = i / 2 == 0 ? 0.0f : 0.05f * x + 0.001f * y - (i % 2 == 0 ? 5.0f : 5.3f);
        }
    }
    for (uint32_t q = 0; q < (SIDE - 1) * (SIDE - 1); q++) {
        uint32_t v = q / (SIDE - 1) * SIDE + q % (SIDE - 1);
        const uint32_t two[2][3] = {{v, v + 1, v + SIDE}, {v + 1, v + SIDE + 1, v + SIDE}};
        memcpy(sheet_triangles[2 * q], two, sizeof two);
    }
}

static void large_bodies_are_shared_by_the_workers(void **state)
{
    (void)state;
    assert_true(POINTS > 32768); /* so that their sweeps are refreshed in parts */
    make_sheets();
    pliant_meetings one = {.count = 0};
    pliant_pair *pairs = NULL;
    pliant_scene_stats expected = {0};
    for (int w = 0; w < WORKERS; w++) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, worker_counts[w]);
        pliant_scene *scene;
        pliant_body *body[2];
        assert_ok(pliant_scene_create(context, NULL, &scene));
        for (int i = 0; i < 2; i++) {
            pliant_body_id id;
            body[i] = create_body(context, sheet[i][0][0], POINTS, sheet_triangles[0], FACES);
            assert_ok(pliant_scene_add(scene, body[i], NULL, &id));
        }
        for (int again = 0; again < 2; again++) {
            pliant_scene_meetings found;
            go(body[0], sheet[0][0][0], sheet[0][1][0]);
            go(body[1], sheet[1][0][0], sheet[1][1][0]);
            assert_ok(pliant_scene_find_meetings(scene, NULL, &found));
            pliant_scene_stats stats = flock_scene_counts(scene);
            if (w == 0 && again == 0) {
                pliant_query *query;
                assert_ok(pliant_query_create(context, &query));
                assert_ok(pliant_find_meetings(query, body[0], body[1], NULL, &one));
                assert_true(one.count > 1000);
                pairs = malloc(one.count * sizeof *pairs);
                memcpy(pairs, one.pairs, one.count * sizeof *pairs);
                pliant_query_destroy(query);
            }
            expected = w == 0 && again == 1 ? stats : expected;
            assert_int_equal(found.count, one.count);
            assert_memory_equal(found.pairs, pairs, one.count * sizeof *pairs);
            if (again == 1) {
                assert_memory_equal(&stats, &expected, sizeof stats);
            }
        }
        pliant_scene_destroy(scene);
        pliant_body_destroy(body[0]);
        pliant_body_destroy(body[1]);
        pliant_context_destroy(context);
    }
    free(pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_times_are_equal_across_bodies),
        cmocka_unit_test(callbacks_get_what_is_stored_otherwise),
        cmocka_unit_test(spent_budgets_are_told),
        cmocka_unit_test(a_start_ends_the_search),
        cmocka_unit_test(later_meetings_are_not_looked_for),
        cmocka_unit_test(loose_boxes_hold_both_ends),
        cmocka_unit_test(large_bodies_are_shared_by_the_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
