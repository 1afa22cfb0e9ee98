/* Rays by hand: ties in their order, closed bodies, costs, and what is refused. */
#include "one_body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef const float (*const_corners)[3];

/* Many triangles in one place: all of them tie, and come in their order. */
static void ties_come_in_order(void **state)
{
    (void)state;
    enum { COPIES = 3000 };
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t *triangles = malloc(3 * COPIES * sizeof *triangles);
    for (uint32_t i = 0; i < 3 * COPIES; i++) {
        triangles[i] = (i + i / 3) % 3; /* with corners in any order */
    }
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners;
    def.vertex_count = 3;
    def.triangles = triangles;
    def.triangle_count = COPIES;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_ray_hits hits;
    const pliant_ray ray = {{0.25f, 0.25f, -1.0f}, {0, 0, 3}, INFINITY};
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_raycast_all(test_query, body, &ray, 1, &hits));
    assert_int_equal(hits.count, COPIES);
    for (uint32_t i = 0; i < COPIES; i++) {
        assert_int_equal(hits.hits[i].triangle, i);
    }
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    free(triangles);
}

/* Triangle 0 is hit at 1 + 2^-60, triangle 1 at 1: both are 1 in double. The box of triangle 1 is
   entered first. */
static void rounded_parameters_do_not_tie(void **state)
{
    (void)state;
    const float positions[18] = {1,    0,  -1, 1, 0,   1, 1.0f + 0x1p-23f, 128, 0, 0.5f, -1, -1,
                                 1.5f, -1, 1,  1, 128, 0};
    const uint32_t triangles[6] = {0, 1, 2, 3, 4, 5};
    const pliant_ray ray = {{0, 0x1p-30f, 0}, {1, 0, 0}, INFINITY};
    pliant_shape_def def = pliant_shape_def_default();
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_ray_hit hit;
    def.positions = positions;
    def.vertex_count = 6;
    def.triangles = triangles;
    def.triangle_count = 2;
    def.arity = 2;
    def.leaf_size = 1;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_ok(pliant_raycast(test_query, body, &ray, &hit));
    assert_int_equal(hit.triangle, 1);
    assert_true(hit.t == 1.0);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
}

/* A closed surface lets no ray out, however it is aimed: at corners and edges from inside. */
static void no_ray_leaves_a_closed_body(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 1280, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &settings);
    const gallery_mesh *mesh = &scene->bodies[0];
    pliant_shape *shape = fixture_shape(test_context, mesh, test_ways[0].tree);
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, NULL, &body));
    assert_true(pliant_shape_is_closed(shape));
    double centre[3] = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        centre[i % 3] += (double)mesh->positions[i] / mesh->vertex_count;
    }
    rng r;
    rng_seed(&r, 5);
    for (uint32_t i = 0; i < fixture_count(50000); i++) {
        pliant_ray ray = {.t_max = INFINITY};
        uint32_t v = 3 * (uint32_t)rng_below(&r, mesh->vertex_count);
        uint32_t edge = 3 * (uint32_t)rng_below(&r, mesh->triangle_count);
        const float *p = mesh->positions + 3 * (size_t)mesh->triangles[edge];
        const float *q = mesh->positions + 3 * (size_t)mesh->triangles[edge + 1];
        for (int k = 0; k < 3; k++) {
            ray.origin[k] = (float)centre[k];
            float to = i % 2 == 0 ? mesh->positions[v + (uint32_t)k] : 0.5f * p[k] + 0.5f * q[k];
            ray.direction[k] = to - ray.origin[k];
        }
        pliant_ray_hit hit;
        assert_ok(pliant_raycast(test_query, body, &ray, &hit));
        assert_true(hit.triangle != PLIANT_NO_TRIANGLE);
    }
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    gallery_destroy(scene);
}

static void rays_refresh_only_what_they_meet(void **state)
{
    (void)state;
    test_mesh mesh = test_mesh_create(0, 5120);
    const test_way way = {{PLIANT_PARTITION_BALANCED, 8, 8}, PLIANT_UPDATE_TOP_DOWN, 1};
    test_body body = test_body_create(test_context, &mesh, &way);
    pliant_box box;
    pliant_ray_hit hit;
    assert_ok(pliant_body_get_bounds(body.body, &box));
    pliant_ray ray = {.direction = {1.0f, 0.0f, 0.0f}, .t_max = INFINITY};
    ray.origin[0] = box.lower[0] - 1.0f;
    for (int k = 1; k < 3; k++) {
        ray.origin[k] = 0.5f * (box.lower[k] + box.upper[k]);
    }
    assert_ok(pliant_raycast(test_query, body.body, &ray, &hit));
    const pliant_stats *stats = pliant_query_get_stats(test_query);
    assert_true(hit.triangle != PLIANT_NO_TRIANGLE);
    assert_int_equal(stats->pairs, 1);
    assert_true(stats->clusters_refreshed > 0 && stats->clusters_refreshed < 10);
    assert_true(stats->triangle_tests > 0 && stats->triangle_tests < 60);
    assert_true(stats->bytes > 0 && stats->seconds_traverse >= 0.0);
    assert_ok(pliant_raycast(test_query, body.body, &ray, &hit));
    assert_int_equal(stats->clusters_refreshed + stats->nodes_refreshed, 0);
    ray.direction[0] = -1.0f; /* away from it */
    assert_ok(pliant_raycast(test_query, body.body, &ray, &hit));
    assert_int_equal(hit.triangle, PLIANT_NO_TRIANGLE);
    assert_true(hit.t == INFINITY && stats->nodes_tested == 0 && stats->pairs == 0);
    test_body_destroy(&body);
    test_mesh_destroy(&mesh);
}

static void bad_rays_are_refused(void **state)
{
    (void)state;
    test_mesh mesh = test_mesh_create(0, 320);
    test_body body = test_body_create(test_context, &mesh, &test_ways[0]);
    const pliant_ray good = {{0, 0, 0}, {1, 0, 0}, INFINITY};
    pliant_ray rays[3] = {good, good, good};
    pliant_ray_hit hits[3];
    memset(hits, 0x55, sizeof hits);
    pliant_ray_hit untouched = hits[0];
    rays[2].origin[1] = NAN;
    assert_int_equal(pliant_raycast_many(test_query, body.body, rays, 3, hits),
                     PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "ray 2: origin y"));
    rays[1].direction[2] = INFINITY;
    assert_int_equal(pliant_raycast_many(test_query, body.body, rays, 3, hits),
                     PLIANT_ERROR_NOT_FINITE);
    assert_non_null(strstr(pliant_last_error(), "ray 1: direction z"));
    rays[0].t_max = -1.0f;
    assert_int_equal(pliant_raycast_many(test_query, body.body, rays, 3, hits), PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "ray 0: t_max"));
    rays[0].t_max = NAN;
    assert_int_equal(pliant_raycast(test_query, body.body, rays, hits), PLIANT_ERROR_NOT_FINITE);
    assert_memory_equal(&hits[0], &untouched, sizeof untouched);
    assert_int_equal(pliant_raycast(test_query, body.body, NULL, hits), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_raycast(test_query, body.body, &good, NULL), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_raycast(NULL, body.body, &good, hits), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_raycast(test_query, NULL, &good, hits), PLIANT_ERROR_ARGUMENT);
    assert_ok(pliant_raycast_many(test_query, body.body, NULL, 0, NULL));
    pliant_ray_hits all = {.count = 77};
    assert_int_equal(pliant_raycast_all(test_query, body.body, rays, 2, &all),
                     PLIANT_ERROR_NOT_FINITE);
    assert_int_equal(pliant_raycast_all(test_query, body.body, NULL, 1, &all),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_raycast_all(test_query, NULL, &good, 1, &all), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_raycast_all(NULL, body.body, &good, 1, &all), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_raycast_all(test_query, body.body, &good, 1, NULL),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(all.count, 77);
    assert_ok(pliant_raycast_all(test_query, body.body, NULL, 0, &all));
    assert_true(all.count == 0 && all.hits == NULL && all.starts[0] == 0);
    float *broken = malloc(3 * mesh.vertex_count * sizeof(float));
    memcpy(broken, mesh.positions, 3 * mesh.vertex_count * sizeof(float));
    broken[30] = NAN;
    assert_ok(pliant_body_share_positions(body.body, broken, 0));
    assert_int_equal(pliant_raycast(test_query, body.body, &good, hits), PLIANT_ERROR_NOT_FINITE);
    assert_int_equal(pliant_raycast(test_query, body.body, &good, hits), PLIANT_ERROR_STATE);
    assert_memory_equal(&hits[0], &untouched, sizeof untouched);
    assert_ok(pliant_body_share_positions(body.body, mesh.positions, 0));
    assert_ok(pliant_raycast(test_query, body.body, &good, hits));
    free(broken);
    test_body_destroy(&body);
    test_mesh_destroy(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ties_come_in_order),
        cmocka_unit_test(rounded_parameters_do_not_tie),
        cmocka_unit_test(no_ray_leaves_a_closed_body),
        cmocka_unit_test(rays_refresh_only_what_they_meet),
        cmocka_unit_test(bad_rays_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, one_body_tear_down);
}
