/* Simulated bodies for the tests of the meshless simulator. */
#ifndef PLIANT_TESTS_ELASTIC_FIXTURE_H
#define PLIANT_TESTS_ELASTIC_FIXTURE_H

#include "fixture.h"
#include "random.h"
#include "gallery/meshless/bodies.h"

/* A simulated body, with all that it needs. */
typedef struct elastic_fixture {
    node_cloud nodes;
    elastic_shape shape;
    elastic_world *world;
} elastic_fixture;

/* One or two bodies at the origin, into a fixture that must stay where it is. */
void elastic_make(elastic_fixture *made, const implicit_solid *solid, uint32_t node_count,
                  const elastic_material *material, uint32_t body_count);

void elastic_free(elastic_fixture *made);

/* Moves all nodes at random, by at most `size` on each axis, and gives them random velocities. */
void elastic_shake(elastic_world *world, rng *random, double size, double speed);

#endif
