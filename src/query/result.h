/*
 * What a query found: keys in the order found and, parallel to them, columns of what was asked
 * about each. The key of a pair is a << 32 | b, so that keys and answers have the same order.
 */
#ifndef PLI_QUERY_RESULT_H
#define PLI_QUERY_RESULT_H

#include "query/query.h"

/* Room for `count` more keys, and for as many elements in the columns whose bits are set. The
   caller writes them and then adds to query->keys.count. */
pliant_result pli_result_reserve(pliant_query *query, size_t count, unsigned columns);

/* Where the element that goes with the next key is written, once there is room for it. */
static inline void *pli_result_next(const pliant_query *query, pli_column column)
{
    return (char *)query->columns[column].found.data + query->keys.count * pli_column_sizes[column];
}

/* Adds a key without columns. */
pliant_result pli_result_add(pliant_query *query, uint64_t key);

/* Adds a key with one column; returns where its element is to be written, NULL without memory. */
static inline void *pli_result_add_to(pliant_query *query, uint64_t key, pli_column column)
{
    size_t at = query->keys.count;
    bool there = at < query->keys.capacity && at < query->columns[column].found.capacity;
    if (!there && pli_result_reserve(query, 1, 1u << column) != PLIANT_OK) {
        return NULL;
    }
    void *place = pli_result_next(query, column);
    query->keys.data[query->keys.count++] = key;
    return place;
}

/* Sorts the keys from `first` on; the columns whose bits are set follow into their `sorted`. */
pliant_result pli_result_sort(pliant_query *query, size_t first, unsigned columns);

/* Keys become the pairs they stand for, in place. */
void pli_keys_to_pairs(uint64_t *keys, size_t count);

#endif
