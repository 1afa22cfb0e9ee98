/* Moving features and triangles that come within a distance of each other (D15). They need the
   default floating-point environment. */
#ifndef PLI_GEOMETRY_MOVING_APPROACH_H
#define PLI_GEOMETRY_MOVING_APPROACH_H

#include "moving_exact.h"
#include "pliant/moving.h"

/*
 * Whether two moving features come within a distance d > 0 no later than a limit in [0, 1]. Then
 * *time is a time before which they are farther apart, and at which they are at most D15's limit
 * apart. `looks`, unless NULL, receives how often the way was looked at.
 */
bool pli_moving_approach(const pli_moving_points *points, double d, double limit, double *time,
                         uint32_t *looks);

/* Returns true if an axis has two triangles farther than d apart at all times. */
bool pli_moving_boxes_apart(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                            double d);

/* Whether one of the pairs of features whose bits are set in `open` (moving_triangles.h) comes
   within d no later than a limit, and which first. */
bool pli_moving_features_approach(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                                  uint32_t open, double d, double limit, pliant_meeting *meeting);

/* The same of triangles that share no vertex; `fallbacks` as in moving_triangles.h. */
bool pli_moving_triangles_approach(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                                   double d, double limit, pliant_meeting *meeting,
                                   uint64_t *fallbacks);

#endif
