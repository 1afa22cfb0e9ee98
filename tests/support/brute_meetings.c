/* Slow results of pliant_find_meetings() and of the free times that follow from them. */
#include "brute_queries.h"

#include "geometry/moving_approach.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pliant_moving_triangle moving(const slow_mesh *m, uint32_t i)
{
    pliant_moving_triangle t;
    for (int c = 0; c < 3; c++) {
        size_t v = 3 * (size_t)slow_corners(m, i)[c];
        memcpy(t.corner[c].start, m->start + v, sizeof t.corner[c].start);
        memcpy(t.corner[c].end, m->at + v, sizeof t.corner[c].end);
    }
    return t;
}

/* The points of features number 0 to 14 of two triangles of one body: vertices of the first and of
   the second with the other face, then edges. Returns false if they share a vertex. */
static bool moving_features(const slow_query *s, uint32_t i, uint32_t j, int number,
                            pli_moving_points *points)
{
    const uint32_t *p = slow_corners(&s->mesh[0], i), *q = slow_corners(&s->mesh[1], j);
    int k = number < 6 ? number % 3 : (number - 6) / 3, n = (number - 6) % 3;
    const uint32_t *face = number < 3 ? q : p;
    uint32_t of[4] = {number < 3 ? p[k] : q[k], face[0], face[1], face[2]};
    if (number >= 6) {
        const uint32_t edges[4] = {p[k], p[(k + 1) % 3], q[n], q[(n + 1) % 3]};
        memcpy(of, edges, sizeof of);
    }
    int first = number < 6 ? 1 : 2;
    bool share = false;
    for (int a = 0; a < first; a++) {
        for (int b = first; b < 4; b++) {
            share = share || slow_is_shared(&s->mesh[0], NULL, of[a], of[b]);
        }
    }
    *points = (pli_moving_points){.edges = number >= 6};
    for (int c = 0; c < 8; c++) {
        const float *at = c % 2 == 0 ? s->mesh[0].start : s->mesh[0].at;
        points->x[c / 2][c % 2] = at + 3 * (size_t)of[c / 2];
    }
    return !share;
}

static pliant_moving_point moving_point(const pli_moving_points *points, int k)
{
    pliant_moving_point point;
    memcpy(point.start, points->x[k][0], sizeof point.start);
    memcpy(point.end, points->x[k][1], sizeof point.end);
    return point;
}

/* Returns true if features of neighbours meet, at a time later than 0 or come within a distance. */
static bool features_meet(const pli_moving_points *points, float d, double *time)
{
    pliant_moving_point x[4];
    pliant_meeting_time at = {0.0, 0.0};
    for (int k = 0; k < 4; k++) {
        x[k] = moving_point(points, k);
    }
    if (d > 0.0f) {
        return pli_moving_approach(points, (double)d, 1.0, time, NULL);
    }
    const pliant_moving_edge edges[2] = {{{x[0], x[1]}}, {{x[2], x[3]}}};
    const pliant_moving_triangle face = {{x[1], x[2], x[3]}};
    bool meet = points->edges ? pliant_moving_edge_meet(&edges[0], &edges[1], &at)
                              : pliant_moving_point_meet(&x[0], &face, &at);
    *time = at.high;
    return meet && at.high > 0.0;
}

/* Expected meeting of two triangles. */
typedef struct slow_meeting {
    bool meet, exactly; /* exactly: with this meeting; else only the kind is known, if not NONE */
    pliant_meeting meeting;
} slow_meeting;

static slow_meeting expect_neighbours(const slow_query *s, uint32_t i, uint32_t j, float d)
{
    slow_meeting m = {.meet = false};
    pliant_triangle p = slow_triangle(&s->mesh[0], i), q = slow_triangle(&s->mesh[1], j), r, t;
    double first = 2.0, time;
    for (int c = 0; c < 3; c++) {
        memcpy(r.corner[c], s->mesh[0].start + 3 * (size_t)slow_corners(&s->mesh[0], i)[c], 12);
        memcpy(t.corner[c], s->mesh[0].start + 3 * (size_t)slow_corners(&s->mesh[1], j)[c], 12);
    }
    for (int number = 0; number < 15; number++) {
        pli_moving_points points;
        if (moving_features(s, i, j, number, &points) && features_meet(&points, d, &time)) {
            first = fmin(first, time);
        }
    }
    if (slow_touch_beyond(s, s->mesh[0].start, i, j, PLIANT_NEIGHBOURS_BEYOND_SHARED, &r, &t) ||
        (d > 0.0f && first == 0.0)) {
        m = (slow_meeting){true, false, {.kind = PLIANT_MEETING_START}};
    } else if (first <= 1.0) {
        m.meet = true;
    } else if (slow_touch_beyond(s, s->mesh[0].at, i, j, PLIANT_NEIGHBOURS_BEYOND_SHARED, &p, &q)) {
        m = (slow_meeting){true, false, {.kind = PLIANT_MEETING_END}};
    }
    return m;
}

static slow_meeting expect_meeting(const slow_query *s, uint32_t i, uint32_t j, float d)
{
    pliant_moving_triangle p = moving(&s->mesh[0], i), q = moving(&s->mesh[1], j);
    slow_meeting m = {.exactly = true};
    if (slow_are_neighbours(s, NULL, i, j)) {
        return expect_neighbours(s, i, j, d);
    }
    m.meet = d > 0.0f ? pliant_moving_triangle_approach(&p, &q, d, &m.meeting)
                      : pliant_moving_triangle_meet(&p, &q, &m.meeting);
    return m;
}

static bool meeting_is(const pliant_meeting *got, const slow_meeting *m)
{
    if (!m->exactly) {
        return m->meeting.kind == PLIANT_MEETING_NONE
                   ? got->kind != PLIANT_MEETING_START && got->kind != PLIANT_MEETING_END
                   : got->kind == m->meeting.kind;
    }
    const pliant_meeting *b = &m->meeting;
    return got->kind == b->kind && got->a == b->a && got->b == b->b &&
           got->time.low == b->time.low && got->time.high == b->time.high;
}

/* Returns true if times ascend as far as their bounds tell, and pairs of the same time. */
static bool ascend(const pliant_meetings *m)
{
    bool right = true;
    for (uint64_t i = 1; i < m->count && right; i++) {
        const pliant_meeting_time *a = &m->meetings[i - 1].time, *b = &m->meetings[i].time;
        const pliant_pair *p = &m->pairs[i - 1], *q = &m->pairs[i];
        bool same = a->low == a->high && b->low == b->high && a->low == b->low;
        right = a->low <= b->high && (!same || p->a < q->a || (p->a == q->a && p->b < q->b));
    }
    return right;
}

/* The earliest is that of all; free times end before it. */
static bool first_is_right(slow_query *s, const pliant_meetings *all)
{
    pliant_meeting_options first = s->l->arguments.meeting_options;
    pliant_body *const *body = s->l->place.body;
    pliant_query *query = NULL;
    pliant_meetings one;
    pliant_free_time free_time;
    first.mode = PLIANT_COLLIDE_FIRST;
    assert_ok(pliant_query_create(s->l->context, &query));
    assert_ok(s->self ? pliant_find_meetings_self(query, body[0], &first, &one)
                      : pliant_find_meetings(query, body[0], body[1], &first, &one));
    bool right = one.count == (all->count > 0);
    if (right && one.count > 0) {
        right = one.pairs[0].a == all->pairs[0].a && one.pairs[0].b == all->pairs[0].b &&
                meeting_is(&one.meetings[0], &(slow_meeting){true, true, all->meetings[0]});
    }
    assert_ok(s->self ? pliant_find_free_time_self(query, body[0], &first, &free_time)
                      : pliant_find_free_time(query, body[0], body[1], &first, &free_time));
    right = right && free_time.complete;
    if (right && all->count == 0) {
        right = free_time.time == 1.0f && free_time.meeting.kind == PLIANT_MEETING_NONE;
    } else if (right) {
        const pliant_meeting_time *time = &all->meetings[0].time;
        bool starts = all->meetings[0].kind == PLIANT_MEETING_START;
        double after = (double)nextafterf(free_time.time, 2.0f);
        right = free_time.pair.a == all->pairs[0].a && free_time.pair.b == all->pairs[0].b &&
                free_time.touches == starts &&
                (starts ? free_time.time == 0.0f
                        : ((double)free_time.time < time->high || time->high == 0.0) &&
                              after >= time->low);
    }
    pliant_query_destroy(query);
    return right;
}

brute_verdict slow_check_meetings(slow_query *s)
{
    pliant_meeting_options options = s->l->arguments.meeting_options;
    pliant_body *const *body = s->l->place.body;
    pliant_meetings found;
    float distance = options.distance > 0.0f ? slow_distance(s, options.distance) : 0.0f;
    options.mode = PLIANT_COLLIDE_ALL;
    assert_ok(s->self
                  ? pliant_find_meetings_self(s->l->place.query, body[0], &options, &found)
                  : pliant_find_meetings(s->l->place.query, body[0], body[1], &options, &found));
    uint64_t count = 0;
    for (uint32_t i = 0; i < s->mesh[0].count; i++) {
        for (uint32_t j = s->self ? i + 1 : 0; j < s->mesh[1].count; j++) {
            slow_meeting m = expect_meeting(s, i, j, distance);
            uint32_t a = s->mesh[0].number[i], b = s->mesh[1].number[j];
            uint64_t k = 0;
            if (!m.meet || !slow_chosen(s, i, j)) {
                continue;
            }
            while (k < found.count && (found.pairs[k].a != a || found.pairs[k].b != b)) {
                k++;
            }
            count++;
            if (k == found.count || !meeting_is(&found.meetings[k], &m)) {
                snprintf(s->text, 256, "triangles %u and %u: %s", a, b,
                         k == found.count ? "missing" : "another meeting");
                return BRUTE_DIFFERS;
            }
        }
    }
    bool right =
        count == found.count && ascend(&found) && found.complete && first_is_right(s, &found);
    snprintf(s->text, 256, "count is %llu instead of %llu, or the order or the first is wrong",
             (unsigned long long)found.count, (unsigned long long)count);
    return right ? BRUTE_EQUAL : BRUTE_DIFFERS;
}
