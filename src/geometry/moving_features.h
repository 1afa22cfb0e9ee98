/* Two moving features, a vertex and a face or two edges: whether they meet, and when (D9). */
#ifndef PLI_GEOMETRY_MOVING_FEATURES_H
#define PLI_GEOMETRY_MOVING_FEATURES_H

#include "moving_exact.h"
#include "pliant/moving.h"

/* Whether they meet. With `time` not NULL: when they first do. `fallbacks` counts calls of the
   exact tier, or is NULL. */
bool pli_moving_meet(const pli_moving_points *points, pliant_meeting_time *time,
                     uint64_t *fallbacks);

/* Whether one feature is ahead of the other along an axis at both ends, hence all the time. */
bool pli_moving_keep_order(const pli_moving_points *points);

/* pli_moving_meet() without asking that first, for features that meet at `limit` or before. Of
   those that meet later, it may or may not say so. */
bool pli_moving_meet_until(const pli_moving_points *points, double limit, pliant_meeting_time *time,
                           uint64_t *fallbacks);

/* The largest float32 before the first time, which is not 0, of features that meet at `time`. */
float pli_moving_float_before(const pli_moving_points *points, const pliant_meeting_time *time);

/* The sign of the first time of a minus that of b, exactly. Both meet, at these times. */
int pli_moving_compare(const pli_moving_points *a, const pliant_meeting_time *time_a,
                       const pli_moving_points *b, const pliant_meeting_time *time_b);

#endif
