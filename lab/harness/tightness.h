/*
 * How tight spheres are while a body deforms: the library's bounded-deformation spheres against
 * layered ones on the same tree, level by level. Layered spheres are merged two by two, since a
 * node's eight children are three halvings, so that both have the same groups of triangles.
 */
#ifndef LAB_HARNESS_TIGHTNESS_H
#define LAB_HARNESS_TIGHTNESS_H

#include "lab/motions/reduced.h"

#define TIGHTNESS_MAX_LEVELS 8

/* Radii over undeformed wrapped ones. */
typedef struct tightness_ratio {
    double mean, max;
} tightness_ratio;

/* Where spheres have their centres: bounded and undeformed ones alike. */
typedef enum tightness_centre {
    TIGHTNESS_MEAN,      /* of the vertices, as in the paper */
    TIGHTNESS_MID_RANGE, /* of their box */
    TIGHTNESS_SMALLEST,  /* of the smallest sphere around them */
    TIGHTNESS_CENTRES
} tightness_centre;

/* Bounded and layered spheres over undeformed wrapped ones about the same centres. */
typedef struct tightness_figures {
    tightness_ratio bd, layered;
    tightness_ratio affine; /* spheres that follow the affine part (affine_spheres.h), where those
                               are smaller than bounded ones */
} tightness_figures;

/* The nodes of one level. */
typedef struct tightness_level {
    uint32_t nodes;
    double triangles;                             /* of a node, on average */
    tightness_figures all[TIGHTNESS_CENTRES];     /* over all frames */
    tightness_figures largest[TIGHTNESS_CENTRES]; /* in the frame that moves a vertex farthest */
    tightness_ratio rest[TIGHTNESS_CENTRES];      /* layered, undeformed */
} tightness_level;

typedef struct tightness {
    tightness_level levels[TIGHTNESS_MAX_LEVELS]; /* level 0: the root's children */
    uint32_t level_count;
    uint32_t largest_frame; /* and how far it moves a vertex */
    double largest_movement;
} tightness;

/* Coordinates are those of all frames, one after another. False, with the reason in the report,
   when it fails. */
bool tightness_measure(const bench_settings *settings, const gallery_mesh *mesh,
                       const gallery_model *model, const float *coordinates, uint32_t frame_count,
                       tightness *result, bench_report *report);

#endif
