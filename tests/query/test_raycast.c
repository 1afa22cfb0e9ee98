/* Rays through bodies (D8), against every triangle on its own in exact arithmetic. */
#include "one_body.h"

#include "geometry/triangle_overlap.h"
#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const float (*const_corners)[3];

/* The first triangle along a ray, from all of them; *corner is that triangle's. */
static pliant_ray_hit brute_ray(const test_mesh *mesh, const pliant_ray *ray)
{
    pliant_ray_hit best = {.t = INFINITY, .triangle = PLIANT_NO_TRIANGLE};
    float corner[2][3][3]; /* of the best so far, and of another one */
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        double t = 0.0;
        test_mesh_corners(mesh, i, corner[1]);
        if (!pli_triangle_ray(ray->origin, ray->direction, ray->t_max, (const_corners)corner[1],
                              &t)) {
            continue;
        }
        bool better = t < best.t;
        if (best.triangle != PLIANT_NO_TRIANGLE && t == best.t) {
            better = pli_triangle_ray_compare(ray->origin, ray->direction, (const_corners)corner[1],
                                              (const_corners)corner[0]) < 0;
        }
        if (better) {
            best.t = t;
            best.triangle = i;
            memcpy(corner[0], corner[1], sizeof corner[0]);
        }
    }
    return best;
}

/* The same by linear programming over the integers: no code in common with the library. */
static uint32_t oracle_first(const test_mesh *mesh, const pliant_ray *ray)
{
    uint32_t best = PLIANT_NO_TRIANGLE;
    float corner[3][3];
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        test_mesh_corners(mesh, i, corner);
        if (!oracle_ray(ray->origin, ray->direction, ray->t_max, (const_corners)corner)) {
            continue;
        }
        if (best == PLIANT_NO_TRIANGLE) {
            best = i;
            continue;
        }
        /* The oracle remembers two hits: ask for the best and this one again. */
        float other[3][3];
        test_mesh_corners(mesh, best, other);
        oracle_ray(ray->origin, ray->direction, ray->t_max, (const_corners)other);
        oracle_ray(ray->origin, ray->direction, ray->t_max, (const_corners)corner);
        best = oracle_ray_order() < 0 ? i : best;
    }
    return best;
}

static float coordinate(const test_mesh *mesh, rng *r, int k)
{
    return mesh->positions[3 * rng_below(r, mesh->vertex_count) + (uint32_t)k];
}

/* A point of a triangle: a corner, the middle of an edge, or inside. Exact on a grid. */
static void point_of_triangle(const test_mesh *mesh, rng *r, float point[3])
{
    float corner[3][3];
    test_mesh_corners(mesh, (uint32_t)rng_below(r, mesh->triangle_count), corner);
    uint64_t kind = rng_below(r, 3), c = rng_below(r, 3);
    for (int k = 0; k < 3; k++) {
        float a = corner[c][k], b = corner[(c + 1) % 3][k], d = corner[(c + 2) % 3][k];
        point[k] = kind == 0   ? a
                   : kind == 1 ? 0.5f * a + 0.5f * b
                               : 0.25f * a + 0.25f * b + 0.5f * d;
    }
}

/* Rays of many kinds, most of them aimed at corners, edges and insides of triangles. */
static pliant_ray make_ray(const test_mesh *mesh, rng *r)
{
    static const float ends[] = {INFINITY, INFINITY, INFINITY, 1.0f, 2.0f, 0.5f, 0.0f, 3e38f};
    pliant_ray ray = {.t_max = ends[rng_below(r, 8)]};
    uint64_t kind = rng_below(r, 8);
    float target[3];
    point_of_triangle(mesh, r, target);
    for (int k = 0; k < 3; k++) {
        float low = coordinate(mesh, r, k), high = coordinate(mesh, r, k);
        ray.origin[k] = kind == 0   ? target[k]
                        : kind == 1 ? low
                        : kind == 2 ? 0.5f * low + 0.5f * high
                                    : low + (float)((int)rng_below(r, 9) - 4) * (high - low);
        ray.origin[k] = isfinite(ray.origin[k]) ? ray.origin[k] : high;
    }
    float corner[3][3];
    test_mesh_corners(mesh, (uint32_t)rng_below(r, mesh->triangle_count), corner);
    uint64_t towards = rng_below(r, 8);
    for (int k = 0; k < 3; k++) {
        float to = towards < 5    ? target[k] - ray.origin[k]
                   : towards == 5 ? corner[1][k] - corner[0][k] /* in its plane */
                   : towards == 6 ? (float)((int)rng_below(r, 3) - 1)
                                  : (float)rng_range(r, -1.0, 1.0);
        ray.direction[k] = isfinite(to) ? to : (float)rng_range(r, -1e38, 1e38);
    }
    if (rng_below(r, 64) == 0) {
        memset(ray.direction, 0, sizeof ray.direction);
    }
    return ray;
}

static void fail_ray(const test_mesh *mesh, const pliant_ray *ray, uint32_t way,
                     const pliant_ray_hit *got, const pliant_ray_hit *want)
{
    fail_msg("%s, way %u: from %a %a %a along %a %a %a to %a: triangle %u at %a, brute force says "
             "%u at %a",
             mesh->name, way, ray->origin[0], ray->origin[1], ray->origin[2], ray->direction[0],
             ray->direction[1], ray->direction[2], ray->t_max, got->triangle, got->t,
             want->triangle, want->t);
}

/* The point of a hit lies where it should, within rounding of the terms it is the sum of. */
static bool point_is_right(const pliant_ray *ray, const pliant_ray_hit *hit)
{
    for (int k = 0; k < 3; k++) {
        double along = hit->t * (double)ray->direction[k], origin = (double)ray->origin[k];
        double error = 0x1p-23 * fabs(origin + along) + 0x1p-50 * (fabs(origin) + fabs(along));
        if (!(fabs((double)hit->point[k] - (origin + along)) <= error + 0x1p-149)) {
            return false;
        }
    }
    return true;
}

static void rays_through_mesh(uint32_t number)
{
    uint32_t count = fixture_count(100000 / TEST_MESHES + 1), checked = 0, hits = 0;
    test_mesh mesh = test_mesh_create(number, 320);
    pliant_ray *rays = malloc(count * sizeof *rays);
    pliant_ray_hit *want = malloc(count * sizeof *want), *got = malloc(count * sizeof *got);
    rng r;
    rng_seed(&r, 100 + number);
    for (uint32_t i = 0; i < count; i++) {
        rays[i] = make_ray(&mesh, &r);
        want[i] = brute_ray(&mesh, &rays[i]);
        hits += want[i].triangle != PLIANT_NO_TRIANGLE;
        if (i % 64 == 0) {
            uint32_t oracle = oracle_first(&mesh, &rays[i]);
            checked++;
            if (oracle != want[i].triangle) {
                pliant_ray_hit truth = {.t = NAN, .triangle = oracle};
                fail_ray(&mesh, &rays[i], 999, &want[i], &truth);
            }
        }
    }
    for (uint32_t w = 0; w < test_way_count; w++) {
        test_body body = test_body_create(test_context, &mesh, &test_ways[w]);
        assert_ok(pliant_raycast_many(test_query, body.body, rays, count, got));
        assert_int_equal(pliant_query_get_stats(test_query)->pairs, hits);
        for (uint32_t i = 0; i < count; i++) {
            if (got[i].triangle != want[i].triangle || got[i].t != want[i].t ||
                (got[i].triangle != PLIANT_NO_TRIANGLE && !point_is_right(&rays[i], &got[i]))) {
                fail_ray(&mesh, &rays[i], w, &got[i], &want[i]);
            }
        }
        for (uint32_t i = 0; i < count; i += 97) {
            pliant_ray_hit one;
            assert_ok(pliant_raycast(test_query, body.body, &rays[i], &one));
            assert_true(one.triangle == want[i].triangle && one.t == want[i].t);
        }
        test_body_destroy(&body);
    }
    print_message("  %-22s %6u rays, %5.1f %% hit; %u by the oracle too\n", mesh.name, count,
                  100.0 * hits / count, checked);
    free(rays);
    free(want);
    free(got);
    test_mesh_destroy(&mesh);
}

/* All triangles along a ray, in order, from every one of them; returns how many there are. */
static uint64_t brute_all(const test_mesh *mesh, const pliant_ray *ray, uint32_t *list, double *at)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        double t = 0.0;
        float corner[2][3][3];
        test_mesh_corners(mesh, i, corner[0]);
        if (!pli_triangle_ray(ray->origin, ray->direction, ray->t_max, (const_corners)corner[0],
                              &t)) {
            continue;
        }
        uint64_t place = count++;
        for (; place > 0; place--) { /* behind those that are as near: these are lower */
            test_mesh_corners(mesh, list[place - 1], corner[1]);
            if (pli_triangle_ray_compare(ray->origin, ray->direction, (const_corners)corner[0],
                                         (const_corners)corner[1]) >= 0) {
                break;
            }
            list[place] = list[place - 1];
            at[place] = at[place - 1];
        }
        list[place] = i;
        at[place] = t;
    }
    return count;
}

static void all_hits_equal_brute_force(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < TEST_MESHES; number++) {
        uint32_t count = fixture_count(6000 / TEST_MESHES + 1);
        uint64_t ties = 0, total = 0;
        test_mesh mesh = test_mesh_create(number, 320);
        pliant_ray *rays = malloc(count * sizeof *rays);
        uint32_t *list = malloc(mesh.triangle_count * sizeof *list);
        double *at = malloc(mesh.triangle_count * sizeof *at);
        rng r;
        rng_seed(&r, 300 + number);
        for (uint32_t i = 0; i < count; i++) {
            rays[i] = make_ray(&mesh, &r);
        }
        for (uint32_t w = 0; w < test_way_count; w++) {
            pliant_ray_hits hits;
            test_body body = test_body_create(test_context, &mesh, &test_ways[w]);
            assert_ok(pliant_raycast_all(test_query, body.body, rays, count, &hits));
            assert_int_equal(pliant_query_get_stats(test_query)->pairs, hits.count);
            assert_int_equal(hits.starts[0], 0);
            for (uint32_t i = w % 5; i < count; i += 5) {
                uint64_t expected = brute_all(&mesh, &rays[i], list, at);
                const pliant_ray_hit *got = hits.hits + hits.starts[i];
                assert_int_equal(hits.starts[i + 1] - hits.starts[i], expected);
                for (uint64_t h = 0; h < expected; h++) {
                    pliant_ray_hit want = {.t = at[h], .triangle = list[h]};
                    if (got[h].triangle != list[h] || got[h].t != at[h] ||
                        !point_is_right(&rays[i], &got[h])) {
                        fail_ray(&mesh, &rays[i], w, &got[h], &want);
                    }
                    ties += h > 0 && at[h] == at[h - 1];
                }
                total += expected;
            }
            assert_int_equal(hits.starts[count], hits.count);
            test_body_destroy(&body);
        }
        assert_true(total > 0 && (ties > 0 || count < 100));
        free(rays);
        free(list);
        free(at);
        test_mesh_destroy(&mesh);
    }
}

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

static void rays_equal_brute_force(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < TEST_MESHES; i++) {
        rays_through_mesh(i);
    }
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
        cmocka_unit_test(rays_equal_brute_force),
        cmocka_unit_test(all_hits_equal_brute_force),
        cmocka_unit_test(ties_come_in_order),
        cmocka_unit_test(no_ray_leaves_a_closed_body),
        cmocka_unit_test(rays_refresh_only_what_they_meet),
        cmocka_unit_test(bad_rays_are_refused),
    };
    return cmocka_run_group_tests(tests, test_query_set_up, one_body_tear_down);
}
