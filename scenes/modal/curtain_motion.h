/* A cloth simulation: a curtain in the wind, and a ball that is thrown at it. */
#ifndef SCENES_MODAL_CURTAIN_MOTION_H
#define SCENES_MODAL_CURTAIN_MOTION_H

#include "models.h"

/* Moves a curtain, whose first `edge` vertices hang on the rod, for `frame_count` frames of 1/30 s.
   `frames` takes 3 numbers per vertex and frame, `balls` one entry per frame. */
bool modal_simulate_curtain(const scene_mesh *mesh, uint32_t edge, uint64_t seed,
                            uint32_t frame_count, float *frames, modal_ball *balls);

#endif
