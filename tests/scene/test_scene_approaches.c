/* Distances of steps in scenes: errors of shapes reach further, and bad distances are refused. */

#include <math.h>

#include "moving_mesh.h"

enum { BODIES = 9, SCENES = 8, LOOSE = 4 };

/* Two triangles that go past each other, with these errors. */
typedef struct passing {
    pliant_context *context;
    pliant_scene *scene;
    pliant_query *query;
    pliant_body *body[2];
} passing;

static passing passing_create(const float error[2])
{
    passing p = {.context = fixture_context_with(PLIANT_ISA_BEST, 1)};
    assert_ok(pliant_scene_create(p.context, NULL, &p.scene));
    assert_ok(pliant_query_create(p.context, &p.query));
    for (int i = 0; i < 2; i++) {
        static const float corners[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1};
        static const uint32_t triangle[3] = {0, 1, 2};
        pliant_shape_def def = pliant_shape_def_default();
        def.positions = corners;
        def.vertex_count = 3;
        def.triangles = triangle;
        def.triangle_count = 1;
        def.error = error[i];
        pliant_shape *shape;
        pliant_body_id id;
        assert_ok(pliant_shape_create(p.context, &def, &shape));
        assert_ok(pliant_body_create(shape, NULL, &p.body[i]));
        assert_ok(pliant_scene_add(p.scene, p.body[i], NULL, &id));
        pliant_shape_destroy(shape);
    }
    return p;
}

static void passing_destroy(passing *p)
{
    pliant_scene_destroy(p->scene);
    pliant_query_destroy(p->query);
    pliant_body_destroy(p->body[0]);
    pliant_body_destroy(p->body[1]);
    pliant_context_destroy(p->context);
}

/* The second one goes from far beyond to `x` before the first one, and on. */
static void pass(passing *p, float x)
{
    for (int end = 0; end < 2; end++) {
        float y = end == 0 ? 9.0f : -9.0f;
        const float at[9] = {x, y, 0, x, y + 1, 0, x, y, 1};
        assert_ok(pliant_body_set_positions(p->body[1], at, 0));
        if (end == 0) {
            assert_ok(pliant_scene_begin_step(p->scene));
        }
    }
}

/* Errors of both bodies add to the distance, so boxes that are farther apart than it count too. */
static void errors_reach_beyond_the_distance(void **state)
{
    (void)state;
    static const float errors[4][2] = {{0.25f, 0.25f}, {0.5f, 0.0f}, {0.0f, 0.5f}, {0.0f, 0.0f}};
    for (int i = 0; i < 4; i++) {
        passing p = passing_create(errors[i]);
        for (int far = 0; far < 2; far++) {
            pliant_scene_options options = pliant_scene_options_default();
            pliant_meeting_options each = approach_options(0.125f);
            pliant_scene_meetings found;
            pliant_meetings one;
            pass(&p, (i < 3 ? 0.625f : 0.125f) + (far ? 0.01f : 0.0f));
            options.distance = 0.125f;
            assert_ok(pliant_scene_find_meetings(p.scene, &options, &found));
            assert_ok(pliant_find_meetings(p.query, p.body[0], p.body[1], &each, &one));
            assert_true(found.count == (far ? 0u : 1u) && one.count == found.count);
            options.distance = 0.0f; /* errors do not count then */
            assert_ok(pliant_scene_find_meetings(p.scene, &options, &found));
            assert_int_equal(found.count, 0);
        }
        passing_destroy(&p);
    }
}

/* Every question refuses a distance that is none, and leaves bodies where they are. */
static void bad_distances_are_refused(void **state)
{
    (void)state;
    static const float bad[4] = {NAN, INFINITY, -INFINITY, -1.0f};
    passing p = passing_create((const float[2]){0.0f, 0.0f});
    pass(&p, 0.5f);
    for (int i = 0; i < 4; i++) {
        pliant_result expected = i < 3 ? PLIANT_ERROR_NOT_FINITE : PLIANT_ERROR_RANGE;
        pliant_scene_options options = pliant_scene_options_default();
        pliant_scene_meetings found;
        pliant_scene_free_time until;
        pliant_scene_advance advance;
        options.distance = bad[i];
        assert_int_equal(pliant_scene_find_meetings(p.scene, &options, &found), expected);
        assert_int_equal(pliant_scene_find_free_time(p.scene, &options, &until), expected);
        assert_int_equal(pliant_scene_advance_bodies(p.scene, &options, &advance), expected);
        float at[9];
        assert_ok(pliant_body_evaluate(p.body[1], NULL, 3, at));
        assert_true(at[0] == 0.5f && at[1] == -9.0f);
    }
    passing_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_reach_beyond_the_distance),
        cmocka_unit_test(bad_distances_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
