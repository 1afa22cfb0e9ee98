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

/* The corners of one triangle as seen from those of another, at time 0 and at a limit. What is
   farther than `far`, all corners along one direction, is beyond D15's limit from 0 to there: no
   such pair is reported as close. Rounding is below 2^-50 of the
   largest difference. */
typedef struct relative_corners {
    double x[18][3];
    double far;
} relative_corners;

static void set_relative(relative_corners *r, const pliant_moving_triangle *a,
                         const pliant_moving_triangle *b, double d, double limit)
{
    double largest = 0.0;
    for (int i = 0; i < 27; ++i) {
        const pliant_moving_point *p = &a->corner[i / 9], *q = &b->corner[i / 3 % 3];
        int k = i % 3;
        double first = (double)q->start[k] - (double)p->start[k];
        double last = (double)q->end[k] - (double)p->end[k];
        largest = fabs(first) > largest ? fabs(first) : largest;
        largest = fabs(last) > largest ? fabs(last) : largest;
        r->x[i / 3][k] = first;
        r->x[9 + i / 3][k] = (1.0 - limit) * first + limit * last;
    }
    r->far = d * (1.0 + 0x1p-19) + 0x1p-43 * largest;
}

/* A gap between boxes is rounded. If it then exceeds d, which is a float32, so does the gap. */
bool pli_moving_boxes_apart(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                            double d)
{
    bool apart = false;
    for (int k = 0; k < 3 && !apart; ++k) {
        float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 6; ++i) {
            const pliant_moving_point *p = i < 3 ? &a->corner[i] : &b->corner[i - 3];
            low[i / 3] = fminf(low[i / 3], fminf(p->start[k], p->end[k]));
            high[i / 3] = fmaxf(high[i / 3], fmaxf(p->start[k], p->end[k]));
        }
        apart = (double)low[0] - (double)high[1] > d || (double)low[1] - (double)high[0] > d;
    }
    return apart;
}

/* Whether an axis has the triangles apart. */
static bool are_far_along_axis(const relative_corners *r)
{
    bool far = false;
    for (int k = 0; k < 3 && !far; ++k) {
        double low = r->x[0][k], high = low;
        for (int i = 1; i < 18; ++i) {
            low = r->x[i][k] < low ? r->x[i][k] : low;
            high = r->x[i][k] > high ? r->x[i][k] : high;
        }
        far = low > r->far || high < -r->far;
    }
    return far;
}

/* Whether the direction of two points, in which n is 1 or less long, does. */
static bool are_far_along(const relative_corners *r, const pliant_gap *gap)
{
    double n[3], square = 0.0;
    for (int k = 0; k < 3; ++k) {
        n[k] = gap->b.point[k] - gap->a.point[k];
        square += n[k] * n[k];
    }
    double length = sqrt(square) * (1.0 + 0x1p-50);
    bool far = square > 0x1p-900;
    for (int i = 0; i < 18 && far; ++i) {
        double along = n[0] * r->x[i][0] + n[1] * r->x[i][1] + n[2] * r->x[i][2];
        far = along > r->far * length;
    }
    return far;
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
    if (pli_moving_boxes_apart(a, b, d)) {
        return false; /* boxes of trees leave out such pairs, or keep them */
    }
    relative_corners relative;
    set_relative(&relative, a, b, d, limit);
    if (are_far_along_axis(&relative)) {
        return false;
    }
    pliant_gap gap;
    double spread;
    double distance = measure_start(a, b, &gap, &spread, fallbacks);
    if (distance <= d + PLI_DISTANCE_ERROR * spread) {
        *meeting = (pliant_meeting){.kind = PLIANT_MEETING_START};
        return true;
    }
    if ((stand_still(a) && stand_still(b)) || are_far_along(&relative, &gap)) {
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
