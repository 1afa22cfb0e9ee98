/*
 * A motion: bodies and their states step by step, evaluated beforehand. Whoever is measured sees it
 * played through one live frame, as a simulation would write it, so that nobody's caches hold
 * another step's positions. The frames of bodies with models hold their coordinates and transforms;
 * who needs positions has to evaluate them.
 */
#ifndef LAB_MOTIONS_MOTION_H
#define LAB_MOTIONS_MOTION_H

#include "gallery/gallery.h"
#include "lab/harness/bench.h"

#define BENCH_MAX_BODIES 32
#define BENCH_MAX_MODES  64 /* of a body */

/* The state of all bodies in one step. */
typedef struct bench_frame {
    float *world[BENCH_MAX_BODIES]; /* NULL for bodies with models, but for the start */
    float *local[BENCH_MAX_BODIES];
    gallery_placement placements[BENCH_MAX_BODIES];
    float *coordinates[BENCH_MAX_BODIES]; /* bodies with models */
    float *transforms[BENCH_MAX_BODIES];
} bench_frame;

typedef struct bench_motion {
    uint32_t body_count;
    bool self; /* the question is which triangles of the only body touch that share no vertex */
    gallery_mesh meshes[BENCH_MAX_BODIES]; /* borrowed; positions are those of the start */
    /* Bodies with models; NULL for others. All borrowed. */
    const gallery_model *models[BENCH_MAX_BODIES];
    const float *rest[BENCH_MAX_BODIES];
    uint32_t twins[BENCH_MAX_BODIES]; /* the first body with the same mesh and model */
    bench_frame start;
    uint32_t step_count;
    uint32_t *steps;          /* their numbers */
    bench_frame *frames;      /* per step */
    double states_per_second; /* 0: no motion in time */
    bench_frame live;
} bench_motion;

/* Makes a motion of `step_count` steps of these bodies, all frames undefined. False when there is
   no memory; bench_motion_free() is due in any case. */
bool bench_motion_allocate(const gallery_mesh *meshes, uint32_t body_count, uint32_t step_count,
                           bench_motion *motion);

/* The same of bodies with models, one for each mesh; borrows these too. Where the vertices rest is
   still to be set. */
bool bench_motion_allocate_models(const gallery_mesh *meshes, const gallery_model *models,
                                  uint32_t body_count, uint32_t step_count, bench_motion *motion);

/* Every so many steps of a scene, counted back from the last, which always takes part. Borrows the
   scene's triangles. */
bool bench_motion_of_scene(const gallery_scene *scene, uint32_t stride, bench_motion *motion);

/* The last `seconds` of a scene of a kind that has a duration, all states in a row, as many a
   second as the settings say. The scene, which the motion borrows from, is the caller's to destroy.
 */
bool bench_motion_in_time(const bench_settings *settings, const gallery_kind *kind,
                          gallery_settings wanted, double seconds, gallery_scene **scene,
                          bench_motion *motion);

void bench_motion_free(bench_motion *motion);

/* Evaluates the corners of a triangle of a body. */
void bench_motion_corners(const bench_motion *motion, const bench_frame *frame, uint32_t body,
                          uint32_t triangle, float corners[3][3]);

/* Copies a frame to where everybody reads. */
const bench_frame *bench_motion_show(bench_motion *motion, uint32_t at);

#endif
