/*
 * The distances of many points to one body, and the sides they lie on.
 *
 * Points are taken in an order in which neighbours follow each other, so that the closest triangle
 * of one point is a good guess for the next: the search then opens little more than what holds the
 * answer. The same neighbours save most lines that winding numbers are counted along: the ball
 * around a point that reaches to its closest triangle does not meet the surface, so that all points
 * in it have the same winding number. Neither changes any answer.
 */
#include "pliant/distance.h"

#include "base/checked.h"
#include "base/float_env.h"
#include "base/sort.h"
#include "geometry/normal.h"
#include "geometry/orient.h"
#include "geometry/triangle_distance.h"
#include "query/nearest.h"
#include "query/surface_normal.h"
#include "query/winding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    POINTS_PER_TASK = 512, /* each begins without a guess */
    POINTS_PER_GROUP = 16, /* these share a list of clusters */
    BALLS = 8,             /* remembered for the next points */
    AHEAD = 4              /* points whose memory is asked for before their turn */
};

/* How the side of a point is found. */
typedef enum side_method {
    SIDE_NONE,    /* it was not asked for */
    SIDE_WINDING, /* by winding numbers; the surface is certainly closed */
    SIDE_CHECKED, /* the same where the surface may have come apart */
    SIDE_SURFACE
} side_method;

/* One call on its way. */
typedef struct inquiry {
    pliant_query *query;
    pliant_body *body;
    const char *points;
    size_t stride;
    uint64_t count;
    float max_distance;
    side_method side;
    bool alone;            /* one worker does it all */
    const uint64_t *order; /* points in the order they are taken: number in the lower half */
    pliant_signed_distance *answers;
} inquiry;

static const float *point_at(const inquiry *q, uint64_t i)
{
    return (const float *)(const void *)(q->points + i * q->stride);
}

/* A ball that does not meet the surface, with the winding number of its points. */
typedef struct ball {
    double centre[3], radius;
    int32_t winding;
} ball;

/* A stretch of points that one worker takes one after the other. */
typedef struct stretch {
    const inquiry *q;
    pli_point_walk walk;
    pli_nearest nearest;
    ball balls[BALLS];
    uint32_t ball_count, next_ball;
} stretch;

/* ------------------------------------------------------------------ sides */

static bool in_ball(const ball *b, const float point[3])
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = (double)point[k] - b->centre[k];
        square += d * d;
    }
    return sqrt(square) * (1.0 + 0x1p-40) < b->radius;
}

static void remember_ball(stretch *s, const float point[3], int32_t winding)
{
    double distance = s->nearest.found ? s->nearest.distance : (double)s->q->max_distance;
    ball *b = &s->balls[s->next_ball];
    b->radius = distance * (1.0 - 0x1p-40) - pli_nearest_margin(s->q->body, point);
    b->winding = winding;
    for (int k = 0; k < 3; k++) {
        b->centre[k] = (double)point[k];
    }
    s->next_ball = (s->next_ball + 1) % BALLS;
    s->ball_count += s->ball_count < BALLS;
}

static pliant_result find_winding(stretch *s, const float point[3], int32_t *winding)
{
    for (uint32_t i = 1; i <= s->ball_count; i++) {
        const ball *b = &s->balls[(s->next_ball + BALLS - i) % BALLS];
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

/* The side of the surface by its normal at the closest point. Inside of a triangle that is the side
   of its plane, exactly. */
static pliant_result find_surface_side(stretch *s, const float point[3],
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
                                    point, &s->walk.worker->costs.exact_fallbacks);
        return PLIANT_OK;
    }
    double normal[3], along = 0.0;
    pliant_result result = pli_surface_normal(
        &s->walk, corner, at->feature == PLIANT_FEATURE_EDGE ? end : NULL, normal);
    for (int k = 0; k < 3; k++) {
        along += normal[k] * ((double)point[k] - at->point[k]);
    }
    answer->side = (along > 0.0) - (along < 0.0);
    return result;
}

static pliant_result find_side(stretch *s, const float point[3], pliant_signed_distance *answer)
{
    pliant_result result = PLIANT_OK;
    bool cancels = true;
    if (s->q->side == SIDE_CHECKED) {
        result = pli_winding_find_checked(&s->walk, point, &answer->winding, &cancels);
    } else if (s->q->side == SIDE_WINDING) {
        result = find_winding(s, point, &answer->winding);
    }
    if (result == PLIANT_OK && s->q->side != SIDE_SURFACE && cancels) {
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

static pliant_result set_normal(stretch *s, const float point[3], pliant_signed_distance *answer)
{
    double normal[3];
    pliant_result result = pli_surface_normal(&s->walk, point, NULL, normal);
    for (int k = 0; k < 3; k++) {
        answer->direction[k] = (float)normal[k];
    }
    return result;
}

static pliant_result finish_answer(stretch *s, const float point[3], pliant_signed_distance *answer)
{
    const pli_nearest *nearest = &s->nearest;
    bool touches = nearest->found && nearest->distance == 0.0;
    pliant_result result = PLIANT_OK;
    if (touches) {
        answer->flags = s->q->side == SIDE_SURFACE ? PLIANT_DISTANCE_BY_SURFACE : 0;
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
static pliant_result report(stretch *s, const float point[3], pliant_signed_distance *answer)
{
    answer->distance = 0.0;
    answer->side = answer->winding = 0;
    answer->flags = 0;
    answer->direction[0] = answer->direction[1] = answer->direction[2] = 0.0f;
    pli_nearest_report(&s->nearest, s->q->body->shape, point, &answer->closest);
    s->walk.worker->costs.pairs += s->nearest.found;
    return s->q->side != SIDE_NONE ? finish_answer(s, point, answer) : PLIANT_OK;
}

static pliant_result answer_point(stretch *s, const pli_near_list *list, uint64_t i)
{
    const inquiry *q = s->q;
    const float *point = point_at(q, i);
    pliant_result result = pli_nearest_find(&s->walk, list, point, q->max_distance, &s->nearest);
    return result == PLIANT_OK ? report(s, point, &q->answers[i]) : result;
}

/*
 * Lists what the points behind the first of a group can be closest to. None of them is farther from
 * the surface than the first one is, plus the diagonal of the box around all.
 */
static pliant_result list_clusters(stretch *s, uint64_t first, uint64_t end, pli_near_list *list)
{
    const inquiry *q = s->q;
    pliant_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint64_t i = first; i < end; i++) {
        const float *p = point_at(q, q->order[i] & UINT32_MAX);
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
static inline void fetch_ahead(const inquiry *q, uint64_t place)
{
    uint64_t i = q->order[place] & UINT32_MAX;
    const char *to = (const char *)&q->answers[i];
    __builtin_prefetch(point_at(q, i));
    for (size_t offset = 0; offset < sizeof *q->answers; offset += 64) {
        __builtin_prefetch(to + offset, 1);
    }
}

/* A few points near each other: the first by itself, the others with a list of what is near. */
static pliant_result answer_group(stretch *s, uint64_t first, uint64_t end)
{
    const inquiry *q = s->q;
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

static void start_stretch(stretch *s, const inquiry *q, uint32_t worker)
{
    s->q = q;
    s->walk = (pli_point_walk){.body = q->body,
                               .worker = &q->query->point_workers[worker],
                               .kernels = pli_context_kernels(q->query->context)->point,
                               .alone = q->alone};
    s->nearest.found = false;
    s->ball_count = s->next_ball = 0;
}

static void note_failure(pli_point_worker *worker, uint64_t task, pliant_result result)
{
    if (worker->result == PLIANT_OK || task < worker->failed_at) {
        worker->result = result;
        worker->failed_at = task;
        snprintf(worker->message, sizeof worker->message, "%s", pliant_last_error());
    }
}

static void answer_stretch(void *argument, uint32_t index, uint32_t worker)
{
    const inquiry *q = argument;
    stretch s;
    start_stretch(&s, q, worker);
    uint64_t first = (uint64_t)index * POINTS_PER_TASK, end = first + POINTS_PER_TASK;
    end = end < q->count ? end : q->count;
    pliant_result result = PLIANT_OK;
    for (uint64_t i = first; i < end && result == PLIANT_OK; i += POINTS_PER_GROUP) {
        result = answer_group(&s, i, i + POINTS_PER_GROUP < end ? i + POINTS_PER_GROUP : end);
    }
    if (result != PLIANT_OK) {
        note_failure(s.walk.worker, index, result);
    }
}

/* Points or bodies beyond what the kernels take: one after the other, without guesses. */
static pliant_result answer_plainly(inquiry *q, pli_run *run)
{
    stretch s;
    pliant_result result = PLIANT_OK;
    start_stretch(&s, q, 0);
    for (uint64_t i = 0; i < q->count && result == PLIANT_OK; i++) {
        const float *point = point_at(q, i);
        pliant_signed_distance *answer = &q->answers[i];
        result = pli_closest_to(run, point, q->max_distance, &s.nearest);
        if (result == PLIANT_OK) {
            s.ball_count = 0;
            result = report(&s, point, answer);
        }
    }
    return result;
}

/* ----------------------------------------------------------- the whole call */

/* Spreads the lowest ten bits of x, two places between each. */
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 16) & UINT64_C(0x030000ff);
    x = (x | x << 8) & UINT64_C(0x0300f00f);
    x = (x | x << 4) & UINT64_C(0x030c30c3);
    return (x | x << 2) & UINT64_C(0x09249249);
}

/* The points along a curve that goes through cells of their box, one near the other. */
static pliant_result order_points(inquiry *q)
{
    pliant_query *query = q->query;
    size_t count = (size_t)q->count;
    uint64_t *keys =
        pli_grow(query->context, query->order, &query->order_capacity, count, sizeof *keys);
    query->order = keys != NULL ? keys : query->order;
    uint64_t *scratch = pli_grow(query->context, query->order_scratch,
                                 &query->order_scratch_capacity, count, sizeof *scratch);
    query->order_scratch = scratch != NULL ? scratch : query->order_scratch;
    if (keys == NULL || scratch == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint64_t i = 0; i < q->count; i++) {
        const float *p = point_at(q, i);
        for (int k = 0; k < 3; k++) {
            lower[k] = (double)p[k] < lower[k] ? (double)p[k] : lower[k];
            upper[k] = (double)p[k] > upper[k] ? (double)p[k] : upper[k];
        }
    }
    double side = fmax(upper[0] - lower[0], fmax(upper[1] - lower[1], upper[2] - lower[2]));
    double cells = side > 0.0 ? 1023.0 / side : 0.0;
    for (uint64_t i = 0; i < q->count; i++) {
        const float *p = point_at(q, i);
        uint64_t key = 0;
        for (int k = 0; k < 3; k++) {
            key |= spread_bits((uint64_t)(((double)p[k] - lower[k]) * cells)) << k;
        }
        keys[i] = key << 32 | i;
    }
    pli_sort_keys(keys, scratch, NULL, NULL, count);
    q->order = keys;
    return PLIANT_OK;
}

static bool is_moderate(const inquiry *q)
{
    bool moderate = true;
    for (int k = 0; k < 6; k++) {
        moderate = moderate && fabsf(q->body->top.box.side[k][0]) < PLI_POINT_MODERATE;
    }
    for (uint64_t i = 0; i < q->count && moderate; i++) {
        const float *p = point_at(q, i);
        moderate = fabsf(p[0]) < PLI_POINT_MODERATE && fabsf(p[1]) < PLI_POINT_MODERATE &&
                   fabsf(p[2]) < PLI_POINT_MODERATE;
    }
    return moderate;
}

/* The first failure in the order of tasks, if any; and what all workers did. */
static pliant_result gather_workers(const inquiry *q, uint32_t workers)
{
    const pli_point_worker *failure = NULL;
    pliant_stats *stats = &q->query->stats;
    for (uint32_t w = 0; w < workers; w++) {
        const pli_point_worker *worker = &q->query->point_workers[w];
        const pliant_stats *costs = &worker->costs;
        stats->nodes_tested += costs->nodes_tested;
        stats->triangle_tests += costs->triangle_tests;
        stats->exact_fallbacks += costs->exact_fallbacks;
        stats->lines += costs->lines;
        stats->pairs += costs->pairs;
        pli_refresh_counts *all = &q->body->counts;
        all->nodes += worker->made.nodes;
        all->clusters += worker->made.clusters;
        all->vertices += worker->made.vertices;
        all->vertices_on_demand += worker->made.vertices_on_demand;
        all->clusters_on_demand += worker->made.clusters_on_demand;
        if (worker->result != PLIANT_OK &&
            (failure == NULL || worker->failed_at < failure->failed_at)) {
            failure = worker;
        }
    }
    return failure != NULL ? pli_fail(failure->result, "%s", failure->message) : PLIANT_OK;
}

static void reset_workers(pliant_query *query, uint32_t workers)
{
    for (uint32_t w = 0; w < workers; w++) {
        pli_point_worker *worker = &query->point_workers[w];
        worker->made = (pli_refresh_counts){0};
        worker->arena = (pli_arena){.counts = &worker->made, .worker = w};
        worker->costs = (pliant_stats){0};
        worker->result = PLIANT_OK;
    }
}

static pliant_result answer_all(inquiry *q, pli_run *run)
{
    pliant_context *context = q->query->context;
    uint32_t workers = pliant_context_get_worker_count(context);
    reset_workers(q->query, workers);
    uint32_t tasks = (uint32_t)((q->count + POINTS_PER_TASK - 1) / POINTS_PER_TASK);
    bool moderate = is_moderate(q);
    q->alone = workers == 1 || tasks < 2 || !moderate;
    pliant_result result = moderate ? order_points(q) : answer_plainly(q, run);
    if (result == PLIANT_OK && moderate) {
        if (q->alone) {
            for (uint32_t i = 0; i < tasks; i++) {
                answer_stretch(q, i, 0);
            }
        } else {
            result = pli_context_run(context, answer_stretch, q, tasks);
        }
    }
    pliant_result gathered = gather_workers(q, workers);
    return result == PLIANT_OK ? gathered : result;
}

static pliant_result make_room(inquiry *q)
{
    pliant_query *query = q->query;
    pliant_signed_distance *answers =
        pli_grow(query->context, query->distances, &query->distance_capacity, (size_t)q->count,
                 sizeof *answers);
    if (answers == NULL || pli_query_point_workers(query) == NULL) {
        query->distances = answers != NULL ? answers : query->distances;
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    query->distances = q->answers = answers;
    return PLIANT_OK;
}

static pliant_result check_points(const inquiry *q)
{
    for (uint64_t i = 0; i < q->count; i++) {
        const float *p = point_at(q, i);
        for (int k = 0; k < 3; k++) {
            if (!isfinite(p[k])) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE, "point %llu: coordinate %c is %f",
                                (unsigned long long)i, "xyz"[k], (double)p[k]);
            }
        }
    }
    return PLIANT_OK;
}

static pliant_result check_arguments(const inquiry *q)
{
    size_t bytes = 0;
    if (q->stride < 3 * sizeof(float) || q->stride % sizeof(float) != 0) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "stride is %zu; it must be 0 or a multiple of 4 from 12 on", q->stride);
    }
    if (q->count > UINT32_MAX || !pli_size_multiply(q->stride, (size_t)q->count, &bytes)) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%llu points", (unsigned long long)q->count);
    }
    if (isnan(q->max_distance)) {
        return pli_fail(PLIANT_ERROR_NOT_FINITE, "max_distance is not a number");
    }
    if (q->max_distance < 0.0f) {
        return pli_fail(PLIANT_ERROR_RANGE, "max_distance is %f; it must be 0 or more",
                        (double)q->max_distance);
    }
    return check_points(q);
}

/* Answers into the query's own array, so that a failure leaves the caller's as it was. */
static pliant_result answer(inquiry *q)
{
    pli_run run;
    pliant_result result = check_arguments(q);
    if (result == PLIANT_OK) {
        pli_run_init(&run, q->query, q->body, NULL);
        result = pli_run_begin(&run);
    }
    if (result == PLIANT_OK) {
        result = make_room(q);
    }
    if (result == PLIANT_OK && q->count > 0) {
        result = answer_all(q, &run);
    }
    if (result == PLIANT_OK) {
        pli_run_end(&run, q->query->stats.pairs);
    }
    return result;
}

/* How the sides of a body's points are told; fails for an open one that is to have an inside. */
static pliant_result choose_side(const pliant_body *body, pliant_side_rule rule, side_method *side)
{
    const pliant_shape *shape = body->shape;
    *side = SIDE_SURFACE;
    switch (rule) {
    case PLIANT_SIDE_SURFACE:
        return PLIANT_OK;
    case PLIANT_SIDE_INSIDE:
        if (!shape->block->is_closed) {
            return pli_fail(PLIANT_ERROR_ARGUMENT,
                            "the body has no inside: %u edges of its shape are open",
                            shape->block->quality.open_edge_count);
        }
        break;
    case PLIANT_SIDE_AUTO:
        if (!shape->block->is_closed) {
            return PLIANT_OK;
        }
        break;
    default:
        return pli_fail(PLIANT_ERROR_RANGE, "side is %d", (int)rule);
    }
    /* Vertices that were welded move alike unless each is given its position. */
    bool seams = shape->block->quality.welded_vertex_count != shape->vertex_count;
    *side = seams && body->by_positions ? SIDE_CHECKED : SIDE_WINDING;
    return PLIANT_OK;
}

static PLI_NOINLINE pliant_result measure(inquiry *q, pliant_side_rule rule,
                                          pliant_signed_distance *distances)
{
    pliant_result result = choose_side(q->body, rule, &q->side);
    result = result == PLIANT_OK ? answer(q) : result;
    if (result == PLIANT_OK && q->count > 0) {
        memcpy(distances, q->answers, (size_t)q->count * sizeof *distances);
    }
    return result;
}

static PLI_NOINLINE pliant_result find_closest(inquiry *q, pliant_closest *closest)
{
    pliant_result result = answer(q);
    for (uint64_t i = 0; result == PLIANT_OK && i < q->count; i++) {
        closest[i] = q->answers[i].closest;
    }
    return result;
}

pliant_distance_options pliant_distance_options_default(void)
{
    pliant_distance_options options = {.tag = PLI_TAG(pliant_distance_options),
                                       .max_distance = INFINITY};
    return options;
}

pliant_result pliant_measure_distances(pliant_query *query, pliant_body *body, const float *points,
                                       uint64_t count, size_t stride,
                                       const pliant_distance_options *options,
                                       pliant_signed_distance *distances)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    if (count > 0) {
        PLI_REQUIRE(points);
        PLI_REQUIRE(distances);
    }
    pliant_distance_options defaults = pliant_distance_options_default();
    if (options == NULL) {
        options = &defaults;
    }
    PLI_REQUIRE_TAG(options, pliant_distance_options);
    inquiry q = {.query = query,
                 .body = body,
                 .points = (const char *)points,
                 .stride = stride == 0 ? 3 * sizeof(float) : stride,
                 .count = count,
                 .max_distance = options->max_distance};
    pli_float_env env = pli_float_env_enter();
    pliant_result result = measure(&q, options->side, distances);
    pli_float_env_leave(env);
    return result;
}

pliant_result pliant_find_closest_points(pliant_query *query, pliant_body *body,
                                         const float *points, uint64_t count, size_t stride,
                                         float max_distance, pliant_closest *closest)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE_IDLE(query, "the query");
    PLI_REQUIRE(body);
    if (count > 0) {
        PLI_REQUIRE(points);
        PLI_REQUIRE(closest);
    }
    inquiry q = {.query = query,
                 .body = body,
                 .points = (const char *)points,
                 .stride = stride == 0 ? 3 * sizeof(float) : stride,
                 .count = count,
                 .max_distance = max_distance,
                 .side = SIDE_NONE};
    pli_float_env env = pli_float_env_enter();
    pliant_result result = find_closest(&q, closest);
    pli_float_env_leave(env);
    return result;
}
