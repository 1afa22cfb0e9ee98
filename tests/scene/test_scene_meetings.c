/* Steps of scenes: the earliest meeting of all, steps that begin for all or none, bad arguments. */
#include "flock_scene.h"

#include <math.h>
#include <string.h>

#include "random.h"

enum { BODIES = 12, TRIANGLES = 10, SCENES = 8 };

static float positions[2][BODIES][3 * TRIANGLES][3];

/* The same bodies once more. */
typedef struct group {
    pliant_context *context;
    pliant_scene *scene;
    pliant_query *query;
    pliant_body *body[BODIES];
    pliant_body_id id[BODIES];
} group;

static pliant_member_def describe(uint32_t i, uint32_t *users)
{
    static const uint64_t odd_groups[1] = {2};
    pliant_member_def def = pliant_member_def_default();
    def.self = i % 4 == 0;
    def.is_static = i % 5 == 1;
    def.category = i == 7 ? 2 : 1;
    def.mask = i == 3 ? 1 : UINT64_MAX;
    def.user = &users[i];
    if (i == 2) {
        def.groups = (pliant_groups){odd_groups, 2};
    }
    return def;
}

static pliant_body *create_body(pliant_context *context)
{
    static uint32_t triangles[3 * TRIANGLES];
    static uint16_t groups[TRIANGLES];
    static float rest[3 * TRIANGLES][3];
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++) {
        triangles[i] = i;
        groups[i / 3] = i / 3 % 2;
        rest[i][0] = (float)i; /* no two vertices are welded */
        rest[i][1] = (float)(i % 3 == 1);
    }
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = rest[0];
    def.vertex_count = 3 * TRIANGLES;
    def.triangles = triangles;
    def.triangle_count = TRIANGLES;
    def.groups = groups;
    pliant_shape *shape;
    pliant_body *body;
    assert_ok(pliant_shape_create(context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    pliant_shape_destroy(shape);
    return body;
}

static group create(pliant_context *context, uint32_t *users)
{
    group g = {.context = context};
    assert_ok(pliant_scene_create(context, NULL, &g.scene));
    assert_ok(pliant_query_create(context, &g.query));
    for (uint32_t i = 0; i < BODIES; i++) {
        pliant_member_def def = describe(i, users);
        g.body[i] = create_body(context);
        assert_ok(pliant_scene_add(g.scene, g.body[i], &def, &g.id[i]));
    }
    return g;
}

static void destroy(group *g)
{
    pliant_scene_destroy(g->scene);
    pliant_query_destroy(g->query);
    for (int i = 0; i < BODIES; i++) {
        pliant_body_destroy(g->body[i]);
    }
    pliant_context_destroy(g->context);
}

/* Small triangles about a place of each body's own, so that some pairs of boxes stay apart. */
static void scatter(rng *random, float at[BODIES][3 * TRIANGLES][3])
{
    for (int b = 0; b < BODIES; b++) {
        float place = (float)rng_range(random, -4.0, 4.0);
        for (int v = 0; v < 3 * TRIANGLES; v++) {
            for (int k = 0; k < 3; k++) {
                float middle = v % 3 == 0 ? (float)rng_range(random, -1.0, 1.0) + (k == 0) * place
                                          : at[b][v - v % 3][k];
                at[b][v][k] = middle + (float)rng_range(random, -0.2, 0.2);
            }
        }
    }
}

/* The bodies of a group go from the first positions to the second; every sixth stands still. */
static void step(group *g, bool by_scene)
{
    for (int i = 0; i < BODIES; i++) {
        assert_ok(pliant_body_set_positions(g->body[i], positions[0][i][0], 0));
        if (!by_scene) {
            assert_ok(pliant_body_begin_step(g->body[i]));
        }
    }
    if (by_scene) {
        assert_ok(pliant_scene_begin_step(g->scene));
    }
    for (int i = 0; i < BODIES; i++) {
        if (i % 6 != 5) {
            assert_ok(pliant_body_set_positions(g->body[i], positions[1][i][0], 0));
        }
    }
}

static bool is_asked(uint32_t a, uint32_t b, const pliant_scene_options *options, uint32_t *users)
{
    pliant_member_def x = describe(a, users), y = describe(b, users);
    if (options->only_self || a == b) {
        return a == b && (options->only_self || x.self);
    }
    return (x.category & y.mask) != 0 && (y.category & x.mask) != 0 &&
           !(x.is_static && y.is_static) && (options->filter == NULL || (a != 6 && b != 6));
}

/* The earliest of a whole answer. Where two are not told apart by their times, which is rare, the
   answer is not judged: returns UINT64_MAX. */
static uint64_t find_earliest(const pliant_scene_meetings *all)
{
    uint64_t best = 0;
    for (uint64_t i = 1; i < all->count; i++) {
        const pliant_meeting_time *x = &all->meetings[i].time, *y = &all->meetings[best].time;
        bool exact = x->low == x->high && y->low == y->high;
        if (!exact && x->low <= y->high && y->low <= x->high) {
            return UINT64_MAX;
        }
        best = x->high < y->low ? i : best;
    }
    return best;
}

static const pliant_scene_pair *bodies_of(const pliant_scene_meetings *all, uint64_t meeting)
{
    const pliant_scene_pair *bodies = all->bodies;
    while (meeting >= bodies->first + bodies->count) {
        bodies++;
    }
    return bodies;
}

/* Until when nothing meets is the least of all pairs of bodies that are asked about. */
static void compare_free_time(const group *g, const group *other, uint32_t *users)
{
    pliant_scene_options options = pliant_scene_options_default();
    pliant_scene_free_time until;
    pliant_free_time least = {.time = 1.0f}, named = {.time = 1.0f};
    assert_ok(pliant_scene_find_free_time(other->scene, NULL, &until));
    for (uint32_t i = 0; i < BODIES * BODIES; i++) {
        uint32_t a = i / BODIES, b = i % BODIES;
        pliant_meeting_options each = pliant_meeting_options_default();
        each.groups_a = describe(a, users).groups;
        each.groups_b = describe(b, users).groups;
        if (a <= b && is_asked(a, b, &options, users)) {
            pliant_free_time one;
            assert_ok(a == b
                          ? pliant_find_free_time_self(g->query, g->body[a], &each, &one)
                          : pliant_find_free_time(g->query, g->body[a], g->body[b], &each, &one));
            least.touches = least.touches || one.touches;
            least.time = one.time < least.time ? one.time : least.time;
            named = a == until.a.index && b == until.b.index ? one : named;
        }
    }
    assert_true(until.path.complete && until.path.time == least.time);
    assert_true(until.path.touches == least.touches && named.touches == least.touches);
    assert_true((until.a.generation != 0) == (until.path.meeting.kind != PLIANT_MEETING_NONE));
    assert_true(until.a.generation == 0 ||
                (named.time == least.time && until.user_a == &users[until.a.index] &&
                 until.path.pair.a == named.pair.a && until.path.pair.b == named.pair.b));
}

/* Asks two groups in the same step: one for everything, one for the earliest. */
static bool compare_earliest(const group *g, const group *other)
{
    pliant_scene_options options = pliant_scene_options_default();
    pliant_scene_meetings all, one;
    assert_ok(pliant_scene_find_meetings(g->scene, &options, &all));
    options.first_in_all = true;
    assert_ok(pliant_scene_find_meetings(other->scene, &options, &one));
    assert_int_equal(one.count, all.count > 0 ? 1 : 0);
    uint64_t best = all.count > 0 ? find_earliest(&all) : UINT64_MAX;
    if (best == UINT64_MAX) {
        return false;
    }
    const pliant_scene_pair *bodies = bodies_of(&all, best);
    assert_int_equal(one.body_pair_count, 1);
    assert_true(one.bodies->first == 0 && one.bodies->count == 1);
    assert_true(one.bodies->a.index == bodies->a.index && one.bodies->b.index == bodies->b.index);
    assert_memory_equal(one.pairs, &all.pairs[best], sizeof *one.pairs);
    assert_true(one.meetings->time.low == all.meetings[best].time.low);
    return one.meetings->time.low > 0.0;
}

static void the_earliest_of_all_is_found(void **state)
{
    (void)state;
    uint32_t users[BODIES], later = 0, rounds = (uint32_t)fixture_count(40);
    rng random;
    rng_seed(&random, 21);
    group g = create(fixture_context_with(PLIANT_ISA_BEST, 1), users);
    group other = create(fixture_context_with(PLIANT_ISA_BEST, 3), users);
    for (uint32_t round = 0; round < rounds; round++) {
        scatter(&random, positions[0]);
        scatter(&random, positions[1]);
        for (int i = 0; i < BODIES * 3 * TRIANGLES && round % 4 != 0; i++) {
            /* Shrunk and far apart at first, so that nothing touches then. */
            float *at = positions[0][i / (3 * TRIANGLES)][i % (3 * TRIANGLES)];
            at[0] = (float)(100 * i / 3);
        }
        step(&g, true);
        step(&other, true);
        later += compare_earliest(&g, &other) ? 1 : 0;
        compare_free_time(&g, &other, users);
    }
    assert_true(rounds < 8 || later >= rounds / 4);
    destroy(&g);
    destroy(&other);
}

/* A body whose shared positions turned out to be none: nobody's step begins, and those that had
 * begun one keep it. */
static void a_step_begins_for_all_or_for_none(void **state)
{
    (void)state;
    uint32_t users[BODIES];
    rng random;
    rng_seed(&random, 3);
    group g = create(fixture_context_with(PLIANT_ISA_BEST, 2), users);
    pliant_scene_meetings before, after;
    scatter(&random, positions[0]);
    scatter(&random, positions[1]);
    step(&g, true);
    assert_ok(pliant_scene_find_meetings(g.scene, NULL, &before));
    uint64_t count = before.count;
    assert_true(count > 0);
    pliant_body *bad = create_body(g.context), *late = create_body(g.context);
    pliant_body_id id, late_id;
    assert_ok(pliant_scene_add(g.scene, late, NULL, &late_id));
    assert_ok(pliant_scene_add(g.scene, bad, NULL, &id));
    assert_ok(pliant_body_set_positions(late, positions[0][0][0], 0));
    float nowhere[3 * TRIANGLES][3] = {{NAN}};
    assert_ok(pliant_body_share_positions(bad, nowhere[0], 0));
    assert_int_not_equal(pliant_body_prepare(bad), PLIANT_OK);
    assert_int_not_equal(pliant_scene_begin_step(g.scene), PLIANT_OK);
    assert_non_null(strstr(pliant_last_error(), "body 13"));
    assert_int_not_equal(pliant_scene_find_meetings(g.scene, NULL, &after), PLIANT_OK);
    assert_non_null(strstr(pliant_last_error(), "body 13"));
    assert_ok(pliant_scene_remove(g.scene, id));
    /* The one that would have begun its first step stands still: it meets what a still body does.
     */
    pliant_meetings one;
    assert_ok(pliant_body_set_positions(late, positions[1][0][0], 0));
    assert_ok(pliant_find_meetings(g.query, late, g.body[0], NULL, &one));
    uint64_t with_late = one.count;
    assert_ok(pliant_body_end_step(late));
    assert_ok(pliant_find_meetings(g.query, late, g.body[0], NULL, &one));
    assert_int_equal(with_late, one.count);
    assert_ok(pliant_scene_remove(g.scene, late_id));
    assert_ok(pliant_scene_find_meetings(g.scene, NULL, &after));
    assert_int_equal(after.count, count);
    pliant_body_destroy(bad);
    pliant_body_destroy(late);
    destroy(&g);
}

static void empty_scenes_and_bad_arguments(void **state)
{
    (void)state;
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    pliant_scene *scene;
    pliant_scene_meetings found = {.count = 1};
    assert_ok(pliant_scene_create(context, NULL, &scene));
    assert_ok(pliant_scene_begin_step(scene));
    assert_ok(pliant_scene_find_meetings(scene, NULL, &found));
    assert_true(found.count == 0 && found.bodies == NULL && found.pairs == NULL);
    assert_int_equal(pliant_scene_begin_step(NULL), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_scene_find_meetings(NULL, NULL, &found), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_scene_find_meetings(scene, NULL, NULL), PLIANT_ERROR_ARGUMENT);
    pliant_scene_destroy(scene);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_of_all_is_found),
        cmocka_unit_test(a_step_begins_for_all_or_for_none),
        cmocka_unit_test(empty_scenes_and_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
