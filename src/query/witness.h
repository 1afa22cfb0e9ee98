/*
 * Witness memory for first-contact queries. Where motion is coherent, the pair that answered the
 * last query about two bodies often answers the next one too. Trying it costs six vertices and one
 * exact test, and where it still touches nothing else of the bodies is read: no bound, no update.
 */
#ifndef PLI_QUERY_WITNESS_H
#define PLI_QUERY_WITNESS_H

#include "query/query.h"

/* The entry for two bodies, which may hold a pair of others. */
pli_witness *pli_witness_entry(pliant_query *query, const pliant_body *a, const pliant_body *b);

/* Reads the corners of the remembered pair, as they are now; false if there is none for these
 * bodies. */
bool pli_witness_recall(const pli_witness *witness, const pliant_body *a, const pliant_body *b,
                        float corner_a[3][3], float corner_b[3][3]);

#endif
