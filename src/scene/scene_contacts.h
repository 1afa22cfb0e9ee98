/* The contacts of a scene, from the pairs of bodies that are to be compared to answer and events.
 */
#ifndef PLI_SCENE_SCENE_CONTACTS_H
#define PLI_SCENE_SCENE_CONTACTS_H

#include "query/meetings.h"
#include "scene/scene.h"

/* The pair of members that an answer or an event is about. */
static inline uint64_t pli_scene_pair_key(pliant_body_id a, pliant_body_id b)
{
    return (uint64_t)a.index << 32 | b.index;
}

/*
 * scene_budget.c: marks the parts of a collection whose budget was spent as not complete. Pairs
 * whose budget was spent before something was found are added to scene->over_budget; *complete is
 * false if there is one of either. At the end these get their names.
 */
pliant_result pli_scene_mark_over_budget(pliant_scene *scene, pli_collection *c, bool *complete);
pliant_result pli_scene_name_undecided(pliant_scene *scene);

/*
 * scene_blocks.c: compares scene->pairs as the options and the comparison say, whose `collide` or
 * `meet` is set, and answers; the column of meetings is then in scene->found.
 */
pliant_result pli_scene_answer_blocks(pliant_scene *scene, const pliant_scene_options *options,
                                      const pli_scene_comparison *comparison,
                                      pliant_scene_contacts *contacts);

/* The earliest meeting so far of all pairs of bodies. */
typedef struct pli_earliest {
    pli_pair_results part; /* of all pairs, not of a block's; count 0: nothing meets */
    uint64_t bodies;
    pliant_pair pair;
    pliant_meeting meeting;
} pli_earliest;

/* scene_meetings.c: puts the meetings of each part in the order of time; clears *complete, and the
   flag of the part, if a budget ends in it. */
pliant_result pli_scene_order_meetings(pliant_scene *scene, const pli_scene_comparison *comparison,
                                       bool *complete);

/* scene_meetings.c: keeps the earliest meeting of a block, each of whose parts has one, if it is
   earlier or as early and of lower bodies. */
void pli_scene_keep_earliest(const pliant_scene *scene, uint32_t first_pair,
                             pli_earliest *earliest);

/* scene_meetings.c: the question of that name within a call; of what moves, unless `moving` is
   NULL. */
pliant_result pli_scene_find_free_time(pliant_scene *scene, const pliant_scene_options *options,
                                       const pli_journey *moving, pliant_scene_free_time *found);

/*
 * scene_events.c: finds the events of a call, in which the pairs of scene->touching touch and the
 * first `decided` of scene->pairs had their turn, in scene->new_events. Once the call has succeeded
 * they become the scene's events.
 */
pliant_result pli_scene_find_events(pliant_scene *scene, uint32_t decided);
void pli_scene_keep_events(pliant_scene *scene);

#endif
