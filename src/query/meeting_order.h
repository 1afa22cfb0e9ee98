/* Meetings in the order of their times, which are compared exactly (D9). */
#ifndef PLI_QUERY_MEETING_ORDER_H
#define PLI_QUERY_MEETING_ORDER_H

#include "geometry/moving_exact.h"
#include "query/run.h"

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

/* How far the meetings of two sweeps are put in order. */
typedef struct pli_ordering {
    const pliant_body *sweep[2];
    uint64_t most_compared; /* exact comparisons of times that are allowed */
    double deadline;        /* stop comparing then; 0: never */
    uint64_t compared;      /* set: exact comparisons of times */
} pli_ordering;

/*
 * Sorts the meetings of a collection's part, which are sorted by pair, by time; meetings at one
 * time stay in the order of pairs. Returns false if a budget was spent. The meetings up to some
 * place are then in order. All others are later, and in the order of the lower bounds of their
 * times.
 */
bool pli_order_part(pli_ordering *ordering, const pli_collection *c, const pli_pair_results *part);

#endif
