/*
 * Worlds of random bodies, most of them degenerate: grids, soups, fans, seams, coordinates from
 * 2^-140 to 2e37. They live through random steps and answer random queries of every kind. A seed
 * is one life: its answers must not depend on the settings.
 */
#ifndef PLIANT_TESTS_RANDOM_WORLD_H
#define PLIANT_TESTS_RANDOM_WORLD_H

#include "random_meshes.h"

enum { RANDOM_BODIES = 5, RANDOM_STEPS = 3, RANDOM_ANSWERS = 256 };

/* Settings that must not change answers. */
typedef struct random_settings {
    pliant_isa isa;
    uint32_t workers; /* 1 to 8 */
    bool dealt;       /* by a scheduler of the caller's */
    pliant_broad broad;
    pliant_update update;
    pliant_rebuild rebuild;
    bool coherent, shares; /* bodies are coherent; positions are shared instead of set */
    uint64_t noise;        /* seed of further queries, which leave nothing behind; 0: none */
    fixture_tree tree;
    pliant_islands islands;
    pliant_bound_kind bound;
} random_settings;

/* One of the bodies, with its mesh for brute force. */
typedef struct random_body {
    pliant_shape *shape;
    pliant_body *body;
    pliant_body_id id;
    pliant_member_def member;
    bool present, tears;
    bool by_place; /* vertices are welded if and only if they rest at the same place */
    uint32_t mode_count, joint_count;
    gallery_mesh mesh;          /* at rest; removed triangles remain */
    uint32_t *welded;           /* per vertex: the lowest one at its place at rest */
    bool *removed;              /* per triangle */
    float *start;               /* positions at the start of its step; NULL: none has begun */
    float *given[RANDOM_STEPS]; /* positions per step: the body may read them until it ends */
} random_body;

typedef struct random_answer {
    const char *query;
    uint32_t step;
    uint64_t hash;
} random_answer;

typedef struct random_world {
    const random_settings *settings;
    rng r, noise;
    int family; /* of coordinates */
    pliant_context *context;
    pliant_query *query;
    pliant_scene *scene;
    pliant_contours *contours;
    pliant_volume *volume;
    random_body body[RANDOM_BODIES];
    uint32_t body_count, step;
    random_answer answers[RANDOM_ANSWERS];
    uint32_t answer_count;
} random_world;

/* Creates the world of a seed, before its first step. `settings` must live as long as the world. */
void random_world_create(random_world *w, uint64_t seed, const random_settings *settings);
void random_world_destroy(random_world *w);

/* Lets bodies move, tear, come and go, at most RANDOM_STEPS times. Tears are left out if the scene
 * is being recorded. */
void random_world_step(random_world *w);

/* Asks some queries of any kind and keeps a hash of each answer. */
void random_world_ask(random_world *w);

/* Current positions of all vertices of a body. The caller frees them. */
float *random_body_positions(const random_body *b);

/* Notes an answer. */
void random_world_note(random_world *w, const char *query, uint64_t hash);

#endif
