/* Bounds from coefficients and a pose, whatever kind of bound the coefficients are for. */
#ifndef PLI_BOUNDS_FROM_COEFFICIENTS_H
#define PLI_BOUNDS_FROM_COEFFICIENTS_H

#include "bounds/model_kernels.h"

/* Element `index` of a shape's coefficients, for `lanes` children: a node's or, from
   shape->node_count on, a cluster's. */
pli_coefficient_view pli_view_coefficients(const pliant_shape *shape, size_t index, uint32_t lanes);

/* The boxes of all children, and their spheres if the coefficients are of spheres; otherwise
   `spheres` is not written to. */
void pli_bound_children_from_coefficients(const pli_model_kernels *kernels,
                                          const pli_coefficient_view *coefficients,
                                          const pli_pose *pose, pli_boxes *boxes,
                                          pli_spheres *spheres);

#endif
