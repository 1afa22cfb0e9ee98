/*
 * Bodies with models for tests: random meshes, fields, influences and states of every kind, and
 * adversaries that attain the bounds: aligned modes, rest positions that the modes cancel, weights
 * that do not sum to 1, transforms that turn, shear and mirror.
 */
#ifndef PLIANT_TESTS_MODELS_H
#define PLIANT_TESTS_MODELS_H

#include "fixture.h"
#include "random.h"

/* How a body of a test is given. */
typedef enum model_kind {
    MODEL_RIGID,    /* one transform */
    MODEL_MODES,    /* modes */
    MODEL_REDUCED,  /* modes and one transform */
    MODEL_BLENDED,  /* several transforms */
    MODEL_COMPOSED, /* modes and several transforms */
    MODEL_KINDS
} model_kind;

/* What is special about it. */
typedef enum model_trait {
    MODEL_SMOOTH,    /* fields that vary slowly */
    MODEL_ALIGNED,   /* a flat sheet, all vertices of which each field moves alike */
    MODEL_CANCELLED, /* coordinates under which fields cancel rest positions, nearly */
    MODEL_SPARSE,    /* each field moves few vertices; vertices have few influences */
    MODEL_ROUGH,     /* fields and weights without any order; sums of weights from 0.57 to 1.004 */
    MODEL_TRAITS
} model_trait;

typedef struct model_case {
    gallery_mesh mesh; /* positions are the rest state */
    gallery_model model;
    double scale, offset;
    double away; /* how far transforms carry the body from where it rests; 0 until it is set */
    float *coordinates, *transforms;
    float *positions;         /* of the state, by gallery_model_evaluate() */
    uint32_t proxy_triangles; /* of the shape; 0 until it is set */
    float error;              /* the same */
    pliant_sphere_centre centre;
    model_kind kind;
    model_trait trait;
    bool normalise; /* whether the shape is to normalise the weights */
    bool together;  /* all nodes have one transform; false until it is set */
    bool placed;    /* by a world transform; false until model_case_place() */
    float world[12];
} model_case;

/* A body of about `triangles` triangles, in a random state. */
model_case model_case_create(model_kind kind, model_trait trait, double scale, double offset,
                             uint32_t triangles, rng *r);
void model_case_destroy(model_case *c);

/* Another state: far from the one before, or a small step away. */
void model_case_move(model_case *c, rng *r, bool coherent);

/* Gives it a world transform, or takes that away (NULL). */
void model_case_place(model_case *c, const float *world);

/* The same with a random one about where it rests. */
void model_case_place_somewhere(model_case *c, rng *r);

/* Where its state takes vertices that rest elsewhere. */
void model_case_evaluate(const model_case *c, const float *rest, float *positions);

/* Points moved by a transform, as the definition has it; `to` may be `from`. */
void model_move_points(const float rows[12], const float *from, uint32_t count, float *to);

/* A random transform about the origin: turned, scaled, sheared, the more the larger `much`;
   mirrored beyond 0.5. */
void model_random_transform(rng *r, double much, float rows[12]);

/* A shape with the case's model. */
pliant_shape *model_case_shape(pliant_context *context, const model_case *c,
                               pliant_bound_kind bound, fixture_tree tree);

/* Puts a body of that shape into the state of the case. */
void model_case_set(const model_case *c, pliant_body *body);

/* The state as brute force sees it. */
brute_body model_case_brute(const model_case *c);

#endif
