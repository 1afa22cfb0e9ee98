/*
 * The table through which another library fills images. It gets triangles where their corners are
 * in the world and lists their crossings; touched squares are found on the processor, whoever finds
 * the crossings.
 */
#ifndef PLI_VOLUME_BACKEND_H
#define PLI_VOLUME_BACKEND_H

#include "volume/grid.h"

/* Crossings in any order. Pixels are counted from the window's first, row by row. */
typedef struct pli_backend_crossings {
    const uint32_t *pixel;
    const uint32_t *word;     /* depth << 1 | whether the triangle's normal points along the rays */
    const uint32_t *triangle; /* place in the list of triangles given */
    size_t count;
} pli_backend_crossings;

struct pliant_volume_backend {
    const char *name;
    void *user;
    /*
     * Finds the crossings of `count` triangles, 9 numbers each, with the rays of a window. The
     * answer lives until the next call.
     */
    pliant_result (*cross)(void *user, const pli_grid *grid, const pli_window *window,
                           const float *corners, uint32_t count, pli_backend_crossings *crossings);
};

#endif
