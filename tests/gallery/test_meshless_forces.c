/* The meshless simulator is exact where the method is exact: gradients of affine motions, nothing
   for rigid ones, forces that are the gradient of the energy, transforms of nodes. */
#include "elastic_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gallery/meshless/solids.h"

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

static void test_gradients_are_exact_for_affine_motions(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    elastic_fixture made;
    elastic_make(&made, &solid_santa, 115, &material, 1);
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
    elastic_free(&made);
}

static void test_rigid_motion_costs_nothing(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    elastic_fixture made;
    elastic_make(&made, &solid_santa, 115, &material, 1);
    gallery_random random = gallery_random_seed(3, 0);
    for (uint32_t k = 0; k < fixture_count(50) + 2; k++) {
        double rotation[3][3];
        const double offset[3] = {1.0, -2.0, 0.5};
        gallery_random_rotation(&random, rotation);
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
    elastic_free(&made);
}

/* Forces are minus the derivative of the energy by the places, whatever the deformation. */
static void test_forces_are_the_gradient_of_the_energy(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    elastic_fixture made;
    elastic_make(&made, &solid_santa, 60, &material, 1);
    elastic_world *world = made.world;
    rng random;
    rng_seed(&random, 5);
    elastic_shake(world, &random, 0.08, 0.0);
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
    elastic_free(&made);
}

static void test_transforms_take_nodes_to_their_places(void **state)
{
    (void)state;
    elastic_material material = elastic_material_default();
    elastic_fixture made;
    elastic_make(&made, &solid_fish, 96, &material, 2);
    rng random;
    rng_seed(&random, 13);
    elastic_shake(made.world, &random, 0.05, 0.0);
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
    elastic_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_are_exact_for_affine_motions),
        cmocka_unit_test(test_rigid_motion_costs_nothing),
        cmocka_unit_test(test_forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(test_transforms_take_nodes_to_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
