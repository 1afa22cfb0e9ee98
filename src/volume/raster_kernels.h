/*
 * The kernels that turn triangles into crossings with rays, one table per instruction set. All give
 * the same bits: edge functions are integers, and depths are computed by the same operations in the
 * same order.
 */
#ifndef PLI_VOLUME_RASTER_KERNELS_H
#define PLI_VOLUME_RASTER_KERNELS_H

#include "volume/grid.h"

#include "bounds/record.h"

enum {
    PLI_SQUARE_STEPS = PLI_PIXEL_STEPS / 2 + 1, /* half a pixel's square, grown by a step */
    PLI_SMALL_PIXELS = 48, /* triangles whose boxes have more pixels are left to large_triangle.c */
    /*
     * Most entries that one cluster adds, and what a wide store may write behind them. A box grown
     * by a step has two more columns and rows at most: no more than 3 * 50 pixels.
     */
    PLI_RASTER_CAPACITY = PLI_CLUSTER_SLOTS * 3 * (PLI_SMALL_PIXELS + 2) + 16,
    /* Where a touched pixel's number ends and the triangle's slot begins, in one word. */
    PLI_SLOT_SHIFT = 24
};

_Static_assert(PLIANT_VOLUME_MAX_RESOLUTION *PLIANT_VOLUME_MAX_RESOLUTION <= 1 << PLI_SLOT_SHIFT,
               "pixels of a whole image fit below the slot");
_Static_assert(PLI_CLUSTER_SLOTS <= 1 << (32 - PLI_SLOT_SHIFT), "slots fit above the pixel");

/*
 * Bounds of slopes: how fast depth, as a fraction of the grid's range, grows per snapping step
 * across columns and across rows. Upper bounds are kept with their sign turned, so that the bounds
 * of two triangles together are the lesser numbers throughout.
 */
typedef struct pli_slopes {
    float bound[4]; /* at least, across columns and rows; minus at most, likewise */
} pli_slopes;

/* Where kernels put things. Pixels are counted from the window's first, row by row. */
typedef struct pli_raster_target {
    const pli_grid *grid;
    int32_t first[2], last[2]; /* pixels to fill, columns and rows of the grid, both included */
    /* Depths of the window, as those of pli_snapped. Triangles outside are left out one by one:
       which others are in their cluster, and so in a walk through the tree, must not matter. */
    float depth[2];
    uint32_t columns; /* of the window */
    /* NULL: all of these. Else `square_count` of these squares from `first_square` on, whose pixels
       are counted square by square. */
    const pli_squares *squares;
    uint32_t first_square, square_count;
    bool intervals; /* also list the pixels whose squares are touched */
    /* Crossings, appended: there is room for PLI_RASTER_CAPACITY more. */
    uint32_t *pixel;
    uint32_t *word;     /* depth << 1 | whether the triangle's normal points along the rays */
    uint32_t *triangle; /* the caller's number */
    size_t count;
    /* Touched squares of one cluster: the depths that the triangle may have there. */
    uint32_t interval_count;
    uint32_t interval_pixel[PLI_RASTER_CAPACITY]; /* slot << PLI_SLOT_SHIFT | pixel */
    uint32_t interval_lower[PLI_RASTER_CAPACITY]; /* depth << 1 | a triangle there faces along the
                                                     rays */
    uint32_t interval_upper[PLI_RASTER_CAPACITY]; /* depth << 1 | one faces against them */
    pli_slopes slopes[PLI_CLUSTER_SLOTS];         /* of the triangles that touch any */
    /* Of one cluster: slots, and the squares that their triangles' pixels lie in. */
    uint8_t pair_slot[PLI_RASTER_CAPACITY];
    uint32_t pair_square[PLI_RASTER_CAPACITY];
} pli_raster_target;

/* A cluster's vertices on the grid. */
typedef struct pli_snapped {
    _Alignas(64) int32_t side[2][3 * PLI_CLUSTER_SLOTS]; /* steps across columns and rows */
    _Alignas(64) float depth[3 * PLI_CLUSTER_SLOTS];     /* fraction of the depth range */
} pli_snapped;

typedef struct pli_raster_kernels {
    /* Snaps all vertices of a refreshed cluster. */
    void (*snap)(const pli_grid *grid, const pli_cluster_record *record, uint32_t count,
                 pli_snapped *snapped);
    /*
     * Lists crossings and touched squares of a cluster's small triangles. Returns the slots of
     * those that are not small and meet the pixels to fill.
     */
    uint64_t (*fill)(const pli_cluster *cluster, const uint8_t *corners, const uint32_t *triangles,
                     const pli_snapped *snapped, pli_raster_target *target);
} pli_raster_kernels;

/*
 * How far a depth may be off, over the greatest depth of the triangle's corners: they are rounded
 * to float32, and a dozen operations follow, each rounded once.
 */
#define PLI_DEPTH_MARGIN 0x1p-20f

/*
 * The share of that margin by which every bound of a slope is moved outward. range.c measures a
 * surface by 32 times how far its slopes are apart, across columns and across rows: 32 * 2 * 2
 * shares, twice the margin. That covers the depth of a ray's crossing, and what rounding the
 * corners' depths moved the surface by.
 */
#define PLI_SLOPE_MARGIN 0x1p-6f

#endif
