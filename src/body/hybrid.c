/*
 * Hybrid update: the upper half of the levels bottom-up, the lower half on demand.
 * Based on: T. Larsson, T. Akenine-Moller, Collision Detection for Continuously Deforming Bodies,
 * Eurographics 2001, section 3.3.
 *
 * The children at the lowest eager level are bounded from their vertices, each vertex being read
 * about once; everything above by merging. Good in easy and hard cases alike: the default for free
 * bodies.
 */
#include "refresh.h"

pliant_result pli_prepare_hybrid(pliant_body *body, pli_arena *arena, pli_node_record **root)
{
    return pli_refresh_levels(body, arena, 0, body->eager_levels, root);
}
