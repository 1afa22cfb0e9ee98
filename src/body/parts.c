/*
 * The eager part of a large body's refresh in parts, for several workers: a part is a child of the
 * root, or a grandchild where there are enough levels. What comes out is what one worker makes.
 */
#include "refresh.h"

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
