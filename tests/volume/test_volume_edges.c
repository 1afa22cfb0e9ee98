/* Volumes at the edges of what can be asked: extreme sizes, broken positions, refusals. */
#include "solid.h"

#include "pliant/backend.h"
#include "pliant/extend.h"

#include <math.h>
#include <string.h>

/* Coordinates near the ends of float32's range. */
static void test_extreme_sizes(void **state)
{
    (void)state;
    static const double sizes[4] = {1e-37, 1e-20, 1e20, 1e38};
    for (int i = 0; i < 4; i++) {
        rng r;
        rng_seed(&r, 60);
        test_place first = place_random(&r, 0.2), second = place_random(&r, 0.2);
        for (int k = 0; k < 3; k++) {
            first.scale[k] = second.scale[k] = sizes[i];
            first.translation[k] *= sizes[i];
            second.translation[k] *= sizes[i];
        }
        test_solid a = test_solid_create(test_context, test_solid_sphere(320, &first));
        test_solid b = test_solid_create(test_context, test_solid_box(&second));
        double truth = test_solid_common_volume(&a.mesh, &b.mesh);
        pliant_volume_options options = volume_at_resolution(64);
        options.gradients = true;
        pliant_volume_measure m = intersect_solids(&a, &b, &options);
        check_volume_range("extreme size", &m, truth, 1e-9 * truth);
        assert_true(fabs(m.volume - truth) < 0.02 * truth && m.error < 0.5 * truth);
        test_solid_destroy(&a);
        test_solid_destroy(&b);
    }
}

/* A borrowed position that is not finite fails the call, which says so; the next state is fine. */
static void test_not_finite(void **state)
{
    (void)state;
    test_place here = place_at(0, 0, 0), there = place_at(0.5, 0.25, 0);
    test_solid a = test_solid_create(test_context, test_solid_sphere(1280, &here));
    test_solid b = test_solid_create(test_context, test_solid_box(&there));
    pliant_volume_measure m = {.volume = 42.0};
    float saved = a.mesh.positions[100];
    a.mesh.positions[100] = NAN;
    assert_ok(pliant_body_share_positions(a.body, a.mesh.positions, 0));
    assert_int_equal(pliant_volume_intersect(test_volume, a.body, b.body, NULL, &m),
                     PLIANT_ERROR_NOT_FINITE);
    assert_true(m.volume == 42.0);
    a.mesh.positions[100] = saved;
    assert_ok(pliant_body_share_positions(a.body, a.mesh.positions, 0));
    m = intersect_solids(&a, &b, NULL);
    check_volume_range("again", &m, test_solid_common_volume(&a.mesh, &b.mesh), 1e-9);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

/* A backend that finds nothing, at first and after others have filled the lists. */
static pliant_result find_nothing(void *user, const pliant_backend_triangles *triangles,
                                  pliant_backend_crossings *crossings)
{
    *(size_t *)user += triangles->count;
    *crossings = (pliant_backend_crossings){.count = 0};
    return PLIANT_OK;
}

/* A volume that alone keeps its backend. */
static pliant_volume *create_by_backend(const pliant_volume_backend_def *backend_def)
{
    pliant_volume_def def = pliant_volume_def_default();
    pliant_volume_backend *backend = NULL;
    pliant_volume *volume = NULL;
    assert_ok(pliant_volume_backend_create(test_context, backend_def, &backend));
    def.backend = backend;
    assert_ok(pliant_volume_create(test_context, &def, &volume));
    pliant_volume_backend_destroy(backend);
    return volume;
}

/* A backend whose crossings are all out of range, or that fails. */
static pliant_result find_elsewhere(void *user, const pliant_backend_triangles *triangles,
                                    pliant_backend_crossings *crossings)
{
    static const uint32_t pixels[4] = {UINT32_MAX, 0, 0, 1 << 24}, places[4] = {0, UINT32_MAX};
    static const float depths[4] = {0.5f, NAN, -1.0f, 2.0f};
    if (triangles->columns == 0 || triangles->rows == 0 || *(bool *)user) {
        return pliant_fail(PLIANT_ERROR_STATE, "the driver has gone");
    }
    *crossings = (pliant_backend_crossings){pixels, depths, places, 2};
    return PLIANT_OK;
}

static void test_backend_that_errs(void **state)
{
    (void)state;
    bool fails = false;
    pliant_volume_backend_def def = pliant_volume_backend_def_default();
    def.name = "odd";
    def.user = &fails;
    def.cross = find_elsewhere;
    pliant_volume *volume = create_by_backend(&def);
    test_place here = place_at(0, 0, 0), there = place_at(1.25, 0.5, -0.75);
    test_solid a = test_solid_create(test_context, test_solid_box(&here));
    test_solid b = test_solid_create(test_context, test_solid_box(&there));
    pliant_volume_measure m = {.volume = 42.0};
    assert_ok(pliant_volume_intersect(volume, a.body, b.body, NULL, &m));
    assert_true(m.volume == 0.0);
    pliant_volume_destroy(volume);
    fails = true;
    m.volume = 42.0;
    volume = create_by_backend(&def);
    assert_int_equal(pliant_volume_intersect(volume, a.body, b.body, NULL, &m), PLIANT_ERROR_STATE);
    assert_string_equal(pliant_last_error(), "odd: the driver has gone");
    assert_true(m.volume == 42.0);
    pliant_volume_destroy(volume);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

static void test_backend_without_crossings(void **state)
{
    (void)state;
    size_t asked = 0;
    pliant_volume_backend_def nothing = pliant_volume_backend_def_default();
    nothing.name = "nothing";
    nothing.user = &asked;
    nothing.cross = find_nothing;
    pliant_volume *volume = create_by_backend(&nothing);
    test_place here = place_at(0, 0, 0), there = place_at(1.25, 0.5, -0.75);
    test_solid a = test_solid_create(test_context, test_solid_box(&here));
    test_solid b = test_solid_create(test_context, test_solid_box(&there));
    for (int i = 0; i < 4; i++) {
        pliant_volume_options options = pliant_volume_options_default();
        options.error_bound = i % 2 != 0;
        pliant_volume_measure m;
        assert_ok(pliant_volume_intersect(volume, a.body, b.body, &options, &m));
        assert_true(m.volume == 0.0);
    }
    assert_true(asked > 0);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
    pliant_volume_destroy(volume);
}

static void test_refusals(void **state)
{
    (void)state;
    test_place here = place_at(0, 0, 0), there = place_at(0.5, 0, 0);
    gallery_mesh open = test_solid_box(&here);
    open.triangle_count--;
    test_solid a = test_solid_create(test_context, open),
               b = test_solid_create(test_context, test_solid_box(&there));
    pliant_volume_measure m = {.volume = 42.0};
    assert_int_equal(pliant_volume_intersect(test_volume, a.body, b.body, NULL, &m),
                     PLIANT_ERROR_ARGUMENT);
    assert_non_null(strstr(pliant_last_error(), "the edge from vertex"));
    assert_true(m.volume == 42.0);
    assert_int_equal(pliant_volume_measure_body(test_volume, a.body, NULL, &m),
                     PLIANT_ERROR_ARGUMENT);
    pliant_volume_options options = pliant_volume_options_default();
    options.allow_open = true;
    assert_ok(pliant_volume_intersect(test_volume, a.body, b.body, &options, &m));
    assert_ok(pliant_volume_measure_body(test_volume, a.body, &options, &m));
    assert_int_equal(pliant_volume_intersect(test_volume, b.body, b.body, NULL, &m),
                     PLIANT_ERROR_ARGUMENT);
    options.resolution = 0;
    assert_int_equal(pliant_volume_measure_body(test_volume, b.body, &options, &m),
                     PLIANT_ERROR_RANGE);
    options.resolution = 4096;
    assert_int_equal(pliant_volume_measure_body(test_volume, b.body, &options, &m),
                     PLIANT_ERROR_RANGE);
    options = volume_at_resolution(8);
    options.tag = 0;
    assert_int_equal(pliant_volume_measure_body(test_volume, b.body, &options, &m),
                     PLIANT_ERROR_ARGUMENT);
    assert_int_equal(pliant_volume_measure_body(NULL, b.body, NULL, &m), PLIANT_ERROR_ARGUMENT);
    test_solid_destroy(&a);
    test_solid_destroy(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extreme_sizes),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_backend_without_crossings),
        cmocka_unit_test(test_backend_that_errs),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, test_volume_set_up, test_volume_tear_down);
}
