/* A rival for the test of two moving features: interval root finding. */
#ifndef LAB_BASELINES_INTERVAL_ROOTS_H
#define LAB_BASELINES_INTERVAL_ROOTS_H

#include <stdbool.h>
#include <stdint.h>

/* What the search cost. */
typedef struct interval_cost {
    uint64_t boxes; /* looked at */
    bool gave_up;   /* so many were looked at that it said yes */
} interval_cost;

/*
 * Whether two moving features come within a tolerance of meeting: x[i][0] and x[i][1] are point i
 * at times 0 and 1, points 0 and 1 and points 2 and 3 being edges, or 0 a vertex and 1, 2, 3 a
 * face. *time is no later than the first contact.
 */
bool interval_roots_meet(const float x[4][2][3], bool edges, double tolerance, double *time,
                         interval_cost *cost);

#endif
