/* Particles that rain onto a body and bounce off it. Who is inside is for the caller to find out.
 */
#ifndef GALLERY_PARTICLES_H
#define GALLERY_PARTICLES_H

#include "numbers.h"

#include <stdbool.h>

typedef struct gallery_particles {
    uint32_t count;
    float *positions;  /* x, y, z of each */
    float *velocities; /* likewise */
    gallery_random random;
} gallery_particles;

/* Particles in the air over [-1, 1] x [-1, 1], falling along -z. False when there is no memory. */
bool particles_create(gallery_particles *particles, uint32_t count, uint64_t seed);
void particles_destroy(gallery_particles *particles);

/* Lets all fall for a time step; those far below start anew above. */
void particles_fall(gallery_particles *particles, float seconds);

/* Takes one particle out of a body, `depth` along an axis, and turns it back. */
void particles_bounce(gallery_particles *particles, uint32_t particle, uint32_t axis, float depth);

#endif
