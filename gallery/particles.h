/* Particles that rain onto a body and bounce off it. Who is inside is for the caller to find out.
 */
#ifndef GALLERY_PARTICLES_H
#define GALLERY_PARTICLES_H

#include "numbers.h"

#include <stdbool.h>

typedef struct scene_particles {
    uint32_t count;
    float *positions;  /* x, y, z of each */
    float *velocities; /* likewise */
    scene_random random;
} scene_particles;

/* Particles in the air over [-1, 1] x [-1, 1], falling along -z. False when there is no memory. */
bool particles_create(scene_particles *particles, uint32_t count, uint64_t seed);
void particles_destroy(scene_particles *particles);

/* Lets all fall for a time step; those far below start anew above. */
void particles_fall(scene_particles *particles, float seconds);

/* Takes one particle out of a body, `depth` along an axis, and turns it back. */
void particles_bounce(scene_particles *particles, uint32_t particle, uint32_t axis, float depth);

#endif
