/*
 * A world transform W on top of a body's own: what bounds are placed by then. Vertices are moved by
 * T and by W, one after the other (D1); bounds by both at once, since a box that is turned twice
 * grows twice. What the two ways differ by is in the margins of the pose (S10).
 */
#ifndef PLI_BOUNDS_WORLD_H
#define PLI_BOUNDS_WORLD_H

#include "bounds/pose.h"
#include "bounds/record.h"

/* Works out `placing` and `moved` of a pose whose other fields are set; `room` is for 12 numbers
   per joint, and taken where the pose has both transforms and a world transform. */
void pli_pose_place(const pliant_shape *shape, float *room, pli_pose *pose);

/* Moves boxes of blends by the translation of the world transform, if there is one. */
void pli_world_shift(const pli_pose *pose, pli_boxes *boxes);

#endif
