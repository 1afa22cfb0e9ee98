/*
 * The kernels of bodies with models: bounds from rows, vertices from patches; one table per
 * instruction set. All tables round in the same places, so all give the same bits.
 */
#ifndef PLI_BOUNDS_MODEL_KERNELS_H
#define PLI_BOUNDS_MODEL_KERNELS_H

#include "bounds/pose.h"
#include "bounds/record.h"

/* A row of coefficients, found. */
typedef struct pli_row_view {
    const float *values;
    const uint32_t *modes, *joints;
    uint32_t mode_count, joint_count;
    uint32_t lanes; /* children that there are */
    pli_row_kind kind;
} pli_row_view;

/*
 * What a row comes to with the coordinates alone, before any transform: runs of (centre | half
 * size) per axis, or (x | y), (z | radius) for spheres; and the frame of affine rows.
 */
typedef struct pli_local {
    _Alignas(64) float axes[PLI_ROW_AXES];
    float frame[PLI_ROW_FRAME];
} pli_local;

/* Eight spheres side by side. */
typedef struct pli_spheres {
    float centre[3][PLI_WIDTH], radius[PLI_WIDTH];
} pli_spheres;

typedef struct pli_model_kernels {
    /* Sums the modes of a row. */
    void (*gather_axes)(const pli_row_view *row, const pli_pose *pose, pli_local *local);
    void (*gather_affine)(const pli_row_view *row, const pli_pose *pose, pli_local *local);
    void (*gather_spheres)(const pli_row_view *row, const pli_pose *pose, pli_local *local);
    /* Puts what was gathered where the transform says. Half sizes and radii are widened first, by
       `length`, how far the coordinates have gone since they were gathered, times the row's
       growth; a length of 0 widens nothing. */
    void (*place_boxes)(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                        float length, pli_boxes *boxes);
    void (*place_affine)(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                         float length, pli_boxes *boxes);
    void (*place_spheres)(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                          float length, pli_boxes *boxes, pli_spheres *spheres);
    /* Convex combinations of what the row's transforms make of the boxes, gathered if the row has
       modes: the dual bound about the side of the mean transform, the best of so many tries; with
       0, once about the second largest. */
    void (*blend_boxes)(const pli_row_view *row, const pli_pose *pose, const pli_local *local,
                        int tries, pli_boxes *boxes);
    /* Evaluates a patch into a cluster's record. */
    void (*evaluate)(const pliant_shape *shape, uint32_t patch, const pli_pose *pose,
                     pli_cluster_record *record);
    /* Moves the vertices of a record by one transform. */
    void (*transform)(const float *rows, pli_cluster_record *record);
    /* How far so many transforms, one after the other, take points whose coordinates are at most
       `local`. */
    pli_reach (*measure)(const float *transforms, size_t count, float local);
} pli_model_kernels;

#endif
