/* Influences that are given as a table, as lists. */
#ifndef PLI_MESH_SLOTS_H
#define PLI_MESH_SLOTS_H

#include "mesh/mesh.h"

/* What influence_offsets, influence_joints and influence_weights would be. */
typedef struct pli_slots {
    uint32_t *offsets, *joints;
    float *weights;
    uint32_t vertex_count;
    size_t capacity; /* of joints and weights */
} pli_slots;

/* Reads a definition's table; on failure nothing is left to release. */
pliant_result pli_slots_create(pliant_context *context, const pliant_shape_def *def,
                               pli_slots *slots);

void pli_slots_release(pliant_context *context, pli_slots *slots);

#endif
