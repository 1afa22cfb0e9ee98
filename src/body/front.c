/*
 * Front update: the nodes that queries opened in the last state are refreshed first, by formula or
 * from their vertices at the front, by merging above it; everything below on demand.
 * Based on: D. Steinemann, M. A. Otaduy, M. Gross, Efficient Bounds for Point-Based Animations,
 * Symposium on Point-Based Graphics 2007, section 5.
 *
 * The front follows the contact: a node that a query opens joins it for the next state, and one
 * that no query opened leaves it. Ours: where the children of a node of a blended body cost less to
 * bound than the node itself, because far fewer control nodes matter below, they join it as well.
 */
#include "refresh.h"

static bool in_front(const pliant_body *body, uint32_t child)
{
    return !(child & PLI_CLUSTER_BIT) &&
           (atomic_load_explicit(&body->opened[child], memory_order_relaxed) & 2);
}

/* Whether bounding the remaining children by rows of their own, and merging, is cheaper than one
   more row, this node's, for the sake of those children. */
static bool children_are_cheaper(const pliant_body *body, uint32_t index, unsigned opened)
{
    const pli_node *node = &body->shape->nodes[index];
    uint64_t cost = 0;
    for (uint32_t lane = 0; lane < node->child_count; lane++) {
        if (node->child[lane] & PLI_CLUSTER_BIT) {
            return false;
        }
        cost += opened >> lane & 1 ? 0 : body->shape->rows[node->child[lane]].node_count;
    }
    return cost <= body->shape->rows[index].node_count;
}

static pliant_result refresh_front(pliant_body *body, uint32_t node, pli_node_record **record)
{
    const pli_node *constant = &body->shape->nodes[node];
    unsigned opened = 0;
    for (uint32_t lane = 0; lane < constant->child_count; lane++) {
        opened |= (unsigned)in_front(body, constant->child[lane]) << lane;
    }
    if (pli_body_has_rows(body) && body->shape->block->model.row_kind == PLI_ROW_BLEND &&
        children_are_cheaper(body, node, opened)) {
        opened = (1u << constant->child_count) - 1;
    }
    pli_node_record *made = pli_node_record_create(body, &body->room);
    if (made == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = pli_bound_children(body, &body->room, node, opened, made);
    for (uint32_t lane = 0; lane < constant->child_count && result == PLIANT_OK; lane++) {
        if (opened >> lane & 1) {
            pli_node_record *below = NULL;
            result = refresh_front(body, constant->child[lane], &below);
            if (result == PLIANT_OK) {
                made->child[lane] = below;
                pli_boxes_merge(&below->box, &made->box, lane);
            }
        }
    }
    *record = made;
    return result;
}

pliant_result pli_prepare_front(pliant_body *body, pli_node_record **root)
{
    return refresh_front(body, 0, root);
}
