/*
 * Every definition and options struct says in its first word what it is and how large: each call
 * that takes one refuses what is zeroed, something else, or of another version, with a sentence
 * that names the struct and the sizes, and reads nothing of it but that word.
 */
#include "tag_checks.h"

#include "pliant/asset.h"
#include "pliant/backend.h"
#include "pliant/fit.h"
#include "pliant/pliant.h"
#ifdef PLI_HAVE_GL
#include "pliant/gl.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pliant_shape *shape;
static pliant_body *bodies[2];
static pliant_scene *scene;
static pliant_body_id member;
static pliant_volume *volume;
static pliant_contours *contours;

static int set_up(void **state)
{
    const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    if (test_query_set_up(state) != 0) {
        return -1;
    }
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners, def.vertex_count = 4, def.triangles = faces, def.triangle_count = 4;
    return pliant_shape_create(test_context, &def, &shape) != PLIANT_OK ||
           pliant_body_create(shape, NULL, &bodies[0]) != PLIANT_OK ||
           pliant_body_create(shape, NULL, &bodies[1]) != PLIANT_OK ||
           pliant_scene_create(test_context, NULL, &scene) != PLIANT_OK ||
           pliant_scene_add(scene, bodies[0], NULL, &member) != PLIANT_OK ||
           pliant_contours_create(test_context, &contours) != PLIANT_OK ||
           pliant_volume_create(test_context, NULL, &volume) != PLIANT_OK;
}

static int tear_down(void **state)
{
    pliant_contours_destroy(contours);
    pliant_volume_destroy(volume);
    pliant_scene_destroy(scene);
    pliant_body_destroy(bodies[1]);
    pliant_body_destroy(bodies[0]);
    pliant_shape_destroy(shape);
    return test_query_tear_down(state);
}

/* -------------------------------------------------------- the calls that take such a struct */

static pliant_result create_context(const void *def)
{
    pliant_context *made = NULL;
    return pliant_context_create(def, &made);
}

static pliant_result create_shape(const void *def)
{
    pliant_shape *made = NULL;
    return pliant_shape_create(test_context, def, &made);
}

static pliant_result attach(const void *def)
{
    uint64_t count = 0;
    return pliant_attach_vertices(def, NULL, NULL, NULL, 0, &count);
}

static pliant_result create_body(const void *def)
{
    pliant_body *made = NULL;
    return pliant_body_create(shape, def, &made);
}

static pliant_result collide(const void *options)
{
    pliant_contacts contacts;
    return pliant_collide(test_query, bodies[0], bodies[1], options, &contacts);
}

static pliant_result collide_self(const void *options)
{
    pliant_contacts contacts;
    return pliant_collide_self(test_query, bodies[0], options, &contacts);
}

static pliant_result collide_without_contacts(const void *options)
{
    return pliant_collide(test_query, bodies[0], bodies[1], options, NULL);
}

static pliant_result collide_self_without_contacts(const void *options)
{
    return pliant_collide_self(test_query, bodies[0], options, NULL);
}

static pliant_result find_within(const void *options)
{
    pliant_proximities pairs;
    return pliant_find_within(test_query, bodies[0], bodies[1], 1.0f, options, &pairs);
}

static pliant_result measure_distances(const void *options)
{
    return pliant_measure_distances(test_query, bodies[0], NULL, 0, 0, options, NULL);
}

static pliant_result scene_raycast(const void *select)
{
    return pliant_scene_raycast(scene, NULL, 0, select, NULL);
}

static pliant_result scene_raycast_any(const void *select)
{
    return pliant_scene_raycast_any(scene, NULL, 0, select, NULL);
}

static pliant_result scene_raycast_all(const void *select)
{
    pliant_scene_ray_hits hits;
    return pliant_scene_raycast_all(scene, NULL, 0, select, &hits);
}

static pliant_result scene_find_closest_points(const void *select)
{
    return pliant_scene_find_closest_points(scene, NULL, 0, 0, 1.0f, select, NULL);
}

static pliant_result scene_measure_distances(const void *select)
{
    return pliant_scene_measure_distances(scene, NULL, 0, 0, NULL, select, NULL);
}

static pliant_result scene_distance_options(const void *options)
{
    return pliant_scene_measure_distances(scene, NULL, 0, 0, options, NULL, NULL);
}

static pliant_result scene_overlap_box(const void *select)
{
    const pliant_box box = {{0, 0, 0}, {1, 1, 1}};
    pliant_scene_triangles triangles;
    return pliant_scene_overlap_box(scene, &box, select, &triangles);
}

static pliant_result collide_proxies(const void *options)
{
    pliant_proxy_contacts contacts;
    return pliant_collide_proxies(test_query, bodies[0], bodies[1], options, &contacts);
}

static pliant_result create_scene(const void *def)
{
    pliant_scene *made = NULL;
    return pliant_scene_create(test_context, def, &made);
}

static pliant_result add_member(const void *def)
{
    pliant_body_id id;
    return pliant_scene_add(scene, bodies[1], def, &id);
}

static pliant_result set_member(const void *def)
{
    return pliant_scene_set_member(scene, member, def);
}

static pliant_result scene_collide(const void *options)
{
    pliant_scene_contacts contacts;
    return pliant_scene_collide(scene, options, &contacts);
}

static pliant_result scene_collide_proxies(const void *options)
{
    pliant_scene_proxy_contacts contacts;
    return pliant_scene_collide_proxies(scene, options, &contacts);
}

static pliant_result find_within_self(const void *options)
{
    pliant_proximities pairs;
    return pliant_find_within_self(test_query, bodies[0], 1.0f, options, &pairs);
}

static pliant_result find_features(const void *options)
{
    pliant_features found;
    return pliant_find_features(test_query, bodies[0], bodies[1], 1.0f, options, &found);
}

static pliant_result find_features_self(const void *options)
{
    pliant_features found;
    return pliant_find_features_self(test_query, bodies[0], 1.0f, options, &found);
}

static pliant_result find_meetings(const void *options)
{
    pliant_meetings found;
    return pliant_find_meetings(test_query, bodies[0], bodies[1], options, &found);
}

static pliant_result find_meetings_self(const void *options)
{
    pliant_meetings found;
    return pliant_find_meetings_self(test_query, bodies[0], options, &found);
}

static pliant_result scene_find_meetings(const void *options)
{
    pliant_scene_meetings found;
    return pliant_scene_find_meetings(scene, options, &found);
}

static pliant_result scene_find_free_time(const void *options)
{
    pliant_scene_free_time found;
    return pliant_scene_find_free_time(scene, options, &found);
}

static pliant_result scene_advance_bodies(const void *options)
{
    pliant_scene_advance advance;
    return pliant_scene_advance_bodies(scene, options, &advance);
}

static pliant_result find_free_time(const void *options)
{
    pliant_free_time found;
    return pliant_find_free_time(test_query, bodies[0], bodies[1], options, &found);
}

static pliant_result find_free_time_self(const void *options)
{
    pliant_free_time found;
    return pliant_find_free_time_self(test_query, bodies[0], options, &found);
}

static pliant_result advance_bodies(const void *options)
{
    pliant_advance advance;
    return pliant_advance_bodies(test_query, bodies, 2, options, &advance);
}

static pliant_result scene_find_within(const void *options)
{
    pliant_scene_proximities pairs;
    return pliant_scene_find_within(scene, 1.0f, options, &pairs);
}

static pliant_result scene_find_features(const void *options)
{
    pliant_scene_features found;
    return pliant_scene_find_features(scene, 1.0f, options, &found);
}

static pliant_result record_scene(const void *options)
{
    return pliant_scene_record(scene, options);
}

static const pliant_drawer nothing = {.user = NULL};

static pliant_result draw_body(const void *options)
{
    return pliant_draw_body(test_query, bodies[0], options, &nothing);
}

static pliant_result draw_scene(const void *options)
{
    return pliant_draw_scene(scene, options, &nothing);
}

static pliant_result draw_contacts(const void *options)
{
    const pliant_contacts contacts = {.count = 0};
    return pliant_draw_contacts(bodies[0], bodies[1], &contacts, options, &nothing);
}

static pliant_result draw_scene_contacts(const void *options)
{
    const pliant_scene_contacts contacts = {.count = 0};
    return pliant_draw_scene_contacts(scene, &contacts, options, &nothing);
}

static pliant_result volumes_of_scene(const void *options)
{
    pliant_scene_volumes volumes;
    return pliant_volume_intersect_scene(volume, scene, options, NULL, &volumes);
}

static pliant_result find_contours(const void *options)
{
    pliant_contour_set set;
    return pliant_contours_find(contours, bodies[0], bodies[1], options, &set);
}

static pliant_result find_contours_self(const void *options)
{
    pliant_contour_set set;
    return pliant_contours_find_self(contours, bodies[0], options, &set);
}

static pliant_result create_volume(const void *def)
{
    pliant_volume *made = NULL;
    return pliant_volume_create(test_context, def, &made);
}

static pliant_result intersect(const void *options)
{
    pliant_volume_measure measure;
    return pliant_volume_intersect(volume, bodies[0], bodies[1], options, &measure);
}

static pliant_result intersect_self(const void *options)
{
    pliant_volume_measure measure;
    return pliant_volume_intersect_self(volume, bodies[0], options, &measure);
}

static pliant_result measure_body(const void *options)
{
    pliant_volume_measure measure;
    return pliant_volume_measure_body(volume, bodies[0], options, &measure);
}

static pliant_result locate_points(const void *options)
{
    const float point[3] = {0};
    pliant_volume_point answer;
    return pliant_volume_locate_points(volume, bodies[0], point, 1, 0, options, &answer, NULL);
}

static pliant_result intersect_scene(const void *options)
{
    pliant_scene_volumes volumes;
    return pliant_volume_intersect_scene(volume, scene, NULL, options, &volumes);
}

static pliant_result create_backend(const void *def)
{
    pliant_volume_backend *made = NULL;
    return pliant_volume_backend_create(test_context, def, &made);
}

static pliant_result load_asset(const void *def)
{
    pliant_asset *made = NULL;
    return pliant_asset_load(test_context, def, &made);
}

static pliant_result create_fit(const void *def)
{
    const pliant_fit *made = NULL;
    return pliant_fit_create(test_context, def, &made);
}

#ifdef PLI_HAVE_GL
static pliant_result create_gl(const void *def)
{
    pliant_volume_backend *made = NULL;
    return pliant_gl_create(test_context, def, &made);
}
#endif

/* ------------------------------------------------------------------------------- the table */

enum { MOST_CALLS = 64 };
static tagged_call calls[MOST_CALLS];
static int call_count;

#define ADD(type, function) calls[call_count++] = TAGGED_CALL(type, function)

static void fill_table(void)
{
    ADD(pliant_context_def, create_context);
    ADD(pliant_shape_def, create_shape);
    ADD(pliant_attach_def, attach);
    ADD(pliant_body_def, create_body);
    ADD(pliant_collide_options, collide);
    ADD(pliant_collide_options, collide_self);
    ADD(pliant_collide_options, collide_without_contacts);
    ADD(pliant_collide_options, collide_self_without_contacts);
    ADD(pliant_within_options, find_within);
    ADD(pliant_within_options, find_within_self);
    ADD(pliant_feature_options, find_features);
    ADD(pliant_feature_options, find_features_self);
    ADD(pliant_meeting_options, find_meetings);
    ADD(pliant_meeting_options, find_meetings_self);
    ADD(pliant_meeting_options, find_free_time);
    ADD(pliant_meeting_options, find_free_time_self);
    ADD(pliant_advance_options, advance_bodies);
    ADD(pliant_proxy_options, collide_proxies);
    ADD(pliant_scene_def, create_scene);
    ADD(pliant_member_def, add_member);
    ADD(pliant_member_def, set_member);
    ADD(pliant_scene_options, scene_collide);
    ADD(pliant_scene_options, scene_collide_proxies);
    ADD(pliant_scene_options, scene_find_meetings);
    ADD(pliant_scene_options, scene_find_free_time);
    ADD(pliant_scene_options, scene_advance_bodies);
    ADD(pliant_scene_options, scene_find_within);
    ADD(pliant_scene_options, scene_find_features);
    ADD(pliant_scene_options, volumes_of_scene);
    ADD(pliant_recording_options, record_scene);
    ADD(pliant_draw_options, draw_body);
    ADD(pliant_draw_options, draw_scene);
    ADD(pliant_draw_options, draw_contacts);
    ADD(pliant_draw_options, draw_scene_contacts);
    ADD(pliant_scene_select, scene_raycast);
    ADD(pliant_scene_select, scene_raycast_any);
    ADD(pliant_scene_select, scene_raycast_all);
    ADD(pliant_scene_select, scene_find_closest_points);
    ADD(pliant_scene_select, scene_measure_distances);
    ADD(pliant_scene_select, scene_overlap_box);
    ADD(pliant_distance_options, scene_distance_options);
    ADD(pliant_distance_options, measure_distances);
    ADD(pliant_contour_options, find_contours);
    ADD(pliant_contour_options, find_contours_self);
    ADD(pliant_volume_def, create_volume);
    ADD(pliant_volume_backend_def, create_backend);
    ADD(pliant_volume_options, intersect);
    ADD(pliant_volume_options, intersect_self);
    ADD(pliant_volume_options, measure_body);
    ADD(pliant_volume_options, locate_points);
    ADD(pliant_volume_options, intersect_scene);
    ADD(pliant_asset_def, load_asset);
    ADD(pliant_fit_def, create_fit);
#ifdef PLI_HAVE_GL
    ADD(pliant_gl_def, create_gl);
#endif
}

static void tags_hold_the_sizes_and_differ(void **state)
{
    (void)state;
    check_tags_differ(calls, call_count);
}

static void structs_that_are_none_are_refused(void **state)
{
    (void)state;
    check_others_refused(calls, call_count);
}

static void structs_of_other_sizes_are_refused(void **state)
{
    (void)state;
    check_other_sizes_refused(calls, call_count);
}

/* What was refused left nothing behind: the same calls without a struct still answer. */
static void objects_still_answer(void **state)
{
    (void)state;
    assert_ok(set_member(NULL));
    assert_ok(collide(NULL));
    assert_ok(scene_collide(NULL));
    assert_ok(intersect(NULL));
    assert_int_equal(pliant_scene_get_body_count(scene), 1);
}

int main(void)
{
    fill_table();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_hold_the_sizes_and_differ),
        cmocka_unit_test(structs_that_are_none_are_refused),
        cmocka_unit_test(structs_of_other_sizes_are_refused),
        cmocka_unit_test(objects_still_answer),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
