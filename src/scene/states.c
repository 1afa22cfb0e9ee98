/*
 * Setting the states of many bodies of a scene at once, or beginning a step of all bodies, all or
 * nothing: workers try them beside the present ones, and only when every one is good they adopt
 * them. Trying and adopting a state is body/state.c's; here is which bodies are meant, and that
 * nobody is named twice.
 */
#include "scene.h"

#include "base/float_env.h"

/* How much work a worker is worth waking for, in states of one transform. */
enum { STATES_PER_WORKER = 2, PORTIONS_PER_WORKER = 16 };

typedef struct state_run {
    pliant_scene *scene;
    const pliant_scene_state *states;
    uint32_t count, portion;
    PLI_ATOMIC(bool) named_twice;
} state_run;

/* Names the body of a state; false if another state did. */
static bool name_member(pli_member *member)
{
    uint32_t none = 0;
    return atomic_compare_exchange_strong_explicit(PLI_SHARED(uint32_t, &member->named), &none, 1,
                                                   memory_order_relaxed, memory_order_relaxed);
}

static pliant_result try_state(state_run *run, uint32_t i)
{
    pliant_scene *scene = run->scene;
    pli_member *member = pli_scene_member(scene, run->states[i].body);
    if (member == NULL) {
        return PLIANT_ERROR_RANGE;
    }
    if (!name_member(member)) {
        atomic_store_explicit(&run->named_twice, true, memory_order_relaxed);
        return pli_fail(PLIANT_ERROR_ARGUMENT, "an earlier state is of the same body");
    }
    pliant_result result = pli_body_check_idle(member->body, "pliant_scene_set_states");
    return result == PLIANT_OK ? pli_body_try_state(member->body, &run->states[i].state,
                                                    &scene->next_states.data[i])
                               : result;
}

static void try_one(state_run *run, uint32_t i, uint32_t worker)
{
    pliant_result result = try_state(run, i);
    if (result != PLIANT_OK) {
        pli_team_note_failure(&run->scene->team, worker, i, result);
    }
}

static void adopt_one(state_run *run, uint32_t i, uint32_t worker)
{
    (void)worker;
    pli_member *member = pli_scene_member(run->scene, run->states[i].body);
    pli_body_adopt_state(member->body, &run->states[i].state, &run->scene->next_states.data[i]);
    member->named = 0;
}

/* A worker's share of the states. */
static inline void take_states(state_run *run, uint32_t worker,
                               void (*each)(state_run *, uint32_t, uint32_t))
{
    uint32_t first = 0, count = 0;
    while ((count = pli_team_take(&run->scene->team, worker, run->portion, &first)) > 0) {
        for (uint32_t i = 0; i < count; i++) {
            each(run, first + i, worker);
        }
    }
}

static void try_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)index;
    take_states(argument, worker, try_one);
}

static void adopt_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)index;
    take_states(argument, worker, adopt_one);
}

static void forget_names(const state_run *run)
{
    for (uint32_t i = 0; i < run->count; i++) {
        if (run->states[i].body.index < run->scene->slot_count) {
            run->scene->members.data[run->states[i].body.index].named = 0;
        }
    }
}

/* The failure of the first state that has one. Of two of the same body either may have come first:
   then all are tried again, one after the other. */
static pliant_result find_failure(state_run *run)
{
    pliant_scene *scene = run->scene;
    forget_names(run);
    if (run->named_twice) {
        pli_team_forget_failures(&scene->team);
        for (uint32_t i = 0; i < run->count && pli_team_first_failure(&scene->team) == NULL; i++) {
            try_one(run, i, 0);
        }
        forget_names(run);
    }
    const pli_team_worker *failure = pli_team_first_failure(&scene->team);
    return pli_fail(failure->result, "state %u, of body %u: %s", failure->failed_at,
                    run->states[failure->failed_at].body.index, failure->message);
}

/* How many workers are worth waking, by what the first state has. */
static uint32_t useful_workers(const state_run *run)
{
    const pliant_state *first = &run->states[0].state;
    const pli_member *member = pli_scene_find_member(run->scene, run->states[0].body);
    uint64_t each = 1 + first->transform_count / 4;
    if (first->positions != NULL && !first->shares_positions && member != NULL) {
        each += member->body->shape->vertex_count / 64;
    }
    uint64_t useful = 1 + each * run->count / STATES_PER_WORKER;
    return useful < run->scene->worker_count ? (uint32_t)useful : run->scene->worker_count;
}

static PLI_NOINLINE pliant_result set_states(state_run *run)
{
    pliant_scene *scene = run->scene;
    uint32_t workers = useful_workers(run);
    if (!PLI_RESERVE(scene->context, &scene->next_states, run->count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    run->portion = run->count / (PORTIONS_PER_WORKER * scene->worker_count) + 1;
    pli_team_forget_failures(&scene->team);
    pli_team_distribute(&scene->team, run->count);
    pliant_result result = pli_context_run(scene->context, try_task, run, workers);
    if (result != PLIANT_OK) {
        forget_names(run);
        return result;
    }
    if (pli_team_first_failure(&scene->team) != NULL) {
        return find_failure(run);
    }
    pli_team_distribute(&scene->team, run->count);
    pli_context_run(scene->context, adopt_task, run, workers);
    adopt_task(run, 0, 0); /* what a scheduler that breaks its contract has left */
    return PLIANT_OK;
}

pliant_result pliant_scene_set_states(pliant_scene *scene, const pliant_scene_state *states,
                                      uint32_t count)
{
    PLI_REQUIRE(scene);
    if (count == 0) {
        return PLIANT_OK;
    }
    PLI_REQUIRE(states);
    PLI_REQUIRE_IDLE(&scene->host, "the scene");
    state_run run = {.scene = scene, .states = states, .count = count};
    pli_float_env env = pli_float_env_enter();
    pliant_result result = set_states(&run);
    pli_float_env_leave(env);
    return result;
}

/* ------------------------------------------------------------------- steps */

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
        pli_team_note_failure(&scene->team, number, slot, result);
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
    while ((count = pli_team_take(&scene->team, number, portion, &first)) > 0) {
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
    pli_team_forget_failures(&scene->team);
    pli_team_distribute(&scene->team, scene->slot_count);
    pliant_result result =
        pli_context_run(scene->context, prepare_task, scene, scene->worker_count);
    result = result == PLIANT_OK ? pli_scene_body_failure(scene) : result;
    if (result != PLIANT_OK) {
        give_up(scene);
        return result;
    }
    pli_team_distribute(&scene->team, scene->slot_count);
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
