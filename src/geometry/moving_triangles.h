/* Two moving triangles: whether they meet, and what of them meets first (D9). */
#ifndef PLI_GEOMETRY_MOVING_TRIANGLES_H
#define PLI_GEOMETRY_MOVING_TRIANGLES_H

#include "moving_exact.h"
#include "pliant/moving.h"

/*
 * Pairs of features of two triangles by number: 0 to 2, corners of a and the face b; 3 to 5, the
 * face a and corners of b; 6 + 3 i + j, edges i of a and j of b.
 */
enum { PLI_FEATURE_PAIRS = 15, PLI_ALL_FEATURE_PAIRS = (1 << PLI_FEATURE_PAIRS) - 1 };

/* A bit of pli_moving_open_features() that says nothing about features: the triangles may meet. */
enum { PLI_MAY_MEET = 1 << PLI_FEATURE_PAIRS };

/* The pairs of features that may meet, by what is quick to see; 0 if the triangles are apart all
   the time, for certain. Triangles that touch from the beginning may have none. */
uint32_t pli_moving_open_features(const pliant_moving_triangle *a, const pliant_moving_triangle *b);

/* Whether two triangles are apart from time 0 to a limit in [0, 1], for certain. */
bool pli_moving_stay_apart(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                           double limit);

/* Whether two triangles touch at time 0. */
bool pli_moving_touch_at_start(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                               uint64_t *fallbacks);

/* Whether one of the pairs of features whose bits are set in `open` meets after time 0 and no later
   than a limit, and which first. Of those that meet later, it may or may not say so. */
bool pli_moving_features_meet(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                              uint32_t open, double limit, pliant_meeting *meeting,
                              uint64_t *fallbacks);

/* The same of triangles. `meeting` may be NULL; `fallbacks` counts features and signs that needed
   exact arithmetic, or is NULL. */
bool pli_moving_triangles_meet(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                               double limit, pliant_meeting *meeting, uint64_t *fallbacks);

/* The points of the pair of features that a meeting names, which is of none of the kinds START and
   END. They stay where the triangles are. */
void pli_meeting_points(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                        const pliant_meeting *meeting, pli_moving_points *points);

#endif
