/*
 * Bodies that change ranks: an id, how it takes part, and its state. They enter their new rank
 * before they leave the old one, so that a failure on any rank leaves all of them where they were.
 */
#include "balance.h"

#include <string.h>

static pli_mpi_outcome out_of_memory(pliant_mpi_scene *scene)
{
    return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
}

/* A body as it is sent, before its state, which is filled up to eight bytes. */
typedef struct body_header {
    uint64_t id, weight;
    pliant_box loose_box; /* if its kind says so */
    uint32_t kind, flags;
} body_header;

static size_t padded(uint64_t size)
{
    return ((size_t)size + 7) / 8 * 8;
}

/* -------------------------------------------------------------------- leaving */

static bool write_body(pliant_mpi_scene *scene, const pli_mpi_slot *one)
{
    body_header header = {.id = one->id,
                          .weight = one->weight,
                          .kind = one->kind,
                          .flags = pli_mpi_state_flags_of(one->body)};
    pliant_member_def def;
    const pliant_box *loose = pli_mpi_loose_box(scene, one, &def);
    if (loose != NULL) {
        header.loose_box = *loose;
    }
    size_t size = padded(pli_mpi_state_bytes(pli_mpi_kind_of(scene, one), header.flags));
    char *to = pli_mpi_extend(scene->context, &scene->out, sizeof header + size);
    if (to == NULL) {
        return false;
    }
    memcpy(to, &header, sizeof header);
    if (size > 0) {
        memset(to + sizeof header + size - 8, 0, 8);
        pli_mpi_write_state(one->body, to + sizeof header);
    }
    return true;
}

/* For each other rank: how many bytes kinds are, kinds that it does not know, bodies. Those that go
   to one rank lie side by side on the curve. */
static pli_mpi_outcome write_bodies(pliant_mpi_scene *scene, const pli_mpi_course *course)
{
    uint32_t next = 0;
    scene->out.count = 0;
    for (int r = 0; r < scene->size; r++) {
        size_t begin = scene->out.count;
        uint32_t end = next;
        bool last = r + 1 == scene->size;
        while (end < course->count && (last || course->keys[end] < course->cuts[r])) {
            end++;
        }
        if (r != scene->rank && end > next) {
            if (pli_mpi_extend(scene->context, &scene->out, sizeof(uint64_t)) == NULL ||
                !pli_mpi_write_kinds(scene, scene->peers[r].told, &scene->out)) {
                return out_of_memory(scene);
            }
            uint64_t kinds = scene->out.count - begin - sizeof kinds;
            memcpy(scene->out.data + begin, &kinds, sizeof kinds);
            for (uint32_t i = next; i < end; i++) {
                if (!write_body(scene, pli_mpi_slot_at(scene, course->slots[i]))) {
                    return out_of_memory(scene);
                }
            }
        }
        scene->out_sizes[r] = scene->out.count - begin;
        next = end;
    }
    return PLI_MPI_FINE;
}

/* ------------------------------------------------------------------- arriving */

/* A body that came: where in scene->boxes_in, and from whom. */
typedef struct arrival {
    size_t at;
    int from;
    uint32_t slot; /* once it has entered */
} arrival;

static const body_header *header_at(const pliant_mpi_scene *scene, const arrival *one)
{
    return (const body_header *)(const void *)(scene->boxes_in.data + one->at);
}

/* Lists who came, in scene->hits, and what shapes are missing. */
static pli_mpi_outcome list_arrivals(pliant_mpi_scene *scene)
{
    size_t at = 0;
    scene->hits.count = scene->wanted.count = 0;
    for (int r = 0; r < scene->size; r++) {
        size_t end = at + (size_t)scene->in_sizes[r];
        if (at == end) {
            continue;
        }
        pli_mpi_peer *peer = &scene->peers[r];
        uint64_t kinds = 0;
        memcpy(&kinds, scene->boxes_in.data + at, sizeof kinds);
        at += sizeof kinds;
        if (!pli_mpi_read_kinds(scene, scene->boxes_in.data + at, kinds, &peer->kinds,
                                peer->known)) {
            return out_of_memory(scene);
        }
        at += (size_t)kinds;
        while (at < end) {
            arrival *one = pli_mpi_extend(scene->context, &scene->hits, sizeof *one);
            if (one == NULL) {
                return out_of_memory(scene);
            }
            *one = (arrival){.at = at, .from = r, .slot = PLI_MPI_ABSENT};
            const body_header *header = header_at(scene, one);
            const pli_mpi_kind *kind = pli_mpi_kind_at(&peer->kinds, header->kind);
            if (!pli_mpi_want_shape(scene, kind->shape_key, r)) {
                return out_of_memory(scene);
            }
            at += sizeof *header + padded(pli_mpi_state_bytes(kind, header->flags));
        }
    }
    return PLI_MPI_FINE;
}

static pliant_result enter_body(pliant_mpi_scene *scene, arrival *one)
{
    const body_header *header = header_at(scene, one);
    const pli_mpi_kind *kind = pli_mpi_kind_at(&scene->peers[one->from].kinds, header->kind);
    uint32_t ghost = pli_mpi_map_find(&scene->slot_of, header->id);
    if (ghost != PLI_MPI_ABSENT) {
        pli_mpi_leave(scene, ghost);
    }
    uint32_t number = pli_mpi_find_kind(scene, kind);
    pliant_body *body = NULL;
    pliant_result result = number == PLI_MPI_ABSENT ? PLIANT_ERROR_OUT_OF_MEMORY
                                                    : pli_mpi_make_body(scene, kind, &body);
    const pliant_member_def def =
        pli_mpi_member_def(kind, kind->flags & PLI_MPI_LOOSE ? &header->loose_box : NULL);
    if (result == PLIANT_OK && pli_mpi_state_bytes(kind, header->flags) > 0) {
        pliant_state state =
            pli_mpi_read_state(kind, header->flags, (const char *)header + sizeof *header);
        result = pliant_body_set_state(body, &state);
        if (result != PLIANT_OK) {
            pliant_body_destroy(body);
        }
    }
    if (result == PLIANT_OK) {
        result = pli_mpi_enter(scene, header->id, body, &def, -1, number, &one->slot);
    }
    if (result == PLIANT_OK) {
        pli_mpi_slot_at(scene, one->slot)->weight = header->weight;
    }
    return result;
}

/* All enter, by ascending ids, so that indices go by ids where they can. */
static pli_mpi_outcome enter_bodies(pliant_mpi_scene *scene)
{
    arrival *arrivals = (arrival *)(void *)scene->hits.data;
    size_t count = scene->hits.count / sizeof *arrivals;
    size_t size = pli_mpi_bytes_of(count, sizeof(uint64_t)), half = size / 2;
    uint64_t *ids = pli_mpi_resize(scene->context, &scene->states_out, size);
    uint64_t *scratch = pli_mpi_resize(scene->context, &scene->sort_scratch, size);
    uint32_t *numbers = pli_mpi_resize(scene->context, &scene->states_in, half);
    uint32_t *number_scratch = pli_mpi_resize(scene->context, &scene->number_scratch, half);
    if (ids == NULL || scratch == NULL || numbers == NULL || number_scratch == NULL) {
        return out_of_memory(scene);
    }
    for (size_t i = 0; i < count; i++) {
        ids[i] = header_at(scene, &arrivals[i])->id;
        numbers[i] = (uint32_t)i;
    }
    pli_mpi_sort(ids, numbers, count, scratch, number_scratch);
    for (size_t i = 0; i < count; i++) {
        pliant_result result = enter_body(scene, &arrivals[numbers[i]]);
        if (result != PLIANT_OK) {
            return pli_mpi_failure(scene, result,
                                   result == PLIANT_ERROR_OUT_OF_MEMORY ? PLI_MPI_NOBODY : ids[i]);
        }
    }
    return PLI_MPI_FINE;
}

static void send_back(pliant_mpi_scene *scene)
{
    const arrival *arrivals = (const arrival *)(void *)scene->hits.data;
    for (size_t i = 0; i < scene->hits.count / sizeof *arrivals; i++) {
        if (arrivals[i].slot != PLI_MPI_ABSENT) {
            pli_mpi_leave(scene, arrivals[i].slot);
        }
    }
}

/* ---------------------------------------------------------------------- moves */

/* The rank that a place on the curve belongs to. */
static int rank_of(const pliant_mpi_scene *scene, const pli_mpi_course *course, uint64_t key)
{
    int low = 0, high = scene->size - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (key >= course->cuts[middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Who came and who goes, by ascending ids. */
static pli_mpi_outcome list_moves(pliant_mpi_scene *scene, const pli_mpi_course *course)
{
    const arrival *arrivals = (const arrival *)(void *)scene->hits.data;
    size_t came = scene->hits.count / sizeof *arrivals, count = 0;
    pliant_mpi_move *moves =
        pli_mpi_resize(scene->context, &scene->boxes_out,
                       pli_mpi_bytes_of((uint64_t)came + course->count, sizeof *moves));
    if (moves == NULL) {
        return out_of_memory(scene);
    }
    for (size_t i = 0; i < came; i++) {
        moves[count++] = (pliant_mpi_move){header_at(scene, &arrivals[i])->id,
                                           (uint32_t)arrivals[i].from, (uint32_t)scene->rank};
    }
    for (uint32_t i = 0; i < course->count; i++) {
        int to = rank_of(scene, course, course->keys[i]);
        if (to != scene->rank) {
            moves[count++] = (pliant_mpi_move){pli_mpi_slot_at(scene, course->slots[i])->id,
                                               (uint32_t)scene->rank, (uint32_t)to};
        }
    }
    size_t size = pli_mpi_bytes_of(count, sizeof(uint64_t)), half = size / 2;
    uint64_t *ids = pli_mpi_resize(scene->context, &scene->states_out, size);
    uint64_t *scratch = pli_mpi_resize(scene->context, &scene->sort_scratch, size);
    uint32_t *numbers = pli_mpi_resize(scene->context, &scene->states_in, half);
    uint32_t *number_scratch = pli_mpi_resize(scene->context, &scene->number_scratch, half);
    pliant_mpi_move *sorted = pli_mpi_resize(scene->context, &scene->moves, count * sizeof *sorted);
    if (ids == NULL || scratch == NULL || numbers == NULL || number_scratch == NULL ||
        sorted == NULL) {
        return out_of_memory(scene);
    }
    for (size_t i = 0; i < count; i++) {
        ids[i] = moves[i].id;
        numbers[i] = (uint32_t)i;
    }
    pli_mpi_sort(ids, numbers, count, scratch, number_scratch);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = moves[numbers[i]];
    }
    return PLI_MPI_FINE;
}

/* From now on both sides know the same kinds, and those who went are gone here. */
static void complete(pliant_mpi_scene *scene, const pli_mpi_course *course, uint32_t kinds)
{
    for (int r = 0; r < scene->size; r++) {
        scene->peers[r].known = scene->peers[r].kinds.count;
    }
    for (uint32_t i = 0; i < course->count; i++) {
        int to = rank_of(scene, course, course->keys[i]);
        if (to != scene->rank) {
            scene->peers[to].told = kinds;
            pli_mpi_leave(scene, course->slots[i]);
        }
    }
    scene->stats.bodies = scene->own_count;
}

pliant_result pli_mpi_migrate(pliant_mpi_scene *scene, const pli_mpi_course *course)
{
    uint32_t kinds = scene->kinds.count, flags = 0;
    pliant_result result =
        pli_mpi_deal(scene, write_bodies(scene, course), &scene->out, &scene->boxes_in);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_mpi_outcome outcome = list_arrivals(scene);
    flags = scene->wanted.count > 0 ? PLI_MPI_NEEDS_SHAPES : 0u;
    result = pli_mpi_agree(scene, outcome, &flags);
    bool needs = result == PLIANT_OK && flags & PLI_MPI_NEEDS_SHAPES;
    result = needs ? pli_mpi_fetch_shapes(scene) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    outcome = enter_bodies(scene);
    outcome = outcome.result == PLIANT_OK ? list_moves(scene, course) : outcome;
    result = pli_mpi_agree(scene, outcome, NULL);
    if (result != PLIANT_OK) {
        char sentence[sizeof scene->sentence];
        memcpy(sentence, scene->sentence, sizeof sentence);
        send_back(scene);
        return pliant_fail(result, sentence);
    }
    complete(scene, course, kinds);
    return PLIANT_OK;
}
