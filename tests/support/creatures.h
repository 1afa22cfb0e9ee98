/*
 * Bodies of all kinds that live a random life, in a scene and out of it: states come one by one and
 * many at a time, with world transforms and bad ones among them; steps begin and end; members come,
 * go and change. Each has a free twin that can be put where it stands, for plain queries.
 */
#ifndef PLIANT_TESTS_CREATURES_H
#define PLIANT_TESTS_CREATURES_H

#include "failing_memory.h"
#include "models.h"

/* Shapes: of all kinds of models, then free, then one that a transform moves. */
enum { FREE = MODEL_KINDS, MOVED, SHAPES, MOST = 8 };

typedef struct creature {
    pliant_body *body, *twin; /* the twin is free and in no scene */
    pliant_body_id id;
    pliant_member_def def;
    uint32_t shape;
    bool present, starts; /* it is in the scene; it has begun a step */
    model_case c;         /* its state */
    float *shared[3];     /* positions that it may borrow, */
    int borrowed, held;   /* which it does, and which its start does; -1: none */
    float *start;         /* where its step began, if it has */
} creature;

typedef struct life {
    pliant_context *context, *plain;
    pliant_query *query, *other; /* of the scene's context and of the twins' */
    pliant_scene *scene;
    pliant_shape *shape[SHAPES], *mesh_shape[SHAPES];
    void *block[SHAPES]; /* some shapes are borrowed */
    creature one[MOST];
    bool checks; /* compares with plain queries */
    uint32_t salt;
    rng r;
    uint64_t hash;
    uint64_t found; /* pairs of bodies in answers */
} life;

/* A life without a question so far; only with one worker it is compared with plain queries. */
void life_begin(life *l, uint64_t seed, uint32_t workers);
void life_end(life *l);

bool one_in(life *l, uint64_t n);

/* What is to be the same in every life of the same seed. */
void fold(life *l, const void *bytes, size_t size);
void fold_number(life *l, uint64_t number);

/* Puts all twins where the bodies are, if plain queries are asked. */
void update_twins(life *l);

/* The same for one and its step. */
void begin_twin(creature *b);

/* Many states at once, at times one of them bad in some way: then nothing changes. Bodies that are
   not in the scene get theirs one by one. */
void set_states(life *l);

/* Changes a body by itself, and how it takes part. */
void change_body(life *l, creature *b);
void change_member(life *l, creature *b);

/* Who has this index in the scene, or NULL. */
creature *find_creature(life *l, uint32_t index);

/* Whether two are compared, as the definitions of members and the filter have it. */
bool passes(const life *l, const creature *a, const creature *b, bool filters);

/* Whether its groups let its triangles take part: all or none. */
bool takes_part(const creature *b);

#endif
