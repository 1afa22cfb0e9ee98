/*
 * The kernels of an instruction set: functions over many numbers at once, written once on the lanes
 * of base/simd/ and compiled by the build for each set. A table per layer that has kernels; all
 * sets give the same answers.
 */
#ifndef PLI_BASE_KERNELS_H
#define PLI_BASE_KERNELS_H

#include "pliant/base.h"

typedef struct pli_kernels {
    const struct pli_vertex_kernels *vertex;     /* bounds/vertex_kernels.h */
    const struct pli_model_kernels *model;       /* bounds/model_kernels.h */
    const struct pli_pair_kernels *pair;         /* query/pair_kernels.h */
    const struct pli_point_kernels *point;       /* query/point_kernels.h */
    const struct pli_distance_kernels *distance; /* query/distance_kernels.h */
    const struct pli_moving_kernels *moving;     /* query/moving_kernels.h */
    const struct pli_overlap_kernels *overlap;   /* broad/method.h */
    const struct pli_raster_kernels *raster;     /* volume/raster_kernels.h */
    const struct pli_nearest_kernels *nearest;   /* geometry/nearest_kernels.h */
} pli_kernels;

/* The tables of an instruction set that the running machine has: never PLIANT_ISA_BEST. */
const pli_kernels *pli_kernels_for(pliant_isa isa);

/* The best set that the running machine has and `cap` allows. */
pliant_isa pli_isa_choose(pliant_isa cap);

/* In a file of kernels: the name of its table. The build defines PLI_ISA as plain, baseline, ... */
#define PLI_KERNELS_OF(kind)          PLI_KERNELS_NAMED(kind, PLI_ISA)
#define PLI_KERNELS_NAMED(kind, isa)  PLI_KERNELS_JOINED(kind, isa)
#define PLI_KERNELS_JOINED(kind, isa) pli_##kind##_kernels_##isa

#endif
