/*
 * Bounds of the nodes and clusters of a body in a state, and its vertices: from positions, or from
 * coefficients and a pose.
 */
#ifndef PLI_BOUNDS_BOUNDS_H
#define PLI_BOUNDS_BOUNDS_H

#include "bounds/model_kernels.h"
#include "bounds/vertex_kernels.h"

/* ------------------------------------------------------------ from_vertices.c: free bodies

   All functions are exact: no margin. */

/*
 * The box of one child of a node, from the child's vertices, into lane `lane`. False if it met a
 * coordinate that is not finite; what it wrote is then void.
 */
bool pli_bound_child_from_vertices(const pli_vertex_kernels *kernels, const pliant_shape *shape,
                                   uint32_t child, pli_positions positions, pli_boxes *boxes,
                                   uint32_t lane);

/* A whole cluster: vertices, moved by the transforms that are not NULL, triangle boxes and leaf
   boxes. False as above. */
bool pli_refresh_cluster_from_vertices(const pli_vertex_kernels *kernels, const pliant_shape *shape,
                                       uint32_t cluster, pli_positions positions,
                                       const float *transform, const float *world,
                                       const pli_model_kernels *model_kernels,
                                       pli_cluster_record *record);

/* How many vertices the first of these reads for a child. */
uint32_t pli_child_vertex_count(const pliant_shape *shape, uint32_t child);

/* Makes all lanes empty. */
void pli_boxes_clear(pli_boxes *boxes);

/* The box around all lanes of `from`, into lane `lane` of `to`. Exact. */
void pli_boxes_merge(const pli_boxes *from, pli_boxes *to, uint32_t lane);

/* ------------------------------------------------------------ from_modes.c: coefficients and a
   pose

   Whatever kind of bound the coefficients are for. */

/* Element `index` of a shape's coefficients, for `lanes` children: a node's or, from
   shape->node_count on, a cluster's. */
pli_coefficient_view pli_view_coefficients(const pliant_shape *shape, size_t index, uint32_t lanes);

/* The boxes of all children, and their spheres if the coefficients are of spheres; otherwise
   `spheres` is not written to. */
void pli_bound_children_from_coefficients(const pli_model_kernels *kernels,
                                          const pli_coefficient_view *coefficients,
                                          const pli_pose *pose, pli_boxes *boxes,
                                          pli_spheres *spheres);

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

/*
 * Computes the boxes of all children, and their spheres if there are such, from the memory of a
 * node. They are widened by how far the coordinates have gone since, unless that is too far.
 * `fresh`: nothing is remembered yet.
 */
void pli_bound_children_coherently(const pli_model_kernels *kernels,
                                   const pli_coefficient_view *coefficients, const pli_pose *pose,
                                   pli_path path, bool fresh, pli_local_memory *memory,
                                   pli_boxes *boxes, pli_spheres *spheres);

/* ------------------------------------------------------------ from_blend.c: convex combinations of
   transforms

   Bodies whose vertices are such, with or without modes below them. */

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

/* ------------------------------------------------------------ whole.c

   The box of a whole body with modes or transforms, from its joint boxes (model/joint_boxes.c) and
   its pose alone. No tree, strategy, kind of bound, instruction set or earlier state changes it. */

/* Computes the box, into lane 0 (docs/soundness.md, S5). */
void pli_bound_whole(const pli_model_kernels *kernels, const pliant_shape *shape,
                     const pli_pose *pose, pli_boxes *box);

/* ------------------------------------------------------------ evaluate.c

   Vertices of bodies with models, exactly as definition D1 has them, whichever way they are asked
   for. */

/* The first stage of a cluster: its vertices and their box. */
void pli_evaluate_cluster(const pli_vertex_kernels *vertex_kernels,
                          const pli_model_kernels *kernels, const pliant_shape *shape,
                          uint32_t cluster, const pli_pose *pose, pli_cluster_record *record);

/* One vertex, used by a triangle or not. */
void pli_evaluate_vertex(const pliant_shape *shape, const pli_pose *pose, uint32_t vertex,
                         float position[3]);

/* `count` of them: those listed, or the first ones if `vertices` is NULL. */
void pli_evaluate_vertices(const pliant_shape *shape, const pli_pose *pose,
                           const uint32_t *vertices, uint32_t count, float *positions);

/* A point moved by one transform. */
void pli_transform_point(const float *rows, const float point[3], float moved[3]);

#endif
