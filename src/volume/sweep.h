/*
 * Going along the rays of a row through one or two bodies: how much of them is in question. And the
 * certain range of a volume, square by square: at least and at most how much of the prism over one
 * pixel's square is in question.
 */
#ifndef PLI_VOLUME_SWEEP_H
#define PLI_VOLUME_SWEEP_H

#include "volume/image.h"

#define PLI_NO_BODY UINT32_MAX

/* What is asked about winding numbers. */
typedef enum pli_sweep_kind {
    PLI_SWEEP_BODY, /* one body: not 0 */
    PLI_SWEEP_PAIR, /* two bodies: neither 0 */
    PLI_SWEEP_SELF  /* one body: above 1 or below 0 */
} pli_sweep_kind;

/* Depths between which nothing of a body's surface is left out of its image. */
typedef struct pli_whole_depths {
    uint32_t from, to;
} pli_whole_depths;

/* One body over a square. */
typedef struct pli_square {
    pli_ray ray;     /* of the square's centre, with intervals */
    int32_t winding; /* where the ray begins */
    pli_whole_depths whole;
} pli_square;

/* A piece of a ray, and the triangles at its ends. */
typedef struct pli_sweep_span {
    uint32_t lower, upper; /* steps of depth */
    uint32_t body[2];      /* whose triangle is at the lower and at the upper end; PLI_NO_BODY:
                              the end of the ray */
    uint32_t triangle[2];
} pli_sweep_span;

/* Gets the spans of a ray in order; false stops with an error. */
typedef bool (*pli_span_sink)(void *user, uint32_t column, uint32_t row,
                              const pli_sweep_span *span);

/* Sums over rays, in steps of depth. */
typedef struct pli_sweep_sums {
    uint64_t sampled, certain, possible;
    double column, row, depth; /* first moments of what is sampled; depth in steps */
    uint32_t lower[3],
        upper[3]; /* columns, rows and depths of what is sampled; lower > upper: none */
} pli_sweep_sums;

typedef struct pli_ray_sweep {
    pli_sweep_kind kind;
    const pli_image *image[2]; /* the second is NULL unless there are two bodies */
    pli_window window;         /* the rays to go along, of the images' grid; all images show them */
    bool from_upper[2];
    bool intervals; /* also sum up what is certain and what is possible */
    pli_whole_depths whole[2];
    /* Where the ranges of squares that have some doubt are kept: a list per row of the window, its
       columns long, and how many there are. NULL: nowhere. */
    pli_square_range *ranges;
    uint32_t *range_counts;
    pli_span_sink sink; /* may be NULL */
    void *sink_user;
} pli_ray_sweep;

void pli_sweep_clear(pli_sweep_sums *sums);
void pli_sweep_add(pli_sweep_sums *sums, const pli_sweep_sums *more);

/* Goes along all rays of one row of the grid; false if the sink stopped. */
bool pli_sweep_row(const pli_ray_sweep *sweep, uint32_t row, pli_sweep_sums *sums);

/* Adds only what is certain and what is possible over the squares of a row. */
void pli_sweep_row_range(const pli_ray_sweep *sweep, uint32_t row, uint64_t *certain,
                         uint64_t *possible);

/* range.c: adds what is in question over a square, in steps of depth times the square. */
void pli_range_add(pli_sweep_kind kind, const pli_square *squares, uint32_t bodies,
                   uint64_t *certain, uint64_t *possible);

#endif
