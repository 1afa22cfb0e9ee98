/*
 * What the calls of T10 are made on: a context, bodies of all kinds that lie in one place, a scene
 * that they are in, a query, a volume object and one of contours.
 */
#ifndef PLIANT_TESTS_WORLD_OF_BODIES_H
#define PLIANT_TESTS_WORLD_OF_BODIES_H

#include "failing_memory.h"
#include "models.h"

/* Bodies: one of each kind of model, then two free ones. */
enum { FREE = MODEL_KINDS, OTHER_FREE, BODIES, TRIANGLES = 60 };

typedef struct world {
    pliant_context *context;
    pliant_shape *shape[BODIES];
    pliant_body *body[BODIES];
    pliant_body_id id[BODIES];
    pliant_scene *scene;
    pliant_query *query;
    pliant_volume *volume;
    pliant_contours *contours;
} world;

/* What the bodies are made of; free ones use the positions of theirs. There between the two calls,
   which a group of tests makes before and after. */
extern model_case world_cases[BODIES];
int world_set_up(void **state);
int world_tear_down(void **state);

/* A world; and one in which every body has been looked at in an earlier state. */
void *world_create(counting_allocator *allocator);
void *world_create_warm(counting_allocator *allocator);
void world_destroy(void *made);

pliant_shape_def world_shape_def(int i);
pliant_member_def world_member_def(int i);

/* Sets the coordinates and transforms of a body again. */
pliant_result world_set_model(world *w, int i);

/* Where the vertices of a body are; the caller frees the array. */
float *world_positions(const world *w, int i);

/* Where all vertices are, and who is in the scene. */
uint64_t world_fingerprint(const void *made);

/* A hash of all that touches in the scene. */
uint64_t world_answer(void *made);

uint64_t world_hash_pairs(const pliant_scene_pair *bodies, uint32_t count);
uint64_t world_hash_contacts(const pliant_scene_contacts *contacts);

/* Lets every allocation of these calls fail, in both worlds and in one whose bodies are torn and in
   the middle of a step: at least `least` failures in all. */
void world_try_calls(const failing_call *calls, size_t count, uint64_t least);

#endif
