/* Scenes for the experiment `workers`: the same steps with one worker and with several. */
#ifndef LAB_EXPERIMENTS_WORKERS_H
#define LAB_EXPERIMENTS_WORKERS_H

#include "lab/harness/contest.h"

typedef struct workers_scene workers_scene;
struct workers_scene {
    const char *title; /* for progress */
    uint32_t step_count;
    void *own;
    /* Makes what a number of workers needs: one for `which` 0, more for 1. */
    bool (*start)(workers_scene *scene, uint32_t which, uint32_t workers,
                  const bench_settings *settings);
    /* One step, all of it by the clock on the wall; and what was found. */
    bool (*step)(workers_scene *scene, uint32_t which, uint32_t at, double *seconds,
                 bench_summary *found);
    void (*stop)(workers_scene *scene, uint32_t which);
};

/* A recorded motion, which is borrowed. */
typedef struct workers_motion {
    bench_motion *motion;
    bench_method methods[2];
    void *states[2];
} workers_motion;
workers_scene workers_scene_of(const char *title, workers_motion *own);

/* A crowd of reduced bodies, the stars of star_crowd.h. False when there is no memory. */
typedef struct workers_stars workers_stars;
bool workers_stars_create(uint32_t side, uint32_t step_count, workers_stars **stars);
void workers_stars_destroy(workers_stars *stars);
uint32_t workers_stars_count(const workers_stars *stars);
workers_scene workers_scene_of_stars(const char *title, workers_stars *stars, uint32_t step_count);

#endif
