/* Boxes: whole bodies cost nothing, sides may be infinite, bad boxes are refused. */
#include "one_body.h"

#include <math.h>
#include <string.h>

typedef const float (*const_corners)[3];
__extension__ typedef __int128 wide;

/* What lies inside is listed without being refreshed. */
static void whole_bodies_cost_nothing(void **state)
{
    (void)state;
    test_mesh mesh = test_mesh_create(0, 1280);
    const test_way way = {{PLIANT_PARTITION_BALANCED, 8, 8}, PLIANT_UPDATE_TOP_DOWN, 1};
    test_body body = test_body_create(test_context, &mesh, &way);
    pliant_box box;
    const uint32_t *triangles = NULL;
    uint64_t count = 0;
    assert_ok(pliant_body_get_bounds(body.body, &box));
    assert_ok(pliant_overlap_box(test_query, body.body, &box, &triangles, &count));
    assert_int_equal(count, mesh.triangle_count);
    assert_int_equal(triangles[count - 1], mesh.triangle_count - 1);
    const pliant_stats *stats = pliant_query_get_stats(test_query);
    assert_true(stats->clusters_refreshed == 0 && stats->nodes_tested == 0);
    box.upper[0] = 0.5f * (box.lower[0] + box.upper[0]);
    assert_ok(pliant_overlap_box(test_query, body.body, &box, &triangles, &count));
    assert_true(count > 0 && count < mesh.triangle_count);
    assert_true(stats->clusters_refreshed > 0 && stats->clusters_refreshed < 20);
    test_body_destroy(&body);
    test_mesh_destroy(&mesh);
}

/* A side at infinity is as good as one beyond all vertices, for a body and for a scene; and bodies
   may have coordinates up to the largest floats. */
static void sides_may_be_infinite(void **state)
{
    (void)state;
    test_mesh mesh = test_mesh_create(0, 80);
    test_body body = test_body_create(test_context, &mesh, &test_ways[0]);
    pliant_scene *scene = NULL;
    pliant_body_id id;
    assert_ok(pliant_scene_create(test_context, NULL, &scene));
    const pliant_box all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    pliant_scene_triangles found;
    assert_ok(pliant_scene_overlap_box(scene, &all, NULL, &found));
    assert_int_equal(found.count, 0);
    assert_ok(pliant_scene_add(scene, body.body, NULL, &id));
    rng random;
    rng_seed(&random, 1);
    for (int i = 0; i < 64 * 20; i++) { /* thin boxes, which often hold no corner of a triangle */
        int open = i % 64;
        pliant_box box, far;
        for (int k = 0; k < 3; k++) {
            box.lower[k] = (float)rng_range(&random, -1.0, 1.0);
            box.upper[k] = box.lower[k] + 0.01f;
        }
        far = box;
        for (int side = 0; side < 6; side++) {
            if (open >> side & 1) {
                float sign = side < 3 ? -1.0f : 1.0f;
                (side < 3 ? box.lower : box.upper)[side % 3] = sign * INFINITY;
                (side < 3 ? far.lower : far.upper)[side % 3] = sign * 1000.0f;
            }
        }
        const uint32_t *triangles = NULL;
        uint64_t count = 0;
        assert_ok(pliant_overlap_box(test_query, body.body, &far, &triangles, &count));
        assert_ok(pliant_scene_overlap_box(scene, &box, NULL, &found));
        assert_int_equal(found.count, count);
        assert_true(count == 0 ||
                    memcmp(found.triangles, triangles, (size_t)count * sizeof *triangles) == 0);
        assert_ok(pliant_overlap_box(test_query, body.body, &box, &triangles, &count));
        assert_int_equal(found.count, count);
    }
    assert_ok(pliant_scene_overlap_box(scene, &all, NULL, &found));
    assert_int_equal(found.count, mesh.triangle_count);
    pliant_scene_destroy(scene);
    test_body_destroy(&body);
    test_mesh_destroy(&mesh);
}

static void bad_boxes_are_refused(void **state)
{
    (void)state;
    test_mesh mesh = test_mesh_create(0, 320);
    test_body body = test_body_create(test_context, &mesh, &test_ways[0]);
    const uint32_t *triangles = (const uint32_t *)(const void *)&mesh;
    uint64_t count = 7;
    pliant_box box = {{0, 0, 0}, {1, -1, 1}};
    assert_int_equal(pliant_overlap_box(test_query, body.body, &box, &triangles, &count),
                     PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "lower y"));
    box.upper[1] = NAN;
    assert_int_equal(pliant_overlap_box(test_query, body.body, &box, &triangles, &count),
                     PLIANT_ERROR_NOT_FINITE);
    box.lower[1] = box.upper[1] = INFINITY;
    assert_int_equal(pliant_overlap_box(test_query, body.body, &box, &triangles, &count),
                     PLIANT_ERROR_RANGE);
    box.lower[1] = box.upper[1] = -INFINITY;
    assert_int_equal(pliant_overlap_box(test_query, body.body, &box, &triangles, &count),
                     PLIANT_ERROR_RANGE);
    box.lower[1] = box.upper[1] = 1.0f;
    assert_int_equal(pliant_overlap_box(test_query, body.body, &box, NULL, &count),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_overlap_box(test_query, body.body, NULL, &triangles, &count),
                     PLIANT_ERROR_ARGUMENT);
    assert_true(count == 7 && triangles == (const uint32_t *)(const void *)&mesh);
    test_body_destroy(&body);
    test_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_bodies_cost_nothing),
        cmocka_unit_test(sides_may_be_infinite),
        cmocka_unit_test(bad_boxes_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, one_body_tear_down);
}
