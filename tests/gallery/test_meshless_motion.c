/* The meshless simulator is true to the laws of mechanics: momentum, energy, a beam's own weight,
   obstacles and other bodies. */
#include "elastic_fixture.h"

#include <math.h>
#include <string.h>

#include "gallery/meshless/solids.h"

/* A beam along x: three by one half by one half. */
static double beam_value(const double point[3])
{
    double x = fabs(point[0]) - 1.5, y = fabs(point[1]) - 0.25, z = fabs(point[2]) - 0.25;
    return fmax(x, fmax(y, z));
}

static const implicit_solid beam = {
    .value = beam_value, .lower = {-1.6, -0.4, -0.4}, .upper = {1.6, 0.4, 0.4}, .finest = 0.1};

/* Momentum, and momentum of rotation about the origin. */
static void measure_momentum(const elastic_world *world, double momentum[3], double spin[3])
{
    memset(momentum, 0, 3 * sizeof *momentum);
    memset(spin, 0, 3 * sizeof *spin);
    for (uint32_t i = 0; i < world->node_count; i++) {
        double mass = world->shape->masses[i];
        const double *x = world->positions[i], *v = world->velocities[i];
        for (int axis = 0; axis < 3; axis++) {
            int next = (axis + 1) % 3, last = (axis + 2) % 3;
            momentum[axis] += mass * v[axis];
            spin[axis] += mass * (x[next] * v[last] - x[last] * v[next]);
        }
    }
}

static void check_momentum(double viscosity)
{
    elastic_material material = elastic_material_default();
    material.drag = 0.0;
    material.viscosity = viscosity;
    elastic_fixture made;
    elastic_make(&made, &solid_santa, 80, &material, 1);
    rng random;
    rng_seed(&random, 7);
    elastic_shake(made.world, &random, 0.02, 1.0);
    double momentum[2][3], spin[2][3];
    measure_momentum(made.world, momentum[0], spin[0]);
    elastic_advance(made.world, 1.0);
    measure_momentum(made.world, momentum[1], spin[1]);
    for (int axis = 0; axis < 3; axis++) {
        assert_true(fabs(momentum[1][axis] - momentum[0][axis]) < 1e-12);
        assert_true(fabs(spin[1][axis] - spin[0][axis]) < 1e-4);
    }
    assert_true(made.world->step_count > 50);
    elastic_free(&made);
}

static void test_momentum_is_conserved(void **state)
{
    (void)state;
    check_momentum(0.0);
    check_momentum(0.5);
}

static double energy_of(const elastic_world *world)
{
    return world->elastic_energy + elastic_kinetic_energy(world);
}

static void test_energy_does_not_grow(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        elastic_material material = elastic_material_default();
        material.drag = damped ? 0.2 : 0.0;
        material.viscosity = damped ? 0.5 : 0.0;
        elastic_fixture made;
        elastic_make(&made, &solid_santa, 80, &material, 1);
        rng random;
        rng_seed(&random, 9);
        elastic_shake(made.world, &random, 0.03, 1.0);
        elastic_update(made.world);
        double first = energy_of(made.world), before = first;
        for (int k = 0; k < 20; k++) {
            elastic_advance(made.world, 0.1);
            double after = energy_of(made.world);
            assert_true(after < 1.02 * before);
            before = after;
        }
        /* Without damping it is kept as well; with damping most of it has gone. */
        assert_true(before < 1.05 * first);
        assert_true(damped ? before < 0.7 * first : before > 0.9 * first);
        elastic_free(&made);
    }
}

/* Holds one end of a beam; the rest has a weight, for a while. */
static void hold_and_weigh(void *user, const elastic_world *world, double (*forces)[3])
{
    const double *gravity = user;
    static const double still[3] = {0.0, 0.0, 0.0};
    const node_cloud *nodes = world->shape->nodes;
    bodies_add_gravity(world, *gravity, forces);
    for (uint32_t node = 0; node < nodes->count; node++) {
        if (nodes->points[node][0] < -1.1) {
            bodies_add_target(world, 0, node, nodes->points[node], still, 2000.0, forces);
        }
    }
}

/* How much the free end of the beam is lower than at rest. */
static double sag_of(const elastic_world *world)
{
    const node_cloud *nodes = world->shape->nodes;
    double sag = 0.0, count = 0.0;
    for (uint32_t node = 0; node < nodes->count; node++) {
        if (nodes->points[node][0] > 1.2) {
            sag += nodes->points[node][2] - world->positions[node][2];
            count += 1.0;
        }
    }
    return sag / count;
}

/* How much a beam of a number of nodes sags in the end; it is left as it then is. */
static double let_sag(elastic_fixture *made, uint32_t node_count, double *gravity)
{
    elastic_material material = elastic_material_default();
    material.drag = 0.8;
    material.viscosity = 1.0;
    elastic_make(made, &beam, node_count, &material, 1);
    made->world->external = hold_and_weigh;
    made->world->user = gravity;
    elastic_advance(made->world, 20.0);
    return sag_of(made->world);
}

static void test_a_beam_sags_and_returns(void **state)
{
    (void)state;
    elastic_fixture coarse;
    double gravity = 0.05;
    double sag = let_sag(&coarse, 60, &gravity);
    /* A beam that is held at one end: w L^4 / (8 E I), by Euler and Bernoulli. Few nodes across it
       make it softer, more make it less so. */
    double length = 2.5, weight = gravity * 0.25;
    double stiffness = elastic_material_default().stiffness * 0.5 * 0.5 * 0.5 * 0.5 / 12.0;
    double theory = weight * length * length * length * length / (8.0 * stiffness);
    assert_true(sag > theory && sag < 3.0 * theory);
    if (fixture_scale() >= 0.5) {
        elastic_fixture fine;
        double fine_sag = let_sag(&fine, 300, &gravity);
        assert_true(fine_sag > theory && fine_sag < 0.85 * sag);
        elastic_free(&fine);
    }
    gravity = 0.1;
    elastic_advance(coarse.world, 20.0);
    assert_true(sag_of(coarse.world) > 1.5 * sag && sag_of(coarse.world) < 2.2 * sag);
    gravity = 0.0;
    elastic_advance(coarse.world, 30.0);
    assert_true(fabs(sag_of(coarse.world)) < 0.01 * sag);
    elastic_free(&coarse);
}

/* A step that is far too long at first is repeated until it is short enough. */
static void test_steps_adapt(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    elastic_fixture made;
    elastic_make(&made, &beam, 60, &material, 1);
    rng random;
    rng_seed(&random, 11);
    elastic_shake(made.world, &random, 0.03, 1.0);
    elastic_update(made.world);
    double first = energy_of(made.world);
    made.world->longest_step = made.world->step = 5.0;
    elastic_advance(made.world, 5.0);
    assert_true(made.world->repeat_count > 5);
    assert_true(made.world->step_count > 100);
    assert_true(energy_of(made.world) < first);
    assert_true(fabs(made.world->time - 5.0) < 1e-12);
    elastic_free(&made);
}

/* A ball under a falling beam. */
static void fall_on_ball(void *user, const elastic_world *world, double (*forces)[3])
{
    (void)user;
    bodies_add_gravity(world, 2.0, forces);
    bodies_add_ball(world, (const double[3]){0.0, 0.0, -1.5}, 1.0, 800.0, forces);
}

static void test_a_ball_stops_a_body(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    material.drag = 1.0;
    elastic_fixture made;
    elastic_make(&made, &beam, 90, &material, 1);
    made.world->external = fall_on_ball;
    elastic_advance(made.world, 2.0);
    double lowest = 10.0, ends = 0.0;
    for (uint32_t i = 0; i < made.world->node_count; i++) {
        if (fabs(made.nodes.points[i][0]) < 0.4) {
            lowest = fmin(lowest, made.world->positions[i][2]);
        }
        ends = fmin(ends, made.world->positions[i][2] - made.nodes.points[i][2]);
    }
    assert_true(lowest > -0.8); /* the ball's top is at -0.5 */
    assert_true(ends < -0.7);   /* they hang down on either side */
    elastic_free(&made);
}

/* Two beams side by side, which move towards each other. */
static void keep_apart(void *user, const elastic_world *world, double (*forces)[3])
{
    bodies_add_contact(user, world, 1.0, 800.0, forces);
}

static double mean_height(const elastic_world *world, uint32_t body)
{
    double sum = 0.0;
    for (uint32_t i = world->starts[body]; i < world->starts[body + 1]; i++) {
        sum += world->positions[i][2];
    }
    return sum / (double)(world->starts[body + 1] - world->starts[body]);
}

static void test_bodies_do_not_pass_through_each_other(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    elastic_fixture made;
    elastic_make(&made, &beam, 60, &material, 2);
    elastic_world *world = made.world;
    double sizes[60], boxes[2][2][3];
    for (int i = 0; i < 60; i++) {
        sizes[i] = 0.12;
    }
    bodies_simulation simulation = {.nodes = made.nodes, .sizes = sizes, .boxes = boxes};
    for (uint32_t i = 0; i < world->node_count; i++) {
        double side = i < world->starts[1] ? -1.0 : 1.0;
        world->positions[i][2] += 0.5 * side;
        world->velocities[i][2] = -0.6 * side;
    }
    world->external = keep_apart;
    world->user = &simulation;
    elastic_advance(world, 3.0);
    /* As ghosts they would have changed sides; as bodies they touched, and went back. */
    assert_true(mean_height(world, 0) < -0.6 && mean_height(world, 1) > 0.6);
    assert_true(fabs(mean_height(world, 0) + mean_height(world, 1)) < 0.01);
    assert_true(world->velocities[0][2] < 0.1 && world->velocities[world->starts[1]][2] > -0.1);
    elastic_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum_is_conserved),
        cmocka_unit_test(test_energy_does_not_grow),
        cmocka_unit_test(test_a_beam_sags_and_returns),
        cmocka_unit_test(test_steps_adapt),
        cmocka_unit_test(test_a_ball_stops_a_body),
        cmocka_unit_test(test_bodies_do_not_pass_through_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
