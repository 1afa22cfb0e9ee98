/*
 * Crowds: bodies with a state for every step, and scenes that play a crowd, each with a context of
 * its own.
 */
#ifndef LAB_MOTIONS_CROWD_H
#define LAB_MOTIONS_CROWD_H

#include "lab/harness/contest.h"

/* State of a body in a step; NULL for parts that its kind lacks. */
typedef struct body_state {
    const float *positions, *coordinates, *transforms;
} body_state;

typedef struct crowd {
    const char *title; /* for progress */
    uint32_t body_count, step_count;
    bool proxies; /* scenes find contacts of proxies instead of triangles */

    /* Crowds of one shape: definition of the shape, which borrows the mesh and the model. */
    pliant_shape_def shape;
    gallery_mesh mesh;
    gallery_model model;
    float *floats; /* states: positions, coordinates, transforms; body by body, step by step */
    uint32_t position_floats, coordinate_floats, transform_floats; /* in a state */

    /* Other crowds: a motion, or a mesh for each body; borrowed. */
    bench_motion *motion;
    const gallery_mesh *meshes;

    body_state *states; /* of all bodies, in the step shown last */
} crowd;

/* Makers of crowds. They return false if memory runs out; call crowd_free() in any case. */

/* A recorded motion, which must outlive the crowd. */
bool crowd_of_motion(const char *title, bench_motion *motion, crowd *c);

/* One step of a scene of free bodies with equal numbers of vertices; the scene must outlive it. */
bool crowd_of_scene(const gallery_scene *scene, uint32_t step, crowd *c);

/* Stars (star_crowd.h) with 10 modes and 18,000 triangles each, on a grid. */
bool crowd_make_stars(uint32_t count, double spacing, uint32_t step_count, crowd *c);

/* Bumpy spheres of 5,120 triangles, given by their positions, on a grid. */
bool crowd_make_spheres(uint32_t count, double spacing, uint32_t step_count, crowd *c);

/* The walking figure of the gallery, skinned, with morph targets, of about so many triangles: a
   crowd in a square. */
bool crowd_make_people(uint32_t count, uint32_t triangles, uint32_t step_count, crowd *c);

/* The chairs and the fish of James & Pai on a grid, as proxies; only with LAPACKE. */
bool crowd_make_chairs(uint32_t count, uint32_t step_count, crowd *c);
bool crowd_make_fish(uint32_t count, uint32_t step_count, crowd *c);

void crowd_free(crowd *c);

/* For makers: room for the states of bodies of c->mesh and c->model, or of positions. */
bool crowd_allocate(crowd *c, bool is_free);
float *crowd_positions(const crowd *c, uint32_t at, uint32_t body);
float *crowd_coordinates(const crowd *c, uint32_t at, uint32_t body);
float *crowd_transforms(const crowd *c, uint32_t at, uint32_t body);

/* Shows a step: fills c->states. */
void crowd_show(crowd *c, uint32_t at);

/* A shape of the crowd, and its number for a body. */
bool crowd_make_shape(const crowd *c, pliant_context *context, uint32_t number,
                      pliant_shape **shape);
uint32_t crowd_shape_of(const crowd *c, uint32_t body);

/* One step by the clock on the wall: all of it, and its stages. */
typedef enum crowd_stage {
    CROWD_WHOLE,
    CROWD_SET,
    CROWD_BOUNDS,
    CROWD_BROAD, /* with filters */
    CROWD_NARROW,
    CROWD_COLLECT,
    CROWD_STAGES
} crowd_stage;

typedef struct crowd_scene {
    uint32_t body_count;
    pliant_context *context;
    pliant_scene *scene;
    pliant_shape **shapes;
    pliant_body **bodies;
    pliant_scene_state *states;
    bench_range *ranges;
    size_t range_capacity;
} crowd_scene;

/* Adds all bodies to a scene; `def` is for each of them, or NULL. Call crowd_scene_free() also on
   failure. */
bool crowd_scene_create(const crowd *c, const pliant_body_def *def, uint32_t workers,
                        const bench_settings *settings, crowd_scene *own);
void crowd_scene_free(crowd_scene *own);

/* Plays the step shown last. */
bool crowd_scene_step(const crowd *c, crowd_scene *own, double seconds[CROWD_STAGES],
                      bench_summary *found);

/* Summarises an answer, whatever its order; body i has the name names[i], or i if NULL. */
bool crowd_scene_summarise(crowd_scene *own, const pliant_scene_pair *bodies, uint32_t count,
                           const pliant_pair *pairs, const uint32_t *names, bench_summary *found);

#endif
