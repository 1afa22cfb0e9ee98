/* A scene with all bodies of a flock, and what brute force says about it. */
#ifndef PLIANT_TESTS_FLOCK_SCENE_H
#define PLIANT_TESTS_FLOCK_SCENE_H

#include "flock.h"

typedef struct flock_scene {
    pliant_context *context;
    pliant_shape *shape[FLOCK_BODIES];
    pliant_body *body[FLOCK_BODIES];
    pliant_body_id id[FLOCK_BODIES];
    pliant_scene *scene;
} flock_scene;

/* The bodies have trees and strategies of all kinds; with `self` every third one is asked about
   itself as well. Takes the context over. */
flock_scene flock_scene_create(const flock *f, pliant_context *context, pliant_broad broad,
                               bool self);
void flock_scene_free(flock_scene *a);

/* Gives all bodies the flock's positions. */
void flock_scene_share(flock_scene *a, const flock *f);

/* The statistics of a scene without times and memory, which may differ from run to run. */
pliant_scene_stats flock_scene_counts(const pliant_scene *scene);

/* Brute force over all pairs of bodies, and within those that want it. */
typedef struct flock_scene_truth {
    brute_pairs pairs[FLOCK_BODIES][FLOCK_BODIES];
} flock_scene_truth;

flock_scene_truth *flock_scene_truth_create(const flock *f, bool self);
void flock_scene_truth_free(flock_scene_truth *t);

/* Every pair of bodies that touches is there, in order, with exactly brute force's pairs. Returns
   how many these are. */
uint64_t flock_scene_check_contacts(const pliant_scene_contacts *contacts,
                                    const flock_scene_truth *t);

#endif
