/*
 * Two moving triangles that come within a distance (D15). Triangles that are farther apart at time
 * 0 first come within it where a vertex of one comes close to the face of the other, or an edge of
 * one to an edge of the other. Most pairs never get there: all the time one direction has them
 * apart, an axis or that of their closest points at time 0.
 */
#include "moving_approach.h"

#include "base/float_env.h"
#include "moving_triangles.h"
#include "triangle_distance.h"

#include <math.h>
#include <string.h>

/* Whether along n, of length 1 or less, b is ahead of a by more than d at both ends of the step,
   whatever rounding does. A sum of three products of differences and parts of n is off by 2^-51 of
   the largest difference at most. */
static bool stay_ahead(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                       const double n[3], double d)
{
    double least = (double)INFINITY, largest = 0.0;
    for (int i = 0; i < 9; ++i) {
        const pliant_moving_point *p = &a->corner[i / 3], *q = &b->corner[i % 3];
        double start = 0.0, end = 0.0;
        for (int k = 0; k < 3; ++k) {
            double first = (double)q->start[k] - (double)p->start[k];
            double last = (double)q->end[k] - (double)p->end[k];
            start += n[k] * first;
            end += n[k] * last;
            largest = fmax(largest, fmax(fabs(first), fabs(last)));
        }
        least = fmin(least, fmin(start, end));
    }
    /* More than D5's error of distances, so that nothing is ruled out that is within at the start.
     */
    return least > d * (1.0 + 0x1p-40) + 8.0 * PLI_DISTANCE_ERROR * largest;
}

/* Whether an axis has two triangles apart. */
static bool stay_ahead_along_axis(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                                  double d)
{
    bool apart = false;
    for (int axis = 0; axis < 3 && !apart; ++axis) {
        double n[3] = {0.0, 0.0, 0.0};
        n[axis] = 1.0;
        apart = stay_ahead(a, b, n, d) || stay_ahead(b, a, n, d);
    }
    return apart;
}

/* Whether the direction of two points has two triangles apart. */
static bool stay_ahead_along(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                             const pliant_gap *gap, double d)
{
    double n[3], square = 0.0;
    for (int k = 0; k < 3; ++k) {
        n[k] = gap->b.point[k] - gap->a.point[k];
        square += n[k] * n[k];
    }
    double length = sqrt(square) * (1.0 + 0x1p-50);
    for (int k = 0; k < 3; ++k) {
        n[k] /= length;
    }
    return square > 0x1p-900 && stay_ahead(a, b, n, d);
}

static bool stand_still(const pliant_moving_triangle *t)
{
    bool still = true;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            still = still && t->corner[i].start[k] == t->corner[i].end[k];
        }
    }
    return still;
}

/* The distance at time 0. */
static double measure_start(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                            pliant_gap *gap, double *spread, uint64_t *fallbacks)
{
    float x[3][3], y[3][3];
    for (int i = 0; i < 3; ++i) {
        memcpy(x[i], a->corner[i].start, sizeof x[i]);
        memcpy(y[i], b->corner[i].start, sizeof y[i]);
    }
    const float(*p)[3] = (const float(*)[3])x, (*q)[3] = (const float(*)[3])y;
    *spread = pli_coordinate_spread(p, q, 3);
    return pli_triangle_distance(p, q, gap, fallbacks);
}

/* A pair of features by its number. */
static pliant_meeting name_pair(uint32_t number)
{
    pliant_meeting pair = {.kind = PLIANT_MEETING_EDGE_EDGE};
    if (number < 3) {
        pair.kind = PLIANT_MEETING_VERTEX_FACE;
        pair.a = number;
    } else if (number < 6) {
        pair.kind = PLIANT_MEETING_FACE_VERTEX;
        pair.b = number - 3;
    } else {
        pair.a = (number - 6) / 3;
        pair.b = (number - 6) % 3;
    }
    return pair;
}

bool pli_moving_features_approach(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                                  uint32_t open, double d, double limit, pliant_meeting *meeting)
{
    pliant_meeting first = {.kind = PLIANT_MEETING_NONE};
    for (open &= PLI_ALL_FEATURE_PAIRS; open != 0; open &= open - 1) {
        pliant_meeting next = name_pair((uint32_t)__builtin_ctz(open));
        pli_moving_points points;
        double time;
        pli_meeting_points(a, b, &next, &points);
        if (pli_moving_approach(&points, d, limit, &time, NULL) &&
            (first.kind == PLIANT_MEETING_NONE || time < first.time.low)) {
            first = next;
            first.time = (pliant_meeting_time){time, time};
            limit = time;
        }
    }
    if (first.kind != PLIANT_MEETING_NONE && first.time.low == 0.0) {
        first = (pliant_meeting){.kind = PLIANT_MEETING_START};
    }
    *meeting = first;
    return meeting->kind != PLIANT_MEETING_NONE;
}

bool pli_moving_triangles_approach(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                                   double d, double limit, pliant_meeting *meeting,
                                   uint64_t *fallbacks)
{
    if (stay_ahead_along_axis(a, b, d)) {
        return false;
    }
    pliant_gap gap;
    double spread;
    double distance = measure_start(a, b, &gap, &spread, fallbacks);
    if (distance <= d + PLI_DISTANCE_ERROR * spread) {
        *meeting = (pliant_meeting){.kind = PLIANT_MEETING_START};
        return true;
    }
    if ((stand_still(a) && stand_still(b)) || stay_ahead_along(a, b, &gap, d)) {
        return false;
    }
    return pli_moving_features_approach(a, b, PLI_ALL_FEATURE_PAIRS, d, limit, meeting);
}

/* ------------------------------------------------------------- interface */

static PLI_NOINLINE bool approach(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                                  double d, pliant_meeting *meeting)
{
    return d > 0.0 ? pli_moving_triangles_approach(a, b, d, 1.0, meeting, NULL)
                   : pli_moving_triangles_meet(a, b, 1.0, meeting, NULL);
}

bool pliant_moving_triangle_approach(const pliant_moving_triangle *a,
                                     const pliant_moving_triangle *b, float distance,
                                     pliant_meeting *meeting)
{
    pliant_meeting found;
    pli_float_env saved = pli_float_env_enter();
    bool result = approach(a, b, (double)distance, &found);
    pli_float_env_leave(saved);
    if (result && meeting != NULL) {
        *meeting = found;
    }
    return result;
}
