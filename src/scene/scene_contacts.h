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

/* scene_columns.c: where the runs of a pair of the answer begin; runs are ascending by pair. */
size_t pli_scene_first_run(const pliant_scene *scene, const pliant_scene_pair *pair);

/* scene_columns.c: brings together what was found of each pair of the answer, sorted; with segments
   and separations, where their bits are set in `columns`. */
pliant_result pli_scene_gather_columns(pliant_scene *scene, uint64_t total, unsigned columns);

/*
 * scene_budget.c: a worker notes that a pair's budget was spent. Afterwards the answer's pairs of
 * which that is so are marked as not complete, and those that nothing was found of are added to
 * scene->spent; *complete is false if there is one of either. At the end these get their names.
 */
pliant_result pli_scene_note_spent(pliant_scene *scene, uint32_t worker, uint32_t pair);
pliant_result pli_scene_mark_spent(pliant_scene *scene, bool *complete);
pliant_result pli_scene_name_undecided(pliant_scene *scene);

/*
 * scene_blocks.c: compares scene->pairs as the options and the comparison say, whose `collide` or
 * `meet` is set, and answers; the column of meetings is then in scene->meetings.
 */
pliant_result pli_scene_answer_blocks(pliant_scene *scene, const pliant_scene_options *options,
                                      const pli_scene_comparison *comparison,
                                      pliant_scene_contacts *contacts);

/* The earliest meeting so far of all pairs of bodies. */
typedef struct pli_earliest {
    pliant_scene_pair bodies; /* count 0: nothing meets */
    pliant_pair pair;
    pliant_meeting meeting;
} pli_earliest;

/* scene_meetings.c: puts the meetings of each pair of the answer in the order of time; clears
 *complete, and the flag of the pair, if a budget ends in it. */
pliant_result pli_scene_order_meetings(pliant_scene *scene, const pli_scene_comparison *comparison,
                                       uint64_t total, bool *complete);

/* scene_meetings.c: keeps the earliest of the answer, each of whose pairs has one, if it is earlier
   or as early and of lower bodies. */
void pli_scene_keep_earliest(const pliant_scene *scene, pli_earliest *earliest);

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
