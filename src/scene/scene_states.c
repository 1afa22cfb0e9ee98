/*
 * Setting the states of many bodies of a scene at once, all or nothing: workers try them beside the
 * present ones, and only when every one is good they adopt them. Trying and adopting a state is
 * body/state.c's; here is which bodies are meant, and that nobody is named twice.
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
        pli_worker_note_failure(&run->scene->workers[worker], i, result);
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
    while ((count = pli_scene_take(run->scene, worker, run->portion, &first)) > 0) {
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
        pli_scene_forget_failures(scene);
        for (uint32_t i = 0; i < run->count && pli_scene_first_failure(scene) == NULL; i++) {
            try_one(run, i, 0);
        }
        forget_names(run);
    }
    const pli_worker *failure = pli_scene_first_failure(scene);
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
    pli_scene_forget_failures(scene);
    pli_scene_distribute(scene, run->count);
    pliant_result result = pli_context_run(scene->context, try_task, run, workers);
    if (result != PLIANT_OK) {
        forget_names(run);
        return result;
    }
    if (pli_scene_first_failure(scene) != NULL) {
        return find_failure(run);
    }
    pli_scene_distribute(scene, run->count);
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
