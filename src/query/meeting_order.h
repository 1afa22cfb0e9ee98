/* Meetings in the order of their times, which are compared exactly (D9). */
#ifndef PLI_QUERY_MEETING_ORDER_H
#define PLI_QUERY_MEETING_ORDER_H

#include "geometry/moving_exact.h"
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

/* The sign of the time of meeting a minus that of b, exactly. */
int pli_compare_meetings(const pli_timed_pair *a, const pli_timed_pair *b);

/* The points that meet, and of which triangles: the points stay where these are. */
void pli_find_meeting_points(const pli_timed_pair *pair, pliant_moving_triangle triangle[2],
                             pli_moving_points *points);

/* Meetings of two sweeps with their pairs, and scratch for as many. */
typedef struct pli_meeting_list {
    const pliant_body *sweep[2];
    pliant_pair *pairs, *pair_scratch;
    pliant_meeting *meetings, *meeting_scratch;
    uint64_t *order, *order_scratch;
} pli_meeting_list;

/* Meetings that are sorted by pair are put in the order of time; those of one time stay in the
   order of pairs. */
void pli_order_meeting_list(const pli_meeting_list *list, size_t count);

/* The same for those of a query, whose keys are pairs already. False without memory. */
bool pli_order_meetings(pliant_query *query, pliant_body *const sweep[2]);

#endif
