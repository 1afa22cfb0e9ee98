/* Ghosts: the states of bodies that another rank compares its own with travel there. How many bytes
   come from whom both sides know from the boxes. */
#include "scene.h"

#include <string.h>

static pli_mpi_outcome out_of_memory(pliant_mpi_scene *scene)
{
    return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
}

static const pli_mpi_box *boxes_to(const pliant_mpi_scene *scene, const pli_mpi_neighbour *one)
{
    return (const pli_mpi_box *)(const void *)(scene->boxes_out.data + one->out_first);
}

static const pli_mpi_box *boxes_from(const pliant_mpi_scene *scene, const pli_mpi_neighbour *one)
{
    return (const pli_mpi_box *)(const void *)(scene->boxes_in.data + one->in_first);
}

/* ------------------------------------------------------------------- sending */

static bool write_states(pliant_mpi_scene *scene, pli_mpi_neighbour *to, const uint8_t *marks)
{
    const pli_mpi_box *boxes = boxes_to(scene, to);
    size_t begin = scene->states_out.count;
    for (uint64_t i = 0; i < to->out_count; i++) {
        if (marks[i]) {
            const pli_mpi_slot *one =
                pli_mpi_slot_at(scene, pli_mpi_map_find(&scene->slot_of, boxes[i].id));
            uint64_t size = pli_mpi_state_bytes(pli_mpi_kind_of(scene, one), boxes[i].flags);
            char *state =
                pli_mpi_extend(scene->context, &scene->states_out, pli_mpi_bytes_of(size, 1));
            if (state == NULL) {
                return false;
            }
            pli_mpi_write_state(one->body, state);
            scene->stats.ghosts_sent++;
        }
    }
    to->out_bytes = scene->states_out.count - begin;
    scene->stats.bytes_states += to->out_bytes;
    return true;
}

/* How much comes from a neighbour. */
static uint64_t count_bytes(const pliant_mpi_scene *scene, const pli_mpi_neighbour *from,
                            const uint8_t *marks)
{
    const pli_mpi_box *boxes = boxes_from(scene, from);
    uint64_t size = 0;
    for (uint64_t i = 0; i < from->in_count; i++) {
        if (marks[i]) {
            const pli_mpi_kind *kind =
                pli_mpi_kind_at(&scene->peers[from->rank].kinds, boxes[i].kind);
            size += pli_mpi_state_bytes(kind, boxes[i].flags);
        }
    }
    return size;
}

pli_mpi_outcome pli_mpi_write_ghosts(pliant_mpi_scene *scene)
{
    const uint8_t *send = (const uint8_t *)scene->send_flags.data;
    const uint8_t *take = (const uint8_t *)scene->take_flags.data;
    uint64_t total = 0, largest = 0;
    scene->states_out.count = 0;
    for (uint32_t i = 0; i < scene->neighbour_count; i++) {
        pli_mpi_neighbour *one = pli_mpi_neighbour_at(scene, i);
        if (!write_states(scene, one, send)) {
            return out_of_memory(scene);
        }
        one->in_bytes = count_bytes(scene, one, take);
        total += one->in_bytes;
        largest = one->in_bytes > largest ? one->in_bytes : largest;
        largest = one->out_bytes > largest ? one->out_bytes : largest;
        send += one->out_count;
        take += one->in_count;
    }
    if (largest > INT32_MAX) {
        pliant_fail(PLIANT_ERROR_TOO_LARGE, "states for one rank have more than 2 GiB");
        return pli_mpi_failure(scene, PLIANT_ERROR_TOO_LARGE, PLI_MPI_NOBODY);
    }
    return pli_mpi_resize(scene->context, &scene->states_in, pli_mpi_bytes_of(total, 1)) != NULL
               ? PLI_MPI_FINE
               : out_of_memory(scene);
}

static void trade_states(pliant_mpi_scene *scene)
{
    int started = 0;
    uint64_t to = 0, from = 0;
    for (uint32_t i = 0; i < scene->neighbour_count; i++) {
        const pli_mpi_neighbour *one = pli_mpi_neighbour_at(scene, i);
        if (one->in_bytes > 0) {
            pli_mpi_receive(scene, &started, one->rank, scene->states_in.data + to, one->in_bytes);
        }
        to += one->in_bytes;
    }
    for (uint32_t i = 0; i < scene->neighbour_count; i++) {
        const pli_mpi_neighbour *one = pli_mpi_neighbour_at(scene, i);
        if (one->out_bytes > 0) {
            pli_mpi_send(scene, &started, one->rank, scene->states_out.data + from, one->out_bytes);
        }
        from += one->out_bytes;
    }
    pli_mpi_wait(scene, started);
}

/* ----------------------------------------------------------------- taking in */

/* Whether a ghost that is here can be given the state of a body of that kind. */
static bool is_like(const pli_mpi_kind *a, const pli_mpi_kind *b)
{
    return a->shape_key == b->shape_key && a->update == b->update &&
           a->eager_levels == b->eager_levels && a->lazy_levels == b->lazy_levels &&
           ((a->flags ^ b->flags) & PLI_MPI_COHERENT) == 0;
}

static pliant_member_def ghost_def(const pli_mpi_kind *kind, const pli_mpi_box *box)
{
    pliant_member_def def =
        pli_mpi_member_def(kind, kind->flags & PLI_MPI_LOOSE ? &box->box : NULL);
    def.self = false; /* its own rank looks at that */
    return def;
}

/* A ghost that is here goes on, if it can. */
static pliant_result keep_ghost(pliant_mpi_scene *scene, uint32_t slot, int from,
                                const pli_mpi_box *box, bool *kept)
{
    pli_mpi_slot *one = pli_mpi_slot_at(scene, slot);
    const pli_mpi_kind *was = pli_mpi_kind_of(scene, one);
    const pli_mpi_kind *is = pli_mpi_kind_at(&scene->peers[from].kinds, box->kind);
    bool lost = (one->flags & PLI_MPI_POSITIONS) && !(box->flags & PLI_MPI_POSITIONS);
    *kept = is_like(was, is) && !lost;
    if (!*kept) {
        pli_mpi_leave(scene, slot);
        return PLIANT_OK;
    }
    pliant_result result = PLIANT_OK;
    if (one->from != from || one->kind != box->kind || is->flags & PLI_MPI_LOOSE) {
        pliant_member_def def = ghost_def(is, box);
        result = pliant_scene_set_member(scene->local, one->local, &def);
    }
    if (result == PLIANT_OK && (one->flags & PLI_MPI_WORLD) && !(box->flags & PLI_MPI_WORLD)) {
        result = pliant_body_set_world(one->body, NULL);
    }
    if (result == PLIANT_OK) {
        one->from = from;
        one->kind = box->kind;
    }
    return result;
}

static pliant_result take_ghost(pliant_mpi_scene *scene, int from, const pli_mpi_box *box,
                                const char *bytes)
{
    const pli_mpi_kind *kind = pli_mpi_kind_at(&scene->peers[from].kinds, box->kind);
    uint32_t slot = pli_mpi_map_find(&scene->slot_of, box->id);
    pliant_result result = PLIANT_OK;
    bool kept = false;
    if (slot != PLI_MPI_ABSENT) {
        result = keep_ghost(scene, slot, from, box, &kept);
    }
    if (result == PLIANT_OK && !kept) {
        pliant_body *body = NULL;
        const pliant_member_def def = ghost_def(kind, box);
        result = pli_mpi_make_body(scene, kind, &body);
        if (result == PLIANT_OK) {
            result = pli_mpi_enter(scene, box->id, body, &def, from, box->kind, &slot);
        }
    }
    pliant_scene_state *state =
        result == PLIANT_OK ? pli_mpi_extend(scene->context, &scene->states, sizeof *state) : NULL;
    if (state == NULL) {
        return result == PLIANT_OK ? PLIANT_ERROR_OUT_OF_MEMORY : result;
    }
    pli_mpi_slot *one = pli_mpi_slot_at(scene, slot);
    one->flags = box->flags;
    one->seen = scene->question;
    *state = (pliant_scene_state){.body = one->local,
                                  .state = pli_mpi_read_state(kind, box->flags, bytes)};
    if (pli_mpi_state_bytes(kind, box->flags) == 0) {
        scene->states.count -= sizeof *state; /* a free body at rest is given nothing */
    }
    scene->stats.ghosts++;
    return PLIANT_OK;
}

static pli_mpi_outcome take_in(pliant_mpi_scene *scene)
{
    const uint8_t *take = (const uint8_t *)scene->take_flags.data;
    const char *bytes = scene->states_in.data;
    scene->states.count = 0;
    for (uint32_t i = 0; i < scene->neighbour_count; i++) {
        const pli_mpi_neighbour *from = pli_mpi_neighbour_at(scene, i);
        const pli_mpi_box *boxes = boxes_from(scene, from);
        for (uint64_t k = 0; k < from->in_count; k++) {
            if (take[k]) {
                pliant_result result = take_ghost(scene, from->rank, &boxes[k], bytes);
                if (result != PLIANT_OK) {
                    return pli_mpi_failure(scene, result,
                                           result == PLIANT_ERROR_OUT_OF_MEMORY ? PLI_MPI_NOBODY
                                                                                : boxes[k].id);
                }
                bytes += pli_mpi_state_bytes(
                    pli_mpi_kind_at(&scene->peers[from->rank].kinds, boxes[k].kind),
                    boxes[k].flags);
            }
        }
        take += from->in_count;
    }
    pli_mpi_drop_ghosts(scene, scene->question);
    uint32_t count = (uint32_t)(scene->states.count / sizeof(pliant_scene_state));
    const pliant_scene_state *states = (const pliant_scene_state *)(const void *)scene->states.data;
    pliant_result result =
        count > 0 ? pliant_scene_set_states(scene->local, states, count) : PLIANT_OK;
    return result == PLIANT_OK ? PLI_MPI_FINE : pli_mpi_failure(scene, result, PLI_MPI_NOBODY);
}

pli_mpi_outcome pli_mpi_trade_ghosts(pliant_mpi_scene *scene)
{
    trade_states(scene);
    double began = MPI_Wtime();
    pli_mpi_outcome outcome = take_in(scene);
    scene->stats.seconds_ghosts += MPI_Wtime() - began;
    return outcome;
}
