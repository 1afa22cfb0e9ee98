/*
 * Which bodies are needed on which other rank.
 *
 * Based on: D. Lebrun-Grandie, A. Prokopenko, B. Turcksin, S. R. Slattery, "ArborX: A Performance
 * Portable Geometric Search Library", 2020: two levels. Boxes of ranks go to all; ranks whose boxes
 * meet send each other the boxes of those bodies that may meet something there. Where we differ:
 * both then know the same boxes and derive the same pairs, and from these who sends what, without
 * asking.
 */
#include "scene.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const pliant_box nothing = {{INFINITY, INFINITY, INFINITY},
                                   {-INFINITY, -INFINITY, -INFINITY}};

static pli_mpi_outcome out_of_memory(pliant_mpi_scene *scene)
{
    return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
}

/* Whether closed boxes are within a distance along every axis. Rounding can only let more through:
   where the gap rounds below the distance, by less than one part in 2^23, they are nearly so. */
static bool are_near(const pliant_box *a, const pliant_box *b, float distance)
{
    bool near = true;
    for (int k = 0; k < 3; k++) {
        near =
            near && a->lower[k] - b->upper[k] <= distance && b->lower[k] - a->upper[k] <= distance;
    }
    return near;
}

/* ------------------------------------------------------------------ level one */

/* The lowest body whose bounds fail. What the rank's scene says of the lowest index is said again
   of that body; of another one, which has been looked at as well, only that it has no valid state.
 */
static pli_mpi_outcome find_failing(pliant_mpi_scene *scene, pliant_result result)
{
    const uint64_t *ids = (const uint64_t *)(void *)scene->ids.data;
    pli_mpi_outcome outcome = pli_mpi_fail_local(scene, result);
    for (uint32_t i = 0; i < scene->own_count && result != PLIANT_ERROR_OUT_OF_MEMORY; i++) {
        pliant_box box;
        const pli_mpi_slot *one = pli_mpi_slot_at(scene, pli_mpi_map_find(&scene->slot_of, ids[i]));
        bool is_loose = (pli_mpi_kind_of(scene, one)->flags & PLI_MPI_LOOSE) != 0;
        if (!is_loose && pliant_body_get_bounds(one->body, &box) != PLIANT_OK) {
            return ids[i] == outcome.id ? outcome : pli_mpi_failure(scene, result, ids[i]);
        }
    }
    return outcome;
}

/* The boxes of own bodies by ascending id, in scene->boxes. */
static pli_mpi_outcome find_boxes(pliant_mpi_scene *scene)
{
    if (!pli_mpi_sort_ids(scene)) {
        return out_of_memory(scene);
    }
    uint32_t count = scene->own_count;
    const uint64_t *ids = (const uint64_t *)(void *)scene->ids.data;
    pliant_body_id *names =
        pli_mpi_resize(scene->context, &scene->names, pli_mpi_bytes_of(count, sizeof *names));
    pliant_box *boxes =
        pli_mpi_resize(scene->context, &scene->boxes, pli_mpi_bytes_of(count, sizeof *boxes));
    if (names == NULL || boxes == NULL) {
        return out_of_memory(scene);
    }
    const pli_mpi_slot *torn = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const pli_mpi_slot *one = pli_mpi_slot_at(scene, pli_mpi_map_find(&scene->slot_of, ids[i]));
        names[i] = one->local;
        torn = torn == NULL && pliant_body_get_shape(one->body) != one->shape ? one : torn;
    }
    pliant_result result = pliant_scene_get_boxes(scene->local, names, count, boxes);
    pli_mpi_outcome outcome = result == PLIANT_OK ? PLI_MPI_FINE : find_failing(scene, result);
    if (torn != NULL && (outcome.result == PLIANT_OK || torn->id < outcome.id)) {
        outcome = pli_mpi_failure(scene, pli_mpi_check_whole(torn), torn->id);
    }
    return outcome;
}

pliant_result pli_mpi_share_boxes(pliant_mpi_scene *scene)
{
    double began = MPI_Wtime();
    pli_mpi_outcome outcome = find_boxes(scene);
    uint64_t work = scene->counted ? scene->work : scene->own_count;
    pli_mpi_head own = {.result = outcome.result, .id = outcome.id, .work = work, .box = nothing};
    const pliant_box *boxes = (const pliant_box *)(void *)scene->boxes.data;
    for (uint32_t i = 0; i < scene->own_count && outcome.result == PLIANT_OK; i++) {
        for (int k = 0; k < 3; k++) {
            own.box.lower[k] = fminf(own.box.lower[k], boxes[i].lower[k]);
            own.box.upper[k] = fmaxf(own.box.upper[k], boxes[i].upper[k]);
        }
    }
    scene->stats.seconds_bounds = MPI_Wtime() - began;
    pli_mpi_share_heads(scene, &own);
    double most = 0.0, sum = 0.0;
    bool failed = false;
    for (int r = 0; r < scene->size; r++) {
        failed = failed || scene->heads[r].result != PLIANT_OK;
        most = fmax(most, (double)scene->heads[r].work);
        sum += (double)scene->heads[r].work;
    }
    scene->stats.imbalance = sum > 0.0 ? most * scene->size / sum - 1.0 : 0.0;
    return failed ? pli_mpi_settle(scene, outcome) : PLIANT_OK;
}

/* ------------------------------------------------------------------ level two */

/* Ranks whose boxes meet ours; there is room for all ranks. */
static void list_neighbours(pliant_mpi_scene *scene, float distance)
{
    scene->neighbour_count = 0;
    for (int r = 0; r < scene->size; r++) {
        if (r != scene->rank &&
            are_near(&scene->heads[r].box, &scene->heads[scene->rank].box, distance)) {
            *pli_mpi_neighbour_at(scene, scene->neighbour_count++) = (pli_mpi_neighbour){.rank = r};
        }
    }
    scene->stats.neighbours = scene->neighbour_count;
}

/* A message to a neighbour: how many bytes kinds are, kinds that it does not know, boxes. */
static bool write_message(pliant_mpi_scene *scene, pli_mpi_neighbour *to, float distance)
{
    pli_mpi_bytes *out = &scene->boxes_out;
    size_t begin = out->count;
    if (pli_mpi_extend(scene->context, out, sizeof(uint64_t)) == NULL ||
        !pli_mpi_write_kinds(scene, scene->peers[to->rank].told, out)) {
        return false;
    }
    uint64_t kinds = out->count - begin - sizeof kinds;
    memcpy(out->data + begin, &kinds, sizeof kinds);
    const uint64_t *ids = (const uint64_t *)(void *)scene->ids.data;
    const pliant_box *boxes = (const pliant_box *)(void *)scene->boxes.data;
    const pliant_body_id *names = (const pliant_body_id *)(void *)scene->names.data;
    const pliant_box *there = &scene->heads[to->rank].box;
    to->out_first = out->count;
    for (uint32_t i = 0; i < scene->own_count; i++) {
        if (are_near(&boxes[i], there, distance)) {
            const pli_mpi_slot *one = pli_mpi_slot_at(scene, names[i].index);
            pli_mpi_box *box = pli_mpi_extend(scene->context, out, sizeof *box);
            if (box == NULL) {
                return false;
            }
            *box = (pli_mpi_box){ids[i], boxes[i], one->kind, pli_mpi_state_flags_of(one->body)};
            to->out_count++;
        }
    }
    to->out_bytes = out->count - begin;
    scene->stats.boxes_sent += to->out_count;
    scene->stats.bytes_boxes += to->out_bytes;
    return true;
}

static pli_mpi_outcome write_messages(pliant_mpi_scene *scene, float distance)
{
    scene->boxes_out.count = 0;
    bool done = true;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < scene->neighbour_count && done; i++) {
        done = write_message(scene, pli_mpi_neighbour_at(scene, i), distance);
        uint64_t size = pli_mpi_neighbour_at(scene, i)->out_bytes;
        largest = size > largest ? size : largest;
    }
    if (done && largest > INT32_MAX) {
        pliant_fail(PLIANT_ERROR_TOO_LARGE, "boxes for one rank have more than 2 GiB");
        return pli_mpi_failure(scene, PLIANT_ERROR_TOO_LARGE, PLI_MPI_NOBODY);
    }
    return done ? PLI_MPI_FINE : out_of_memory(scene);
}

/* Every neighbour learns how much comes, and makes room. */
static pli_mpi_outcome trade_sizes(pliant_mpi_scene *scene, pli_mpi_outcome outcome)
{
    int started = 0;
    uint64_t total = 0;
    for (uint32_t i = 0; i < scene->neighbour_count; i++) {
        pli_mpi_neighbour *one = pli_mpi_neighbour_at(scene, i);
        pli_mpi_receive(scene, &started, one->rank, &one->in_bytes, sizeof one->in_bytes);
    }
    for (uint32_t i = 0; i < scene->neighbour_count; i++) {
        pli_mpi_neighbour *one = pli_mpi_neighbour_at(scene, i);
        pli_mpi_send(scene, &started, one->rank, &one->out_bytes, sizeof one->out_bytes);
    }
    pli_mpi_wait(scene, started);
    for (uint32_t i = 0; i < scene->neighbour_count; i++) {
        pli_mpi_neighbour *one = pli_mpi_neighbour_at(scene, i);
        one->in_first = total;
        total += one->in_bytes;
    }
    if (outcome.result == PLIANT_OK &&
        pli_mpi_resize(scene->context, &scene->boxes_in, pli_mpi_bytes_of(total, 1)) == NULL) {
        outcome = out_of_memory(scene);
    }
    return outcome;
}

static void trade_messages(pliant_mpi_scene *scene)
{
    int started = 0;
    uint64_t from = 0;
    for (uint32_t i = 0; i < scene->neighbour_count; i++) {
        const pli_mpi_neighbour *one = pli_mpi_neighbour_at(scene, i);
        pli_mpi_receive(scene, &started, one->rank, scene->boxes_in.data + one->in_first,
                        one->in_bytes);
    }
    for (uint32_t i = 0; i < scene->neighbour_count; i++) {
        const pli_mpi_neighbour *one = pli_mpi_neighbour_at(scene, i);
        pli_mpi_send(scene, &started, one->rank, scene->boxes_out.data + from, one->out_bytes);
        from += one->out_bytes;
    }
    pli_mpi_wait(scene, started);
}

/* Takes in the kinds before the boxes. */
static bool read_message(pliant_mpi_scene *scene, pli_mpi_neighbour *from)
{
    pli_mpi_peer *peer = &scene->peers[from->rank];
    const char *bytes = scene->boxes_in.data + from->in_first;
    uint64_t kinds = 0;
    memcpy(&kinds, bytes, sizeof kinds);
    bool done = pli_mpi_read_kinds(scene, bytes + sizeof kinds, kinds, &peer->kinds, peer->known);
    from->in_first += sizeof kinds + kinds;
    from->in_count = (from->in_bytes - sizeof kinds - kinds) / sizeof(pli_mpi_box);
    return done;
}

/* ---------------------------------------------------------------------- pairs */

bool pli_mpi_owns(const pliant_mpi_scene *scene, int rank, uint64_t own_id, int other_rank,
                  uint64_t other_id)
{
    if (scene->owner == PLIANT_MPI_OWNER_LOWER_ID) {
        return own_id < other_id;
    }
    /* A number that both sides draw from the ids alike decides, in the proportion of their work. */
    bool first = rank < other_rank;
    uint64_t low = own_id < other_id ? own_id : other_id, high = own_id ^ other_id ^ low;
    double draw = (double)(pli_mpi_mix(low + pli_mpi_mix(high)) >> 11) * 0x1p-53;
    double a = (double)scene->heads[first ? rank : other_rank].work + 1.0;
    double b = (double)scene->heads[first ? other_rank : rank].work + 1.0;
    bool to_first = draw * (a + b) < b;
    return to_first == first;
}

/* Marks what goes where, and notes the shapes that are missing here. */
static pli_mpi_outcome mark_ghosts(pliant_mpi_scene *scene, float distance)
{
    uint64_t out = 0, in = 0;
    for (uint32_t i = 0; i < scene->neighbour_count; i++) {
        pli_mpi_neighbour *one = pli_mpi_neighbour_at(scene, i);
        if (!read_message(scene, one)) {
            return out_of_memory(scene);
        }
        out += one->out_count;
        in += one->in_count;
    }
    uint8_t *send = pli_mpi_resize(scene->context, &scene->send_flags, pli_mpi_bytes_of(out, 1));
    uint8_t *take = pli_mpi_resize(scene->context, &scene->take_flags, pli_mpi_bytes_of(in, 1));
    if (send == NULL || take == NULL) {
        return out_of_memory(scene);
    }
    memset(send, 0, (size_t)out);
    memset(take, 0, (size_t)in);
    scene->wanted.count = 0;
    for (uint32_t i = 0; i < scene->neighbour_count; i++) {
        const pli_mpi_neighbour *one = pli_mpi_neighbour_at(scene, i);
        if (!pli_mpi_join(scene, one, send, take, distance)) {
            return out_of_memory(scene);
        }
        const pli_mpi_box *boxes =
            (const pli_mpi_box *)(const void *)(scene->boxes_in.data + one->in_first);
        for (uint64_t k = 0; k < one->in_count; k++) {
            const pli_mpi_kind *kind =
                pli_mpi_kind_at(&scene->peers[one->rank].kinds, boxes[k].kind);
            if (take[k] && !pli_mpi_want_shape(scene, kind->shape_key, one->rank)) {
                return out_of_memory(scene);
            }
        }
        send += one->out_count;
        take += one->in_count;
    }
    return PLI_MPI_FINE;
}

pliant_result pli_mpi_find_ghosts(pliant_mpi_scene *scene, float distance)
{
    double began = MPI_Wtime(), waited = scene->stats.seconds_wait;
    /* A scene looks a bit beyond a distance (D5), by 2^-20 of it at most. */
    distance = fminf(distance + 0x1p-18f * distance, FLT_MAX);
    list_neighbours(scene, distance);
    pli_mpi_outcome outcome = trade_sizes(scene, write_messages(scene, distance));
    pliant_result result = pli_mpi_agree(scene, outcome, NULL);
    if (result != PLIANT_OK) {
        return result;
    }
    trade_messages(scene);
    outcome = mark_ghosts(scene, distance);
    outcome = outcome.result == PLIANT_OK ? pli_mpi_write_ghosts(scene) : outcome;
    uint32_t flags = scene->wanted.count > 0 ? PLI_MPI_NEEDS_SHAPES : 0u;
    result = pli_mpi_agree(scene, outcome, &flags);
    if (result == PLIANT_OK) { /* from now on both sides know the same kinds */
        for (uint32_t i = 0; i < scene->neighbour_count; i++) {
            pli_mpi_peer *peer = &scene->peers[pli_mpi_neighbour_at(scene, i)->rank];
            peer->told = scene->kinds.count;
            peer->known = peer->kinds.count;
        }
    }
    scene->stats.seconds_pairs += MPI_Wtime() - began - (scene->stats.seconds_wait - waited);
    return result == PLIANT_OK && flags & PLI_MPI_NEEDS_SHAPES ? pli_mpi_fetch_shapes(scene)
                                                               : result;
}
