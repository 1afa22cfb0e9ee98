/* The closest point of a body: none nearer by exact arithmetic; features, costs, bad queries. */
#include "one_body.h"

#include "geometry/triangle_distance.h"
#include "oracle.h"

#include <math.h>
#include <string.h>

typedef const float (*const_corners)[3];

static double spread_of(const test_mesh *mesh, uint32_t triangle, const float point[3])
{
    float corner[3][3];
    test_mesh_corners(mesh, triangle, corner);
    return pli_coordinate_spread((const_corners)corner, (const_corners)point, 1);
}

/* A point on a triangle, near one, or anywhere around. */
static void make_point(const test_mesh *mesh, rng *r, float point[3])
{
    float corner[3][3];
    test_mesh_corners(mesh, (uint32_t)rng_below(r, mesh->triangle_count), corner);
    uint64_t kind = rng_below(r, 5);
    double scale = ldexp(1.0, -(int)rng_below(r, 30));
    for (int k = 0; k < 3; k++) {
        float low = mesh->positions[3 * rng_below(r, mesh->vertex_count) + (uint32_t)k];
        float high = mesh->positions[3 * rng_below(r, mesh->vertex_count) + (uint32_t)k];
        float middle = 0.25f * corner[0][k] + 0.25f * corner[1][k] + 0.5f * corner[2][k];
        double away = scale * rng_range(r, -1.0, 1.0);
        point[k] = kind == 0   ? corner[0][k]
                   : kind == 1 ? 0.5f * corner[0][k] + 0.5f * corner[1][k]
                   : kind == 2 ? middle
                   : kind == 3 ? (float)(middle + away * (0.5 * high - 0.5 * low))
                               : (float)(0.5 * low + 0.5 * high + away * (0.5 * high - 0.5 * low));
        point[k] = isfinite(point[k]) ? point[k] : low;
    }
}

/* No triangle is nearer than the answer, by exact arithmetic on all of them. */
static void nothing_is_nearer(void **state)
{
    (void)state;
    const uint32_t meshes[] = {0, 2, 5};
    for (int m = 0; m < 3; m++) {
        test_mesh mesh = test_mesh_create(meshes[m], 80);
        test_body body = test_body_create(test_context, &mesh, &test_ways[0]);
        rng r;
        rng_seed(&r, 9);
        for (uint32_t i = 0; i < fixture_count(60); i++) {
            float point[3];
            pliant_closest got;
            make_point(&mesh, &r, point);
            assert_ok(pliant_find_closest_point(test_query, body.body, point, INFINITY, &got));
            for (uint32_t t = 0; t < mesh.triangle_count; t++) {
                float corner[3][3];
                test_mesh_corners(&mesh, t, corner);
                double spread = spread_of(&mesh, t, point), far = fmax(got.distance, 2.0 * spread);
                double error = PLI_DISTANCE_ERROR * spread;
                /* Between the answer and far away. */
                assert_true(oracle_distance_is(point, (const_corners)corner,
                                               0.5 * (got.distance + far),
                                               0.5 * (far - got.distance) + error));
            }
        }
        test_body_destroy(&body);
        test_mesh_destroy(&mesh);
    }
}

static void features_and_costs(void **state)
{
    (void)state;
    test_mesh mesh = test_mesh_create(0, 5120);
    const test_way way = {{PLIANT_PARTITION_BALANCED, 8, 8}, PLIANT_UPDATE_TOP_DOWN, 1};
    test_body body = test_body_create(test_context, &mesh, &way);
    pliant_closest got;
    const float *corner = mesh.positions + 3 * (size_t)mesh.triangles[3 * 7 + 1];
    assert_ok(pliant_find_closest_point(test_query, body.body, corner, INFINITY, &got));
    const pliant_stats *stats = pliant_query_get_stats(test_query);
    assert_true(got.found && got.distance == 0.0 && got.triangle <= 7);
    assert_int_equal(got.at.feature, PLIANT_FEATURE_VERTEX);
    assert_int_equal(mesh.triangles[3 * got.triangle + got.at.index], mesh.triangles[3 * 7 + 1]);
    assert_true(stats->clusters_refreshed > 0 && stats->clusters_refreshed < 12);
    assert_true(stats->triangle_tests < 200 && stats->pairs == 1);
    pliant_box box;
    assert_ok(pliant_body_get_bounds(body.body, &box));
    const float far[3] = {box.upper[0] + 100.0f, box.upper[1], box.upper[2]};
    assert_ok(pliant_find_closest_point(test_query, body.body, far, 10.0f, &got));
    assert_true(!got.found && stats->clusters_refreshed == 0 && stats->pairs == 0);
    test_body_destroy(&body);
    test_mesh_destroy(&mesh);
}

static void bad_questions_are_refused(void **state)
{
    (void)state;
    test_mesh mesh = test_mesh_create(0, 320);
    test_body body = test_body_create(test_context, &mesh, &test_ways[0]);
    pliant_closest got;
    memset(&got, 0x55, sizeof got);
    pliant_closest untouched = got;
    const float good[3] = {0, 0, 0}, bad[3] = {0, 0, NAN};
    assert_int_equal(pliant_find_closest_point(test_query, body.body, bad, 1.0f, &got),
                     PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "coordinate z"));
    assert_int_equal(pliant_find_closest_point(test_query, body.body, good, -1.0f, &got),
                     PLIANT_ERROR_RANGE);
    assert_int_equal(pliant_find_closest_point(test_query, body.body, good, NAN, &got),
                     PLIANT_ERROR_NOT_FINITE);
    assert_int_equal(pliant_find_closest_point(test_query, body.body, good, 1.0f, NULL),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_find_closest_point(test_query, NULL, good, 1.0f, &got),
                     PLIANT_ERROR_ARGUMENT);
    assert_memory_equal(&got, &untouched, sizeof got);
    test_body_destroy(&body);
    test_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_nearer),
        cmocka_unit_test(features_and_costs),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, one_body_tear_down);
}
