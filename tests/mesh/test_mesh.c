/* The mesh of a shape: what is refused, and by which sentence; what is known of it. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A tetrahedron; tests change copies of it. */
static const float tetrahedron[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t tetrahedron_faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static pliant_shape_def tetrahedron_def(void)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = tetrahedron;
    def.vertex_count = 4;
    def.triangles = tetrahedron_faces;
    def.triangle_count = 4;
    return def;
}

static void expect_refused(const pliant_shape_def *def, pliant_result expected, const char *part)
{
    pliant_shape *shape = (pliant_shape *)(uintptr_t)1;
    pliant_result result = pliant_shape_create(test_context, def, &shape);
    assert_int_equal(result, expected);
    assert_ptr_equal(shape, (void *)(uintptr_t)1); /* outputs untouched */
    if (strstr(pliant_last_error(), part) == NULL) {
        fail_msg("'%s' does not say '%s'", pliant_last_error(), part);
    }
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    pliant_shape_def def = tetrahedron_def();
    def.tag = 0;
    expect_refused(&def, PLIANT_ERROR_ARGUMENT, "pliant_shape_def_default");
    def = tetrahedron_def();
    def.positions = NULL;
    expect_refused(&def, PLIANT_ERROR_ARGUMENT, "positions");
    def = tetrahedron_def();
    def.triangle_count = 0;
    expect_refused(&def, PLIANT_ERROR_RANGE, "0 given");
    def = tetrahedron_def();
    def.vertex_count = 0;
    expect_refused(&def, PLIANT_ERROR_RANGE, "0 and 4");
    def = tetrahedron_def();
    def.vertex_count = UINT32_MAX;
    expect_refused(&def, PLIANT_ERROR_TOO_LARGE, "4294967295 vertices");
    def = tetrahedron_def();
    def.triangle_count = UINT32_MAX;
    expect_refused(&def, PLIANT_ERROR_TOO_LARGE, "4294967295 triangles");
    def = tetrahedron_def();
    def.position_stride = SIZE_MAX / 4 * 4;
    expect_refused(&def, PLIANT_ERROR_TOO_LARGE, "position");
    def = tetrahedron_def();
    def.position_stride = 8;
    expect_refused(&def, PLIANT_ERROR_RANGE, "position_stride is 8");
    def = tetrahedron_def();
    def.arity = 3;
    expect_refused(&def, PLIANT_ERROR_RANGE, "arity is 3");
    def = tetrahedron_def();
    def.leaf_size = 9;
    expect_refused(&def, PLIANT_ERROR_RANGE, "leaf_size is 9");
    def = tetrahedron_def();
    def.partition = (pliant_partition)77;
    expect_refused(&def, PLIANT_ERROR_RANGE, "partition is 77");
}

static void offenders_are_named(void **state)
{
    (void)state;
    gallery_settings settings = {.triangles = 320, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &settings);
    gallery_mesh *mesh = &scene->bodies[0];
    pliant_shape_def def = fixture_shape_def(mesh);
    mesh->positions[3 * 7 + 1] = NAN;
    expect_refused(&def, PLIANT_ERROR_NOT_FINITE, "vertex 7: coordinate y");
    mesh->positions[3 * 7 + 1] = -INFINITY;
    expect_refused(&def, PLIANT_ERROR_NOT_FINITE, "vertex 7: coordinate y");
    mesh->positions[3 * 7 + 1] = 0.5f;
    mesh->triangles[3 * 17 + 2] = 4012;
    expect_refused(&def, PLIANT_ERROR_RANGE, "triangle 17 uses vertex 4012 of 162");
    gallery_destroy(scene);
}

static void closedness_is_found(void **state)
{
    (void)state;
    pliant_shape_def def = tetrahedron_def();
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_true(pliant_shape_is_closed(shape));
    assert_int_equal(fixture_quality(shape).component_count, 1);
    pliant_shape_destroy(shape);

    def.triangle_count = 3;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_false(pliant_shape_is_closed(shape));
    assert_int_equal(fixture_quality(shape).open_edge_count, 3);
    pliant_shape_destroy(shape);

    uint32_t flipped[12];
    memcpy(flipped, tetrahedron_faces, sizeof flipped);
    flipped[0] = tetrahedron_faces[1];
    flipped[1] = tetrahedron_faces[0];
    def = tetrahedron_def();
    def.triangles = flipped;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_false(pliant_shape_is_closed(shape));
    pliant_shape_destroy(shape);
}

static void seams_are_welded(void **state)
{
    (void)state;
    /* The tetrahedron with three vertices of its own for every face, some zeros negative. */
    float soup[36];
    uint32_t faces[12];
    for (uint32_t i = 0; i < 12; i++) {
        memcpy(soup + 3 * (size_t)i, tetrahedron + 3 * (size_t)tetrahedron_faces[i], 12);
        faces[i] = i;
    }
    for (int i = 0; i < 18; i++) {
        soup[i] = soup[i] == 0.0f ? -0.0f : soup[i];
    }
    pliant_shape_def def = tetrahedron_def();
    def.positions = soup;
    def.vertex_count = 12;
    def.triangles = faces;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_true(pliant_shape_is_closed(shape));
    assert_int_equal(fixture_quality(shape).welded_vertex_count, 4);
    pliant_shape_destroy(shape);
    def.weld = false;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    assert_false(pliant_shape_is_closed(shape));
    assert_int_equal(fixture_quality(shape).welded_vertex_count, 12);
    assert_int_equal(fixture_quality(shape).component_count, 4);
    pliant_shape_destroy(shape);
}

/* Vertices that all rest at the origin: `each` neighbours move alike, as modes or nodes have it.
   Returns how many are left when they are welded. */
static uint32_t weld_in_one_place(uint32_t count, uint32_t each, bool modes)
{
    float *positions = calloc(3 * (size_t)count, sizeof *positions);
    float *numbers = calloc(3 * (size_t)count, sizeof *numbers);
    uint32_t *triangles = malloc(3 * (size_t)count * sizeof *triangles);
    uint32_t *offsets = malloc(((size_t)count + 1) * sizeof *offsets);
    uint32_t *nodes = malloc(2 * (size_t)count * sizeof *nodes);
    for (uint32_t v = 0; v < count; v++) {
        float share = (float)(v / each + 1) / (float)(count + 1);
        for (uint32_t c = 0; c < 3; c++) {
            triangles[3 * (size_t)v + c] = (v + c) % count;
        }
        offsets[v] = 2 * v;
        numbers[(modes ? 3 : 2) * (size_t)v] = share;
        numbers[(modes ? 3 : 2) * (size_t)v + 1] = 1.0f - share;
        nodes[2 * (size_t)v] = 0;
        nodes[2 * (size_t)v + 1] = 1;
    }
    offsets[count] = 2 * count;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.triangles = triangles;
    def.vertex_count = def.triangle_count = count;
    def.modes = modes ? numbers : NULL;
    def.mode_count = modes ? 1 : 0;
    def.joint_count = modes ? 0 : 2;
    def.influence_offsets = modes ? NULL : offsets;
    def.influence_joints = modes ? NULL : nodes;
    def.influence_weights = modes ? NULL : numbers;
    def.normalise_weights = false;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    uint32_t welded = fixture_quality(shape).welded_vertex_count;
    pliant_shape_destroy(shape);
    free(positions);
    free(numbers);
    free(triangles);
    free(offsets);
    free(nodes);
    return welded;
}

/* Many vertices in one place that move differently are told apart without comparing each with all
   others, which would take minutes. */
static void one_place_is_no_trap(void **state)
{
    (void)state;
    const uint32_t count = fixture_scale() < 0.1 ? 20000 : 200000; /* sanitizers take their time */
    clock_t started = clock();
    for (int modes = 0; modes < 2; modes++) {
        assert_int_equal(weld_in_one_place(count, 1, modes), count);
        assert_int_equal(weld_in_one_place(count, 4, modes), count / 4);
        assert_int_equal(weld_in_one_place(count, count, modes), 1);
    }
    assert_true((clock() - started) / CLOCKS_PER_SEC < 60);
}

static void odd_triangles_are_counted(void **state)
{
    (void)state;
    const float positions[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0, 9, 9, 9, 0, 0, 1};
    /* One good one, it again in another order, a sliver on a line, one point thrice. */
    const uint32_t faces[15] = {0, 1, 2, 2, 0, 1, 0, 1, 3, 5, 5, 5, 0, 1, 5};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = 6;
    def.triangles = faces;
    def.triangle_count = 5;
    pliant_shape *shape = NULL;
    assert_ok(pliant_shape_create(test_context, &def, &shape));
    pliant_shape_quality quality = fixture_quality(shape);
    assert_int_equal(quality.duplicate_triangle_count, 1);
    assert_int_equal(quality.degenerate_triangle_count, 2);
    assert_int_equal(quality.unused_vertex_count, 1);
    assert_false(pliant_shape_is_closed(shape));
    pliant_shape_destroy(shape);
}

/* Two equal triangles that nothing else touches are one duplicate, whichever way they face; they
   are closed if they face each other. */
static void lone_duplicates_are_counted_once(void **state)
{
    (void)state;
    static const uint32_t faces[3][6] = {
        {0, 1, 2, 0, 1, 2}, {0, 1, 2, 0, 2, 1}, {2, 3, 1, 3, 1, 2}};
    static const bool closed[3] = {false, true, false};
    for (int i = 0; i < 3; i++) {
        pliant_shape_def def = tetrahedron_def();
        def.triangles = faces[i];
        def.triangle_count = 2;
        pliant_shape *shape = NULL;
        assert_ok(pliant_shape_create(test_context, &def, &shape));
        pliant_shape_quality quality = fixture_quality(shape);
        assert_int_equal(quality.duplicate_triangle_count, 1);
        assert_int_equal(quality.component_count, 1);
        assert_int_equal(quality.open_edge_count, closed[i] ? 0 : 3);
        assert_int_equal(pliant_shape_is_closed(shape), closed[i]);
        pliant_shape_destroy(shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(offenders_are_named),
        cmocka_unit_test(closedness_is_found),
        cmocka_unit_test(seams_are_welded),
        cmocka_unit_test(odd_triangles_are_counted),
        cmocka_unit_test(one_place_is_no_trap),
        cmocka_unit_test(lone_duplicates_are_counted_once),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
