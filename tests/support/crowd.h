/*
 * A few small bodies that come and go in a scene at random, and what a plain query says of every
 * two of them: for tests of whatever a scene answers about pairs of bodies.
 */
#ifndef PLIANT_TESTS_CROWD_H
#define PLIANT_TESTS_CROWD_H

#include "fixture.h"

#include "random.h"

enum {
    CROWD_BODIES = 12,
    CROWD_SIDE = 3, /* cells along each side of a sheet, which is what bodies are */
    CROWD_VERTICES = (CROWD_SIDE + 1) * (CROWD_SIDE + 1),
    CROWD_TRIANGLES = 2 * CROWD_SIDE * CROWD_SIDE,
    CROWD_GROUPS = 4,
    CROWD_PAIRS = CROWD_BODIES * (CROWD_BODIES + 1) / 2
};

typedef struct crowd {
    pliant_context *context;
    pliant_shape *shape;
    pliant_query *query;
    pliant_scene *scene;
    pliant_body *body[CROWD_BODIES];
    pliant_body_id id[CROWD_BODIES]; /* generation 0: not in the scene */
    pliant_member_def def[CROWD_BODIES];
    uint64_t groups[CROWD_BODIES]; /* what def.groups points to */
    rng random;
} crowd;

/* Takes the context over. */
crowd *crowd_create(pliant_context *context, pliant_broad broad, uint64_t seed);
void crowd_free(crowd *c);

/* Adds a body, takes one out, destroys one and makes another, moves one, or changes how one takes
   part. */
void crowd_change(crowd *c);

/* A filter that lets most pairs through; `user` points to a uint32_t that says which. */
bool crowd_filter(void *user, pliant_body_id a, pliant_body_id b);

/* Two bodies that are to be compared, and all that a query finds of them with these options, in
   mode ALL. */
typedef struct crowd_pair {
    pliant_scene_pair named; /* first is 0, count may be */
    pliant_pair pairs[CROWD_TRIANGLES * CROWD_TRIANGLES];
    pliant_segment segments[CROWD_TRIANGLES * CROWD_TRIANGLES];
    pliant_separation separations[CROWD_TRIANGLES * CROWD_TRIANGLES];
} crowd_pair;

typedef struct crowd_truth {
    uint32_t count;
    crowd_pair pairs[CROWD_PAIRS]; /* ascending */
} crowd_truth;

void crowd_find_truth(const crowd *c, const pliant_scene_options *options, crowd_truth *truth);

/* Fails unless contacts of a pair of bodies are what they should be, by the options' mode. */
void crowd_check_pair(const crowd_pair *expected, const pliant_scene_options *options,
                      const pliant_scene_pair *named, const pliant_contacts *contacts);

#endif
