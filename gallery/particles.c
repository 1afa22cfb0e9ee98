#include "particles.h"

#include <stdlib.h>
#include <string.h>

#define GRAVITY    (-2.0f)
#define BOUNCE     0.6f /* what is left of the speed */
#define LOWEST     (-1.5f)
#define START_LOW  1.1
#define START_HIGH 2.5

static void start(gallery_particles *particles, uint32_t i, double lowest)
{
    float *p = particles->positions + 3 * (size_t)i, *v = particles->velocities + 3 * (size_t)i;
    p[0] = (float)gallery_random_range(&particles->random, -1.0, 1.0);
    p[1] = (float)gallery_random_range(&particles->random, -1.0, 1.0);
    p[2] = (float)gallery_random_range(&particles->random, lowest, START_HIGH);
    v[0] = v[1] = v[2] = 0.0f;
}

bool particles_create(gallery_particles *particles, uint32_t count, uint64_t seed)
{
    size_t bytes = (size_t)count * 3 * sizeof(float);
    *particles = (gallery_particles){.count = count,
                                     .positions = malloc(bytes),
                                     .velocities = malloc(bytes),
                                     .random = gallery_random_seed(seed, 77)};
    if (particles->positions == NULL || particles->velocities == NULL) {
        particles_destroy(particles);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        start(particles, i, (double)LOWEST);
    }
    return true;
}

void particles_destroy(gallery_particles *particles)
{
    free(particles->positions);
    free(particles->velocities);
    memset(particles, 0, sizeof *particles);
}

void particles_fall(gallery_particles *particles, float seconds)
{
    for (uint32_t i = 0; i < particles->count; i++) {
        float *p = particles->positions + 3 * (size_t)i;
        float *v = particles->velocities + 3 * (size_t)i;
        v[2] += GRAVITY * seconds;
        for (int k = 0; k < 3; k++) {
            p[k] += v[k] * seconds;
        }
        if (p[2] < LOWEST) {
            start(particles, i, START_LOW);
        }
    }
}

void particles_bounce(gallery_particles *particles, uint32_t particle, uint32_t axis, float depth)
{
    float *p = particles->positions + 3 * (size_t)particle;
    float *v = particles->velocities + 3 * (size_t)particle;
    p[axis] += depth;
    float outward = depth < 0.0f ? -1.0f : 1.0f;
    if (v[axis] * outward < 0.0f) {
        v[axis] *= -BOUNCE;
    } else {
        v[axis] += 0.2f * outward; /* sideways: off a surface that is not seen from above */
    }
}
