/*
 * A ray on its way through bodies, one after the other: the first triangle of all, whether there is
 * any, or every one. What is known from bodies before shortens the way through the next.
 */
#ifndef PLI_QUERY_RAY_WALK_H
#define PLI_QUERY_RAY_WALK_H

#include "query/point_kernels.h"
#include "query/run.h"

typedef enum pli_cast_mode {
    PLI_CAST_FIRST, /* the nearest; ties go to the lowest body, and there to the lowest triangle */
    PLI_CAST_ANY,   /* whether there is one; which is not said */
    PLI_CAST_ALL    /* every one, added to the query's touches */
} pli_cast_mode;

typedef struct pli_cast {
    const pliant_ray *ray;
    const pli_point_kernels *kernels;
    pli_ray_lines lines;
    pli_cast_mode mode;
    bool found;
    pli_ray_touch first; /* PLI_CAST_FIRST, once one was found */
} pli_cast;

void pli_cast_start(pli_cast *cast, pliant_context *context, const pliant_ray *ray,
                    pli_cast_mode mode);

/* Follows the ray through a prepared body, run->body[0], whose number among others is `body`. */
pliant_result pli_cast_through(pli_cast *cast, pli_run *run, uint32_t body);

/* What is reported of a touch; NULL: that there is none. */
void pli_touch_report(const pliant_ray *ray, const pli_ray_touch *touch, const pliant_shape *shape,
                      pliant_ray_hit *hit);

/* Puts the query's touches, all of one ray, in order: by exact parameter, then by body, then by
   triangle. Number i of these is then worker->touches.data[order[i]]. */
pliant_result pli_touches_sort(pli_worker *worker, const pliant_ray *ray, const uint64_t **order);

/* Fails for rays that are none, or too many. */
pliant_result pli_rays_check(const pliant_ray *rays, uint64_t count);

#endif
