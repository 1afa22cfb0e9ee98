/* Which triangles meet while bodies move, for the questions that are made of it (D9). */
#ifndef PLI_QUERY_MEETINGS_H
#define PLI_QUERY_MEETINGS_H

#include "query/moving_kernels.h"
#include "query/near_clusters.h"
#include "query/walk.h"

/* One walk of such a question, or a part of one in a scene. */
typedef struct pli_meeting_walk {
    pli_walk walk; /* the first member, as every walk's; of the bodies' sweeps */
    const pliant_meeting_options *options;
    const pli_moving_kernels *kernels; /* NULL where coordinates are too large for them, and with a
                                          distance, which is the walk's growth */
    pli_near near;
    double limit;      /* what meets later is not asked for */
    size_t first;      /* of the query's keys; those before are of other pairs of bodies */
    uint64_t reported; /* to the callback */
} pli_meeting_walk;

/* Sets up a walk over sweeps; what it finds goes to the query's keys and its column of meetings.
   pli_meetings_prepared() must follow once the sweeps are prepared. */
void pli_meetings_init(pli_meeting_walk *m, pli_worker *worker, pliant_body *sweep_a,
                       pliant_body *sweep_b, const pliant_meeting_options *options);
void pli_meetings_prepared(pli_meeting_walk *m);

/* Whether what is found depends on the order of tasks. */
static inline bool pli_meetings_keep_order(const pliant_meeting_options *options)
{
    return options->mode == PLIANT_COLLIDE_FIRST || options->budget_nodes != 0;
}

/* Fails unless the options, which are not NULL, are right. */
pliant_result pli_check_meeting_options(const pliant_meeting_options *options);

/* For the public call of that name; `b` may be `a`. */
pliant_result pli_find_meetings(pliant_query *query, pliant_body *a, pliant_body *b,
                                const pliant_meeting_options *options, pliant_meetings *meetings,
                                const char *call);

/* free_time.c: until when nothing meets. The bodies' sweeps are up to date afterwards. */
pliant_result pli_find_free_time(pliant_query *query, pliant_body *a, pliant_body *b,
                                 const pliant_meeting_options *options, pliant_free_time *found,
                                 const char *call);

/* The same from the first of what meets of two sweeps, which `meetings` begins with. */
void pli_set_free_time(pliant_body *const sweep[2], const pliant_meetings *meetings,
                       pliant_free_time *found);

/* Bodies that are to be advanced: see advance.c. */
typedef struct pli_journey {
    pli_worker *worker; /* its scratch is used */
    pliant_body *const *bodies;
    uint32_t count;
    bool of_scene; /* all bodies of a scene that is in a call, by slot, NULL in free ones */
    const char *call;
    /* Finds the least free time of all bodies that may meet, at least one of which moves; what it
       needs besides is behind `asking`. */
    pliant_result (*find_least)(const struct pli_journey *a, pliant_advance *least);
    const void *asking;
    pli_traveller *travellers; /* by body */
} pli_journey;

/* Whether something of two of the bodies moves. */
static inline bool pli_journey_moves(const pli_journey *a, uint32_t i, uint32_t j)
{
    return a->travellers[i].moves || a->travellers[j].moves;
}

/* advance.c: for the public calls. */
pliant_result pli_advance_bodies(pli_journey *a, pliant_advance *found);

#endif
