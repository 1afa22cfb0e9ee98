/*
 * How tight spheres are while a body deforms: the library's bounded-deformation spheres against
 * layered ones on the same tree, level by level. Layered spheres are merged two by two, since a
 * node's eight children are three halvings, so that both have the same groups of triangles.
 */
#ifndef LAB_HARNESS_TIGHTNESS_H
#define LAB_HARNESS_TIGHTNESS_H

#include "lab/motions/reduced.h"

#define TIGHTNESS_MAX_LEVELS 8

/* A radius over the undeformed wrapped one, about the mean of the vertices. */
typedef struct tightness_ratio {
    double mean, max;
} tightness_ratio;

/* The nodes of one level, over all frames. */
typedef struct tightness_level {
    uint32_t nodes;
    double triangles;             /* of a node, on average */
    tightness_ratio bd;           /* deformed: about the mean of the vertices, as in the paper */
    tightness_ratio bd_mid_range; /* about the middle of their box */
    tightness_ratio bd_smallest;  /* about the centre of their smallest sphere */
    tightness_ratio layered;
    tightness_ratio layered_rest; /* undeformed */
} tightness_level;

typedef struct tightness {
    tightness_level levels[TIGHTNESS_MAX_LEVELS]; /* level 0: the root's children */
    uint32_t level_count;
} tightness;

/* Coordinates are those of all frames, one after another. False, with the reason in the report,
   when it fails. */
bool tightness_measure(const bench_settings *settings, const gallery_mesh *mesh,
                       const gallery_model *model, const float *coordinates, uint32_t frame_count,
                       tightness *result, bench_report *report);

#endif
