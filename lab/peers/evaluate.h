/*
 * Evaluating all vertices of blended bodies, as users of other libraries must before these can
 * begin. A vertex' transforms are blended first and applied once, twelve numbers at a time in
 * vector registers, with fused operations: the fastest way we know.
 */
#ifndef LAB_PEERS_EVALUATE_H
#define LAB_PEERS_EVALUATE_H

#include "lab/motions/motion.h"

enum { PEER_MAX_JOINTS = 128 };

/* The positions of one body, of at most so many joints, whose modes are left out. */
void peer_evaluate(const gallery_model *model, const float *rest, uint32_t vertex_count,
                   const float *transforms, float *positions);

typedef struct peer_evaluation peer_evaluation;

/* For a motion whose bodies have influences; NULL when there is no memory. */
peer_evaluation *peer_evaluation_create(const bench_motion *motion);
void peer_evaluation_destroy(peer_evaluation *evaluation);

/* The positions of all vertices of all bodies in a frame, to the last bits as the definition has
   them; they live until the next call. */
const float *const *peer_evaluation_run(peer_evaluation *evaluation, const bench_frame *frame);

#endif
