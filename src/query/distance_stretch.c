/*
 * The distances of many points to one body, and the sides they lie on.
 *
 * Points are taken in an order in which neighbours follow each other, so that the closest triangle
 * of one point is a good guess for the next: the search then opens little more than what holds the
 * answer. The same neighbours save most lines that winding numbers are counted along: the ball
 * around a point that reaches to its closest triangle does not meet the surface, so that all points
 * in it have the same winding number. Neither changes any answer.
 */
#include "distance_stretch.h"

#include "geometry/vec3.h"
#include "geometry/orient.h"
#include "geometry/triangle_distance.h"
#include "query/nearest.h"
#include "query/surface_normal.h"
#include "query/winding.h"

#include <math.h>
#include <string.h>

enum {
    POINTS_PER_GROUP = 16, /* these share a list of clusters */
    AHEAD = 4              /* points whose memory is asked for before their turn */
};

/* ------------------------------------------------------------------ sides */

static bool in_ball(const pli_empty_ball *b, const float point[3])
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = (double)point[k] - b->centre[k];
        square += d * d;
    }
    return sqrt(square) * (1.0 + 0x1p-40) < b->radius;
}

static void remember_ball(pli_stretch *s, const float point[3], int32_t winding)
{
    double distance = s->nearest.found ? s->nearest.distance : (double)s->q->max_distance;
    pli_empty_ball *b = &s->balls[s->next_ball];
    b->radius = distance * (1.0 - 0x1p-40) - pli_nearest_margin(s->q->body, point);
    b->winding = winding;
    for (int k = 0; k < 3; k++) {
        b->centre[k] = (double)point[k];
    }
    s->next_ball = (s->next_ball + 1) % PLI_EMPTY_BALLS;
    s->ball_count += s->ball_count < PLI_EMPTY_BALLS;
}

static pliant_result find_winding(pli_stretch *s, const float point[3], int32_t *winding)
{
    for (uint32_t i = 1; i <= s->ball_count; i++) {
        const pli_empty_ball *b = &s->balls[(s->next_ball + PLI_EMPTY_BALLS - i) % PLI_EMPTY_BALLS];
        if (in_ball(b, point)) {
            *winding = b->winding;
            return PLIANT_OK;
        }
    }
    pliant_result result = pli_winding_find(&s->walk, point, winding);
    if (result == PLIANT_OK) {
        remember_ball(s, point, *winding);
    }
    return result;
}

/* pli_surface_normal(), which points that are closest to one feature share. */
static pliant_result find_normal(pli_stretch *s, const float at[3], const float *end,
                                 double normal[3])
{
    pli_known_normal *known = &s->normal;
    pliant_result result = PLIANT_OK;
    if (!s->has_normal || known->edge != (end != NULL) || !pli_vec3_equal(known->at, at) ||
        (end != NULL && !pli_vec3_equal(known->end, end))) {
        result = pli_surface_normal(&s->walk, at, end, known->normal);
        known->edge = end != NULL;
        memcpy(known->at, at, sizeof known->at);
        memcpy(known->end, end != NULL ? end : at, sizeof known->end);
        s->has_normal = result == PLIANT_OK;
    }
    memcpy(normal, known->normal, sizeof known->normal);
    return result;
}

/* The side of the surface by its normal at the closest point. Inside of a triangle that is the side
   of its plane, exactly. */
static pliant_result find_surface_side(pli_stretch *s, const float point[3],
                                       pliant_signed_distance *answer)
{
    const pli_nearest *nearest = &s->nearest;
    const pliant_surface_point *at = &answer->closest.at;
    answer->flags |= PLIANT_DISTANCE_BY_SURFACE;
    if (!nearest->found || nearest->distance == 0.0) {
        return PLIANT_OK;
    }
    const float *corner = nearest->corner[at->index], *end = nearest->corner[(at->index + 1) % 3];
    if (at->feature == PLIANT_FEATURE_FACE) {
        answer->side = pli_orient3d(nearest->corner[0], nearest->corner[1], nearest->corner[2],
                                    point, &s->walk.run->worker->stats.exact_fallbacks);
        return PLIANT_OK;
    }
    double normal[3], along = 0.0;
    pliant_result result =
        find_normal(s, corner, at->feature == PLIANT_FEATURE_EDGE ? end : NULL, normal);
    for (int k = 0; k < 3; k++) {
        along += normal[k] * ((double)point[k] - at->point[k]);
    }
    answer->side = (along > 0.0) - (along < 0.0);
    return result;
}

static pliant_result find_side(pli_stretch *s, const float point[3], pliant_signed_distance *answer)
{
    pliant_result result = PLIANT_OK;
    bool cancels = true;
    if (s->q->side == PLI_SIDE_CHECKED) {
        result = pli_winding_find_checked(&s->walk, point, &answer->winding, &cancels);
    } else if (s->q->side == PLI_SIDE_WINDING) {
        result = find_winding(s, point, &answer->winding);
    }
    if (result == PLIANT_OK && s->q->side != PLI_SIDE_SURFACE && cancels) {
        answer->side = answer->winding != 0 ? -1 : 1;
        return PLIANT_OK;
    }
    answer->flags |= cancels ? 0 : PLIANT_DISTANCE_UNCLOSED;
    answer->winding = 0;
    return result == PLIANT_OK ? find_surface_side(s, point, answer) : result;
}

/* ------------------------------------------------------------- directions */

/* From a triangle to a point very close to it, where the rounding of the closest point would bend
   their difference. Corners are not rounded. */
static void direction_close_by(const pli_nearest *nearest, const pliant_surface_point *at,
                               const float point[3], double direction[3])
{
    const float(*corner)[3] = (const float(*)[3])nearest->corner;
    if (at->feature == PLIANT_FEATURE_EDGE) {
        pli_direction_from_line(point, corner[at->index], corner[(at->index + 1) % 3], direction);
    } else if (at->feature == PLIANT_FEATURE_FACE) {
        pli_unit_normal(corner, direction);
        int side = pli_orient3d(corner[0], corner[1], corner[2], point, NULL);
        for (int k = 0; k < 3; k++) {
            direction[k] *= side;
        }
    }
}

/* The unit direction out of the inside. */
static void set_direction(const pli_nearest *nearest, const float point[3],
                          pliant_signed_distance *answer)
{
    const pliant_surface_point *at = &answer->closest.at;
    double d[3], square = 0.0, size = 0.0;
    for (int k = 0; k < 3; k++) {
        d[k] = (double)point[k] - at->point[k];
        square += d[k] * d[k];
        size += fabs((double)point[k]);
    }
    double length = sqrt(square);
    if (at->feature != PLIANT_FEATURE_VERTEX && length < 0x1p-24 * size) {
        direction_close_by(nearest, at, point, d);
        length = 1.0;
    }
    double scale = length > 0.0 ? (double)answer->side / length : 0.0;
    for (int k = 0; k < 3; k++) {
        answer->direction[k] = (float)(d[k] * scale);
    }
}

static pliant_result set_normal(pli_stretch *s, const float point[3],
                                pliant_signed_distance *answer)
{
    double normal[3];
    pliant_result result = find_normal(s, point, NULL, normal);
    for (int k = 0; k < 3; k++) {
        answer->direction[k] = (float)normal[k];
    }
    return result;
}

static pliant_result finish_answer(pli_stretch *s, const float point[3],
                                   pliant_signed_distance *answer)
{
    const pli_nearest *nearest = &s->nearest;
    bool touches = nearest->found && nearest->distance == 0.0;
    pliant_result result = PLIANT_OK;
    if (touches) {
        answer->flags = s->q->side == PLI_SIDE_SURFACE ? PLIANT_DISTANCE_BY_SURFACE : 0;
        return set_normal(s, point, answer);
    }
    result = find_side(s, point, answer);
    double distance = nearest->found ? nearest->distance : (double)INFINITY;
    answer->distance = answer->side < 0 ? -distance : distance;
    if (nearest->found && answer->side != 0) {
        set_direction(nearest, point, answer);
    }
    return result;
}

/* --------------------------------------------------------------- stretches */

/* Everything about a point whose closest triangle is known. */
static pliant_result report(pli_stretch *s, const float point[3], pliant_signed_distance *answer)
{
    answer->distance = 0.0;
    answer->side = answer->winding = 0;
    answer->flags = 0;
    answer->direction[0] = answer->direction[1] = answer->direction[2] = 0.0f;
    pli_nearest_report(&s->nearest, s->q->body->shape, point, &answer->closest);
    s->walk.run->worker->stats.pairs += s->nearest.found;
    return s->q->side != PLI_SIDE_NONE ? finish_answer(s, point, answer) : PLIANT_OK;
}

static pliant_result answer_point(pli_stretch *s, const pli_near_list *list, uint64_t i)
{
    const pli_distance_call *q = s->q;
    const float *point = pli_distance_point(q, i);
    pliant_result result = pli_nearest_find(&s->walk, list, point, q->max_distance, &s->nearest);
    return result == PLIANT_OK ? report(s, point, &q->answers[i]) : result;
}

/*
 * Lists what the points behind the first of a group can be closest to. None of them is farther from
 * the surface than the first one is, plus the diagonal of the box around all.
 */
static pliant_result list_clusters(pli_stretch *s, uint64_t first, uint64_t end,
                                   pli_near_list *list)
{
    const pli_distance_call *q = s->q;
    pliant_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint64_t i = first; i < end; i++) {
        const float *p = pli_distance_point(q, q->order[i] & UINT32_MAX);
        for (int k = 0; k < 3; k++) {
            box.lower[k] = p[k] < box.lower[k] ? p[k] : box.lower[k];
            box.upper[k] = p[k] > box.upper[k] ? p[k] : box.upper[k];
        }
    }
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double side = (double)box.upper[k] - (double)box.lower[k];
        square += side * side;
    }
    double reach = (double)q->max_distance;
    if (s->nearest.found && s->nearest.distance + sqrt(square) < reach) {
        reach = s->nearest.distance + sqrt(square);
    }
    double margin =
        fmax(pli_nearest_margin(q->body, box.lower), pli_nearest_margin(q->body, box.upper));
    return pli_near_list_fill(&s->walk, &box, reach * (1.0 + 0x1p-30) + 2.0 * margin, list);
}

/* Points near each other may lie far apart in memory, and so do their answers. */
static inline void fetch_ahead(const pli_distance_call *q, uint64_t place)
{
    uint64_t i = q->order[place] & UINT32_MAX;
    const char *to = (const char *)&q->answers[i];
    __builtin_prefetch(pli_distance_point(q, i));
    for (size_t offset = 0; offset < sizeof *q->answers; offset += 64) {
        __builtin_prefetch(to + offset, 1);
    }
}

/* A few points near each other: the first by itself, the others with a list of what is near. */
static pliant_result answer_group(pli_stretch *s, uint64_t first, uint64_t end)
{
    const pli_distance_call *q = s->q;
    pli_near_list list;
    list.complete = false;
    pliant_result result = answer_point(s, NULL, q->order[first] & UINT32_MAX);
    if (result == PLIANT_OK && end - first > 1) {
        result = list_clusters(s, first, end, &list);
    }
    for (uint64_t i = first + 1; i < end && result == PLIANT_OK; i++) {
        fetch_ahead(q, i + AHEAD < end ? i + AHEAD : i);
        result = answer_point(s, list.complete ? &list : NULL, q->order[i] & UINT32_MAX);
    }
    return result;
}

void pli_stretch_start(pli_stretch *s, const pli_distance_call *q, pli_run *run)
{
    s->q = q;
    s->walk = (pli_descent){run, pli_context_kernels(q->body->context)->point};
    s->nearest.found = s->has_normal = false;
    s->ball_count = s->next_ball = 0;
}

pliant_result pli_stretch_answer(pli_stretch *s, const float point[3],
                                 pliant_signed_distance *answer)
{
    float most = s->q->max_distance;
    if (pli_distance_is_moderate(s->q, point)) {
        pliant_result result = pli_nearest_find(&s->walk, NULL, point, most, &s->nearest);
        return result == PLIANT_OK ? report(s, point, answer) : result;
    }
    pliant_result result = pli_closest_to(s->walk.run, point, most, &s->nearest);
    s->ball_count = 0;
    result = result == PLIANT_OK ? report(s, point, answer) : result;
    s->nearest.found = false; /* no guess for the next: it is in no cluster */
    return result;
}

void pli_distance_stretch(void *call, uint32_t index, uint32_t worker)
{
    const pli_distance_call *q = call;
    pli_stretch s;
    pli_stretch_start(&s, q, &q->workers[worker].run);
    uint64_t first = (uint64_t)index * PLI_POINTS_PER_STRETCH, end = first + PLI_POINTS_PER_STRETCH;
    end = end < q->ordered ? end : q->ordered;
    pliant_result result = PLIANT_OK;
    for (uint64_t i = first; i < end && result == PLIANT_OK; i += POINTS_PER_GROUP) {
        result = answer_group(&s, i, i + POINTS_PER_GROUP < end ? i + POINTS_PER_GROUP : end);
    }
    if (result != PLIANT_OK) {
        pli_team_note_failure(q->team, worker, index, result);
    }
}

/* Points or bodies beyond what the kernels take: one after the other, without guesses. */
pliant_result pli_distances_plainly(const pli_distance_call *q)
{
    pli_stretch s;
    pliant_result result = PLIANT_OK;
    pli_stretch_start(&s, q, &q->workers[0].run);
    for (uint64_t i = 0; i < q->count && result == PLIANT_OK; i++) {
        const float *point = pli_distance_point(q, i);
        if (!pli_distance_is_moderate(q, point)) {
            result = pli_stretch_answer(&s, point, &q->answers[i]);
        }
    }
    return result;
}
