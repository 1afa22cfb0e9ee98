/* Free time, and advancing bodies along their way (D9). */
#ifndef PLI_QUERY_MEETINGS_H
#define PLI_QUERY_MEETINGS_H

#include "query/query_kind.h"

/* free_time.c: until when nothing meets, for the public call of that name; `b` may be `a` if
   `self`. The bodies' sweeps are up to date afterwards. */
pliant_result pli_find_free_time(pliant_query *query, pliant_body *a, pliant_body *b, bool self,
                                 const pliant_meeting_options *options, pliant_free_time *found,
                                 const char *call);

/* free_time.c: the same of a scene within a call of it; of pairs of which a body moves, by slot,
   unless `moving` is NULL. */
pliant_result pli_scene_find_free_time(pliant_scene *scene, const pliant_scene_options *options,
                                       const bool *moving, pliant_scene_free_time *found);

#endif
