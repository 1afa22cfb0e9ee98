/*
 * Pliant: what a shape is made of, read where it lies. For libraries that take shapes elsewhere, to
 * another device for example, and answer there as the core does. Programs need none of it.
 */
#ifndef PLIANT_VIEW_H
#define PLIANT_VIEW_H

#include "shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The mesh of a shape. Arrays belong to the shape, never change, and live as long as it does; a
   body keeps its shape. */
typedef struct pliant_shape_view {
    uint32_t vertex_count, triangle_count, cluster_count;
    uint32_t mode_count, joint_count;
    bool has_influences;       /* vertices follow several joints, each with a weight of its own */
    const float *positions;    /* at rest: 3 per vertex */
    const uint32_t *triangles; /* 3 vertices each */
    const uint16_t *groups;    /* per triangle; NULL where there are none */
    const uint32_t *welded;    /* per vertex: the lowest one that it is welded with, or itself */
} pliant_shape_view;

/* Fails with PLIANT_ERROR_STATE for the own shape of a torn body, which changes with it. */
PLIANT_API pliant_result pliant_shape_get_view(const pliant_shape *shape, pliant_shape_view *view);

/*
 * One cluster of a shape's tree: up to 64 triangles in slots, of which some may be empty, and the
 * vertices that they use. Clusters lie in the order of the tree, so that those with numbers close
 * to each other lie close to each other at rest; every triangle is in one of them.
 *
 * What its vertices are evaluated from by definition D1, where the shape has modes or influences,
 * are arrays over its vertices with `stride` entries each: rest positions x, y, z; for each of the
 * modes that are not zero all over the cluster its field x, y, z; and for each of the joints that
 * move any of its vertices their weights. Entries behind the last vertex repeat it.
 */
typedef struct pliant_shape_cluster {
    uint64_t live;             /* bit s: slot s holds a triangle */
    const uint32_t *vertices;  /* the caller's numbers, each once */
    const uint32_t *triangles; /* by slot: the caller's number */
    const uint8_t *corners;    /* by slot: corner 0 of all slots, then corner 1, then corner 2, as
                                  places in `vertices` */
    uint32_t vertex_count;     /* 1 to 192 */
    uint32_t slot_count;       /* entries of `triangles` */
    uint32_t stride;           /* vertex_count rounded up to a multiple of 16 */
    uint32_t mode_count, joint_count;
    const uint32_t *modes;  /* ascending; NULL if there are none, as all that follows */
    const uint32_t *joints; /* ascending */
    const float *rest;      /* 3 * stride; NULL in shapes without modes and influences */
    const float *fields;    /* 3 * stride per mode */
    const float *weights;   /* stride per joint */
} pliant_shape_cluster;

/* Fails as above, and with PLIANT_ERROR_RANGE for a number that there is not. */
PLIANT_API pliant_result pliant_shape_get_cluster(const pliant_shape *shape, uint32_t cluster,
                                                  pliant_shape_cluster *view);

#ifdef __cplusplus
}
#endif

#endif
