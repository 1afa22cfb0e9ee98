/*
 * The table through which another library finds crossings. It gets triangles as the processor's own
 * rasteriser sees them, snapped to the grid; touched squares are found on the processor, whoever
 * finds the crossings.
 */
#ifndef PLI_VOLUME_BACKEND_H
#define PLI_VOLUME_BACKEND_H

#include "base/atomic.h"
#include "pliant/volume.h"

/* Triangles over a window: per corner column and row in pixels from the window's lower corner, in
   steps of 1/256, and depth as a fraction of the grid's. */
typedef struct pli_backend_triangles {
    uint32_t columns, rows;
    const float *corners; /* 9 per triangle */
    uint32_t count;
} pli_backend_triangles;

/* Crossings in any order. Pixels are counted row by row. */
typedef struct pli_backend_crossings {
    const uint32_t *pixel;
    const float *depth;
    const uint32_t *triangle; /* place in the list << 1 | the normal points along the rays */
    size_t count;
} pli_backend_crossings;

typedef struct pli_backend_error {
    char text[160];
} pli_backend_error;

struct pliant_volume_backend {
    const char *name;
    void *user;
    /* Finds all crossings. The answer lives until the next call. */
    pliant_result (*cross)(void *user, const pli_backend_triangles *triangles,
                           pli_backend_crossings *crossings, pli_backend_error *error);
    /* Volumes that use it, and its caller until it is destroyed; with the last of them it is
       released. NULL: nobody counts. */
    PLI_ATOMIC(uint64_t) users;
    void (*release)(void *user);
};

/* A volume begins to use a backend, or has ended; NULL is ignored. */
static inline void pli_backend_join(const pliant_volume_backend *backend)
{
    if (backend != NULL && backend->release != NULL) {
        atomic_fetch_add_explicit(&((pliant_volume_backend *)backend)->users, 1,
                                  memory_order_relaxed);
    }
}

static inline void pli_backend_leave(const pliant_volume_backend *backend)
{
    if (backend != NULL && backend->release != NULL &&
        atomic_fetch_sub(&((pliant_volume_backend *)backend)->users, 1) == 1) {
        backend->release(backend->user);
    }
}

#endif
