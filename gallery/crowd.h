/*
 * Crowds: many bodies that move towards one point, turn and deform, and are pushed apart where they
 * touch. Where they go depends on what touched, so somebody has to say what did: crowd_step() takes
 * it step by step, crowd_record() asks a function. Once a step is recorded, the scene is there as
 * any other is: a function of body and step alone.
 *
 * gallery_create() records the whole motion with a rough test of its own, so that a crowd can be
 * used at once. Record it again for a motion that answers to exact contacts.
 */
#ifndef GALLERY_CROWD_H
#define GALLERY_CROWD_H

#include "gallery.h"

/* Two bodies that touch, a < b. */
typedef struct crowd_contact {
    uint32_t a, b;
} crowd_contact;

/* Is it one of the crowds? The functions below take no other scene. */
bool gallery_is_crowd(const gallery_scene *scene);

/* The last step that is known; gallery_evaluate() and gallery_place() take steps up to this one. */
uint32_t crowd_last_step(const gallery_scene *scene);

/* Goes back to step 0 and forgets the others. */
void crowd_restart(gallery_scene *scene);

/*
 * Records one step more, if any is left. `contacts` are the bodies that touch at the last step,
 * each pair once; the order counts.
 */
void crowd_step(gallery_scene *scene, const crowd_contact *contacts, uint32_t contact_count);

/* Are two bodies so near each other at a step that they may touch? */
bool crowd_may_touch(const gallery_scene *scene, uint32_t step, uint32_t a, uint32_t b);

/*
 * Do two bodies touch at a step? Asked step after step, for a < b in ascending order, and only
 * where crowd_may_touch(). The scene can be evaluated at `step`.
 */
typedef bool (*crowd_touch)(void *user, const gallery_scene *scene, uint32_t step, uint32_t a,
                            uint32_t b);

/* Records the whole motion anew; `touch` may be NULL for the rough test. Without memory the answer
   is false, and not all steps are known. Every step asks about all pairs: for a thousand bodies. */
bool crowd_record(gallery_scene *scene, crowd_touch touch, void *user);

#endif
