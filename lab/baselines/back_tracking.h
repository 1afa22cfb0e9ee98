/* A rival for the free time of two moving bodies: back-tracking to the first contact. */
#ifndef LAB_BASELINES_BACK_TRACKING_H
#define LAB_BASELINES_BACK_TRACKING_H

#include "pliant/pliant.h"

/* Two free bodies that move: positions at times 0 and 1, side by side. */
typedef struct back_tracking_motion {
    pliant_body *body[2];
    const float *start[2], *end[2];
    uint32_t vertex_count[2];
} back_tracking_motion;

/* When they begin to touch. */
typedef struct back_tracking_time {
    bool touches;   /* at one of the sampled times; if not, the rest is void */
    float free;     /* the bodies do not touch then (unless they touch at time 0: 0) */
    float touching; /* they do then */
    uint32_t tried; /* how many times were looked at */
} back_tracking_time;

/*
 * Looks at times i / samples in ascending order until the bodies touch, then bisects between that
 * time and the one before until they are at most `tolerance` apart, or no time is between. What
 * touches and parts between two samples is not found. The bodies end in the state looked at last.
 */
pliant_result back_tracking_find(pliant_query *query, const back_tracking_motion *motion,
                                 uint32_t samples, float tolerance, back_tracking_time *found);

#endif
