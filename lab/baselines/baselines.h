/* Rival methods, and what they share. */
#ifndef LAB_BASELINES_BASELINES_H
#define LAB_BASELINES_BASELINES_H

#include "baseline_tree.h"
#include "lab/harness/contest.h"

extern const bench_method bench_bottom_up;
extern const bench_method bench_van_den_bergen;
extern const bench_method bench_van_den_bergen_8;

/* Larsson & Akenine-Moller 2001: hybrid update of 8-, 4- and 2-ary trees, and what it combines. */
extern const bench_method bench_larsson, bench_larsson_4, bench_larsson_2;
extern const bench_method bench_larsson_top_down, bench_larsson_bottom_up;

/* For blended bodies: evaluate and refit everything, scalar and vectorised. */
extern const bench_method bench_blend_bottom_up;
extern const bench_method bench_blend_simd;

/* Steinemann, Otaduy & Gross 2007: bounds from the transforms, front update. */
extern const bench_method bench_steinemann;

/* One vertex of a blended body; all of them, one after the other. */
void baseline_blend_vertex(const gallery_model *model, const float *rest, uint32_t vertex,
                           const float *transforms, float position[3]);
void baseline_blend_evaluate(const gallery_model *model, const float *rest, uint32_t vertex_count,
                             const float *transforms, float *positions);

/* Shows every pair of triangles whose boxes overlap: what an exact or inexact test is asked. */
typedef void (*baseline_candidate_callback)(void *user, uint32_t a, uint32_t b);
bool baseline_visit_candidates(const bench_motion *motion, const bench_frame *frame,
                               baseline_candidate_callback callback, void *user);

/* Triangles of two refitted trees that touch, appended to the scratch's pairs. False when there is
   no memory. */
bool baseline_collide_trees(const baseline_tree *a, const float *positions_a,
                            const baseline_tree *b, const float *positions_b,
                            baseline_scratch *scratch);

/* The usual triangle test in float32, with a tolerance: fast, and wrong near contact. */
bool float_triangle_overlap(const float a[3][3], const float b[3][3]);

#endif
