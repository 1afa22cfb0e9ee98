/*
 * Pliant: fitting, from libpliant_asset. An animation given as frames of vertex positions becomes a
 * reduced body, y = p + sum q_m U_m: the positions p at rest, M fields U of displacements found by
 * principal components, and M coordinates q for each frame, with the largest error this makes.
 *
 * Needs LAPACK; a build without it fails with PLIANT_ERROR_STATE.
 */
#ifndef PLIANT_FIT_H
#define PLIANT_FIT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pliant_fit_def {
    uint32_t tag;          /* set by pliant_fit_def_default() */
    const float *frames;   /* frame_count times vertex_count times x, y, z; finite */
    uint32_t frame_count;  /* 1 to 30,000 */
    uint32_t vertex_count; /* 1 to 2^31 - 1 */
    const float *rest;     /* positions at rest; NULL, the default: the mean of the frames */
    uint32_t mode_count;   /* modes wanted at most; fewer where fewer describe all; default 10 */
} pliant_fit_def;

typedef struct pliant_fit {
    const float *rest;        /* 3 numbers per vertex */
    const float *modes;       /* mode_count fields of 3 * vertex_count numbers, largest first */
    const float *coordinates; /* mode_count numbers per frame, each from -1 to 1 in all frames */
    uint32_t vertex_count, frame_count, mode_count;
    /*
     * The largest distance between a vertex of a frame and the same vertex evaluated in float32
     * from rest, modes and coordinates: never exceeded, and attained up to rounding.
     */
    float largest_error;
    uint32_t largest_frame, largest_vertex; /* where it is attained */
    double variance_kept;                   /* of the displacements, 0 to 1; 1 if there are none */
    double size;                            /* the diagonal of the box around all frames */
} pliant_fit;

PLIANT_DEFAULT(pliant_fit_def)

/* Fits; the same input gives the same signs and order of modes. */
PLIANT_API pliant_result pliant_fit_create(pliant_context *context, const pliant_fit_def *def,
                                           const pliant_fit **fit);

/* Destroys a fit and its arrays. NULL is ignored. */
PLIANT_API void pliant_fit_destroy(const pliant_fit *fit);

#ifdef __cplusplus
}
#endif

#endif
