/*
 * The answer of a rank's own scene, which goes by indices, in the order of ids. Where two bodies
 * stand in the other order by id, their triangles change places; geometry that depends on the order
 * is computed once more for such a pair, from the same bodies in the right order.
 */
#include "scene.h"

#include <string.h>

static pli_mpi_outcome out_of_memory(pliant_mpi_scene *scene)
{
    return pli_mpi_failure(scene, PLIANT_ERROR_OUT_OF_MEMORY, PLI_MPI_NOBODY);
}

pli_mpi_outcome pli_mpi_number_slots(pliant_mpi_scene *scene)
{
    size_t size = pli_mpi_bytes_of(scene->ghost_count, sizeof(uint64_t));
    uint64_t *ghosts = pli_mpi_resize(scene->context, &scene->sort_keys, size);
    uint64_t *scratch = pli_mpi_resize(scene->context, &scene->sort_scratch, size);
    if (ghosts == NULL || scratch == NULL || !pli_mpi_sort_ids(scene)) {
        return out_of_memory(scene);
    }
    const uint32_t *slots = (const uint32_t *)(void *)scene->ghosts.data;
    for (uint32_t i = 0; i < scene->ghost_count; i++) {
        ghosts[i] = pli_mpi_slot_at(scene, slots[i])->id;
    }
    pli_mpi_sort(ghosts, NULL, scene->ghost_count, scratch, NULL);
    const uint64_t *ids = (const uint64_t *)(void *)scene->ids.data;
    uint32_t own = 0, ghost = 0;
    while (own < scene->own_count || ghost < scene->ghost_count) {
        bool is_own =
            ghost == scene->ghost_count || (own < scene->own_count && ids[own] < ghosts[ghost]);
        uint32_t ordinal = own + ghost;
        uint64_t id = is_own ? ids[own++] : ghosts[ghost++];
        pli_mpi_slot_at(scene, pli_mpi_map_find(&scene->slot_of, id))->ordinal = ordinal;
    }
    return PLI_MPI_FINE;
}

/* ------------------------------------------------------------ pairs of bodies */

/* The pairs of bodies of an answer by ascending ids: which of the local ones each is. */
static const uint32_t *order_pairs(pliant_mpi_scene *scene, const pliant_scene_pair *bodies,
                                   uint32_t count)
{
    size_t size = pli_mpi_bytes_of(count, sizeof(uint64_t)), half = size / 2;
    uint64_t *keys = pli_mpi_resize(scene->context, &scene->sort_keys, size);
    uint64_t *scratch = pli_mpi_resize(scene->context, &scene->sort_scratch, size);
    uint32_t *numbers = pli_mpi_resize(scene->context, &scene->numbers, half);
    uint32_t *number_scratch = pli_mpi_resize(scene->context, &scene->number_scratch, half);
    if (keys == NULL || scratch == NULL || numbers == NULL || number_scratch == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = pli_mpi_slot_at(scene, bodies[i].a.index)->ordinal;
        uint32_t b = pli_mpi_slot_at(scene, bodies[i].b.index)->ordinal;
        keys[i] = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
        numbers[i] = i;
    }
    pli_mpi_sort(keys, numbers, count, scratch, number_scratch);
    return numbers;
}

static bool is_swapped(const pliant_mpi_scene *scene, const pliant_scene_pair *pair)
{
    return pli_mpi_slot_at(scene, pair->a.index)->id > pli_mpi_slot_at(scene, pair->b.index)->id;
}

/* Its bodies in the order of ids, and their slots. */
static pliant_mpi_pair name_pair(const pliant_mpi_scene *scene, const pliant_scene_pair *pair,
                                 uint64_t first, const pli_mpi_slot *slot[2])
{
    bool swapped = is_swapped(scene, pair);
    slot[0] = pli_mpi_slot_at(scene, swapped ? pair->b.index : pair->a.index);
    slot[1] = pli_mpi_slot_at(scene, swapped ? pair->a.index : pair->b.index);
    return (pliant_mpi_pair){slot[0]->id, slot[1]->id, first, pair->count};
}

static pliant_groups groups_of(const pliant_mpi_scene *scene, const pli_mpi_slot *slot)
{
    const pli_mpi_kind *kind = pli_mpi_kind_of(scene, slot);
    return kind->flags & PLI_MPI_GROUPS ? (pliant_groups){kind->groups, kind->group_count}
                                        : (pliant_groups){NULL, 0};
}

/* ------------------------------------------------------------------- contacts */

/* Pairs of triangles with their sides exchanged, in ascending order. */
static bool swap_pairs(pliant_mpi_scene *scene, const pliant_pair *from, uint64_t count,
                       pliant_pair *to)
{
    size_t size = pli_mpi_bytes_of(count, sizeof(uint64_t));
    uint64_t *keys = pli_mpi_resize(scene->context, &scene->spare, size);
    uint64_t *scratch = pli_mpi_resize(scene->context, &scene->old, size);
    if (keys == NULL || scratch == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        keys[i] = (uint64_t)from[i].b << 32 | from[i].a;
    }
    pli_mpi_sort(keys, NULL, (size_t)count, scratch, NULL);
    for (uint64_t i = 0; i < count; i++) {
        to[i] = (pliant_pair){(uint32_t)(keys[i] >> 32), (uint32_t)keys[i]};
    }
    return true;
}

/* Where contacts of an answer go. */
typedef struct contact_arrays {
    pliant_pair *pairs;
    pliant_segment *segments;
    pliant_separation *separations; /* NULL: not asked for */
} contact_arrays;

static pliant_result compare_again(pliant_mpi_scene *scene, const pliant_scene_options *asked,
                                   const pli_mpi_slot *const slot[2], uint64_t count,
                                   const contact_arrays *to, uint64_t first)
{
    pliant_collide_options options = pliant_collide_options_default();
    options.mode = asked->mode;
    options.segments = asked->segments;
    options.separations = asked->separations;
    options.separation_side = asked->separation_side;
    options.groups_a = groups_of(scene, slot[0]);
    options.groups_b = groups_of(scene, slot[1]);
    pliant_contacts found;
    pliant_result result =
        pliant_collide(scene->query, slot[0]->body, slot[1]->body, &options, &found);
    if (result == PLIANT_OK && found.count != count) {
        result = pliant_fail(PLIANT_ERROR_STATE, "two answers about the same bodies differ");
    }
    if (result == PLIANT_OK) {
        memcpy(to->pairs + first, found.pairs, (size_t)count * sizeof *found.pairs);
        if (to->segments != NULL) {
            memcpy(to->segments + first, found.segments, (size_t)count * sizeof *found.segments);
        }
        if (to->separations != NULL) {
            memcpy(to->separations + first, found.separations,
                   (size_t)count * sizeof *found.separations);
        }
    }
    return result;
}

static void copy_contacts(const pliant_scene_contacts *from, const pliant_scene_pair *pair,
                          const contact_arrays *to, uint64_t first)
{
    size_t count = (size_t)pair->count;
    memcpy(to->pairs + first, from->pairs + pair->first, count * sizeof *from->pairs);
    if (to->segments != NULL) {
        memcpy(to->segments + first, from->segments + pair->first, count * sizeof *from->segments);
    }
    if (to->separations != NULL) {
        memcpy(to->separations + first, from->separations + pair->first,
               count * sizeof *from->separations);
    }
}

static pliant_result name_contacts_of(pliant_mpi_scene *scene, const pliant_scene_options *options,
                                      const pliant_scene_contacts *from,
                                      const pliant_scene_pair *pair, const contact_arrays *to,
                                      pliant_mpi_pair *named, uint64_t first)
{
    const pli_mpi_slot *slot[2];
    *named = name_pair(scene, pair, first, slot);
    if (!is_swapped(scene, pair)) {
        copy_contacts(from, pair, to, first);
        return PLIANT_OK;
    }
    if (to->segments != NULL || to->separations != NULL) {
        return compare_again(scene, options, slot, pair->count, to, first);
    }
    return swap_pairs(scene, from->pairs + pair->first, pair->count, to->pairs + first)
               ? PLIANT_OK
               : PLIANT_ERROR_OUT_OF_MEMORY;
}

pli_mpi_outcome pli_mpi_name_contacts(pliant_mpi_scene *scene, const pliant_scene_options *options,
                                      const pliant_scene_contacts *from)
{
    pliant_context *context = scene->context;
    const uint32_t *order = order_pairs(scene, from->bodies, from->body_pair_count);
    pliant_mpi_pair *named = pli_mpi_resize(context, &scene->pair_list,
                                            pli_mpi_bytes_of(from->body_pair_count, sizeof *named));
    contact_arrays to = {.pairs = pli_mpi_resize(context, &scene->pairs,
                                                 pli_mpi_bytes_of(from->count, sizeof *to.pairs))};
    bool done = order != NULL && named != NULL && to.pairs != NULL;
    if (done && options->segments) {
        to.segments = pli_mpi_resize(context, &scene->segments,
                                     pli_mpi_bytes_of(from->count, sizeof *to.segments));
        done = to.segments != NULL;
    }
    if (done && options->separations) {
        to.separations = pli_mpi_resize(context, &scene->separations,
                                        pli_mpi_bytes_of(from->count, sizeof *to.separations));
        done = to.separations != NULL;
    }
    if (!done) {
        return out_of_memory(scene);
    }
    uint64_t first = 0;
    for (uint32_t i = 0; i < from->body_pair_count; i++) {
        const pliant_scene_pair *pair = &from->bodies[order[i]];
        pliant_result result = name_contacts_of(scene, options, from, pair, &to, &named[i], first);
        if (result != PLIANT_OK) {
            return pli_mpi_failure(scene, result, PLI_MPI_NOBODY);
        }
        first += pair->count;
    }
    scene->contacts = (pliant_mpi_contacts){.bodies = named,
                                            .body_pair_count = from->body_pair_count,
                                            .pairs = to.pairs,
                                            .segments = to.segments,
                                            .separations = to.separations,
                                            .count = from->count};
    return PLI_MPI_FINE;
}

/* ------------------------------------------------------------ within a distance */

static pliant_result measure_again(pliant_mpi_scene *scene, float distance,
                                   const pli_mpi_slot *const slot[2], uint64_t count,
                                   pliant_proximity *to)
{
    pliant_within_options options = pliant_within_options_default();
    options.groups_a = groups_of(scene, slot[0]);
    options.groups_b = groups_of(scene, slot[1]);
    pliant_proximities found;
    pliant_result result =
        pliant_find_within(scene->query, slot[0]->body, slot[1]->body, distance, &options, &found);
    if (result == PLIANT_OK && found.count != count) {
        result = pliant_fail(PLIANT_ERROR_STATE, "two answers about the same bodies differ");
    }
    if (result == PLIANT_OK) {
        memcpy(to, found.pairs, (size_t)count * sizeof *to);
    }
    return result;
}

pli_mpi_outcome pli_mpi_name_proximities(pliant_mpi_scene *scene, float distance,
                                         const pliant_scene_proximities *from)
{
    const uint32_t *order = order_pairs(scene, from->bodies, from->body_pair_count);
    pliant_mpi_pair *named = pli_mpi_resize(scene->context, &scene->pair_list,
                                            pli_mpi_bytes_of(from->body_pair_count, sizeof *named));
    pliant_proximity *to = pli_mpi_resize(scene->context, &scene->proximity_list,
                                          pli_mpi_bytes_of(from->count, sizeof *to));
    if (order == NULL || named == NULL || to == NULL) {
        return out_of_memory(scene);
    }
    uint64_t first = 0;
    for (uint32_t i = 0; i < from->body_pair_count; i++) {
        const pliant_scene_pair *pair = &from->bodies[order[i]];
        const pli_mpi_slot *slot[2];
        named[i] = name_pair(scene, pair, first, slot);
        pliant_result result = PLIANT_OK;
        if (is_swapped(scene, pair)) {
            result = measure_again(scene, distance, slot, pair->count, to + first);
        } else {
            memcpy(to + first, from->pairs + pair->first, (size_t)pair->count * sizeof *to);
        }
        if (result != PLIANT_OK) {
            return pli_mpi_failure(scene, result, PLI_MPI_NOBODY);
        }
        first += pair->count;
    }
    scene->proximities = (pliant_mpi_proximities){.bodies = named,
                                                  .body_pair_count = from->body_pair_count,
                                                  .pairs = to,
                                                  .count = from->count};
    return PLI_MPI_FINE;
}
