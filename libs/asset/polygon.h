/* Faces with more than three corners. */
#ifndef PLI_ASSET_POLYGON_H
#define PLI_ASSET_POLYGON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Faces with more corners than this stay fans even where they are not convex. */
#define PLI_POLYGON_MOST 128

/* Whether a fan of `count` triangles folds over itself, which that of a convex face does not. */
bool pli_fan_folds(const float *positions, const uint32_t *triangles, size_t count);

/*
 * Cuts the face that a fan of `count` triangles stands for anew, into as many triangles that lie
 * within it. False, with the fan as it was, if the face has too many corners or crosses itself.
 */
bool pli_polygon_cut(const float *positions, uint32_t *triangles, size_t count);

#endif
