/* One walk of pliant_find_within() or pliant_find_within_self(), or a part of one in a scene. */
#ifndef PLI_QUERY_WITHIN_H
#define PLI_QUERY_WITHIN_H

#include "query/near_clusters.h"

typedef struct pli_within {
    pli_walk walk; /* the first member, as every walk's; grown by what was asked for and both
                      bodies' errors */
    const pliant_within_options *options;
    pli_near near;
} pli_within;

/* Sets up a walk; what it finds goes to the query's keys and its column of proximities. `options`
   may be NULL. pli_near_prepared() must follow once the bodies are prepared. */
void pli_within_init(pli_within *within, pliant_query *query, pliant_body *a, pliant_body *b,
                     float distance, const pliant_within_options *options);

#endif
