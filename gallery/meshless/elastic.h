/*
 * Elastic bodies without a mesh.
 *
 * Based on: M. Mueller, R. Keiser, A. Nealen, M. Pauly, M. Gross, M. Alexa, "Point Based Animation
 * of Elastic, Plastic and Melting Objects", 2004. A body is a cloud of nodes; how it is deformed
 * around a node follows from where its neighbours have gone, by moving least squares; strain is
 * Green's, stress is linear in it, and forces are minus the gradient of the energy.
 *
 * Ours: volumes come from how the nodes fill the solid instead of from kernels; what the least
 * squares leave over is resisted by weak springs, because otherwise a zigzag of nodes costs no
 * energy; steps are repeated with half the length where energy or deformation grow too fast.
 */
#ifndef GALLERY_MESHLESS_ELASTIC_H
#define GALLERY_MESHLESS_ELASTIC_H

#include "nodes.h"

typedef struct elastic_material {
    double density;
    double stiffness; /* Young's modulus */
    double poisson;   /* how much a stretched body narrows: 0 to 0.49 */
    double volume;    /* resistance to a change of volume, and to turning inside out; or 0 */
    double springs;   /* of what least squares leave over, as a share of the stiffness */
    double viscosity; /* resistance to neighbours nearing or leaving each other; or 0 */
    double drag;      /* share of all velocity lost per unit of time; or 0 */
} elastic_material;

elastic_material elastic_material_default(void);

/* What never changes about a body. The cloud is not owned. */
typedef struct elastic_shape {
    const node_cloud *nodes;
    elastic_material material;
    double *masses;
    /* Per entry of nodes->neighbours: (sum_j w_ij X_ij X_ij^T)^-1 w_ij X_ij, with which the
       deformation gradient is F_i = sum_j (x_j - x_i) slope_ij^T; and w_ij, normalised. */
    double (*slopes)[3];
    double *weights;
} elastic_shape;

/* False without memory, or where the neighbours of a node lie in a plane. */
bool elastic_shape_create(const node_cloud *nodes, const elastic_material *material,
                          elastic_shape *shape);
void elastic_shape_free(elastic_shape *shape);

typedef struct elastic_world elastic_world;

/* Adds forces that come from outside (contacts, targets, gravity) at the world's positions,
   velocities and time, node after node, body after body. */
typedef void (*elastic_external)(void *user, const elastic_world *world, double (*forces)[3]);

/* Bodies in motion. Read what you like; change positions and velocities before the first step. */
struct elastic_world {
    uint32_t body_count, node_count;
    const elastic_shape *shape; /* of every body */
    uint32_t *starts;           /* first node of each body; one more at the end */
    double (*positions)[3], (*velocities)[3];
    double (*gradients)[3][3]; /* F: how a node's surroundings are deformed, dx / dX */
    double (*inner)[3];        /* forces of the material */
    double (*outer)[3];        /* forces from outside */
    double time;
    double elastic_energy;
    elastic_external external; /* or NULL */
    void *user;
    double longest_step;
    double step;                       /* that is tried next */
    uint64_t step_count, repeat_count; /* taken; repeated with half the length */
    uint32_t patience;                 /* steps until a longer one is tried */
    void *saved;
};

/* Bodies of one shape at rest, each in its own frame. NULL without memory. */
elastic_world *elastic_world_create(const elastic_shape *shape, uint32_t body_count);
void elastic_world_destroy(elastic_world *world);

/* Puts an undeformed body somewhere, without velocity. */
void elastic_place(elastic_world *world, uint32_t body, const gallery_placement *placement);

/* Gradients, forces and elastic energy at the current positions. */
void elastic_update(elastic_world *world);
double elastic_kinetic_energy(const elastic_world *world);

/* Goes on for a while, in as many steps as are needed. */
void elastic_advance(elastic_world *world, double duration);

/* T_j of a node: A_j = F_j = grad(u)_j^T + I and t_j = x_j - A_j X_j, the rows of (A | t). */
void elastic_transform(const elastic_world *world, uint32_t body, uint32_t node,
                       float transform[12]);

#endif
