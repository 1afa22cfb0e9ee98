/*
 * What signed distances say where there is no inside: open bodies, seams that came apart, points on
 * the surface; and what is refused.
 */
#include "models.h"
#include "solid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static pliant_query *query;

static int set_up(void **state)
{
    test_query_set_up(state);
    query = test_query;
    return 0;
}

static pliant_signed_distance measure_one(pliant_body *body, double x, double y, double z)
{
    pliant_signed_distance got;
    const float point[3] = {(float)x, (float)y, (float)z};
    assert_ok(pliant_measure_distances(query, body, point, 1, 0, NULL, &got));
    return got;
}

static void assert_direction(const pliant_signed_distance *got, double x, double y, double z)
{
    double length = sqrt(x * x + y * y + z * z);
    assert_true(fabs(got->direction[0] - x / length) < 1e-6);
    assert_true(fabs(got->direction[1] - y / length) < 1e-6);
    assert_true(fabs(got->direction[2] - z / length) < 1e-6);
}

static pliant_body *make_body(const float *positions, uint32_t vertices, const uint32_t *triangles,
                              uint32_t count, pliant_shape **shape)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = vertices;
    def.triangles = triangles;
    def.triangle_count = count;
    assert_ok(pliant_shape_create(test_context, &def, shape));
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(*shape, NULL, &body));
    return body;
}

/* On a cube, however its faces are cut into triangles, angle-weighted normals are symmetric. */
static void normals_on_the_surface(void **state)
{
    (void)state;
    test_place place = place_at(0, 0, 0);
    test_solid cube = test_solid_create(test_context, test_solid_box(&place));
    for (int corner = 0; corner < 8; corner++) {
        double x = corner & 1 ? 1 : -1, y = corner & 2 ? 1 : -1, z = corner & 4 ? 1 : -1;
        pliant_signed_distance got = measure_one(cube.body, x, y, z);
        assert_true(got.side == 0 && got.distance == 0.0 && got.winding == 0 && got.flags == 0);
        assert_direction(&got, x, y, z);
        assert_int_equal(got.closest.at.feature, PLIANT_FEATURE_VERTEX);
        got = measure_one(cube.body, x, y, 0.25);
        assert_true(got.side == 0);
        assert_direction(&got, x, y, 0);
        got = measure_one(cube.body, x, 0.25, 0.125);
        assert_true(got.side == 0);
        assert_direction(&got, x, 0, 0);
    }
    pliant_signed_distance got = measure_one(cube.body, 0.5, 0.25, 0);
    assert_true(got.side == -1 && got.winding == 1 && got.distance == -0.5);
    assert_direction(&got, 1, 0, 0);
    got = measure_one(cube.body, 3, 3, 0);
    assert_true(got.side == 1 && got.winding == 0 && fabs(got.distance - sqrt(8.0)) < 1e-12);
    assert_direction(&got, 1, 1, 0);
    test_solid_destroy(&cube);
}

/* A roof of two slopes with the ridge along y: up is in front. */
static const float roof[6][3] = {{-1, 0, 0}, {-1, 1, 0}, {0, 0, 1},
                                 {0, 1, 1},  {1, 0, 0},  {1, 1, 0}};
static const uint32_t slopes[4][3] = {{0, 2, 1}, {1, 2, 3}, {2, 4, 3}, {3, 4, 5}};

static void open_bodies_have_sides(void **state)
{
    (void)state;
    pliant_shape *shape = NULL;
    /* Both ways round: seen from above the slopes turn clockwise, then counterclockwise. */
    for (int turned = 0; turned < 2; turned++) {
        uint32_t triangles[4][3];
        for (int i = 0; i < 4; i++) {
            triangles[i][0] = slopes[i][0];
            triangles[i][1] = slopes[i][turned ? 2 : 1];
            triangles[i][2] = slopes[i][turned ? 1 : 2];
        }
        int up = turned ? -1 : 1;
        pliant_body *body = make_body(roof[0], 6, triangles[0], 4, &shape);
        assert_false(pliant_shape_is_closed(shape));
        const struct {
            double x, y, z;
            int above;
            pliant_feature feature;
        } cases[] = {
            {0.5, 0.5, 1.0, 1, PLIANT_FEATURE_FACE},    {0.5, 0.5, 0.2, -1, PLIANT_FEATURE_FACE},
            {0.0, 0.5, 1.5, 1, PLIANT_FEATURE_EDGE}, /* above the ridge */
            {0.1, 0.5, 1.5, 1, PLIANT_FEATURE_EDGE}, /* and beside it */
            {0.0, -1.0, 2.0, 1, PLIANT_FEATURE_VERTEX}, {-0.1, 2.0, 3.0, 1, PLIANT_FEATURE_VERTEX}};
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            pliant_signed_distance got = measure_one(body, cases[i].x, cases[i].y, cases[i].z);
            assert_int_equal(got.side, up * cases[i].above);
            assert_int_equal(got.flags, PLIANT_DISTANCE_BY_SURFACE);
            assert_int_equal(got.winding, 0);
            assert_int_equal(got.closest.at.feature, cases[i].feature);
            assert_true(got.distance == got.side * got.closest.distance);
        }
        pliant_distance_options options = pliant_distance_options_default();
        options.side = PLIANT_SIDE_INSIDE;
        const float point[3] = {0, 0, 2};
        pliant_signed_distance got;
        memset(&got, 0x55, sizeof got);
        pliant_signed_distance untouched = got;
        assert_int_equal(pliant_measure_distances(query, body, point, 1, 0, &options, &got),
                         PLIANT_ERROR_ARGUMENT);
        assert_non_null(strstr(pliant_last_error(), "no inside"));
        assert_memory_equal(&got, &untouched, sizeof got);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
    }
}

/* Asked for the side of the surface, a closed body answers by it, and agrees where it is simple. */
static void surface_rule_on_closed_bodies(void **state)
{
    (void)state;
    test_place place = place_at(0, 0, 0);
    test_solid ball = test_solid_create(test_context, test_solid_sphere(320, &place));
    pliant_distance_options options = pliant_distance_options_default();
    options.side = PLIANT_SIDE_SURFACE;
    rng r;
    rng_seed(&r, 4);
    for (uint32_t i = 0; i < fixture_count(3000); i++) {
        float point[3];
        pliant_signed_distance by_surface, by_winding;
        for (int k = 0; k < 3; k++) {
            point[k] = (float)rng_range(&r, -1.2, 1.2);
        }
        assert_ok(pliant_measure_distances(query, ball.body, point, 1, 0, &options, &by_surface));
        assert_ok(pliant_measure_distances(query, ball.body, point, 1, 0, NULL, &by_winding));
        assert_int_equal(by_surface.side, by_winding.side);
        assert_int_equal(by_surface.flags, PLIANT_DISTANCE_BY_SURFACE);
        assert_true(by_surface.distance == by_winding.distance);
    }
    test_solid_destroy(&ball);
}

/* A cube whose faces have vertices of their own, welded: 4 per face. */
static void make_seamed_cube(float positions[24][3], uint32_t triangles[12][3])
{
    for (uint32_t face = 0; face < 6; face++) {
        uint32_t axis = face / 2, j = (axis + 1) % 3, k = (axis + 2) % 3;
        for (uint32_t c = 0; c < 4; c++) {
            float *p = positions[4 * face + c];
            p[axis] = (float)(face % 2);
            p[j] = (float)(c == 1 || c == 2);
            p[k] = (float)(c >= 2);
        }
        const uint32_t front[2][3] = {{0, 1, 2}, {0, 2, 3}};
        for (uint32_t t = 0; t < 2; t++) {
            for (uint32_t c = 0; c < 3; c++) {
                triangles[2 * face + t][face % 2 ? c : 2 - c] = 4 * face + front[t][c];
            }
        }
    }
}

static void seams_that_came_apart(void **state)
{
    (void)state;
    float positions[24][3];
    uint32_t triangles[12][3];
    make_seamed_cube(positions, triangles);
    pliant_shape *shape = NULL;
    pliant_body *body = make_body(positions[0], 24, triangles[0], 12, &shape);
    assert_true(pliant_shape_is_closed(shape));
    pliant_signed_distance got = measure_one(body, 0.5, 0.25, 0.4);
    assert_true(got.side == -1 && got.winding == 1 && got.flags == 0);
    for (int c = 4; c < 8; c++) { /* the face x = 1 slides along y */
        positions[c][1] += 0.5f;
    }
    assert_ok(pliant_body_set_positions(body, positions[0], 0));
    got = measure_one(body, 0.125, 0.25, 0.4);
    assert_int_equal(got.flags, PLIANT_DISTANCE_UNCLOSED | PLIANT_DISTANCE_BY_SURFACE);
    assert_true(got.side == -1 && got.winding == 0); /* behind the face x = 0 */
    got = measure_one(body, -0.125, 0.25, 0.4);
    assert_int_equal(got.flags, PLIANT_DISTANCE_UNCLOSED | PLIANT_DISTANCE_BY_SURFACE);
    assert_int_equal(got.side, 1);
    got = measure_one(body, 0.5, 0.75, 0.4); /* both faces lie on this line */
    assert_true(got.flags == 0 && got.side == -1 && got.winding == 1);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
}

static void groups_and_weights(void **state)
{
    (void)state;
    const uint16_t groups[4] = {3, 5, 7, 9};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = roof[0];
    def.vertex_count = 6;
    def.triangles = slopes[0];
    def.triangle_count = 4;
    def.groups = groups;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_ok(pliant_body_create(shape, NULL, &body));
    uint16_t group = 0;
    for (uint32_t i = 0; i < 4; i++) {
        assert_ok(pliant_shape_get_group(shape, i, &group));
        assert_int_equal(group, groups[i]);
    }
    assert_int_equal(pliant_shape_get_group(shape, 4, &group), PLIANT_ERROR_RANGE);
    assert_int_equal(group, 9);
    pliant_ray ray = {{0.25f, 0.25f, 5.0f}, {0, 0, -1}, INFINITY};
    pliant_ray_hit hit;
    assert_ok(pliant_raycast(query, body, &ray, &hit));
    const float point[3] = {0.25f, 0.25f, 5.0f};
    pliant_closest closest;
    assert_ok(pliant_find_closest_point(query, body, hit.point, INFINITY, &closest));
    assert_true(hit.triangle == 2 && hit.group == 7 && closest.triangle == 2 && closest.group == 7);
    const double down = sqrt(0.5);
    assert_true(fabs(hit.normal[0] - down) < 1e-6 && fabs(hit.normal[2] - down) < 1e-6);
    assert_memory_equal(hit.normal, closest.normal, sizeof hit.normal);
    for (int k = 0; k < 3; k++) {
        double x = 0.0, y = 0.0;
        for (int c = 0; c < 3; c++) {
            x += hit.weights[c] * (double)roof[slopes[2][c]][k];
            y += closest.weights[c] * (double)roof[slopes[2][c]][k];
        }
        assert_true(fabs(x - hit.point[k]) < 1e-6 && fabs(y - hit.point[k]) < 1e-6);
    }
    ray.direction[2] = 1;
    assert_ok(pliant_raycast(query, body, &ray, &hit));
    assert_true(hit.triangle == PLIANT_NO_TRIANGLE && hit.group == 0 && hit.weights[0] == 0.0);
    assert_ok(pliant_find_closest_point(query, body, point, 0.5f, &closest));
    assert_true(!closest.found && closest.triangle == PLIANT_NO_TRIANGLE);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
}

/* Only what lies near is refreshed. */
static void far_clusters_stay_stale(void **state)
{
    (void)state;
    test_place place = place_at(0, 0, 0);
    gallery_mesh mesh = test_solid_sphere(20480, &place);
    pliant_shape_def def = fixture_shape_def(&mesh);
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_body_def lazy = pliant_body_def_default();
    lazy.update = PLIANT_UPDATE_TOP_DOWN;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_ok(pliant_body_create(shape, &lazy, &body));
    float points[600][3];
    pliant_signed_distance got[600];
    rng r;
    rng_seed(&r, 8);
    for (int i = 0; i < 600; i++) {
        points[i][0] = (float)rng_range(&r, 0.99, 1.02);
        points[i][1] = (float)rng_range(&r, -0.05, 0.05);
        points[i][2] = (float)rng_range(&r, -0.05, 0.05);
    }
    pliant_distance_options options = pliant_distance_options_default();
    options.max_distance = 0.1f;
    assert_ok(pliant_measure_distances(query, body, points[0], 600, 0, &options, got));
    const pliant_stats *stats = pliant_query_get_stats(query);
    assert_true(stats->clusters_refreshed > 0 && stats->clusters_refreshed < 30);
    assert_true(stats->pairs == 600 && stats->lines > 0 && stats->lines < 600);
    /* None of the body at all for points that are far from its box. */
    assert_ok(pliant_body_set_positions(body, mesh.positions, 0));
    for (int i = 0; i < 600; i++) {
        points[i][0] += 9.0f;
    }
    assert_ok(pliant_measure_distances(query, body, points[0], 600, 0, &options, got));
    assert_true(stats->clusters_refreshed == 0 && stats->pairs == 0);
    assert_true(got[0].side == 1 && isinf(got[0].distance) && got[0].distance > 0.0);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    mesh_free(&mesh);
}

/* A call of a size that the query has seen allocates nothing. */
static void warm_calls_do_not_allocate(void **state)
{
    (void)state;
    counting_allocator allocator = {0};
    pliant_context *context = fixture_context(&allocator);
    pliant_query *own = NULL;
    assert_ok(pliant_query_create(context, &own));
    pliant_shape *shape = fixture_sphere(context, 1280, fixture_usual_tree);
    pliant_body *body = NULL;
    assert_ok(pliant_body_create(shape, NULL, &body));
    enum { POINTS = 1500 };
    static float points[POINTS][3];
    static pliant_signed_distance got[POINTS];
    uint64_t calls = 0;
    rng r;
    rng_seed(&r, 17);
    for (int i = 0; i < 3 * POINTS; i++) {
        points[i / 3][i % 3] = (float)rng_range(&r, -1.3, 1.3);
    }
    for (int step = 0; step < 4; step++) {
        calls = step == 2 ? allocator.calls : calls;
        assert_ok(pliant_measure_distances(own, body, points[0], POINTS, 0, NULL, got));
    }
    assert_int_equal(allocator.calls, calls);
    uint64_t bytes = pliant_query_get_stats(own)->bytes;
    assert_true(bytes > POINTS * sizeof *got && bytes < allocator.live_bytes);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    pliant_query_destroy(own);
    pliant_context_destroy(context);
    assert_int_equal(allocator.live, 0);
}

/* ------------------------------------------------------------ bad questions */

static pliant_body *asked_body;
static pliant_signed_distance before[3], after[3];
static float good[3][4] = {{0, 0, 0, 9}, {1, 1, 1, 9}, {2, 2, 2, 9}};

static pliant_result ask(const float *points, uint64_t count, size_t stride,
                         const pliant_distance_options *options)
{
    pliant_result result =
        pliant_measure_distances(query, asked_body, points, count, stride, options, after);
    if (result != PLIANT_OK) {
        assert_memory_equal(after, before, sizeof after);
    }
    return result;
}

static void bad_questions_are_refused(void **state)
{
    (void)state;
    test_place place = place_at(0, 0, 0);
    test_solid cube = test_solid_create(test_context, test_solid_box(&place));
    asked_body = cube.body;
    memset(before, 0x55, sizeof before);
    memcpy(after, before, sizeof after);
    float bad[3][4];
    const float wrong[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        memcpy(bad, good, sizeof bad);
        bad[1][2] = wrong[i];
        assert_int_equal(ask(bad[0], 3, 16, NULL), PLIANT_ERROR_NOT_FINITE);
        assert_non_null(strstr(pliant_last_error(), "point 1: coordinate z"));
    }
    pliant_distance_options options = pliant_distance_options_default();
    options.max_distance = NAN;
    assert_int_equal(ask(good[0], 3, 16, &options), PLIANT_ERROR_NOT_FINITE);
    options.max_distance = -1.0f;
    assert_int_equal(ask(good[0], 3, 16, &options), PLIANT_ERROR_RANGE);
    assert_non_null(strstr(pliant_last_error(), "max_distance is -1"));
    options = pliant_distance_options_default();
    options.side = (pliant_side_rule)7;
    assert_int_equal(ask(good[0], 3, 16, &options), PLIANT_ERROR_RANGE);
    options.tag = 0;
    assert_int_equal(ask(good[0], 3, 16, &options), PLIANT_ERROR_ARGUMENT);
    assert_int_equal(ask(good[0], 3, 8, NULL), PLIANT_ERROR_RANGE);
    assert_int_equal(ask(good[0], 3, 14, NULL), PLIANT_ERROR_RANGE);
    assert_int_equal(ask(good[0], (uint64_t)1 << 33, 0, NULL), PLIANT_ERROR_TOO_LARGE);
    assert_int_equal(ask(NULL, 1, 0, NULL), PLIANT_ERROR_ARGUMENT);
    pliant_closest closest;
    assert_int_equal(pliant_find_closest_points(query, asked_body, good[0], 1, 0, NAN, &closest),
                     PLIANT_ERROR_NOT_FINITE);
    assert_ok(pliant_measure_distances(query, asked_body, NULL, 0, 0, NULL, NULL));
    assert_ok(pliant_find_closest_points(query, asked_body, NULL, 0, 0, 1.0f, NULL));
    assert_ok(ask(good[0], 3, 16, NULL));
    assert_true(after[0].side == -1 && after[1].side == 0 && after[2].side == 1);
    /* As far as floats go. */
    const float far[3] = {FLT_MAX, -FLT_MAX, FLT_MAX};
    assert_ok(ask(far, 1, 0, NULL));
    assert_true(after[0].side == 1 && isfinite(after[0].distance));
    float mixed[3][3] = {{0.5f, 0, 0}, {FLT_MAX, -FLT_MAX, FLT_MAX}, {1, 1, 1}};
    pliant_signed_distance far_away = after[0];
    assert_ok(ask(mixed[0], 3, 0, NULL));
    assert_true(after[0].distance == -0.5 && after[2].side == 0);
    assert_true(after[1].distance == far_away.distance &&
                after[1].closest.triangle == far_away.closest.triangle);
    test_solid_destroy(&cube);
}

/* Shared positions that are not finite are found by the question that reads them. */
static void bad_positions_are_found(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 3; workers += 2) {
        pliant_context *context = fixture_context_with(PLIANT_ISA_BEST, workers);
        pliant_query *own = NULL;
        assert_ok(pliant_query_create(context, &own));
        test_place place = place_at(0, 0, 0);
        gallery_mesh mesh = test_solid_sphere(5120, &place);
        pliant_shape *shape = fixture_shape(context, &mesh, fixture_usual_tree);
        pliant_body *body = NULL;
        assert_ok(pliant_body_create(shape, NULL, &body));
        mesh.positions[3 * 100 + 1] = NAN;
        assert_ok(pliant_body_share_positions(body, mesh.positions, 0));
        float *points = malloc(3 * 2000 * sizeof *points);
        pliant_signed_distance *got = malloc(2000 * sizeof *got);
        for (int i = 0; i < 6000; i++) {
            points[i] = (float)((i * 7919) % 2000) / 1000.0f - 1.0f;
        }
        assert_int_equal(pliant_measure_distances(own, body, points, 2000, 0, NULL, got),
                         PLIANT_ERROR_NOT_FINITE);
        assert_non_null(strstr(pliant_last_error(), "vertex 100"));
        assert_int_equal(pliant_measure_distances(own, body, points, 2000, 0, NULL, got),
                         PLIANT_ERROR_STATE);
        free(points);
        free(got);
        pliant_body_destroy(body);
        pliant_shape_destroy(shape);
        mesh_free(&mesh);
        pliant_query_destroy(own);
        pliant_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_on_the_surface),
        cmocka_unit_test(open_bodies_have_sides),
        cmocka_unit_test(surface_rule_on_closed_bodies),
        cmocka_unit_test(seams_that_came_apart),
        cmocka_unit_test(groups_and_weights),
        cmocka_unit_test(far_clusters_stay_stale),
        cmocka_unit_test(warm_calls_do_not_allocate),
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(bad_positions_are_found),
    };
    return cmocka_run_group_tests(tests, set_up, test_query_tear_down);
}
