/*
 * A crowd of stars: bodies of one shape with eight arms and smooth modes, each on its place in a
 * cubic grid, where it turns, sways and deforms. How far apart they stand says how much they touch.
 */
#ifndef LAB_MOTIONS_STAR_CROWD_H
#define LAB_MOTIONS_STAR_CROWD_H

#include "gallery/gallery.h"

#define STAR_MODES 10

/* A star of about so many triangles, within a ball of radius 1 around the origin. False when there
   is no memory; the mesh and the model are due to be freed in any case. */
bool star_make(uint32_t triangles, gallery_mesh *mesh, gallery_model *model);

/* The state of one body of a crowd of side^3 bodies, `spacing` apart, at a step. */
void star_state(uint32_t body, uint32_t side, double spacing, uint32_t step,
                float coordinates[STAR_MODES], float transform[12]);

#endif
