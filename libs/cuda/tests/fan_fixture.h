/* What the tests of fans share: a mesh of one body on a device, and whether what the device says of
   its vertices is true. */
#ifndef PLIANT_TESTS_FAN_FIXTURE_H
#define PLIANT_TESTS_FAN_FIXTURE_H

#include "cuda_fixture.h"

/* A mesh, where its vertices are, and of which the device is certain. */
typedef struct fan_surface {
    gallery_mesh mesh;
    float *positions;
    bool *settled;
} fan_surface;

fan_surface fan_surface_create(uint32_t vertices, uint32_t triangles);
void fan_surface_destroy(fan_surface *s);

/* A twin of one body, asked about itself; a seed shuffles what comes when, 0 does not. */
cuda_twin fan_twin_create(const fan_surface *s, bool has_joint, uint64_t seed);

/* How many pairs of the triangles round a vertex are contacts. */
uint32_t fan_contacts(const fan_surface *s, const uint32_t *welded, uint32_t vertex);

/*
 * Asks with BEYOND_SHARED and compares; no vertex may be settled whose triangles touch. Positions
 * become those of the device, and `settled` what it said. False, and neither, where the device's
 * memory cannot be read.
 */
bool fan_assert_sound(cuda_twin *t, fan_surface *s, const char *what);

#endif
