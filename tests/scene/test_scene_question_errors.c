/* Questions about single bodies of a scene that are wrong, empty, or asked of nobody (D6). */
#include "flock_scene.h"

#include <math.h>
#include <string.h>

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    flock f = flock_create();
    flock_scene a =
        flock_scene_create(&f, fixture_context_with(PLIANT_ISA_BEST, 2), PLIANT_BROAD_AUTO, false);
    pliant_ray rays[2] = {{{0, 0, 0}, {1, 0, 0}, 1.0f}, {{0, 0, 0}, {1, 0, 0}, NAN}};
    pliant_scene_ray_hit hit;
    pliant_scene_ray_hits hits;
    pliant_scene_closest closest;
    pliant_scene_signed_distance distance;
    pliant_scene_triangles triangles;
    bool blocked = true;
    const float points[2][3] = {{0, 0, 0}, {0, 0, INFINITY}};
    const pliant_box box = {{0, 0, 0}, {1, 1, 1}}, bad_box = {{0, NAN, 0}, {1, 1, 1}};
    pliant_scene_select bad = pliant_scene_select_default();
    pliant_distance_options options = pliant_distance_options_default();
    bad.tag++;
    pliant_scene *s = a.scene;
#define REFUSED(call, result, text)                                                                \
    do {                                                                                           \
        assert_int_equal(call, result);                                                            \
        assert_non_null(strstr(pliant_last_error(), text));                                        \
    } while (0)
    REFUSED(pliant_scene_raycast(NULL, rays, 1, NULL, &hit), PLIANT_ERROR_ARGUMENT, "scene");
    REFUSED(pliant_scene_raycast(s, NULL, 1, NULL, &hit), PLIANT_ERROR_ARGUMENT, "rays");
    REFUSED(pliant_scene_raycast(s, rays, 1, NULL, NULL), PLIANT_ERROR_ARGUMENT, "hits");
    REFUSED(pliant_scene_raycast(s, rays, 2, NULL, &hit), PLIANT_ERROR_NOT_FINITE, "ray 1: t_max");
    REFUSED(pliant_scene_raycast(s, rays, 1, &bad, &hit), PLIANT_ERROR_ARGUMENT,
            "pliant_scene_select");
    REFUSED(pliant_scene_raycast_any(NULL, rays, 1, NULL, &blocked), PLIANT_ERROR_ARGUMENT,
            "scene");
    REFUSED(pliant_scene_raycast_any(s, NULL, 1, NULL, &blocked), PLIANT_ERROR_ARGUMENT, "rays");
    REFUSED(pliant_scene_raycast_any(s, rays, 1, NULL, NULL), PLIANT_ERROR_ARGUMENT, "blocked");
    rays[1].t_max = -1.0f;
    REFUSED(pliant_scene_raycast_any(s, rays, 2, NULL, &blocked), PLIANT_ERROR_RANGE,
            "ray 1: t_max");
    REFUSED(pliant_scene_raycast_all(NULL, rays, 1, NULL, &hits), PLIANT_ERROR_ARGUMENT, "scene");
    REFUSED(pliant_scene_raycast_all(s, NULL, 1, NULL, &hits), PLIANT_ERROR_ARGUMENT, "rays");
    REFUSED(pliant_scene_raycast_all(s, rays, 1, NULL, NULL), PLIANT_ERROR_ARGUMENT, "hits");
    REFUSED(pliant_scene_raycast_all(s, rays, 1, &bad, &hits), PLIANT_ERROR_ARGUMENT,
            "pliant_scene_select");
    REFUSED(pliant_scene_find_closest_points(NULL, points[0], 1, 0, 1.0f, NULL, &closest),
            PLIANT_ERROR_ARGUMENT, "scene");
    REFUSED(pliant_scene_find_closest_points(s, NULL, 1, 0, 1.0f, NULL, &closest),
            PLIANT_ERROR_ARGUMENT, "points");
    REFUSED(pliant_scene_find_closest_points(s, points[0], 1, 0, 1.0f, NULL, NULL),
            PLIANT_ERROR_ARGUMENT, "closest");
    REFUSED(pliant_scene_find_closest_points(s, points[0], 1, 8, 1.0f, NULL, &closest),
            PLIANT_ERROR_RANGE, "stride");
    REFUSED(pliant_scene_find_closest_points(s, points[0], 1, 0, NAN, NULL, &closest),
            PLIANT_ERROR_NOT_FINITE, "max_distance");
    REFUSED(pliant_scene_find_closest_points(s, points[0], 1, 0, 1.0f, &bad, &closest),
            PLIANT_ERROR_ARGUMENT, "pliant_scene_select");
    REFUSED(pliant_scene_measure_distances(NULL, points[0], 1, 0, NULL, NULL, &distance),
            PLIANT_ERROR_ARGUMENT, "scene");
    REFUSED(pliant_scene_measure_distances(s, points[0], 2, 0, NULL, NULL, &distance),
            PLIANT_ERROR_NOT_FINITE, "point 1: coordinate z");
    REFUSED(pliant_scene_measure_distances(s, NULL, 1, 0, NULL, NULL, &distance),
            PLIANT_ERROR_ARGUMENT, "points");
    REFUSED(pliant_scene_measure_distances(s, points[0], 1, 0, NULL, NULL, NULL),
            PLIANT_ERROR_ARGUMENT, "distances");
    options.side = PLIANT_SIDE_INSIDE; /* body 3 is a sheet of cloth */
    REFUSED(pliant_scene_measure_distances(s, points[0], 1, 0, &options, NULL, &distance),
            PLIANT_ERROR_ARGUMENT, "body 3 has no inside");
    options.side = (pliant_side_rule)7;
    REFUSED(pliant_scene_measure_distances(s, points[0], 1, 0, &options, NULL, &distance),
            PLIANT_ERROR_RANGE, "side is 7");
    options.tag++;
    REFUSED(pliant_scene_measure_distances(s, points[0], 1, 0, &options, NULL, &distance),
            PLIANT_ERROR_ARGUMENT, "pliant_distance_options");
    REFUSED(pliant_scene_overlap_box(NULL, &box, NULL, &triangles), PLIANT_ERROR_ARGUMENT, "scene");
    REFUSED(pliant_scene_overlap_box(s, NULL, NULL, &triangles), PLIANT_ERROR_ARGUMENT, "box");
    REFUSED(pliant_scene_overlap_box(s, &box, NULL, NULL), PLIANT_ERROR_ARGUMENT, "triangles");
    REFUSED(pliant_scene_overlap_box(s, &bad_box, NULL, &triangles), PLIANT_ERROR_NOT_FINITE,
            "box: y");
    REFUSED(pliant_scene_overlap_box(s, &box, &bad, &triangles), PLIANT_ERROR_ARGUMENT,
            "pliant_scene_select");
    /* No question at all is none too many. */
    assert_ok(pliant_scene_raycast(s, NULL, 0, NULL, NULL));
    assert_ok(pliant_scene_raycast_any(s, NULL, 0, NULL, NULL));
    assert_ok(pliant_scene_raycast_all(s, NULL, 0, NULL, &hits));
    assert_true(hits.count == 0 && hits.starts[0] == 0 && hits.hits == NULL);
    assert_ok(pliant_scene_find_closest_points(s, NULL, 0, 0, 1.0f, NULL, NULL));
    assert_ok(pliant_scene_measure_distances(s, NULL, 0, 0, NULL, NULL, NULL));
    flock_scene_free(&a);
    flock_free(&f);
}

/* Insides of closed bodies may be asked for where open ones do not take part. */
static void open_bodies_may_stay_out(void **state)
{
    (void)state;
    flock f = flock_create();
    flock_scene a =
        flock_scene_create(&f, fixture_context_with(PLIANT_ISA_BEST, 1), PLIANT_BROAD_AUTO, false);
    pliant_member_def open = pliant_member_def_default();
    pliant_distance_options options = pliant_distance_options_default();
    pliant_scene_select select = pliant_scene_select_default();
    pliant_scene_signed_distance distance;
    const float point[3] = {0, 0, 0};
    open.category = 2;
    select.mask = ~UINT64_C(2);
    options.side = PLIANT_SIDE_INSIDE;
    for (int i = 0; i < FLOCK_BODIES; i++) {
        if (!pliant_shape_is_closed(a.shape[i])) {
            assert_ok(pliant_scene_set_member(a.scene, a.id[i], &open));
        }
    }
    assert_ok(pliant_scene_measure_distances(a.scene, point, 1, 0, &options, &select, &distance));
    assert_true(distance.body.generation != 0 && distance.distance.flags == 0);
    assert_int_equal(
        pliant_scene_measure_distances(a.scene, point, 1, 0, &options, NULL, &distance),
        PLIANT_ERROR_ARGUMENT);
    flock_scene_free(&a);
    flock_free(&f);
}

/* A scene without bodies answers too. */
static void empty_scenes_answer(void **state)
{
    (void)state;
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 3);
    pliant_scene *scene = NULL;
    assert_ok(pliant_scene_create(context, NULL, &scene));
    const pliant_ray ray = {{0, 0, 0}, {0, 0, 0}, INFINITY};
    const float point[3] = {0, 0, 0};
    const pliant_box box = {{-INFINITY, 0, 0}, {INFINITY, 1, 1}};
    pliant_scene_ray_hit hit;
    pliant_scene_ray_hits hits;
    pliant_scene_closest closest;
    pliant_scene_signed_distance distance;
    pliant_scene_triangles triangles;
    bool blocked = true;
    assert_ok(pliant_scene_raycast(scene, &ray, 1, NULL, &hit));
    assert_true(hit.body.generation == 0 && hit.hit.triangle == PLIANT_NO_TRIANGLE);
    assert_ok(pliant_scene_raycast_any(scene, &ray, 1, NULL, &blocked));
    assert_false(blocked);
    assert_ok(pliant_scene_raycast_all(scene, &ray, 1, NULL, &hits));
    assert_int_equal(hits.count, 0);
    assert_ok(pliant_scene_find_closest_points(scene, point, 1, 0, INFINITY, NULL, &closest));
    assert_true(closest.body.generation == 0 && !closest.closest.found);
    assert_ok(pliant_scene_measure_distances(scene, point, 1, 0, NULL, NULL, &distance));
    assert_true(distance.body.generation == 0 && distance.distance.side == 1);
    assert_true(distance.distance.distance == INFINITY);
    assert_ok(pliant_scene_overlap_box(scene, &box, NULL, &triangles));
    assert_true(triangles.count == 0 && triangles.bodies == NULL);
    pliant_scene_destroy(scene);
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(open_bodies_may_stay_out),
        cmocka_unit_test(empty_scenes_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
