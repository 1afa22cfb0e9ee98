/*
 * Bodies of every kind for the tests of proxies: with models or free, bounded and updated in any
 * way, perhaps with an error.
 */
#ifndef PLIANT_TESTS_SUBJECTS_H
#define PLIANT_TESTS_SUBJECTS_H

#include "models.h"

/* A body of any kind, in a random state, and its mesh: a free one for kind MODEL_KINDS. */
typedef struct subject {
    model_case c;
    bool is_free;
    bool by_positions; /* a rigid body that is given by positions and moved */
    pliant_shape *shape;
    pliant_body *body;
    uint32_t *leaf; /* of each triangle */
} subject;

typedef struct subject_def {
    uint32_t kind; /* MODEL_KINDS: free */
    pliant_bound_kind bound;
    uint32_t triangles, proxy_triangles;
    float error;
    double scale, offset; /* 0: 1 and 0 */
    bool plain;           /* neither coherent nor given by positions */
} subject_def;

/* Free or with any model, bounded in any way. */
subject_def subject_def_random(uint32_t triangles, rng *r);

/* A body as defined, in a random state; its tree and its update strategy are random too. */
subject subject_create(pliant_context *context, subject_def d, rng *r);
void subject_destroy(subject *s);
void subjects_destroy(subject s[2]);

/* Puts the body into the state of its case. */
void subject_set(subject *s);

/* Moves two bodies to random states, apart a little so that many bounds barely meet. */
void subjects_set_apart(subject s[2], rng *r);

/* The pairs of triangles that touch, of the meshes that are meant where there is an error. */
void subjects_find_truth(const subject s[2], rng *r, brute_pairs *truth);

#endif
