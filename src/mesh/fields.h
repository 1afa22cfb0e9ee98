/* How a mesh deforms: displacement fields ("modes") and influences of joints. */
#ifndef PLI_MESH_FIELDS_H
#define PLI_MESH_FIELDS_H

#include "pliant/shape.h"

/*
 * The fields and the influences of vertices, by vertex: those of vertex v are entries start[v] to
 * start[v + 1], ascending by number. Zeros are left out. Fields have three values per entry.
 */
typedef struct pli_entries {
    uint32_t *start;
    uint32_t *number; /* the mode or the joint */
    float *value;
    size_t capacity; /* in entries */
} pli_entries;

/* How a shape deforms, but for its arrays. All zero for free shapes. */
typedef struct pli_model {
    uint32_t mode_count, joint_count;
    uint32_t has_influences;    /* 0 or 1 */
    uint32_t vertex_influences; /* the most that one vertex has */
    uint32_t coefficient_kind;  /* pli_coefficient_kind: of the nodes, or of most of them */
    uint32_t proxy_triangles;
    float error;
    float weight_sums[2]; /* the least and the greatest over all vertices; 1 without influences */
    uint32_t bound, sphere_centre; /* as asked for, for a tree that is built anew */
    uint32_t reserved;
} pli_model;

/* weight_tables.c: influences of a table as influence_offsets, influence_joints and
   influence_weights. */
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
