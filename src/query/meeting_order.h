/* Meetings in the order of their times, which are compared exactly (D9). */
#ifndef PLI_QUERY_MEETING_ORDER_H
#define PLI_QUERY_MEETING_ORDER_H

#include "query/query.h"

/* A triangle of a body throughout its step, by its number. */
void pli_read_moving_triangle(const pliant_body *sweep, uint32_t triangle,
                              pliant_moving_triangle *moving);

/* Two triangles of two sweeps (their numbers: a << 32 | b), and how they meet. */
typedef struct pli_timed_pair {
    const pliant_body *sweep[2];
    uint64_t key;
    const pliant_meeting *meeting;
} pli_timed_pair;

/* Whether one meeting is strictly earlier than another, exactly. */
bool pli_meeting_is_earlier(const pli_timed_pair *first, const pli_timed_pair *second);

/* The meetings of a query, sorted by pair, are put in the order of time; those of one time stay in
   the order of pairs. Keys follow. The bodies are sweeps. False without memory. */
bool pli_order_meetings(pliant_query *query, const pliant_body *a, const pliant_body *b);

#endif
