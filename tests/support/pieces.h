/*
 * Bodies in many pieces that fly about, of every kind, and a check that they answer as a body of a
 * shape made anew of their positions does.
 */
#ifndef PLIANT_TESTS_PIECES_H
#define PLIANT_TESTS_PIECES_H

#include "fixture.h"
#include "random.h"

typedef enum pieces_kind {
    PIECES_FREE,
    PIECES_MOVED,   /* given by positions that a transform moves */
    PIECES_MODES,   /* modes that move pieces apart */
    PIECES_BLENDED, /* a joint for each piece */
    PIECES_KINDS
} pieces_kind;

typedef struct pieces_def {
    pieces_kind kind;
    uint32_t triangles;
    pliant_islands islands;
    pliant_bound_kind bound;
    pliant_body_def body;
    fixture_tree tree;
} pieces_def;

typedef struct pieces {
    pieces_kind kind;
    pliant_context *context;
    pliant_query *query;
    gallery_mesh mesh; /* at rest */
    gallery_mesh other_mesh;
    uint32_t *piece; /* per vertex */
    uint32_t piece_count;
    float *modes, *weights; /* the arrays of the model */
    uint32_t *offsets;
    float *positions, *transforms, coordinates[3];
    pliant_shape *shape, *other_shape;
    pliant_body *body, *other; /* the other is a ball that stands still */
} pieces;

/* A free tree of the usual settings, with islands wherever there can be. */
pieces_def pieces_def_usual(pieces_kind kind, uint32_t triangles);

void pieces_create(pieces *p, pliant_context *context, const pieces_def *def, uint64_t seed);
void pieces_destroy(pieces *p);

/* Draws another state, in which each piece is off by up to `spread`, and sets it. */
void pieces_draw(pieces *p, rng *r, double spread);
pliant_result pieces_set(pieces *p);

/* Asks everything there is to ask of trees, and folds the answers; statistics too where `counts`.
 */
uint64_t pieces_ask(pieces *p, pliant_body *body, bool counts);

/* Asserts that the body answers as one of a shape made anew of its positions. */
void pieces_check(pieces *p);

#endif
