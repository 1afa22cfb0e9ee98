/* A narrower range: squares of much doubt are cut into smaller ones, for the range alone. */
#ifndef PLI_VOLUME_REFINE_H
#define PLI_VOLUME_REFINE_H

#include "volume/volume.h"

/* What was swept, and what came out of it. */
typedef struct pli_refinement {
    const pli_ray_sweep *sweep; /* with ranges */
    const pli_grid *grid;
    pliant_body *const *body;
    const pliant_box *box;    /* of each body */
    const pli_window *window; /* of each body's image */
    bool cull;
    /* In steps of depth times squares: first of the grid, then of one with 1 << shift times as many
       columns and rows. */
    uint64_t certain, possible;
    uint32_t shift;
} pli_refinement;

/* Keeps the ranges of squares in a sweep that is to be refined. False without memory. */
bool pli_refine_begin(pliant_volume *volume, pli_ray_sweep *sweep);

/* Narrows the range of what was swept. */
pliant_result pli_refine(pliant_volume *volume, pli_refinement *refinement);

#endif
