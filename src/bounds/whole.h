/*
 * The box of a whole body with modes or transforms, from its joint boxes (model/joint_boxes.c) and
 * its pose alone. No tree, strategy, kind of bound, instruction set or earlier state changes it.
 */
#ifndef PLI_BOUNDS_WHOLE_H
#define PLI_BOUNDS_WHOLE_H

#include "bounds/model_kernels.h"

/* Computes the box, into lane 0 (docs/soundness.md, S5). */
void pli_bound_whole(const pli_model_kernels *kernels, const pliant_shape *shape,
                     const pli_pose *pose, pli_boxes *box);

#endif
