/* Reduced bodies that move and touch: a world that keeps what nature keeps. */
#include <math.h>
#include <string.h>

#include "fixture.h"
#include "random.h"
#include "gallery/modal/models.h"
#include "gallery/modal/touch.h"
#include "gallery/modal/world.h"

/* A fish of a few hundred triangles, made once. */
static gallery_mesh fish_mesh;
static modal_model fish;

static int make_fish(void **state)
{
    (void)state;
    return modal_make_fish(600, &fish_mesh, &fish) ? 0 : -1;
}

static int free_fish(void **state)
{
    (void)state;
    mesh_free(&fish_mesh);
    modal_model_free(&fish);
    return 0;
}

static const modal_matrix upright = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static modal_world *make_world(const modal_model *model, modal_world_def def, uint32_t count)
{
    modal_world *world = modal_world_create(&def);
    assert_non_null(world);
    assert_int_equal(modal_world_add_shape(world, model), 0);
    for (uint32_t i = 0; i < count; i++) {
        double position[3] = {3.0 * i, 0.0, 0.0};
        assert_int_equal(modal_world_add_body(world, 0, position, &upright, false), i);
    }
    return world;
}

static double length_of(const double vector[3])
{
    return sqrt(modal_dot(vector, vector));
}

static double energy_of(const modal_totals *totals)
{
    return totals->kinetic + totals->elastic + totals->height;
}

/* Free flight: momenta stay to the last bit, energy nearly, the path is a parabola. */
static void test_free_flight(void **state)
{
    (void)state;
    modal_world_def def = modal_world_default();
    def.gravity[2] = 0.0;
    modal_world *world = make_world(&fish, def, 1);
    modal_world_set_velocity(world, 0, (const double[3]){1, 2, 3}, (const double[3]){2, 0.1, 1.5});
    modal_totals before = modal_world_totals(world);
    for (int i = 0; i < 1000; i++) {
        modal_world_step(world, NULL, 0);
        modal_totals now = modal_world_totals(world);
        for (int a = 0; a < 3; a++) {
            assert_true(fabs(now.momentum[a] - before.momentum[a]) < 1e-9);
            assert_true(fabs(now.angular[a] - before.angular[a]) <
                        1e-9 * (1.0 + length_of(before.angular)));
        }
        assert_true(fabs(energy_of(&now) / energy_of(&before) - 1.0) < 1e-3);
    }
    float transform[12];
    modal_world_state(world, 0, NULL, transform);
    assert_true(fabs((double)transform[11] - 3.0 * 1000.0 * def.time_step) < 1e-4);
    modal_world_destroy(world);
}

/* A strike gives a body its impulse, turns it about its centre, and makes it vibrate as the modes
   say; a fixed one does not notice. */
static void test_strike(void **state)
{
    (void)state;
    modal_world_def def = modal_world_default();
    def.gravity[2] = 0.0;
    modal_world *world = make_world(&fish, def, 1);
    uint32_t held = modal_world_add_body(world, 0, (const double[3]){0, 9, 0}, &upright, true);
    const double impulse[3] = {0.5, -0.25, 2.0}, arm[3] = {0.1, 0.2, -0.3};
    double turn[3];
    float coordinates[MODAL_FISH_MODES];
    modal_cross(arm, impulse, turn);
    modal_world_strike(world, 0, 7, arm, impulse);
    modal_world_strike(world, held, 7, (const double[3]){0, 9, 0}, impulse);
    modal_totals totals = modal_world_totals(world);
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(totals.momentum[a] - impulse[a]) < 1e-12);
        assert_true(fabs(totals.angular[a] - turn[a]) < 1e-12);
    }
    /* At first q grows by its rate, which is U_k . impulse. */
    modal_world_step(world, NULL, 0);
    modal_world_state(world, 0, coordinates, NULL);
    for (uint32_t m = 0; m < fish.mode_count; m++) {
        const float *u = fish.modes + 3 * ((size_t)m * fish.vertex_count + 7);
        double rate =
            (double)u[0] * impulse[0] + (double)u[1] * impulse[1] + (double)u[2] * impulse[2];
        assert_true(rate != 0.0 && (double)coordinates[m] * rate >= 0.0);
    }
    modal_world_state(world, held, coordinates, NULL);
    assert_true(coordinates[0] == 0.0f);
    modal_world_destroy(world);
}

/* One push, and then the oscillators alone: q(n+1) = 2 e cos q(n) - e^2 q(n-1). */
static void test_vibrations_are_exact(void **state)
{
    (void)state;
    modal_world_def def = modal_world_default();
    def.gravity[2] = 0.0;
    def.strain_limit = 1e9;
    modal_world *world = make_world(&fish, def, 2);
    modal_contact contact = {.a = 0, .b = 1, .vertex_a = 5, .vertex_b = 9, .depth = 0.05f};
    contact.normal[1] = 1.0f;
    modal_world_step(world, &contact, 1);
    float q[3][3];
    modal_world_state(world, 0, q[0], NULL);
    modal_world_step(world, NULL, 0);
    modal_world_state(world, 0, q[1], NULL);
    double large = 0.0;
    for (int i = 0; i < 200; i++) {
        modal_world_step(world, NULL, 0);
        modal_world_state(world, 0, q[2], NULL);
        for (uint32_t m = 0; m < 3; m++) {
            double slow = def.modal_damping * fish.frequencies[m];
            double turning = sqrt(fish.frequencies[m] * fish.frequencies[m] - slow * slow);
            double fade = exp(-slow * def.time_step);
            double expected = 2.0 * fade * cos(turning * def.time_step) * (double)q[1][m] -
                              fade * fade * (double)q[0][m];
            large = fmax(large, fabs((double)q[2][m]));
            assert_true(fabs((double)q[2][m] - expected) < 1e-6 * large);
        }
        memcpy(q[0], q[1], sizeof q[0]);
        memcpy(q[1], q[2], sizeof q[1]);
    }
    assert_true(large > 1e-3);
    modal_world_destroy(world);
}

/* Two fish meet head on, turned at random: nothing is gained. */
static void test_collision_conserves(void **state)
{
    (void)state;
    rng random;
    rng_seed(&random, 5);
    modal_samples samples;
    assert_true(modal_sample_mesh(&fish_mesh, 0.1, 0.03, &samples));
    modal_touch touch = {0};
    uint32_t hits = 0;
    uint32_t trials = fixture_count(20);
    for (uint32_t trial = 0; trial < trials; trial++) {
        modal_world_def def = modal_world_default();
        def.gravity[2] = 0.0;
        modal_world *world = make_world(&fish, def, 0);
        for (int i = 0; i < 2; i++) {
            double side = i == 0 ? -1.0 : 1.0;
            double position[3] = {side * 1.2, rng_range(&random, -0.1, 0.1), 0.0};
            gallery_random turned = gallery_random_seed(trial, (uint64_t)i);
            modal_matrix rotation;
            gallery_random_rotation(&turned, rotation.rows);
            uint32_t body = modal_world_add_body(world, 0, position, &rotation, false);
            double spin[3] = {rng_range(&random, -1, 1), rng_range(&random, -1, 1), 0.5};
            modal_world_set_velocity(world, body, (const double[3]){-side * 2.0, 0, 0}, spin);
        }
        modal_totals before = modal_world_totals(world);
        bool hit = false;
        for (int i = 0; i < 300; i++) {
            assert_true(modal_touch_bodies(&touch, world, 0, 2, &samples));
            hit = hit || touch.contact_count > 0;
            modal_world_step(world, touch.contacts, touch.contact_count);
            modal_totals now = modal_world_totals(world);
            for (int a = 0; a < 3; a++) {
                assert_true(fabs(now.momentum[a] - before.momentum[a]) < 1e-6 * fish.mass);
                assert_true(fabs(now.angular[a] - before.angular[a]) < 1e-6 * fish.mass);
            }
            assert_true(energy_of(&now) < 1.01 * energy_of(&before));
        }
        hits += hit;
        modal_world_destroy(world);
    }
    assert_true(hits > trials / 2);
    modal_touch_free(&touch);
    modal_samples_free(&samples);
}

/* Balls of a body below z = 0 are pushed up by body `ground`. */
static void add_ground(modal_touch *touch, uint32_t ground, double radius)
{
    for (uint32_t i = 0; i < touch->ball_count; i++) {
        const modal_touch_ball *ball = &touch->balls[i];
        modal_contact contact = {.a = ball->body, .b = ground, .normal = {0, 0, 1}};
        contact.vertex_a = ball->vertex;
        contact.depth = (float)(radius - ball->centre[2]);
        contact.point[0] = (float)ball->centre[0];
        contact.point[1] = (float)ball->centre[1];
        assert_true(contact.depth <= 0.0f || modal_touch_add(touch, &contact));
    }
}

/* Fish dropped on the ground come to rest there, neither sunk nor hovering. */
static void test_resting_contact(void **state)
{
    (void)state;
    modal_model ground = {.vertex_count = 1};
    modal_samples samples;
    modal_touch touch = {0};
    assert_true(modal_sample_mesh(&fish_mesh, 0.08, 0.02, &samples));
    modal_world *world = make_world(&fish, modal_world_default(), 3);
    uint32_t shape = modal_world_add_shape(world, &ground);
    uint32_t floor = modal_world_add_body(world, shape, (const double[3]){0}, &upright, true);
    assert_int_equal(floor, 3);
    double energy = INFINITY;
    for (int i = 0; i < 1500; i++) {
        assert_true(modal_touch_bodies(&touch, world, 0, 3, &samples));
        add_ground(&touch, floor, samples.radius);
        modal_world_step(world, touch.contacts, touch.contact_count);
        if (i % 300 == 299) {
            modal_totals now = modal_world_totals(world);
            assert_true(energy_of(&now) < energy + 0.01 * fish.mass);
            energy = energy_of(&now);
        }
    }
    modal_totals totals = modal_world_totals(world);
    assert_true(totals.kinetic < 0.05 * 3.0 * fish.mass);
    for (uint32_t body = 0; body < 3; body++) {
        double lowest = INFINITY;
        for (uint32_t i = 0; i < touch.ball_count; i++) {
            double low = touch.balls[i].centre[2] - samples.radius;
            lowest = touch.balls[i].body == body ? fmin(lowest, low) : lowest;
        }
        assert_true(lowest < 0.005 && lowest > -0.1);
        float transform[12];
        modal_world_state(world, body, NULL, transform);
        assert_true(transform[11] > 0.05f && transform[11] < 0.5f);
    }
    float transform[12];
    modal_world_state(world, floor, NULL, transform);
    const float still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    assert_memory_equal(transform, still, sizeof still);
    modal_world_destroy(world);
    modal_touch_free(&touch);
    modal_samples_free(&samples);
}

/* Contacts without sense, 1,000 steps long: states stay finite, rotations rotations, and no vertex
   beyond the strain limit. */
static void run_nonsense(uint64_t seed, uint32_t count, float *states)
{
    modal_world_def def = modal_world_default();
    def.strain_limit = 0.02;
    modal_world *world = make_world(&fish, def, count);
    double limit = def.strain_limit * fish.radius, farthest = 0.0;
    rng random;
    rng_seed(&random, seed);
    modal_contact contacts[64];
    for (int step = 0; step < 1000; step++) {
        for (int i = 0; i < 64; i++) {
            modal_contact *contact = &contacts[i];
            *contact = (modal_contact){.a = (uint32_t)rng_below(&random, count)};
            contact->b = (contact->a + 1 + (uint32_t)rng_below(&random, count - 1)) % count;
            contact->vertex_a = (uint32_t)rng_below(&random, fish.vertex_count);
            contact->vertex_b = (uint32_t)rng_below(&random, fish.vertex_count);
            contact->normal[rng_below(&random, 3)] = rng_below(&random, 2) == 0 ? 1.0f : -1.0f;
            contact->depth = (float)rng_range(&random, -0.1, 0.5);
            float transform[12];
            modal_world_state(world, contact->a, NULL, transform);
            for (int a = 0; a < 3; a++) {
                contact->point[a] = transform[4 * a + 3] + (float)rng_range(&random, -0.7, 0.7);
            }
        }
        modal_world_step(world, contacts, 64);
        for (uint32_t body = 0; body < count; body++) {
            float q[3], transform[12];
            modal_world_state(world, body, q, transform);
            double reach = 0.0;
            for (int m = 0; m < 3; m++) {
                assert_true(isfinite(q[m]));
                reach += fabs((double)q[m]) * fish.largest[m];
            }
            assert_true(reach < limit * (1.0 + 1e-6));
            farthest = fmax(farthest, reach);
            for (int row = 0; row < 3; row++) {
                const float *r = transform + 4 * row;
                assert_true(isfinite(r[3]));
                assert_true(fabsf(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - 1.0f) < 1e-5f);
            }
        }
    }
    assert_true(farthest > 0.99 * limit);
    for (uint32_t body = 0; body < count; body++) {
        modal_world_state(world, body, states + 15 * (size_t)body, states + 15 * (size_t)body + 3);
    }
    modal_world_destroy(world);
}

static void test_nonsense_is_survived(void **state)
{
    (void)state;
    enum { COUNT = 10 };
    float first[COUNT * 15], again[COUNT * 15], other[COUNT * 15];
    run_nonsense(1, COUNT, first);
    run_nonsense(1, COUNT, again);
    run_nonsense(2, COUNT, other);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
}

/* A driven body goes where it is told and pushes what lies there; a stiffened world does not bend.
 */
static void test_driven_and_rigid(void **state)
{
    (void)state;
    modal_model driven = fish;
    driven.frequencies = NULL;
    driven.mass = 0.0;
    modal_world *world = make_world(&fish, modal_world_default(), 1);
    uint32_t shape = modal_world_add_shape(world, &driven);
    uint32_t body = modal_world_add_body(world, shape, (const double[3]){0, 0, 9}, &upright, true);
    const float target[3] = {0.2f, -0.1f, 0.05f};
    float q[3];
    modal_world_drive(world, body, target);
    modal_world_step(world, NULL, 0);
    modal_world_state(world, body, q, NULL);
    for (int m = 0; m < 3; m++) {
        assert_true(fabsf(q[m] - target[m]) < 1e-6f);
    }
    modal_world_step(world, NULL, 0);
    modal_world_state(world, body, q, NULL);
    assert_true(fabsf(q[0] - target[0]) < 1e-6f);
    modal_contact contact = {.a = 0, .b = body, .depth = 0.1f, .normal = {0, 0, 1}};
    modal_world_stiffen(world);
    for (int i = 0; i < 10; i++) {
        modal_world_step(world, &contact, 1);
    }
    modal_world_state(world, 0, q, NULL);
    assert_true(q[0] == 0.0f && q[1] == 0.0f && q[2] == 0.0f);
    modal_totals totals = modal_world_totals(world);
    assert_true(totals.momentum[2] > 0.0);
    modal_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_free_flight, make_fish, free_fish),
        cmocka_unit_test_setup_teardown(test_strike, make_fish, free_fish),
        cmocka_unit_test_setup_teardown(test_vibrations_are_exact, make_fish, free_fish),
        cmocka_unit_test_setup_teardown(test_collision_conserves, make_fish, free_fish),
        cmocka_unit_test_setup_teardown(test_resting_contact, make_fish, free_fish),
        cmocka_unit_test_setup_teardown(test_nonsense_is_survived, make_fish, free_fish),
        cmocka_unit_test_setup_teardown(test_driven_and_rigid, make_fish, free_fish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
