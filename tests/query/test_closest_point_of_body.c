/* The closest point of a body, against every triangle on its own. */
#include "one_body.h"

#include "geometry/triangle_distance.h"
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef const float (*const_corners)[3];

static double spread_of(const test_mesh *mesh, uint32_t triangle, const float point[3])
{
    float corner[3][3];
    test_mesh_corners(mesh, triangle, corner);
    return pli_coordinate_spread((const_corners)corner, (const_corners)point, 1);
}

/* The least of all triangles' distances within the limit, and of several the lowest triangle. */
static pliant_closest brute_closest(const test_mesh *mesh, const float point[3], float limit)
{
    pliant_closest best = {.distance = INFINITY, .triangle = PLIANT_NO_TRIANGLE};
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        float corner[3][3];
        pliant_closest here = {.found = true, .triangle = i};
        test_mesh_corners(mesh, i, corner);
        here.distance = pli_point_distance(point, (const_corners)corner, &here.at, NULL);
        double slack = PLI_DISTANCE_ERROR * spread_of(mesh, i, point);
        bool within = here.distance <= (double)limit + (limit > 0.0f ? slack : 0.0);
        if (within && here.distance < best.distance) {
            best = here;
        }
    }
    return best;
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

static void check_point(const test_mesh *mesh, pliant_body *body, const float point[3],
                        const pliant_closest *want, uint32_t way)
{
    pliant_closest got;
    assert_ok(pliant_find_closest_point(test_query, body, point, INFINITY, &got));
    if (!got.found || got.triangle != want->triangle || got.distance != want->distance ||
        got.at.feature != want->at.feature || got.at.index != want->at.index ||
        got.at.point[0] != want->at.point[0] || got.at.point[1] != want->at.point[1] ||
        got.at.point[2] != want->at.point[2]) {
        fail_msg("%s, way %u: %a %a %a: triangle %u at %a, brute force says %u at %a", mesh->name,
                 way, point[0], point[1], point[2], got.triangle, got.distance, want->triangle,
                 want->distance);
    }
    /* With a limit that just includes it, with one that excludes it, and with none left. */
    float above = (float)want->distance;
    above = (double)above < want->distance ? nextafterf(above, INFINITY) : above;
    assert_ok(pliant_find_closest_point(test_query, body, point, above, &got));
    assert_true(got.found && got.triangle == want->triangle && got.distance == want->distance);
    float below = (float)((point[0] > 0.0f ? 0.5 : 0.999) * want->distance);
    if (way == 0) {
        pliant_closest less = brute_closest(mesh, point, below);
        assert_ok(pliant_find_closest_point(test_query, body, point, below, &got));
        assert_int_equal(got.found, less.found);
        assert_int_equal(got.triangle, less.triangle);
    }
    assert_ok(pliant_find_closest_point(test_query, body, point, 0.0f, &got));
    assert_int_equal(got.found, want->distance == 0.0);
}

static void points_near_mesh(uint32_t number)
{
    uint32_t count = fixture_count(4000), touching = 0;
    test_mesh mesh = test_mesh_create(number, 320);
    float(*points)[3] = malloc(count * sizeof *points);
    pliant_closest *want = malloc(count * sizeof *want);
    rng r;
    rng_seed(&r, 300 + number);
    for (uint32_t i = 0; i < count; i++) {
        make_point(&mesh, &r, points[i]);
        want[i] = brute_closest(&mesh, points[i], INFINITY);
        touching += want[i].distance == 0.0;
        float corner[3][3];
        test_mesh_corners(&mesh, want[i].triangle, corner);
        double error = PLI_DISTANCE_ERROR * spread_of(&mesh, want[i].triangle, points[i]);
        if (!oracle_distance_is(points[i], (const_corners)corner, want[i].distance, error)) {
            fail_msg("%s: %a %a %a: the distance to triangle %u is not %a", mesh.name, points[i][0],
                     points[i][1], points[i][2], want[i].triangle, want[i].distance);
        }
    }
    for (uint32_t w = 0; w < test_way_count; w++) {
        test_body body = test_body_create(test_context, &mesh, &test_ways[w]);
        for (uint32_t i = 0; i < count; i++) {
            check_point(&mesh, body.body, points[i], &want[i], w);
        }
        test_body_destroy(&body);
    }
    print_message("  %-22s %6u points, %5.1f %% on the surface\n", mesh.name, count,
                  100.0 * touching / count);
    free(points);
    free(want);
    test_mesh_destroy(&mesh);
}

static void points_equal_brute_force(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TEST_MESHES; i++) {
        points_near_mesh(i);
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
        cmocka_unit_test(points_equal_brute_force),
        cmocka_unit_test(nothing_is_nearer),
        cmocka_unit_test(features_and_costs),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, one_body_tear_down);
}
