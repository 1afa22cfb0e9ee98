/*
 * The OpenGL backend, both methods, by the same measure as the processor: closed bodies have even
 * rays, the truth lies in the range, points are inside where they should be. Skipped where there is
 * no OpenGL.
 */
#include "solid.h"

#include "pliant/gl.h"
#include "volume/volume.h"

#include <math.h>
#include <stdlib.h>

typedef struct drawn {
    pliant_volume_backend *backend;
    pliant_volume *volume;
} drawn;

static const pliant_gl_method methods[2] = {PLIANT_GL_STENCIL, PLIANT_GL_LISTS};

/* A volume that is drawn; false, after saying why, where that cannot be. */
static bool create(pliant_gl_method method, drawn *d)
{
    pliant_gl_def def = pliant_gl_def_default();
    def.method = method;
    if (pliant_gl_create(test_context, &def, &d->backend) != PLIANT_OK) {
        print_message("no OpenGL: %s\n", pliant_last_error());
        return false;
    }
    assert_int_equal(pliant_gl_get_method(d->backend), method);
    assert_true(pliant_gl_get_renderer(d->backend)[0] != '\0');
    pliant_volume_def volume_def = pliant_volume_def_default();
    volume_def.backend = d->backend;
    assert_ok(pliant_volume_create(test_context, &volume_def, &d->volume));
    return true;
}

/* The volume keeps its backend. */
static void destroy(drawn *d)
{
    pliant_gl_destroy(d->backend);
    pliant_volume_destroy(d->volume);
}

static gallery_mesh mesh_number(uint32_t i, const test_place *place)
{
    return i % 3 == 0   ? test_solid_box(place)
           : i % 3 == 1 ? test_solid_sphere(1280, place)
                        : test_solid_torus(16, 32, 0.45, place);
}

static void test_even_rays(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        drawn d;
        if (!create(methods[method], &d)) {
            continue;
        }
        for (uint32_t i = 0; i < 9; i++) {
            rng r;
            rng_seed(&r, 300 + i);
            test_place place = place_random(&r, 1.0);
            test_solid solid = test_solid_create(test_context, mesh_number(i, &place));
            pliant_volume_options options = pliant_volume_options_default();
            options.resolution = i % 2 ? 128 : 100;
            options.cull = false;
            pliant_volume_measure m;
            assert_ok(pliant_volume_measure_body(d.volume, solid.body, &options, &m));
            assert_int_equal(m.open_rays, 0);
            double truth = test_solid_volume(&solid.mesh);
            assert_true(m.least <= truth && truth <= m.most);
            assert_true(fabs(m.volume - truth) < 0.01 * truth);
            test_solid_destroy(&solid);
        }
        destroy(&d);
    }
}

/* Overlaps: the truth lies in the range, and the processor says nearly the same. */
static void test_pairs(void **state)
{
    (void)state;
    pliant_volume *volume;
    assert_ok(pliant_volume_create(test_context, NULL, &volume));
    for (int method = 0; method < 2; method++) {
        drawn d;
        if (!create(methods[method], &d)) {
            continue;
        }
        uint32_t count = fixture_count(30);
        for (uint32_t i = 0; i < count; i++) {
            rng r;
            rng_seed(&r, 400 + i);
            test_place first = place_random(&r, 0.7), second = place_random(&r, 0.7);
            gallery_mesh convex = test_solid_box(&second), mesh = mesh_number(i, &first);
            double truth = test_solid_common_volume(&mesh, &convex);
            test_solid a = test_solid_create(test_context, mesh),
                       b = test_solid_create(test_context, convex);
            pliant_volume_options options = pliant_volume_options_default();
            options.resolution = 64;
            options.gradients = true;
            pliant_volume_measure m, own;
            assert_ok(pliant_volume_intersect(d.volume, a.body, b.body, &options, &m));
            assert_ok(pliant_volume_intersect(volume, a.body, b.body, &options, &own));
            assert_true(m.least <= truth + 1e-9 && truth <= m.most + 1e-9);
            assert_true(fabs(m.volume - own.volume) <= 1e-3 * own.volume + 1e-6);
            /* Triangles are the right ones: pushing as a whole is the same. */
            for (int k = 0; k < 3; k++) {
                double sum[2] = {0, 0}, size = 0.0;
                for (uint32_t v = 0; v < own.vertex_count[0]; v++) {
                    sum[0] += (double)own.vertices[0][v].gradient[k];
                    size += fabs((double)own.vertices[0][v].gradient[k]);
                }
                for (uint32_t v = 0; v < m.vertex_count[0]; v++) {
                    sum[1] += (double)m.vertices[0][v].gradient[k];
                }
                assert_true(fabs(sum[0] - sum[1]) < 0.05 * size + 1e-3);
            }
            test_solid_destroy(&a);
            test_solid_destroy(&b);
        }
        destroy(&d);
    }
    pliant_volume_destroy(volume);
}

static void test_points(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    for (int method = 0; method < 2; method++) {
        drawn d;
        if (!create(methods[method], &d)) {
            continue;
        }
        rng r;
        rng_seed(&r, 500);
        test_place place = place_random(&r, 1.0);
        test_solid solid = test_solid_create(test_context, test_solid_torus(16, 32, 0.45, &place));
        static float points[COUNT][3];
        static pliant_volume_point answers[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            for (int k = 0; k < 3; k++) {
                points[i][k] = (float)(place.translation[k] + rng_range(&r, -1.5, 1.5));
            }
        }
        pliant_volume_sampling sampling;
        assert_ok(pliant_volume_locate_points(d.volume, solid.body, points[0], COUNT, 0, NULL,
                                              answers, &sampling));
        uint32_t inside = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            if (test_solid_distance(&solid.mesh, points[i]) > sampling.error) {
                assert_int_equal(answers[i].winding, test_solid_winding(&solid.mesh, points[i]));
                inside += answers[i].winding != 0;
            }
        }
        assert_true(inside > 10);
        test_solid_destroy(&solid);
        destroy(&d);
    }
}

/* Many layers: a stack of thin boxes, as one body. */
static void test_layers(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        drawn d;
        if (!create(methods[method], &d)) {
            continue;
        }
        test_place place = place_at(0, 0, 0);
        place.scale[2] = 0.002;
        gallery_mesh stack = test_solid_box(&place);
        for (int i = 1; i < 20; i++) {
            place.translation[2] = 0.01 * i;
            gallery_mesh more = test_solid_box(&place);
            test_solid_join(&stack, &more);
        }
        test_solid solid = test_solid_create(test_context, stack);
        pliant_volume_measure m;
        assert_ok(pliant_volume_measure_body(d.volume, solid.body, NULL, &m));
        assert_int_equal(pliant_volume_get_stats(d.volume)->depth_complexity[0], 40);
        double truth = test_solid_volume(&solid.mesh);
        assert_true(fabs(m.volume - truth) < 0.01 * truth);
        test_solid_destroy(&solid);
        destroy(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_rays),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_layers),
    };
    return cmocka_run_group_tests(tests, test_context_set_up, test_context_tear_down);
}
