/*
 * Numbers that are the same on every machine. Scenes are compared by golden hashes, so they may use
 * only operations that IEEE 754 rounds in one way (+ - * / sqrt, floor), never libm's sine.
 */
#ifndef GALLERY_NUMBERS_H
#define GALLERY_NUMBERS_H

#include <stdint.h>

#define GALLERY_PI 3.14159265358979323846

/* Sine and cosine, |x| at most 1e6, off by no more than about 1e-10 near 1e6 and 4e-16 near 0. */
double gallery_sin(double x);
double gallery_cos(double x);

/* A generator whose whole state is one word: any value is a valid seed. */
typedef struct gallery_random {
    uint64_t state;
} gallery_random;

/* The generator of one stream of a seed; streams of one seed are unrelated. */
gallery_random gallery_random_seed(uint64_t seed, uint64_t stream);
uint64_t gallery_random_bits(gallery_random *random);
double gallery_random_range(gallery_random *random, double lower, double upper);
uint32_t gallery_random_below(gallery_random *random, uint32_t bound);

/* A rotation drawn evenly from all rotations, row by row. */
void gallery_random_rotation(gallery_random *random, double rotation[3][3]);

/* A hash of bytes (FNV-1a) for golden values. */
uint64_t gallery_hash(const void *data, uint64_t size);

#endif
