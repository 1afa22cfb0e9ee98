/*
 * What a refresh leaves behind: a record per node and per cluster that has been visited in the
 * current state of a body. Records form a tree that mirrors the part of the shape's tree that was
 * asked for; a child pointer of NULL says "stale". They live in the body's pages and are all
 * dropped when its state is set again.
 */
#ifndef PLI_BOUNDS_RECORD_H
#define PLI_BOUNDS_RECORD_H

#include "base/atomic.h"
#include "shape/shape.h"

/* Eight boxes side by side: lower x, y, z, then upper x, y, z, all of them finite. Lanes without a
   child hold the empty box, +infinity to -infinity, which meets no finite one. */
typedef struct pli_boxes {
    float side[6][PLI_WIDTH];
} pli_boxes;

typedef struct pli_node_record {
    _Alignas(64) pli_boxes box;
    /* pli_node_record or pli_cluster_record; NULL while stale, PLI_CLAIMED while being made. */
    PLI_ATOMIC(void *) child[PLI_WIDTH];
} pli_node_record;

#define PLI_CLAIMED ((void *)1)

/*
 * A refreshed cluster: its leaves' boxes, its triangles' boxes and its vertices. Behind the header
 * follow float triangle_box[6][slots] and the vertices, four floats of room for each of `stride` of
 * them; how they lie there is the kernels' business (bounds/cluster_points.h), and vertex_step and
 * axis_step tell it to others. `slots` and `stride` are multiples of 16. Wide loads may run up to
 * 64 floats past the end, within the page or the body's eager block.
 */
typedef struct pli_cluster_record {
    _Alignas(64) pli_boxes leaf_box;
    _Alignas(64) uint32_t slots;
    uint32_t stride;
    uint32_t vertex_step, axis_step; /* in floats */
    float extent;                    /* the longest side of a triangle's box, rounded to nearest */
    /*
     * Bodies with models have two stages: vertices and the box around them first; the boxes of
     * leaves and triangles, and `extent`, only where that box still meets something. PLI_BOXED once
     * they are there.
     */
    PLI_ATOMIC(uint32_t) stage;
    float box[6]; /* lower x, y, z, upper x, y, z; of bodies with models only */
    _Alignas(64) float data[];
} pli_cluster_record;

/* Stages of a cluster's record. */
enum { PLI_EVALUATED, PLI_BOXING, PLI_BOXED };

enum { PLI_RECORD_SLACK = 64 * sizeof(float) };

static inline size_t pli_cluster_record_size(const pli_cluster *cluster)
{
    size_t floats =
        6 * (size_t)cluster->slot_count + 4 * (size_t)pli_padded_count(cluster->vertex_count);
    return sizeof(pli_cluster_record) + floats * sizeof(float);
}

/* Side k (0-2 lower x, y, z; 3-5 upper) of all slots of a cluster. */
static inline float *pli_triangle_side(pli_cluster_record *record, int k)
{
    return record->data + (size_t)k * record->slots;
}

/* Where the vertices of a cluster begin. */
static inline float *pli_cluster_points(pli_cluster_record *record)
{
    return record->data + 6 * (size_t)record->slots;
}

/* Coordinate k of a cluster's vertex. */
static inline float pli_cluster_coordinate(const pli_cluster_record *record, size_t vertex,
                                           size_t k)
{
    return record
        ->data[6 * (size_t)record->slots + vertex * record->vertex_step + k * record->axis_step];
}

#endif
