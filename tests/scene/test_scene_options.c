/* Each query of a scene rejects the options that it does not use, by name. */
#include "fixture.h"

#include <string.h>

#include "base/error.h"
#include "pliant/recording.h"

#include "scene/described.inl"

static bool pass_pairs(void *user, pliant_body_id a, pliant_body_id b)
{
    (void)user;
    return a.index != b.index;
}

static bool take_contacts(void *user, const pliant_scene_pair *pair, const pliant_contacts *batch)
{
    (void)user;
    return pair != NULL && batch != NULL;
}

static bool take_meetings(void *user, const pliant_scene_pair *pair, const pliant_meetings *batch)
{
    (void)user;
    return pair != NULL && batch != NULL;
}

/* Options that all differ from their defaults, and are valid. */
static pliant_scene_options other_options(void)
{
    pliant_scene_options options = pliant_scene_options_default();
    static int user;
    options.mode = PLIANT_COLLIDE_FIRST;
    options.neighbours = PLIANT_NEIGHBOURS_SKIP;
    options.filter = pass_pairs;
    options.filter_user = options.callback_user = &user;
    options.budget_nodes = options.budget_microseconds = 1000000;
    options.only_self = options.across_groups = options.first_in_all = true;
    options.distance = 0.5f;
    options.segments = options.separations = options.events = true;
    options.separation_side = PLIANT_SEPARATION_FRONT_OF_A;
    options.callback = take_contacts;
    options.meetings_callback = take_meetings;
    return options;
}

static pliant_result call(pliant_scene *scene, pliant_recorded_question query,
                          const pliant_scene_options *options)
{
    pliant_scene_contacts contacts;
    pliant_scene_proxy_contacts proxies;
    pliant_scene_proximities proximities;
    pliant_scene_features features;
    pliant_scene_meetings meetings;
    pliant_scene_free_time free_time;
    switch (query) {
    case PLIANT_RECORDED_COLLIDE:
        return pliant_scene_collide(scene, options, &contacts);
    case PLIANT_RECORDED_COLLIDE_PROXIES:
        return pliant_scene_collide_proxies(scene, options, &proxies);
    case PLIANT_RECORDED_FIND_WITHIN:
        return pliant_scene_find_within(scene, 1.0f, options, &proximities);
    case PLIANT_RECORDED_FIND_FEATURES:
        return pliant_scene_find_features(scene, 1.0f, options, &features);
    case PLIANT_RECORDED_FIND_MEETINGS:
        return pliant_scene_find_meetings(scene, options, &meetings);
    default:
        return pliant_scene_find_free_time(scene, options, &free_time);
    }
}

static void unused_options_are_rejected(void **state)
{
    (void)state;
    static const pliant_recorded_question queries[] = {
        PLIANT_RECORDED_COLLIDE,       PLIANT_RECORDED_COLLIDE_PROXIES,
        PLIANT_RECORDED_FIND_WITHIN,   PLIANT_RECORDED_FIND_FEATURES,
        PLIANT_RECORDED_FIND_MEETINGS, PLIANT_RECORDED_FIND_FREE_TIME};
    const pliant_scene_options other = other_options();
    pliant_scene *scene = NULL;
    uint32_t rejected = 0;
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    for (size_t q = 0; q < sizeof queries / sizeof queries[0]; q++) {
        for (size_t i = 0; i < sizeof scene_options_uses / sizeof scene_options_uses[0]; i++) {
            const pli_option *option = &scene_options_uses[i];
            pliant_scene_options options = pliant_scene_options_default();
            assert_memory_not_equal((const char *)&other + option->offset,
                                    (const char *)&options + option->offset, option->size);
            memcpy((char *)&options + option->offset, (const char *)&other + option->offset,
                   option->size);
            pliant_result result = call(scene, queries[q], &options);
            if ((option->calls >> queries[q] & 1) != 0) {
                assert_ok(result);
            } else {
                assert_int_equal(result, PLIANT_ERROR_ARGUMENT);
                assert_memory_equal(pliant_last_error(), option->name, strlen(option->name));
                rejected++;
            }
        }
    }
    assert_true(rejected > 30);
    pliant_scene_destroy(scene);
}

/* Options that a call must not accept in silence. */
static void values_out_of_range_are_rejected(void **state)
{
    (void)state;
    pliant_scene *scene = NULL;
    pliant_scene_proximities found;
    pliant_scene_options options = pliant_scene_options_default();
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    options.mode = (pliant_collide_mode)99;
    assert_int_equal(pliant_scene_find_within(scene, 1.0f, &options, &found),
                     PLIANT_ERROR_ARGUMENT);
    options = pliant_scene_options_default();
    options.distance = -5.0f;
    assert_int_equal(pliant_scene_find_within(scene, 1.0f, &options, &found),
                     PLIANT_ERROR_ARGUMENT);
    options = pliant_scene_options_default();
    assert_ok(pliant_scene_find_within(scene, 1.0f, &options, &found));
    pliant_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unused_options_are_rejected),
        cmocka_unit_test(values_out_of_range_are_rejected),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
