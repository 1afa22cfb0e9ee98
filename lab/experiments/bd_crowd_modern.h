/*
 * The vectorised rival of a crowd: vertices are evaluated by somebody else, all boxes refitted with
 * the library's own layout and kernels ("modern bottom-up"), and the scene asked for pairs.
 */
#ifndef LAB_EXPERIMENTS_BD_CROWD_MODERN_H
#define LAB_EXPERIMENTS_BD_CROWD_MODERN_H

#include "lab/harness/contest.h"

typedef struct crowd_modern {
    pliant_context *context;
    pliant_shape *shape;
    pliant_body **bodies;
    pliant_scene *scene;
    uint32_t count;
    bench_range *ranges;
    size_t range_capacity;
} crowd_modern;

/* False when it fails; free it in any case. */
bool crowd_modern_create(const bench_settings *settings, const gallery_mesh *mesh, uint32_t count,
                         crowd_modern *modern);
void crowd_modern_free(crowd_modern *modern);

/* What a step took, in milliseconds, and found. */
typedef struct crowd_modern_step_result {
    double refit, query;
    bench_summary found;
} crowd_modern_step_result;

/* Bodies with these positions; body i is called names[i]. */
bool crowd_modern_step(crowd_modern *modern, float *const *positions, const uint32_t *names,
                       crowd_modern_step_result *result);

#endif
