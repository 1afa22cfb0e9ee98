/*
 * All bodies of a scene begin a step, or none: workers prepare what can fail beside the present
 * steps, and only when all of that is done they begin.
 */
#include "scene.h"

#include "base/float_env.h"

enum { PORTIONS_PER_WORKER = 16 };

/* Bodies that have no start yet are named until the call ends. */
static void prepare_one(pliant_scene *scene, uint32_t slot, uint32_t number)
{
    pli_member *member = &scene->members.data[slot];
    pliant_result result = pli_body_check_idle(member->body, "pliant_scene_begin_step");
    member->named = member->body->start == NULL;
    if (result == PLIANT_OK) {
        result = pli_body_prepare_step(member->body);
    }
    if (result != PLIANT_OK) {
        pli_worker_note_failure(&scene->workers[number], slot, result);
    }
}

static void start_one(pliant_scene *scene, uint32_t slot, uint32_t number)
{
    (void)number;
    pli_body_start_step(scene->members.data[slot].body);
    scene->members.data[slot].named = 0;
}

/* A worker's share of the bodies. */
static inline void take_bodies(pliant_scene *scene, uint32_t number,
                               void (*each)(pliant_scene *, uint32_t, uint32_t))
{
    uint32_t portion = scene->slot_count / (PORTIONS_PER_WORKER * scene->worker_count) + 1;
    uint32_t first = 0, count = 0;
    while ((count = pli_scene_take(scene, number, portion, &first)) > 0) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            if (scene->members.data[slot].body != NULL) {
                each(scene, slot, number);
            }
        }
    }
}

static void prepare_task(void *argument, uint32_t index, uint32_t number)
{
    (void)index;
    take_bodies(argument, number, prepare_one);
}

static void start_task(void *argument, uint32_t index, uint32_t number)
{
    (void)index;
    take_bodies(argument, number, start_one);
}

/* Starts that were made in this call go again. */
static void give_up(pliant_scene *scene)
{
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        pli_member *member = &scene->members.data[i];
        if (member->named != 0 && member->body->start != NULL) {
            pli_body_drop_start(member->body);
        }
        member->named = 0;
    }
}

static PLI_NOINLINE pliant_result begin_step(pliant_scene *scene)
{
    pli_scene_forget_failures(scene);
    pli_scene_distribute(scene, scene->slot_count);
    pliant_result result =
        pli_context_run(scene->context, prepare_task, scene, scene->worker_count);
    result = result == PLIANT_OK ? pli_scene_body_failure(scene) : result;
    if (result != PLIANT_OK) {
        give_up(scene);
        return result;
    }
    pli_scene_distribute(scene, scene->slot_count);
    pli_context_run(scene->context, start_task, scene, scene->worker_count);
    start_task(scene, 0, 0); /* what a scheduler that breaks its contract has left */
    return PLIANT_OK;
}

pliant_result pliant_scene_begin_step(pliant_scene *scene)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE_IDLE(&scene->host, "the scene");
    pli_float_env env = pli_float_env_enter();
    pliant_result result = begin_step(scene);
    pli_float_env_leave(env);
    return result;
}
