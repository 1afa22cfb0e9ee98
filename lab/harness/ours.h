/* What our methods have in common, with and without a scene. */
#ifndef LAB_HARNESS_OURS_H
#define LAB_HARNESS_OURS_H

#include "contest.h"

/* A context for a method: its workers or those of the settings, and the lower of its instruction
   set and theirs. */
bool ours_create_context(const bench_method *method, const bench_settings *settings,
                         pliant_context **context);

/* A shape with the method's tree. */
bool ours_create_shape(pliant_context *context, const bench_method *method,
                       const gallery_mesh *mesh, pliant_shape **shape);

/* The same mesh with its vertices in the order of the method's tree, order[i] becoming vertex i;
   mesh_free() is due in any case. */
bool ours_order_mesh(pliant_context *context, const bench_method *method, const gallery_mesh *mesh,
                     uint32_t *order, gallery_mesh *ordered);

/* A shape for a body of a motion: that of its model if it has one, else of its start. */
bool ours_create_shape_of(pliant_context *context, const bench_method *method,
                          const bench_motion *motion, uint32_t body, pliant_shape **shape);

/* Puts a body into the state of a frame; positions are borrowed. */
bool ours_set_state(pliant_body *body, const bench_motion *motion, const bench_frame *frame,
                    uint32_t which);

#endif
