/*
 * Searches in pieces, on the workers, and the order of what they find. Each piece has its own list,
 * whoever runs it. Lists are brought together one behind the other, or in ascending order: by two
 * counting passes over slots, or by several workers, each of which sorts the pairs of some slots.
 */
#include "method.h"

#include "base/sort.h"

enum { PARTS = PLI_BROAD_PARTS };

/* ---------------------------------------------------------------- one thread */

bool pli_keys_sort(pliant_context *context, pli_keys *list, pli_keys *scratch)
{
    scratch->count = 0;
    if (!PLI_RESERVE(context, scratch, list->count)) {
        return false;
    }
    pli_sort_keys(list->data, scratch->data, NULL, NULL, list->count);
    return true;
}

/* One stable pass by the slot at `shift`; ends[] tells where each slot's keys begin, then end. */
static void scatter_pairs(const uint64_t *from, uint64_t *to, size_t count, uint32_t *ends,
                          unsigned shift)
{
    for (size_t i = 0; i < count; i++) {
        to[ends[(uint32_t)(from[i] >> shift)]++] = from[i];
    }
}

bool pli_broad_order_pairs(pli_broad *broad, pli_keys *pairs)
{
    size_t slots = broad->slot_count, count = pairs->count;
    if (count == 0) {
        return true;
    }
    if (count < slots / 2 || count > UINT32_MAX) {
        return pli_keys_sort(broad->context, pairs, &broad->scratch);
    }
    if (!PLI_RESERVE(broad->context, &broad->ends, 2 * slots) ||
        !PLI_RESERVE(broad->context, &broad->scratch, count)) {
        return false;
    }
    uint32_t *low = broad->ends.data, *high = low + slots, low_sum = 0, high_sum = 0;
    memset(low, 0, 2 * slots * sizeof *low);
    for (size_t i = 0; i < count; i++) {
        low[pairs->data[i] >> 32]++;
        high[(uint32_t)pairs->data[i]]++;
    }
    for (size_t slot = 0; slot < slots; slot++) {
        uint32_t of_low = low[slot], of_high = high[slot];
        low[slot] = low_sum;
        high[slot] = high_sum;
        low_sum += of_low;
        high_sum += of_high;
    }
    scatter_pairs(pairs->data, broad->scratch.data, count, high, 0);
    scatter_pairs(broad->scratch.data, pairs->data, count, low, 32);
    return true;
}

/* ------------------------------------------------------------- several */

void pli_broad_cut(pli_broad *broad, bool shared)
{
    broad->piece_count = shared ? (uint32_t)broad->pieces.count : 1;
}

pli_broad_range pli_broad_share(const pli_broad *broad, uint32_t piece, size_t count)
{
    uint64_t pieces = broad->piece_count;
    return (pli_broad_range){(size_t)(count * (uint64_t)piece / pieces),
                             (size_t)(count * ((uint64_t)piece + 1) / pieces)};
}

bool pli_broad_run(pli_broad *broad, pliant_task task)
{
    for (uint32_t i = 0; i < broad->piece_count; i++) {
        broad->pieces.data[i].failed = false;
    }
    if (broad->piece_count > 1) {
        broad->scheduled = pli_context_run(broad->context, task, broad, broad->piece_count);
    } else {
        task(broad, 0, 0);
    }
    bool done = broad->scheduled == PLIANT_OK;
    for (uint32_t i = 0; i < broad->piece_count; i++) {
        done = done && !broad->pieces.data[i].failed;
    }
    return done;
}

/* Runs the search. Then `found` has room for all that was found, and pieces know where theirs
   goes. */
static bool search(pli_broad *broad, pliant_task task, pli_keys *found)
{
    pli_broad_piece *pieces = broad->pieces.data;
    size_t count = 0;
    for (uint32_t i = 0; i < broad->piece_count; i++) {
        pieces[i].pairs.count = 0;
    }
    found->count = 0;
    if (!pli_broad_run(broad, task)) {
        return false;
    }
    if (broad->piece_count == 1) { /* the list changes hands */
        pli_keys list = pieces->pairs;
        pieces->pairs = *found;
        *found = list;
        return true;
    }
    for (uint32_t i = 0; i < broad->piece_count; i++) {
        pieces[i].first = count;
        count += pieces[i].pairs.count;
    }
    broad->gathered = found;
    bool done = PLI_RESERVE(broad->context, found, count);
    found->count = done ? count : 0;
    return done;
}

static void copy_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    pli_broad *broad = argument;
    const pli_broad_piece *piece = &broad->pieces.data[index];
    if (piece->pairs.count > 0) {
        memcpy(broad->gathered->data + piece->first, piece->pairs.data,
               piece->pairs.count * sizeof *piece->pairs.data);
    }
}

/* Puts the pieces' lists behind each other. */
static bool copy_all(pli_broad *broad)
{
    if (broad->gathered->count >= pli_broad_many_pairs(broad)) {
        return pli_broad_run(broad, copy_task);
    }
    for (uint32_t i = 0; i < broad->piece_count; i++) {
        copy_task(broad, i, 0);
    }
    return true;
}

bool pli_broad_collect(pli_broad *broad, pliant_task task, pli_keys *found)
{
    return search(broad, task, found) && (broad->piece_count == 1 || copy_all(broad));
}

/* ---------------------------------------------------------------- in order */

/* The part that sorts a pair: slots of the lower body are shared out evenly. */
static uint32_t part_of(const pli_broad *broad, uint64_t pair)
{
    return (uint32_t)((pair >> 32) * PARTS / broad->slot_count);
}

static void count_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const pli_broad *broad = argument;
    const pli_keys *pairs = &broad->pieces.data[index].pairs;
    uint32_t *counts = broad->parts.data + (size_t)PARTS * index;
    memset(counts, 0, PARTS * sizeof *counts);
    for (size_t i = 0; i < pairs->count; i++) {
        counts[part_of(broad, pairs->data[i])]++;
    }
}

/* Of how many pairs a piece has for each part makes where the first of them goes. */
static void place_parts(pli_broad *broad)
{
    uint32_t sum = 0;
    for (uint32_t part = 0; part < PARTS; part++) {
        broad->part_begins[part] = sum;
        for (uint32_t i = 0; i < broad->piece_count; i++) {
            uint32_t *at = &broad->parts.data[(size_t)PARTS * i + part], count = *at;
            *at = sum;
            sum += count;
        }
    }
    broad->part_begins[PARTS] = sum;
}

static void scatter_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const pli_broad *broad = argument;
    const pli_keys *pairs = &broad->pieces.data[index].pairs;
    uint32_t *at = broad->parts.data + (size_t)PARTS * index;
    for (size_t i = 0; i < pairs->count; i++) {
        broad->gathered->data[at[part_of(broad, pairs->data[i])]++] = pairs->data[i];
    }
}

static void sort_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const pli_broad *broad = argument;
    pli_broad_range parts = pli_broad_share(broad, index, PARTS);
    for (size_t part = parts.first; part < parts.end; part++) {
        uint32_t first = broad->part_begins[part];
        pli_sort_keys(broad->gathered->data + first, broad->scratch.data + first, NULL, NULL,
                      broad->part_begins[part + 1] - first);
    }
}

bool pli_broad_collect_in_order(pli_broad *broad, pliant_task task, pli_keys *found)
{
    if (!search(broad, task, found)) {
        return false;
    }
    size_t count = found->count;
    if (broad->piece_count == 1 || count < pli_broad_many_pairs(broad) || count > UINT32_MAX) {
        return (broad->piece_count == 1 || copy_all(broad)) && pli_broad_order_pairs(broad, found);
    }
    if (!PLI_RESERVE(broad->context, &broad->parts, (size_t)PARTS * broad->piece_count) ||
        !PLI_RESERVE(broad->context, &broad->scratch, count) || !pli_broad_run(broad, count_task)) {
        return false;
    }
    place_parts(broad);
    return pli_broad_run(broad, scatter_task) && pli_broad_run(broad, sort_task);
}
