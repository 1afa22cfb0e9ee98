/* The meshes of the built-in scenes: closed, open or ugly, as they are meant to be. */
#include "scene_player.h"
#include "solid.h"

static void check_sphere(const gallery_mesh *mesh)
{
    /* A closed surface without handles: Euler's formula. */
    assert_int_equal(mesh->vertex_count, mesh->triangle_count / 2 + 2);
    pliant_shape *shape = fixture_shape(test_context, mesh, fixture_usual_tree);
    pliant_shape_quality quality = fixture_quality(shape);
    assert_true(pliant_shape_is_closed(shape));
    assert_int_equal(quality.component_count, 1);
    assert_int_equal(quality.welded_vertex_count, mesh->vertex_count);
    fixture_assert_tidy(shape);
    double full = 4.0 / 3.0 * GALLERY_PI;
    double volume = test_solid_volume(mesh);
    assert_true(volume > full * (1.0 - 15.0 / mesh->triangle_count) && volume < full);
    pliant_shape_destroy(shape);
}

static void test_spheres_are_closed(void **state)
{
    (void)state;
    static const struct {
        uint32_t wanted, made;
    } sizes[] = {
        {20, 20},       {80, 80},       {1280, 1280},   {5120, 5120}, {8192, 8192}, {16384, 16384},
        {20480, 20480}, {32768, 32768}, {65536, 65536}, {2000, 2000}, {1000, 980},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        gallery_mesh mesh;
        assert_true(mesh_make_sphere(sizes[i].wanted, &mesh));
        assert_int_equal(mesh.triangle_count, sizes[i].made);
        if (mesh.triangle_count >= 80) {
            check_sphere(&mesh);
        }
        mesh_free(&mesh);
    }
}

static void test_open_and_ugly_meshes(void **state)
{
    (void)state;
    gallery_scene *bowl = player_scene(&gallery_bowl, 0, 0, 1);
    gallery_scene *soup = player_scene(&gallery_soup, 0, 0, 1);
    pliant_shape *open = fixture_shape(test_context, &bowl->bodies[0], fixture_usual_tree);
    pliant_shape *ugly = fixture_shape(test_context, &soup->bodies[0], fixture_usual_tree);
    assert_false(pliant_shape_is_closed(open));
    pliant_shape_quality quality = fixture_quality(open);
    assert_int_equal(quality.unused_vertex_count, 0);
    assert_int_equal(quality.component_count, 1);
    assert_true(quality.open_edge_count > 10);
    quality = fixture_quality(ugly);
    assert_true(quality.unused_vertex_count >= 3);
    assert_true(quality.degenerate_triangle_count > 50);
    assert_true(quality.duplicate_triangle_count > 10);
    pliant_shape_destroy(open);
    pliant_shape_destroy(ugly);
    gallery_destroy(bowl);
    gallery_destroy(soup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spheres_are_closed),
        cmocka_unit_test(test_open_and_ugly_meshes),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
