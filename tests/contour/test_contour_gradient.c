/* The gradient of the length of contours against differences, and two tangled sheets that it frees
   (Volino & Magnenat-Thalmann 2006). */
#include "contour_check.h"
#include "solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double length_of(pliant_body *a, pliant_body *b)
{
    pliant_contour_set set;
    pliant_contour_options options = pliant_contour_options_default();
    options.regions = false;
    assert_ok(b != NULL ? pliant_contours_find(test_contours, a, b, &options, &set)
                        : pliant_contours_find_self(test_contours, a, &options, &set));
    return set.length;
}

/* The derivative along a random direction of all vertices of one body. */
static void compare_with_differences(test_solid s[2], int moved, bool self, rng *r, double *worst)
{
    size_t count = 3 * (size_t)s[moved].mesh.vertex_count;
    float *gradient = malloc(count * sizeof *gradient), *p = malloc(count * sizeof *p);
    double *direction = malloc(count * sizeof *direction), expected = 0.0, size = 0.0;
    pliant_contour_set set;
    pliant_contour_options options = pliant_contour_options_default();
    options.gradients = true;
    assert_ok(self ? pliant_contours_find_self(test_contours, s[0].body, &options, &set)
                   : pliant_contours_find(test_contours, s[0].body, s[1].body, &options, &set));
    memcpy(gradient, set.gradients[moved], count * sizeof *gradient);
    for (size_t i = 0; i < count; i++) {
        direction[i] = rng_range(r, -1.0, 1.0);
        expected += direction[i] * (double)gradient[i];
        size += fabs(direction[i] * (double)gradient[i]);
    }
    double length[2], step = 0x1p-11;
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < count; i++) {
            p[i] = (float)((double)s[moved].mesh.positions[i] +
                           (k == 0 ? -step : step) * direction[i]);
        }
        assert_ok(pliant_body_set_positions(s[moved].body, p, 0));
        length[k] = length_of(s[0].body, self ? NULL : s[1].body);
    }
    assert_ok(pliant_body_set_positions(s[moved].body, s[moved].mesh.positions, 0));
    double found = (length[1] - length[0]) / (2.0 * step);
    double off = fabs(found - expected) / (size + 1e-3);
    *worst = off > *worst ? off : *worst;
    free(gradient);
    free(p);
    free(direction);
}

static void test_differences(void **state)
{
    (void)state;
    rng r;
    double worst = 0.0, sum = 0.0;
    uint32_t count = fixture_count(60);
    for (uint32_t i = 0; i < count; i++) {
        rng_seed(&r, 60000 + i);
        test_place p = place_random(&r, 0.1), q = place_at(0.8, 0.1, 0.2);
        test_solid s[2] = {test_solid_create(test_context, test_solid_sphere(320, &p)),
                           test_solid_create(test_context, test_solid_sphere(320, &q))};
        double here = 0.0;
        compare_with_differences(s, (int)(i % 2), false, &r, &here);
        worst = here > worst ? here : worst;
        sum += here;
        test_solid_destroy(&s[0]);
        test_solid_destroy(&s[1]);
    }
    print_message("off by %.4f on average, %.4f at most\n", sum / count, worst);
    assert_true(sum / count < 0.01);
    assert_true(worst < 0.2); /* steps that change which triangles cross have no derivative */
}

/* Two sheets, one of which bulges through the other in several places and at a border. */
static gallery_mesh sheet(bool bulges)
{
    gallery_mesh mesh;
    assert_true(mesh_make_sheet(24, 24, &mesh));
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        float *p = mesh.positions + 3 * (size_t)v;
        double x = (double)p[0], y = (double)p[1];
        p[2] = bulges ? (float)(0.08 - 0.2 * exp(-9.0 * ((x - 0.3) * (x - 0.3) + y * y)) -
                                0.16 * exp(-12.0 * ((x + 1.0) * (x + 1.0) + y * y)))
                      : (float)(0.003 * sin(7.0 * x) * cos(5.0 * y));
        p[0] = (float)(x * (bulges ? 0.93 : 1.0) + (bulges ? -0.021 : 0.0));
        p[1] = (float)(y * (bulges ? 0.91 : 1.0) + (bulges ? 0.013 : 0.0));
    }
    return mesh;
}

/* One step: vertices go against the gradient, by `most` at the most. */
static void step(const float *gradient, gallery_mesh *mesh, double most)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const float *g = gradient + 3 * (size_t)v;
        double length = sqrt((double)g[0] * (double)g[0] + (double)g[1] * (double)g[1] +
                             (double)g[2] * (double)g[2]);
        for (int k = 0; k < 3 && length > 0.0; k++) {
            mesh->positions[3 * (size_t)v + (size_t)k] -=
                (float)(most * (double)g[k] / (length + 0.5));
        }
    }
}

static void test_tangled_sheets_come_free(void **state)
{
    (void)state;
    test_solid s[2] = {test_solid_create(test_context, sheet(false)),
                       test_solid_create(test_context, sheet(true))};
    pliant_contour_options options = pliant_contour_options_default();
    options.gradients = true;
    options.regions = false;
    pliant_contour_set set;
    uint32_t steps = 0;
    double first = 0.0;
    for (; steps < 200; steps++) {
        assert_ok(pliant_contours_find(test_contours, s[0].body, s[1].body, &options, &set));
        first = steps == 0 ? set.length : first;
        if (set.pair_count == 0) {
            break;
        }
        for (int k = 0; k < 2; k++) {
            step(set.gradients[k], &s[k].mesh, 0.02);
        }
        for (int k = 0; k < 2; k++) {
            assert_ok(pliant_body_set_positions(s[k].body, s[k].mesh.positions, 0));
        }
    }
    print_message("contours of length %.3f are gone after %u steps\n", first, steps);
    assert_true(first > 1.0);
    assert_true(steps < 200);
    test_solid_destroy(&s[0]);
    test_solid_destroy(&s[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_tangled_sheets_come_free),
    };
    return cmocka_run_group_tests(tests, test_contours_set_up, test_contours_tear_down);
}
