/*
 * Rivals of James & Pai (2004): binary trees of spheres over one triangle per leaf, with the same
 * topology and the same walk, that differ in how spheres follow a deformation.
 *   layered  all vertices are evaluated, then every sphere is made to hold its two children's:
 *            scalar as in the paper, vertices many at once, or spheres many at once too
 *   BD-Tree  the paper's own method as it stands: a sphere from q when a walk asks for it, and a
 *            vertex when a triangle of it does; both are kept while the state lasts
 */
#ifndef LAB_BASELINES_SPHERE_TREE_H
#define LAB_BASELINES_SPHERE_TREE_H

#include "baseline_tree.h"
#include "fields.h"
#include "wide_spheres.h"

/* What never changes: shared by all bodies of a shape. */
typedef struct sphere_shape {
    const gallery_mesh *mesh;
    const gallery_model *model;
    baseline_tree tree;     /* for its topology */
    baseline_fields fields; /* layered: for evaluating all vertices */
    wide_order order;       /* layered, with wide registers: how nodes are numbered */
    baseline_sphere *rest;  /* wrapped around the mesh at rest, about the mean of its vertices */
    float *bounds; /* BD-Tree: per node and mode the mean of the field and the radius it adds */
} sphere_shape;

bool sphere_shape_create(const gallery_mesh *mesh, const gallery_model *model, pliant_isa cap,
                         sphere_shape *shape);

/* The same for SPHERES_LAYERED_WIDE only: nodes are numbered level by level. */
bool sphere_shape_create_wide(const gallery_mesh *mesh, const gallery_model *model, pliant_isa cap,
                              sphere_shape *shape);
void sphere_shape_free(sphere_shape *shape);

typedef enum sphere_method {
    SPHERES_LAYERED_SCALAR,
    SPHERES_LAYERED,
    SPHERES_LAYERED_WIDE,
    SPHERES_BD
} sphere_method;

/* A body. */
typedef struct sphere_body {
    const sphere_shape *shape;
    sphere_method method;
    baseline_sphere *spheres;
    float *positions;         /* layered: of all vertices; BD-Tree: of those asked for */
    const float *coordinates; /* the current state, borrowed */
    const float *transform;
    uint32_t *stamps, stamp; /* BD-Tree: in which state a node was last refreshed */
    uint32_t *vertex_stamps; /* and a vertex evaluated */
    uint64_t refreshed;      /* spheres made in this state */
} sphere_body;

bool sphere_body_create(const sphere_shape *shape, sphere_method method, sphere_body *body);
void sphere_body_free(sphere_body *body);

/* A new state. A layered tree is updated whole. */
void sphere_body_set(sphere_body *body, const float *coordinates, const float *transform);

/* A node's sphere in the current state. */
const baseline_sphere *sphere_body_at(sphere_body *body, uint32_t node);

/*
 * Triangles that touch, appended to the scratch's pairs; adds to `tests` the pairs of spheres
 * compared. With a radius above 0 the second body is a ball: its triangles are points, and those of
 * the first touch that are no farther from one. False when there is no memory.
 */
bool sphere_bodies_collide(sphere_body *a, sphere_body *b, float radius, baseline_scratch *scratch,
                           uint64_t *tests);

/* |dR|, the length of the vector of the radii that modes add, averaged over the nodes of each
   level; level 0 is the root. Returns the number of levels, `capacity` at most. */
uint32_t sphere_shape_growth(const sphere_shape *shape, double *growth, uint32_t *nodes,
                             uint32_t capacity);

/* The smallest sphere that holds two, a little larger for rounding's sake. */
baseline_sphere sphere_merge(const baseline_sphere *a, const baseline_sphere *b);

/* A sphere about the mean of a triangle's corners. */
baseline_sphere sphere_around_triangle(const float *p, const float *q, const float *r);

#endif
