/* T4: every vertex must lie inside the bound of every node above it. */
#ifndef PLIANT_TESTS_CONTAINMENT_H
#define PLIANT_TESTS_CONTAINMENT_H

#include "pliant/pliant.h"

/*
 * Puts a new body of the shape into a state, refreshes all of it under the strategy, and counts the
 * vertices that stick out of a bound above them, of a node, a cluster, a leaf or a triangle.
 */
uint64_t containment_violations(const pliant_shape *shape, pliant_update update,
                                const float *positions);

/* The same for a body in the state it is in; also counts vertices that a refreshed cluster has
   otherwise than pliant_body_evaluate(). */
uint64_t containment_of_body(pliant_body *body);

/* The same for nodes alone: what their boxes and spheres leave out. */
uint64_t containment_of_nodes(pliant_body *body);

#endif
