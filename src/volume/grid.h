/*
 * The grid of rays of an image, and how coordinates become integers on it.
 *
 * Across the rays, coordinates are snapped to steps of 1/256 pixel, counted from the grid's lower
 * corner. Bit budget: every corner of every triangle of a body comes out below 2^29 in magnitude
 * (the region is widened where a body reaches farther than that), so differences are below 2^30 and
 * edge functions, two products of differences, below 2^61: 64-bit integers hold them exactly.
 * Triangles that are less than 64 pixels wide and high use 32 bits: differences to the centres of
 * pixels near them are below 2^14 + 2^9, edge functions with their margins below 2^30.
 *
 * Along the rays, depths are fractions of the grid's depth range, computed as float32 and kept as
 * integers from 0 to PLI_DEPTH_STEPS.
 */
#ifndef PLI_VOLUME_GRID_H
#define PLI_VOLUME_GRID_H

#include "pliant/volume.h"

#include "base/error.h"

enum {
    PLI_PIXEL_BITS = 8,
    PLI_PIXEL_STEPS = 1 << PLI_PIXEL_BITS, /* snapping steps per pixel */
    PLI_DEPTH_BITS = 30,
    PLI_DEPTH_STEPS = 1 << PLI_DEPTH_BITS,
    PLI_SMALL_EXTENT = 1 << 14 /* steps: triangles below this use 32-bit edge functions */
};

typedef struct pli_grid {
    uint32_t axis[3];    /* across columns, across rows, along rays: a cyclic order */
    uint32_t resolution; /* columns and rows */
    double lower[3];     /* of the grid, in the order of `axis` */
    double extent[3];    /* its size */
    double scale[3];     /* snapping steps per unit; for rays: 1 / extent */
    bool from_upper[2];  /* whose winding is counted from the upper end of rays, per body */
} pli_grid;

/* The part of a grid that is imaged: pixels first to last, both included, and a depth range. */
typedef struct pli_window {
    uint32_t first[2], last[2]; /* columns, rows */
    float depth[2];             /* in the world, along the rays; leaves out no crossing between */
} pli_window;

/* In place of an axis: the one with the shortest rays. */
#define PLI_ANY_AXIS 3u

/*
 * The region of interest of two bodies whose boxes meet, as a grid with rays along an axis: over
 * the intersection of the boxes, from an outside face of one body to the opposite outside face of
 * the other.
 */
void pli_grid_for_pair(const pliant_box box[2], uint32_t axis, uint32_t resolution, pli_grid *grid);

/* A grid over one body's box, winding counted from the lower end. */
void pli_grid_for_body(const pliant_box *box, uint32_t axis, uint32_t resolution, pli_grid *grid);

/* The same region with 1 << shift times as many columns and rows. False where coordinates of a body
   in `boxes` would not fit into the bit budget. */
bool pli_grid_refine(const pli_grid *grid, const pliant_box *boxes, uint32_t count, uint32_t shift,
                     pli_grid *finer);

/* All of a grid. */
pli_window pli_grid_whole(const pli_grid *grid);

/* The part of space that a window's triangles lie in: grown by two snapping steps. */
pliant_box pli_window_box(const pli_grid *grid, const pli_window *window);

/* The grid as callers see it. */
pliant_volume_grid pli_grid_describe(const pli_grid *grid);

static inline uint32_t pli_window_columns(const pli_window *window)
{
    return window->last[0] - window->first[0] + 1;
}

static inline uint32_t pli_window_rows(const pli_window *window)
{
    return window->last[1] - window->first[1] + 1;
}

/* Area of a pixel, and length of one step of depth. */
static inline double pli_grid_pixel_area(const pli_grid *grid)
{
    return grid->extent[0] * grid->extent[1] / ((double)grid->resolution * grid->resolution);
}

static inline double pli_grid_depth_step(const pli_grid *grid)
{
    return grid->extent[2] / PLI_DEPTH_STEPS;
}

/* A depth of the grid in the world. */
static inline double pli_grid_depth(const pli_grid *grid, uint32_t steps)
{
    return grid->lower[2] + (double)steps * pli_grid_depth_step(grid);
}

/* ------------------------------------------------------------ squares

   Squares of a grid that are looked at again, each cut into smaller ones of a finer grid: over the
   same region, with a power of two times as many columns and rows. Images of these squares alone
   have a row of pixels per square. */

/* The certain range over a square of the grid, in steps of depth. */
typedef struct pli_square_range {
    uint32_t column, row; /* from the first of a window */
    uint32_t certain, possible;
} pli_square_range;

typedef struct pli_squares {
    uint32_t shift;                 /* a square has 1 << shift columns and rows of smaller ones */
    int32_t first[2];               /* of the window, columns and rows of the coarse grid */
    int32_t size[2];                /* its columns and rows */
    const pli_square_range *chosen; /* `count` of them, row by row */
    uint32_t count;
    const uint32_t *before; /* per square of the window, row by row, and one more: how many chosen
                               ones come before it */
} pli_squares;

/* Pixels of the finer grid: columns and rows, from the first to the last. */
typedef struct pli_pixel_box {
    int32_t first[2], last[2];
} pli_pixel_box;

/* Pixels of an image of squares, per square. */
static inline uint32_t pli_squares_columns(const pli_squares *s)
{
    return 1u << 2 * s->shift;
}

/* Squares of the window, chosen or not, that a box of pixels meets. */
static inline pli_pixel_box pli_squares_under(const pli_squares *s, const pli_pixel_box *box)
{
    pli_pixel_box under;
    for (uint32_t k = 0; k < 2; k++) {
        int32_t first = (box->first[k] >> s->shift) - s->first[k];
        int32_t last = (box->last[k] >> s->shift) - s->first[k];
        under.first[k] = first > 0 ? first : 0;
        under.last[k] = last < s->size[k] ? last : s->size[k] - 1;
    }
    return under;
}

/* Which chosen squares of a row of the window lie between two columns: from the first to before the
   second of two numbers. */
typedef struct pli_chosen {
    uint32_t first, end;
} pli_chosen;

static inline pli_chosen pli_squares_between(const pli_squares *s, int32_t row, int32_t first,
                                             int32_t last)
{
    const uint32_t *before = s->before + (size_t)row * (uint32_t)s->size[0];
    return (pli_chosen){before[first], before[last + 1]};
}

/* Whether a chosen square meets a box of pixels. */
static inline bool pli_squares_meet(const pli_squares *s, const pli_pixel_box *box)
{
    pli_pixel_box under = pli_squares_under(s, box);
    bool meet = false;
    for (int32_t row = under.first[1];
         row <= under.last[1] && under.first[0] <= under.last[0] && !meet; row++) {
        pli_chosen chosen = pli_squares_between(s, row, under.first[0], under.last[0]);
        meet = chosen.first < chosen.end;
    }
    return meet;
}

#endif
