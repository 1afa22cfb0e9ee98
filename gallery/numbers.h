/*
 * Numbers that are the same on every machine. Scenes are compared by golden hashes, so they may use
 * only operations that IEEE 754 rounds in one way (+ - * / sqrt, floor), never libm's sine.
 */
#ifndef GALLERY_NUMBERS_H
#define GALLERY_NUMBERS_H

#include <stdint.h>

#define SCENE_PI 3.14159265358979323846

/* Sine and cosine, |x| at most 1e6, off by no more than about 1e-10 near 1e6 and 4e-16 near 0. */
double scene_sin(double x);
double scene_cos(double x);

/* A generator whose whole state is one word: any value is a valid seed. */
typedef struct scene_random {
    uint64_t state;
} scene_random;

/* The generator of one stream of a seed; streams of one seed are unrelated. */
scene_random scene_random_seed(uint64_t seed, uint64_t stream);
uint64_t scene_random_bits(scene_random *random);
double scene_random_range(scene_random *random, double lower, double upper);
uint32_t scene_random_below(scene_random *random, uint32_t bound);

/* A rotation drawn evenly from all rotations, row by row. */
void scene_random_rotation(scene_random *random, double rotation[3][3]);

/* A hash of bytes (FNV-1a) for golden values. */
uint64_t scene_hash(const void *data, uint64_t size);

#endif
