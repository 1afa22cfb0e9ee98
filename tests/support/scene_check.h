/* Results of a scene beside those of its bodies: shared by the parts of
 * tests/table/test_of_scene.c. */
#ifndef PLIANT_TESTS_SCENE_CHECK_H
#define PLIANT_TESTS_SCENE_CHECK_H

#include "table_world.h"

/* Pairs of members that touch after the latest contacts with events. */
typedef struct touching {
    pliant_body_id pairs[256][2];
    uint32_t count;
} touching;

typedef struct scene_check {
    table_life *l;
    const table_event *e;
    uint32_t order[TABLE_BODIES], count; /* bodies in the scene, ascending by index */
    uint32_t pairs[TABLE_BODIES * TABLE_BODIES][2], pair_count; /* that are compared, ascending */
    query_place place;                                          /* of queries of bodies */
    query_arguments arguments;
    query_copy copy, slices[2]; /* of such a query; of the scene and of that */
    touching *touching;
    char *text;
} scene_check;

static inline bool scene_fails(scene_check *c, const char *text)
{
    snprintf(c->text, 256, "%s", text);
    return false;
}

static inline const table_actor *scene_actor(const scene_check *c, uint32_t k)
{
    return &c->l->actors[c->order[k]];
}

static inline bool same_id(pliant_body_id a, pliant_body_id b)
{
    return a.index == b.index && a.generation == b.generation;
}

/* Each compares the latest query of a scene with queries of the bodies that its selection takes. */
bool scene_check_rays(scene_check *c);
bool scene_check_closest(scene_check *c);
bool scene_check_distances(scene_check *c);
bool scene_check_box(scene_check *c);

#endif
