/* Where the bodies of a rank lie on the curve, and where it is cut. */
#ifndef PLI_MPI_BALANCE_H
#define PLI_MPI_BALANCE_H

#include "scene.h"

/* Places that are tried for each cut at a time. */
enum { PLI_MPI_PROBES = 15 };

typedef struct pli_mpi_course {
    uint64_t *keys;  /* of own bodies, ascending */
    uint32_t *slots; /* beside them */
    uint64_t *sums;  /* work of all before, and one more: of all */
    uint64_t *cuts;  /* by rank: bodies of lower keys go to it or to ranks before it */
    uint64_t *probes;
    uint32_t count;
} pli_mpi_course;

/* migrate.c: all ranks send bodies to where they belong; which came and went is in scene->moves. */
pliant_result pli_mpi_migrate(pliant_mpi_scene *scene, const pli_mpi_course *course);

#endif
