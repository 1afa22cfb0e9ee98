/* Volumes of real meshes, against sums of tetrahedra and of solid angles. */
#include "real_mesh.h"

#include <math.h>
#include <string.h>

/* An open mesh would be refused, by the name of an edge. These are closed, and stay so. */
static void check_closed(const test_solid *solid, const char *name)
{
    if (!pliant_shape_is_closed(solid->shape)) {
        pliant_volume_measure m;
        (void)pliant_volume_measure_body(test_volume, solid->body, NULL, &m);
        fail_msg("%s: %s", name, pliant_last_error());
    }
}

/* None of them cuts through itself, so the sum of signed tetrahedra is the volume. */
static void check_volume(const test_solid *solid, const char *name)
{
    double truth = fabs(test_solid_volume(&solid->mesh));
    double error = (double)INFINITY, first = 0.0;
    for (uint32_t resolution = 32; resolution <= 256; resolution *= 2) {
        pliant_volume_options options = pliant_volume_options_default();
        options.resolution = resolution;
        pliant_volume_measure m;
        assert_ok(pliant_volume_measure_body(test_volume, solid->body, &options, &m));
        assert_int_equal(m.open_rays, 0);
        if (!(m.least <= truth && truth <= m.most) || !(m.error < error)) {
            fail_msg("%s, %u rays a side: %g is not between %g and %g, or %g is not below %g", name,
                     resolution, truth, m.least, m.most, m.error, error);
        }
        error = m.error;
        first = resolution == 32 ? error : first;
    }
    assert_true(error < 0.25 * first); /* in proportion to a pixel it would be an eighth */
}

static void check_points(const test_solid *solid, const char *name, uint64_t seed)
{
    enum { MOST = 400 };
    float points[MOST][3];
    pliant_volume_point answers[MOST];
    pliant_volume_sampling sampling;
    rng r;
    rng_seed(&r, seed);
    /* Of large meshes fewer, so that all take about as long. */
    uint32_t count = fixture_count(4000000 / solid->mesh.triangle_count);
    count = count < MOST ? count : MOST;
    for (uint32_t i = 0; i < 3 * count; i++) {
        points[i / 3][i % 3] = (float)rng_range(&r, -0.9, 0.9);
    }
    assert_ok(pliant_volume_locate_points(test_volume, solid->body, points[0], count, 0, NULL,
                                          answers, &sampling));
    uint32_t judged = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (test_solid_distance(&solid->mesh, points[i]) > sampling.error) {
            int expected = test_solid_winding(&solid->mesh, points[i]);
            if (answers[i].winding != expected) {
                fail_msg("%s, point %u: winding %d instead of %d", name, i, answers[i].winding,
                         expected);
            }
            judged++;
        }
    }
    assert_true(2 * judged > count);
}

static void test_real_meshes(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < REAL_KINDS; kind++) {
        gallery_mesh mesh;
        if (!real_mesh_load(test_context, (real_kind)kind, &mesh)) {
            continue;
        }
        const char *name = real_mesh_name((real_kind)kind);
        test_solid solid = test_solid_create(test_context, mesh);
        check_closed(&solid, name);
        check_volume(&solid, name);
        check_points(&solid, name, kind);
        test_solid_destroy(&solid);
    }
    real_mesh_skip_missing();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_meshes),
    };
    return cmocka_run_group_tests(tests, test_volume_set_up, test_volume_tear_down);
}
