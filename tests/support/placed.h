/* Bodies of every kind under world transforms. */
#ifndef PLIANT_TESTS_PLACED_H
#define PLIANT_TESTS_PLACED_H

#include "models.h"

/* Kinds of bodies: those of models.h, then free ones and rigid ones that are given by positions. */
enum { PLACED_FREE = MODEL_KINDS, PLACED_MOVED, PLACED_KINDS };

typedef struct placed_body {
    model_case c; /* with what it is to be */
    pliant_shape *shape;
    pliant_body *body;
    int kind;
} placed_body;

/* Whether it is given by positions. */
bool placed_is_given(const placed_body *s);

placed_body placed_create(pliant_context *context, int kind, model_trait trait, double scale,
                          pliant_bound_kind bound, const pliant_body_def *def, rng *r);
void placed_destroy(placed_body *s);

/* Puts it into another state: positions, coordinates and transforms, the world transform before
   them or after; NULL: none. */
void placed_move(placed_body *s, const float *world, bool coherent, rng *r);

#endif
