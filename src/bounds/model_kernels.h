/*
 * The kernels of bodies with models: bounds from coefficients, vertices from skin blocks; one table
 * per instruction set. All tables round in the same places, so all give the same bits.
 */
#ifndef PLI_BOUNDS_MODEL_KERNELS_H
#define PLI_BOUNDS_MODEL_KERNELS_H

#include "bounds/pose.h"
#include "bounds/record.h"

/* The coefficients of a node or of a cluster, as kernels take them. */
typedef struct pli_coefficient_view {
    const float *values;
    const uint32_t *modes, *joints;
    uint32_t mode_count, joint_count;
    uint32_t lanes; /* children that there are */
    pli_coefficient_kind kind;
} pli_coefficient_view;

/*
 * What a node's coefficients come to with the coordinates alone, before any transform: runs of
 * (centre | half size) per axis, or (x | y), (z | radius) for spheres; and the frame of affine
 * coefficients.
 */
typedef struct pli_local {
    _Alignas(64) float axes[PLI_COEFFICIENT_AXES];
    float frame[PLI_COEFFICIENT_FRAME];
} pli_local;

/* Eight spheres side by side. */
typedef struct pli_spheres {
    float centre[3][PLI_WIDTH], radius[PLI_WIDTH];
} pli_spheres;

typedef struct pli_model_kernels {
    /* Sums a node's coefficients over its modes. */
    void (*gather_axes)(const pli_coefficient_view *coefficients, const pli_pose *pose,
                        pli_local *local);
    void (*gather_affine)(const pli_coefficient_view *coefficients, const pli_pose *pose,
                          pli_local *local);
    void (*gather_spheres)(const pli_coefficient_view *coefficients, const pli_pose *pose,
                           pli_local *local);
    /* Puts what was gathered where the transform says. Half sizes and radii are widened first, by
       `length`, how far the coordinates have gone since they were gathered, times the coefficients'
       growth; a length of 0 widens nothing. */
    void (*place_boxes)(const pli_coefficient_view *coefficients, const pli_pose *pose,
                        const pli_local *local, float length, pli_boxes *boxes);
    void (*place_affine)(const pli_coefficient_view *coefficients, const pli_pose *pose,
                         const pli_local *local, float length, pli_boxes *boxes);
    void (*place_spheres)(const pli_coefficient_view *coefficients, const pli_pose *pose,
                          const pli_local *local, float length, pli_boxes *boxes,
                          pli_spheres *spheres);
    /* Convex combinations of what the transforms of the node's joints make of its boxes, which have
       been gathered if there are modes: the dual bound about the side of the mean transform, the
       best of so many tries; with 0, once about the second largest. */
    void (*blend_boxes)(const pli_coefficient_view *coefficients, const pli_pose *pose,
                        const pli_local *local, int tries, pli_boxes *boxes);
    /* Widens eight boxes by what each of the listed joints makes of its own eight, which are
       gathered in passing. */
    void (*enclose_joints)(const pli_coefficient_view *coefficients, const pli_pose *pose,
                           pli_boxes *boxes);
    /* Evaluates a skin block into a cluster's record. */
    void (*evaluate)(const pliant_shape *shape, uint32_t skin_block, const pli_pose *pose,
                     pli_cluster_record *record);
    /* Moves the vertices of a record by one transform. */
    void (*transform)(const float *rows, pli_cluster_record *record);
    /* How far so many transforms, one after the other, take points whose coordinates are at most
       `local`. */
    pli_reach (*measure)(const float *transforms, size_t count, float local);
} pli_model_kernels;

#endif
