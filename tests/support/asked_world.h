/* Bodies that move, come, go and take part in other ways, in many scenes at once that are to answer
   alike whatever they work with, and selections of whom they are asked about. */
#ifndef PLIANT_TESTS_ASKED_WORLD_H
#define PLIANT_TESTS_ASKED_WORLD_H

#include "flock_scene.h"

#include "models.h"

enum { ASKED_SCENES = 12 };

typedef struct asked_member {
    bool present;
    pliant_member_def def;
    uint32_t generation;
} asked_member;

/* Who is where, the bodies to ask one by one, and the scenes that are to say the same. Bodies are
   free, or of all kinds of models. */
typedef struct asked_world {
    bool models;
    flock f;
    model_case cases[FLOCK_BODIES];
    const gallery_mesh *mesh[FLOCK_BODIES];
    float *positions[FLOCK_BODIES]; /* where vertices are */
    flock_scene alone;              /* its scene is not used */
    pliant_query *query;
    asked_member members[FLOCK_BODIES];
    flock_scene scenes[ASKED_SCENES];
    uint32_t scene_count;
    float shift[FLOCK_BODIES][3];
} asked_world;

void asked_world_create(asked_world *w, bool models, rng *r);
void asked_world_destroy(asked_world *w);

/* Everybody moves, those with loose boxes get new ones; some come, go or take part otherwise. */
void asked_world_change(asked_world *w, uint32_t step, rng *r);

/* Counts and, but for times, all statistics are those of the first scene. */
void asked_world_check_stats(const asked_world *w, uint32_t scene, pliant_scene_stats *first);

/* Whom a question is asked of, and what its filter sees. */
typedef struct selection {
    const asked_world *w;
    const flock_scene *scene;
    pliant_scene_select select;
    bool all, filtered;
    uint64_t refused; /* bits of bodies */
    uint32_t calls;
    uint32_t last; /* index, plus 1 */
} selection;

selection selection_random(const asked_world *w, rng *r);
bool selection_takes_part(const selection *s, uint32_t body);

/* The selection as a scene is given it. */
const pliant_scene_select *selection_give(selection *s, const flock_scene *a);

/* An answer names a body as the scene does. */
void selection_check_body(const selection *s, pliant_body_id id, void *user, uint32_t body);

#endif
