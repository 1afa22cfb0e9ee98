/* Sheets of one shape, given by positions, one above the other, that go through each other. */
#ifndef PLIANT_TESTS_SHEETS_H
#define PLIANT_TESTS_SHEETS_H

#include "fixture.h"
#include "random.h"

enum { SIDE = 5, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), MOST = 3 };

typedef struct sheets {
    pliant_context *context;
    pliant_shape *shape;
    pliant_query *query;
    pliant_body *body[MOST];
    uint32_t triangles[3 * TRIANGLES];
    float at[MOST][2][3 * VERTICES];
} sheets;

/* In a context that they then own; the second one makes it. */
void sheets_create_in(sheets *s, pliant_context *context);
void sheets_create(sheets *s);
void sheets_destroy(sheets *s);

/* Sheet i hovers at height i and goes to another one, by `far` at most, all around an offset. */
void sheets_move(sheets *s, rng *r, double far, double offset);

#endif
