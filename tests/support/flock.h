/* Many bodies for the tests of scenes: deforming spheres, a sheet of cloth and a soup of triangles
   in a small space. */
#ifndef PLIANT_TESTS_FLOCK_H
#define PLIANT_TESTS_FLOCK_H

#include "fixture.h"

enum { FLOCK_BODIES = 14 };

typedef struct flock {
    gallery_scene *kind[FLOCK_BODIES];
    float *positions[FLOCK_BODIES];
} flock;

flock flock_create(void);
void flock_free(flock *f);

/* Moves all bodies to where they are in a step. */
void flock_evaluate(flock *f, uint32_t step);

/* One of them as brute force sees it. */
brute_body flock_brute(const flock *f, uint32_t i);

#endif
