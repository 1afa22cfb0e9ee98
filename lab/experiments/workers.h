/*
 * What the experiment `workers` plays: casts of bodies with states step by step, and views of a
 * cast, one per number of workers, each with a context and a scene of its own.
 */
#ifndef LAB_EXPERIMENTS_WORKERS_H
#define LAB_EXPERIMENTS_WORKERS_H

#include "lab/harness/contest.h"

/* What a body is given in a step; NULL where its kind has none. */
typedef struct workers_state {
    const float *positions, *coordinates, *transforms;
} workers_state;

typedef struct workers_cast workers_cast;
struct workers_cast {
    const char *title; /* for progress */
    uint32_t body_count, step_count;
    const uint32_t *shape_of; /* per body; NULL: all have shape 0 */
    bool proxies;             /* contacts of proxies are asked for, else of triangles */
    void *own;
    workers_state *states; /* of all bodies, in the step that was shown last */
    bool (*make_shape)(const workers_cast *cast, pliant_context *context, uint32_t number,
                       pliant_shape **shape);
    void (*show)(workers_cast *cast, uint32_t at);
    void (*free)(workers_cast *cast); /* NULL: nothing to */
};

void workers_cast_free(workers_cast *cast);

/* Makers of casts; false when there is no memory, and workers_cast_free() is due in any case. */

/* A recorded motion, which is borrowed. */
bool workers_cast_motion(const char *title, bench_motion *motion, workers_cast *cast);

/* So many stars (star_crowd.h) with 10 modes and 18,000 triangles each, on a grid. */
bool workers_cast_stars(uint32_t count, uint32_t step_count, workers_cast *cast);

/* Bumpy spheres of 5,120 triangles, given by their positions, on a grid: `spacing` says how much
   they touch. */
bool workers_cast_spheres(uint32_t count, double spacing, uint32_t step_count, workers_cast *cast);

/* The walking figure of the gallery, skinned, with morph targets, of about so many triangles: a
   crowd in a square. */
bool workers_cast_people(uint32_t count, uint32_t triangles, uint32_t step_count,
                         workers_cast *cast);

/* The chairs and the fish of James & Pai on a grid, as proxies; only with LAPACKE. */
bool workers_cast_chairs(uint32_t count, uint32_t step_count, workers_cast *cast);
bool workers_cast_fish(uint32_t count, uint32_t step_count, workers_cast *cast);

/* One step by the clock on the wall: all of it, and its stages. */
typedef enum workers_stage {
    WORKERS_WHOLE,
    WORKERS_SET,
    WORKERS_BOUNDS,
    WORKERS_BROAD, /* with filters */
    WORKERS_NARROW,
    WORKERS_COLLECT,
    WORKERS_STAGES
} workers_stage;

typedef struct workers_view {
    pliant_context *context;
    pliant_scene *scene;
    pliant_shape **shapes;
    pliant_body **bodies;
    pliant_scene_state *states;
    bench_range *ranges;
    size_t range_capacity;
} workers_view;

bool workers_view_create(const workers_cast *cast, uint32_t workers, const bench_settings *settings,
                         workers_view *view);
void workers_view_free(const workers_cast *cast, workers_view *view);

/* Plays what was shown last. */
bool workers_view_step(const workers_cast *cast, workers_view *view, double seconds[WORKERS_STAGES],
                       bench_summary *found);

#endif
