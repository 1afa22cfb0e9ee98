/*
 * The kernels that tell in float32 which of many pairs of moving triangles never meet, one table
 * per instruction set. What they drop stays apart for certain; all tables drop the same.
 */
#ifndef PLI_QUERY_MOVING_KERNELS_H
#define PLI_QUERY_MOVING_KERNELS_H

#include "query/pair_kernels.h"

/* The triangles of a swept cluster at both ends of the step: the start's record has the boxes and
   the extent of the sweep. Vertices of one name are one vertex all the time; names may be NULL, on
   both sides, where triangles share none. */
typedef struct pli_swept_triangles {
    pli_named_triangles start;
    pli_slot_triangles end;
} pli_swept_triangles;

typedef struct pli_moving_kernels {
    /*
     * Compares 1 to PLI_BATCH pairs of triangles, slot_a[i] of a with slot_b[i] of b, whose swept
     * boxes meet: bit i, unless pair i is apart all the time, but for vertices that it shares. All
     * coordinates must be below 2^38 in magnitude; 16 bytes behind the slots are valid slots too.
     */
    uint64_t (*may_meet)(const pli_swept_triangles *a, const uint8_t *slot_a,
                         const pli_swept_triangles *b, const uint8_t *slot_b, uint32_t count);
    /* The same of pairs that may_meet() left: bit i, unless one direction parts pair i all the
     * time. */
    uint64_t (*unparted)(const pli_swept_triangles *a, const uint8_t *slot_a,
                         const pli_swept_triangles *b, const uint8_t *slot_b, uint32_t count);
    /* Which pairs of features of these may meet, by number (geometry/moving_triangles.h). */
    void (*open_features)(const pli_swept_triangles *a, const uint8_t *slot_a,
                          const pli_swept_triangles *b, const uint8_t *slot_b, uint32_t count,
                          uint32_t open[PLI_BATCH]);
} pli_moving_kernels;

#endif
