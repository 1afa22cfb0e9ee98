/* States of bodies as bytes, and setting them on all ranks or on none. */
#include "scene.h"

#include <string.h>

/* ------------------------------------------------------------------ as bytes */

uint32_t pli_mpi_state_flags_of(const pliant_body *body)
{
    pliant_state state;
    pliant_body_get_state(body, &state);
    return (state.positions != NULL ? PLI_MPI_POSITIONS : 0u) |
           (state.world != NULL ? PLI_MPI_WORLD : 0u);
}

uint64_t pli_mpi_state_bytes(const pli_mpi_kind *kind, uint32_t flags)
{
    uint64_t numbers = kind->mode_count + (uint64_t)12 * kind->joint_count;
    numbers += flags & PLI_MPI_POSITIONS ? (uint64_t)3 * kind->vertex_count : 0;
    numbers += flags & PLI_MPI_WORLD ? 12 : 0;
    return numbers * sizeof(float);
}

static char *put(char *to, const void *from, size_t size)
{
    if (size > 0) {
        memcpy(to, from, size);
    }
    return to + size;
}

void pli_mpi_write_state(const pliant_body *body, char *out)
{
    pliant_state state;
    pliant_body_get_state(body, &state);
    out = put(out, state.coordinates, state.coordinate_count * sizeof(float));
    out = put(out, state.transforms, state.transform_count * 12 * sizeof(float));
    out = put(out, state.world, state.world != NULL ? 12 * sizeof(float) : 0);
    if (state.positions != NULL) {
        uint32_t count = pliant_shape_get_vertex_count(pliant_body_get_shape(body));
        size_t stride = state.position_stride > 0 ? state.position_stride : 3 * sizeof(float);
        for (uint32_t i = 0; i < count; i++) {
            out = put(out, (const char *)state.positions + i * stride, 3 * sizeof(float));
        }
    }
}

pliant_state pli_mpi_read_state(const pli_mpi_kind *kind, uint32_t flags, const char *bytes)
{
    const float *next = (const float *)(const void *)bytes;
    pliant_state state = {.coordinate_count = kind->mode_count,
                          .transform_count = kind->joint_count};
    if (kind->mode_count > 0) {
        state.coordinates = next;
        next += kind->mode_count;
    }
    if (kind->joint_count > 0) {
        state.transforms = next;
        next += (size_t)12 * kind->joint_count;
    }
    if (flags & PLI_MPI_WORLD) {
        state.world = next;
        next += 12;
    }
    if (flags & PLI_MPI_POSITIONS) {
        state.positions = next;
    }
    return state;
}

/* ------------------------------------------------------------------- setting */

/* The old state of a body that is given another: from where on in scene->old, and what is there. */
typedef struct old_state {
    uint32_t slot, flags;
    size_t at;
    bool shared; /* positions are borrowed: their place is kept, not their numbers */
    const float *positions;
    size_t stride;
} old_state;

static pli_mpi_outcome fail_id(pliant_mpi_scene *scene, pliant_result result, uint64_t id,
                               const char *sentence)
{
    pliant_fail(result, sentence);
    return pli_mpi_failure(scene, result, id);
}

/* Slots of the states, in scene->numbers: all different and here. Else the lowest id that is not.
 */
static pli_mpi_outcome find_slots(pliant_mpi_scene *scene, const pliant_mpi_state *states,
                                  uint32_t count)
{
    uint32_t *slots =
        pli_mpi_resize(scene->context, &scene->numbers, pli_mpi_bytes_of(count, sizeof *slots));
    if (slots == NULL) {
        return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
    }
    pli_mpi_outcome outcome = PLI_MPI_FINE;
    scene->given++;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id = states[i].id;
        slots[i] = pli_mpi_map_find(&scene->slot_of, id);
        pli_mpi_slot *one = slots[i] != PLI_MPI_ABSENT ? pli_mpi_slot_at(scene, slots[i]) : NULL;
        bool absent = one == NULL || one->from >= 0;
        bool twice = !absent && one->given == scene->given;
        bool torn = !absent && pli_mpi_check_whole(one) != PLIANT_OK;
        if ((absent || twice || torn) && (outcome.result == PLIANT_OK || id < outcome.id)) {
            outcome = absent
                          ? fail_id(scene, PLIANT_ERROR_RANGE, id, "no such body is on this rank")
                      : twice ? fail_id(scene, PLIANT_ERROR_ARGUMENT, id, "it is given two states")
                              : pli_mpi_failure(scene, PLIANT_ERROR_STATE, id);
        }
        if (!absent) {
            one->given = scene->given;
        }
    }
    return outcome;
}

/* Positions that a body will have lost after it was given others, and that cannot be borrowed
   again: its own, or those at rest, which its shape's keeper has. */
static void keep_positions(const pliant_mpi_scene *scene, const pli_mpi_kind *kind,
                           const pliant_state *now, float *to)
{
    if (now->positions == NULL) {
        const pliant_body *rest =
            pli_mpi_shape_at(scene, pli_mpi_map_find(&scene->shape_of, kind->shape_key))->keeper;
        pliant_body_evaluate(rest, NULL, kind->vertex_count, to);
        return;
    }
    for (uint32_t v = 0; v < kind->vertex_count; v++) {
        memcpy(to + (size_t)3 * v, (const char *)now->positions + v * now->position_stride,
               3 * sizeof(float));
    }
}

static bool keep_old_state(pliant_mpi_scene *scene, uint32_t slot, const pliant_state *given,
                           old_state *old)
{
    const pli_mpi_slot *one = pli_mpi_slot_at(scene, slot);
    const pli_mpi_kind *kind = pli_mpi_kind_of(scene, one);
    pliant_state now;
    pliant_body_get_state(one->body, &now);
    bool loses = given->positions != NULL && !now.shares_positions && kind->mode_count == 0;
    *old = (old_state){.slot = slot,
                       .flags = (now.world != NULL ? PLI_MPI_WORLD : 0u) |
                                (loses ? PLI_MPI_POSITIONS : 0u),
                       .at = scene->old.count,
                       .shared = now.shares_positions,
                       .positions = now.positions,
                       .stride = now.position_stride};
    uint64_t size = pli_mpi_state_bytes(kind, old->flags);
    char *to = pli_mpi_extend(scene->context, &scene->old, pli_mpi_bytes_of(size, 1));
    if (to == NULL) {
        return false;
    }
    to = put(to, now.coordinates, now.coordinate_count * sizeof(float));
    to = put(to, now.transforms, now.transform_count * 12 * sizeof(float));
    to = put(to, now.world, now.world != NULL ? 12 * sizeof(float) : 0);
    if (!loses) {
        return true;
    }
    keep_positions(scene, kind, &now, (float *)(void *)to);
    /* One that was at rest is given that as positions, so that it has memory to go back to. */
    const pliant_state rest = {.positions = (const float *)(void *)to};
    return now.positions != NULL || pliant_body_set_state(one->body, &rest) == PLIANT_OK;
}

/* Keeps what the bodies have, to go back to. */
static bool keep_old(pliant_mpi_scene *scene, const pliant_mpi_state *states, uint32_t count)
{
    pliant_context *context = scene->context;
    pliant_scene_state *new_states =
        pli_mpi_resize(context, &scene->states, pli_mpi_bytes_of(count, sizeof *new_states));
    old_state *olds = pli_mpi_resize(context, &scene->spare, pli_mpi_bytes_of(count, sizeof *olds));
    bool kept = new_states != NULL && olds != NULL;
    const uint32_t *slots = (const uint32_t *)(const void *)scene->numbers.data;
    scene->old.count = 0;
    for (uint32_t i = 0; i < count && kept; i++) {
        uint32_t slot = slots[i];
        new_states[i] = (pliant_scene_state){.body = pli_mpi_slot_at(scene, slot)->local,
                                             .state = states[i].state};
        kept = keep_old_state(scene, slot, &states[i].state, &olds[i]);
    }
    return kept;
}

/* Puts the bodies back into their old states: these were valid, and need no memory. */
static void restore_old(pliant_mpi_scene *scene, uint32_t count)
{
    const old_state *olds = (const old_state *)(const void *)scene->spare.data;
    for (uint32_t i = 0; i < count; i++) {
        const old_state *old = &olds[i];
        const pli_mpi_slot *one = pli_mpi_slot_at(scene, old->slot);
        pliant_state state =
            pli_mpi_read_state(pli_mpi_kind_of(scene, one), old->flags, scene->old.data + old->at);
        if (old->shared) {
            state.positions = old->positions;
            state.position_stride = old->stride;
            state.shares_positions = true;
        }
        if (state.world == NULL) {
            pliant_body_set_world(one->body, NULL);
        }
        if (state.positions != NULL || state.coordinates != NULL || state.transforms != NULL ||
            state.world != NULL) {
            pliant_body_set_state(one->body, &state);
        }
    }
}

/* Which body refuses its state: that with the lowest id. All bodies are in any state afterwards. */
static pli_mpi_outcome find_refused(pliant_mpi_scene *scene, pliant_result result,
                                    const pliant_mpi_state *states, uint32_t count)
{
    uint64_t lowest = PLI_MPI_NOBODY;
    pli_mpi_outcome outcome = pli_mpi_failure(scene, result, PLI_MPI_NOBODY);
    for (uint32_t i = 0; i < count && result != PLIANT_ERROR_OUT_OF_MEMORY; i++) {
        if (states[i].id < lowest) {
            uint32_t slot = pli_mpi_map_find(&scene->slot_of, states[i].id);
            pliant_result refused =
                pliant_body_set_state(pli_mpi_slot_at(scene, slot)->body, &states[i].state);
            if (refused != PLIANT_OK) {
                lowest = states[i].id;
                outcome = pli_mpi_failure(scene, refused, lowest);
            }
        }
    }
    return outcome;
}

pliant_result pliant_mpi_scene_set_states(pliant_mpi_scene *scene, const pliant_mpi_state *states,
                                          uint32_t count)
{
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, "pliant_mpi_scene_set_states: scene is NULL");
    }
    pli_mpi_outcome outcome = PLI_MPI_FINE;
    if (count > 0 && states == NULL) {
        outcome = fail_id(scene, PLIANT_ERROR_ARGUMENT, PLI_MPI_NOBODY, "states is NULL");
    }
    pliant_result result = pli_mpi_begin(scene, PLI_MPI_SET_STATES, 0, outcome, NULL);
    if (result != PLIANT_OK) {
        return result;
    }
    outcome = find_slots(scene, states, count);
    bool set = false;
    if (outcome.result == PLIANT_OK && !keep_old(scene, states, count)) {
        outcome = pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
    } else if (outcome.result == PLIANT_OK) {
        const pliant_scene_state *all = (const pliant_scene_state *)(void *)scene->states.data;
        set = true;
        result = count > 0 ? pliant_scene_set_states(scene->local, all, count) : PLIANT_OK;
        if (result != PLIANT_OK) {
            outcome = find_refused(scene, result, states, count);
        }
    }
    result = pli_mpi_agree(scene, outcome, NULL);
    if (result != PLIANT_OK && set) {
        restore_old(scene, count);
        pliant_fail(result, scene->sentence);
    }
    return result;
}
