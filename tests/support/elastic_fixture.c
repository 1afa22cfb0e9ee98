#include "elastic_fixture.h"

void elastic_make(elastic_fixture *made, const implicit_solid *solid, uint32_t node_count,
                  const elastic_material *material, uint32_t body_count)
{
    assert_true(nodes_fill(solid, node_count, 1, &made->nodes));
    assert_true(elastic_shape_create(&made->nodes, material, &made->shape));
    made->world = elastic_world_create(&made->shape, body_count);
    assert_non_null(made->world);
}

void elastic_free(elastic_fixture *made)
{
    elastic_world_destroy(made->world);
    elastic_shape_free(&made->shape);
    nodes_free(&made->nodes);
}

void elastic_shake(elastic_world *world, rng *random, double size, double speed)
{
    for (uint32_t i = 0; i < world->node_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            world->positions[i][axis] += rng_range(random, -size, size);
            world->velocities[i][axis] = rng_range(random, -speed, speed);
        }
    }
}
