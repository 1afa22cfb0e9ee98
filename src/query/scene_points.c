/*
 * Closest points and signed distances of many points to the bodies of a scene.
 *
 * Points near each other are taken one after the other. For each the body that the last one was
 * closest to is asked first, then those whose boxes come near, nearest first, up to the best
 * distance so far; bodies whose boxes hold the point are all asked which side it is on. None of
 * that order changes an answer: distances that are compared are computed ones, and a body is left
 * out only if its box is farther away than the best by more than they can be wrong.
 *
 * How wrong that is: a triangle's computed distance may fall short of the distance of its box by
 * PLI_DISTANCE_ERROR times R, the largest difference of a coordinate between point and body, and be
 * found although it exceeds a maximum by as much (query/closest_point.c). R is at most the largest
 * difference between the point and the box around all bodies. Loose boxes without end say nothing
 * about that, so that their bodies are asked about every point.
 */
#include "scene_queries.h"

#include "geometry/triangle_distance.h"
#include "query/distance_stretch.h"

#include <math.h>
#include <string.h>

enum {
    POINTS_PER_PIECE = 64,
    KNOWN_BODIES = 8 /* that a worker remembers from point to point */
};

#define NO_SLOT UINT32_MAX

typedef struct point_call {
    pli_scene_question q;
    pli_distance_call points;               /* what is asked; of no body */
    const pliant_distance_options *options; /* NULL: closest points only */
    pliant_side_rule rule;
    bool sides;      /* they are asked for, */
    bool insides;    /* and those of closed bodies by winding numbers */
    pliant_box room; /* around all bodies but those without end */
    const uint64_t *order;
} point_call;

/* A body that a worker has asked about, and what its last points say about the next. */
typedef struct known_body {
    uint32_t slot;
    pli_run run;
    pli_distance_call points;
    pli_stretch stretch;
} known_body;

/* A worker at a piece. */
typedef struct asker {
    point_call *call;
    uint32_t worker;
    uint32_t last; /* the slot that the last point's answer is about */
    known_body known[KNOWN_BODIES];
} asker;

/* The best answer for a point so far. */
typedef struct best_body {
    uint32_t slot;
    bool inside;
    double distance; /* without a sign */
    pliant_signed_distance answer;
} best_body;

/* --------------------------------------------------------------- one body */

static void forget_body(asker *a, known_body *known)
{
    if (known->slot != NO_SLOT) {
        known->run.tested = known->run.worker->stats.nodes_tested; /* several bodies count there */
        (void)pli_question_leave(&a->call->q, known->slot, a->worker, &known->run, PLIANT_OK);
        known->slot = NO_SLOT;
    }
}

/* Begins to ask about a body; what is remembered of another one in its place is forgotten. */
static pliant_result meet_body(asker *a, uint32_t slot, known_body *known)
{
    const point_call *call = a->call;
    forget_body(a, known);
    pliant_result result = pli_question_enter(&a->call->q, slot, a->worker, &known->run);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_body *body = known->run.body[0];
    known->slot = slot;
    known->points = call->points;
    known->points.scratch = known->run.worker;
    known->points.body = body;
    known->points.moderate = pli_distance_is_body_moderate(body);
    known->points.side = PLI_SIDE_NONE;
    pli_stretch_start(&known->stretch, &known->points, &known->run);
    return call->sides ? pli_distance_choose_side(body, call->rule, &known->points.side)
                       : PLIANT_OK;
}

/* What one body says about a point, within a distance. */
static pliant_result ask_body(asker *a, uint32_t slot, const float point[3], float max_distance,
                              pliant_signed_distance *answer)
{
    known_body *known = &a->known[slot % KNOWN_BODIES];
    pliant_result result = known->slot == slot ? PLIANT_OK : meet_body(a, slot, known);
    if (result != PLIANT_OK) {
        return result;
    }
    known->points.max_distance = max_distance;
    result = pli_stretch_answer(&known->stretch, point, answer);
    return result == PLIANT_OK
               ? PLIANT_OK
               : pli_question_leave(&a->call->q, slot, a->worker, &known->run, result);
}

/* -------------------------------------------------------------- one point */

/* The least float that is not below x. */
static float float_above(double x)
{
    float rounded = (float)x;
    return (double)rounded < x ? nextafterf(rounded, INFINITY) : rounded;
}

/* Inside of a body comes before outside of all; there the deepest is wanted, else the closest. */
static bool is_better(const best_body *a, const best_body *b)
{
    if (b->slot == NO_SLOT || a->inside != b->inside) {
        return b->slot == NO_SLOT || a->inside;
    }
    if (a->distance != b->distance) {
        return a->inside ? a->distance > b->distance : a->distance < b->distance;
    }
    return a->slot < b->slot;
}

/*
 * Asks a body, whose answer may be the best. One that may have the point inside is asked for all
 * that there is up to the maximum, others only for what is closer than the best.
 */
static pliant_result consider(asker *a, uint32_t slot, const float point[3], bool may_hold,
                              best_body *best)
{
    float limit = a->call->points.max_distance;
    if (!may_hold && best->slot != NO_SLOT && best->distance < (double)limit) {
        limit = float_above(best->distance);
    }
    best_body here = {.slot = slot};
    pliant_result result = ask_body(a, slot, point, limit, &here.answer);
    if (result != PLIANT_OK) {
        return result;
    }
    const pliant_signed_distance *answer = &here.answer;
    here.inside = answer->side < 0 && !(answer->flags & PLIANT_DISTANCE_BY_SURFACE);
    here.distance = answer->closest.found ? answer->closest.distance : (double)INFINITY;
    if ((here.inside || answer->closest.found) && is_better(&here, best)) {
        *best = here;
    }
    return PLIANT_OK;
}

/* How far away boxes may be that still matter. */
static double reach_of(const point_call *call, const float point[3], const best_body *best)
{
    double largest = 0.0, limit = (double)call->points.max_distance;
    for (int k = 0; k < 3; k++) {
        double x = (double)point[k];
        largest =
            fmax(largest, fmax((double)call->room.upper[k] - x, x - (double)call->room.lower[k]));
    }
    if (best->slot != NO_SLOT) {
        limit = best->inside ? 0.0 : fmin(limit, best->distance);
    }
    return limit * (1.0 + 0x1p-20) + 4.0 * PLI_DISTANCE_ERROR * largest;
}

/* Bodies that are asked about every point: those without end, and the one of the last answer. */
static pliant_result ask_first(asker *a, const float point[3], best_body *best)
{
    const pli_scene_question *q = &a->call->q;
    const pli_indices *endless = &q->scene->queries->asked.endless;
    pliant_result result = PLIANT_OK;
    if (a->last != NO_SLOT) {
        result = consider(a, a->last, point, a->call->insides, best);
    }
    for (size_t i = 0; i < endless->count && result == PLIANT_OK; i++) {
        if (endless->data[i] != a->last && pli_question_takes(q, endless->data[i])) {
            result = consider(a, endless->data[i], point, a->call->insides, best);
        }
    }
    return result;
}

/* Whether a body is left to be asked. */
static bool is_new(const asker *a, uint32_t slot)
{
    const pliant_scene *scene = a->call->q.scene;
    return slot != a->last && pli_question_takes(&a->call->q, slot) &&
           !(scene->endless_count > 0 && pli_scene_is_endless(&scene->members.data[slot].def));
}

static pliant_result find_best(asker *a, const float point[3], best_body *best)
{
    const point_call *call = a->call;
    pli_broad_walk *walk = &call->q.scene->queries->asking.data[a->worker].walk;
    pliant_result result = ask_first(a, point, best);
    double reach = reach_of(call, point, best);
    pli_broad_walk_step step;
    pli_broad_walk_point(walk, call->q.scene->broad[false], point, reach);
    while (result == PLIANT_OK && pli_broad_walk_next(walk, reach, &step)) {
        if (best->slot != NO_SLOT && best->inside && step.near > 0.0) {
            break; /* boxes that do not hold the point */
        }
        if (is_new(a, step.slot)) {
            result = consider(a, step.slot, point, call->insides && step.near == 0.0, best);
            reach = reach_of(call, point, best);
        }
    }
    return result == PLIANT_OK && walk->failed ? PLIANT_ERROR_OUT_OF_MEMORY : result;
}

static void report_closest(const pliant_scene *scene, const best_body *best,
                           pliant_scene_closest *closest)
{
    if (best->slot == NO_SLOT) {
        *closest = (pliant_scene_closest){.closest = {.triangle = PLIANT_NO_TRIANGLE}};
        return;
    }
    closest->body = pli_scene_id(scene, best->slot);
    closest->user = pli_question_user(scene, best->slot);
    closest->closest = best->answer.closest;
}

static void report_distance(const pliant_scene *scene, const best_body *best,
                            pliant_scene_signed_distance *distance)
{
    if (best->slot == NO_SLOT) {
        *distance = (pliant_scene_signed_distance){
            .distance = {
                .distance = INFINITY, .side = 1, .closest = {.triangle = PLIANT_NO_TRIANGLE}}};
        return;
    }
    distance->body = pli_scene_id(scene, best->slot);
    distance->user = pli_question_user(scene, best->slot);
    distance->distance = best->answer;
}

static pliant_result answer_point(asker *a, uint64_t number)
{
    const pliant_scene *scene = a->call->q.scene;
    const pli_question_arrays *asked = &scene->queries->asked;
    const float *point = pli_distance_point(&a->call->points, number);
    best_body best = {.slot = NO_SLOT};
    pliant_result result = find_best(a, point, &best);
    if (a->call->sides) {
        report_distance(scene, &best, &asked->distances.data[number]);
    } else {
        report_closest(scene, &best, &asked->closest.data[number]);
    }
    a->last = best.slot != NO_SLOT ? best.slot : a->last;
    return result;
}

/* --------------------------------------------------------------- the call */

static void answer_piece(void *argument, uint32_t index, uint32_t worker)
{
    point_call *call = argument;
    asker a;
    a.call = call;
    a.worker = worker;
    a.last = NO_SLOT;
    for (uint32_t i = 0; i < KNOWN_BODIES; i++) {
        a.known[i].slot = NO_SLOT;
    }
    uint64_t first = (uint64_t)index * POINTS_PER_PIECE, end = first + POINTS_PER_PIECE;
    end = end < call->points.count ? end : call->points.count;
    pliant_result result = PLIANT_OK;
    for (uint64_t i = first; i < end && result == PLIANT_OK; i++) {
        result = answer_point(&a, call->order[i] & UINT32_MAX);
    }
    if (result != PLIANT_OK) {
        pli_team_note_failure(&call->q.scene->team, worker, index, result);
    }
    for (uint32_t i = 0; i < KNOWN_BODIES; i++) {
        forget_body(&a, &a.known[i]);
    }
}

/* Puts all points in order, those behind others that cannot be compared with them. */
static pliant_result order_points(point_call *call)
{
    pli_distance_call *points = &call->points;
    pli_worker *scratch = &call->q.scene->queries->workers[0];
    points->scratch = scratch;
    points->moderate = true;
    pliant_result result = pli_distance_order(points);
    for (uint64_t i = 0; i < points->count && result == PLIANT_OK; i++) {
        if (!pli_distance_is_moderate(points, pli_distance_point(points, i))) {
            scratch->order.data[points->ordered++] = i;
        }
    }
    call->order = scratch->order.data;
    return result;
}

/* Bounds all bodies but those whose loose boxes have no end, which are listed. */
static pliant_result bound_bodies(point_call *call)
{
    pliant_scene *scene = call->q.scene;
    pli_indices *endless = &scene->queries->asked.endless;
    endless->count = 0;
    pliant_box *room = &call->room;
    if (scene->endless_count == 0) {
        *room = pli_broad_walk_room(scene->broad[false]);
        return PLIANT_OK;
    }
    for (int k = 0; k < 3; k++) {
        room->lower[k] = INFINITY;
        room->upper[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        const pli_member *member = &scene->members.data[i];
        if (member->body == NULL) {
            continue;
        }
        if (pli_scene_is_endless(&member->def)) {
            if (!PLI_PUSH(scene->context, endless, i)) {
                return PLIANT_ERROR_OUT_OF_MEMORY;
            }
            continue;
        }
        pliant_box box = pli_scene_member_box(member);
        for (int k = 0; k < 3; k++) {
            room->lower[k] = fminf(room->lower[k], box.lower[k]);
            room->upper[k] = fmaxf(room->upper[k], box.upper[k]);
        }
    }
    return PLIANT_OK;
}

/* Fails if an open body takes part in a question about insides. */
static pliant_result check_insides(const point_call *call)
{
    const pliant_scene *scene = call->q.scene;
    bool wanted = call->rule == PLIANT_SIDE_INSIDE && scene->open_count > 0;
    for (uint32_t i = 0; wanted && i < scene->slot_count; i++) {
        const pliant_body *body = scene->members.data[i].body;
        if (body != NULL && !body->shape->block->is_closed && pli_question_takes(&call->q, i)) {
            return pli_fail(PLIANT_ERROR_ARGUMENT,
                            "body %u has no inside: %u edges of its shape are open", i,
                            body->shape->block->quality.open_edge_count);
        }
    }
    return PLIANT_OK;
}

static uint64_t count_found(const point_call *call)
{
    const pli_question_arrays *asked = &call->q.scene->queries->asked;
    uint64_t found = 0;
    for (uint64_t i = 0; i < call->points.count; i++) {
        found += call->sides ? asked->distances.data[i].distance.closest.found
                             : asked->closest.data[i].closest.found;
    }
    return found;
}

static pliant_result answer_points(pliant_scene *scene, pli_scene_call *entry)
{
    point_call *call = entry->argument;
    pli_question_arrays *asked = &scene->queries->asked;
    uint64_t count = call->points.count;
    pliant_result result = pli_question_begin(&call->q, scene, entry->select);
    if (result == PLIANT_OK) {
        result = check_insides(call);
    }
    if (result == PLIANT_OK &&
        !(call->sides ? PLI_RESERVE(scene->context, &asked->distances, count)
                      : PLI_RESERVE(scene->context, &asked->closest, count))) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (result == PLIANT_OK && count > 0) {
        result = bound_bodies(call);
    }
    if (result == PLIANT_OK && count > 0) {
        result = order_points(call);
    }
    if (result == PLIANT_OK) {
        uint64_t pieces = (count + POINTS_PER_PIECE - 1) / POINTS_PER_PIECE;
        result = pli_question_run(&call->q, answer_piece, call, pieces);
    }
    pli_question_end(&call->q, result == PLIANT_OK ? count_found(call) : 0);
    entry->answer = call->sides ? (const void *)asked->distances.data : asked->closest.data;
    return result;
}

/* Checks points and measures them; results are then the scene's. */
static pliant_result measure(const char *name, pliant_scene *scene, point_call *call,
                             const pliant_scene_select *select)
{
    pli_distance_call *points = &call->points;
    points->stride = points->stride == 0 ? 3 * sizeof(float) : points->stride;
    pliant_result result = pli_points_check(points);
    if (result == PLIANT_OK) {
        result = pli_select_check(select);
    }
    if (result == PLIANT_OK && (unsigned)call->rule > PLIANT_SIDE_SURFACE) {
        result = pli_fail(PLIANT_ERROR_RANGE, "side is %d", (int)call->rule);
    }
    const void *limit = &points->max_distance;
    pli_scene_call entry = {
        .name = name,
        .recorded = {.query = call->sides ? PLIANT_RECORDED_MEASURE_DISTANCES
                                          : PLIANT_RECORDED_FIND_CLOSEST_POINTS,
                     .arguments = {points->points, call->sides ? call->options : limit, select},
                     .count = points->count,
                     .stride = points->stride},
        .select = select,
        .run = answer_points,
        .argument = call};
    return result == PLIANT_OK ? pli_scene_enter(scene, &entry) : result;
}

pliant_result pliant_scene_find_closest_points(pliant_scene *scene, const float *points,
                                               uint64_t count, size_t stride, float max_distance,
                                               const pliant_scene_select *select,
                                               pliant_scene_closest *closest)
{
    PLI_REQUIRE(scene);
    if (count > 0) {
        PLI_REQUIRE(points);
        PLI_REQUIRE(closest);
    }
    point_call call = {.points = {.points = (const char *)points,
                                  .stride = stride,
                                  .count = count,
                                  .max_distance = max_distance}};
    pliant_result result = measure(__func__, scene, &call, select);
    if (result == PLIANT_OK && count > 0) {
        memcpy(closest, scene->queries->asked.closest.data, (size_t)count * sizeof *closest);
    }
    return result;
}

pliant_result pliant_scene_measure_distances(pliant_scene *scene, const float *points,
                                             uint64_t count, size_t stride,
                                             const pliant_distance_options *options,
                                             const pliant_scene_select *select,
                                             pliant_scene_signed_distance *distances)
{
    PLI_REQUIRE(scene);
    if (count > 0) {
        PLI_REQUIRE(points);
        PLI_REQUIRE(distances);
    }
    pliant_distance_options defaults = pliant_distance_options_default();
    if (options == NULL) {
        options = &defaults;
    }
    PLI_REQUIRE_TAG(options, pliant_distance_options);
    point_call call = {.points = {.points = (const char *)points,
                                  .stride = stride,
                                  .count = count,
                                  .max_distance = options->max_distance},
                       .options = options,
                       .rule = options->side,
                       .sides = true,
                       .insides = options->side != PLIANT_SIDE_SURFACE};
    pliant_result result = measure(__func__, scene, &call, select);
    if (result == PLIANT_OK && count > 0) {
        memcpy(distances, scene->queries->asked.distances.data, (size_t)count * sizeof *distances);
    }
    return result;
}
