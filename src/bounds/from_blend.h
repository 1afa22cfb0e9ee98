/* Bounds of bodies whose vertices are convex combinations of affine transforms, with or without
   modes below them. */
#ifndef PLI_BOUNDS_FROM_BLEND_H
#define PLI_BOUNDS_FROM_BLEND_H

#include "bounds/model_kernels.h"

/* The boxes of all children of a node. */
void pli_bound_children_from_blend(const pli_model_kernels *kernels,
                                   const pli_coefficient_view *coefficients, const pli_pose *pose,
                                   pli_boxes *boxes);

/* Other bounds of the same, by which the one above is measured (bench, tests). */
typedef enum pli_blend_rule {
    PLI_BLEND_TWO_LARGEST, /* Steinemann, Otaduy & Gross's */
    PLI_BLEND_EXACT        /* the maximum, by handing out weight to the largest first */
} pli_blend_rule;

/* The same boxes by another rule, one child at a time, in double. */
void pli_bound_children_by_rule(const pli_model_kernels *kernels,
                                const pli_coefficient_view *coefficients, const pli_pose *pose,
                                pli_blend_rule rule, double *scratch, pli_boxes *boxes);

/* Numbers of scratch that the above needs for a node's coefficients. */
size_t pli_blend_scratch_size(const pli_coefficient_view *coefficients);

#endif
