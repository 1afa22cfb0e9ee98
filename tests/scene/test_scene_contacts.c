/* Touch events (D13) of pairs that a call does not reach: they stay as they were, unless boxes rule
   them out. The table (tests/table/) has all others. */
#include "fixture.h"

#include <math.h>

enum { BODIES = 3 };

/* One triangle each, all in one place: every two touch. */
static pliant_shape *shape;
static pliant_scene *scene;
static pliant_body *body[BODIES];

static int set_up(void **state)
{
    const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t triangle[3] = {0, 1, 2};
    pliant_shape_def def = pliant_shape_def_default();
    pliant_member_def member = pliant_member_def_default();
    test_context_set_up(state);
    def.positions = positions;
    def.vertex_count = 3;
    def.triangles = triangle;
    def.triangle_count = 1;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    member.has_loose_box = true;
    member.loose_box = (pliant_box){{-20, -20, -20}, {20, 20, 20}};
    for (int i = 0; i < BODIES; i++) {
        pliant_body_id id;
        assert_ok(pliant_body_create(shape, NULL, &body[i]));
        assert_ok(pliant_scene_add(scene, body[i], &member, &id));
    }
    return 0;
}

static int tear_down(void **state)
{
    pliant_scene_destroy(scene);
    for (int i = 0; i < BODIES; i++) {
        pliant_body_destroy(body[i]);
    }
    pliant_shape_destroy(shape);
    return test_context_tear_down(state);
}

/* The events of the pairs of bodies 0 and 1, 0 and 2, 1 and 2. */
static void expect_events(const pliant_scene_options *options, pliant_touch first,
                          pliant_touch second, pliant_touch third)
{
    const pliant_touch expected[3] = {first, second, third};
    pliant_scene_contacts found;
    uint32_t count = 0;
    assert_ok(pliant_scene_collide(scene, options, &found));
    const pliant_scene_event *events = pliant_scene_get_events(scene, &count);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(events[i].a.index, i == 2);
        assert_int_equal(events[i].b.index, i == 0 ? 1 : 2);
        assert_int_equal(events[i].touch, expected[i]);
    }
}

static bool stop(void *user, const pliant_scene_pair *bodies, const pliant_contacts *contacts)
{
    (void)user;
    return bodies->a.index + bodies->b.index != 1 || contacts->count == 0;
}

static void pairs_behind_a_stop_stay(void **state)
{
    (void)state;
    pliant_scene_options options = pliant_scene_options_default();
    options.events = true;
    expect_events(&options, PLIANT_TOUCH_BEGAN, PLIANT_TOUCH_BEGAN, PLIANT_TOUCH_BEGAN);
    options.callback = stop;
    expect_events(&options, PLIANT_TOUCH_ONGOING, PLIANT_TOUCH_ONGOING, PLIANT_TOUCH_ONGOING);
}

/* The boxes of bodies decide, not those that members declare. */
static void pairs_that_boxes_rule_out_end(void **state)
{
    (void)state;
    const float away[9] = {9, 9, 9, 10, 9, 9, 9, 10, 9};
    pliant_scene_options options = pliant_scene_options_default();
    options.events = true;
    options.first_in_all = true;
    assert_ok(pliant_body_set_positions(body[2], away, 0));
    expect_events(&options, PLIANT_TOUCH_ONGOING, PLIANT_TOUCH_ENDED, PLIANT_TOUCH_ENDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_behind_a_stop_stay),
        cmocka_unit_test(pairs_that_boxes_rule_out_end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
