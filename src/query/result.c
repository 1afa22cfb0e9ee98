#include "result.h"

#include "base/sort.h"

#include <string.h>

const size_t pli_column_sizes[PLI_COLUMNS] = {
    [PLI_SEGMENTS] = sizeof(pliant_segment),
    [PLI_SEPARATIONS] = sizeof(pliant_separation),
    [PLI_PROXIMITIES] = sizeof(pliant_proximity),
    [PLI_PROXY_CONTACTS] = sizeof(pliant_proxy_contact),
    [PLI_MEETINGS] = sizeof(pliant_meeting),
};

pliant_result pli_result_reserve(pliant_query *query, size_t count, unsigned columns)
{
    size_t wanted = query->keys.count + count;
    bool there = PLI_RESERVE(query->context, &query->keys, wanted);
    for (; columns != 0 && there; columns &= columns - 1) {
        int column = __builtin_ctz(columns);
        there = pli_array_reserve(query->context, &query->columns[column].found, wanted,
                                  pli_column_sizes[column]);
    }
    return there ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_result pli_result_add(pliant_query *query, uint64_t key)
{
    return PLI_PUSH(query->context, &query->keys, key) ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Copies elements of a size that the compiler knows. */
static inline void permute(char *to, const char *from, const uint64_t *order, size_t count,
                           size_t size)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(to + i * size, from + order[i] * size, size);
    }
}

/* What was found about each key from `first` on, in the order of the sorted keys: the i-th of them
   was found as number order[i]. */
static bool follow_keys(pliant_query *query, size_t first, const uint64_t *order, pli_column column)
{
    pli_column_arrays *arrays = &query->columns[column];
    size_t size = pli_column_sizes[column], count = query->keys.count - first;
    if (!pli_array_reserve(query->context, &arrays->sorted, query->keys.count, size)) {
        return false;
    }
    const char *from = (const char *)arrays->found.data + first * size;
    char *to = (char *)arrays->sorted.data + first * size;
    switch (column) {
    case PLI_SEGMENTS:
        permute(to, from, order, count, sizeof(pliant_segment));
        break;
    case PLI_SEPARATIONS:
        permute(to, from, order, count, sizeof(pliant_separation));
        break;
    case PLI_PROXIMITIES:
        permute(to, from, order, count, sizeof(pliant_proximity));
        break;
    case PLI_PROXY_CONTACTS:
        permute(to, from, order, count, sizeof(pliant_proxy_contact));
        break;
    case PLI_MEETINGS:
        permute(to, from, order, count, sizeof(pliant_meeting));
        break;
    }
    return true;
}

pliant_result pli_result_sort(pliant_query *query, size_t first, unsigned columns)
{
    size_t count = query->keys.count - first;
    if (count == 0) {
        return PLIANT_OK;
    }
    bool there = PLI_RESERVE(query->context, &query->key_scratch, count) &&
                 (columns == 0 || (PLI_RESERVE(query->context, &query->order, count) &&
                                   PLI_RESERVE(query->context, &query->order_scratch, count)));
    if (!there) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    uint64_t *order = columns != 0 ? query->order.data : NULL;
    uint64_t *order_scratch = columns != 0 ? query->order_scratch.data : NULL;
    for (size_t i = 0; i < count && order != NULL; i++) {
        order[i] = i;
    }
    pli_sort_keys(query->keys.data + first, query->key_scratch.data, order, order_scratch, count);
    for (; order != NULL && columns != 0 && there; columns &= columns - 1) {
        there = follow_keys(query, first, order, (pli_column)__builtin_ctz(columns));
    }
    return there ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

void pli_keys_to_pairs(uint64_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pliant_pair pair = {.a = (uint32_t)(keys[i] >> 32), .b = (uint32_t)keys[i]};
        memcpy(&keys[i], &pair, sizeof pair);
    }
}
