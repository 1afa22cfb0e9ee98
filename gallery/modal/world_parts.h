/* The inside of a world: for the files it consists of. */
#ifndef GALLERY_MODAL_WORLD_PARTS_H
#define GALLERY_MODAL_WORLD_PARTS_H

#include "algebra.h"
#include "world.h"

/* A damped oscillator over one step under a constant force:
   q' = eq + qq (q - rest) + qv v, v' = vq (q - rest) + vv v with rest = force / frequency^2. */
typedef struct oscillator {
    double square; /* of the frequency */
    double qq, qv, vq, vv;
} oscillator;

typedef struct world_shape {
    const modal_model *model;
    oscillator *oscillators; /* NULL: driven, or without modes */
    modal_matrix inverse_inertia;
    double limit; /* of the sum of |q_m| largest_m */
} world_shape;

typedef struct world_body {
    uint32_t shape;
    bool fixed;
    uint32_t contact_count; /* in this step */
    size_t first;           /* of its coordinates */
    double position[3], momentum[3], angular[3];
    double orientation[4]; /* a quaternion: i, j, k and the real part */
    modal_matrix rotation;
    double velocity[3], spin[3]; /* follow from the above */
    double force[3], torque[3];
} world_body;

struct modal_world {
    modal_world_def def;
    bool rigid;
    world_shape *shapes;
    uint32_t shape_count;
    world_body *bodies;
    uint32_t body_count, body_capacity;
    double *coordinates, *rates, *forces; /* of all bodies' modes */
    size_t mode_count, mode_capacity;
};

/* Adds the force of one contact to what acts on its two bodies. */
void modal_world_press(modal_world *world, const modal_contact *contact);

#endif
