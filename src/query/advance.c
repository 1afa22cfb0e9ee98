/*
 * Advances bodies along their way as far as nothing meets, or comes within a distance. Where a
 * vertex is at a time, rounded to float32, lies off its straight way, so the way from the start to
 * the rounded state is another motion. It is asked about in turn, and the time shrinks until that
 * motion is free.
 */
#include "query/meetings.h"
#include "query/near_clusters.h"

#include "base/clock.h"
#include "base/float_env.h"

#include <math.h>
#include <string.h>

static const pliant_advance_options default_options = {
    .self = true,
    .tag = PLI_TAG(pliant_advance_options),
};

PLIANT_DEFINE_DEFAULT(pliant_advance_options)
{
    return default_options;
}

/* Bodies that are advanced. */
typedef struct journey {
    pli_worker *worker; /* its scratch is used */
    pliant_body *const *bodies;
    uint32_t count;
    bool of_scene; /* all bodies of a scene that is in a call, by slot, NULL in free ones */
    const char *call;
    /* Finds the least free time of all bodies that may meet, at least one of which moves; what it
       needs besides is behind `with`. */
    pliant_result (*find_least)(const struct journey *a, pliant_advance *least);
    const void *with;
    pli_traveller *travellers; /* by body */
} journey;

/* ---------------------------------------------------------------- checks */

/* The first vertex that does not end where it starts; the vertex count if the body stands still. */
static uint32_t first_moved(const pliant_body *body)
{
    uint32_t count = body->shape->vertex_count, v = 0;
    for (bool same = true; body->start != NULL && v < count && same; v += same) {
        float start[3], end[3];
        pli_body_vertex(body->start, v, start);
        pli_body_vertex(body, v, end);
        same = start[0] == end[0] && start[1] == end[1] && start[2] == end[2];
    }
    return body->start != NULL ? v : count;
}

static bool is_placed(const pliant_body *body)
{
    return !body->by_positions || pli_body_own_transform(body) != NULL || body->pose.world != NULL;
}

/* At least twice as many as bodies, and a power of two. */
static size_t table_size(uint32_t count)
{
    size_t size = 2;
    while (size < 2 * (size_t)count) {
        size *= 2;
    }
    return size;
}

/* Notes body i, which is not NULL, in a table of open addresses; returns the index of the same body
   in front of it, or i. */
static uint32_t note_body(const journey *a, uint32_t i)
{
    uint64_t *table = a->worker->order.data, mask = table_size(a->count) - 1;
    uint64_t place = ((uint64_t)(uintptr_t)a->bodies[i] >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    for (;; place++) {
        uint64_t *entry = &table[place & mask]; /* 0: empty; else an index and 1 */
        if (*entry == 0) {
            *entry = (uint64_t)i + 1;
        }
        if (a->bodies[*entry - 1] == a->bodies[i]) {
            return (uint32_t)(*entry - 1);
        }
    }
}

/* Bodies of a scene are in the scene's call, and each is there once. */
static pliant_result check_given(const journey *a, uint32_t i)
{
    const pliant_body *body = a->bodies[i];
    if (a->of_scene) {
        bool busy = atomic_load_explicit(&body->calls, memory_order_relaxed) > 0;
        return busy ? pli_fail(PLIANT_ERROR_STATE, "%s: a call about body %u is under way", a->call,
                               i)
                    : PLIANT_OK;
    }
    if (body == NULL) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "%s: body %u is NULL", a->call, i);
    }
    uint32_t same = note_body(a, i);
    if (same != i) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "%s: bodies %u and %u are the same", a->call, same,
                        i);
    }
    if (body->context != a->worker->context) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "the query and the bodies have different contexts");
    }
    return pli_body_check_idle(body, a->call);
}

static pliant_result check_body(const journey *a, uint32_t i)
{
    const pliant_body *body = a->bodies[i];
    pliant_result result = check_given(a, i);
    if (result == PLIANT_OK) {
        result = pli_body_check_valid(body);
    }
    if (result == PLIANT_OK && body->start != NULL) {
        result = pli_body_check_valid(body->start);
    }
    return result;
}

/* What moves, from the positions that bodies have now; `room` counts floats. */
static pliant_result list_travellers(journey *a, size_t *room)
{
    for (uint32_t i = 0; i < a->count; i++) {
        a->travellers[i] = (pli_traveller){.moves = false};
        if (a->of_scene && a->bodies[i] == NULL) {
            continue;
        }
        pliant_result result = check_body(a, i);
        if (result != PLIANT_OK) {
            return result;
        }
        pliant_body *body = a->bodies[i];
        bool moves = first_moved(body) < body->shape->vertex_count;
        if (moves && (is_placed(body) || is_placed(body->start))) {
            return pli_fail(PLIANT_ERROR_ARGUMENT,
                            "%s: body %u moves by coordinates or transforms; only bodies given by "
                            "positions can be advanced",
                            a->call, i);
        }
        a->travellers[i] = (pli_traveller){body->positions, *room, a->count, moves};
        *room += moves ? 3 * (size_t)body->shape->vertex_count : 0;
    }
    for (uint32_t i = a->count, next = a->count; i-- > 0;) {
        a->travellers[i].next = next;
        next = a->travellers[i].moves ? i : next;
    }
    return PLIANT_OK;
}

/* Bodies that are about to move get buffers to keep their positions in. */
static pliant_result prepare(journey *a)
{
    pli_worker *worker = a->worker;
    size_t room = 0;
    size_t places = a->of_scene ? 0 : table_size(a->count);
    if (!PLI_RESERVE(worker->context, &worker->travellers, a->count) ||
        !PLI_RESERVE(worker->context, &worker->order, places)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (places > 0) {
        memset(worker->order.data, 0, places * sizeof *worker->order.data);
    }
    a->travellers = worker->travellers.data;
    pliant_result result = list_travellers(a, &room);
    if (result == PLIANT_OK && !PLI_RESERVE(worker->context, &worker->moved, room)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < a->count && result == PLIANT_OK; i++) {
        pliant_body *body = a->bodies[i];
        if (a->travellers[i].moves) {
            result = pli_body_create_copy(body);
        }
    }
    return result;
}

/* ------------------------------------------------------------- the states */

static float *trial_positions(const journey *a, uint32_t i)
{
    return a->worker->moved.data + a->travellers[i].first;
}

static void look_at(pliant_body *body, pli_positions positions)
{
    body->positions = positions;
    pli_body_forget(body);
}

/* Puts a body where it is at a time, in the buffer for trials. */
static pliant_result try_body(const journey *a, uint32_t i, float time)
{
    pliant_body *body = a->bodies[i];
    float *to = trial_positions(a, i);
    for (uint32_t v = 0; v < body->shape->vertex_count; v++) {
        const float *start = pli_position(body->start->positions, v);
        const float *end = pli_position(a->travellers[i].end, v);
        for (uint32_t k = 0; k < 3; k++) {
            double x = (double)start[k] + (double)time * ((double)end[k] - (double)start[k]);
            to[3 * (size_t)v + k] = time == 0.0f ? start[k] : (float)x;
            if (!isfinite(x)) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE,
                                "body %u: vertex %u: coordinate %c goes from %f to %f", i, v,
                                "xyz"[k], (double)start[k], (double)end[k]);
            }
        }
    }
    look_at(body, pli_view_positions(body->shape, to, 3 * sizeof(float)));
    return PLIANT_OK;
}

static pliant_result try_time(const journey *a, float time)
{
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < a->count && result == PLIANT_OK; i++) {
        result = a->travellers[i].moves ? try_body(a, i, time) : PLIANT_OK;
    }
    return result;
}

/* Bodies go back to where they were. */
static void restore(const journey *a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->travellers[i].moves) {
            look_at(a->bodies[i], a->travellers[i].end);
        }
    }
}

/* Bodies keep the positions that were tried. */
static void keep(const journey *a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        pliant_body *body = a->bodies[i];
        if (a->travellers[i].moves) {
            memcpy(body->copy, trial_positions(a, i),
                   3 * (size_t)body->shape->vertex_count * sizeof(float));
            body->positions = pli_view_positions(body->shape, body->copy, 3 * sizeof(float));
        }
    }
}

/* ------------------------------------------------------------- the search */

/* Whether all bodies may go as far as they were asked about. */
static bool is_free(const pliant_advance *least)
{
    return least->path.complete && least->path.meeting.kind == PLIANT_MEETING_NONE;
}

/* Tries times from that of the least on down, each twice as far from it as the one before, then 0,
   where bodies stand still; that is always free, unless they touch to begin with. */
static pliant_result shrink(const journey *a, pliant_advance *least)
{
    pliant_result result = PLIANT_OK;
    float most = least->time;
    for (float back = 0x1p-24f; result == PLIANT_OK; back *= 2.0f) {
        pliant_advance left = {.path = {.complete = true}};
        result = try_time(a, least->time);
        if (result == PLIANT_OK && least->time > 0.0f) {
            result = a->find_least(a, &left);
        }
        if (least->time == 0.0f || is_free(&left)) {
            break;
        }
        least->path.complete = left.path.complete;
        bool goes_on = back < 1.0f && left.path.complete;
        least->time = goes_on ? fminf(most - back * most, nextafterf(least->time, 0.0f)) : 0.0f;
    }
    return result;
}

static PLI_NOINLINE pliant_result advance_all(journey *a, pliant_advance *found)
{
    pliant_advance least;
    pliant_result result = prepare(a);
    if (result == PLIANT_OK) {
        result = a->find_least(a, &least);
    }
    if (result == PLIANT_OK && !is_free(&least)) {
        result = shrink(a, &least);
        if (result == PLIANT_OK) {
            keep(a);
        } else {
            restore(a);
        }
    }
    if (result == PLIANT_OK) {
        *found = least;
    }
    return result;
}

/* ------------------------------------------------------- pairs of bodies */

typedef struct pair_asking {
    pliant_query *query;
    const pliant_advance_options *options;
    double deadline; /* 0: none */
} pair_asking;

/* How two bodies are asked about; false if there is no time left for it. */
static bool set_options(const pair_asking *how, uint32_t i, uint32_t j,
                        pliant_meeting_options *options)
{
    *options = pliant_meeting_options_default();
    options->budget_nodes = how->options->budget_nodes;
    options->distance = how->options->distance;
    if (how->options->groups != NULL) {
        options->groups_a = how->options->groups[i];
        options->groups_b = how->options->groups[j];
    }
    double left = how->deadline > 0.0 ? how->deadline - pli_seconds() : 0.0;
    options->budget_microseconds = left > 0.0 ? (uint64_t)(1e6 * left) + 1 : 0;
    return how->deadline == 0.0 || left > 0.0;
}

/* The free time of two bodies, at least one of which moves; unknown once time is over. */
static pliant_result ask(const journey *a, uint32_t i, uint32_t j, pliant_free_time *found)
{
    const pair_asking *how = a->with;
    pliant_meeting_options options;
    *found = (pliant_free_time){.time = 0.0f};
    return set_options(how, i, j, &options)
               ? pli_find_free_time(how->query, a->bodies[i], a->bodies[j], true, &options, found,
                                    a->call)
               : PLIANT_OK;
}

/* The least free time of all bodies that may meet, at least one of which moves. */
static pliant_result find_least(const journey *a, pliant_advance *least)
{
    const pair_asking *how = a->with;
    *least = (pliant_advance){.time = 1.0f, .path = {.time = 1.0f, .complete = true}};
    for (uint32_t i = 0; i < a->count; i++) {
        const pli_traveller *body = &a->travellers[i];
        uint32_t j = body->moves ? i + !how->options->self : body->next;
        for (; j < a->count; j = body->moves ? j + 1 : a->travellers[j].next) {
            pliant_free_time found;
            pliant_result result = ask(a, i, j, &found);
            if (result != PLIANT_OK) {
                return result;
            }
            if (!found.complete) {
                *least = (pliant_advance){0.0f, i, j, found};
                return PLIANT_OK;
            }
            bool first = least->path.meeting.kind == PLIANT_MEETING_NONE;
            if (found.meeting.kind != PLIANT_MEETING_NONE &&
                (first || found.time < least->time || (found.touches && !least->path.touches))) {
                *least = (pliant_advance){found.time, i, j, found};
            }
        }
    }
    return PLIANT_OK;
}

pliant_result pliant_advance_bodies(pliant_query *query, pliant_body *const *bodies, uint32_t count,
                                    const pliant_advance_options *options, pliant_advance *advance)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(advance);
    if (count > 0) {
        PLI_REQUIRE(bodies);
    }
    options = options != NULL ? options : &default_options;
    PLI_REQUIRE_TAG(options, pliant_advance_options);
    uint64_t microseconds = options->budget_microseconds;
    double deadline = microseconds != 0 ? pli_seconds() + 1e-6 * (double)microseconds : 0.0;
    const pair_asking how = {query, options, deadline};
    journey a = {&query->worker, bodies, count, false, __func__, find_least, &how, NULL};
    pliant_result result = pli_distance_check(options->distance);
    if (result == PLIANT_OK) {
        result = pli_use_check(&query->use, __func__, "the query");
    }
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = advance_all(&a, advance);
        pli_float_env_leave(env);
    }
    return result;
}

/* ------------------------------------------------------------------- scenes */

typedef struct advance_run {
    pliant_scene *scene;
    const pliant_scene_options *options;
    pliant_scene_advance found;
} advance_run;

/* The least free time of a scene, by its own query about the ways that are tried. */
static pliant_result find_least_in_scene(const journey *a, pliant_advance *least)
{
    const advance_run *run = a->with;
    const pli_host *host = &run->scene->host;
    bool *moving = run->scene->queries->moving.data;
    for (uint32_t i = 0; i < a->count; i++) {
        moving[i] = a->travellers[i].moves;
    }
    pliant_scene_free_time found;
    pliant_result result = pli_scene_find_free_time(run->scene, run->options, moving, &found);
    if (result == PLIANT_OK && (host->bodies_doomed || host->use.doomed)) {
        result = PLIANT_ERROR_STATE; /* by the filter; the message follows when the call ends */
    }
    if (result == PLIANT_OK) {
        *least = (pliant_advance){found.path.time, found.a.index, found.b.index, found.path};
    }
    return result;
}

static pliant_result advance_scene(pliant_scene *scene, advance_run *run)
{
    if (!PLI_RESERVE(scene->context, &scene->bodies, scene->slot_count) ||
        !PLI_RESERVE(scene->context, &scene->queries->moving, scene->slot_count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        scene->bodies.data[i] = scene->members.data[i].body;
    }
    journey a = {.worker = &scene->queries->workers[0],
                 .bodies = scene->bodies.data,
                 .count = scene->slot_count,
                 .of_scene = true,
                 .call = "pliant_scene_advance_bodies",
                 .find_least = find_least_in_scene,
                 .with = run};
    pliant_advance found;
    pliant_result result = advance_all(&a, &found);
    if (result != PLIANT_OK) {
        return result;
    }
    run->found = (pliant_scene_advance){.time = found.time, .path = {.path = found.path}};
    if (found.path.meeting.kind != PLIANT_MEETING_NONE) {
        pliant_scene_pair named = pli_scene_name_pair(scene, (uint64_t)found.a << 32 | found.b);
        run->found.path.a = named.a;
        run->found.path.b = named.b;
        run->found.path.user_a = named.user_a;
        run->found.path.user_b = named.user_b;
    }
    return PLIANT_OK;
}

/* A recording keeps queries; it does not keep decisions of the filter here. */
static pliant_result run_scene(pliant_scene *scene, pli_scene_call *call)
{
    pli_recording *recording = scene->recording;
    scene->recording = NULL;
    pliant_result result = advance_scene(scene, call->argument);
    scene->recording = recording;
    return result;
}

pliant_result pliant_scene_advance_bodies(pliant_scene *scene, const pliant_scene_options *options,
                                          pliant_scene_advance *advance)
{
    pliant_scene_options defaults = pliant_scene_options_default();
    advance_run run = {.scene = scene, .options = options != NULL ? options : &defaults};
    PLI_REQUIRE(scene);
    PLI_REQUIRE(advance);
    pliant_result result = pli_scene_options_check(options, PLIANT_RECORDED_FIND_FREE_TIME);
    if (result == PLIANT_OK) {
        pli_scene_call call = {.name = __func__, .run = run_scene, .argument = &run};
        result = pli_scene_enter(scene, &call);
    }
    if (result == PLIANT_OK) {
        *advance = run.found;
    }
    return result;
}
