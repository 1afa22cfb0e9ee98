/*
 * Modal analysis: the lowest free vibrations of a shape, as displacement fields of its vertices.
 * Results depend on the machine's LAPACK in the last bits.
 */
#ifndef GALLERY_MODAL_ANALYSIS_H
#define GALLERY_MODAL_ANALYSIS_H

#include "algebra.h"
#include "lattice.h"

/* A shape that vibrates: what a simulator needs to know of it. */
typedef struct modal_model {
    uint32_t vertex_count;
    uint32_t mode_count;   /* M */
    float *modes;          /* U: mode after mode, 3 numbers per vertex, metres per unit of q */
    double *frequencies;   /* radians per second, ascending */
    double mass;           /* kilograms */
    modal_matrix inertia;  /* about the origin, which is the centre of mass */
    double radius;         /* of a ball around the origin that holds the shape at rest */
    double *largest;       /* per mode: the farthest that q = 1 moves a vertex */
    uint32_t unknowns;     /* of the analysis behind it */
    uint32_t rigid_count;  /* modes that were left out because nothing resists them */
    double rigid_residual; /* largest of their squared frequencies over the first one kept */
} modal_model;

typedef struct modal_analysis_def {
    modal_material material;
    uint32_t mode_count;
    uint32_t most_nodes; /* of the lattice */
    double cell;         /* side of a cube instead; 0: as small as most_nodes allows */
    const bool *fixed;   /* per vertex, whether it is held; NULL: none */
} modal_analysis_def;

/* The lowest vibrations of a lattice, K x = value M x. */
typedef struct modal_spectrum {
    uint32_t count;
    double *values;  /* ascending */
    double *vectors; /* 3 node_count numbers each, mass-normalised; zero at fixed nodes */
} modal_spectrum;

/* Finds `count` vibrations, rigid motions among them. False without memory, or if the iteration
   does not converge. */
bool modal_solve(const modal_lattice *lattice, uint32_t count, modal_spectrum *spectrum);
void modal_spectrum_free(modal_spectrum *spectrum);

/*
 * Analyses a mesh. With no vertex fixed, the mesh is moved so that its centre of mass is at the
 * origin, and modes are free of rigid motion. Modes are mass-normalised: a force f on a vertex k
 * accelerates q_m by U_km . f. Of each mode the largest entry is positive. False if that fails;
 * the model is then empty.
 */
bool modal_analyse(gallery_mesh *mesh, const modal_analysis_def *def, modal_model *model);

void modal_model_free(modal_model *model);

#endif
