/* A cloth simulation: a curtain in the wind, alone or with a ball that is thrown at it. */
#ifndef GALLERY_MODAL_CURTAIN_MOTION_H
#define GALLERY_MODAL_CURTAIN_MOTION_H

#include "models.h"

/* Blows a curtain, whose first `edge` vertices hang on the rod, for `frame_count` frames of 1/30 s,
   after three seconds in which the wind takes hold of it. `frames` takes 3 numbers per vertex and
   frame. False without memory. */
bool modal_blow_curtain(const gallery_mesh *mesh, uint32_t edge, uint64_t seed,
                        uint32_t frame_count, float *frames);

/* The same from rest, with a ball that pushes the curtain; `balls` takes one entry per frame. */
bool modal_push_curtain(const gallery_mesh *mesh, uint32_t edge, uint64_t seed,
                        uint32_t frame_count, float *frames, modal_ball *balls);

#endif
