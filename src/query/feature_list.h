/*
 * What a question about features found: a list per kind, with keys a << 32 | b, so that three sorts
 * put all pairs in order.
 */
#ifndef PLI_QUERY_FEATURE_LIST_H
#define PLI_QUERY_FEATURE_LIST_H

#include "pliant/query.h"

#include "base/array.h"

enum { PLI_FEATURE_KINDS = PLIANT_EDGE_EDGE + 1 };

typedef struct pli_feature_list {
    pli_keys keys;
    PLI_ARRAY(pliant_feature_pair) found; /* in the order found, one per key */
} pli_feature_list;

/* Arrays and nothing else, so that a query has them among its own. */
typedef struct pli_feature_lists {
    pli_feature_list kind[PLI_FEATURE_KINDS];
    PLI_ARRAY(pliant_feature_pair) sorted; /* in order */
    pli_keys scratch; /* keys, orders and what sorting them needs: three parts */
} pli_feature_lists;

enum { PLI_FEATURE_ARRAYS = sizeof(pli_feature_lists) / sizeof(pli_array) };

/* Forgets what was found; memory stays. */
void pli_feature_lists_clear(pli_feature_lists *lists);

/* A place for one more pair of that kind, which the caller fills in; NULL without memory. */
pliant_feature_pair *pli_feature_lists_add(pliant_context *context, pli_feature_lists *lists,
                                           pliant_feature_kind kind, uint32_t a, uint32_t b);

/* Moves all pairs behind those in `sorted`, kind by kind and in order; *count receives their
   number. */
pliant_result pli_feature_lists_sort(pliant_context *context, pli_feature_lists *lists,
                                     uint64_t *count);

#endif
