/* Vertices of bodies with models, exactly as definition D1 has them, whichever way they are asked
   for. */
#ifndef PLI_BOUNDS_EVALUATE_H
#define PLI_BOUNDS_EVALUATE_H

#include "bounds/model_kernels.h"
#include "bounds/vertex_kernels.h"

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
