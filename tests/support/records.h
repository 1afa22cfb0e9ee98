/* Refreshed clusters outside of bodies, for the tests of kernels. */
#ifndef PLIANT_TESTS_RECORDS_H
#define PLIANT_TESTS_RECORDS_H

#include "bounds/record.h"
#include "fixture.h"

/* The sets the machine has beyond plain C; returns how many. */
int other_sets(pliant_isa sets[3]);

/* A shape and the records of all its clusters under one instruction set. */
typedef struct recorded {
    pliant_context *context;
    pliant_shape *shape;
    pli_cluster_record **record;
} recorded;

recorded record_all(const gallery_mesh *mesh, const float *positions, fixture_tree tree,
                    pliant_isa isa);
void recorded_free(recorded *r);

#endif
