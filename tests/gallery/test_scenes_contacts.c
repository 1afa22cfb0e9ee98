/* The built-in scenes of a few bodies: contacts where the papers say. */
#include "scene_player.h"

#include <math.h>
#include <stdlib.h>

#include "gallery/arms.h"
#include "gallery/body.h"

static void test_contacts_of_the_spheres(void **state)
{
    (void)state;
    gallery_scene *scene = player_scene(&gallery_spheres, 0, 0, 1);
    assert_int_equal(scene->bodies[0].triangle_count, 20480);
    assert_int_equal(count_pairs(scene, 0), 0);
    assert_int_equal(count_pairs(scene, 59), 0);
    assert_int_equal(count_pairs(scene, 60), 30);
    assert_int_equal(count_pairs(scene, 200), 3754);
    gallery_destroy(scene);
}

static void test_steps_cut_the_same_motion(void **state)
{
    (void)state;
    gallery_scene *fine = player_scene(&gallery_spheres, 1280, 200, 1);
    gallery_scene *coarse = player_scene(&gallery_spheres, 1280, 20, 1);
    assert_true(count_pairs(fine, 200) > 100);
    assert_true(count_pairs(fine, 200) == count_pairs(coarse, 20));
    assert_true(count_pairs(fine, 100) == count_pairs(coarse, 10));
    gallery_destroy(fine);
    gallery_destroy(coarse);
}

static void test_contacts_of_the_others(void **state)
{
    (void)state;
    gallery_scene *cloth = player_scene(&gallery_cloth, 0, 0, 1);
    gallery_scene *bowl = player_scene(&gallery_bowl, 0, 0, 1);
    gallery_scene *soup = player_scene(&gallery_soup, 0, 0, 1);
    assert_int_equal(count_pairs(cloth, 0), 0);
    assert_true(count_pairs(cloth, cloth->steps) > 100);
    assert_int_equal(count_pairs(bowl, 0), 0);
    assert_true(count_pairs(bowl, 150) > 100);
    assert_true(count_pairs(soup, 1) > 100);
    gallery_destroy(cloth);
    gallery_destroy(bowl);
    gallery_destroy(soup);
}

/* The pairs of a sheet that was torn on the way are those of one made as it is then. */
static void test_tear(void **state)
{
    (void)state;
    gallery_scene *scene = player_scene(&gallery_tear, 2000, 40, 1);
    pliant_shape_def whole = gallery_shape_def(scene, 0), torn = whole;
    torn.triangles = scene->bodies[0].triangles;
    torn.vertex_count = scene->bodies[0].vertex_count;
    torn.weld = false;
    float *positions = allocate_positions(scene, 0);
    pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, 1);
    pliant_query *query = NULL;
    pliant_shape *shapes[2] = {NULL, NULL};
    pliant_body *bodies[2] = {NULL, NULL};
    pliant_contacts contacts;
    assert_ok(pliant_query_create(context, &query));
    assert_ok(pliant_shape_create(context, &whole, &shapes[0]));
    assert_ok(pliant_shape_create(context, &torn, &shapes[1]));
    for (int i = 0; i < 2; i++) {
        assert_ok(pliant_body_create(shapes[i], NULL, &bodies[i]));
    }
    for (uint32_t step = 0; step <= scene->steps; step += 4) {
        assert_ok(gallery_set_body(scene, 0, step, positions, bodies[0]));
        assert_ok(pliant_collide_self(query, bodies[0], NULL, &contacts));
        uint64_t found = contacts.count;
        assert_true(step > 0 || found == 0);
        if (step >= 28) { /* in two pieces: both meshes are the same from here on */
            assert_ok(gallery_set_body(scene, 0, step, positions, bodies[0]));
            assert_ok(pliant_body_set_positions(bodies[1], positions, 0));
            assert_ok(pliant_collide_self(query, bodies[1], NULL, &contacts));
            assert_int_equal(contacts.count, found);
            assert_true(found > 100);
        }
    }
    assert_int_equal(fixture_quality(shapes[0]).component_count, 1);
    assert_int_equal(fixture_quality(pliant_body_get_shape(bodies[0])).component_count, 2);
    for (int i = 0; i < 2; i++) {
        pliant_body_destroy(bodies[i]);
        pliant_shape_destroy(shapes[i]);
    }
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    free(positions);
    gallery_destroy(scene);
}

static void test_arms(void **state)
{
    (void)state;
    gallery_scene *scene = player_scene(&gallery_arms, 0, 0, 1);
    assert_int_equal(scene->bodies[0].triangle_count, 5120);
    assert_int_equal(scene->bodies[0].vertex_count, 5120 / 2 + 2);
    scene_player player = player_create(scene);
    assert_true(pliant_shape_is_closed(player.bodies[0].shape));
    assert_true(player_count(&player, 0, 0, 1) == 0);
    assert_true(player_count(&player, 100, 0, 1) > 100);
    for (uint32_t step = 0; step <= scene->steps; step += 5) {
        assert_true(player_count(&player, step, 0, 0) == 0);
        float *local = player.bodies[0].positions;
        gallery_evaluate_local(scene, 0, step, local);
        player.step = UINT32_MAX;
        double reach = 0.0;
        for (uint32_t i = 0; i < scene->bodies[0].vertex_count; i++, local += 3) {
            reach = fmax(reach, sqrt((double)local[0] * (double)local[0] +
                                     (double)local[1] * (double)local[1] +
                                     (double)local[2] * (double)local[2]));
        }
        assert_true(reach > 0.8 && reach < ARMS_REACH);
    }
    player_destroy(&player);
    gallery_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts_of_the_spheres),
        cmocka_unit_test(test_steps_cut_the_same_motion),
        cmocka_unit_test(test_contacts_of_the_others),
        cmocka_unit_test(test_tear),
        cmocka_unit_test(test_arms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
