/*
 * A body as a lattice of equal cubes: every cube that the surface enters, and every cube that it
 * shuts in, is a finite element with 8 corners. Enough for the lowest modes of a shape, whatever
 * its triangles look like.
 */
#ifndef GALLERY_MODAL_LATTICE_H
#define GALLERY_MODAL_LATTICE_H

#include "gallery/mesh.h"

typedef struct modal_material {
    double young;   /* Young's modulus, pascals */
    double poisson; /* Poisson's ratio, 0 to below 0.5 */
    double density; /* kilograms per cubic metre */
} modal_material;

typedef struct modal_lattice {
    double origin[3], cell; /* lowest corner, and the side of a cube */
    uint32_t sides[3];      /* cubes along each axis, filled or not */
    uint32_t *cell_index;   /* per cube: its number among the filled ones, or UINT32_MAX */
    uint32_t cell_count;    /* filled */
    uint32_t (*corners)[8]; /* nodes of each; bit 0, 1, 2 of a corner's number: high x, y, z */
    uint32_t node_count;
    double (*nodes)[3];
    double *masses; /* lumped, per node */
    bool *fixed;    /* per node */
    modal_material material;
    double stiffness[24][24]; /* of one cube */
} modal_lattice;

/* The trilinear weights of a point within a cube. */
typedef struct modal_weights {
    uint32_t nodes[8];
    double weights[8];
} modal_weights;

/*
 * Fills a lattice of cubes of a given side around a mesh. `fixed` says which vertices do not move;
 * NULL: all do. Neighbouring nodes get near numbers, so that matrices over nodes have narrow
 * bands. False without memory; the lattice is then empty. The mesh has triangles.
 */
bool modal_lattice_create(const gallery_mesh *mesh, const bool *fixed, double cell,
                          const modal_material *material, modal_lattice *lattice);

/* The same with the smallest cubes, within 7 %, for which there are at most this many nodes. */
bool modal_lattice_fit(const gallery_mesh *mesh, const bool *fixed, uint32_t most_nodes,
                       const modal_material *material, modal_lattice *lattice);

void modal_lattice_free(modal_lattice *lattice);

/* Where a vertex of the lattice's mesh lies between the nodes. A vertex that no triangle uses may
   be outside all cubes; it then has no weights. */
modal_weights modal_lattice_weights(const modal_lattice *lattice, const float point[3]);

/* The forces that a displacement of the nodes causes: K x, three numbers per node. */
void modal_lattice_forces(const modal_lattice *lattice, const double *displacements,
                          double *forces);

#endif
