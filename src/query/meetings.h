/* Which triangles meet while bodies move, for the questions that are made of it (D9). */
#ifndef PLI_QUERY_MEETINGS_H
#define PLI_QUERY_MEETINGS_H

#include "query/query.h"

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

#endif
