/* The bodies of a built-in scene, for questions about one step after the other. */
#ifndef PLIANT_TESTS_SCENE_PLAYER_H
#define PLIANT_TESTS_SCENE_PLAYER_H

#include "fixture.h"

/* A scene of a kind; triangles and steps may be 0 for the usual ones. */
gallery_scene *player_scene(const gallery_kind *kind, uint32_t triangles, uint32_t steps,
                            uint64_t seed);

/* Room for the positions of a body; the caller frees it. */
float *allocate_positions(const gallery_scene *scene, uint32_t body);

/* A hash over all bodies at five steps from start to end. */
uint64_t hash_scene(const gallery_scene *scene);

typedef struct player_body {
    pliant_shape *shape;
    pliant_body *body;
    float *positions;
} player_body;

typedef struct scene_player {
    const gallery_scene *scene;
    pliant_context *context;
    pliant_query *query;
    player_body *bodies;
    uint32_t step;
} scene_player;

scene_player player_create(const gallery_scene *scene);
void player_destroy(scene_player *player);

/* Pairs of triangles of two bodies, or of one with itself. */
uint64_t player_count(scene_player *player, uint32_t step, uint32_t a, uint32_t b);

/* The same of the first two bodies, or of the first with itself if that is the scene's question. */
uint64_t count_pairs(const gallery_scene *scene, uint32_t step);

#endif
