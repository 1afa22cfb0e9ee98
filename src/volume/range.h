/*
 * The certain range of a volume, square by square: at least and at most how much of the prism over
 * one pixel's square is in question.
 */
#ifndef PLI_VOLUME_RANGE_H
#define PLI_VOLUME_RANGE_H

#include "volume/image.h"

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

/* Adds what is in question over a square, in steps of depth times the square. */
void pli_range_add(pli_sweep_kind kind, const pli_square *squares, uint32_t bodies,
                   uint64_t *certain, uint64_t *possible);

#endif
