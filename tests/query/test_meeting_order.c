/*
 * Meetings in the order of their times: how little exact work that takes, and what a budget leaves
 * that ends in it. The exact tier is compiled in a second time, so that its multiplications
 * are counted.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "geometry/moving_triangles.h"
#include "limb_products.h"
#include "pliant/pliant.h"
#include "random.h"
#include "triangle_cases.h"

enum { COPIES = 400, EACH = 7, GROUPS = 2, MOST = GROUPS * EACH };

/* Two bodies of separate triangles, and where their corners are at both ends. */
typedef struct two_bodies {
    uint32_t count;
    float *at[2][2]; /* body, end */
    pliant_context *context;
    pliant_query *query;
    pliant_body *body[2];
} two_bodies;

static void allocate(two_bodies *t, uint32_t count)
{
    *t = (two_bodies){.count = count};
    for (int i = 0; i < 4; i++) {
        t->at[i / 2][i % 2] = calloc((size_t)9 * count, sizeof(float));
        assert_non_null(t->at[i / 2][i % 2]);
    }
}

/* A body of separate triangles that goes from at[0] to at[1]. */
static pliant_body *create_body(pliant_context *context, uint32_t count, float *const at[2])
{
    uint32_t *triangles = calloc((size_t)3 * count, sizeof *triangles);
    assert_non_null(triangles);
    for (uint32_t i = 0; i < 3 * count; i++) {
        triangles[i] = i;
    }
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = at[0];
    def.vertex_count = 3 * count;
    def.triangles = triangles;
    def.triangle_count = count;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_body_begin_step(body));
    assert_ok(pliant_body_set_positions(body, at[1], 0));
    pliant_shape_destroy(shape);
    free(triangles);
    return body;
}

static void create(two_bodies *t)
{
    t->context = fixture_context_with(PLIANT_ISA_BEST, 1);
    assert_ok(pliant_query_create(t->context, &t->query));
    for (int i = 0; i < 2; i++) {
        t->body[i] = create_body(t->context, t->count, t->at[i]);
    }
}

static void destroy(two_bodies *t)
{
    pliant_query_destroy(t->query);
    for (int i = 0; i < 4; i++) {
        free(t->at[i / 2][i % 2]);
    }
    pliant_body_destroy(t->body[0]);
    pliant_body_destroy(t->body[1]);
    pliant_context_destroy(t->context);
}

/* ---------------------------------------------------------------- copies */

/* One pair of triangles that meet at an irrational time, again and again: elsewhere, larger, with
   its corners in another order. */
static void make_copies(two_bodies *t)
{
    static const float corner[2][2][3][3] = {
        {{{0, 0, 0}, {1.25f, 0.125f, 0}, {0.25f, 1.5f, 0.375f}},
         {{0.1875f, 0.0625f, 0.75f}, {1.375f, -0.125f, 0.8125f}, {0.125f, 1.25f, 0.6875f}}},
        {{{0.3125f, 0.25f, 1}, {1.1875f, 0.375f, 1.25f}, {0.5f, 1.125f, 1.5f}},
         {{0.25f, 0.4375f, -0.25f}, {1.0625f, 0.25f, 0.125f}, {0.375f, 1.0625f, -0.125f}}}};
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    allocate(t, COPIES);
    for (uint32_t i = 0; i < COPIES; i++) {
        const float place[3] = {(float)(i % 20) * 32, (float)(i / 20) * 32, (float)(i % 7)};
        for (int k = 0; k < 36; k++) {
            int body = k / 18, end = k / 9 % 2, c = k / 3 % 3, axis = k % 3;
            int from = order[(i + 2 * (uint32_t)body) % 6][c];
            t->at[body][end][9 * i + 3 * (uint32_t)c + (uint32_t)axis] =
                place[axis] + ldexpf(corner[body][end][from][axis], (int)(i % 4));
        }
    }
    create(t);
}

static void test_copies_need_no_algebra(void **state)
{
    (void)state;
    two_bodies t;
    pliant_meetings found;
    make_copies(&t);
    limb_products = 0;
    assert_ok(pliant_find_meetings(t.query, t.body[0], t.body[1], NULL, &found));
    assert_int_equal(found.count, COPIES);
    for (uint32_t i = 0; i < COPIES; i++) {
        assert_true(found.pairs[i].a == i && found.pairs[i].b == i);
        assert_true(found.meetings[i].time.low < found.meetings[i].time.high);
    }
    assert_int_equal(limb_products, 0);
    assert_int_equal(pliant_query_get_stats(t.query)->exact_fallbacks, 0);
    pliant_free_time first;
    assert_ok(pliant_find_free_time(t.query, t.body[0], t.body[1], NULL, &first));
    assert_true(first.pair.a == 0 && first.pair.b == 0);
    destroy(&t);
}

/* --------------------------------------------------------------- budgets */

/* Triangles that grow from a point, and others that shrink to one. The first meet next to time 0,
   the others next to time 1: the bounds of their times overlap. */
static void make_points(two_bodies *t, uint64_t seed)
{
    rng r;
    rng_seed(&r, seed);
    allocate(t, MOST);
    for (uint32_t k = 0; k < 36 * MOST; k++) {
        uint32_t body = k % 2, end = k / 2 % 2, place = k / 4;
        uint32_t large = place / 9 < EACH ? 1 : 0; /* the end at which they are */
        float away = place % 3 == 0 ? (large == 1 ? -100.0f : 200.0f) : 0.0f;
        t->at[body][end][place] = end == large ? away + (float)rng_range(&r, -1.0, 1.0)
                                               : (float)ldexp(rng_range(&r, -1.0, 1.0), -140);
    }
    create(t);
}

static void read_triangle(const two_bodies *t, int body, uint32_t number,
                          pliant_moving_triangle *triangle)
{
    for (uint32_t k = 0; k < 9; k++) {
        triangle->corner[k / 3].start[k % 3] = t->at[body][0][9 * number + k];
        triangle->corner[k / 3].end[k % 3] = t->at[body][1][9 * number + k];
    }
}

/* The order of two meetings by exact arithmetic alone. */
static int compare(const two_bodies *t, const pliant_meetings *found, uint64_t i, uint64_t j)
{
    const uint64_t number[2] = {i, j};
    pli_exact_time time[2];
    for (int k = 0; k < 2; k++) {
        pliant_moving_triangle triangle[2];
        pli_moving_points points;
        pliant_pair pair = found->pairs[number[k]];
        read_triangle(t, 0, pair.a, &triangle[0]);
        read_triangle(t, 1, pair.b, &triangle[1]);
        pli_meeting_points(&triangle[0], &triangle[1], &found->meetings[number[k]], &points);
        assert_true(pli_moving_find_exact(&points, &time[k]));
    }
    return pli_time_compare(&time[0], &time[1]);
}

static bool pair_is_before(pliant_pair a, pliant_pair b)
{
    return a.a < b.a || (a.a == b.a && a.b < b.b);
}

/* Whether meeting i may stand in front of the next one: by exact time, or by its lower bound. */
static bool in_order(const two_bodies *t, const pliant_meetings *found, uint64_t i, bool exactly)
{
    const pliant_meeting *a = &found->meetings[i], *b = &found->meetings[i + 1];
    bool starts = a->kind == PLIANT_MEETING_START, next_starts = b->kind == PLIANT_MEETING_START;
    int order = (a->time.low > b->time.low) - (a->time.low < b->time.low);
    order = exactly && !starts && !next_starts ? compare(t, found, i, i + 1) : order;
    order = starts != next_starts ? next_starts - starts : order;
    return order < 0 || (order == 0 && pair_is_before(found->pairs[i], found->pairs[i + 1]));
}

static pliant_meetings ask(const two_bodies *t, uint64_t budget)
{
    pliant_meetings found;
    pliant_meeting_options options = pliant_meeting_options_default();
    options.budget_nodes = budget;
    assert_ok(pliant_find_meetings(t->query, t->body[0], t->body[1], &options, &found));
    return found;
}

typedef struct kept {
    pliant_pair pair[MOST * MOST];
    pliant_meeting meeting[MOST * MOST];
} kept;

static void keep(const pliant_meetings *found, kept *k)
{
    memcpy(k->pair, found->pairs, found->count * sizeof *found->pairs);
    memcpy(k->meeting, found->meetings, found->count * sizeof *found->meetings);
}

static bool is_kept(const kept *k, const pliant_meetings *found, uint64_t i)
{
    pliant_pair pair = found->pairs[i];
    return k->pair[i].a == pair.a && k->pair[i].b == pair.b;
}

/* With a budget: how many meetings are in exact order. */
static uint64_t check_budget(const two_bodies *t, const kept *all, uint64_t count, uint64_t budget)
{
    static kept once;
    bool there[MOST][MOST] = {{false}};
    pliant_meetings found = ask(t, budget);
    uint64_t exact = 0;
    assert_int_equal(found.count, count);
    keep(&found, &once);
    while (exact < count && is_kept(all, &found, exact)) {
        exact++;
    }
    assert_true(!found.complete || exact == count);
    for (uint64_t i = exact; i + 1 < count; i++) {
        assert_true(in_order(t, &found, i, false));
    }
    for (uint64_t i = 0; i < count; i++) {
        assert_false(there[found.pairs[i].a][found.pairs[i].b]);
        there[found.pairs[i].a][found.pairs[i].b] = true;
    }
    found = ask(t, budget);
    for (uint64_t i = 0; i < count; i++) {
        assert_true(is_kept(&once, &found, i) && there[all->pair[i].a][all->pair[i].b]);
    }
    return found.complete ? UINT64_MAX : exact;
}

static void test_budget_ends_in_the_sort(void **state)
{
    (void)state;
    static kept all;
    two_bodies t;
    make_points(&t, 38);
    pliant_meetings found = ask(&t, 0);
    uint64_t count = found.count, early = 0;
    assert_true(found.complete && count > MOST);
    uint64_t nodes = pliant_query_get_stats(t.query)->nodes_tested;
    for (uint64_t i = 0; i + 1 < count; i++) {
        assert_true(in_order(&t, &found, i, true));
        early += found.meetings[i].time.high < 0.5;
    }
    assert_true(early > EACH && early < count - EACH);
    keep(&found, &all);
    uint64_t stops = 0, halfway = 0, completes = 0, last = 0;
    for (uint64_t budget = nodes + 1; budget < 4096; budget += budget / 3 + 1) {
        uint64_t exact = check_budget(&t, &all, count, budget);
        assert_true(exact >= last); /* more is never worse */
        last = exact == UINT64_MAX ? exact : last;
        completes += exact == UINT64_MAX;
        stops += exact < early;
        halfway += exact >= early && exact < count;
    }
    assert_true(stops > 0 && halfway > 0 && completes > 0);
    destroy(&t);
}

/* In a scene the pair of bodies, and the answer, are marked. */
static void test_budget_in_a_scene(void **state)
{
    (void)state;
    two_bodies t;
    make_points(&t, 39);
    pliant_scene *scene = NULL;
    pliant_scene_meetings found;
    pliant_scene_options options = pliant_scene_options_default();
    assert_ok(pliant_scene_create(t.context, NULL, &scene));
    for (int i = 0; i < 2; i++) {
        pliant_body_id id;
        assert_ok(pliant_scene_add(scene, t.body[i], NULL, &id));
    }
    assert_ok(pliant_scene_find_meetings(scene, &options, &found));
    uint64_t count = found.count;
    assert_true(found.complete && found.bodies[0].complete && count > MOST);
    options.budget_nodes = ask(&t, 0).count; /* enough for the walk */
    assert_ok(pliant_scene_find_meetings(scene, &options, &found));
    assert_int_equal(found.count, count);
    assert_false(found.complete || found.bodies[0].complete);
    pliant_meetings alone = ask(&t, options.budget_nodes);
    assert_false(alone.complete);
    assert_memory_equal(alone.pairs, found.pairs, count * sizeof *found.pairs);
    pliant_scene_destroy(scene);
    destroy(&t);
}

/* ---------------------------------------------------------- times 0 and 1 */

/* PLATE stands still. TOUCHING begins on the plate and falls through it. FALLING begins so little
   above it that the bounds of its time begin at 0. Backwards the times are 1 and close to 1. */
typedef enum early { PLATE, TOUCHING, FALLING } early;

static void place_early(early what, float x, bool backwards, float *const at[2])
{
    static const float wide[9] = {-8, -8, 0, 8, -8, 0, 0, 8, 0};
    static const float oblique[9] = {-1, -1, -1, 1, -1, -0.75f, 0, 1, -0.5f};
    float *from = at[backwards], *to = at[!backwards];
    for (uint32_t k = 0; k < 9; k++) {
        float side = k % 3 == 0 ? x : 0.0f;
        float above = what == FALLING && k % 3 == 2 ? 0x1p-44f : 0.0f;
        to[k] = side + (what == PLATE ? wide[k] : oblique[k]);
        from[k] = what == PLATE ? to[k] : k % 3 == 2 ? above : to[k];
    }
}

/* A time of exactly 0 or 1 is compared with a time in doubt whose bounds contain it. Pairs of
   triangles come in both orders, and once only the first meeting is asked for. */
static void test_ends_of_a_step_and_doubt(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        two_bodies t;
        uint32_t falling = i % 2, first = i < 4 ? 1 - falling : falling;
        allocate(&t, 2);
        for (uint32_t k = 0; k < 2; k++) {
            float x = (k == 1) == (i / 2 % 2 == 0) ? 32.0f : 0.0f;
            float *const plate[2] = {t.at[0][0] + 9 * k, t.at[0][1] + 9 * k};
            float *const other[2] = {t.at[1][0] + 9 * k, t.at[1][1] + 9 * k};
            place_early(PLATE, x, i >= 4, plate);
            place_early(k == falling ? FALLING : TOUCHING, x, i >= 4, other);
        }
        create(&t);
        pliant_meetings found = ask(&t, 0);
        assert_int_equal(found.count, 2);
        assert_int_equal(found.pairs[0].a, first);
        const pliant_meeting_time *doubt = &found.meetings[first != falling].time;
        const pliant_meeting_time *known = &found.meetings[first == falling].time;
        assert_true(doubt->low < doubt->high && known->low == known->high);
        assert_true(i < 4 ? doubt->low == 0.0 && known->low == 0.0
                          : doubt->high == 1.0 && known->low == 1.0);
        pliant_meeting_options one = pliant_meeting_options_default();
        one.mode = PLIANT_COLLIDE_FIRST;
        assert_ok(pliant_find_meetings(t.query, t.body[0], t.body[1], &one, &found));
        assert_int_equal(found.count, 1);
        assert_int_equal(found.pairs[0].a, first);
        destroy(&t);
    }
}

/* The same for pairs of bodies in a scene, which are compared in the order of their ids. */
static void test_ends_of_a_step_and_doubt_in_a_scene(void **state)
{
    (void)state;
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    for (uint32_t i = 0; i < 4; i++) {
        pliant_scene *scene = NULL;
        pliant_body *body[3];
        pliant_body_id id[3];
        uint32_t falling = 1 + i % 2, first = i < 2 ? 3 - falling : falling;
        float from[9], to[9], *const at[2] = {from, to};
        assert_ok(pliant_scene_create(context, NULL, &scene));
        for (uint32_t k = 0; k < 3; k++) {
            float x = k == 0 ? 0.0f : (k == 1 ? -2.0f : 2.0f);
            place_early(k == 0 ? PLATE : k == falling ? FALLING : TOUCHING, x, i >= 2, at);
            body[k] = create_body(context, 1, at);
            assert_ok(pliant_scene_add(scene, body[k], NULL, &id[k]));
        }
        pliant_scene_options options = pliant_scene_options_default();
        options.first_in_all = true;
        pliant_scene_meetings found;
        assert_ok(pliant_scene_find_meetings(scene, &options, &found));
        assert_int_equal(found.count, 1);
        assert_memory_equal(&found.bodies[0].b, &id[first], sizeof *id);
        pliant_scene_destroy(scene);
        for (int k = 0; k < 3; k++) {
            pliant_body_destroy(body[k]);
        }
    }
    pliant_context_destroy(context);
}

/* Bodies that shrink to a point took numbers of 14 limbs before each end had its own unit. */
static void test_points_take_little(void **state)
{
    (void)state;
    two_bodies t;
    make_points(&t, 40);
    limb_products = 0;
    pliant_meetings found = ask(&t, 0);
    uint64_t exact = pliant_query_get_stats(t.query)->exact_fallbacks;
    print_message("  %llu meetings, %llu exact tests and comparisons, %llu products of limbs\n",
                  (unsigned long long)found.count, (unsigned long long)exact,
                  (unsigned long long)limb_products);
    assert_true(limb_products > 0 && limb_products < 75000 * found.count);
    destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies_need_no_algebra),
        cmocka_unit_test(test_budget_ends_in_the_sort),
        cmocka_unit_test(test_budget_in_a_scene),
        cmocka_unit_test(test_ends_of_a_step_and_doubt),
        cmocka_unit_test(test_ends_of_a_step_and_doubt_in_a_scene),
        cmocka_unit_test(test_points_take_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
