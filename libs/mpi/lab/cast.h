/* What crowd-mpi plays: many bodies of one shape on a grid, each a function of its number and the
   step. */
#ifndef LAB_MPI_CAST_H
#define LAB_MPI_CAST_H

#include "lab/motions/star_crowd.h"
#include "pliant/shape.h"

typedef enum mpi_cast_kind {
    MPI_CAST_STARS, /* lab/motions/star_crowd.h: 10 modes and a transform */
    MPI_CAST_FISH,  /* those of James & Pai: 3 modes and a transform */
    MPI_CAST_BALLS, /* 20 triangles and a transform */
    MPI_CAST_KINDS
} mpi_cast_kind;

extern const char *const mpi_cast_names[MPI_CAST_KINDS];

typedef struct mpi_cast {
    mpi_cast_kind kind;
    uint32_t bodies, side; /* along an edge of the grid */
    gallery_mesh mesh;
    gallery_model model;
    double spacing, radius;
    double amplitudes[STAR_MODES]; /* over those of a star */
} mpi_cast;

/* What a body is given in a step. */
typedef struct mpi_cast_state {
    float coordinates[STAR_MODES], transform[12];
} mpi_cast_state;

/* `triangles` per body, 0 for the usual number; false when there is no memory, or without LAPACKE
   no fish. mpi_cast_free() is due in any case. */
bool mpi_cast_make(mpi_cast_kind kind, uint32_t bodies, uint32_t triangles, mpi_cast *cast);
void mpi_cast_free(mpi_cast *cast);

pliant_shape_def mpi_cast_shape_def(const mpi_cast *cast);
void mpi_cast_pose(const mpi_cast *cast, uint32_t body, uint32_t step, mpi_cast_state *state);

#endif
