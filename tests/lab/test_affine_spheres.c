/* Spheres that follow the affine part of a deformation: they hold every vertex, and parts that only
   turn or stretch are bounded exactly. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "skipping.h"

#include "lab/harness/affine_spheres.h"

#define VERTICES 40
#define MODES    3

/* Numbers from -1 to 1. */
static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

typedef struct deformed_set {
    float rest[3 * VERTICES], fields[MODES][3 * VERTICES];
    uint32_t vertices[VERTICES];
    affine_set set;
    double radius;
} deformed_set;

/* Random vertices, in a plane if asked for, and fields that are affine up to `noise`. */
static void make_set(uint64_t seed, bool flat, double noise, deformed_set *d)
{
    double gradients[MODES][3][3];
    for (int i = 0; i < 9 * MODES; i++) {
        gradients[i / 9][i / 3 % 3][i % 3] = draw(&seed);
    }
    d->radius = 0.0;
    d->set = (affine_set){d->rest, d->vertices, VERTICES, {0.25, -0.5, 0.125}};
    for (uint32_t v = 0; v < VERTICES; v++) {
        double square = 0.0;
        d->vertices[v] = v;
        for (uint32_t k = 0; k < 3; k++) {
            d->rest[3 * v + k] = flat && k == 2 ? 0.0f : (float)draw(&seed);
            square += pow((double)d->rest[3 * v + k] - d->set.centre[k], 2.0);
        }
        d->radius = fmax(d->radius, sqrt(square));
        for (uint32_t i = 0; i < 3 * MODES; i++) {
            double value = 0.5 + noise * draw(&seed);
            for (uint32_t k = 0; k < 3; k++) {
                value += gradients[i / 3][i % 3][k] * (double)d->rest[3 * v + k];
            }
            d->fields[i / 3][3 * v + i % 3] = (float)value;
        }
    }
}

/* The smallest radius about any centre is at least half of the largest distance of two vertices. */
static double half_extent(const deformed_set *d, const float *q)
{
    double most = 0.0;
    for (uint32_t v = 0; v < VERTICES; v++) {
        for (uint32_t w = 0; w < v; w++) {
            double square = 0.0;
            for (uint32_t k = 0; k < 3; k++) {
                double off = (double)d->rest[3 * v + k] - (double)d->rest[3 * w + k];
                for (uint32_t m = 0; m < MODES; m++) {
                    off += (double)q[m] *
                           ((double)d->fields[m][3 * v + k] - (double)d->fields[m][3 * w + k]);
                }
                square += off * off;
            }
            most = fmax(most, 0.5 * sqrt(square));
        }
    }
    return most;
}

static void test_radius_holds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        deformed_set d;
        affine_mode modes[MODES];
        uint64_t random = seed;
        float q[MODES];
        make_set(seed, seed % 3 == 0, seed % 2 == 0 ? 0.3 : 0.0, &d);
        for (int m = 0; m < MODES; m++) {
            affine_mode_fit(&d.set, d.fields[m], &modes[m]);
            q[m] = (float)(3.0 * draw(&random));
        }
        assert_true(affine_radius(modes, q, MODES, d.radius) >= half_extent(&d, q) * (1.0 - 1e-6));
    }
}

/* A field that is affine leaves next to nothing over. */
static void test_affine_fields_fit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        deformed_set d;
        affine_mode mode;
        make_set(seed, false, 0.0, &d);
        affine_mode_fit(&d.set, d.fields[0], &mode);
        assert_true(mode.residual < 1e-4);
    }
}

/* A stretch by known factors, turned or not, and one to a point. */
static void test_norm(void **state)
{
    (void)state;
    const float one = 1.0f;
    affine_mode stretch = {.gradient = {{1, 0, 0}, {0, 2, 0}, {0, 0, -0.5}}};
    affine_mode turn = {.gradient = {{-1, -1, 0}, {1, -1, 0}, {0, 0, 0}}};
    affine_mode point = {.gradient = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, .residual = 0.25};
    assert_true(fabs(affine_radius(&stretch, &one, 1, 2.0) - 6.0) < 1e-12);
    assert_true(fabs(affine_radius(&turn, &one, 1, 2.0) - 2.0) < 1e-12);
    assert_true(fabs(affine_radius(&point, &one, 1, 2.0) - 0.25) < 1e-12);
    assert_true(fabs(affine_radius(NULL, NULL, 0, 2.0) - 2.0) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radius_holds),
        cmocka_unit_test(test_affine_fields_fit),
        cmocka_unit_test(test_norm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
