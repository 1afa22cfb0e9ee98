/*
 * A rough test of what touches, for scenes that are recorded without the library: bodies are filled
 * with small balls just below their surface, and balls of different bodies push each other.
 */
#ifndef GALLERY_MODAL_TOUCH_H
#define GALLERY_MODAL_TOUCH_H

#include "gallery/mesh.h"
#include "world.h"

typedef struct modal_sample {
    uint32_t vertex; /* which the ball moves with */
    float centre[3]; /* at rest */
} modal_sample;

typedef struct modal_samples {
    modal_sample *samples;
    uint32_t count;
    double radius; /* of all balls */
} modal_samples;

/* Chooses vertices no nearer to each other than `spacing`, and puts a ball that touches the surface
   from inside below each. False without memory. */
bool modal_sample_mesh(const gallery_mesh *mesh, double spacing, double radius,
                       modal_samples *samples);
void modal_samples_free(modal_samples *samples);

/* A ball in the world. */
typedef struct modal_touch_ball {
    double centre[3];
    uint32_t body, vertex;
} modal_touch_ball;

/* Contacts, and what is needed to find them; starts zeroed. */
typedef struct modal_touch {
    modal_contact *contacts;
    uint32_t contact_count, contact_capacity;
    modal_touch_ball *balls; /* of all bodies with samples */
    uint32_t ball_count, ball_capacity;
    uint32_t *slots, *next; /* a hash table of cells, as chains of balls */
} modal_touch;

/* Adds a contact. False without memory. */
bool modal_touch_add(modal_touch *touch, const modal_contact *contact);

/* Places the balls of bodies `first` to `end` - 1, which share one shape and its samples, and adds
   the contacts of those that overlap. Earlier contacts are forgotten. False without memory. */
bool modal_touch_bodies(modal_touch *touch, const modal_world *world, uint32_t first, uint32_t end,
                        const modal_samples *samples);

void modal_touch_free(modal_touch *touch);

#endif
