/* The triangles of an evaluated cluster: constant data of the shape beside a record of the body. */
#ifndef PLI_QUERY_CLUSTER_VIEW_H
#define PLI_QUERY_CLUSTER_VIEW_H

#include "body/body.h"
#include "query/pair_kernels.h"

typedef struct pli_cluster_view {
    const pliant_shape *shape;
    const pli_cluster *cluster;
    pli_cluster_record *record;
} pli_cluster_view;

static inline pli_cluster_view pli_view_cluster(const pliant_body *body, uint32_t child,
                                                void *record)
{
    pli_cluster_view view = {.shape = body->shape,
                             .cluster = &body->shape->clusters[child & ~PLI_CLUSTER_BIT],
                             .record = record};
    return view;
}

/* The corners of the triangle in a slot of a cluster. */
static inline void pli_slot_corners(pli_cluster_view view, uint32_t slot, float corner[3][3])
{
    const uint8_t *corners = view.shape->slot_corners + 3 * (size_t)view.cluster->first_slot + slot;
    for (size_t c = 0; c < 3; c++) {
        uint8_t vertex = corners[c * view.cluster->slot_count];
        for (size_t k = 0; k < 3; k++) {
            corner[c][k] = pli_cluster_coordinate(view.record, vertex, k);
        }
    }
}

/* The caller's number of the triangle in a slot. */
static inline uint32_t pli_slot_triangle(pli_cluster_view view, uint32_t slot)
{
    return view.shape->slot_triangles[view.cluster->first_slot + slot];
}

/* The triangles of a cluster, as kernels like them. */
static inline pli_slot_triangles pli_view_triangles(pli_cluster_view view)
{
    pli_slot_triangles triangles = {
        .record = view.record,
        .corners = view.shape->slot_corners + 3 * (size_t)view.cluster->first_slot,
    };
    return triangles;
}

#endif
