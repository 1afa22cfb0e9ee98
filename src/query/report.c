#include "report.h"

#include "geometry/triangle_overlap.h"
#include "query/witness.h"

#include <string.h>

/* Pairs given to a callback at a time. */
enum { BATCH = 256 };

/* A key becomes the pair it stands for, in place. */
static void keys_to_pairs(uint64_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pliant_pair pair = {.a = (uint32_t)(keys[i] >> 32), .b = (uint32_t)keys[i]};
        memcpy(&keys[i], &pair, sizeof pair);
    }
}

static void flush_batch(pli_collision *collision)
{
    pliant_query *query = collision->query;
    const pliant_collide_options *options = collision->options;
    if (query->key_count == 0) {
        return;
    }
    keys_to_pairs(query->keys, query->key_count);
    pliant_contacts batch = {.pairs = (const pliant_pair *)(void *)query->keys,
                             .segments = options->segments ? query->segments : NULL,
                             .separations = options->separations ? query->separations : NULL,
                             .count = query->key_count};
    query->key_count = 0;
    if (!options->callback(options->callback_user, &batch)) {
        collision->stopped = true;
        collision->complete = false;
    }
}

/* What was asked about a pair besides which it is, for the key that comes next. */
static pliant_result describe(pli_collision *collision, const float a[3][3], const float b[3][3])
{
    pliant_query *query = collision->query;
    size_t at = query->key_count;
    if (collision->options->segments) {
        pliant_segment *segments = pli_grow(query->context, query->segments, &query->segment_room,
                                            at + 1, sizeof *segments);
        if (segments == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        query->segments = segments;
        pli_triangle_segment(a, b, &segments[at]);
    }
    if (collision->options->separations) {
        pliant_separation *separations =
            pli_grow(query->context, query->separations, &query->separation_room, at + 1,
                     sizeof *separations);
        if (separations == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        query->separations = separations;
        pli_triangle_separation(a, b, 0.0f, &separations[at]);
    }
    return PLIANT_OK;
}

pliant_result pli_report_pair(pli_collision *collision, uint32_t triangle_a, uint32_t triangle_b,
                              const float a[3][3], const float b[3][3])
{
    pliant_query *query = collision->query;
    bool swap = collision->within && triangle_a > triangle_b; /* the lower one first */
    uint64_t key =
        swap ? (uint64_t)triangle_b << 32 | triangle_a : (uint64_t)triangle_a << 32 | triangle_b;
    uint64_t *keys =
        pli_grow(query->context, query->keys, &query->key_room, query->key_count + 1, sizeof *keys);
    if (keys == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    query->keys = keys;
    if (pli_report_describes(collision->options)) {
        pliant_result result = describe(collision, swap ? b : a, swap ? a : b);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    keys[query->key_count++] = key;
    collision->reported++;
    if (collision->options->mode == PLIANT_COLLIDE_FIRST) {
        collision->stopped = true;
        *pli_witness_entry(query, collision->body[0], collision->body[1]) =
            (pli_witness){collision->body[0]->id, collision->body[1]->id, triangle_a, triangle_b};
    }
    if (collision->options->callback != NULL && query->key_count == BATCH) {
        flush_batch(collision);
    }
    return PLIANT_OK;
}

pliant_result pli_report_all(pli_collision *collision, pli_cluster_view a, const uint8_t *slot_a,
                             pli_cluster_view b, const uint8_t *slot_b, uint64_t touch)
{
    pliant_query *query = collision->query;
    uint64_t *keys = pli_grow(query->context, query->keys, &query->key_room,
                              query->key_count + PLI_BATCH, sizeof *keys);
    if (keys == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    query->keys = keys;
    uint64_t *next = keys + query->key_count;
    for (; touch != 0; touch &= touch - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(touch);
        uint64_t p = pli_slot_triangle(a, slot_a[i]), q = pli_slot_triangle(b, slot_b[i]);
        bool swap = collision->within && p > q;
        *next++ = swap ? q << 32 | p : p << 32 | q;
    }
    size_t count = (size_t)(next - keys);
    collision->reported += count - query->key_count;
    query->key_count = count;
    return PLIANT_OK;
}

/* What was found about each pair, `size` bytes each, in the order of the sorted keys: in `sorted`,
   or where that has grown to; NULL when there is no memory. */
static void *follow_keys(pliant_query *query, const void *found, void *sorted, size_t *room,
                         size_t size)
{
    char *to = pli_grow(query->context, sorted, room, query->key_count, size);
    for (size_t i = 0; to != NULL && i < query->key_count; i++) {
        memcpy(to + i * size, (const char *)found + query->order[i] * size, size);
    }
    return to;
}

/* Puts keys, and what else was asked about each, in ascending order. */
static pliant_result sort_results(pliant_query *query, const pliant_collide_options *options)
{
    if (query->key_count == 0) {
        return PLIANT_OK;
    }
    pliant_result result = pli_query_sort(query, pli_report_describes(options));
    if (result == PLIANT_OK && options->segments) {
        pliant_segment *sorted = follow_keys(query, query->segments, query->sorted_segments,
                                             &query->sorted_segment_room, sizeof *sorted);
        query->sorted_segments = sorted != NULL ? sorted : query->sorted_segments;
        result = sorted != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (result == PLIANT_OK && options->separations) {
        pliant_separation *sorted =
            follow_keys(query, query->separations, query->sorted_separations,
                        &query->sorted_separation_room, sizeof *sorted);
        query->sorted_separations = sorted != NULL ? sorted : query->sorted_separations;
        result = sorted != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

pliant_result pli_report_end(pli_collision *collision)
{
    pliant_query *query = collision->query;
    if (collision->options->callback != NULL) {
        flush_batch(collision);
        return PLIANT_OK;
    }
    pliant_result result = sort_results(query, collision->options);
    if (result == PLIANT_OK) {
        keys_to_pairs(query->keys, query->key_count);
    }
    return result;
}
