/*
 * The update strategies: what is refreshed before the first query of a state. FRONT is in front.c,
 * bodies of many islands in islands.c; all others are here.
 */
#include "refresh.h"

/* ------------------------------------------------------------ bottom-up

   Every cluster from its vertices, every node by merging its children. Based on: G. van den Bergen,
   Efficient Collision Detection of Complex Deformable Models using AABB Trees, Journal of Graphics
   Tools 2(4), 1997. Larsson & Akenine-Moller found it best when most of the tree will be visited
   anyway. */

/* Every box comes by merging; only spheres, where a body has them, do not. */
enum { ALL_LANES = (1 << PLI_WIDTH) - 1 };

static pliant_result refresh_whole(pliant_body *body, pli_arena *arena, uint32_t node,
                                   pli_node_record **record);

pliant_result pli_bottom_up_lane(pliant_body *body, pli_arena *arena, uint32_t child, uint32_t lane,
                                 pli_node_record *parent)
{
    if (child & PLI_CLUSTER_BIT) {
        pli_cluster_record *below = NULL;
        pliant_result result = pli_refresh_cluster(body, arena, child & ~PLI_CLUSTER_BIT, &below);
        if (result == PLIANT_OK) {
            pli_finish_cluster(body, child, below);
            parent->child[lane] = below;
            pli_boxes_merge(&below->leaf_box, &parent->box, lane);
        }
        return result;
    }
    pli_node_record *below = NULL;
    pliant_result result = refresh_whole(body, arena, child, &below);
    if (result == PLIANT_OK) {
        parent->child[lane] = below;
        pli_boxes_merge(&below->box, &parent->box, lane);
    }
    return result;
}

static pliant_result refresh_whole(pliant_body *body, pli_arena *arena, uint32_t node,
                                   pli_node_record **record)
{
    const pli_node *constant = &body->shape->nodes[node];
    pli_node_record *made = pli_node_record_create(body, arena);
    if (made == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = pli_bound_children(body, arena, node, ALL_LANES, made);
    for (uint32_t lane = 0; lane < constant->child_count && result == PLIANT_OK; lane++) {
        result = pli_bottom_up_lane(body, arena, constant->child[lane], lane, made);
    }
    if (result == PLIANT_OK) {
        pli_measure_node(body, arena, node, made);
    }
    *record = made;
    return result;
}

/* ------------------------------------------------------------ the choice */

/*
 * Top-down and hybrid are based on: T. Larsson, T. Akenine-Moller, Collision Detection for
 * Continuously Deforming Bodies, Eurographics 2001, section 3.3.
 *
 * Top-down, a node's children are bounded from their vertices when a query asks for them: best when
 * little of the tree is visited. Every vertex must be read once for the body's own box; ours reads
 * them child by child, so that the root's children are bounded in the same pass.
 *
 * Hybrid, the upper half of the levels is bottom-up and the lower half on demand. The children at
 * the lowest eager level are bounded from their vertices, each vertex being read about once;
 * everything above by merging. Good in easy and hard cases alike: the default for free bodies.
 */
pliant_result pli_prepare_root(pliant_body *body, pli_arena *arena, pli_node_record **root)
{
    if (body->shape->top_count > 1) {
        return pli_prepare_islands(body, arena, root);
    }
    switch (body->update) {
    case PLIANT_UPDATE_BOTTOM_UP:
        return refresh_whole(body, arena, 0, root);
    case PLIANT_UPDATE_TOP_DOWN:
        return pli_refresh_levels(body, arena, 0, 1, root);
    case PLIANT_UPDATE_FRONT:
        return pli_prepare_front(body, arena, root);
    case PLIANT_UPDATE_AUTO:
    case PLIANT_UPDATE_HYBRID:
        break;
    }
    return pli_refresh_levels(body, arena, 0, body->eager_levels, root);
}

/*
 * The automatic update of free bodies: hybrid, with an eager part that follows the contact. Ours.
 *
 * Below the eager part every level that a query enters reads the vertices of what it enters once
 * more. Where a large part of the body is entered, one eager level more would have read them in
 * passing; where hardly anything is, one level less saves its merges and extras. Motion is
 * coherent, so the last state tells the next. Bottom-up in full was never faster in what we
 * measured.
 */
void pli_adapt_eager_levels(pliant_body *body)
{
    uint64_t vertices = body->shape->vertex_count, clusters = body->shape->cluster_count;
    const pli_refresh_counts *now = &body->counts, *before = &body->counts_before;
    uint64_t entered = now->clusters_on_demand - before->clusters_on_demand;
    uint64_t read = now->vertices_on_demand - before->vertices_on_demand;
    if (2 * read > vertices && body->eager_levels < PLI_MAX_LEVELS) {
        body->eager_levels++;
    } else if (8 * read < vertices && 16 * entered < clusters && body->eager_levels > 1) {
        body->eager_levels--;
    }
}

/* ------------------------------------------------------------ in parts

   The eager part of a large body's refresh in parts, for several workers: a part is a child of the
   root, or a grandchild where there are enough levels. What comes out is what one worker makes. */

/* Children of the root that have records of their own before parts are refreshed: the parts are
   then grandchildren, of which there are enough for many workers. */
static unsigned fine_parts(pliant_body *body)
{
    const pli_node *node = &body->shape->nodes[0];
    if (body->update == PLIANT_UPDATE_FRONT) {
        return pli_front_parts(body);
    }
    unsigned lanes = 0;
    for (uint32_t lane = 0; lane < node->child_count && body->eager_levels >= 2; lane++) {
        lanes |= (unsigned)!(node->child[lane] & PLI_CLUSTER_BIT) << lane;
    }
    return lanes;
}

pliant_result pli_body_begin_parts(pliant_body *body, pli_node_record **root)
{
    pliant_result result = pli_body_check_valid(body);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_front_begin(body);
    *root = pli_node_record_create(body, &body->arena);
    for (unsigned lanes = fine_parts(body); lanes != 0 && *root != NULL; lanes &= lanes - 1) {
        pli_node_record *below = pli_node_record_create(body, &body->arena);
        (*root)->child[__builtin_ctz(lanes)] = below;
        *root = below != NULL ? *root : NULL;
    }
    if (*root == NULL) {
        pli_body_forget(body);
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return PLIANT_OK;
}

pliant_result pli_body_bound_upper_part(pliant_body *body, pli_arena *arena, pli_node_record *root,
                                        uint32_t part)
{
    if (body->update != PLIANT_UPDATE_FRONT) {
        return PLIANT_OK;
    }
    if (part == 0) {
        return pli_front_bound(body, arena, 0, root);
    }
    uint32_t lane = part - 1;
    return fine_parts(body) >> lane & 1
               ? pli_front_bound(body, arena, body->shape->nodes[0].child[lane], root->child[lane])
               : PLIANT_OK;
}

/* Fills a lane of a record: a child on the lowest eager level by itself, others by what is below.
 */
static pliant_result refresh_lane(pliant_body *body, pli_arena *arena, uint32_t node,
                                  pli_node_record *record, uint32_t lane, uint32_t levels)
{
    uint32_t child = body->shape->nodes[node].child[lane];
    if (child & PLI_CLUSTER_BIT || levels < 2) {
        return pli_bound_children(body, arena, node, ~(1u << lane), record);
    }
    pli_node_record *below = NULL;
    pliant_result result = pli_refresh_levels(body, arena, child, levels - 1, &below);
    if (result == PLIANT_OK) {
        record->child[lane] = below;
        pli_boxes_merge(&below->box, &record->box, lane);
    }
    return result;
}

/* One lane of the root or of one of its children. */
static pliant_result refresh_part(pliant_body *body, pli_arena *arena, uint32_t node, uint32_t lane,
                                  uint32_t levels, pli_node_record *record)
{
    if (lane >= body->shape->nodes[node].child_count) {
        return PLIANT_OK;
    }
    return body->update == PLIANT_UPDATE_FRONT
               ? pli_front_refresh(body, arena, node, lane, record)
               : refresh_lane(body, arena, node, record, lane, levels);
}

pliant_result pli_body_refresh_part(pliant_body *body, pli_arena *arena, pli_node_record *root,
                                    uint32_t part)
{
    uint32_t lane = part / PLI_WIDTH, grandchild = part % PLI_WIDTH;
    if (fine_parts(body) >> lane & 1) {
        return refresh_part(body, arena, body->shape->nodes[0].child[lane], grandchild,
                            body->eager_levels - 1, root->child[lane]);
    }
    return grandchild == 0 ? refresh_part(body, arena, 0, lane, body->eager_levels, root)
                           : PLIANT_OK;
}

void pli_body_join_parts(pliant_body *body, pli_node_record *root)
{
    for (unsigned lanes = fine_parts(body); lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        const pli_node_record *below = root->child[lane];
        pli_boxes_merge(&below->box, &root->box, lane);
        pli_measure_node(body, &body->arena, body->shape->nodes[0].child[lane], below);
    }
    pli_measure_node(body, &body->arena, 0, root);
}
