/*
 * Two moving triangles. Triangles that are apart at time 0 first share a point where a vertex of
 * one meets the face of the other, or an edge of one an edge of the other: six and nine pairs of
 * features, of which the earliest, by exact comparison, is what meets first. Most pairs never get
 * there: all the time one triangle is ahead along an axis, or beside the plane of the other.
 */
#include "moving_triangles.h"

#include "base/float_env.h"
#include "moving_approach.h"
#include "moving_features.h"
#include "triangle_distance.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* A pair of features of two triangles. */
typedef struct feature_pair {
    pliant_meeting meeting;
    pli_moving_points points;
} feature_pair;

static void set_point(pli_moving_points *points, int i, const pliant_moving_point *point)
{
    points->x[i][0] = point->start;
    points->x[i][1] = point->end;
}

static void set_vertex_and_face(pli_moving_points *points, const pliant_moving_point *vertex,
                                const pliant_moving_triangle *face)
{
    points->edges = false;
    set_point(points, 0, vertex);
    for (int i = 0; i < 3; ++i) {
        set_point(points, i + 1, &face->corner[i]);
    }
}

static void set_edges(pli_moving_points *points, const pliant_moving_triangle *a, uint32_t i,
                      const pliant_moving_triangle *b, uint32_t j)
{
    points->edges = true;
    set_point(points, 0, &a->corner[i]);
    set_point(points, 1, &a->corner[(i + 1) % 3]);
    set_point(points, 2, &b->corner[j]);
    set_point(points, 3, &b->corner[(j + 1) % 3]);
}

/* In the order of kinds and numbers. */
static void set_pair(feature_pair *pair, const pliant_moving_triangle *a,
                     const pliant_moving_triangle *b, uint32_t number)
{
    pair->meeting = (pliant_meeting){.kind = PLIANT_MEETING_EDGE_EDGE};
    if (number < 3) {
        pair->meeting.kind = PLIANT_MEETING_VERTEX_FACE;
        pair->meeting.a = number;
        set_vertex_and_face(&pair->points, &a->corner[number], b);
    } else if (number < 6) {
        pair->meeting.kind = PLIANT_MEETING_FACE_VERTEX;
        pair->meeting.b = number - 3;
        set_vertex_and_face(&pair->points, &b->corner[number - 3], a);
    } else {
        pair->meeting.a = (number - 6) / 3;
        pair->meeting.b = (number - 6) % 3;
        set_edges(&pair->points, a, pair->meeting.a, b, pair->meeting.b);
    }
}

/* Whether one triangle is ahead of the other along an axis at both ends of the step. */
static bool keep_order(const pliant_moving_triangle *a, const pliant_moving_triangle *b)
{
    for (int axis = 0; axis < 3; ++axis) {
        bool a_ahead = true, b_ahead = true;
        for (int i = 0; i < 9; ++i) {
            const pliant_moving_point *p = &a->corner[i / 3], *q = &b->corner[i % 3];
            a_ahead = a_ahead && p->start[axis] > q->start[axis] && p->end[axis] > q->end[axis];
            b_ahead = b_ahead && p->start[axis] < q->start[axis] && p->end[axis] < q->end[axis];
        }
        if (a_ahead || b_ahead) {
            return true;
        }
    }
    return false;
}

/* Bounds on where a triangle is along an axis at a time. Rounding is off by 2^-51 of the larger end
   at most: that of the difference, of its product and of the sum. */
static void bound_at(const pliant_moving_triangle *t, int axis, double time, double bound[2])
{
    bound[0] = (double)INFINITY;
    bound[1] = -(double)INFINITY;
    for (int i = 0; i < 3; ++i) {
        double start = t->corner[i].start[axis], end = t->corner[i].end[axis];
        double x = start + time * (end - start);
        double error = 0x1p-50 * (fabs(start) + fabs(end));
        bound[0] = fmin(bound[0], x - error);
        bound[1] = fmax(bound[1], x + error);
    }
}

bool pli_moving_stay_apart(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                           double limit)
{
    for (int axis = 0; axis < 3; ++axis) {
        bool a_ahead = true, b_ahead = true;
        for (int end = 0; end < 2; ++end) {
            double of_a[2], of_b[2];
            bound_at(a, axis, end * limit, of_a);
            bound_at(b, axis, end * limit, of_b);
            a_ahead = a_ahead && of_a[0] > of_b[1];
            b_ahead = b_ahead && of_b[0] > of_a[1];
        }
        if (a_ahead || b_ahead) {
            return true;
        }
    }
    return false;
}

/* The sides of the moving plane of a that the corners of b stay on, for certain; 0: not certain. */
static void find_sides(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                       int side[3])
{
    const pliant_moving_point *o = &a->corner[0], *p = &a->corner[1], *q = &a->corner[2];
    pli_moving_difference u, v, w;
    pli_moving_subtract(p->start, p->end, o->start, o->end, &u);
    pli_moving_subtract(q->start, q->end, o->start, o->end, &v);
    double normal[3][3], size[3];
    for (int axis = 0; axis < 3; ++axis) {
        size[axis] = pli_moving_cross(&u, &v, axis, normal[axis]);
    }
    for (int i = 0; i < 3; ++i) {
        const pliant_moving_point *x = &b->corner[i];
        pli_moving_subtract(x->start, x->end, o->start, o->end, &w);
        double height[4] = {0.0, 0.0, 0.0, 0.0}, sum = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
            pli_moving_add_product(height, normal[axis], w.at[0][axis], w.at[1][axis]);
            sum += size[axis] * w.most[axis];
        }
        side[i] = pli_certain_sign(height, 4, PLI_BERNSTEIN_ERROR * sum);
    }
}

/* What a triangle cannot meet the other with: bit i, corner i stays off the other's plane; bit
   3 + i, the edge from there does, since both its ends stay on one side. */
static uint32_t find_idle(const int side[3])
{
    uint32_t idle = 0;
    for (int i = 0; i < 3; ++i) {
        int next = side[(i + 1) % 3];
        idle |= (uint32_t)(side[i] != 0) << i | (uint32_t)(side[i] != 0 && side[i] == next)
                                                    << (3 + i);
    }
    return idle;
}

/* The same without those of which one feature keeps ahead of the other. */
static uint32_t without_ordered(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                                uint32_t open)
{
    uint32_t left = open;
    for (; open != 0; open &= open - 1) {
        feature_pair pair;
        set_pair(&pair, a, b, (uint32_t)__builtin_ctz(open));
        left &= pli_moving_keep_order(&pair.points) ? ~(open & (0 - open)) : UINT32_MAX;
    }
    return left;
}

uint32_t pli_moving_open_features(const pliant_moving_triangle *a, const pliant_moving_triangle *b)
{
    enum { ALL_EDGES = 7 << 3 };
    int of_a[3], of_b[3];
    if (keep_order(a, b)) {
        return 0;
    }
    find_sides(a, b, of_b);
    uint32_t idle_b = find_idle(of_b);
    if ((idle_b & ALL_EDGES) == ALL_EDGES) {
        return 0;
    }
    find_sides(b, a, of_a);
    uint32_t idle_a = find_idle(of_a);
    if ((idle_a & ALL_EDGES) == ALL_EDGES) {
        return 0;
    }
    uint32_t open = (~idle_a & 7) | (~idle_b & 7) << 3;
    for (uint32_t edge = 0; edge < 9; ++edge) {
        bool idle = (idle_a >> (3 + edge / 3) & 1) || (idle_b >> (3 + edge % 3) & 1);
        open |= (uint32_t)!idle << (6 + edge);
    }
    return without_ordered(a, b, open) | PLI_MAY_MEET;
}

bool pli_moving_touch_at_start(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                               uint64_t *fallbacks)
{
    float x[3][3], y[3][3];
    for (int i = 0; i < 3; ++i) {
        memcpy(x[i], a->corner[i].start, sizeof x[i]);
        memcpy(y[i], b->corner[i].start, sizeof y[i]);
    }
    return pli_triangle_overlap((const float(*)[3])x, (const float(*)[3])y, fallbacks);
}

bool pli_moving_features_meet(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                              uint32_t open, double limit, pliant_meeting *meeting,
                              uint64_t *fallbacks)
{
    feature_pair first = {.meeting = {.kind = PLIANT_MEETING_NONE}}, next;
    for (open &= PLI_ALL_FEATURE_PAIRS; open != 0; open &= open - 1) {
        set_pair(&next, a, b, (uint32_t)__builtin_ctz(open));
        pliant_meeting_time *time = &next.meeting.time;
        if (!pli_moving_meet_until(&next.points, limit, time, fallbacks) || time->high == 0.0) {
            continue;
        }
        if (first.meeting.kind == PLIANT_MEETING_NONE ||
            pli_moving_compare(&next.points, time, &first.points, &first.meeting.time) < 0) {
            first = next;
            limit = time->high < limit ? time->high : limit;
        }
    }
    *meeting = first.meeting;
    return meeting->kind != PLIANT_MEETING_NONE;
}

bool pli_moving_triangles_meet(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                               double limit, pliant_meeting *meeting, uint64_t *fallbacks)
{
    pliant_meeting found = {.kind = PLIANT_MEETING_START};
    uint32_t open = pli_moving_open_features(a, b);
    bool meet = open != 0 && (pli_moving_touch_at_start(a, b, fallbacks) ||
                              pli_moving_features_meet(a, b, open, limit, &found, fallbacks));
    if (meet && meeting != NULL) {
        *meeting = found;
    }
    return meet;
}

void pli_meeting_points(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                        const pliant_meeting *meeting, pli_moving_points *points)
{
    uint32_t number = meeting->kind == PLIANT_MEETING_VERTEX_FACE ? meeting->a
                      : meeting->kind == PLIANT_MEETING_FACE_VERTEX
                          ? 3 + meeting->b
                          : 6 + 3 * meeting->a + meeting->b;
    feature_pair pair;
    set_pair(&pair, a, b, number);
    *points = pair.points;
}

/* ------------------------------------------------------------- interface */

static PLI_NOINLINE bool meet_in_default_env(const pli_moving_points *points,
                                             pliant_meeting_time *time)
{
    return pli_moving_meet(points, time, NULL);
}

static bool meet(const pli_moving_points *points, pliant_meeting_time *time)
{
    pli_float_env saved = pli_float_env_enter();
    bool result = meet_in_default_env(points, time);
    pli_float_env_leave(saved);
    return result;
}

bool pliant_moving_point_meet(const pliant_moving_point *vertex, const pliant_moving_triangle *face,
                              pliant_meeting_time *time)
{
    pli_moving_points points;
    set_vertex_and_face(&points, vertex, face);
    return meet(&points, time);
}

bool pliant_moving_edge_meet(const pliant_moving_edge *a, const pliant_moving_edge *b,
                             pliant_meeting_time *time)
{
    pli_moving_points points = {.edges = true};
    for (int i = 0; i < 2; ++i) {
        set_point(&points, i, &a->end[i]);
        set_point(&points, i + 2, &b->end[i]);
    }
    return meet(&points, time);
}

static PLI_NOINLINE bool triangles_in_default_env(const pliant_moving_triangle *a,
                                                  const pliant_moving_triangle *b,
                                                  pliant_meeting *meeting)
{
    return pli_moving_triangles_meet(a, b, 1.0, meeting, NULL);
}

bool pliant_moving_triangle_meet(const pliant_moving_triangle *a, const pliant_moving_triangle *b,
                                 pliant_meeting *meeting)
{
    pli_float_env saved = pli_float_env_enter();
    bool result = triangles_in_default_env(a, b, meeting);
    pli_float_env_leave(saved);
    return result;
}

/* ------------------------------------------------------------ within a distance */

/*
 * Two moving triangles that come within a distance (D15). Triangles that are farther apart at time
 * 0 first come within it where a vertex of one comes close to the face of the other, or an edge of
 * one to an edge of the other. Most pairs never get there: all the time one direction has them
 * apart, an axis or that of their closest points at time 0.
 */
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
