/*
 * Rays through a scene: each is taken through the bodies that it may meet, nearest first, with what
 * was found so far as a limit. Pieces of some rays are shared by the workers.
 */
#include "scene_queries.h"

#include "query/ray_walk.h"

#include <string.h>

enum { RAYS_PER_PIECE = 32 };

typedef struct ray_call {
    pli_scene_question q;
    const pliant_ray *rays;
    uint64_t count;
    pli_cast_mode mode;
    pliant_scene_ray_hits all; /* PLI_CAST_ALL: the result */
} ray_call;

static uint64_t piece_count(const ray_call *call)
{
    return (call->count + RAYS_PER_PIECE - 1) / RAYS_PER_PIECE;
}

static void report(const pliant_scene *scene, const pliant_ray *ray, const pli_ray_touch *touch,
                   pliant_scene_ray_hit *hit)
{
    *hit = (pliant_scene_ray_hit){.user = NULL};
    const pliant_shape *shape = NULL;
    if (touch != NULL) {
        hit->body = pli_scene_id(scene, touch->body);
        hit->user = pli_question_user(scene, touch->body);
        shape = scene->members.data[touch->body].body->shape;
    }
    pli_touch_report(ray, touch, shape, &hit->hit);
}

/* Adds all that a worker has of one ray to the worker's hits, in order. */
static pliant_result report_all(const ray_call *call, uint64_t ray, uint32_t worker)
{
    pliant_scene *scene = call->q.scene;
    pli_worker *own = &scene->queries->workers[worker];
    pli_asking_worker *asking = &scene->queries->asking.data[worker];
    const uint64_t *order = NULL;
    size_t count = own->touches.count;
    pliant_result result = pli_touches_sort(own, &call->rays[ray], &order);
    if (result == PLIANT_OK && !PLI_RESERVE_MORE(scene->context, &asking->hits, count)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        report(scene, &call->rays[ray], &own->touches.data[order[i]],
               &asking->hits.data[asking->hits.count++]);
    }
    scene->queries->asked.hit_starts.data[ray + 1] = count;
    return result;
}

static pliant_result cast_ray(ray_call *call, uint64_t number, uint32_t worker)
{
    pli_scene_question *q = &call->q;
    const pliant_ray *ray = &call->rays[number];
    pli_broad_walk *walk = &q->scene->queries->asking.data[worker].walk;
    pliant_result result = PLIANT_OK;
    pli_broad_walk_step step;
    pli_cast cast;
    q->scene->queries->workers[worker].touches.count = 0;
    pli_cast_start(&cast, q->scene->context, ray, call->mode);
    pli_broad_walk_ray(walk, q->scene->broad[false], ray->origin, ray->direction, cast.lines.limit);
    while (result == PLIANT_OK && pli_broad_walk_next(walk, cast.lines.limit, &step)) {
        pli_run run;
        if (!pli_question_takes(q, step.slot)) {
            continue;
        }
        result = pli_question_enter(q, step.slot, worker, &run);
        if (result == PLIANT_OK) {
            result = pli_cast_through(&cast, &run, step.slot);
            result = pli_question_leave(q, step.slot, worker, &run, result);
        }
    }
    if (result != PLIANT_OK || walk->failed) {
        return result == PLIANT_OK ? PLIANT_ERROR_OUT_OF_MEMORY : result;
    }
    if (call->mode == PLI_CAST_ANY) {
        q->scene->queries->asked.blocked.data[number] = cast.found;
    } else if (call->mode == PLI_CAST_FIRST) {
        report(q->scene, ray, cast.found ? &cast.first : NULL,
               &q->scene->queries->asked.hits.data[number]);
    } else {
        result = report_all(call, number, worker);
    }
    return result;
}

static void cast_piece(void *argument, uint32_t index, uint32_t worker)
{
    ray_call *call = argument;
    pliant_scene *scene = call->q.scene;
    uint64_t first = (uint64_t)index * RAYS_PER_PIECE, end = first + RAYS_PER_PIECE;
    end = end < call->count ? end : call->count;
    uint64_t hits_before = scene->queries->asking.data[worker].hits.count;
    pliant_result result = PLIANT_OK;
    for (uint64_t i = first; i < end && result == PLIANT_OK; i++) {
        result = cast_ray(call, i, worker);
    }
    if (call->mode == PLI_CAST_ALL) {
        uint64_t hits = scene->queries->asking.data[worker].hits.count - hits_before;
        scene->queries->asked.pieces.data[index] = (pli_found_piece){worker, hits_before, hits};
    }
    if (result != PLIANT_OK) {
        pli_team_note_failure(&call->q.scene->team, worker, index, result);
    }
}

/* ------------------------------------------------------------------ answers */

/* Room for what the mode has per ray. */
static pliant_result reserve(const ray_call *call)
{
    pliant_scene *scene = call->q.scene;
    size_t count = (size_t)call->count;
    bool done = true;
    if (call->mode == PLI_CAST_ANY) {
        done = PLI_RESERVE(scene->context, &scene->queries->asked.blocked, count);
    } else if (call->mode == PLI_CAST_FIRST) {
        done = PLI_RESERVE(scene->context, &scene->queries->asked.hits, count);
    } else {
        done =
            PLI_RESERVE(scene->context, &scene->queries->asked.hit_starts, count + 1) &&
            PLI_RESERVE(scene->context, &scene->queries->asked.pieces, (size_t)piece_count(call));
    }
    for (uint32_t w = 0; w < scene->worker_count; w++) {
        scene->queries->asking.data[w].hits.count = 0;
    }
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

static void copy_piece(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const ray_call *call = argument;
    pli_question_arrays *asked = &call->q.scene->queries->asked;
    const pli_found_piece *piece = &asked->pieces.data[index];
    const pli_asking_worker *from = &call->q.scene->queries->asking.data[piece->worker];
    uint64_t to = asked->hit_starts.data[(uint64_t)index * RAYS_PER_PIECE];
    if (piece->count > 0) {
        memcpy(asked->hits.data + to, from->hits.data + piece->first,
               (size_t)piece->count * sizeof *from->hits.data);
    }
}

/* Brings the workers' hits together in the order of rays; numbers of hits become places. */
static pliant_result gather_hits(ray_call *call)
{
    pliant_scene *scene = call->q.scene;
    uint64_t *starts = scene->queries->asked.hit_starts.data;
    starts[0] = 0;
    for (uint64_t i = 0; i < call->count; i++) {
        starts[i + 1] += starts[i];
    }
    if (!PLI_RESERVE(scene->context, &scene->queries->asked.hits, (size_t)starts[call->count])) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return pli_question_run(&call->q, copy_piece, call, piece_count(call));
}

static uint64_t count_found(const ray_call *call)
{
    const pli_question_arrays *asked = &call->q.scene->queries->asked;
    uint64_t found = call->mode == PLI_CAST_ALL ? asked->hit_starts.data[call->count] : 0;
    for (uint64_t i = 0; i < call->count && call->mode != PLI_CAST_ALL; i++) {
        found += call->mode == PLI_CAST_ANY ? asked->blocked.data[i]
                                            : asked->hits.data[i].body.generation != 0;
    }
    return found;
}

static pliant_result cast_rays(pliant_scene *scene, pli_scene_call *entry)
{
    ray_call *call = entry->argument;
    const pli_question_arrays *asked = &scene->queries->asked;
    pliant_result result = pli_question_begin(&call->q, scene, entry->select);
    if (result == PLIANT_OK) {
        result = reserve(call);
    }
    if (result == PLIANT_OK) {
        result = pli_question_run(&call->q, cast_piece, call, piece_count(call));
    }
    if (result == PLIANT_OK && call->mode == PLI_CAST_ALL) {
        result = gather_hits(call);
    }
    pli_question_end(&call->q, result == PLIANT_OK ? count_found(call) : 0);
    if (result == PLIANT_OK && call->mode == PLI_CAST_ALL) {
        uint64_t found = asked->hit_starts.data[call->count];
        call->all = (pliant_scene_ray_hits){.starts = asked->hit_starts.data,
                                            .hits = found > 0 ? asked->hits.data : NULL,
                                            .count = found};
    }
    entry->answer = call->mode == PLI_CAST_ALL   ? &call->all
                    : call->mode == PLI_CAST_ANY ? (const void *)asked->blocked.data
                                                 : asked->hits.data;
    return result;
}

/* Checks rays and casts them; results are then the scene's. */
static pliant_result cast(const char *name, pliant_scene *scene, ray_call *call,
                          const pliant_scene_select *select)
{
    const pliant_recorded_question queries[] = {
        [PLI_CAST_FIRST] = PLIANT_RECORDED_RAYCAST,
        [PLI_CAST_ANY] = PLIANT_RECORDED_RAYCAST_ANY,
        [PLI_CAST_ALL] = PLIANT_RECORDED_RAYCAST_ALL,
    };
    pliant_result result = pli_select_check(select);
    if (result == PLIANT_OK) {
        result = pli_rays_check(call->rays, call->count);
    }
    pli_scene_call entry = {.name = name,
                            .recorded = {.query = queries[call->mode],
                                         .arguments = {call->rays, select},
                                         .count = call->count},
                            .select = select,
                            .run = cast_rays,
                            .argument = call};
    return result == PLIANT_OK ? pli_scene_enter(scene, &entry) : result;
}

pliant_result pliant_scene_raycast(pliant_scene *scene, const pliant_ray *rays, uint64_t count,
                                   const pliant_scene_select *select, pliant_scene_ray_hit *hits)
{
    PLI_REQUIRE(scene);
    if (count > 0) {
        PLI_REQUIRE(rays);
        PLI_REQUIRE(hits);
    }
    ray_call call = {.rays = rays, .count = count, .mode = PLI_CAST_FIRST};
    pliant_result result = cast(__func__, scene, &call, select);
    if (result == PLIANT_OK && count > 0) {
        memcpy(hits, scene->queries->asked.hits.data, (size_t)count * sizeof *hits);
    }
    return result;
}

pliant_result pliant_scene_raycast_any(pliant_scene *scene, const pliant_ray *rays, uint64_t count,
                                       const pliant_scene_select *select, bool *blocked)
{
    PLI_REQUIRE(scene);
    if (count > 0) {
        PLI_REQUIRE(rays);
        PLI_REQUIRE(blocked);
    }
    ray_call call = {.rays = rays, .count = count, .mode = PLI_CAST_ANY};
    pliant_result result = cast(__func__, scene, &call, select);
    if (result == PLIANT_OK && count > 0) {
        memcpy(blocked, scene->queries->asked.blocked.data, (size_t)count * sizeof *blocked);
    }
    return result;
}

pliant_result pliant_scene_raycast_all(pliant_scene *scene, const pliant_ray *rays, uint64_t count,
                                       const pliant_scene_select *select,
                                       pliant_scene_ray_hits *hits)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(hits);
    if (count > 0) {
        PLI_REQUIRE(rays);
    }
    ray_call call = {.rays = rays, .count = count, .mode = PLI_CAST_ALL};
    pliant_result result = cast(__func__, scene, &call, select);
    if (result == PLIANT_OK) {
        *hits = call.all;
    }
    return result;
}
