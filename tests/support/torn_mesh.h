/* A mesh that is torn beside a body: what is left of it, and shapes that are made anew of that. */
#ifndef PLIANT_TESTS_TORN_MESH_H
#define PLIANT_TESTS_TORN_MESH_H

#include "fixture.h"
#include "random.h"

typedef enum torn_kind {
    TORN_SHEET,  /* open */
    TORN_SPHERE, /* closed */
    TORN_SEAM,   /* a closed one that is two halves, welded */
    TORN_PIECES, /* sheets beside each other, with islands */
    TORN_SOUP,   /* edges of many triangles, equal triangles, and some with a vertex twice */
    TORN_KINDS
} torn_kind;

typedef struct torn_mesh {
    pliant_context *context;
    bool seams;              /* some vertices are welded */
    pliant_shape_def tree;   /* of the whole shape: only partition, arity, leaf size, islands and
                                proxies count */
    float *rest, *positions; /* 3 per vertex: at rest, and now */
    uint32_t *welded;        /* per vertex */
    uint32_t *triangles;     /* 3 per triangle; UINT32_MAX where it was removed */
    uint16_t *groups;        /* per triangle */
    uint32_t *number;        /* of the triangles that are left, in their order */
    uint32_t vertex_count, capacity, triangle_count, left_count;
} torn_mesh;

/* A mesh of that kind, and some tree for its shape. */
void torn_mesh_create(torn_mesh *m, pliant_context *context, torn_kind kind, rng *r);
void torn_mesh_destroy(torn_mesh *m);

/* Another state: the surface is bent through itself. Vertices that are welded stay together. */
void torn_mesh_move(torn_mesh *m, rng *r);

/* The shape that a body is made of before anything is torn. */
pliant_shape *torn_mesh_make_whole(const torn_mesh *m);

/* A shape of the triangles that are left, all vertices, and of welded ones the lowest. */
pliant_shape *torn_mesh_make_anew(const torn_mesh *m);

/* Tears mesh and body alike: some triangles are removed, some vertices split. */
void torn_mesh_tear(torn_mesh *m, pliant_body *body, rng *r);
void torn_mesh_remove(torn_mesh *m, pliant_body *body, uint32_t count, rng *r);

/* Fails unless the shape of the torn body holds what is left and nothing else. */
void torn_mesh_check_tree(const torn_mesh *m, const pliant_shape *shape);

#endif
