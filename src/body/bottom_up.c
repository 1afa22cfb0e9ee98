/*
 * Bottom-up update: every cluster from its vertices, every node by merging its children.
 * Based on: G. van den Bergen, Efficient Collision Detection of Complex Deformable Models using
 * AABB Trees, Journal of Graphics Tools 2(4), 1997.
 *
 * Larsson & Akenine-Moller found it best when most of the tree will be visited anyway.
 */
#include "refresh.h"

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

pliant_result pli_prepare_bottom_up(pliant_body *body, pli_arena *arena, pli_node_record **root)
{
    return refresh_whole(body, arena, 0, root);
}
