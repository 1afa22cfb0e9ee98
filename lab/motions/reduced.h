/* What the experiments with reduced bodies have in common: shapes of meshes with models. */
#ifndef LAB_MOTIONS_REDUCED_H
#define LAB_MOTIONS_REDUCED_H

#include "lab/harness/bench.h"
#include "lab/harness/contest.h"
#include "pliant/scene.h"
#include "gallery/gallery.h"

/* A definition that borrows the mesh and the model, with the library's defaults otherwise. */
pliant_shape_def reduced_shape_def(const gallery_mesh *mesh, const gallery_model *model);

/* The workers of the settings, and at most their instruction set. */
bool reduced_create_context(const bench_settings *settings, pliant_context **context);

/* Sets what the shape has: coordinates, a transform, or both. */
bool reduced_set(pliant_body *body, const gallery_model *model, const float *coordinates,
                 const float *transform);

/* A hash of pairs that does not depend on their order. */
bench_summary reduced_summarise(const pliant_pair *pairs, uint64_t count);

#endif
