/*
 * Squares of a grid that are looked at again, each cut into smaller ones of a finer grid: over the
 * same region, with a power of two times as many columns and rows. Images of these squares alone
 * have a row of pixels per square.
 */
#ifndef PLI_VOLUME_SQUARES_H
#define PLI_VOLUME_SQUARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
