/* The body with arms, for scenes that are made of such bodies. */
#ifndef GALLERY_ARMS_H
#define GALLERY_ARMS_H

#include "gallery.h"

#define ARMS_COUNT       6
#define ARMS_CORE_RADIUS 0.4
#define ARMS_REACH       1.15 /* no point is farther from the centre, however the arms wave */

/*
 * The middle of an arm, in the body's frame, from its root (height 0) to its tip (height 1).
 * Returns how thick the arm is there: the radius of its cross-section.
 */
double arms_middle(const gallery_scene *scene, uint32_t body, uint32_t arm, double height,
                   double time, double point[3]);

#endif
