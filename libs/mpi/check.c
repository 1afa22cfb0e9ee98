/* What has changed since the last question, looked at by all ranks: bodies that a rank wants to be
   taken out wherever they are, ids that came, shapes that came. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

static pli_mpi_outcome out_of_memory(pliant_mpi_scene *scene)
{
    return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
}

/* The rank that looks after an id or a key. */
static int registrar_of(const pliant_mpi_scene *scene, uint64_t key)
{
    return (int)(pli_mpi_mix(key) % (uint64_t)scene->size);
}

/* ------------------------------------------------------------------ removals */

/* The removals of all ranks, in scene->pending, in the same order everywhere. */
static pliant_result share_removals(pliant_mpi_scene *scene)
{
    size_t size = scene->removals.count, all = pli_mpi_bytes_of((uint64_t)scene->size, size);
    pli_mpi_outcome outcome = PLI_MPI_FINE;
    char *out = pli_mpi_resize(scene->context, &scene->out, all);
    if (out == NULL) {
        outcome = out_of_memory(scene);
    }
    for (int r = 0; r < scene->size; r++) {
        if (out != NULL && size > 0) {
            memcpy(out + (size_t)r * size, scene->removals.data, size);
        }
        scene->out_sizes[r] = size;
    }
    return pli_mpi_deal(scene, outcome, &scene->out, &scene->pending);
}

/* The lowest of ids that nobody has; they are forgotten. */
static pli_mpi_outcome forget_unknown(pliant_mpi_scene *scene, const uint8_t *found)
{
    const uint64_t *pending = (const uint64_t *)(void *)scene->pending.data;
    size_t count = scene->pending.count / sizeof *pending;
    uint64_t lowest = PLI_MPI_NOBODY;
    bool unknown = false;
    for (size_t i = 0; i < count; i++) {
        if (!found[i]) {
            unknown = true;
            lowest = pending[i] < lowest ? pending[i] : lowest;
        }
    }
    if (!unknown) {
        return PLI_MPI_FINE;
    }
    uint64_t *own = (uint64_t *)(void *)scene->removals.data;
    size_t kept = 0;
    for (size_t k = 0; k < scene->removals.count / sizeof *own; k++) {
        bool known = false;
        for (size_t i = 0; i < count && !known; i++) {
            known = found[i] && pending[i] == own[k];
        }
        if (known) {
            own[kept++] = own[k];
        }
    }
    scene->removals.count = kept * sizeof *own;
    pliant_fail(PLIANT_ERROR_RANGE, "it is to be removed, and no rank has it");
    return pli_mpi_failure(scene, PLIANT_ERROR_RANGE, lowest);
}

/* A body that is to be removed is the one that was there at the last question, though another one
   has been put in by the same id since; only if there was none it is the new one. */
enum { FOUND_KNOWN = 1, FOUND_FRESH = 2 };

static uint32_t found_here(const pliant_mpi_scene *scene, uint64_t id)
{
    uint32_t slot = pli_mpi_map_find(&scene->slot_of, id);
    if (slot == PLI_MPI_ABSENT || pli_mpi_slot_at(scene, slot)->from >= 0) {
        return 0;
    }
    return pli_mpi_slot_at(scene, slot)->fresh ? FOUND_FRESH : FOUND_KNOWN;
}

static pliant_result remove_bodies(pliant_mpi_scene *scene)
{
    pliant_result result = share_removals(scene);
    if (result != PLIANT_OK) {
        return result;
    }
    const uint64_t *pending = (const uint64_t *)(void *)scene->pending.data;
    size_t count = scene->pending.count / sizeof *pending;
    uint8_t *found = pli_mpi_resize(scene->context, &scene->found, count);
    result = pli_mpi_agree(scene, found != NULL ? PLI_MPI_FINE : out_of_memory(scene), NULL);
    if (result != PLIANT_OK) {
        return result;
    }
    for (size_t i = 0; i < count; i++) {
        found[i] = (uint8_t)found_here(scene, pending[i]);
    }
    pli_mpi_join_flags(scene, found, (int)count);
    pli_mpi_outcome outcome = forget_unknown(scene, found);
    if (outcome.result != PLIANT_OK) {
        return pli_mpi_settle(scene, outcome); /* all ranks know */
    }
    for (size_t i = 0; i < count; i++) {
        if (found_here(scene, pending[i]) == (found[i] & FOUND_KNOWN ? FOUND_KNOWN : FOUND_FRESH)) {
            pli_mpi_leave(scene, pli_mpi_map_find(&scene->slot_of, pending[i]));
        }
    }
    scene->removals.count = 0;
    scene->stats.bodies = scene->own_count;
    return PLIANT_OK;
}

/* ------------------------------------------------------------- ids and shapes */

/* An id, or a shape by its key, as it is sent to its registrar. */
typedef struct claim {
    uint64_t key, hash, size; /* the last two of shapes only, else 0 */
} claim;

static claim claim_at(const pliant_mpi_scene *scene, bool shapes, size_t i)
{
    if (shapes) {
        const pli_mpi_shape *shape = pli_mpi_shape_at(scene, (uint32_t)i);
        return (claim){shape->key, shape->hash, shape->size};
    }
    return (claim){.key = ((const uint64_t *)(const void *)scene->ids.data)[i]};
}

/* All claims of this rank, by the ranks that they go to. */
static pli_mpi_outcome write_claims(pliant_mpi_scene *scene, bool shapes)
{
    if (!shapes && !pli_mpi_sort_ids(scene)) {
        return out_of_memory(scene);
    }
    size_t count = shapes ? scene->shapes.count / sizeof(pli_mpi_shape) : scene->own_count;
    claim *out = pli_mpi_resize(scene->context, &scene->out, pli_mpi_bytes_of(count, sizeof *out));
    if (out == NULL) {
        return out_of_memory(scene);
    }
    memset(scene->out_sizes, 0, (size_t)scene->size * sizeof *scene->out_sizes);
    for (size_t i = 0; i < count; i++) {
        scene->out_sizes[registrar_of(scene, claim_at(scene, shapes, i).key)] += sizeof *out;
    }
    uint64_t start = 0; /* in_sizes are free: where the claims for each rank begin */
    for (int r = 0; r < scene->size; r++) {
        scene->in_sizes[r] = start;
        start += scene->out_sizes[r] / sizeof *out;
    }
    for (size_t i = 0; i < count; i++) {
        claim one = claim_at(scene, shapes, i);
        out[scene->in_sizes[registrar_of(scene, one.key)]++] = one;
    }
    return PLI_MPI_FINE;
}

/* The rank that a claim came from. */
static int sender_of(const pliant_mpi_scene *scene, size_t number)
{
    uint64_t end = 0;
    int r = -1;
    do {
        end += scene->in_sizes[++r] / sizeof(claim);
    } while (number >= end);
    return r;
}

static pli_mpi_outcome fail_claim(pliant_mpi_scene *scene, bool shapes, uint64_t key, size_t first,
                                  size_t second)
{
    int a = sender_of(scene, first), b = sender_of(scene, second);
    snprintf(scene->sentence, sizeof scene->sentence,
             shapes ? "shape %llu of rank %d is another than that of rank %d"
                    : "body %llu is on rank %d and on rank %d",
             (unsigned long long)key, a < b ? a : b, a < b ? b : a);
    return (pli_mpi_outcome){PLIANT_ERROR_ARGUMENT, shapes ? PLI_MPI_NOBODY : key};
}

/* The lowest id that came twice, or key that came for two shapes. */
static pli_mpi_outcome compare_claims(pliant_mpi_scene *scene, bool shapes)
{
    const claim *claims = (const claim *)(void *)scene->in.data;
    size_t count = scene->in.count / sizeof *claims;
    size_t size = count * sizeof(uint64_t), half = count * sizeof(uint32_t);
    uint64_t *keys = pli_mpi_resize(scene->context, &scene->sort_keys, size);
    uint64_t *scratch = pli_mpi_resize(scene->context, &scene->sort_scratch, size);
    uint32_t *numbers = pli_mpi_resize(scene->context, &scene->numbers, half);
    uint32_t *number_scratch = pli_mpi_resize(scene->context, &scene->number_scratch, half);
    if (keys == NULL || scratch == NULL || numbers == NULL || number_scratch == NULL) {
        return out_of_memory(scene);
    }
    for (size_t i = 0; i < count; i++) {
        keys[i] = claims[i].key;
        numbers[i] = (uint32_t)i;
    }
    pli_mpi_sort(keys, numbers, count, scratch, number_scratch);
    for (size_t i = 1; i < count; i++) {
        const claim *a = &claims[numbers[i - 1]], *b = &claims[numbers[i]];
        if (a->key == b->key && (!shapes || a->hash != b->hash || a->size != b->size)) {
            return fail_claim(scene, shapes, a->key, numbers[i - 1], numbers[i]);
        }
    }
    return PLI_MPI_FINE;
}

static pliant_result check_claims(pliant_mpi_scene *scene, bool shapes)
{
    pliant_result result =
        pli_mpi_deal(scene, write_claims(scene, shapes), &scene->out, &scene->in);
    return result == PLIANT_OK ? pli_mpi_agree(scene, compare_claims(scene, shapes), NULL) : result;
}

pliant_result pli_mpi_check_new(pliant_mpi_scene *scene, uint32_t flags)
{
    pliant_result result = PLIANT_OK;
    if (flags & PLI_MPI_REMOVALS) {
        result = remove_bodies(scene);
    }
    if (result == PLIANT_OK && flags & PLI_MPI_NEW_IDS) {
        result = check_claims(scene, false);
    }
    if (result == PLIANT_OK && flags & PLI_MPI_NEW_SHAPES) {
        result = check_claims(scene, true);
    }
    if (result == PLIANT_OK && scene->flags & PLI_MPI_NEW_IDS) {
        for (uint32_t i = 0; i < scene->slots.count / sizeof(pli_mpi_slot); i++) {
            pli_mpi_slot_at(scene, i)->fresh = false;
        }
    }
    scene->flags = result == PLIANT_OK ? 0 : scene->flags;
    return result;
}
