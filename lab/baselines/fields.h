/*
 * Evaluating all vertices of a reduced body, x = T (p + U q), as fast as we know how: this is what
 * rivals that need every vertex spend before they begin. Vertices come out the same bit for bit as
 * the library's, so that answers can be compared.
 */
#ifndef LAB_BASELINES_FIELDS_H
#define LAB_BASELINES_FIELDS_H

#include "pliant/base.h"
#include "gallery/gallery.h"

/* Vertices are evaluated sixteen at a time. */
#define BASELINE_LANES 16

/* Rest positions and modes of a mesh, sixteen vertices after sixteen: x, y, z of the rest, then of
   each mode. Read once from front to back. */
typedef struct baseline_fields {
    uint32_t vertex_count, block_count, mode_count;
    bool placed; /* one transform moves the whole body */
    float *values;
    void (*evaluate)(const struct baseline_fields *fields, const float *coordinates,
                     const float *transform, float *positions);
} baseline_fields;

/* Uses at most the instruction set given. False when there is no memory. */
bool baseline_fields_create(const gallery_mesh *mesh, const gallery_model *model, pliant_isa cap,
                            baseline_fields *fields);
void baseline_fields_free(baseline_fields *fields);

/* Room for the positions of all vertices, with what wide stores write behind the last. */
float *baseline_fields_positions(const baseline_fields *fields);

/* Evaluates all vertices. `transform` is read if bodies are placed. */
static inline void baseline_fields_evaluate(const baseline_fields *fields, const float *coordinates,
                                            const float *transform, float *positions)
{
    fields->evaluate(fields, coordinates, transform, positions);
}

/* One function per instruction set. */
void baseline_evaluate_plain(const baseline_fields *fields, const float *coordinates,
                             const float *transform, float *positions);
void baseline_evaluate_avx2(const baseline_fields *fields, const float *coordinates,
                            const float *transform, float *positions);
void baseline_evaluate_avx512(const baseline_fields *fields, const float *coordinates,
                              const float *transform, float *positions);

#endif
