/* What the tests of libpliant_cuda share: a scene on a device with the same bodies beside it, whose
   contacts the core finds two bodies at a time. */
#ifndef PLIANT_TESTS_CUDA_FIXTURE_H
#define PLIANT_TESTS_CUDA_FIXTURE_H

#include "libs/cuda/emulator.h"
#include "libs/cuda/library.h"
#include "models.h"

/* The device that tests ask: the emulator, or a GPU where PLIANT_TEST_GPU is set. */
pliant_cuda *cuda_fixture_device(pliant_context *context);

/* The emulator of a device, or NULL. */
pli_cuda_emulator *cuda_fixture_emulator(pliant_cuda *cuda);

/* A scene and its twin. */
typedef struct cuda_twin {
    pliant_cuda *cuda;
    pliant_cuda_scene *scene;
    pliant_query *query;
    pliant_body **body; /* the core's */
    pliant_member_def *def;
    uint32_t count;
    pliant_cuda_contact *expected, *got;
    uint64_t expected_count, expected_capacity, got_count, got_capacity;
} cuda_twin;

cuda_twin cuda_twin_create(pliant_context *context);
void cuda_twin_destroy(cuda_twin *t);

/* Adds a body to both; returns its number. */
uint32_t cuda_twin_add(cuda_twin *t, const pliant_shape *shape, const pliant_member_def *def);

/* Sets the state of a body in both. */
void cuda_twin_set(cuda_twin *t, uint32_t body, const pliant_state *state);

/* Asks both; whether the lists are the same to the byte. Prints the first difference. Options that
   ask for the first contact of two bodies are answered by the lowest of all. */
bool cuda_twin_agrees(cuda_twin *t, const pliant_collide_options *options, const char *what);

#endif
