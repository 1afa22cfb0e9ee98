/* Bounds of reduced and rigid bodies, from coordinates and one transform. */
#ifndef PLI_BOUNDS_FROM_MODES_H
#define PLI_BOUNDS_FROM_MODES_H

#include "bounds/model_kernels.h"

/*
 * How far the coordinates of a coherent body have gone. A path is only measured within its epoch: a
 * new one begins where steps have become so small that the sum would no longer tell them apart.
 */
typedef struct pli_path {
    double length; /* since the epoch began, not below the sum of all steps */
    uint64_t epoch;
} pli_path;

/* What a node remembers of its last full refresh, for coherent bodies. */
typedef struct pli_local_memory {
    pli_local local;
    pli_path path;        /* as it was then */
    double limit;         /* refresh in full when the path has become this much longer */
    double reach, active; /* pose->local and pose->active as they were then */
} pli_local_memory;

/* Adds a step, which is not negative. */
void pli_path_add(pli_path *path, double step);

/* Bounds that hold every vertex there can be, for the children of a node, where computing them
   could overflow: finite, since infinite ones would meet those of children that are not there. */
void pli_hold_everything(const pli_coefficient_view *coefficients, pli_boxes *boxes,
                         pli_spheres *spheres);

/* The boxes of all children of a node, and their spheres if its coefficients are of spheres. */
void pli_bound_children_from_modes(const pli_model_kernels *kernels,
                                   const pli_coefficient_view *coefficients, const pli_pose *pose,
                                   pli_boxes *boxes, pli_spheres *spheres);

/*
 * The same from what a node remembers, widened by how far the coordinates have gone since, unless
 * that is too far. `fresh`: nothing is remembered yet.
 */
void pli_bound_children_coherently(const pli_model_kernels *kernels,
                                   const pli_coefficient_view *coefficients, const pli_pose *pose,
                                   pli_path path, bool fresh, pli_local_memory *memory,
                                   pli_boxes *boxes, pli_spheres *spheres);

#endif
