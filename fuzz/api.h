/*
 * What the fuzzing of the public interface works with: an input that is read as a program, and a
 * small world of bodies that the program makes, moves and asks about.
 */
#ifndef FUZZ_API_H
#define FUZZ_API_H

#include "pliant/pliant.h"

enum {
    MOST_VERTICES = 24,
    MOST_TRIANGLES = 70, /* more than one cluster */
    MOST_MODES = 3,
    MOST_NODES = 4,
    BODIES = 3,
    MOST_CALLS = 24
};

typedef struct input {
    const uint8_t *at, *end;
    float scale; /* of positions: from the smallest numbers to the largest */
} input;

typedef struct world {
    pliant_context *context;
    pliant_query *query;
    pliant_scene *scene;
    pliant_shape *shapes[BODIES];
    pliant_body *bodies[BODIES];
    pliant_body_id ids[BODIES];
    pliant_member_def members[BODIES];
    bool forged[BODIES];                     /* its shape's block was: answers may be anything */
    float shared[BODIES][3 * MOST_VERTICES]; /* positions that are borrowed */
    float coordinates[BODIES][MOST_MODES];   /* those set last */
    uint32_t order;                          /* how the scheduler hands out work */
} world;

/* The next byte; 0 behind the end. */
uint32_t next(input *in);
uint32_t below(input *in, uint32_t limit);

/* A number that positions are made of; the same without the scale. */
float next_float(input *in);
float next_plain_float(input *in);

/* api_make.c: makes body number `which` anew, in place of the one there was; takes it away. */
void make_body(world *w, input *in, uint32_t which);
void drop_body(world *w, uint32_t which);

/* Sets any state of any kind, or moves the last one a little. */
void set_state(world *w, input *in, uint32_t which);
void nudge_state(world *w, input *in, uint32_t which);

/* Changes how a body takes part in the scene; its loose box may be right or wrong. */
void set_member(world *w, input *in, uint32_t which);

/* api_ask.c: two bodies, of which every pair must be told; anything else there is to ask. */
void ask_pair(world *w, input *in, uint32_t a, uint32_t b);
void ask(world *w, input *in, uint32_t a, uint32_t b);

#endif
