/*
 * Pliant: other ways to fill the layered depth images of volumes, as libpliant_gl does. A backend
 * finds where rays cross triangles; everything else is done by the processor, as without one.
 */
#ifndef PLIANT_BACKEND_H
#define PLIANT_BACKEND_H

#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Triangles over a window of columns x rows pixels, with a ray through the centre of each. They are
 * those that the processor draws, snapped to its grid: per corner, column and row in pixels from
 * the window's lower corner, in steps of 1/256, and depth, 0 to 1.
 */
typedef struct pliant_backend_triangles {
    uint32_t columns, rows;
    const float *corners; /* 9 per triangle */
    uint32_t count;
} pliant_backend_triangles;

/* Crossings of rays and triangles, in any order: three arrays of the backend's. */
typedef struct pliant_backend_crossings {
    const uint32_t *pixel; /* row * columns + column */
    const float *depth;    /* 0 to 1 */
    /* Place in the list of triangles << 1, plus 1 where the normal points along the rays. */
    const uint32_t *triangle;
    size_t count;
} pliant_backend_crossings;

/* What a backend is made of. */
typedef struct pliant_volume_backend_def {
    uint32_t tag;     /* set by pliant_volume_backend_def_default() */
    const char *name; /* what errors of `cross` begin with; must live as long as the backend */
    void *user;       /* given to the functions below */
    /*
     * Finds all crossings; needed. What it lists must live until its next call, or `release`. Where
     * it fails it returns pliant_fail(result, sentence). One thread at a time calls it, for each
     * volume that uses the backend. Crossings of pixels or triangles that there are not are left
     * out.
     */
    pliant_result (*cross)(void *user, const pliant_backend_triangles *triangles,
                           pliant_backend_crossings *crossings);
    void (*release)(void *user); /* called when nobody uses the backend any more; default NULL */
} pliant_volume_backend_def;

PLIANT_DEFAULT(pliant_volume_backend_def)

/* Makes a backend for pliant_volume_def. If that fails, `release` has not been called. */
PLIANT_API pliant_result pliant_volume_backend_create(pliant_context *context,
                                                      const pliant_volume_backend_def *def,
                                                      pliant_volume_backend **backend);

/* Destroys a backend. Volumes that use it keep it until they are destroyed. NULL is ignored. */
PLIANT_API void pliant_volume_backend_destroy(pliant_volume_backend *backend);

/* `user` of its definition. */
PLIANT_API void *pliant_volume_backend_get_user(const pliant_volume_backend *backend);

#ifdef __cplusplus
}
#endif

#endif
