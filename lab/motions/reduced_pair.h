/*
 * Two reduced bodies over a number of frames: our methods and rivals find the pairs of triangles
 * that touch, starting from coordinates and transforms. A whole play is timed at once, because
 * one of our frames takes hardly longer than reading the clock.
 */
#ifndef LAB_MOTIONS_REDUCED_PAIR_H
#define LAB_MOTIONS_REDUCED_PAIR_H

#include "reduced.h"

/* One of the two bodies and its states: per frame the coordinates, and 12 numbers if placed. */
typedef struct reduced_actor {
    gallery_mesh mesh;
    gallery_model model;
    const float *coordinates, *transforms;
} reduced_actor;

typedef struct reduced_pair {
    const bench_settings *settings;
    reduced_actor actors[2];
    const char *title; /* of the contest */
    uint32_t frame_count;
    double rate;       /* frames a second */
    float ball_radius; /* above 0: the second body is one point, and triangles no farther from it
                          than this touch it; not for REDUCED_REFIT */
} reduced_pair;

typedef enum reduced_method {
    REDUCED_LAYERED_SCALAR, /* evaluate all, layered spheres bottom-up, one by one, as the paper */
    REDUCED_LAYERED,        /* the same, vertices many at once */
    REDUCED_LAYERED_WIDE,   /* the same, spheres many at once too */
    REDUCED_BD_TREE,        /* the paper's method as it stands, in plain C */
    REDUCED_REFIT,          /* evaluate all, boxes bottom-up */
    REDUCED_OURS,           /* the library's own choice */
    REDUCED_OURS_BOX,       /* and its other bounds */
    REDUCED_OURS_SPHERE,
    REDUCED_OURS_COHERENT,
    REDUCED_METHODS
} reduced_method;

extern const char *const reduced_method_names[REDUCED_METHODS];

/* What a method did over all frames. */
typedef struct reduced_cost {
    double ms;          /* all frames, the median over plays */
    double evaluate_ms; /* rivals: of that, evaluating and updating bounds */
    double tests;       /* pairs of bounds compared; ours: pairs of nodes, up to 64 each */
    double refreshed;   /* bounds made; ours: nodes and clusters */
    uint64_t pairs;     /* triangles that touch, over all frames */
    uint32_t touching;  /* frames in which any do */
} reduced_cost;

/* Plays all frames with each method asked for; costs of others stay zero. False, with the reason in
   the report, if they do not agree or one fails. */
bool reduced_pair_play(const reduced_pair *pair, const bool wanted[REDUCED_METHODS], uint32_t plays,
                       reduced_cost costs[REDUCED_METHODS], bench_report *report);

#endif
