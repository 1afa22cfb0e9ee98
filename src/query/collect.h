/*
 * Collecting: the results that workers found, by pair of bodies and in ascending order, with their
 * columns. What comes out is the same for any number of workers.
 */
#ifndef PLI_QUERY_COLLECT_H
#define PLI_QUERY_COLLECT_H

#include "query/worker.h"

/* The results of one pair of bodies. */
typedef struct pli_pair_results {
    uint32_t pair; /* its number in the list of pairs */
    bool complete; /* false: a budget was spent */
    uint64_t first, count;
} pli_pair_results;

enum { PLI_COLLECTION_ARRAYS = 8 + PLI_COLUMNS };

/* Collected results, and what collecting needs. Zeroed memory is an empty collection. */
typedef struct pli_collection {
    uint64_t total; /* results */
    uint64_t
        *found; /* their keys; in the end the pairs of triangles, or triangles, they stand for */
    union {
        struct {
            PLI_ARRAY(pli_pair_results) parts; /* ascending by pair */
            pli_ranges ranges;                 /* ascending by pair and list */
            pli_ranges range_scratch;
            pli_keys keys, key_scratch;
            pli_keys order, order_scratch; /* where a key was found: worker << 48 | index */
            pli_array column[PLI_COLUMNS]; /* parallel to `found` */
            pli_array column_scratch;      /* of meetings, as many again */
        };
        pli_array arrays[PLI_COLLECTION_ARRAYS];
    };
} pli_collection;

PLI_CHECK_ARRAYS(pli_collection);

/* What is collected: lists of some workers, which compared some pairs of bodies. */
typedef struct pli_collecting {
    pliant_context *context;
    pli_worker *workers;
    uint32_t worker_count;
    uint32_t pair_count;
    uint32_t first_list, list_count;               /* within a pair, results are ordered by list */
    unsigned columns;                              /* bits of those that are wanted */
    pliant_stage stage;                            /* of each worker's share of the sorting */
    void (*convert)(uint64_t *keys, size_t count); /* keys of one pair and list; or NULL */
} pli_collecting;

/* Puts the workers' ranges in order and sums them up: sets parts, total and the ranges' places. */
pliant_result pli_collect_ranges(const pli_collecting *how, pli_collection *c);

/* Gathers and sorts the keys of all ranges, pair by pair and list by list, and then the columns. */
pliant_result pli_collect_results(const pli_collecting *how, pli_collection *c);

/* Keys become the pairs they stand for, in place. */
void pli_keys_to_pairs(uint64_t *keys, size_t count);

#endif
