/* What our methods have in common, with and without a scene. */
#ifndef BENCH_OURS_H
#define BENCH_OURS_H

#include "bench/contest.h"

/* A context for a method: its workers, and the lower of its instruction set and the cap. */
bool ours_create_context(const bench_method *method, pliant_isa cap, pliant_context **context);

/* A shape with the method's tree. */
bool ours_create_shape(pliant_context *context, const bench_method *method, const scene_mesh *mesh,
                       pliant_shape **shape);

#endif
