/*
 * Top-down update: a node's children are bounded from their vertices when a query asks for them.
 * Based on: T. Larsson, T. Akenine-Moller, Collision Detection for Continuously Deforming Bodies,
 * Eurographics 2001, section 3.3.
 *
 * Best when little of the tree is visited. Every vertex must be read once for the body's own box;
 * ours reads them child by child, so that the root's children are bounded in the same pass.
 */
#include "refresh.h"

pliant_result pli_prepare_top_down(pliant_body *body, pli_arena *arena, pli_node_record **root)
{
    return pli_refresh_levels(body, arena, 0, 1, root);
}
