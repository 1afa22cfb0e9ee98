/*
 * The meshless simulator: exact where the method is exact, and true to the laws of mechanics; and
 * the nodes and surfaces of its bodies, which have the numbers of the paper's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "random.h"
#include "scenes/figure.h"
#include "scenes/meshless/bodies.h"
#include "scenes/meshless/ring.h"
#include "scenes/meshless/solids.h"

/* A beam along x: three by one by one half. */
static double beam_value(const double point[3])
{
    double x = fabs(point[0]) - 1.5, y = fabs(point[1]) - 0.25, z = fabs(point[2]) - 0.25;
    return fmax(x, fmax(y, z));
}

static const implicit_solid beam = {
    .value = beam_value, .lower = {-1.6, -0.4, -0.4}, .upper = {1.6, 0.4, 0.4}, .finest = 0.1};

/* A simulated body, with all that it needs. */
typedef struct elastic_fixture {
    node_cloud nodes;
    elastic_shape shape;
    elastic_world *world;
} elastic_fixture;

/* One or two bodies at the origin, into a fixture that must stay where it is. */
static void make_bodies(elastic_fixture *made, const implicit_solid *solid, uint32_t node_count,
                        const elastic_material *material, uint32_t body_count)
{
    assert_true(nodes_fill(solid, node_count, 1, &made->nodes));
    assert_true(elastic_shape_create(&made->nodes, material, &made->shape));
    made->world = elastic_world_create(&made->shape, body_count);
    assert_non_null(made->world);
}

static void free_bodies(elastic_fixture *made)
{
    elastic_world_destroy(made->world);
    elastic_shape_free(&made->shape);
    nodes_free(&made->nodes);
}

/* Moves all nodes of a world by an affine map of their rest places. */
static void move_affinely(elastic_world *world, double map[3][3], const double offset[3])
{
    const node_cloud *nodes = world->shape->nodes;
    for (uint32_t i = 0; i < nodes->count; i++) {
        for (int row = 0; row < 3; row++) {
            const double *x = nodes->points[i];
            world->positions[i][row] =
                map[row][0] * x[0] + map[row][1] * x[1] + map[row][2] * x[2] + offset[row];
        }
    }
}

/* Moves all nodes at random, by at most `size` on each axis, and gives them random velocities. */
static void shake(elastic_world *world, rng *random, double size, double speed)
{
    for (uint32_t i = 0; i < world->node_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            world->positions[i][axis] += rng_range(random, -size, size);
            world->velocities[i][axis] = rng_range(random, -speed, speed);
        }
    }
}

static void test_gradients_are_exact_for_affine_motions(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    elastic_fixture made;
    make_bodies(&made, &solid_santa, 115, &material, 1);
    rng random;
    rng_seed(&random, 1);
    for (uint32_t k = 0; k < fixture_count(50) + 2; k++) {
        double map[3][3], offset[3];
        for (int i = 0; i < 9; i++) {
            map[i / 3][i % 3] = rng_range(&random, -2.0, 2.0);
            offset[i % 3] = rng_range(&random, -5.0, 5.0);
        }
        move_affinely(made.world, map, offset);
        elastic_update(made.world);
        for (uint32_t node = 0; node < made.nodes.count; node++) {
            for (int i = 0; i < 9; i++) {
                double found = made.world->gradients[node][i / 3][i % 3];
                assert_true(fabs(found - map[i / 3][i % 3]) < 1e-11);
            }
        }
    }
    free_bodies(&made);
}

static void test_rigid_motion_costs_nothing(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    elastic_fixture made;
    make_bodies(&made, &solid_santa, 115, &material, 1);
    scene_random random = scene_random_seed(3, 0);
    for (uint32_t k = 0; k < fixture_count(50) + 2; k++) {
        double rotation[3][3];
        const double offset[3] = {1.0, -2.0, 0.5};
        scene_random_rotation(&random, rotation);
        move_affinely(made.world, rotation, offset);
        elastic_update(made.world);
        assert_true(made.world->elastic_energy < 1e-20);
        for (uint32_t node = 0; node < made.nodes.count; node++) {
            for (int axis = 0; axis < 3; axis++) {
                assert_true(fabs(made.world->inner[node][axis]) < 1e-10);
            }
        }
    }
    /* And a stretch does cost something, or the test would show nothing. */
    double stretch[3][3] = {{1.01, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    move_affinely(made.world, stretch, (const double[3]){0, 0, 0});
    elastic_update(made.world);
    assert_true(made.world->elastic_energy > 1e-4);
    free_bodies(&made);
}

/* Forces are minus the derivative of the energy by the places, whatever the deformation. */
static void test_forces_are_the_gradient_of_the_energy(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    elastic_fixture made;
    make_bodies(&made, &solid_santa, 60, &material, 1);
    elastic_world *world = made.world;
    rng random;
    rng_seed(&random, 5);
    shake(world, &random, 0.08, 0.0);
    elastic_update(world);
    double(*forces)[3] = malloc(world->node_count * sizeof *forces);
    assert_non_null(forces);
    memcpy(forces, world->inner, world->node_count * sizeof *forces);
    double largest = 0.0;
    for (uint32_t i = 0; i < world->node_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const double small = 1e-5;
            double place = world->positions[i][axis];
            world->positions[i][axis] = place + small;
            elastic_update(world);
            double more = world->elastic_energy;
            world->positions[i][axis] = place - small;
            elastic_update(world);
            double less = world->elastic_energy;
            world->positions[i][axis] = place;
            assert_true(fabs(forces[i][axis] + (more - less) / (2.0 * small)) < 1e-5);
            largest = fmax(largest, fabs(forces[i][axis]));
        }
    }
    assert_true(largest > 0.1);
    free(forces);
    free_bodies(&made);
}

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
    make_bodies(&made, &solid_santa, 80, &material, 1);
    rng random;
    rng_seed(&random, 7);
    shake(made.world, &random, 0.02, 1.0);
    double momentum[2][3], spin[2][3];
    measure_momentum(made.world, momentum[0], spin[0]);
    elastic_advance(made.world, 1.0);
    measure_momentum(made.world, momentum[1], spin[1]);
    for (int axis = 0; axis < 3; axis++) {
        assert_true(fabs(momentum[1][axis] - momentum[0][axis]) < 1e-12);
        assert_true(fabs(spin[1][axis] - spin[0][axis]) < 1e-4);
    }
    assert_true(made.world->step_count > 50);
    free_bodies(&made);
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
        make_bodies(&made, &solid_santa, 80, &material, 1);
        rng random;
        rng_seed(&random, 9);
        shake(made.world, &random, 0.03, 1.0);
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
        free_bodies(&made);
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
    make_bodies(made, &beam, node_count, &material, 1);
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
        free_bodies(&fine);
    }
    gravity = 0.1;
    elastic_advance(coarse.world, 20.0);
    assert_true(sag_of(coarse.world) > 1.5 * sag && sag_of(coarse.world) < 2.2 * sag);
    gravity = 0.0;
    elastic_advance(coarse.world, 30.0);
    assert_true(fabs(sag_of(coarse.world)) < 0.01 * sag);
    free_bodies(&coarse);
}

/* A step that is far too long at first is repeated until it is short enough. */
static void test_steps_adapt(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    elastic_fixture made;
    make_bodies(&made, &beam, 60, &material, 1);
    rng random;
    rng_seed(&random, 11);
    shake(made.world, &random, 0.03, 1.0);
    elastic_update(made.world);
    double first = energy_of(made.world);
    made.world->longest_step = made.world->step = 5.0;
    elastic_advance(made.world, 5.0);
    assert_true(made.world->repeat_count > 5);
    assert_true(made.world->step_count > 100);
    assert_true(energy_of(made.world) < first);
    assert_true(fabs(made.world->time - 5.0) < 1e-12);
    free_bodies(&made);
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
    make_bodies(&made, &beam, 90, &material, 1);
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
    free_bodies(&made);
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
    make_bodies(&made, &beam, 60, &material, 2);
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
    free_bodies(&made);
}

static void test_transforms_take_nodes_to_their_places(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    elastic_fixture made;
    make_bodies(&made, &solid_fish, 96, &material, 2);
    rng random;
    rng_seed(&random, 13);
    shake(made.world, &random, 0.05, 0.0);
    elastic_update(made.world);
    for (uint32_t body = 0; body < 2; body++) {
        for (uint32_t node = 0; node < made.nodes.count; node++) {
            float t[12];
            const double *rest = made.nodes.points[node];
            uint32_t index = made.world->starts[body] + node;
            elastic_transform(made.world, body, node, t);
            for (int row = 0; row < 3; row++) {
                double place = (double)t[4 * row + 3];
                for (int column = 0; column < 3; column++) {
                    place += (double)t[4 * row + column] * rest[column];
                    assert_true(fabs((double)t[4 * row + column] -
                                     made.world->gradients[index][row][column]) < 1e-6);
                }
                assert_true(fabs(place - made.world->positions[index][row]) < 1e-5);
            }
        }
    }
    free_bodies(&made);
}

static void check_cloud(const implicit_solid *solid, uint32_t count)
{
    node_cloud nodes;
    assert_true(nodes_fill(solid, count, 1, &nodes));
    assert_int_equal(nodes.count, count);
    double volume = 0.0, nearest = 1e9;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(solid->value(nodes.points[i]) < 0.0);
        assert_true(nodes.starts[i + 1] - nodes.starts[i] >= 6);
        assert_true(nodes.volumes[i] > 0.0);
        volume += nodes.volumes[i];
        for (uint32_t j = 0; j < i; j++) {
            double square = 0.0;
            for (int axis = 0; axis < 3; axis++) {
                double d = nodes.points[i][axis] - nodes.points[j][axis];
                square += d * d;
            }
            nearest = fmin(nearest, sqrt(square));
        }
    }
    /* Evenly spread: no two nodes are near each other. */
    assert_true(nearest > 0.45 * nodes_cube_root(volume / count));
    nodes_free(&nodes);
}

static void test_nodes_fill_solids(void **state)
{
    (void)state;
    static const uint32_t brain_counts[] = {65, 225, 509};
    check_cloud(&solid_santa, RING_FEW_NODES);
    check_cloud(&solid_santa, fixture_scale() < 0.5 ? 200 : RING_MANY_NODES);
    check_cloud(&solid_fish, 96);
    for (uint32_t i = 0; i < (fixture_scale() < 0.5 ? 2 : 3); i++) {
        check_cloud(&solid_brain, brain_counts[i]);
    }
}

/* The volume of a solid, by counting points of a grid that are inside. */
static double volume_of(const implicit_solid *solid)
{
    const double spacing = 0.025;
    double volume = 0.0, point[3];
    for (point[0] = solid->lower[0]; point[0] < solid->upper[0]; point[0] += spacing) {
        for (point[1] = solid->lower[1]; point[1] < solid->upper[1]; point[1] += spacing) {
            for (point[2] = solid->lower[2]; point[2] < solid->upper[2]; point[2] += spacing) {
                volume += solid->value(point) < 0.0 ? spacing * spacing * spacing : 0.0;
            }
        }
    }
    return volume;
}

static void check_surface(pliant_context *context, const implicit_solid *solid, uint32_t vertices)
{
    scene_mesh mesh;
    assert_true(surface_make_mesh(solid, vertices, &mesh));
    assert_int_equal(mesh.vertex_count, vertices);
    assert_int_equal(mesh.triangle_count, 2 * (vertices - 2)); /* no handles */
    fixture_tree tree = {PLIANT_PARTITION_BALANCED, 8, 4};
    pliant_shape *shape = fixture_shape(context, &mesh, tree);
    pliant_shape_quality quality;
    assert_ok(pliant_shape_get_quality(shape, &quality));
    assert_true(pliant_shape_is_closed(shape));
    assert_int_equal(quality.component_count, 1);
    assert_int_equal(quality.unused_vertex_count, 0);
    assert_int_equal(quality.degenerate_triangle_count, 0);
    assert_int_equal(quality.duplicate_triangle_count, 0);
    pliant_shape_destroy(shape);
    double found = 0.0, farthest = 0.0;
    for (uint32_t i = 0; i < mesh.triangle_count; i++) {
        const float *p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = mesh.positions + (size_t)3 * mesh.triangles[(size_t)3 * i + (size_t)k];
            double point[3] = {(double)p[k][0], (double)p[k][1], (double)p[k][2]};
            farthest = fmax(farthest, fabs(solid->value(point)));
        }
        for (int axis = 0; axis < 3; axis++) {
            int next = (axis + 1) % 3, last = (axis + 2) % 3;
            found += (double)p[0][axis] * ((double)p[1][next] * (double)p[2][last] -
                                           (double)p[1][last] * (double)p[2][next]);
        }
    }
    double volume = volume_of(solid);
    assert_true(found / 6.0 > 0.98 * volume && found / 6.0 < 1.02 * volume);
    assert_true(farthest < 0.06); /* steep folds are cut off by a coarse mesh */
    mesh_free(&mesh);
}

static void test_surfaces_have_the_vertices_of_the_paper(void **state)
{
    (void)state;
    bool whole = fixture_scale() >= 0.5;
    pliant_context *context = NULL;
    assert_ok(pliant_context_create(NULL, &context));
    check_surface(context, &solid_santa, 2857);
    check_surface(context, &solid_fish, 8000);
    check_surface(context, &solid_brain, 3500);
    check_surface(context, &figure_body, 5002);
    if (whole) {
        check_surface(context, &solid_santa, 45682);
        check_surface(context, &solid_brain, 29966);
        check_surface(context, &solid_brain, 145000);
    }
    pliant_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_are_exact_for_affine_motions),
        cmocka_unit_test(test_rigid_motion_costs_nothing),
        cmocka_unit_test(test_forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(test_momentum_is_conserved),
        cmocka_unit_test(test_energy_does_not_grow),
        cmocka_unit_test(test_a_beam_sags_and_returns),
        cmocka_unit_test(test_steps_adapt),
        cmocka_unit_test(test_a_ball_stops_a_body),
        cmocka_unit_test(test_bodies_do_not_pass_through_each_other),
        cmocka_unit_test(test_transforms_take_nodes_to_their_places),
        cmocka_unit_test(test_nodes_fill_solids),
        cmocka_unit_test(test_surfaces_have_the_vertices_of_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
